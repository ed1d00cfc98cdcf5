#include "contact/system.h"

#include "contact/compliance.h"
#include "contact/law.h"

#include "math/quad.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static int dynamic_body(const ts_model *model, int body)
{
  return body >= 0 && model->bodies[body].kind == TS_DYNAMIC ? body : -1;
}

// Number of rows of a block: n t in the plane, n t o in space and of supports, n t o r with torsional friction.
static int block_dimension(const ts_model *model)
{
  return model->freedoms->contact_rows + model->spins;
}

// Rows that a contact acts with. Parts that lie in a plane have no tangent across it, nor a spin.
static unsigned contact_rows_of_law(const ts_model *model, const ts_contact_law *law, int dimension)
{
  return ts_is_flat(model->freedoms) ? 3u : ts_law_rows(law, dimension);
}

static void create_arrays(ts_system *system, int count, ts_arena *arena)
{
  const size_t rows = (size_t)count * (size_t)system->dimension;
  system->count = count;
  system->blocks = ts_arena_bytes(arena, (size_t)count, sizeof *system->blocks);
  system->jacobian = ts_arena_bytes(arena, 2 * (size_t)count, sizeof *system->jacobian);
  system->response = ts_arena_bytes(arena, 2 * (size_t)count, sizeof *system->response);
  system->q = ts_arena_doubles(arena, rows);
}

static void set_row(ts_row_block *rows, int r, ts_twist row)
{
  const double linear[3] = {row.linear.x, row.linear.y, row.linear.z};
  const double angular[3] = {row.angular.x, row.angular.y, row.angular.z};
  for (int k = 0; k < 3; ++k) {
    rows->linear[k][r] = linear[k];
    rows->angular[k][r] = angular[k];
  }
}

// Rows n, t, o of the relative velocity of body_1 at the contact's point, and its spin about n, on one side. All rows
// of a component at once: they are read so too, and a processor waits for numbers that are read wider than written.
TS_INLINE void contact_rows_on(ts_row_block *rows, const ts_contact *contact, ts_vec3 arm, double sign, bool other,
                               bool spin)
{
  const ts_vec3 n = ts_scale(sign, contact->normal), t = ts_scale(sign, contact->tangent),
                o = ts_scale(other ? sign : 0.0, contact->other), about = ts_scale(spin ? 1.0 : 0.0, n);
  const ts_quad x = {n.x, t.x, o.x, 0.0}, y = {n.y, t.y, o.y, 0.0}, z = {n.z, t.z, o.z, 0.0};
  TS_QUAD(rows->linear[0]) = x;
  TS_QUAD(rows->linear[1]) = y;
  TS_QUAD(rows->linear[2]) = z;
  TS_QUAD(rows->angular[0]) = z * arm.y - y * arm.z + (ts_quad){0.0, 0.0, 0.0, about.x};
  TS_QUAD(rows->angular[1]) = x * arm.z - z * arm.x + (ts_quad){0.0, 0.0, 0.0, about.y};
  TS_QUAD(rows->angular[2]) = y * arm.x - x * arm.y + (ts_quad){0.0, 0.0, 0.0, about.z};
}

TS_INLINE void contact_rows(ts_system *system, int i, const ts_contact *contact, const ts_contact_law *law)
{
  const int d = system->dimension;
  const unsigned active = contact_rows_of_law(system->model, law, d);
  const bool other = (active & 4u) != 0, spin = (active & 8u) != 0;
  const ts_block block = {
      .kind = TS_BLOCK_CONTACT,
      .source = i,
      .body = {dynamic_body(system->model, contact->body_1), dynamic_body(system->model, contact->body_2)},
      .active = active,
      .friction = contact->friction};
  system->blocks[i] = block;
  if (block.body[0] >= 0) contact_rows_on(&system->jacobian[2 * i], contact, contact->arm_1, 1.0, other, spin);
  if (block.body[1] >= 0) contact_rows_on(&system->jacobian[2 * i + 1], contact, contact->arm_2, -1.0, other, spin);
}

typedef struct row_task {
  ts_system *system;
  const ts_contact_set *contacts;
} row_task;

TS_HOT static void contact_rows_of(void *argument, int first, int end)
{
  const row_task *task = argument;
  const ts_contact_set *contacts = task->contacts;
  for (int i = first; i < end; ++i) contact_rows(task->system, i, &contacts->contacts[i], contacts->laws[i]);
}

