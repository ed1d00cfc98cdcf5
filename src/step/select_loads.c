#include "step/select_loads.h"

#include "step/certify.h"
#include "step/solve.h"

#include "touchstone/certificate.h"

#include "base/hot.h"
#include "contact/wedged_loads.h"
#include "math/disjoint_sets.h"

#include <string.h>

// Islands of more blocks are not examined: their motion does not count as unique.
enum { MOST_BLOCKS = 32 };

static const double USED_UP = 0.1; // of friction that is left where a contact may slide, by a solve to the tolerance

// u = W r + q in block i. Returns the velocity that the tolerance leaves of its own data.
static double velocity_of(const ts_step *step, const ts_system *system, int i, const double *r, double *u)
{
  const ts_block_matrix *W = &system->problem.W;
  const size_t d = (size_t)system->dimension;
  double size = 0.0;
  memcpy(u, system->q + (size_t)i * d, d * sizeof *u);
  for (size_t k = 0; k < d; ++k) size = fmax(size, fabs(u[k]));
  for (int e = W->start[i]; e < W->start[i + 1]; ++e)
    for (size_t c = 0; c < d; ++c)
      for (size_t k = 0; k < d; ++k) u[k] += W->value[(size_t)e * d * d + c * d + k] * r[(size_t)W->index[e] * d + c];
  return 10.0 * step->sim->options.tolerance * size + 1e-14;
}

// True if block i, without load, is closed and moves along its tangents, as far as its own data show.
static bool slides_unloaded(const ts_step *step, const ts_system *system, int i, const double *r)
{
  double u[TS_MAX_DIMENSION];
  const double still = velocity_of(step, system, i, r, u);
  return still > 1e-14 && u[0] <= still;
}

// True if contact i may slide: its friction is used up, or it is closed without load.
TS_INLINE bool may_slide(const ts_step *step, const ts_system *system, int i, const double *r)
{
  const ts_block *block = &system->blocks[i];
  const int d = system->dimension;
  const double *p = r + (size_t)i * (size_t)d;
  if (block->kind != TS_BLOCK_CONTACT || !(block->friction > 0.0)) return false;
  if (p[0] > 0.0) return ts_block_uses_friction(block, system->problem.ellipsoid, i, d, p, 1.0 - USED_UP);
  return ts_system_is_complete(system) && slides_unloaded(step, system, i, r);
}

static bool any_may_slide(const ts_step *step, const ts_system *system, const double *r)
{
  for (int i = 0; i < system->count; ++i)
    if (may_slide(step, system, i, r)) return true;
  return false;
}

static bool island_may_slide(const ts_step *step, const ts_system *system, const int *blocks, int count,
                             const double *r)
{
  for (int n = 0; n < count; ++n)
    if (may_slide(step, system, blocks[n], r)) return true;
  return false;
}

// Blocks that W couples share an island, named by one of them.
static int *find_islands(const ts_system *system, ts_arena *arena)
{
  const ts_block_matrix *W = &system->problem.W;
  int *island = ts_arena_ints(arena, (size_t)system->count);
  for (int i = 0; i < system->count; ++i) island[i] = i;
  int islands = system->count; // the last row of a full W connects all
  for (int i = system->count - 1; islands > 1 && i > 0; --i)
    for (int k = W->start[i]; k < W->start[i + 1]; ++k)
      if (W->index[k] < i) islands -= ts_join_sets(island, i, W->index[k]);
  for (int i = 0; i < system->count; ++i) island[i] = ts_find_set(island, i);
  return island;
}

TS_INLINE void add_responses(const ts_block_matrix *W, const int *blocks, int count, const double *r, double *u,
                             const size_t d)
{
  for (int n = 0; n < count; ++n) {
    double *own = u + (size_t)blocks[n] * d, sum[4] = {0.0};
    memcpy(sum, own, d * sizeof *own);
    for (int e = W->start[blocks[n]]; e < W->start[blocks[n] + 1]; ++e) {
      const double *block = W->value + (size_t)e * d * d, *other = r + (size_t)W->index[e] * d;
      for (size_t c = 0; c < d; ++c)
        for (size_t k = 0; k < d; ++k) sum[k] += block[c * d + k] * other[c];
    }
    memcpy(own, sum, d * sizeof *own);
  }
}

