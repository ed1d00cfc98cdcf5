#include "complementarity/friction/lane_contact.h"

#include "complementarity/friction/one_contact.h"

// The block of one lane, d columns of d numbers.
static void take_block(int d, const ts_lane_block *c, int lane, double *block)
{
  const double normal = c->normal[lane];
  block[0] = normal;
  for (int r = 1; r < d; ++r) {
    block[r] = block[r * d] = normal * c->nt[r - 1][lane];
    for (int k = 1; k <= r; ++k)
      block[k * d + r] = block[r * d + k] =
          (r == k ? c->S[k - 1][lane] : 0.0) + normal * c->nt[r - 1][lane] * c->nt[k - 1][lane];
  }
}

void ts_lanes_solve_alone(int d, ts_lane_block *c, const ts_quad_mask *alone, const ts_quad *q, const ts_quad *last,
                          ts_quad *r)
{
  for (int lane = 0; lane < TS_LANES; ++lane) {
    if (!(*alone)[lane]) continue;
    double block[16], own_q[4], own_r[4];
    ts_one_contact contact;
    take_block(d, c, lane, block);
    ts_one_contact_init(d, d, block, &contact);
    contact.a = c->a[lane];
    for (int k = 0; k < d; ++k) {
      own_q[k] = q[k][lane];
      own_r[k] = last[k][lane];
    }
    ts_one_contact_solve(d, c->mu[lane], &contact, block, d, own_q, own_r);
    for (int k = 0; k < d; ++k) r[k][lane] = own_r[k];
    c->a[lane] = contact.a;
  }
}
