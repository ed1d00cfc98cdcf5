#include "robot/urdf_inertia.h"

#include "math/vec3.h"
#include "model/builder.h"

#include <math.h>
#include <string.h>

static const double BALL_DENSITY = 1000.0;   // [kg/m^3]
static const double SMALLEST_MOMENT = 1e-12; // share of the trace: what is less is 0 but for round-off
static const double LINE = 1e-6;             // likewise, of impossible inertias; double moments are found to 1e-8 only
static const double THIN = 1e-3;             // share of the trace that such a moment is given: a rod, not a line

bool ts_inertia_is_finite(const double inertia[6])
{
  double sum = 0.0;
  for (int i = 0; i < 6; ++i) sum += fabs(inertia[i]);
  return isfinite(sum);
}

// Least and largest eigenvalue of a symmetric 3x3 matrix xx yy zz xy xz yz of trace 1: with the mean m and p^2 a sixth
// of the squared norm of A - m 1, det((A - m 1) / p) / 2 is the cosine of three times the angle that gives
// the roots m + 2 p cos(angle + 2 pi k / 3).
static void extreme_eigenvalues(const double A[6], double *least, double *largest)
{
  static const double THIRD_OF_TURN = 2.0 * TS_PI / 3.0;
  const double m = (A[0] + A[1] + A[2]) / 3.0, a = A[0] - m, b = A[1] - m, c = A[2] - m;
  const double off = A[3] * A[3] + A[4] * A[4] + A[5] * A[5];
  const double p = sqrt((a * a + b * b + c * c + 2.0 * off) / 6.0);
  const double determinant =
      a * (b * c - A[5] * A[5]) - A[3] * (A[3] * c - A[5] * A[4]) + A[4] * (A[3] * A[5] - b * A[4]);
  const double cosine = p > 0.0 ? fmin(fmax(determinant / (2.0 * p * p * p), -1.0), 1.0) : 1.0;
  const double angle = acos(cosine) / 3.0;
  *least = m + 2.0 * p * cos(angle + THIRD_OF_TURN);
  *largest = m + 2.0 * p * cos(angle);
}

// Unit vector of an eigenvalue that no other is equal to: normal to the rows of A - lambda 1, of which two at least are
// not parallel.
static ts_vec3 eigenvector(const double A[6], double lambda)
{
  const ts_vec3 x = {A[0] - lambda, A[3], A[4]}, y = {A[3], A[1] - lambda, A[5]}, z = {A[4], A[5], A[2] - lambda};
  const ts_vec3 normals[] = {ts_cross(x, y), ts_cross(y, z), ts_cross(z, x)};
  ts_vec3 best = normals[0];
  for (int i = 1; i < 3; ++i)
    if (ts_dot(normals[i], normals[i]) > ts_dot(best, best)) best = normals[i];
  return ts_normalize(best, (ts_vec3){0.0, 0.0, 1.0});
}

// A += factor (1 + sign n n')
static void add_about(double A[6], double factor, double sign, ts_vec3 n)
{
  const double products[6] = {1.0 + sign * n.x * n.x, 1.0 + sign * n.y * n.y, 1.0 + sign * n.z * n.z,
                              sign * n.x * n.y,       sign * n.x * n.z,       sign * n.y * n.z};
  for (int i = 0; i < 6; ++i) A[i] += factor * products[i];
}

void ts_ball_inertia(double mass, double inertia[6])
{
  const double radius = cbrt(0.75 * mass / (TS_PI * BALL_DENSITY)), moment = 0.4 * mass * radius * radius;
  memcpy(inertia, (const double[6]){moment, moment, moment, 0.0, 0.0, 0.0}, 6 * sizeof *inertia);
}

// A number that all entries can be divided by: the trace, which is the largest for all bodies, or what is larger.
static double size_of(const double A[6])
{
  double largest = 0.0;
  for (int i = 0; i < 6; ++i) largest = fmax(largest, fabs(A[i]));
  return fmax(A[0] + A[1] + A[2], largest);
}

// With moments J1 <= J2 <= J3 of sum t the second moments are t/2 - J3 <= t/2 - J2 <= t/2 - J1. Where only the first is
// below 0, by e, raising it adds e (1 - n n') to the inertia, n being the axis of J3. Where the second is, too, what is
// left is (t/2 - J1) (1 - n n') with the axis of J1. False where none is above 0.
static bool drop_negative_moments(double inertia[6])
{
  const double size = size_of(inertia);
  double scaled[6], least, largest;
  if (!(size > 0.0)) return false;
  for (int i = 0; i < 6; ++i) scaled[i] = inertia[i] / size;
  extreme_eigenvalues(scaled, &least, &largest);
  const double trace = (inertia[0] + inertia[1] + inertia[2]) / size; // 1 to the last bit, but for the impossible
  const double e = largest - 0.5 * trace, rest = 0.5 * trace - least;
  if (!(rest > SMALLEST_MOMENT)) return false;
  if (least + largest < 0.5 * trace) { // J2 > t/2
    memset(inertia, 0, 6 * sizeof *inertia);
    add_about(inertia, rest * size, -1.0, eigenvector(scaled, least));
  } else if (e > 0.0) {
    add_about(inertia, e * size, -1.0, eigenvector(scaled, largest));
  }
  return true;
}

// A moment d about n and half of it about the axes across, which is what mass about the line n has.
static void give_extent(double inertia[6])
{
  const double trace = inertia[0] + inertia[1] + inertia[2];
  double scaled[6], least, largest;
  for (int i = 0; i < 6; ++i) scaled[i] = inertia[i] / trace;
  extreme_eigenvalues(scaled, &least, &largest);
  if (least < LINE) add_about(inertia, 0.5 * (THIN - least) * trace, 1.0, eigenvector(scaled, least));
}

static double norm_of(const double A[6], double size)
{
  double sum = 0.0;
  for (int i = 0; i < 6; ++i) sum += (i < 3 ? 1.0 : 2.0) * (A[i] / size) * (A[i] / size);
  return sqrt(sum);
}

double ts_inertia_make_possible(double inertia[6], double mass)
{
  const bool possible = ts_inertia_is_possible(inertia);
  double given[6];
  memcpy(given, inertia, sizeof given);
  if (!drop_negative_moments(inertia))
    ts_ball_inertia(mass, inertia);
  else if (!possible)
    give_extent(inertia);
  const double size = size_of(inertia);
  double change[6];
  if (!(size > 0.0)) return 1.0;
  for (int i = 0; i < 6; ++i) change[i] = inertia[i] - given[i];
  return norm_of(change, size) / norm_of(inertia, size);
}