TS_HOT static void all_contact_rows(ts_system *system, const ts_contact_set *contacts)
{
  const int count = contacts->count;
  if (ts_team_pays(system->team, count, TS_SHARE_OF_BLOCKS)) {
    row_task task = {system, contacts};
    ts_team_split(system->team, count, TS_SHARE_OF_BLOCKS, contact_rows_of, &task);
    return;
  }
  for (int i = 0; i < count; ++i) contact_rows(system, i, &contacts->contacts[i], contacts->laws[i]);
}

// Both tangents of a support, along x and y, and its spin.
static void support_rows(ts_system *system, int i, const ts_bounded_row *bounded, int source)
{
  const bool spin = system->dimension == 4 && ts_law_resists_spin(&bounded->support->law);
  const int body = bounded->row.body[0];
  system->blocks[i] = (ts_block){.kind = TS_BLOCK_SUPPORT,
                                 .source = source,
                                 .body = {body, -1},
                                 .active = spin ? 14u : 6u,
                                 .friction = bounded->support->law.friction};
  ts_row_block *rows = &system->jacobian[2 * i];
  *rows = (ts_row_block){0};
  set_row(rows, 1, bounded->row.jacobian[0]);
  set_row(rows, 2, (ts_twist){{0.0, 1.0, 0.0}, {0.0, 0.0, bounded->arm.x}});
  if (spin) set_row(rows, 3, (ts_twist){{0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}});
}

// A limit takes the block's normal, a motor its first tangent.
static void bounded_rows(ts_system *system, int i, const ts_bounded_row *bounded, int source)
{
  if (bounded->support) {
    support_rows(system, i, bounded, source);
    return;
  }
  ts_block *block = &system->blocks[i];
  const bool limit = bounded->lower >= 0.0;
  const int row = limit ? 0 : 1;
  *block = (ts_block){
      .kind = limit ? TS_BLOCK_LIMIT : TS_BLOCK_MOTOR,
      .source = source,
      .body = {dynamic_body(system->model, bounded->row.body[0]), dynamic_body(system->model, bounded->row.body[1])},
      .active = 1u << row,
      .friction = limit ? 0.0 : 1.0};
  for (int side = 0; side < 2; ++side) {
    if (block->body[side] < 0) continue;
    system->jacobian[2 * i + side] = (ts_row_block){0};
    set_row(&system->jacobian[2 * i + side], row, bounded->row.jacobian[side]);
  }
}

static double *diagonal_entry(const ts_system *system, int block, int row)
{
  const ts_block_matrix *W = &system->problem.W;
  const int d = system->dimension;
  int k = W->start[block];
  while (W->index[k] != block) ++k;
  return (double *)&W->value[(size_t)k * (size_t)(d * d) + (size_t)(row * d + row)]; // ours, from the arena
}

// The law of a block that rubs, or NULL.
static const ts_contact_law *law_of_block(const ts_system *system, const ts_contact_set *contacts,
                                          const ts_bounded_row *bounded, int i)
{
  const ts_block *block = &system->blocks[i];
  if (block->kind == TS_BLOCK_CONTACT || block->kind == TS_BLOCK_REBOUND) return contacts->laws[block->source];
  return block->kind == TS_BLOCK_SUPPORT ? &bounded[block->source].support->law : NULL;
}

static void set_friction(ts_system *system, const ts_contact_set *contacts, const ts_bounded_row *bounded,
                         ts_arena *arena)
{
  const int d = system->dimension;
  double *mu = ts_arena_doubles(arena, (size_t)system->count);
  bool round = true;
  for (int i = 0; i < system->count; ++i) {
    mu[i] = system->blocks[i].friction;
    const ts_contact_law *law = law_of_block(system, contacts, bounded, i);
    if (law) round = round && law->ellipsoid.x == 1.0 && law->ellipsoid.y == 1.0 && d < 4;
  }
  system->problem.mu = mu;
  system->problem.ellipsoid = NULL;
  if (round) return;
  double *axes = ts_arena_doubles(arena, (size_t)system->count * (size_t)(d - 1));
  for (int i = 0; i < system->count; ++i) {
    const ts_contact_law *law = law_of_block(system, contacts, bounded, i);
    const ts_vec3 e = law ? ts_law_semi_axes(law) : (ts_vec3){1.0, 1.0, 1.0};
    const double semi[3] = {e.x, e.y, e.z};
    memcpy(axes + (size_t)i * (size_t)(d - 1), semi, (size_t)(d - 1) * sizeof *axes);
  }
  system->problem.ellipsoid = axes;
}

