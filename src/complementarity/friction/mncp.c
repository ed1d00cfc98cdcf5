#include "complementarity/friction/mncp.h"

#include "math/dense.h"
#include "math/matrix.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

// ---- one contact ---------------------------------------------------------------------------------------------------

static double tangent_norm(const double *x, int d)
{
  double sum = 0.0;
  for (int k = 1; k < d; ++k) sum += x[k] * x[k];
  return sqrt(sum);
}

// corrections.md 8: F_n = max(0, -z_n), B = mu F_n, s = min(1, B/|z_t|), F_t = -s z_t. Without friction a closed
// contact slips, whatever z_t.
ts_mncp_mode ts_mncp_mode_of(const double *z, double mu, int d)
{
  if (z[0] >= 0.0) return TS_MNCP_OPEN;
  return mu > 0.0 && -mu * z[0] >= tangent_norm(z, d) ? TS_MNCP_STICK : TS_MNCP_SLIP;
}

// mu F_n over |z_t|; 0 where there is no direction to slip in.
static double slip_ratio(double bound, double tangent)
{
  return tangent > 0.0 ? bound / tangent : 0.0;
}

void ts_mncp_contact_force(ts_mncp_mode mode, const double *z, double mu, int d, double *F)
{
  double s = 0.0;
  if (mode == TS_MNCP_STICK) s = 1.0;
  if (mode == TS_MNCP_SLIP) s = slip_ratio(-mu * z[0], tangent_norm(z, d));
  F[0] = mode == TS_MNCP_OPEN ? 0.0 : -z[0];
  for (int k = 1; k < d; ++k) F[k] = -s * z[k];
}

// stick: -I. slip, t = z_t/|z_t|: dF_t/dz_t = -s (I - t t^T), dF_t/dz_n = -mu (dF_n/dz_n) t = mu t.
void ts_mncp_contact_derivative(ts_mncp_mode mode, const double *z, double mu, int d, double *dF)
{
  memset(dF, 0, (size_t)(d * d) * sizeof *dF);
  if (mode == TS_MNCP_OPEN) return;
  dF[0] = -1.0;
  if (mode == TS_MNCP_STICK) {
    for (int k = 1; k < d; ++k) dF[k * d + k] = -1.0;
    return;
  }
  const double length = tangent_norm(z, d);
  if (length == 0.0) return;
  const double s = slip_ratio(-mu * z[0], length);
  for (int j = 1; j < d; ++j) {
    dF[j] = mu * z[j] / length;
    for (int i = 1; i < d; ++i) dF[j * d + i] = s * (z[i] / length) * (z[j] / length);
    dF[j * d + j] -= s;
  }
}

// ---- assembly ------------------------------------------------------------------------------------------------------

static void fill_axes(ts_mncp *m, const double *ellipsoid)
{
  const int d = m->dimension;
  for (int i = 0; i < m->contacts; ++i) {
    m->axes[i * d] = 1.0;
    for (int k = 1; k < d; ++k) m->axes[i * d + k] = ellipsoid ? ellipsoid[i * (d - 1) + k - 1] : 1.0;
  }
}

// W, V, V^T and R into A, in round variables and still without rho.
static void assemble(ts_mncp *m, const ts_friction *p)
{
  const size_t n = (size_t)m->size, nb = (size_t)m->bilaterals, d = (size_t)m->dimension;
  for (size_t i = 0; i < (size_t)m->contacts; ++i)
    for (int k = p->W.start[i]; k < p->W.start[i + 1]; ++k) {
      const size_t j = (size_t)p->W.index[k];
      const double *block = p->W.value + (size_t)k * d * d;
      for (size_t b = 0; b < d; ++b)
        for (size_t a = 0; a < d; ++a)
          m->A[(nb + j * d + b) * n + nb + i * d + a] = m->axes[i * d + a] * block[b * d + a] * m->axes[j * d + b];
    }
  if (nb == 0) return;
  ts_matrix_to_dense(&p->R, m->A, n);
  ts_matrix_to_dense(&p->V, m->A + nb, n);
  for (size_t j = 0; j < nb; ++j)
    for (size_t i = nb; i < n; ++i) {
      m->A[j * n + i] *= m->axes[i - nb];
      m->A[i * n + j] = m->A[j * n + i];
    }
}

