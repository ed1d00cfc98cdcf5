#include "model/skin.h"

#include "base/status.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { N, T, O, SIDES };
static const double LEAST_STIFFNESS = 1e-6; // of the largest

// The matrix of nn, tt, oo, nt, no, to; in the plane without what o has.
static void unfold(const double packed[6], bool planar, double A[9])
{
  memset(A, 0, 9 * sizeof *A);
  A[0] = packed[0];
  A[4] = packed[1];
  A[1] = A[3] = packed[3];
  if (planar) return;
  A[8] = packed[2];
  A[2] = A[6] = packed[4];
  A[5] = A[7] = packed[5];
}

// One rotation of Jacobi's method, in the plane of axes i and k: A becomes diagonal, the columns of V its vectors.
static void rotate(double A[9], double V[9], int i, int k)
{
  const double off = A[3 * k + i];
  if (off == 0.0) return;
  const double angle = 0.5 * atan2(2.0 * off, A[4 * i] - A[4 * k]), c = cos(angle), s = sin(angle);
  for (int r = 0; r < SIDES; ++r) {
    const double a = A[3 * i + r], b = A[3 * k + r], v = V[3 * i + r], w = V[3 * k + r];
    A[3 * i + r] = c * a + s * b;
    A[3 * k + r] = c * b - s * a;
    V[3 * i + r] = c * v + s * w;
    V[3 * k + r] = c * w - s * v;
  }
  for (int r = 0; r < SIDES; ++r) {
    const double a = A[3 * r + i], b = A[3 * r + k];
    A[3 * r + i] = c * a + s * b;
    A[3 * r + k] = c * b - s * a;
  }
}

// Principal values of A, and their directions in the columns of V.
static void principal(const double A[9], double values[SIDES], double V[9])
{
  double own[9];
  memcpy(own, A, sizeof own);
  memset(V, 0, 9 * sizeof *V);
  for (int r = 0; r < SIDES; ++r) V[4 * r] = 1.0;
  for (int sweep = 0; sweep < 12; ++sweep) {
    rotate(own, V, N, T);
    rotate(own, V, N, O);
    rotate(own, V, T, O);
  }
  for (int r = 0; r < SIDES; ++r) values[r] = own[4 * r];
}

static bool is_positive_semidefinite(const double packed[6], bool planar)
{
  static const double ROUND_OFF = 1e-12;
  double A[9], values[SIDES], V[9];
  unfold(packed, planar, A);
  principal(A, values, V);
  const double largest = fmax(fabs(values[N]), fmax(fabs(values[T]), fabs(values[O])));
  return values[N] >= -ROUND_OFF * largest && values[T] >= -ROUND_OFF * largest && values[O] >= -ROUND_OFF * largest;
}

static bool are_finite(const double packed[6])
{
  for (int i = 0; i < 6; ++i)
    if (!isfinite(packed[i])) return false;
  return true;
}

static bool is_nothing(const ts_skin *skin)
{
  for (int i = 0; i < 6; ++i)
    if (skin->stiffness[i] != 0.0 || skin->damping[i] != 0.0) return false;
  return skin->thickness == 0.0;
}

ts_status ts_skin_check(const ts_skin *skin, bool planar, const char *body, ts_error *error)
{
  if (is_nothing(skin)) return TS_OK;
  if (!(skin->thickness > 0.0) || !isfinite(skin->thickness))
    return ts_fail(error, TS_INVALID, "body '%s': the thickness of a skin must be positive and finite", body);
  if (!are_finite(skin->stiffness) || !is_positive_semidefinite(skin->stiffness, planar))
    return ts_fail(error, TS_INVALID, "body '%s': the stiffness of its skin is not positive semidefinite", body);
  if (!(skin->stiffness[N] > 0.0))
    return ts_fail(error, TS_INVALID, "body '%s': a skin needs stiffness along its normal", body);
  if (!are_finite(skin->damping) || !is_positive_semidefinite(skin->damping, planar))
    return ts_fail(error, TS_INVALID, "body '%s': the damping of its skin is not positive semidefinite", body);
  if (!ts_vec3_is_finite(skin->direction))
    return ts_fail(error, TS_INVALID, "body '%s': the direction of its skin must be finite", body);
  return TS_OK;
}

// Values below the least become that, in their own directions; what is above stays as it is, to the last digit.
static void lift(double A[9])
{
  double values[SIDES], V[9];
  principal(A, values, V);
  const double least = LEAST_STIFFNESS * fmax(values[N], fmax(values[T], values[O]));
  for (int k = 0; k < SIDES; ++k) {
    if (values[k] >= least) continue;
    for (int c = 0; c < SIDES; ++c)
      for (int r = 0; r < SIDES; ++r) A[3 * c + r] += (least - values[k]) * V[3 * k + r] * V[3 * k + c];
  }
}

static bool is_round(const double A[9])
{
  return A[4] == A[8] && A[5] == 0.0 && A[1] == 0.0 && A[2] == 0.0;
}

static bool is_slick(const double A[9])
{
  return A[4] == 0.0 && A[8] == 0.0;
}

const ts_soft_skin *ts_skin_make(const ts_skin *skin, bool planar, ts_arena *arena)
{
  if (is_nothing(skin)) return NULL;
  ts_soft_skin *made = ts_arena_bytes(arena, 1, sizeof *made);
  *made = (ts_soft_skin){.thickness = skin->thickness, .direction = skin->direction};
  unfold(skin->stiffness, planar, made->K);
  unfold(skin->damping, planar, made->C);
  made->slick = is_slick(made->K) && is_slick(made->C);
  made->round = is_round(made->K) && is_round(made->C);
  lift(made->K);
  return made;
}
