#include "complementarity/one_contact.h"

#include "complementarity/one_contact_inline.h"

// A block may be singular in a tangential direction (a planar mechanism in space has none out of its plane): this part
// of its trace keeps sticking well defined and is lost in round-off otherwise.
static const double SHIFT = 1e-14;

ts_one_contact *ts_one_contact_prepare(const ts_cone_problem *p, ts_arena *arena)
{
  ts_one_contact *contacts = ts_arena_bytes(arena, (size_t)p->contacts, sizeof *contacts);
  const int d = p->d, stride = p->stride, t = d - 1;
  for (int i = 0; i < p->contacts; ++i) {
    const double *block = p->W + (size_t)p->diagonal[i] * (size_t)(stride * d);
    ts_one_contact *c = &contacts[i];
    *c = (ts_one_contact){.inverse_normal = block[0] > 0.0 ? 1.0 / block[0] : 0.0};
    for (int k = 0; k < d; ++k) c->trace += block[k * stride + k];
    for (int k = 0; k < t; ++k) {
      c->nt[k] = block[(k + 1) * stride] * c->inverse_normal;
      c->tn[k] = block[k + 1] * c->inverse_normal;
    }
    for (int k = 0; k < t; ++k) {
      for (int r = 0; r < t; ++r) c->S[k * t + r] = block[(k + 1) * stride + r + 1] - block[r + 1] * c->nt[k];
      c->S[k * t + k] += SHIFT * c->trace;
    }
  }
  return contacts;
}

void ts_one_contact_solve(int d, double mu, ts_one_contact *contact, const double *block, int stride, const double *q,
                          double *r)
{
  switch (d) { // a constant dimension lets the compiler unroll
  case 2: ts_solve_one_contact(2, mu, contact, block, stride, q, r); break;
  case 3: ts_solve_one_contact(3, mu, contact, block, stride, q, r); break;
  default: ts_solve_one_contact(4, mu, contact, block, stride, q, r); break;
  }
}
