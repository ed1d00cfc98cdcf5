#include "step/certify.h"

#include "step/force_limits.h"

#include "complementarity/problem/friction_measures.h"
#include "complementarity/solver.h"
#include "math/finite.h"
#include "math/quad.h"

#include <math.h>
#include <string.h>

// Diagonal entries of J M^-1 J^T, those of all rows of a block at once, from one side. Rows that it does not have are
// 0.
TS_INLINE ts_quad compliances(const ts_row_block *rows, double inverse_mass, const ts_mat3 *inverse_inertia)
{
  const ts_mat3 *I = inverse_inertia;
  const ts_quad u = TS_CONST_QUAD(rows->linear[0]), v = TS_CONST_QUAD(rows->linear[1]),
                w = TS_CONST_QUAD(rows->linear[2]), x = TS_CONST_QUAD(rows->angular[0]),
                y = TS_CONST_QUAD(rows->angular[1]), z = TS_CONST_QUAD(rows->angular[2]);
  return (u * u + v * v + w * w) * inverse_mass + x * (x * I->x.x + y * I->y.x + z * I->z.x) +
         y * (x * I->x.y + y * I->y.y + z * I->z.y) + z * (x * I->x.z + y * I->y.z + z * I->z.z);
}

// Trace of a block in the units of its ellipsoid.
TS_INLINE double trace_of(const ts_system *system, int i)
{
  const ts_block *block = &system->blocks[i];
  const double *axes = system->problem.ellipsoid;
  ts_quad sum = {0.0, 0.0, 0.0, 0.0};
  for (int side = 0; side < 2; ++side)
    if (block->body[side] >= 0)
      sum += compliances(&system->jacobian[2 * i + side], system->model->bodies[block->body[side]].inverse_mass,
                         &system->kinematics->inverse_inertia[block->body[side]]);
  for (int k = 1; axes && k < system->dimension; ++k) {
    const double e = axes[i * (system->dimension - 1) + k - 1];
    sum[k] *= e * e;
  }
  return ts_quad_sum(sum);
}

typedef struct trace_task {
  const ts_system *system;
  double *trace;
} trace_task;

TS_HOT static void set_traces(void *argument, int first, int end)
{
  const trace_task *task = argument;
  for (int i = first; i < end; ++i) task->trace[i] = trace_of(task->system, i);
}

// u = J M^-1 J^T r + q.
static double *velocities_by(const ts_step *step, const ts_system *system, const double *r)
{
  const size_t bodies = (size_t)system->model->body_count, rows = (size_t)system->count * (size_t)system->dimension;
  ts_twist *v = ts_arena_bytes(step->arena, bodies, sizeof *v);
  double *u = ts_arena_doubles(step->arena, rows);
  memset(v, 0, bodies * sizeof *v);
  ts_system_apply(system, r, v, NULL, step->arena);
  ts_system_velocity(system, v, u);
  for (size_t k = 0; k < rows; ++k) u[k] += system->q[k];
  return u;
}

double ts_step_certify(const ts_step *step, const ts_system *system, const double *r, ts_friction_measures *measures)
{
  const size_t rows = (size_t)system->count * (size_t)system->dimension;
  if (ts_system_is_complete(system)) {
    const ts_problem problem = ts_problem_friction(system->problem);
    return ts_certify(&problem, r, step->sim->team, step->arena, measures);
  }
  *measures = (ts_friction_measures){0};
  if (!ts_all_finite(r, rows)) return measures->scaled = measures->fclib = NAN;
  const ts_arena_mark mark = ts_arena_save(step->arena);
  trace_task task = {system, ts_arena_doubles(step->arena, (size_t)system->count)};
  ts_team_loop(system->team, system->count, TS_SHARE_OF_BLOCKS, set_traces, &task);
  ts_measure_friction_at(&system->problem, r, velocities_by(step, system, r), task.trace, step->sim->team, step->arena,
                         measures);
  ts_arena_restore(step->arena, mark);
  return measures->scaled;
}

// ---- with force limits ---------------------------------------------------------------------------------------------

// Impulses r of the blocks of `island`, which are some of the system's, in the step's arena.
static double *part_of(const ts_step *step, const ts_system *island, const double *r)
{
  const size_t d = (size_t)island->dimension;
  double *part = ts_arena_doubles(step->arena, (size_t)island->count * d);
  for (size_t i = 0; i < (size_t)island->count; ++i) {
    const size_t from = island->origin ? (size_t)island->origin[i] : i;
    memcpy(part + i * d, r + from * d, d * sizeof *part);
  }
  return part;
}

static double certify_lowered(const ts_step *step, ts_system *island, double *r, ts_friction_measures *measures)
{
  const ts_force_limits limits = ts_force_limits_begin(island, NULL, true, r, step->arena);
  const double residual = ts_step_certify(step, island, r, measures);
  ts_force_limits_end(&limits, r);
  return residual;
}

static void take_worst(const ts_friction_measures *of, ts_friction_measures *worst)
{
  worst->scaled = fmax(worst->scaled, of->scaled);
  worst->fclib = fmax(worst->fclib, of->fclib);
  worst->velocity_error = fmax(worst->velocity_error, of->velocity_error);
  worst->cone_violation = fmax(worst->cone_violation, of->cone_violation);
}

static void certify_island(const ts_step *step, ts_system *island, const double *before, const double *after,
                           ts_friction_measures *worst)
{
  const size_t rows = (size_t)island->count * (size_t)island->dimension;
  const ts_sim *sim = step->sim;
  double *from = part_of(step, island, before), *to = part_of(step, island, after);
  if (memcmp(from, to, rows * sizeof *to) == 0) return;
  ts_friction_measures own, old;
  own.scaled = certify_lowered(step, island, to, &own);
  if (!(own.scaled <= sim->options.tolerance) && own.scaled <= certify_lowered(step, island, from, &old)) {
    own.scaled = fmin(own.scaled, sim->report.residual);
    own.fclib = fmin(own.fclib, own.scaled);
  }
  if (isnan(own.scaled)) own.scaled = INFINITY;
  take_worst(&own, worst);
}

double ts_step_certify_exchange(const ts_step *step, const double *before, const double *after,
                                ts_friction_measures *measures)
{
  if (!ts_system_has_force_limits(&step->system)) return ts_step_certify(step, &step->system, after, measures);
  *measures = (ts_friction_measures){0};
  const ts_arena_mark mark = ts_arena_save(step->arena);
  ts_system whole = step->system;
  ts_islands islands;
  ts_islands_find(&whole.problem, step->arena, &islands);
  if (islands.count == 1) certify_island(step, &whole, before, after, measures);
  for (int k = 0; islands.count > 1 && k < islands.count; ++k) {
    const ts_arena_mark own = ts_arena_save(step->arena);
    ts_system island;
    ts_system_island(&step->system, &islands, k, step->arena, &island);
    certify_island(step, &island, before, after, measures);
    ts_arena_restore(step->arena, own);
  }
  ts_arena_restore(step->arena, mark);
  return measures->scaled;
}