static double mean_contact_diagonal(const ts_mncp *m)
{
  const size_t n = (size_t)m->size;
  double sum = 0.0;
  for (size_t i = (size_t)m->bilaterals; i < n; ++i) sum += m->A[i * n + i];
  return m->size > m->bilaterals ? sum / (m->size - m->bilaterals) : 0.0;
}

// Scale of the rows first .. first+count-1 as one: 1/sqrt of their mean diagonal, and where that is nothing of `mean`.
static double row_scale(const ts_mncp *m, int first, int count, double mean)
{
  double trace = 0.0;
  for (int i = first; i < first + count; ++i) trace += m->A[(size_t)i * (size_t)m->size + (size_t)i];
  const double size = trace > 0.0 ? trace / count : mean;
  return size > 0.0 ? 1.0 / sqrt(size) : 1.0;
}

static double mean_bilateral_diagonal(const ts_mncp *m)
{
  double sum = 0.0;
  for (size_t i = 0; i < (size_t)m->bilaterals; ++i) sum += fabs(m->A[i * (size_t)m->size + i]);
  return m->bilaterals > 0 ? sum / m->bilaterals : 0.0;
}

static double norm(const double *x, int n)
{
  return cblas_dnrm2(n, x, 1);
}

// What the measure needs, from A without rho: one scale a contact, since it has to keep the cone.
static void fill_scales(ts_mncp *m)
{
  const int d = m->dimension, nb = m->bilaterals;
  const double contact_mean = mean_contact_diagonal(m), bilateral_mean = mean_bilateral_diagonal(m);
  double sum = 0.0;
  for (int i = 0; i < m->contacts; ++i) {
    m->scale[i] = row_scale(m, nb + i * d, d, contact_mean);
    sum += pow(m->scale[i] * norm(m->b + nb + i * d, d), 2.0);
  }
  for (int k = 0; k < nb; ++k) {
    m->scale[m->contacts + k] = row_scale(m, k, 1, bilateral_mean);
    sum += pow(m->scale[m->contacts + k] * m->b[k], 2.0);
  }
  m->scaled_data = sum > 0.0 ? sqrt(sum) : 1.0;
  m->data = norm(m->b, m->size);
  if (m->data == 0.0) m->data = 1.0;
}

void ts_mncp_init(ts_mncp *mncp, const ts_friction *problem, double impulse_scale, ts_arena *arena)
{
  const ts_friction *p = problem;
  ts_mncp *m = mncp;
  *m = (ts_mncp){.dimension = p->dimension, .contacts = p->contacts, .bilaterals = p->bilaterals, .mu = p->mu};
  m->size = m->bilaterals + m->dimension * m->contacts;
  const size_t n = (size_t)m->size, nb = (size_t)m->bilaterals;
  m->axes = ts_arena_doubles(arena, n - nb);
  m->A = ts_arena_zeros(arena, n * n);
  m->b = ts_arena_doubles(arena, n);
  m->force = ts_arena_doubles(arena, n);
  m->scale = ts_arena_doubles(arena, (size_t)m->contacts + nb);
  fill_axes(m, p->ellipsoid);
  assemble(m, p);
  for (size_t k = 0; k < nb; ++k) m->b[k] = p->s[k];
  for (size_t i = nb; i < n; ++i) m->b[i] = m->axes[i - nb] * p->q[i - nb];
  fill_scales(m);
  const double mean = mean_contact_diagonal(m);
  m->rho = impulse_scale > 0.0 ? impulse_scale : mean > 0.0 ? 1.0 / mean : 1.0;
  for (size_t k = 0; k < n * n; ++k) m->A[k] *= m->rho;
}

// ---- residual and Jacobian -----------------------------------------------------------------------------------------

void ts_mncp_force(const ts_mncp *mncp, const double *x, double *force)
{
  const int d = mncp->dimension, nb = mncp->bilaterals;
  memcpy(force, x, (size_t)nb * sizeof *force);
  for (int i = 0; i < mncp->contacts; ++i) {
    const double *z = x + nb + i * d;
    ts_mncp_contact_force(ts_mncp_mode_of(z, mncp->mu[i], d), z, mncp->mu[i], d, force + nb + i * d);
  }
}