// All but W and friction: without blocks that is all there is.
static void describe_problem(ts_system *system)
{
  static const int no_blocks[] = {0};
  system->problem.W = (ts_block_matrix){.block = system->dimension, .start = no_blocks};
  system->problem.dimension = system->dimension;
  system->problem.contacts = system->count;
  system->problem.bilaterals = 0;
  system->problem.q = system->q;
  system->problem.bodies = NULL;
}

double ts_system_diagonal(const ts_system *system, int block, int row)
{
  return *diagonal_entry(system, block, row);
}

double ts_system_mean_compliance(const ts_system *system, int block)
{
  double trace = 0.0;
  for (int k = 0; k < system->dimension; ++k) trace += ts_system_diagonal(system, block, k);
  return trace / system->dimension;
}

double ts_system_data_energy(const ts_system *system, int block)
{
  const double *q = system->q + (size_t)block * (size_t)system->dimension;
  double sum = 0.0, w = NAN;
  for (int k = ts_block_has_given_normal(&system->blocks[block]) ? 1 : 0; k < system->dimension; ++k) {
    if (q[k] == 0.0) continue;
    if (isnan(w)) w = ts_system_mean_compliance(system, block);
    if (w > 0.0) sum += q[k] * q[k] / w;
  }
  return sum;
}

void ts_system_describe(const ts_model *model, const ts_kinematics *kinematics, const ts_contact_set *contacts,
                        const ts_bounded_row *bounded, int bounded_count, const ts_mobility *mobility, ts_team *team,
                        ts_arena *arena, ts_system *system)
{
  *system = (ts_system){.model = model, .kinematics = kinematics, .mobility = mobility, .team = team};
  system->dimension = block_dimension(model);
  if (contacts->count + bounded_count == 0) {
    describe_problem(system);
    return;
  }
  create_arrays(system, contacts->count + bounded_count, arena);
  all_contact_rows(system, contacts);
  for (int k = 0; k < bounded_count; ++k) bounded_rows(system, contacts->count + k, &bounded[k], k);
  describe_problem(system);
  set_friction(system, contacts, bounded, arena);
}

// Idle rows of a block that acts along one row have the compliance of bodies without joints. Where joints make the row
// far stiffer they get its own: the scale of the block's velocities is the mean of its rows, and would hide them.
static void stiffen_idle_rows(const ts_system *system, int block)
{
  static const double FAR = 100.0;  // below that the scale stays as it is
  static const double HELD = 1e-12; // of the compliance without joints: what joints hold is round-off
  const unsigned active = system->blocks[block].active;
  const int row = active == 1u ? 0 : 1;
  const double own = *diagonal_entry(system, block, row);
  if (active >> row != 1u || !(own > HELD * ts_unconstrained_compliance(system, block, row))) return;
  for (int r = 0; r < system->dimension; ++r) {
    double *idle = diagonal_entry(system, block, r);
    if (r != row && *idle > FAR * own) *idle = own;
  }
}

void ts_system_complete(ts_system *system, const ts_bounded_row *bounded, int bounded_count, ts_arena *arena)
{
  if (ts_system_is_complete(system)) return;
  const int first = system->count - bounded_count;
  ts_compliance_assemble(system, arena);
  for (int k = 0; k < bounded_count; ++k) // a soft row gives way in proportion to its impulse
    *diagonal_entry(system, first + k, bounded[k].lower >= 0.0 ? 0 : 1) += bounded[k].softness;
  for (int k = 0; k < bounded_count; ++k) stiffen_idle_rows(system, first + k);
}

void ts_system_assemble(const ts_model *model, const ts_kinematics *kinematics, const ts_contact_set *contacts,
                        const ts_bounded_row *bounded, int bounded_count, const ts_mobility *mobility, ts_team *team,
                        ts_arena *arena, ts_system *system)
{
  ts_system_describe(model, kinematics, contacts, bounded, bounded_count, mobility, team, arena, system);
  ts_system_complete(system, bounded, bounded_count, arena);
}

// The block of friction that a recovered normal impulse allows: tangents of its contact, and a normal that acts on
// nothing.
static void rebound_rows(ts_system *rebound, int i, const ts_system *system, int contact)
{
  rebound->blocks[i] = system->blocks[contact];
  rebound->blocks[i].kind = TS_BLOCK_REBOUND;
  rebound->blocks[i].active &= ~1u;
  for (int side = 0; side < 2; ++side) {
    if (system->blocks[contact].body[side] < 0) continue;
    rebound->jacobian[2 * i + side] = system->jacobian[2 * contact + side];
    set_row(&rebound->jacobian[2 * i + side], 0, (ts_twist){0});
  }
}

