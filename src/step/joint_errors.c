// Rows of joints are linear in a step: what turns leaves an error of h^2 w^2/2 of its lever arm, which the next step
// takes back. Bodies that turn by radians a step come apart, whatever the residuals of the rows are. Errors are
// measured only where a bound on them exceeds what is allowed: that costs a few operations a joint.
#include "step/joint_errors.h"

#include "math/larger.h"

#include <math.h>

static const double SHARE = 0.2; // of the radius of gyration [1], or of an angle [rad]

// Radius of gyration of a body with mass; otherwise INFINITY.
static double radius_of_gyration(const ts_model *model, int body)
{
  if (body < 0 || model->bodies[body].kind != TS_DYNAMIC) return INFINITY;
  const ts_body *b = &model->bodies[body];
  const ts_mat3 *I = &b->inertia;
  const double moment = ts_has_angle(b->freedoms) ? I->z.z : 0.5 * (I->x.x + I->y.y + I->z.z);
  return b->mass > 0.0 && moment > 0.0 ? sqrt(moment / b->mass) : INFINITY;
}

// Length that a joint may be off by.
static double room_of(const ts_model *model, int joint)
{
  const ts_joint *j = &model->joints[joint];
  return SHARE * ts_smaller(radius_of_gyration(model, j->parent), radius_of_gyration(model, j->child));
}

// Velocity of the child's center as seen from the parent.
static ts_vec3 relative_velocity(const ts_sim *sim, const ts_joint *j)
{
  const ts_vec3 own = sim->state.velocity[j->child].linear;
  if (j->parent < 0) return own;
  const ts_twist base = sim->state.velocity[j->parent];
  const ts_vec3 apart = ts_sub(sim->state.pose[j->child].position, sim->state.pose[j->parent].position);
  return ts_sub(own, ts_add(base.linear, ts_cross(base.angular, apart)));
}

// Errors that linear rows may leave of a joint through the step: an angle, and a length by the lever arm and by the way
// along a guide that turns; `start`: those that the step began with.
static bool can_come_apart(const ts_sim *sim, int joint, double h, double start)
{
  const ts_model *model = sim->model;
  const ts_joint *j = &model->joints[joint];
  const int sides[] = {j->parent, j->child};
  double turn = 0.0, arm = 0.0;
  for (int side = 0; side < 2; ++side) {
    const int body = sides[side];
    if (body < 0 || model->bodies[body].kind != TS_DYNAMIC) continue;
    turn += h * ts_length(sim->state.velocity[body].angular);
    arm = ts_larger(arm, ts_length(j->frame[side].position));
  }
  if (j->parent >= 0) { // bodies that slide are farther apart than their frames
    const ts_vec3 apart = ts_sub(sim->state.pose[j->child].position, sim->state.pose[j->parent].position);
    arm = ts_larger(arm, ts_length(apart));
  }
  const double slide = h * ts_length(relative_velocity(sim, j));
  const double bend = turn * turn;
  return start + bend > SHARE || start + bend * arm + turn * slide > room_of(model, joint);
}

static bool is_angle(const ts_row *row)
{
  const ts_vec3 a = row->jacobian[0].linear, b = row->jacobian[1].linear;
  return ts_dot(a, a) + ts_dot(b, b) == 0.0;
}

// The largest error of a joint, and whether one is off by more than it may be.
static double measure(const ts_sim *sim, double h, bool *apart, ts_arena *arena)
{
  const ts_model *model = sim->model;
  const ts_arena_mark mark = ts_arena_save(arena);
  ts_bilateral_row *rows = ts_arena_bytes(arena, (size_t)ts_bilateral_row_limit(model), sizeof *rows);
  const int count = ts_bilateral_rows(model, &sim->state, &sim->kinematics, h, sim->mechanics.is_coordinate, rows);
  double largest = 0.0;
  for (int k = 0; k < count; ++k) {
    if (!rows[k].of_joint) continue;
    const double error = fabs(rows[k].error);
    const double room = is_angle(&rows[k].row) ? SHARE : room_of(model, ts_row_joint(model, &rows[k]));
    largest = ts_larger(largest, error);
    *apart = *apart || !(error <= room);
  }
  ts_arena_restore(arena, mark);
  return largest;
}

void ts_joint_errors_close(ts_sim *sim, double h, ts_arena *arena)
{
  const ts_model *model = sim->model;
  ts_step_report *report = &sim->report;
  if (!sim->rows_possible || model->joint_count == 0) return;
  const double possible = report->joint_error + h * report->joint_residual;
  bool doubtful = false, apart = false;
  for (int j = 0; j < model->joint_count && !doubtful; ++j) {
    if (sim->mechanics.is_coordinate && sim->mechanics.is_coordinate[j]) continue;
    doubtful = can_come_apart(sim, j, h, possible);
  }
  if (!doubtful) return;
  const double error = measure(sim, h, &apart, arena);
  report->joint_error = ts_larger(report->joint_error, error);
  if (apart) report->certified = false;
}
