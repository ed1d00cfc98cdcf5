// pathsearch: Newton's method on the normal map of an MCP, stabilized by a search along the piecewise linear path that
// leads to the Newton point (Ralph 1994; Dirkse and Ferris, "The PATH solver", 1995). With z = P(x) the projection on
// the box, the equations are r(x) = F(z) + x - z = 0.
//
//   crash      Newton steps on the active set, cheap, until they stop gaining
//   iteration  follow the path of the linearization (path.h) to its end, or as far as it goes
//   accept     the end when the merit |r|^2/2 is below the largest of the last few by a part; some ends are taken
//              unchecked, and the watchdog returns to the best point when they lead nowhere
//   search     backwards along the path from there: the linearized residual is (1 - t) r, so that short of a singular
//              piece some part of the path reduces the merit
//   restart    when all fails, from another point or another piece: once like Lemke's method, from far outside the
//              bounds, then from random perturbations with the seed of the options
//
// Where the linearization is singular on the first piece, a multiple of the identity is added (centred at z, so that
// solutions stay solutions).
#include "complementarity/newton/path.h"

#include "base/random.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static const double MARGIN = 1e-2;       // stop this far within the tolerance
static const double DECREASE = 1e-4;     // part of the merit that a step of length 1 has to gain
static const double PROGRESS = 0.5;      // factor on the merit that PATIENCE iterations have to bring
static const double LEAP = 1e4;          // factor on the merit that an unchecked step may cost
static const double OFF_THE_KINK = 1e-3; // length of a first step along -F, in parts of F
static const double SHORTEST = 1e-4;     // a step of smaller t counts for nothing
// Multiples of the identity that are added, one after the other, where the linearization is of no use. Only they keep
// the end of a linear problem's path from being its solution: there they start very small.
static const double affine_shifts[] = {0.0, 1e-8, 1e-2, 1.0}, smooth_shifts[] = {0.0, 1e-4, 1e-2, 1.0};
enum { SHIFTS = sizeof affine_shifts / sizeof affine_shifts[0] };
enum { MEMORY = 5, UNCHECKED = 4, CRASH_STEPS = 60, CRASH_PATIENCE = 8, PATIENCE = 10, HALVINGS = 12 };
enum { AFFINE_ATTEMPTS = 20, SMOOTH_ATTEMPTS = 40 };

typedef struct point {
  double *x, *z, *F, *r;
  double merit; // |r|^2 / 2
} point;

typedef enum verdict { GOES_ON, SOLVED, FAILED, OUT_OF_ITERATIONS, OUT_OF_TIME } verdict;

typedef struct search {
  ts_mcp_view view;
  ts_path path;
  ts_run *run;
  int size;
  int taken; // iterations so far
  point current, trial;
  double residual; // at the current point
  double *start;   // where the run starts, in the problem's variables
  double *best;    // over all attempts, in the problem's variables
  double best_residual;
  double *checkpoint; // x of the smallest merit of this attempt
  double checkpoint_merit;
  double recent[MEMORY]; // merits of the points that were accepted
  int accepted, unchecked;
  double goal; // merit that the attempt has to get below
  int waited;  // iterations since the last goal was met
  bool met_ray, crash_gained, singular;
  ts_random random;
} search;

// How an attempt begins.
typedef enum centre { THE_START, THE_ORIGIN, THE_BEST } centre;

typedef struct attempt {
  centre from;
  bool scaled; // by the Jacobian at the starting point
  bool crash;
  bool outside;        // x beyond the bounds, where every bounded variable is at one
  double perturbation; // of the starting point, relative
} attempt;

// ---- points --------------------------------------------------------------------------------------------------------

static void make_point(point *p, size_t n, ts_arena *arena)
{
  p->x = ts_arena_zeros(arena, n);
  p->z = ts_arena_zeros(arena, n);
  p->F = ts_arena_zeros(arena, n);
  p->r = ts_arena_zeros(arena, n);
  p->merit = INFINITY;
}

