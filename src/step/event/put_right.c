#include "step/event/put_right.h"

#include "step/joint_loads.h"

#include "dynamics/loops.h"

#include <math.h>
#include <string.h>

// Rows of gears and of the joints that close loops, with everything in place. Their biases become their errors: they
// are written for a step of 1 s.
int ts_smooth_loop_rows(const ts_smooth *smooth, ts_bilateral_row *rows)
{
  const ts_sim *sim = smooth->sim;
  int count = ts_bilateral_rows(sim->model, &sim->state, &sim->kinematics, 1.0, sim->mechanics.is_coordinate, rows);
  count += ts_gear_rows(sim->model, &sim->state, &sim->kinematics, 1.0, rows + count, smooth->arena);
  int kept = 0;
  for (int k = 0; k < count; ++k)
    if (rows[k].of_joint) rows[kept++] = rows[k];
  return kept;
}

// A row of a contact along a direction of its frame: the speed of body_1 over body_2.
static ts_bilateral_row contact_row(const ts_sim *sim, const ts_contact *contact, ts_vec3 along, int source)
{
  const ts_model *model = sim->model;
  const int body[2] = {contact->body_2, contact->body_1};
  const ts_vec3 arm[2] = {contact->arm_2, contact->arm_1};
  ts_bilateral_row row = {.source = source};
  for (int side = 0; side < 2; ++side) {
    const ts_vec3 pull = side == 1 ? along : ts_negate(along);
    row.row.body[side] = model->bodies[body[side]].kind == TS_DYNAMIC ? body[side] : -1;
    row.row.jacobian[side] = (ts_twist){.linear = pull, .angular = ts_cross(arm[side], pull)};
    if (model->bodies[body[side]].kind == TS_KINEMATIC)
      row.bias += ts_twist_dot(row.row.jacobian[side], sim->state.velocity[body[side]]);
  }
  return row;
}

typedef enum pass { PLACES, RATES } pass;

// Rows to be closed; of those of contacts, which lie last, the active contact that each belongs to.
typedef struct closing_rows {
  ts_bilateral_row *rows;
  int *contact;
  int first_contact, count;
} closing_rows;

static void append_contact_row(closing_rows *to, ts_bilateral_row row, int active)
{
  to->contact[to->count] = active;
  to->rows[to->count++] = row;
}

// Rows of contacts that push: of places their normals, of rates also the tangents of those that stick. Bodies that have
// overlapped from the start stay as they are, and what has opened by more than errors do is not pulled.
static void append_contact_rows(const ts_smooth *smooth, pass what, closing_rows *to)
{
  ts_sim *sim = smooth->sim;
  const int sources = ts_row_source_count(sim->model);
  ts_contact_set set;
  to->first_contact = to->count;
  if (smooth->active.contact_count == 0) return;
  if (!ts_find_contacts(&sim->finder, &sim->kinematics, sim->state.velocity, TS_ACTIVE_REACH, sim->options.margin,
                        smooth->arena, &set))
    longjmp(*smooth->arena->recovery, 1);
  int *match = ts_arena_ints(smooth->arena, (size_t)set.count);
  ts_active_set_match(&smooth->active, sim, &set, match);
  for (int i = 0; i < set.count; ++i) {
    const int k = match[i];
    const ts_contact *contact = &set.contacts[i];
    if (k < 0 || !smooth->active.contacts[k].now.pushes || ts_active_contact_is_open(contact)) continue;
    ts_bilateral_row normal = contact_row(sim, contact, contact->normal, sources + i);
    if (what == PLACES) normal.bias = contact->gap - fmin(0.0, smooth->active.contacts[k].gap);
    append_contact_row(to, normal, k);
    if (what == PLACES || !smooth->active.contacts[k].now.sticks) continue;
    append_contact_row(to, contact_row(sim, contact, contact->tangent, sources + i), k);
    if (!ts_is_flat(sim->model->freedoms))
      append_contact_row(to, contact_row(sim, contact, contact->other, sources + i), k);
  }
}

static int active_stop_rows(const ts_smooth *smooth, pass what, ts_bilateral_row *rows)
{
  const ts_sim *sim = smooth->sim;
  if (smooth->active.row_count == 0) return 0;
  ts_bounded_row *bounded = ts_arena_bytes(smooth->arena, (size_t)ts_bounded_row_limit(sim->model), sizeof *bounded);
  const int all = ts_bounded_rows(sim->model, &sim->state, &sim->kinematics, TS_ACTIVE_REACH, bounded);
  int count = 0;
  for (int k = 0; k < all; ++k) {
    const ts_active_row *active = ts_active_set_find_row(&smooth->active, &bounded[k]);
    if (active && bounded[k].lower >= 0.0 && active->now.pushes)
      rows[count++] = (ts_bilateral_row){.row = bounded[k].row,
                                         .bias = what == PLACES ? bounded[k].gap : bounded[k].drift,
                                         .source = bounded[k].joint};
  }
  return count;
}