void ts_system_assemble_rebound(const ts_system *system, const ts_contact_set *contacts, const ts_bounded_row *bounded,
                                const double *recovered, ts_arena *arena, ts_system *rebound)
{
  int count = system->count;
  for (int i = 0; i < system->count; ++i)
    if (system->blocks[i].kind == TS_BLOCK_CONTACT && recovered[i] > 0.0) ++count;
  *rebound = *system;
  create_arrays(rebound, count, arena);
  memcpy(rebound->blocks, system->blocks, (size_t)system->count * sizeof *rebound->blocks);
  memcpy(rebound->jacobian, system->jacobian, 2 * (size_t)system->count * sizeof *rebound->jacobian);
  int next = system->count;
  for (int i = 0; i < system->count; ++i)
    if (system->blocks[i].kind == TS_BLOCK_CONTACT && recovered[i] > 0.0) rebound_rows(rebound, next++, system, i);
  describe_problem(rebound);
  ts_compliance_assemble(rebound, arena);
  set_friction(rebound, contacts, bounded, arena);
  for (int i = contacts->count; i < system->count; ++i) // bounded rows are as soft as they were
    for (int row = 0; row < system->dimension; ++row)
      *diagonal_entry(rebound, i, row) = *diagonal_entry(system, i, row);
}

TS_INLINE void add_velocity(const ts_row_block *rows, const ts_twist *v, ts_quad *u)
{
  *u += TS_CONST_QUAD(rows->linear[0]) * v->linear.x + TS_CONST_QUAD(rows->linear[1]) * v->linear.y +
        TS_CONST_QUAD(rows->linear[2]) * v->linear.z;
  *u += TS_CONST_QUAD(rows->angular[0]) * v->angular.x + TS_CONST_QUAD(rows->angular[1]) * v->angular.y +
        TS_CONST_QUAD(rows->angular[2]) * v->angular.z;
}

TS_INLINE void velocities(const ts_system *system, const ts_twist *velocity, int first, int end, double *u, const int d)
{
  for (int i = first; i < end; ++i) {
    const int *body = system->blocks[i].body;
    ts_quad sum = {0};
    for (int side = 0; side < 2; ++side)
      if (body[side] >= 0) add_velocity(&system->jacobian[2 * i + side], &velocity[body[side]], &sum);
    for (int r = 0; r < d; ++r) u[i * d + r] = sum[r];
  }
}

TS_INLINE void some_velocities(const ts_system *system, const ts_twist *velocity, int first, int end, double *u)
{
  switch (system->dimension) { // a constant dimension lets the compiler unroll
  case 2:
    velocities(system, velocity, first, end, u, 2);
    break;
  case 3:
    velocities(system, velocity, first, end, u, 3);
    break;
  default:
    velocities(system, velocity, first, end, u, 4);
  }
}

typedef struct velocity_task {
  const ts_system *system;
  const ts_twist *velocity;
  double *u;
} velocity_task;

TS_HOT static void velocities_of(void *argument, int first, int end)
{
  const velocity_task *task = argument;
  some_velocities(task->system, task->velocity, first, end, task->u);
}

TS_HOT void ts_system_velocity(const ts_system *system, const ts_twist *velocity, double *u)
{
  if (ts_team_pays(system->team, system->count, 2 * TS_SHARE_OF_BLOCKS)) {
    velocity_task task = {system, velocity, u};
    ts_team_split(system->team, system->count, 2 * TS_SHARE_OF_BLOCKS, velocities_of, &task);
    return;
  }
  some_velocities(system, velocity, 0, system->count, u);
}

// The wrench of the impulses r of blocks [first, end), which act on one body with the given side. It is added up row by
// row; the rows come together at the end.
TS_INLINE ts_wrench wrench_of(const ts_system *system, int first, int end, int side, const double *r, const int d)
{
  ts_quad force[3] = {{0}}, moment[3] = {{0}};
  for (int i = first; i < end; ++i) {
    const ts_row_block *rows = &system->jacobian[2 * i + side];
    const double *p = r + (size_t)i * (size_t)d;
    const ts_quad impulse = {p[0], p[1], d > 2 ? p[2] : 0.0, d > 3 ? p[3] : 0.0};
    for (int k = 0; k < 3; ++k) {
      force[k] += TS_CONST_QUAD(rows->linear[k]) * impulse;
      moment[k] += TS_CONST_QUAD(rows->angular[k]) * impulse;
    }
  }
  return (ts_wrench){{ts_quad_sum(force[0]), ts_quad_sum(force[1]), ts_quad_sum(force[2])},
                     {ts_quad_sum(moment[0]), ts_quad_sum(moment[1]), ts_quad_sum(moment[2])}};
}