// z, F, r and merit from x. False where F is not defined.
static bool evaluate(search *s, point *p)
{
  const size_t n = (size_t)s->size;
  memcpy(p->z, p->x, n * sizeof *p->z);
  ts_mcp_view_project(&s->view, p->z);
  p->merit = INFINITY;
  if (!ts_mcp_view_evaluate(&s->view, p->z, p->F)) return false;
  double sum = 0.0;
  for (size_t i = 0; i < n; ++i) {
    p->r[i] = p->F[i] + (p->x[i] - p->z[i]);
    sum += p->r[i] * p->r[i];
  }
  p->merit = 0.5 * sum;
  return isfinite(p->merit);
}

// The Jacobian and the residual at the current point. Keeps the best point.
static bool linearize(search *s)
{
  if (!ts_mcp_view_jacobian(&s->view, s->current.z)) return false;
  s->residual = ts_mcp_view_residual(&s->view, s->current.z, s->current.F);
  if (s->residual < s->best_residual) {
    s->best_residual = s->residual;
    ts_mcp_view_to_problem(&s->view, s->current.z, s->best);
  }
  return true;
}

static bool accept_trial(search *s)
{
  const point kept = s->current;
  s->current = s->trial;
  s->trial = kept;
  return linearize(s);
}

static verdict check(search *s)
{
  if (s->best_residual <= MARGIN * s->run->options->tolerance) return SOLVED;
  if (s->taken >= s->run->limit) return OUT_OF_ITERATIONS;
  return ts_run_out_of_time(s->run) ? OUT_OF_TIME : GOES_ON;
}

static void record(search *s, double step)
{
  ++s->taken;
  ts_run_record(s->run, s->residual, step, s->path.basis.shift, s->path.pivots);
  s->run->report->factorizations += s->path.factorizations;
}

// ---- accepting points ----------------------------------------------------------------------------------------------

static void set_checkpoint(search *s)
{
  memcpy(s->checkpoint, s->current.x, (size_t)s->size * sizeof *s->checkpoint);
  s->checkpoint_merit = s->current.merit;
}

static void restart_memory(search *s)
{
  s->accepted = 0;
  s->recent[s->accepted++] = s->current.merit;
}

static double largest_recent(const search *s)
{
  double largest = 0.0;
  for (int k = 0; k < MEMORY && k < s->accepted; ++k) largest = fmax(largest, s->recent[k]);
  return largest;
}

static bool go_to(search *s, const double *x)
{
  memcpy(s->trial.x, x, (size_t)s->size * sizeof *x);
  return evaluate(s, &s->trial) && accept_trial(s);
}

static verdict take_trial(search *s)
{
  if (!accept_trial(s)) return FAILED;
  s->recent[s->accepted++ % MEMORY] = s->current.merit;
  if (s->current.merit < s->checkpoint_merit) {
    set_checkpoint(s);
    s->unchecked = 0;
  }
  return GOES_ON;
}

// Whether the trial point has its share of the decrease that the linearization promises.
static bool reduces_merit(search *s, double t)
{
  return evaluate(s, &s->trial) && s->trial.merit < (1.0 - DECREASE * t) * s->current.merit;
}

// A point on the kept polygon of the path, or before its first corner, that reduces the merit by its share. Returns its
// t, 0 when there is none.
static double search_backwards(search *s)
{
  const ts_path *path = &s->path;
  const size_t n = (size_t)s->size;
  for (int k = path->count - 1; k >= 0; --k) {
    memcpy(s->trial.x, ts_path_point(path, k), n * sizeof *s->trial.x);
    const double t = fmax(path->point_t[k], 0.0);
    if (t >= SHORTEST && reduces_merit(s, t)) return t;
  }
  double part = 0.5;
  for (int k = 0; path->count > 0 && k < HALVINGS; ++k, part *= 0.5) {
    const double *corner = ts_path_point(path, 0);
    for (size_t i = 0; i < n; ++i) s->trial.x[i] = s->current.x[i] + part * (corner[i] - s->current.x[i]);
    const double t = part * fmax(path->point_t[0], 0.0);
    if (t >= SHORTEST && reduces_merit(s, t)) return t;
  }
  return 0.0;
}

// ---- iterations ----------------------------------------------------------------------------------------------------