void ts_mncp_residual(const ts_mncp *mncp, const double *x, double *phi)
{
  const ts_mncp *m = mncp;
  const int n = m->size;
  ts_mncp_force(m, x, m->force);
  memcpy(phi, m->b, (size_t)n * sizeof *phi);
  if (n > 0) cblas_dgemv(CblasColMajor, CblasNoTrans, n, n, 1.0, m->A, n, m->force, 1, 1.0, phi, 1);
  for (int i = m->bilaterals; i < n; ++i) phi[i] -= m->force[i] + x[i];
}

// C = A B, A n x d and B d x d.
static void multiply_columns(int n, int d, const double *A, const double *B, double *C)
{
  const size_t size = (size_t)n;
  memset(C, 0, size * (size_t)d * sizeof *C);
  for (int b = 0; b < d; ++b)
    for (int a = 0; a < d; ++a) cblas_daxpy(n, B[b * d + a], A + (size_t)a * size, 1, C + (size_t)b * size, 1);
}

// 000 eq. 34: J = A [I 0; 0 dF] - [0 0; 0 dF + I], a contact's columns at a time.
void ts_mncp_jacobian(const ts_mncp *mncp, const double *x, double *J)
{
  const ts_mncp *m = mncp;
  const int d = m->dimension, n = m->size, nb = m->bilaterals;
  double dF[TS_MNCP_MAX_DIMENSION * TS_MNCP_MAX_DIMENSION];
  memcpy(J, m->A, (size_t)n * (size_t)nb * sizeof *J);
  for (int i = 0; i < m->contacts; ++i) {
    const int first = nb + i * d;
    const size_t columns = (size_t)first * (size_t)n;
    const double *z = x + first;
    ts_mncp_contact_derivative(ts_mncp_mode_of(z, m->mu[i], d), z, m->mu[i], d, dF);
    multiply_columns(n, d, m->A + columns, dF, J + columns);
    for (int b = 0; b < d; ++b) {
      double *column = J + columns + (size_t)b * (size_t)n + first;
      for (int a = 0; a < d; ++a) column[a] -= dF[b * d + a];
      column[b] -= 1.0;
    }
  }
}

int ts_mncp_active(const ts_mncp *mncp, const double *x)
{
  int active = 0;
  for (int i = 0; i < mncp->contacts; ++i) active += x[mncp->bilaterals + i * mncp->dimension] < 0.0;
  return active;
}

// ---- measure -------------------------------------------------------------------------------------------------------

// x - P_K(x - y), squared, with y = u + mu |u_t| n; r and u in the same unit.
static double natural_map_squared(const double *r, const double *u, double mu, int d)
{
  double y[TS_MNCP_MAX_DIMENSION] = {0}, sum = 0.0;
  for (int k = 0; k < d; ++k) y[k] = r[k] - u[k];
  y[0] -= mu * tangent_norm(u, d);
  const double length = tangent_norm(y, d);
  double normal = y[0], ratio = 1.0; // of the projection: its normal part, and its tangential part over y's
  if (mu * length <= -y[0]) {
    normal = ratio = 0.0;
  } else if (length > mu * y[0]) {
    normal = (y[0] + mu * length) / (1.0 + mu * mu);
    ratio = mu * normal / length;
  }
  sum += (r[0] - normal) * (r[0] - normal);
  for (int k = 1; k < d; ++k) sum += (r[k] - ratio * y[k]) * (r[k] - ratio * y[k]);
  return sum;
}

// As the certificate: for mu > 1 the normal law counts by itself too, since the natural map loses sight of u_n.
static double normal_law_squared(const double *r, const double *u, double mu, int d)
{
  if (!(mu > 1.0)) return 0.0;
  double impulse = 0.0;
  for (int k = 0; k < d; ++k) impulse += r[k] * r[k];
  const double squared = u[0] * u[0];
  return u[0] > 0.0 && impulse < squared ? impulse : squared;
}