// Errors of loops are reported.
static void find_rows(const ts_smooth *smooth, pass what, closing_rows *to)
{
  ts_sim *sim = smooth->sim;
  to->count = ts_loops_are_there(sim->mechanics.tree, sim->model) ? ts_smooth_loop_rows(smooth, to->rows) : 0;
  for (int k = 0; k < to->count; ++k) {
    if (what == PLACES) sim->report.joint_error = fmax(sim->report.joint_error, fabs(to->rows[k].bias));
    if (what == RATES) to->rows[k].bias = to->rows[k].drift;
  }
  to->first_contact = to->count;
  if (!smooth->is_constrained) return;
  to->count += active_stop_rows(smooth, what, to->rows + to->count);
  append_contact_rows(smooth, what, to);
}

// Impulses that have changed the velocities `from` to those in the state, into what the step reports: those of contacts
// into its sums, those of joints into their loads.
static void report_impulses(const ts_smooth *smooth, const closing_rows *closing, const double *impulse,
                            const ts_twist *from, double *sums)
{
  ts_sim *sim = smooth->sim;
  for (int k = closing->first_contact; k < closing->count; ++k) {
    const ts_vec3 along = closing->rows[k].row.jacobian[1].linear;
    double *sum = sums + TS_ACTIVE_WORKS + TS_ACTIVE_IMPULSES * (size_t)closing->contact[k];
    sum[0] += impulse[k] * along.x;
    sum[1] += impulse[k] * along.y;
    sum[2] += impulse[k] * along.z;
    const ts_contact *seen = &smooth->active.contacts[closing->contact[k]].seen;
    ts_active_add_point(seen->point, impulse[k] * ts_dot(along, seen->normal), sum);
  }
  if (sim->loads) ts_loads_add_rows(sim, closing->rows, closing->count, impulse, NULL, from, smooth->arena);
}

// ---- twists that are kept ------------------------------------------------------------------------------------------

// Momenta that bodies lack to go on with the twists they had. Returns if a base's velocity is another one.
static bool lost_momenta(const ts_smooth *smooth, const ts_twist *earlier, ts_wrench *momentum)
{
  const ts_sim *sim = smooth->sim;
  bool lost = false;
  for (int b = 0; b < sim->model->body_count; ++b) {
    const ts_body *body = &sim->model->bodies[b];
    momentum[b] = (ts_wrench){0};
    if (body->kind == TS_KINEMATIC) lost = lost || memcmp(&earlier[b], &sim->state.velocity[b], sizeof *earlier) != 0;
    if (body->kind != TS_DYNAMIC) continue;
    const ts_twist change = ts_twist_add_scaled(earlier[b], -1.0, sim->state.velocity[b]);
    const ts_mat3 inertia = ts_mat3_rotate(&sim->kinematics.frame[b].axes, &body->inertia);
    momentum[b].force = ts_scale(body->mass, change.linear);
    momentum[b].moment = ts_mul(&inertia, change.angular);
  }
  return lost;
}

// Of all rates those whose twists are nearest, measured by the masses, to those that lack no momentum. What bodies lack
// then goes into the loads of joints.
static void give_back(ts_smooth *smooth, const ts_wrench *momentum)
{
  ts_sim *sim = smooth->sim;
  ts_bilateral_row *rows = ts_arena_bytes(smooth->arena, (size_t)ts_bilateral_row_limit(sim->model), sizeof *rows);
  const int count = ts_loops_are_there(sim->mechanics.tree, sim->model) ? ts_smooth_loop_rows(smooth, rows) : 0;
  for (int k = 0; k < count; ++k) rows[k].bias = rows[k].drift;
  double *impulse = ts_arena_zeros(smooth->arena, (size_t)count);
  ts_tree_factor(sim->mechanics.tree, NULL, NULL);
  ts_articulation articulation;
  ts_articulation_factor(sim->model, &sim->kinematics, sim->mechanics.tree, sim->state.on_tree, rows, count,
                         smooth->arena, &articulation);
  const size_t bodies = (size_t)sim->model->body_count;
  ts_twist *from = ts_arena_bytes(smooth->arena, bodies, sizeof *from);
  memcpy(from, sim->state.velocity, bodies * sizeof *from);
  ts_articulation_push(&articulation, momentum, sim->state.velocity, impulse, smooth->arena);
  ts_articulation_project(&articulation, sim->state.velocity, impulse, smooth->arena);
  ts_tree_rates(sim->mechanics.tree, sim->state.velocity, ts_smooth_rates_of(smooth, smooth->y));
  ts_smooth_show(smooth, sim->state.time);
  if (sim->loads) ts_loads_add_rows(sim, rows, count, impulse, momentum, from, smooth->arena);
}

