#include "complementarity/friction/one_contact.h"

#include "complementarity/friction/cone_residual_inline.h"
#include "complementarity/friction/one_contact_inline.h"

// A block may be singular in a tangential direction (a planar mechanism in space has none out of its plane): this part
// of its trace keeps sticking well defined and is lost in round-off otherwise.
static const double SHIFT = 1e-14;

TS_INLINE void prepare(const double *block, ts_one_contact *c, const int d, const int stride)
{
  const int t = d - 1;
  c->inverse_normal = block[0] > 0.0 ? 1.0 / block[0] : 0.0;
  c->a = 0.0;
  c->trace = block[0];
  for (int k = 1; k < d; ++k) c->trace += block[k * stride + k];
  for (int k = 0; k < t; ++k) {
    c->nt[k] = block[(k + 1) * stride] * c->inverse_normal;
    c->tn[k] = block[k + 1] * c->inverse_normal;
    for (int r = 0; r < t; ++r) c->S[k * t + r] = block[(k + 1) * stride + r + 1] - block[r + 1] * c->nt[k];
    c->S[k * t + k] += SHIFT * c->trace;
  }
}

void ts_one_contact_init(int d, int stride, const double *block, ts_one_contact *contact)
{
  switch (d) { // a constant dimension lets the compiler unroll
  case 2:
    prepare(block, contact, 2, stride);
    break;
  case 3:
    prepare(block, contact, 3, stride);
    break;
  default:
    prepare(block, contact, 4, stride);
    break;
  }
}

ts_one_contact *ts_one_contact_prepare(const ts_cone_problem *p, ts_arena *arena)
{
  ts_one_contact *contacts = ts_arena_bytes(arena, (size_t)p->contacts, sizeof *contacts);
  const size_t block = (size_t)(p->stride * p->d);
  for (int i = 0; i < p->contacts; ++i)
    ts_one_contact_init(p->d, p->stride, p->W + (size_t)p->diagonal[i] * block, &contacts[i]);
  return contacts;
}

void ts_one_contact_solve(int d, double mu, ts_one_contact *contact, const double *block, int stride, const double *q,
                          double *r)
{
  switch (d) { // a constant dimension lets the compiler unroll
  case 2:
    ts_solve_one_contact(2, mu, contact, block, stride, q, r);
    break;
  case 3:
    ts_solve_one_contact(3, mu, contact, block, stride, q, r);
    break;
  default:
    ts_solve_one_contact(4, mu, contact, block, stride, q, r);
    break;
  }
}

// The block and data in the units of the friction ellipsoid, where the cone is round.
TS_INLINE void to_round(const ts_friction *p, const int d, double *block, double *q)
{
  double e[4] = {1.0, 1.0, 1.0, 1.0};
  for (int k = 1; k < d; ++k) e[k] = p->ellipsoid[k - 1];
  for (int c = 0; c < d; ++c) {
    q[c] = e[c] * p->q[c];
    for (int k = 0; k < d; ++k) block[c * d + k] = e[k] * p->W.value[c * d + k] * e[c];
  }
}

// The exact solution needs no scaling. The residual is that of the scaled problem (cone_problem.h), whose s is
// sqrt(d / trace).
TS_INLINE double solve_single(const ts_friction *p, double *r, const int d)
{
  double round_block[16], round_q[4], u[4], data = 0.0;
  if (p->ellipsoid) to_round(p, d, round_block, round_q);
  const double *block = p->ellipsoid ? round_block : p->W.value, *q = p->ellipsoid ? round_q : p->q;
  ts_one_contact contact;
  prepare(block, &contact, d, d);
  for (int k = 0; k < d; ++k) r[k] = 0.0;
  ts_solve_one_contact(d, p->mu[0], &contact, block, d, q, r);
  for (int k = 0; k < d; ++k) {
    u[k] = q[k];
    data += q[k] * q[k];
  }
  for (int c = 0; c < d; ++c)
    for (int k = 0; k < d; ++k) u[k] += block[c * d + k] * r[c];
  const double size = contact.trace > 0.0 ? contact.trace / d : 1.0; // 1 / s^2
  const double residual = ts_natural_squared(d, p->mu[0], r, u, sqrt(size));
  for (int k = 1; p->ellipsoid && k < d; ++k) r[k] *= p->ellipsoid[k - 1];
  return sqrt(data > 0.0 ? residual * size / data : residual);
}

TS_HOT double ts_single_contact_solve(const ts_friction *problem, double *r)
{
  switch (problem->dimension) { // a constant dimension lets the compiler unroll
  case 2:
    return solve_single(problem, r, 2);
  case 3:
    return solve_single(problem, r, 3);
  default:
    return solve_single(problem, r, 4);
  }
}
