#include "step/implicit/mncp.h"

#include "step/implicit/judge.h"
#include "step/implicit/mncp_check.h"
#include "step/implicit/mncp_start.h"
#include "step/implicit/patches.h"
#include "step/solve.h"

#include "math/disjoint_sets.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 5, MOST_ITERATIONS = 150 };
static const double AIM = 1e-2, ENOUGH = 0.1; // of the tolerance of the step

// The step in the making.
typedef struct mncp_step {
  ts_step *step;
  ts_arrival *arrival;
  const ts_ecp_hint *hint; // or NULL
  ts_ecp_solution *solution;
  ts_part_pair *pairs; // that may touch, in the order of contacts
  const ts_contact_law **laws;
  int pair_count;
  ts_contact_set before, flown; // points that may touch where the last velocities and the free ones lead
  int *island;                  // (body_count)
  bool *asks;                   // islands with contacts, limits or motors (body_count)
} mncp_step;

// ---- pairs and islands ---------------------------------------------------------------------------------------------

// Pairs that touch in a configuration, beside those that are there already; in ascending order, which contacts are kept
// in. What is merely near stays out: without a load its points and its friction are not determined.
static void take_pairs(mncp_step *s, const ts_contact_set *points)
{
  const size_t most = (size_t)s->pair_count + (size_t)points->count;
  ts_part_pair *pairs = ts_arena_bytes(s->step->arena, most, sizeof *pairs);
  const ts_contact_law **laws = ts_arena_bytes(s->step->arena, most, sizeof *laws);
  int count = 0, i = 0, k = 0;
  while (i < s->pair_count || k < points->count) {
    const uint64_t old = i < s->pair_count ? ts_part_pair_key(s->pairs[i]) : UINT64_MAX;
    const uint64_t found = k < points->count ? ts_part_pair_key(points->parts[k]) : UINT64_MAX;
    const uint64_t last = count > 0 ? ts_part_pair_key(pairs[count - 1]) : UINT64_MAX;
    if (old < found) {
      laws[count] = s->laws[i];
      pairs[count++] = s->pairs[i++];
    } else if (found == last || points->contacts[k].gap > 0.0) {
      ++k;
    } else {
      i += old == found;
      laws[count] = points->laws[k];
      pairs[count++] = points->parts[k++];
    }
  }
  s->pairs = pairs;
  s->laws = laws;
  s->pair_count = count;
}

static void join_row(const ts_row *row, int *parent)
{
  if (row->body[0] >= 0 && row->body[1] >= 0) ts_join_sets(parent, row->body[0], row->body[1]);
}

static void join_joint(const ts_bilateral_row *row, int *parent)
{
  int first = -1;
  for (int side = 0; side < ts_side_count(row); ++side) {
    const int body = ts_side_body(row, side);
    if (body >= 0 && first >= 0) ts_join_sets(parent, first, body);
    if (body >= 0) first = body;
  }
}

// Bodies that contacts and rows join are an island. Those without contacts, limits and motors move as they would.
static void find_islands(mncp_step *s)
{
  const ts_step *step = s->step;
  const ts_model *model = step->sim->model;
  int *parent = s->island;
  for (int b = 0; b < model->body_count; ++b) parent[b] = b;
  for (int k = 0; k < step->mobility.count; ++k) join_joint(&step->mobility.rows[k], parent);
  for (int k = 0; k < step->bounded_count; ++k) join_row(&step->bounded[k].row, parent);
  for (int k = 0; k < s->pair_count; ++k) {
    const int a = model->parts[s->pairs[k].first].body, b = model->parts[s->pairs[k].second].body;
    if (model->bodies[b].kind == TS_DYNAMIC) ts_join_sets(parent, a, b);
  }
  memset(s->asks, 0, (size_t)model->body_count * sizeof *s->asks);
  for (int k = 0; k < s->pair_count; ++k) s->asks[ts_find_set(parent, model->parts[s->pairs[k].first].body)] = true;
  for (int k = 0; k < step->bounded_count; ++k)
    for (int side = 0; side < 2; ++side)
      if (step->bounded[k].row.body[side] >= 0) s->asks[ts_find_set(parent, step->bounded[k].row.body[side])] = true;
  for (int b = 0; b < model->body_count; ++b) s->island[b] = ts_find_set(parent, b);
}