// The direction in z of a path that leaves to infinity. A path may also leave in s alone, which says nothing, and a ray
// of the shifted problem is none of ours.
static void keep_ray(search *s)
{
  ts_report *report = s->run->report;
  const double *ray = s->path.ray;
  if (s->path.basis.shift > 0.0 || s->size == 0 || ray[cblas_idamax(s->size, ray, 1)] == 0.0) return;
  s->met_ray = true;
  if (report->ray) ts_mcp_view_to_problem(&s->view, ray, report->ray);
}

// A linear problem is solved by one path, which may take its time; of a nonlinear one each path is a step among many.
static int most_pivots(const search *s)
{
  return s->view.affine ? 500 + 10 * s->size : 100 + 2 * s->size;
}

static ts_path_end follow(search *s, double shift)
{
  const point *p = &s->current;
  ts_path_pieces(&s->view, p->x, s->path.piece);
  const ts_path_end end = ts_path_follow(&s->path, p->z, p->F, p->r, shift, most_pivots(s));
  if (end == TS_PATH_RAY) keep_ray(s);
  return end;
}

// Judge the end of a complete path: below the recent merits, or unchecked while there is credit.
static bool end_is_acceptable(search *s)
{
  memcpy(s->trial.x, ts_path_point(&s->path, s->path.count - 1), (size_t)s->size * sizeof *s->trial.x);
  if (!evaluate(s, &s->trial)) return false;
  if (s->trial.merit <= (1.0 - DECREASE) * largest_recent(s)) return true;
  return s->trial.merit <= LEAP * s->checkpoint_merit && s->unchecked++ < UNCHECKED;
}

// Merits are copied, never computed again: the same point has the same.
static bool at_checkpoint(const search *s)
{
  return s->current.merit == s->checkpoint_merit;
}

// One iteration with a given shift. FAILED: nothing on this path was of use.
static verdict iterate_with(search *s, double shift)
{
  const ts_path_end end = follow(s, shift);
  s->singular = end == TS_PATH_SINGULAR;
  if (s->singular) {
    record(s, 0.0);
    return FAILED;
  }
  if (end == TS_PATH_COMPLETE && end_is_acceptable(s)) {
    record(s, 1.0);
    return take_trial(s);
  }
  if (!at_checkpoint(s)) {
    record(s, 0.0);
    s->unchecked = UNCHECKED; // from there with checks only
    if (!go_to(s, s->checkpoint)) return FAILED;
    restart_memory(s);
    return GOES_ON;
  }
  const double t = search_backwards(s);
  record(s, t);
  return t > 0.0 ? take_trial(s) : FAILED;
}

// The first shift of a nonlinear problem follows |r| down, which keeps convergence fast where the solution is singular
// (Levenberg-Marquardt methods go by the same rule).
static double shift_number(const search *s, int k)
{
  if (s->view.affine) return affine_shifts[k];
  return k == 1 ? fmin(smooth_shifts[k], sqrt(2.0 * s->current.merit)) : smooth_shifts[k];
}

// An attempt that creeps is given up: another start is worth more.
static bool creeps(search *s)
{
  if (s->checkpoint_merit <= s->goal) {
    s->goal = PROGRESS * s->checkpoint_merit;
    s->waited = 0;
  }
  return ++s->waited > PATIENCE;
}

// A path of a linear problem that started well and failed would fail with a small shift as well.
static verdict iterate(search *s)
{
  if (creeps(s)) return FAILED;
  verdict v = FAILED;
  for (int k = 0; v == FAILED && k < SHIFTS; ++k) {
    v = check(s);
    if (v == GOES_ON) v = iterate_with(s, shift_number(s, k));
    if (k == 0 && s->view.affine && !s->singular) break;
  }
  return v;
}

// Newton steps on the active set: each costs one factorization and changes any number of active bounds. They need not
// reduce the merit every time: the active set of a grid grows inwards from its edge, and it takes some side/4 steps
// until the merit tells.
static verdict crash(search *s)
{
  const int patience = CRASH_PATIENCE + (int)(0.25 * sqrt(s->size));
  int stale = 0;
  for (int k = 0; k < CRASH_STEPS + patience; ++k) {
    const verdict v = check(s);
    if (v != GOES_ON) return v;
    const point *p = &s->current;
    ts_path_pieces(&s->view, p->x, s->path.piece);
    const bool stepped = ts_path_newton(&s->path, p->z, p->F, p->r, 0.0, s->trial.x) && evaluate(s, &s->trial);
    record(s, stepped ? 1.0 : 0.0);
    if (!stepped || (s->trial.merit >= s->checkpoint_merit && stale == patience)) break;
    stale = s->trial.merit < s->checkpoint_merit ? 0 : stale + 1;
    if (!accept_trial(s)) return FAILED;
    if (stale == 0) set_checkpoint(s);
  }
  if (!at_checkpoint(s) && !go_to(s, s->checkpoint)) return FAILED;
  return GOES_ON;
}