// u = W r + q in the blocks listed.
static TS_HOT void set_velocities(const ts_system *system, const int *blocks, int count, const double *r, double *u)
{
  const ts_block_matrix *W = &system->problem.W;
  const size_t d = (size_t)system->dimension;
  for (int n = 0; n < count; ++n) memcpy(u + (size_t)blocks[n] * d, system->q + (size_t)blocks[n] * d, d * sizeof *u);
  if (d == 2) // a constant size lets the compiler unroll
    add_responses(W, blocks, count, r, u, 2);
  else if (d == 3)
    add_responses(W, blocks, count, r, u, 3);
  else
    add_responses(W, blocks, count, r, u, 4);
}

// Velocities that the tolerance leaves of the data of the blocks listed, loads that are given aside.
static double still_speed(const ts_step *step, const ts_system *system, const int *blocks, int count)
{
  const int d = system->dimension;
  double size = 0.0;
  for (int n = 0; n < count; ++n) {
    const bool given = system->blocks[blocks[n]].kind != TS_BLOCK_CONTACT;
    for (int k = given ? 1 : 0; k < d; ++k) size = fmax(size, fabs(system->q[blocks[n] * d + k]));
  }
  return 10.0 * fmin(step->sim->options.tolerance, step->sim->solve_options.tolerance) * size + 1e-14;
}

// Solve the group's problem with the declared loads by a solver, into r.
static bool solve_group(ts_step *step, const ts_loads *loads, const double *u, double *r)
{
  ts_sim *sim = step->sim;
  const size_t d = (size_t)step->system.dimension;
  const int *blocks;
  const ts_problem problem = ts_problem_friction(ts_loads_problem(loads, r, u, &blocks));
  const size_t count = (size_t)problem.friction.contacts;
  double *z = ts_arena_doubles(step->arena, count * d);
  for (size_t k = 0; k < count; ++k) memcpy(z + k * d, r + (size_t)blocks[k] * d, d * sizeof *z);
  ts_solve_options options = sim->solve_options;
  ts_report solve;
  memset(&solve, 0, offsetof(ts_report, trail));
  options.warm_start = true;
  options.velocity_error = 0.0;
  const char *solver = sim->report.solver;
  const bool solved = ts_sim_run_solver(sim, ts_solver_find("auto"), &problem, &options, z, &solve);
  sim->report.solver = solver;
  if (!solved) return false;
  for (size_t k = 0; k < count; ++k) memcpy(r + (size_t)blocks[k] * d, z + k * d, d * sizeof *z);
  return true;
}

typedef enum verdict { UNIQUE, SAME_MOTION, OTHER_MOTION } verdict;

// The verdict on the present loads. Other loads may lead to another motion if they are redundant, and there may be
// solutions that lie apart, in which sliding contacts stick.
static verdict judge(ts_loads *loads, bool redundant)
{
  if (redundant && !ts_loads_leave_motion(loads)) return OTHER_MOTION;
  if (ts_loads_may_wedge(loads) || ts_loads_may_stick(loads)) return OTHER_MOTION;
  return redundant ? SAME_MOTION : UNIQUE;
}

// The declared loads of a group, into r; where Newton's method does not reach them a solver leads there.
static verdict select_of_sliding(ts_step *step, const ts_load_group *group, double *u, double *r)
{
  enum { TRIALS = 3 };
  const size_t rows = (size_t)group->system->count * (size_t)group->system->dimension;
  ts_loads *loads = ts_loads_find(group, r, u, step->arena);
  if (!loads) return UNIQUE;
  const bool redundant = ts_loads_are_redundant(loads);
  if (group->polygon || !redundant) return judge(loads, redundant);
  double *found = ts_arena_doubles(step->arena, rows);
  memcpy(found, r, rows * sizeof *found);
  for (int trial = 0; loads && ts_loads_are_redundant(loads) && trial < TRIALS; ++trial) {
    if (ts_loads_select(loads)) {
      ts_loads_write(loads, r);
      return judge(loads, true); // some may have been left out
    }
    if (!solve_group(step, loads, u, found)) break;
    set_velocities(group->system, group->blocks, group->count, found, u);
    memcpy(r, found, rows * sizeof *r);
    loads = ts_loads_find(group, r, u, step->arena);
  }
  return OTHER_MOTION;
}