// ---- starting points -----------------------------------------------------------------------------------------------

typedef struct island_problem {
  mncp_step *s;
  const ts_ecp_parts *parts;
  ts_ecp_problem problem;
  ts_ecp_guess *guesses;
  double *z, *best;
  double speed;       // that velocities change by
  ts_twist *velocity; // scratch: what guessed impulses make of the free ones (body_count)
  double *joints;     // impulses of rows that hold, and of limits and motors, to start with
  double *bounded;
} island_problem;

// Impulses of the last step, where the pair bore some.
static void recall(const mncp_step *s, const ts_ecp_contact *contact, ts_ecp_guess *guess)
{
  const ts_warm_start *memory = &s->step->sim->remembered;
  const uint64_t key = ts_part_pair_key(contact->parts);
  for (int k = 0; k < memory->count; ++k) {
    const ts_remembered_force *last = &memory->entries[k].last;
    if (memory->entries[k].pair != key) continue;
    guess->force = ts_add_scaled(guess->force, s->step->h * last->normal, guess->normal);
    guess->force = ts_add_scaled(guess->force, s->step->h, last->tangent);
    guess->spin += s->step->h * last->spin;
  }
}

// Where the parts face each other with a line or a face: the middle of its corners. Nearest points may be any of it,
// and from a corner the way to the others leads over kinks.
static void move_to_middle(const ts_contact_set *points, const ts_ecp_contact *contact, double same,
                           ts_ecp_guess *guess)
{
  const uint64_t key = ts_part_pair_key(contact->parts);
  const bool both = contact->side[1].slot >= 0;
  double least = INFINITY;
  ts_vec3 sum = {0.0, 0.0, 0.0};
  int count = 0;
  for (int k = 0; k < points->count; ++k)
    if (ts_part_pair_key(points->parts[k]) == key) least = fmin(least, points->contacts[k].gap);
  for (int k = 0; k < points->count; ++k) {
    if (ts_part_pair_key(points->parts[k]) != key || points->contacts[k].gap > least + same) continue;
    sum = ts_add(sum, points->contacts[k].point);
    guess->normal = points->contacts[k].normal;
    ++count;
  }
  if (count < 2) return;
  const ts_vec3 middle = ts_scale(1.0 / count, sum);
  guess->gap = least;
  guess->at[0] = ts_add_scaled(middle, both ? 0.5 * least : 0.0, guess->normal);
  guess->at[1] = ts_add_scaled(middle, both ? -0.5 * least : -least, guess->normal);
}

static void guess_at(island_problem *p, const ts_twist *velocity, const ts_contact_set *points, double share)
{
  for (int k = 0; k < p->problem.contact_count; ++k) {
    p->guesses[k] = ts_ecp_nearest(&p->problem, &p->problem.contacts[k], velocity);
    move_to_middle(points, &p->problem.contacts[k], share * p->speed * p->problem.h, &p->guesses[k]);
  }
}

static void guess_from_last_step(island_problem *p, double share)
{
  guess_at(p, p->s->step->sim->old_velocity, &p->s->before, share);
  for (int k = 0; k < p->problem.contact_count; ++k) recall(p->s, &p->problem.contacts[k], &p->guesses[k]);
}

// The same of limits and motors.
static void recall_rows(const island_problem *p)
{
  const ts_step *step = p->s->step;
  const ts_warm_start *memory = &step->sim->remembered;
  for (int k = 0; k < step->bounded_count; ++k) {
    const ts_bounded_row *row = &step->bounded[k];
    const uint64_t key = ts_joint_key(row->joint);
    p->bounded[k] = 0.0;
    for (int i = 0; i < memory->count; ++i) {
      const ts_remembered *entry = &memory->entries[i];
      if (entry->pair != key || entry->feature != row->feature) continue;
      const double force = row->lower >= 0.0 ? entry->last.normal : entry->last.tangent.x;
      p->bounded[k] = fmin(fmax(step->h * force, row->lower), row->upper);
    }
  }
}