// ---- attempts ------------------------------------------------------------------------------------------------------

// Move a point at random, by about size (1 + |z|); into the box where there is one bound only. Own variables.
static void perturb(search *s, double size, double *z)
{
  const ts_mcp_view *view = &s->view;
  for (int i = 0; i < s->size; ++i) {
    const bool below = isfinite(view->own_lower[i]), above = isfinite(view->own_upper[i]);
    double move = size * (1.0 + fabs(z[i])) * ts_random_normal(&s->random);
    if (below && !above) move = fabs(move);
    if (above && !below) move = -fabs(move);
    z[i] = fmin(fmax(z[i] + move, view->own_lower[i]), view->own_upper[i]);
  }
}

static void move_to_bounds(const ts_mcp_view *view, double *z)
{
  for (int i = 0; i < view->size; ++i) {
    const double low = view->own_lower[i], high = view->own_upper[i];
    if (isfinite(low) || isfinite(high)) z[i] = z[i] - low <= high - z[i] ? low : high;
  }
}

// Where an attempt starts, in the problem's variables.
static void choose_start(search *s, const attempt *a, double *z)
{
  for (int i = 0; i < s->size; ++i) {
    const double from = a->from == THE_ORIGIN ? 0.0 : a->from == THE_BEST ? s->best[i] : s->start[i];
    z[i] = fmin(fmax(from, s->view.own_lower[i]), s->view.own_upper[i]);
  }
  if (a->perturbation > 0.0) perturb(s, a->perturbation, z);
  if (a->outside) move_to_bounds(&s->view, z);
}

// An affine problem is scaled once and for all. The Jacobian of another may be far from typical at a starting point: it
// is scaled in some of the attempts only.
static bool choose_scale(search *s, const attempt *a, const double *z)
{
  if (s->view.affine) {
    if (!s->view.scale) ts_mcp_view_scale(&s->view);
    return true;
  }
  ts_mcp_view_unscale(&s->view);
  if (!a->scaled) return true;
  if (!ts_mcp_view_jacobian(&s->view, z)) return false;
  ts_mcp_view_scale(&s->view);
  return true;
}

// x for a point z, with r small: at a bound, s = x - z balances F where it may. Where F points into the box, x lies on
// a kink, often with many others, and a path that starts on many kinks at once may cycle: a short step along -F, of
// random length, takes each off its kink.
static void lift(search *s, const double *z, const double *F, double *x)
{
  const ts_mcp_view *view = &s->view;
  for (int i = 0; i < s->size; ++i) {
    const double low = view->lower[i], high = view->upper[i];
    x[i] = z[i];
    if (z[i] != low && z[i] != high) continue;
    const bool balanced = low == high || (z[i] == low ? F[i] >= 0.0 : F[i] <= 0.0);
    const double step = OFF_THE_KINK * ts_random_uniform(&s->random, 0.5, 1.5);
    const double longest = fmin(0.5 * (high - low), 1.0 + fabs(z[i]));
    x[i] -= balanced ? F[i] : copysign(step * fmin(fabs(F[i]), longest), F[i]);
  }
}

// x beyond the bounds by more than F asks for: the path from there is that of Lemke's method with the covering vector
// r, whose entries are about `size` and differ at random, so that no two variables block at once.
static void lift_outside(search *s, const double *z, const double *F, double *x)
{
  double size = 1.0;
  for (int i = 0; i < s->size; ++i) size = fmax(size, fabs(F[i]));
  for (int i = 0; i < s->size; ++i) {
    const double excess = size * ts_random_uniform(&s->random, 0.5, 1.5);
    x[i] = z[i];
    if (z[i] == s->view.lower[i])
      x[i] -= fmax(F[i], 0.0) + excess;
    else if (z[i] == s->view.upper[i])
      x[i] += fmax(-F[i], 0.0) + excess;
  }
}

