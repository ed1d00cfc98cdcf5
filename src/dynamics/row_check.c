#include "dynamics/row_check.h"

#include "dynamics/redundancy.h"

#include <math.h>

static double left_of(const ts_bilateral_row *row, const ts_twist *velocity, double impulse)
{
  return fabs(ts_bilateral_rate(row, velocity) + row->softness * impulse + row->bias);
}

double ts_size_of_rate(const ts_bilateral_row *row, const ts_twist *velocity)
{
  double size = 0.0;
  for (int side = 0; side < ts_side_count(row); ++side) {
    const int body = ts_side_body(row, side);
    if (body < 0) continue;
    const ts_twist j = ts_side_jacobian(row, side), *v = &velocity[body];
    size += ts_length(j.linear) * ts_length(v->linear) + ts_length(j.angular) * ts_length(v->angular);
  }
  return size;
}

// What the impulse of a row would do if nothing but its inertia held its bodies: round-off goes with that.
static double size_of_push(const ts_solved_rows *solved, int i, double impulse)
{
  const ts_bilateral_row *row = &solved->rows[i];
  double compliance = 0.0;
  for (int side = 0; side < ts_side_count(row); ++side) {
    const int body = ts_side_body(row, side);
    if (body < 0) continue;
    const ts_twist j = ts_side_jacobian(row, side);
    compliance +=
        ts_twist_dot(j, ts_respond(solved->model, solved->kinematics, body, (ts_wrench){j.linear, j.angular}));
  }
  return isfinite(compliance) ? compliance * fabs(impulse) : 0.0; // bodies without a mass have none of their own
}

static double longest_arm(const ts_row *row)
{
  return fmax(ts_length(row->jacobian[0].angular), ts_length(row->jacobian[1].angular));
}

// How far a row that depends on others was open before, as far as that is no tear.
static double openness_of(const ts_bilateral_row *row)
{
  const ts_vec3 push = row->row.jacobian[1].linear;
  const double arm = ts_dot(push, push) == 0.0 ? 1.0 : longest_arm(&row->row);
  return arm > 0.0 ? fmin(fabs(row->error), TS_LARGEST_SINE * arm) : fabs(row->error);
}

double ts_rows_defiance(const ts_solved_rows *solved, const ts_twist *before, const ts_twist *after,
                        const double *impulse)
{
  static const double ROUND_OFF = 1e-12, REST = 1e-12; // the latter in m/s or rad/s: nothing moves
  ts_loop_errors errors = {0.0, 0.0, 0.0};
  double largest = 0.0, size = 0.0, pushed = 0.0;
  for (int i = 0; i < solved->count; ++i) {
    const ts_bilateral_row *row = &solved->rows[i];
    size = fmax(size, ts_size_of_rate(row, before) + ts_size_of_rate(row, after) + fabs(row->bias));
    pushed = fmax(pushed, size_of_push(solved, i, impulse[i]));
    if (row->softness == 0.0) ts_note_errors(row, &errors);
  }
  const double sine = sqrt(ts_dependence(&errors));
  for (int i = 0; i < solved->count; ++i) {
    const ts_bilateral_row *row = &solved->rows[i];
    const double excuse = solved->depends[i] ? openness_of(row) / solved->h + sine * size : 0.0;
    const double beyond = left_of(row, after, impulse[i]) - excuse;
    if (!(beyond <= largest)) largest = beyond; // a NaN stays
  }
  largest -= ROUND_OFF * pushed + REST;
  return largest <= 0.0 ? 0.0 : largest / size; // where something is left, something was wanted
}
