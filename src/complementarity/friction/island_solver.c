// What an island has to reach. With e_i and d_i the scaled errors and data of contacts the certificate of the whole
// asks for sum e^2 <= t^2 D^2, D^2 = sum d^2, t the tolerance. Islands k of n_k of the n contacts that reach
//   E_k^2 <= t^2 (a D_k^2 + (1 - a) n_k/n D^2),  0 < a < 1,
// add up to just that, for the D_k^2 add up to D^2 and the n_k to n. Relative to an island's own data this is
//   t_k^2 = t^2 (a + (1 - a) n_k/n D^2/D_k^2):
// t itself where its contacts have average data, never less than sqrt(a) t, and more where its data are small against
// the others': what hardly moves is not solved to digits that are lost in the whole. FCLIB's figure adds up in the same
// way with other D: the smaller of the two quotients holds for both.
//
// The certificate of accuracy asks for each contact's velocity error e_i/s_i (s_i its scale) to be within a bound v. An
// island that stops by its tolerance is within it too where t_k D_k <= v min s_i, so that islands that are solved and
// islands that are accurate make a whole that is accurate. The share of the data's speed that is allowed besides v is
// that of the whole (ts_run.whole_speed).
#include "complementarity/friction/island_solver.h"

#include "complementarity/friction/friction_solver.h"
#include "complementarity/friction/islands.h"

#include "base/clock.h"
#include "math/matrix.h"

#include <math.h>
#include <string.h>

static const double OWN_SHARE = 0.75;         // a
static const double LARGEST_TOLERANCE = 1e-3; // impulses have three digits, however small the data

// Sums of squares over the contacts of an island, or of all.
typedef struct data_sums {
  double scaled, raw;
  double least_scale;
  bool pressed; // some contact approaches; else no impulse is the solution
} data_sums;

typedef struct islands_run {
  const ts_friction *p;
  ts_run *run;
  ts_outcome (*solve)(const ts_problem *island, ts_run *run, double *z);
  ts_islands islands;
  data_sums whole, *own;
  ts_outcome worst;
  int most;                       // iterations of the island whose trail is in the report; -1: of none
  int jammed;                     // islands without a solution
  double scaled_claim, raw_claim; // sums of squares of the errors that the islands claim
} islands_run;

// ---- data ----------------------------------------------------------------------------------------------------------

// False where the contact has no scale: its block is 0, and it takes that of others.
static bool add_contact_data(const ts_friction *p, int i, data_sums *sums)
{
  const int d = p->dimension;
  const double *block = ts_block_diagonal(&p->W, i), *q = p->q + (size_t)i * (size_t)d;
  double trace = 0.0, data = 0.0;
  for (int k = 0; k < d; ++k) {
    const double e = k > 0 && p->ellipsoid ? p->ellipsoid[(size_t)i * (size_t)(d - 1) + (size_t)(k - 1)] : 1.0;
    trace += e * e * block[k * d + k];
    data += e * q[k] * (e * q[k]);
  }
  const double squared = d / trace; // s^2
  if (!(squared > 0.0) || isinf(squared)) return false;
  sums->raw += data;
  sums->scaled += squared * data;
  sums->least_scale = fmin(sums->least_scale, sqrt(squared));
  sums->pressed = sums->pressed || q[0] < 0.0;
  return true;
}

static bool is_ordinary(double sum) // of squares that kept their digits
{
  return sum > 1e-200 && sum < 1e200;
}

static bool sum_data(islands_run *r)
{
  const ts_island_members *c = &r->islands.contacts;
  r->own = ts_arena_bytes(r->run->arena, (size_t)r->islands.count, sizeof *r->own);
  for (int k = 0; k < r->islands.count; ++k) {
    data_sums *own = &r->own[k];
    *own = (data_sums){.least_scale = INFINITY};
    for (int m = c->start[k]; m < c->start[k + 1]; ++m)
      if (!add_contact_data(r->p, c->member[m], own)) return false;
    r->whole.scaled += own->scaled;
    r->whole.raw += own->raw;
  }
  return is_ordinary(r->whole.scaled) && is_ordinary(r->whole.raw);
}