static void guess_from_flight(island_problem *p, double share)
{
  const ts_twist *velocity = p->s->step->sim->free_velocity;
  guess_at(p, velocity, &p->s->flown, share);
  for (int k = 0; k < p->problem.contact_count; ++k)
    ts_ecp_stop(&p->problem, &p->problem.contacts[k], velocity, &p->guesses[k]);
}

static void guess_from_hint(island_problem *p)
{
  const ts_ecp_hint *hint = p->s->hint;
  const size_t d = (size_t)p->s->step->system.dimension;
  for (int k = 0; k < p->problem.contact_count; ++k) {
    const ts_ecp_contact *contact = &p->problem.contacts[k];
    ts_ecp_guess *guess = &p->guesses[k];
    *guess = ts_ecp_nearest(&p->problem, contact, hint->velocity);
    for (int i = 0; i < hint->contacts->count; ++i) {
      const ts_contact *known = &hint->contacts->contacts[i];
      const double *r = hint->r + (size_t)i * d;
      if (ts_part_pair_key(hint->contacts->parts[i]) != ts_part_pair_key(contact->parts) || !(r[0] > 0.0)) continue;
      const ts_vec3 across = ts_add_scaled(known->point, -known->gap, known->normal);
      *guess = (ts_ecp_guess){.at = {known->point, across}, .normal = known->normal, .gap = known->gap};
      guess->force = ts_add_scaled(ts_scale(r[0], known->normal), r[1], known->tangent);
      if (d > 2) guess->force = ts_add_scaled(guess->force, r[2], known->other);
      if (d > 3) guess->spin = r[3];
    }
  }
}

// What velocities change by in the step: by forces, and by contacts that free flight would close.
static double typical_speed(island_problem *p)
{
  const ts_sim *sim = p->s->step->sim;
  double speed = 0.0, size = 0.0;
  for (int i = 0; i < p->problem.body_count; ++i) {
    const int b = p->problem.bodies[i].body;
    const ts_twist change = ts_twist_add_scaled(sim->free_velocity[b], -1.0, sim->old_velocity[b]);
    speed = fmax(speed, ts_length(change.linear));
    size = fmax(size, ts_length(sim->old_velocity[b].linear));
  }
  for (int k = 0; k < p->problem.contact_count; ++k) {
    const ts_ecp_guess there = ts_ecp_nearest(&p->problem, &p->problem.contacts[k], sim->free_velocity);
    speed = fmax(speed, -there.gap / p->problem.h);
  }
  return fmax(speed, fmax(1e-3 * size, 1e-9));
}

// ---- solving -------------------------------------------------------------------------------------------------------

// The natural map, in the units of the problem: its certificate is over the largest datum, which may be the distance of
// a face that nobody touches.
static double natural_map(island_problem *p, const ts_problem *view)
{
  const ts_mcp *mcp = &view->mcp;
  double worst = 0.0;
  mcp->evaluate(mcp->user, p->z, p->best);
  for (int k = 0; k < mcp->size; ++k)
    worst = fmax(worst, fabs(p->z[k] - fmin(fmax(p->z[k] - p->best[k], mcp->lower[k]), mcp->upper[k])));
  return worst;
}

// Of gap and load the smaller is 0, and without a load there is no friction: the problem knows that by squares, to half
// of the digits.
static void drop_friction(island_problem *p)
{
  for (int k = 0; k < p->problem.contact_count; ++k) {
    const ts_ecp_contact *contact = &p->problem.contacts[k];
    const ts_ecp_places at = ts_ecp_places_of(&p->problem, contact);
    double *own = p->z + contact->first;
    if (own[at.normal] > own[at.depth]) continue;
    for (int r = 0; r <= contact->rubs; ++r) own[at.normal + r] = 0.0;
  }
}