// True if a loaded contact of the group has no more than a tenth of its friction left.
static bool uses_friction_up(const ts_load_group *group, const double *r)
{
  const ts_system *system = group->system;
  const int d = system->dimension;
  for (int n = 0; n < group->count; ++n) {
    const int i = group->blocks[n];
    const ts_block *block = &system->blocks[i];
    const double *p = r + (size_t)i * (size_t)d;
    const bool rubs = block->kind == TS_BLOCK_CONTACT && block->friction > 0.0 && p[0] > 0.0;
    if (rubs && ts_block_uses_friction(block, system->problem.ellipsoid, i, d, p, 1.0 - USED_UP)) return true;
  }
  return false;
}

// A group that sticks with its friction used up: with the declared normal loads it may slide. The motion counts as
// unique if it sticks with these, too, and friction is left; least forces at rest (settle.h) are then chosen from r.
static verdict select_of_stuck(ts_step *step, const ts_load_group *group, double *u, double *r)
{
  const ts_system *system = group->system;
  const size_t rows = (size_t)system->count * (size_t)system->dimension;
  ts_loads *loads = ts_loads_find_stuck(group, r, u, step->arena);
  if (!loads) return UNIQUE;
  double *found = ts_arena_doubles(step->arena, rows);
  memcpy(found, r, rows * sizeof *found);
  if (ts_loads_select(loads)) {
    ts_loads_write(loads, found);
    return uses_friction_up(group, found) ? OTHER_MOTION : SAME_MOTION;
  }
  loads = ts_loads_find_stuck(group, r, u, step->arena);
  if (group->polygon || !solve_group(step, loads, u, found)) return OTHER_MOTION;
  set_velocities(system, group->blocks, group->count, found, u);
  const ts_loads *sliding = ts_loads_find(group, found, u, step->arena);
  if (sliding && ts_loads_are_redundant(sliding)) {
    memcpy(r, found, rows * sizeof *r);
    select_of_sliding(step, group, u, r);
  }
  return OTHER_MOTION;
}

static verdict select_of_group(ts_step *step, const ts_load_group *group, double *u, double *r)
{
  verdict found = select_of_stuck(step, group, u, r);
  if (found == UNIQUE) found = select_of_sliding(step, group, u, r);
  return found;
}

static void report_verdict(ts_step *step, verdict found)
{
  ts_step_report *report = &step->sim->report;
  if (found != UNIQUE) report->impulses_unique = false;
  if (found == OTHER_MOTION) report->unique = false;
}

// True if r is certified as the solution before it was.
static bool is_certified(ts_step *step, const ts_system *system, const double *r)
{
  ts_sim *sim = step->sim;
  ts_friction_measures measures;
  const double residual = ts_step_certify(step, system, r, &measures);
  if (!(residual <= fmax(sim->report.residual, sim->options.tolerance))) return false;
  sim->report.residual = fmax(sim->report.residual, residual);
  sim->report.velocity_error = fmax(sim->report.velocity_error, measures.velocity_error);
  sim->report.length_error = fmax(sim->report.length_error, step->h * measures.velocity_error);
  sim->report.cone_violation = fmax(sim->report.cone_violation, measures.cone_violation);
  return true;
}

