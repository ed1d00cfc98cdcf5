#include "dynamics/row_check.h"

#include "dynamics/redundancy.h"

#include "base/hot.h"

#include <math.h>

static double left_of(const ts_bilateral_row *row, const ts_twist *velocity, double impulse)
{
  return fabs(ts_bilateral_rate(row, velocity) + row->softness * impulse + row->bias);
}

TS_INLINE double size_of_part(const ts_row *part, const ts_twist *velocity)
{
  double size = 0.0;
  for (int side = 0; side < 2; ++side) {
    if (part->body[side] < 0) continue;
    const ts_twist *j = &part->jacobian[side], *v = &velocity[part->body[side]];
    size += ts_length(j->linear) * ts_length(v->linear) + ts_length(j->angular) * ts_length(v->angular);
  }
  return size;
}

double ts_size_of_rate(const ts_bilateral_row *row, const ts_twist *velocity)
{
  double size = size_of_part(&row->row, velocity);
  for (int k = 0; k < row->further_count; ++k) size += size_of_part(&row->further[k], velocity);
  return size;
}

TS_INLINE double compliance_of_part(const ts_solved_rows *solved, const ts_row *part)
{
  double compliance = 0.0;
  for (int side = 0; side < 2; ++side) {
    if (part->body[side] < 0) continue;
    const ts_twist *j = &part->jacobian[side];
    const ts_wrench push = {j->linear, j->angular};
    compliance += ts_twist_dot(*j, ts_respond(solved->model, solved->kinematics, part->body[side], push));
  }
  return compliance;
}

// What the impulse of a row would do if nothing but its inertia held its bodies: round-off goes with that.
static double size_of_push(const ts_solved_rows *solved, int i, double impulse)
{
  const ts_bilateral_row *row = &solved->rows[i];
  double compliance = compliance_of_part(solved, &row->row);
  for (int k = 0; k < row->further_count; ++k) compliance += compliance_of_part(solved, &row->further[k]);
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
                        const double *impulse, double left)
{
  static const double ROUND_OFF = 1e-12, REST = 1e-12; // the latter in m/s or rad/s: nothing moves
  if (left <= REST) return 0.0;                        // as a rule: it needs no excuse
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
