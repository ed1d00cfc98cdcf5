#include "complementarity/friction/one_contact.h"

#include "complementarity/friction/cone_residual_inline.h"
#include "complementarity/friction/one_contact_inline.h"

#include "math/matrix.h"

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

// A contact's block and data in the units of its friction ellipsoid, where the cone is round.
TS_INLINE void to_round(const double *semi_axes, const double *from_block, const double *from_q, const int d,
                        double *block, double *q)
{
  double e[4] = {1.0, 1.0, 1.0, 1.0};
  for (int k = 1; k < d; ++k) e[k] = semi_axes[k - 1];
  for (int c = 0; c < d; ++c) {
    q[c] = e[c] * from_q[c];
    for (int k = 0; k < d; ++k) block[c * d + k] = e[k] * from_block[c * d + k] * e[c];
  }
}

// Squares of the scaled natural residual and of the scaled data.
typedef struct scaled_squares {
  double residual, data;
} scaled_squares;

// The exact solution needs no scaling. The residual is that of the scaled problem (cone_problem.h), whose s is
// sqrt(d / trace).
TS_INLINE scaled_squares solve_alone(const double *block, const double *q, double mu, double *r, const int d)
{
  double u[4], data = 0.0;
  ts_one_contact contact;
  prepare(block, &contact, d, d);
  ts_solve_one_contact(d, mu, &contact, block, d, q, r);
  for (int k = 0; k < d; ++k) {
    u[k] = q[k];
    data += q[k] * q[k];
  }
  for (int c = 0; c < d; ++c)
    for (int k = 0; k < d; ++k) u[k] += block[c * d + k] * r[c];
  const double size = contact.trace > 0.0 ? contact.trace / d : 1.0; // 1 / s^2
  return (scaled_squares){ts_natural_squared(d, mu, r, u, sqrt(size)), data / size};
}

// The normal velocity of contact i, whose own impulse is zero.
TS_INLINE double normal_velocity(const ts_friction *p, int i, const double *r, const int d)
{
  double velocity = p->q[(size_t)i * (size_t)d];
  for (int b = p->W.start[i]; b < p->W.start[i + 1]; ++b) {
    const double *block = p->W.value + (size_t)b * (size_t)(d * d), *rj = r + (size_t)p->W.index[b] * (size_t)d;
    for (int c = 0; c < d; ++c) velocity += block[c * d] * rj[c];
  }
  return velocity;
}

TS_INLINE scaled_squares solve_approaching(const ts_friction *p, int i, double *r, const int d)
{
  const double *block = ts_block_diagonal(&p->W, i), *q = p->q + (size_t)i * (size_t)d;
  if (!p->ellipsoid) return solve_alone(block, q, p->mu[i], r, d);
  const double *semi_axes = p->ellipsoid + (size_t)i * (size_t)(d - 1);
  double round_block[16], round_q[4];
  to_round(semi_axes, block, q, d, round_block, round_q);
  const scaled_squares squares = solve_alone(round_block, round_q, p->mu[i], r, d);
  for (int k = 1; k < d; ++k) r[k] *= semi_axes[k - 1];
  return squares;
}

// Whether contact i approaches by the data alone.
TS_INLINE bool approaches(const ts_friction *p, int i, const int d)
{
  return p->q[(size_t)i * (size_t)d] < 0.0;
}

TS_INLINE bool feels_another(const ts_friction *p, int i, const int d)
{
  for (int b = p->W.start[i]; b < p->W.start[i + 1]; ++b)
    if (p->W.index[b] != i && approaches(p, p->W.index[b], d)) return true;
  return false;
}

// The data of contacts that do not approach are left out, which makes the residual no smaller.
TS_INLINE double solve_separate(const ts_friction *p, double *r, const int d)
{
  scaled_squares sum = {0.0, 0.0};
  for (int i = 0; i < p->contacts; ++i) {
    double *ri = r + (size_t)i * (size_t)d;
    for (int k = 0; k < d; ++k) ri[k] = 0.0;
    if (!approaches(p, i, d)) continue;
    if (feels_another(p, i, d)) return INFINITY;
    const scaled_squares squares = solve_approaching(p, i, ri, d);
    sum.residual += squares.residual;
    sum.data += squares.data;
  }
  for (int i = 0; i < p->contacts; ++i)
    if (!approaches(p, i, d) && !(normal_velocity(p, i, r, d) >= 0.0)) return INFINITY;
  return sqrt(sum.data > 0.0 ? sum.residual / sum.data : sum.residual);
}

TS_HOT double ts_separate_contacts_solve(const ts_friction *problem, double *r)
{
  if (problem->bilaterals > 0) return INFINITY;
  switch (problem->dimension) { // a constant dimension lets the compiler unroll
  case 2:
    return solve_separate(problem, r, 2);
  case 3:
    return solve_separate(problem, r, 3);
  default:
    return solve_separate(problem, r, 4);
  }
}