// Blocks in the order of their islands, into `blocks`; `start` (blocks+1) has where each island begins. Returns how
// many islands there are.
static int sort_by_island(const ts_system *system, ts_arena *arena, int *blocks, int *start)
{
  const int count = system->count, *island = find_islands(system, arena);
  int *number = ts_arena_ints(arena, (size_t)count), islands = 0;
  for (int i = 0; i < count; ++i)
    if (island[i] == i) number[i] = islands++;
  memset(start, 0, ((size_t)count + 1) * sizeof *start);
  for (int i = 0; i < count; ++i) ++start[number[island[i]] + 1];
  for (int k = 0; k < islands; ++k) start[k + 1] += start[k];
  for (int i = 0; i < count; ++i) blocks[start[number[island[i]]]++] = i;
  for (int k = islands; k > 0; --k) start[k] = start[k - 1]; // each has moved to the start of the next
  start[0] = 0;
  return islands;
}

// Select in the blocks of an island.
static void select_of_island(ts_step *step, const ts_system *system, const int *blocks, int count, double *r)
{
  const size_t rows = (size_t)system->count * (size_t)system->dimension;
  const ts_sim *sim = step->sim;
  if (count < 2 || !island_may_slide(step, system, blocks, count, r)) return;
  if (count > MOST_BLOCKS) {
    report_verdict(step, OTHER_MOTION);
    return;
  }
  const ts_arena_mark mark = ts_arena_save(step->arena);
  double *u = ts_arena_doubles(step->arena, 2 * rows), *selected = u + rows;
  const ts_load_group group = {.system = system,
                               .blocks = blocks,
                               .count = count,
                               .still = still_speed(step, system, blocks, count),
                               .polygon = sim->options.cone == TS_CONE_POLYHEDRAL && system->dimension > 2};
  set_velocities(system, blocks, count, r, u);
  memcpy(selected, r, rows * sizeof *selected);
  const verdict found = select_of_group(step, &group, u, selected);
  const bool changed = found != UNIQUE && !group.polygon;
  const bool taken = changed && is_certified(step, system, selected);
  if (taken) memcpy(r, selected, rows * sizeof *r);
  report_verdict(step, changed && !taken ? OTHER_MOTION : found);
  ts_arena_restore(step->arena, mark);
}

// True if contact i moves along its tangents, or would without impulses.
static bool moves_along(const ts_step *step, const ts_system *system, int i, const double *r)
{
  double u[TS_MAX_DIMENSION], slip = 0.0;
  const double still = velocity_of(step, system, i, r, u), *free = system->q + i * system->dimension;
  for (int k = 1; k < system->dimension; ++k) slip = fmax(slip, fmax(fabs(u[k]), fabs(free[k])));
  return slip > still;
}

// True if friction closes a contact that moves along its tangents, loaded or not, or nearly closes one with its
// impulse.
static bool any_closes_itself(const ts_step *step, const ts_system *system, const double *r)
{
  for (int i = 0; i < system->count; ++i) {
    const ts_self_closing worst = ts_contact_closes_itself(system, i);
    if (worst == TS_OPENS_ITSELF) continue;
    const bool may = worst == TS_MAY_CLOSE_ITSELF || ts_friction_closes(system, i, r + i * system->dimension);
    if (may && moves_along(step, system, i, r)) return true;
  }
  return false;
}

void ts_step_select_loads(ts_step *step, const ts_system *system, double *r)
{
  const ts_step_report *report = &step->sim->report;
  if (report->certified && ts_system_is_complete(system) && any_closes_itself(step, system, r))
    step->sim->report.unique = false;
  if (system->count < 2) return;
  const bool may_slide_here = any_may_slide(step, system, r);
  step->may_slide = step->may_slide || may_slide_here;
  if (!may_slide_here || !report->certified || step->sprung) return;
  if (report->within_length > 0 || !ts_system_is_complete(system)) { // there is no solution yet to choose among
    report_verdict(step, OTHER_MOTION);
    return;
  }
  const ts_arena_mark mark = ts_arena_save(step->arena);
  const size_t count = (size_t)system->count;
  int *blocks = ts_arena_ints(step->arena, 2 * count + 1), *start = blocks + count;
  const int islands = sort_by_island(system, step->arena, blocks, start);
  for (int k = 0; k < islands; ++k) select_of_island(step, system, blocks + start[k], start[k + 1] - start[k], r);
  ts_arena_restore(step->arena, mark);
}