// Behind the last of the blocks from `first` on that act on the same bodies as it does.
static int run_end(const ts_system *system, int first)
{
  const int *body = system->blocks[first].body;
  int end = first + 1;
  while (end < system->count && system->blocks[end].body[0] == body[0] && system->blocks[end].body[1] == body[1]) ++end;
  return end;
}

// Bodies [begin, behind) alone: whoever they are shared among goes through all blocks, so that pushes on a body come in
// their order.
TS_INLINE void push_bodies(const ts_system *system, const double *r, int begin, int behind, ts_twist *velocity,
                           const int d)
{
  for (int first = 0, end; first < system->count; first = end) {
    end = run_end(system, first);
    for (int side = 0; side < 2; ++side) {
      const int body = system->blocks[first].body[side];
      if (body < begin || body >= behind) continue;
      const ts_wrench wrench = wrench_of(system, first, end, side, r, d);
      velocity[body] =
          ts_twist_add_scaled(velocity[body], 1.0, ts_respond(system->model, system->kinematics, body, wrench));
    }
  }
}

TS_INLINE void push_some(const ts_system *system, const double *r, int begin, int behind, ts_twist *velocity)
{
  switch (system->dimension) { // a constant dimension lets the compiler unroll
  case 2:
    push_bodies(system, r, begin, behind, velocity, 2);
    break;
  case 3:
    push_bodies(system, r, begin, behind, velocity, 3);
    break;
  default:
    push_bodies(system, r, begin, behind, velocity, 4);
  }
}

typedef struct push_task {
  const ts_system *system;
  const double *r;
  ts_twist *velocity;
} push_task;

TS_HOT static void push_bodies_of(void *argument, int begin, int behind)
{
  const push_task *task = argument;
  push_some(task->system, task->r, begin, behind, task->velocity);
}

TS_HOT static void add_responses(const ts_system *system, const double *r, ts_twist *velocity)
{
  if (ts_team_pays(system->team, system->count, 2 * TS_SHARE_OF_BLOCKS)) {
    push_task task = {system, r, velocity};
    ts_team_split(system->team, system->model->body_count, 1, push_bodies_of, &task);
    return;
  }
  push_some(system, r, 0, INT_MAX, velocity);
}

// The impulses of the blocks, one a body and run of blocks on the same bodies. Returns how many.
TS_INLINE int collect_pushes_of(const ts_system *system, const double *r, ts_body_push *pushes, const int d)
{
  int count = 0;
  for (int first = 0, end; first < system->count; first = end) {
    end = run_end(system, first);
    for (int side = 0; side < 2; ++side) {
      const int body = system->blocks[first].body[side];
      if (body >= 0) pushes[count++] = (ts_body_push){body, wrench_of(system, first, end, side, r, d)};
    }
  }
  return count;
}

TS_HOT static int collect_pushes(const ts_system *system, const double *r, ts_body_push *pushes)
{
  switch (system->dimension) { // a constant dimension lets the compiler unroll
  case 2:
    return collect_pushes_of(system, r, pushes, 2);
  case 3:
    return collect_pushes_of(system, r, pushes, 3);
  default:
    return collect_pushes_of(system, r, pushes, 4);
  }
}

void ts_system_apply(const ts_system *system, const double *r, ts_twist *velocity, double *impulse, ts_arena *arena)
{
  if (!system->mobility) {
    add_responses(system, r, velocity);
    return;
  }
  const ts_arena_mark mark = ts_arena_save(arena);
  ts_body_push *pushes = ts_arena_bytes(arena, 2 * (size_t)system->count, sizeof *pushes);
  ts_mobility_push(system->mobility, pushes, collect_pushes(system, r, pushes), velocity, impulse);
  ts_arena_restore(arena, mark);
}

bool ts_system_rubs(const ts_system *system)
{
  for (int i = 0; i < system->count; ++i)
    if (system->blocks[i].friction > 0.0) return true;
  return false;
}

double ts_unconstrained_compliance(const ts_system *system, int block, int row)
{
  double sum = 0.0;
  for (int side = 0; side < 2; ++side) {
    if (system->blocks[block].body[side] < 0) continue;
    const ts_twist own = ts_row_block_row(&system->jacobian[2 * block + side], row);
    const ts_wrench wrench = {own.linear, own.angular}; // not system->response: on a tree that is zero
    sum += ts_twist_dot(own, ts_respond(system->model, system->kinematics, system->blocks[block].body[side], wrench));
  }
  return sum;
}