// t_k of the comment above.
static double island_tolerance(const islands_run *r, int k, int contacts)
{
  const ts_solve_options *options = r->run->options;
  const data_sums *own = &r->own[k];
  const double quotient = fmin(r->whole.scaled / own->scaled, r->whole.raw / own->raw); // infinite without data
  const double shared = (1.0 - OWN_SHARE) * contacts / r->p->contacts * quotient;
  const double most = fmax(options->tolerance, LARGEST_TOLERANCE);
  const double tolerance = fmin(options->tolerance * sqrt(OWN_SHARE + shared), most);
  if (!(options->velocity_error > 0.0)) return tolerance;
  return fmin(tolerance, options->velocity_error * own->least_scale / sqrt(own->scaled));
}

// ---- one island ----------------------------------------------------------------------------------------------------

// An island with what it runs with: a report of its own, for stages look at what the ones before them have entered.
typedef struct island {
  ts_problem problem;
  ts_bodies bodies;
  ts_solve_options options;
  ts_report report;
  ts_run run;
  double *z;
} island;

static void prepare_report(const islands_run *r, int contacts, ts_report *report)
{
  const ts_report *all = r->run->report;
  memset(report, 0, offsetof(ts_report, trail));
  report->trail_count = 0;
  report->solver = all->solver;
  report->claimed = INFINITY;
  report->history = all->history ? all->history + all->history_count : NULL;
  report->history_capacity = all->history_capacity - all->history_count;
  report->jam = all->jam ? ts_arena_doubles(r->run->arena, (size_t)contacts) : NULL;
}

static island *prepare_island(const islands_run *r, int k, const double *z)
{
  ts_arena *arena = r->run->arena;
  const ts_island_members *c = &r->islands.contacts;
  const int contacts = c->start[k + 1] - c->start[k];
  const int left = ts_run_iterations_left(r->run);
  const size_t d = (size_t)r->p->dimension;
  island *own = ts_arena_bytes(arena, 1, sizeof *own);
  own->problem = ts_problem_friction(ts_island_problem(r->p, &r->islands, k, &own->bodies, arena));
  own->z = ts_arena_doubles(arena, (size_t)contacts * d);
  for (int i = 0; i < contacts; ++i)
    memcpy(own->z + (size_t)i * d, z + (size_t)c->member[c->start[k] + i] * d, d * sizeof *z);
  own->options = *r->run->options;
  own->options.tolerance = island_tolerance(r, k, contacts);
  if (own->options.max_iterations > 0) own->options.max_iterations = left;
  prepare_report(r, contacts, &own->report);
  own->run = *r->run;
  own->run.options = &own->options;
  own->run.report = &own->report;
  own->run.limit = left < r->run->limit ? left : r->run->limit; // a limit of the solver itself is each island's own
  own->run.whole_speed = sqrt(r->whole.raw / r->p->contacts);
  if (r->run->timed) own->run.started = ts_clock_seconds();
  return own;
}

// Few contacts are solved to the tolerance as a rule, and stay still then, where many would have to be swept for long.
// So a velocity error that will do does so only after an effort, as it does for those that are swept.
enum { EFFORT = 100 };

static ts_outcome solve_with_effort(const islands_run *r, island *own)
{
  const double velocity_error = own->options.velocity_error;
  const int limit = own->options.max_iterations;
  if (!(velocity_error > 0.0) || own->problem.friction.contacts > TS_LARGE_FRICTION)
    return r->solve(&own->problem, &own->run, own->z);
  own->options.velocity_error = 0.0;
  if (limit == 0 || limit > EFFORT) own->options.max_iterations = EFFORT;
  const ts_outcome outcome = r->solve(&own->problem, &own->run, own->z);
  own->options.velocity_error = velocity_error;
  own->options.max_iterations = limit;
  if (outcome == TS_SOLVED || outcome == TS_NO_SOLUTION || ts_run_is_over(&own->run)) return outcome;
  own->options.warm_start = true;
  return r->solve(&own->problem, &own->run, own->z);
}

// ---- all of them ---------------------------------------------------------------------------------------------------

static int rank(ts_outcome outcome)
{
  static const ts_outcome from_best[] = {TS_SOLVED,     TS_ACCURATE,        TS_STALLED,    TS_RAY,
                                         TS_BROKE_DOWN, TS_ITERATION_LIMIT, TS_TIME_LIMIT, TS_NO_SOLUTION};
  int k = 0;
  while (from_best[k] != outcome) ++k;
  return k;
}