// Bodies on a base whose velocity has jumped keep theirs as far as joints let them. That is the impact by which the
// base drags them along.
void ts_smooth_keep_twists(ts_smooth *smooth, const ts_twist *earlier)
{
  ts_wrench *momentum = ts_arena_bytes(smooth->arena, (size_t)smooth->sim->model->body_count, sizeof *momentum);
  if (lost_momenta(smooth, earlier, momentum)) give_back(smooth, momentum);
}

// ---- closing -------------------------------------------------------------------------------------------------------

// Errors that are more than those of smooth motion: fixed steps leave overlap [m, rad].
static const double LARGE_ERROR = 1e-9;

// Where bodies are moved by a large error their rates mean other twists than before: bodies keep theirs.
static void keep_twists_of_large_errors(ts_smooth *smooth, const closing_rows *closing, const ts_twist *earlier)
{
  double largest = 0.0;
  for (int k = 0; k < closing->count; ++k) largest = fmax(largest, fabs(closing->rows[k].bias));
  if (!(largest > LARGE_ERROR)) return;
  ts_wrench *momentum = ts_arena_bytes(smooth->arena, (size_t)smooth->sim->model->body_count, sizeof *momentum);
  lost_momenta(smooth, earlier, momentum);
  give_back(smooth, momentum);
}

// One step of Newton's method closes what round-off and the integrator's error have opened: velocities of bodies that
// take the errors back in 1 s; then the rates that would open it further are taken away.
void ts_smooth_close_again(ts_smooth *smooth, double *sums)
{
  ts_sim *sim = smooth->sim;
  const ts_arena_mark mark = ts_arena_save(smooth->arena);
  const size_t bodies = (size_t)sim->model->body_count;
  const size_t limit = (size_t)(ts_bilateral_row_limit(sim->model) + ts_bounded_row_limit(sim->model)) +
                       3 * (size_t)smooth->active.contact_count;
  closing_rows closing = {.rows = ts_arena_bytes(smooth->arena, limit, sizeof *closing.rows),
                          .contact = ts_arena_ints(smooth->arena, limit)};
  ts_twist *twists = ts_arena_bytes(smooth->arena, bodies, sizeof *twists);
  ts_twist *from = ts_arena_bytes(smooth->arena, bodies, sizeof *from);
  double *v = ts_arena_doubles(smooth->arena, (size_t)smooth->v_count);
  for (pass what = PLACES; what <= RATES; ++what) {
    find_rows(smooth, what, &closing);
    if (closing.count == 0) break;
    double *impulse = ts_arena_doubles(smooth->arena, (size_t)closing.count);
    ts_tree_factor(sim->mechanics.tree, NULL, NULL);
    ts_articulation articulation;
    ts_articulation_factor(sim->model, &sim->kinematics, sim->mechanics.tree, sim->state.on_tree, closing.rows,
                           closing.count, smooth->arena, &articulation);
    memcpy(from, sim->state.velocity, bodies * sizeof *from);
    memcpy(twists, from, bodies * sizeof *twists);
    if (what == PLACES) memset(twists, 0, bodies * sizeof *twists);
    ts_articulation_project(&articulation, twists, impulse, smooth->arena);
    if (what == PLACES) {
      ts_tree_rates(sim->mechanics.tree, twists, v);
      ts_tree_advance(sim->mechanics.tree, 1.0, v, smooth->y);
    } else {
      ts_tree_rates(sim->mechanics.tree, twists, ts_smooth_rates_of(smooth, smooth->y));
    }
    ts_smooth_show(smooth, sim->state.time);
    if (what == PLACES) keep_twists_of_large_errors(smooth, &closing, from);
    if (what == RATES) report_impulses(smooth, &closing, impulse, from, sums);
  }
  ts_arena_restore(smooth->arena, mark);
}
