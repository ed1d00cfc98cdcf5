// Lanes whose contacts are solved one by one. Once for each TS_KIND (lane_names.h), after lane_contact.h and
// one_contact.h.

// The block of one lane, d columns of d numbers.
static void TS_OF(take_block)(int d, const TS_OF(block) * c, int lane, double *block)
{
  const double normal = c->normal[lane];
  block[0] = normal;
  for (int r = 1; r < d; ++r) {
    block[r] = block[r * d] = normal * (double)c->nt[r - 1][lane];
    for (int k = 1; k <= r; ++k)
      block[k * d + r] = block[r * d + k] =
          (r == k ? (double)c->S[k - 1][lane] : 0.0) + block[r] * (double)c->nt[k - 1][lane];
  }
}

void TS_OF(solve_alone)(int d, TS_OF(block) * c, const TS_MASK *alone, const TS_VEC *q, const TS_VEC *last, TS_VEC *r)
{
  for (int lane = 0; lane < TS_KIND_LANES; ++lane) {
    if (!(*alone)[lane]) continue;
    double block[16], own_q[4], own_r[4];
    ts_one_contact contact;
    TS_OF(take_block)(d, c, lane, block);
    ts_one_contact_init(d, d, block, &contact);
    contact.a = c->a[lane];
    for (int k = 0; k < d; ++k) {
      own_q[k] = q[k][lane];
      own_r[k] = last[k][lane];
    }
    ts_one_contact_solve(d, c->mu[lane], &contact, block, d, own_q, own_r);
    for (int k = 0; k < d; ++k) r[k][lane] = (TS_REAL)own_r[k];
    c->a[lane] = (TS_REAL)contact.a;
  }
}