// Run the solver, and again from where it ended while it could do better.
static bool run(island_problem *p, const ts_problem *view)
{
  static const double FINER = 1e-2;
  ts_sim *sim = p->s->step->sim;
  const ts_solver *asked =
      sim->options.solver; // it may take friction problems alone, where the reduced form was asked for
  const ts_solver *solver = ts_solver_takes(asked) & TS_MCP ? asked : ts_solver_find("auto");
  ts_solve_options options = sim->solve_options;
  options.warm_start = true;
  options.tolerance = AIM * sim->options.tolerance;
  if (options.max_iterations == 0) options.max_iterations = MOST_ITERATIONS;
  for (int k = 0; k < 3 && options.tolerance >= DBL_EPSILON; ++k, options.tolerance *= FINER) {
    ts_report report;
    memset(&report, 0, offsetof(ts_report, trail));
    if (!ts_sim_run_solver(sim, solver, view, &options, p->z, &report)) return false;
    drop_friction(p);
    if (natural_map(p, view) <= ENOUGH * sim->options.tolerance) break;
  }
  return true;
}

static bool solve_from(island_problem *p)
{
  const ts_problem view = ts_ecp_view(&p->problem);
  ++p->s->step->sim->report.problems;
  if (!run(p, &view)) return false;
  for (int k = 0; k < p->problem.size; ++k) p->best[k] = p->problem.origin[k] + p->problem.unit[k] * p->z[k];
  return ts_ecp_touches_hold(&p->problem, p->best);
}

// A starting point: the last step or free flight, points that count as one patch where their gaps differ by less than a
// share of the way of a step, and the face of the first part.
typedef struct start_point {
  bool flies;
  bool loaded; // joints bear what the guessed impulses make them bear; else nothing, to begin with
  double share;
  int face;
} start_point;

static bool start_from(island_problem *p, const start_point *from)
{
  const ts_sim *sim = p->s->step->sim;
  const ts_twist *there = from->flies ? sim->free_velocity : sim->old_velocity;
  if (from->flies)
    guess_from_flight(p, from->share);
  else
    guess_from_last_step(p, from->share);
  if (from->loaded) ts_ecp_respond(&p->problem, p->s->step, there, p->guesses, p->bounded, p->velocity, p->joints);
  const ts_ecp_start_point point = {.there = there,
                                    .guesses = p->guesses,
                                    .velocity = there,
                                    .joints = from->loaded ? p->joints : NULL,
                                    .bounded = from->loaded ? p->bounded : NULL,
                                    .skip = from->face};
  return ts_ecp_start(&p->problem, &point, p->z);
}

static bool search(island_problem *p)
{
  static const start_point points[] = {{.loaded = true, .share = 0.2},
                                       {.share = 0.2},
                                       {.flies = true, .share = 0.2},
                                       {.flies = true, .share = 2.0},
                                       {.share = 2.0},
                                       {.share = 0.2, .face = 1},
                                       {.flies = true, .share = 0.2, .face = 1},
                                       {.share = 0.2, .face = 2},
                                       {.flies = true, .share = 0.2, .face = 2}};
  if (p->s->hint) {
    guess_from_hint(p);
    const ts_twist *velocity = p->s->hint->velocity;
    return ts_ecp_start(&p->problem, &(ts_ecp_start_point){velocity, p->guesses, velocity, NULL, NULL, 0}, p->z) &&
           solve_from(p);
  }
  for (size_t k = p->problem.row_count > 0 ? 0 : 1; k < sizeof points / sizeof *points; ++k)
    if (start_from(p, &points[k]) && solve_from(p)) return true;
  return false;
}

static bool solve_island(mncp_step *s, int island)
{
  const ts_ecp_parts parts = {.step = s->step,
                              .end = &s->arrival->geometry,
                              .island = s->island,
                              .chosen = island,
                              .pairs = s->pairs,
                              .laws = s->laws,
                              .pair_count = s->pair_count};
  island_problem p = {.s = s, .parts = &parts};
  ts_arena *arena = s->step->arena;
  ts_ecp_build(&parts, arena, &p.problem);
  p.guesses = ts_arena_bytes(arena, (size_t)p.problem.contact_count, sizeof *p.guesses);
  p.z = ts_arena_zeros(arena, 2 * (size_t)p.problem.size);
  p.best = p.z + p.problem.size;
  p.velocity = ts_arena_bytes(arena, (size_t)s->step->sim->model->body_count, sizeof *p.velocity);
  p.joints = ts_arena_zeros(arena, (size_t)s->step->mobility.count);
  p.bounded = ts_arena_zeros(arena, (size_t)s->step->bounded_count);
  recall_rows(&p);
  p.speed = typical_speed(&p);
  ts_ecp_measure(&parts, p.speed, &p.problem);
  s->solution->unknowns += p.problem.size;
  if (!search(&p)) return false;
  ts_ecp_take(&p.problem, p.best, s->step->system.dimension, s->solution);
  return true;
}

