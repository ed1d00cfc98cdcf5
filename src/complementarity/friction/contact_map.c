#include "complementarity/friction/contact_map.h"

#include <math.h>
#include <string.h>

enum { MAX_D = 4 };

static double tangent_norm(int d, const double *x)
{
  double sum = 0.0;
  for (int k = 1; k < d; ++k) sum += x[k] * x[k];
  return sqrt(sum);
}

static void set_multiple_of_identity(int d, double value, double *A)
{
  memset(A, 0, (size_t)(d * d) * sizeof *A);
  for (int k = 0; k < d; ++k) A[k * d + k] = value;
}

// Sliding: F_n = rho u_n and F_t = r_t - R x_t/|x_t| with x = r - rho u, R = mu x_n; t = x_t/|x_t|.
static void slip_blocks(int d, double mu, double rho, double radius, double size, const double *t, double *A, double *B)
{
  memset(A, 0, (size_t)(d * d) * sizeof *A);
  memset(B, 0, (size_t)(d * d) * sizeof *B);
  B[0] = rho;
  const double shrink = radius / size;
  for (int r = 1; r < d; ++r) {
    A[r] = -mu * t[r];
    B[r] = rho * mu * t[r];
    for (int c = 1; c < d; ++c) {
      const double across = shrink * ((r == c ? 1.0 : 0.0) - t[r] * t[c]);
      A[c * d + r] = (r == c ? 1.0 : 0.0) - across;
      B[c * d + r] = rho * across;
    }
  }
}

void ts_alart_curnier(int d, double mu, double rho, const double *r, const double *u, double *F, double *A, double *B)
{
  double x[MAX_D] = {0};
  for (int k = 0; k < d; ++k) x[k] = r[k] - rho * u[k];
  if (x[0] <= 0.0) { // open
    for (int k = 0; k < d; ++k) F[k] = r[k];
    if (A) {
      set_multiple_of_identity(d, 1.0, A);
      set_multiple_of_identity(d, 0.0, B);
    }
    return;
  }
  const double radius = mu * x[0], size = tangent_norm(d, x);
  if (size <= radius) { // stick
    for (int k = 0; k < d; ++k) F[k] = rho * u[k];
    if (A) {
      set_multiple_of_identity(d, 0.0, A);
      set_multiple_of_identity(d, rho, B);
    }
    return;
  }
  double t[MAX_D] = {0};
  F[0] = rho * u[0];
  for (int k = 1; k < d; ++k) {
    t[k] = x[k] / size;
    F[k] = r[k] - radius * t[k];
  }
  if (A) slip_blocks(d, mu, rho, radius, size, t, A, B);
}

// Projection of x on the cone and its derivative (column-major).
static void project(int d, double mu, double *x, double *DP)
{
  const double size = tangent_norm(d, x);
  if (mu == 0.0 && x[0] > 0.0) { // the cone is a ray: whatever is tangential goes
    set_multiple_of_identity(d, 0.0, DP);
    DP[0] = 1.0;
    for (int k = 1; k < d; ++k) x[k] = 0.0;
    return;
  }
  if (x[0] >= 0.0 && size <= mu * x[0]) {
    set_multiple_of_identity(d, 1.0, DP);
    return;
  }
  if (mu * size <= -x[0]) {
    set_multiple_of_identity(d, 0.0, DP);
    memset(x, 0, (size_t)d * sizeof *x);
    return;
  }
  const double share = 1.0 / (1.0 + mu * mu), normal = share * (x[0] + mu * size), across = mu * normal / size;
  DP[0] = share;
  for (int r = 1; r < d; ++r) {
    const double t = x[r] / size;
    DP[r] = DP[r * d] = share * mu * t;
    for (int c = 1; c < d; ++c) {
      const double tt = t * x[c] / size;
      DP[c * d + r] = share * mu * mu * tt + across * ((r == c ? 1.0 : 0.0) - tt);
    }
  }
  x[0] = normal;
  for (int k = 1; k < d; ++k) x[k] *= across;
}

void ts_natural_map(int d, double mu, double rho, const double *r, const double *u, double *F, double *A, double *B)
{
  double x[MAX_D] = {0}, DP[MAX_D * MAX_D];
  const double slip = tangent_norm(d, u);
  for (int k = 0; k < d; ++k) x[k] = r[k] - rho * u[k];
  x[0] -= rho * mu * slip;
  project(d, mu, x, DP);
  for (int k = 0; k < d; ++k) F[k] = r[k] - x[k];
  if (!A) return;
  for (int c = 0; c < d; ++c) {
    const double lean = c > 0 && slip > 0.0 ? mu * u[c] / slip : 0.0; // d(mu |u_t|)/du_c enters the normal
    for (int k = 0; k < d; ++k) {
      A[c * d + k] = (c == k ? 1.0 : 0.0) - DP[c * d + k];
      B[c * d + k] = rho * (DP[c * d + k] + lean * DP[k]);
    }
  }
}