static void take_outcome(islands_run *r, ts_outcome outcome, const ts_report *own)
{
  ts_report *report = r->run->report;
  const int worse = rank(outcome) - rank(r->worst);
  if (own && (worse > 0 || (worse == 0 && own->iterations > r->most))) {
    report->solver = own->solver;
    report->trail_count = own->trail_count;
    memcpy(report->trail, own->trail, (size_t)own->trail_count * sizeof *own->trail);
    r->most = own->iterations;
  }
  if (worse > 0) r->worst = outcome;
}

static void take_counts(islands_run *r, int k, const ts_report *own)
{
  ts_report *report = r->run->report;
  report->iterations += own->iterations;
  report->factorizations += own->factorizations;
  report->fallbacks += own->fallbacks;
  report->history_count += own->history_count;
  r->scaled_claim += own->claimed * own->claimed * r->own[k].scaled;
  r->raw_claim += own->claimed * own->claimed * r->own[k].raw;
}

static void take_jam(islands_run *r, int k, const double *share)
{
  const ts_island_members *c = &r->islands.contacts;
  ++r->jammed;
  for (int i = 0; share && i < c->start[k + 1] - c->start[k]; ++i)
    r->run->report->jam[c->member[c->start[k] + i]] = share[i];
}

static void put_back(const islands_run *r, int k, const double *from, double *z)
{
  const ts_island_members *c = &r->islands.contacts;
  const size_t d = (size_t)r->p->dimension;
  for (int m = c->start[k]; m < c->start[k + 1]; ++m) {
    double *to = z + (size_t)c->member[m] * d;
    if (from)
      memcpy(to, from + (size_t)(m - c->start[k]) * d, d * sizeof *to);
    else
      memset(to, 0, d * sizeof *to);
  }
}

static void solve_island(islands_run *r, int k, double *z)
{
  const ts_arena_mark mark = ts_arena_save(r->run->arena);
  island *own = prepare_island(r, k, z);
  const ts_outcome outcome = solve_with_effort(r, own);
  if (r->run->timed) ts_run_time_last_stage(&own->run, ts_clock_seconds());
  put_back(r, k, own->z, z);
  take_counts(r, k, &own->report);
  take_outcome(r, outcome, &own->report);
  if (outcome == TS_NO_SOLUTION) take_jam(r, k, own->report.jam);
  ts_arena_restore(r->run->arena, mark);
}

// Nothing is left to solve an island with.
static void leave_island(islands_run *r, int k, double *z)
{
  if (!r->run->options->warm_start) put_back(r, k, NULL, z);
  r->scaled_claim = INFINITY;
  take_outcome(r, ts_run_ending(r->run, TS_ITERATION_LIMIT), NULL);
}

static void solve_all(islands_run *r, double *z)
{
  ts_report *report = r->run->report;
  if (report->jam) memset(report->jam, 0, (size_t)r->p->contacts * sizeof *report->jam);
  for (int k = 0; k < r->islands.count; ++k) {
    if (!r->own[k].pressed)
      put_back(r, k, NULL, z);
    else if (ts_run_is_over(r->run))
      leave_island(r, k, z);
    else
      solve_island(r, k, z);
  }
  for (int i = 0; report->jam && r->jammed > 1 && i < r->p->contacts; ++i) report->jam[i] /= r->jammed;
  report->claimed = sqrt(fmax(r->scaled_claim / r->whole.scaled, r->raw_claim / r->whole.raw));
}

bool ts_islands_solve(const ts_problem *problem, ts_run *run, double *z,
                      ts_outcome (*solve)(const ts_problem *island, ts_run *run, double *z), ts_outcome *outcome)
{
  const ts_friction *p = &problem->friction;
  if (problem->type != TS_FRICTION || p->bilaterals > 0) return false;
  const ts_arena_mark mark = ts_arena_save(run->arena);
  islands_run r = {.p = p, .run = run, .solve = solve, .worst = TS_SOLVED, .most = -1};
  ts_islands_find(p, run->arena, &r.islands);
  const bool several = r.islands.count > 1 && sum_data(&r);
  if (several) solve_all(&r, z);
  ts_arena_restore(run->arena, mark);
  *outcome = r.worst;
  return several;
}