// ---- the step ------------------------------------------------------------------------------------------------------

// Room for the solution, and what moves without it.
static void begin(mncp_step *s)
{
  ts_step *step = s->step;
  const size_t bodies = (size_t)step->sim->model->body_count, pairs = (size_t)s->pair_count;
  const size_t blocks = pairs + (size_t)step->bounded_count;
  ts_contact_set *contacts = &s->solution->contacts;
  *s->solution = (ts_ecp_solution){.residual = INFINITY};
  *contacts =
      (ts_contact_set){.count = s->pair_count, .capacity = s->pair_count, .companions = &step->sim->finder.companions};
  contacts->contacts = ts_arena_bytes(step->arena, pairs, sizeof *contacts->contacts);
  contacts->laws = ts_arena_bytes(step->arena, pairs, sizeof *contacts->laws);
  contacts->parts = ts_arena_bytes(step->arena, pairs, sizeof *contacts->parts);
  s->solution->r = ts_arena_zeros(step->arena, blocks * (size_t)step->system.dimension);
  s->solution->velocity = ts_arena_bytes(step->arena, bodies, sizeof *s->solution->velocity);
  memcpy(s->solution->velocity, step->sim->free_velocity, bodies * sizeof *s->solution->velocity);
}

static bool solve_islands(mncp_step *s)
{
  for (int b = 0; b < s->step->sim->model->body_count; ++b)
    if (s->island[b] == b && s->asks[b] && !solve_island(s, b)) return false;
  return true;
}

// Limits and motors with their bias, and points where the step may end.
static void assemble_start(mncp_step *s, const ts_contact_set *points)
{
  s->step->contacts = *points;
  ts_step_assemble(s->step);
  ts_step_bounded_bias(s->step, true);
  ts_arrival_look(s->arrival, s->step, s->step->sim->old_velocity, &s->before);
  ts_arrival_look(s->arrival, s->step, s->step->sim->free_velocity, &s->flown);
}

bool ts_ecp_step(ts_step *step, ts_arrival *arrival, const ts_contact_set *points, const double *joint_impulse,
                 const ts_ecp_hint *hint, ts_ecp_solution *solution)
{
  const ts_model *model = step->sim->model;
  const size_t bodies = (size_t)model->body_count;
  mncp_step s = {.step = step, .arrival = arrival, .hint = hint, .solution = solution};
  s.island = ts_arena_ints(step->arena, bodies);
  s.asks = ts_arena_bytes(step->arena, bodies, sizeof *s.asks);
  assemble_start(&s, points);
  take_pairs(&s, points);
  take_pairs(&s, &s.before);
  take_pairs(&s, &s.flown);
  if (hint) take_pairs(&s, hint->contacts);
  for (int round = 0; round < MOST_ROUNDS; ++round) {
    begin(&s);
    find_islands(&s);
    if (!solve_islands(&s)) return false;
    solution->residual = ts_ecp_residual(step, arrival, joint_impulse, solution);
    if (!(solution->residual <= step->sim->options.tolerance)) return false;
    ts_patch_set there = {.bounded = 0};
    ts_arrival_look(arrival, step, solution->velocity, &there.points);
    ts_patches_find(&there, step->arena);
    if (ts_pairs_overlap(&there.points, model, &arrival->geometry) <= TS_MOST_OVERLAP) {
      for (int k = 0; k < s.pair_count; ++k)
        solution->contacts.contacts[k].patch = ts_patches_dimension(&there, model, s.pairs[k]);
      return true;
    }
    take_pairs(&s, &there.points); // somebody has come who was not there
  }
  return false;
}