double ts_mncp_measure(const ts_mncp *mncp, const double *x, const double *phi)
{
  const ts_mncp *m = mncp;
  const int d = m->dimension, nb = m->bilaterals;
  double F[TS_MNCP_MAX_DIMENSION], r[TS_MNCP_MAX_DIMENSION], u[TS_MNCP_MAX_DIMENSION], raw = 0.0, scaled = 0.0;
  for (int i = 0; i < m->contacts; ++i) {
    const double *z = x + nb + i * d;
    const double s = m->scale[i];
    ts_mncp_contact_force(ts_mncp_mode_of(z, m->mu[i], d), z, m->mu[i], d, F);
    for (int k = 0; k < d; ++k) {
      r[k] = m->rho * F[k];
      u[k] = F[k] + z[k] + phi[nb + i * d + k];
    }
    raw += natural_map_squared(r, u, m->mu[i], d);
    for (int k = 0; k < d; ++k) {
      r[k] /= s;
      u[k] *= s;
    }
    const double natural = natural_map_squared(r, u, m->mu[i], d), normal = normal_law_squared(r, u, m->mu[i], d);
    scaled += normal > natural ? normal : natural; // keeps NAN
  }
  for (int k = 0; k < nb; ++k) {
    raw += phi[k] * phi[k];
    scaled += pow(m->scale[m->contacts + k] * phi[k], 2.0);
  }
  return fmax(sqrt(scaled) / m->scaled_data, sqrt(raw) / m->data);
}

// ---- starting points, and back --------------------------------------------------------------------------------------

void ts_mncp_start_free(const ts_mncp *mncp, double *x)
{
  memcpy(x, mncp->b, (size_t)mncp->size * sizeof *x);
  memset(x, 0, (size_t)mncp->bilaterals * sizeof *x);
}

// A f = -b, of minimum norm where A is singular (reference-numbers.md 2); then z = -f, which opens the contacts that
// would have to pull.
void ts_mncp_start_stick(const ts_mncp *mncp, double *x, ts_arena *arena)
{
  const int n = mncp->size, nb = mncp->bilaterals;
  const double rcond = 1e-10; // of singular values that count: beyond round-off, short of what a solution needs
  const ts_arena_mark mark = ts_arena_save(arena);
  double *A = ts_arena_doubles(arena, (size_t)n * (size_t)n);
  memcpy(A, mncp->A, (size_t)n * (size_t)n * sizeof *A);
  for (int i = 0; i < n; ++i) x[i] = -mncp->b[i];
  const bool found = ts_minimum_norm(n, n, A, x, rcond, arena) >= 0;
  ts_arena_restore(arena, mark);
  if (!found) {
    ts_mncp_start_free(mncp, x);
    return;
  }
  for (int i = nb; i < n; ++i) x[i] = -x[i];
}

// z = v - F with the velocity that the impulses give; at a solution phi is then zero.
void ts_mncp_start_at(const ts_mncp *mncp, const double *solution, double *x)
{
  const ts_mncp *m = mncp;
  const int n = m->size, nb = m->bilaterals;
  double *force = m->force;
  for (int i = nb; i < n; ++i) force[i] = solution[i - nb] / (m->axes[i - nb] * m->rho);
  for (int k = 0; k < nb; ++k) force[k] = solution[n - nb + k] / m->rho;
  memcpy(x, m->b, (size_t)n * sizeof *x);
  if (n > 0) cblas_dgemv(CblasColMajor, CblasNoTrans, n, n, 1.0, m->A, n, force, 1, 1.0, x, 1);
  for (int i = nb; i < n; ++i) x[i] -= force[i];
  memcpy(x, force, (size_t)nb * sizeof *x);
}

// An overflow leaves 0.
static double finite_or_zero(double value)
{
  return isfinite(value) ? value : 0.0;
}

void ts_mncp_recover(const ts_mncp *mncp, const double *x, double *solution)
{
  const ts_mncp *m = mncp;
  const int n = m->size, nb = m->bilaterals;
  ts_mncp_force(m, x, m->force);
  for (int i = nb; i < n; ++i) solution[i - nb] = finite_or_zero(m->rho * m->axes[i - nb] * m->force[i]);
  for (int k = 0; k < nb; ++k) solution[n - nb + k] = finite_or_zero(m->rho * m->force[k]);
}
