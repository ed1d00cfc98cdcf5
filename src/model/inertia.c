// Which inertias a body can have.
#include "model/builder.h"

#include <float.h>
#include <math.h>

static const double MOMENT_ROUNDING = 1e-6; // by which rounded moments may miss the triangle inequality

// Is the symmetric matrix (xx yy zz xy xz yz) positive definite? By its leading minors.
static bool is_positive_definite(const double A[6])
{
  const double minor_2 = A[0] * A[1] - A[3] * A[3];
  const double determinant = A[2] * minor_2 - A[5] * (A[0] * A[5] - A[3] * A[4]) + A[4] * (A[3] * A[5] - A[1] * A[4]);
  return A[0] > 0.0 && minor_2 > 0.0 && determinant > 0.0;
}

// With I the inertia, S = tr(I)/2 1 - I is the second moment of the mass distribution: positive semidefinite for every
// body, zero across a flat one. In principal axes this is the triangle inequality.
bool ts_inertia_is_possible(const double inertia[6])
{
  const double trace = inertia[0] + inertia[1] + inertia[2];
  if (!(trace >= DBL_MIN && isfinite(trace))) return false;
  double scaled[6], second_moment[6];
  for (int i = 0; i < 6; ++i) {
    scaled[i] = inertia[i] / trace; // products of three must not underflow
    second_moment[i] = i < 3 ? 0.5 + MOMENT_ROUNDING - scaled[i] : -scaled[i];
  }
  return is_positive_definite(scaled) && is_positive_definite(second_moment);
}

bool ts_inertia_is_given(const ts_freedoms *freedoms, const ts_body_def *def)
{
  const double zz = def->inertia[2];
  return !isnan(def->inertia[0]) || (ts_has_angle(freedoms) && zz != 0.0 && !isnan(zz));
}