static bool begin(search *s, const attempt *a)
{
  point *p = &s->trial;
  choose_start(s, a, p->x);
  if (!choose_scale(s, a, p->x)) return false;
  ts_mcp_view_from_problem(&s->view, p->x, p->x);
  if (!evaluate(s, p)) return false;
  if (a->outside)
    lift_outside(s, p->z, p->F, p->x);
  else
    lift(s, p->z, p->F, p->x);
  if (!evaluate(s, p) || !accept_trial(s)) return false;
  set_checkpoint(s);
  return true;
}

static verdict make_attempt(search *s, const attempt *a)
{
  if (!begin(s, a)) return FAILED;
  const double first_merit = s->current.merit;
  verdict v = a->crash ? crash(s) : GOES_ON;
  if (a->crash) s->crash_gained = s->current.merit < first_merit;
  restart_memory(s);
  s->unchecked = s->waited = 0;
  s->goal = INFINITY;
  while (v == GOES_ON) v = iterate(s);
  if (v == FAILED && s->best_residual <= s->run->options->tolerance) v = SOLVED; // rounding allows no better
  return v;
}

// The first is the plain one, the second Lemke's, the third does without the crash. From then on the perturbation is
// at random, about three centres and of three sizes.
static attempt attempt_number(int k)
{
  static const attempt first[] = {{.crash = true}, {.outside = true}, {.crash = false}};
  static const double sizes[] = {1.0, 0.1, 10.0};
  if (k < 3) return first[k];
  return (attempt){(centre)(k % 3), k % 8 >= 4, k % 4 == 0, k % 2 == 1, sizes[k / 3 % 3]};
}

static void prepare(search *s, const ts_problem *problem, ts_run *run, const double *z)
{
  ts_arena *arena = run->arena;
  const size_t n = ts_problem_size(problem);
  *s = (search){.run = run, .size = (int)n, .best_residual = INFINITY};
  ts_mcp_view_init(&s->view, problem, TS_STORE_AUTO, arena);
  ts_random_init(&s->random, run->options->seed);
  make_point(&s->current, n, arena);
  make_point(&s->trial, n, arena);
  s->start = ts_arena_doubles(arena, n);
  s->best = ts_arena_doubles(arena, n);
  s->checkpoint = ts_arena_doubles(arena, n);
  if (run->options->warm_start)
    memcpy(s->start, z, n * sizeof *z);
  else
    ts_mcp_view_cold_start(&s->view, s->start, s->current.F);
  ts_mcp_view_project(&s->view, s->start);
  memcpy(s->best, s->start, n * sizeof *s->best);
  ts_path_init(&s->path, &s->view, run);
}

static ts_outcome solve(const ts_problem *problem, ts_run *run, double *z)
{
  search s;
  prepare(&s, problem, run, z);
  verdict v = FAILED;
  const int attempts = s.view.affine ? AFFINE_ATTEMPTS : SMOOTH_ATTEMPTS;
  for (int k = 0; k < attempts && v == FAILED; ++k) {
    const attempt a = attempt_number(k);
    if (k == 2 && !s.crash_gained) continue; // it would be the first once more
    v = make_attempt(&s, &a);
  }
  memcpy(z, s.best, (size_t)s.size * sizeof *z);
  run->report->claimed = s.best_residual;
  if (v == FAILED && s.met_ray && s.view.affine) {
    run->report->ray_found = run->report->ray != NULL;
    return TS_RAY;
  }
  return v == SOLVED              ? TS_SOLVED
         : v == OUT_OF_TIME       ? TS_TIME_LIMIT
         : v == OUT_OF_ITERATIONS ? TS_ITERATION_LIMIT
                                  : TS_STALLED;
}

const ts_solver ts_solver_pathsearch = {
    .name = "pathsearch",
    .summary = "Newton on the normal map with a search along the pivoting path (Ralph 1994, Dirkse and Ferris 1995)",
    .takes = TS_LCP | TS_MLCP | TS_MCP,
    .limit = 1000,
    .solve = solve,
};
