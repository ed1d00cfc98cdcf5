// Contacts in lanes, each solved exactly with the others fixed: the method of one_contact.h. What does not come out
// there (a normal row without a mass, a search that leaves its bracket) is solved alone. Once for each TS_KIND
// (lane_names.h), after lane_contact.h.

// Products of t tangents.
TS_INLINE TS_VEC TS_OF(lanes_dot)(const int t, const TS_VEC *x, const TS_VEC *y)
{
  TS_VEC sum = x[0] * y[0];
  for (int k = 1; k < t; ++k) sum += x[k] * y[k];
  return sum;
}

// What the other contacts leave these with: the normal velocity w_n, b = w_t - W_tn w_n / W_nn, and the normal impulse
// that stops w_n alone.
typedef struct TS_OF(lanes_data) {
  TS_VEC normal, b[3], stop;
} TS_OF(lanes_data);

// Of contacts that have the velocities u at impulses y: w = u - W y.
TS_INLINE TS_OF(lanes_data)
    TS_OF(lanes_without_own)(const int t, const TS_OF(block) * c, const TS_VEC *u, const TS_VEC *y)
{
  TS_OF(lanes_data) given;
  const TS_VEC own = y[0] + TS_OF(lanes_dot)(t, c->nt, y + 1); // W_n y / W_nn
  given.normal = u[0] - c->normal * own;
  given.stop = own - u[0] * c->inverse_normal;
  for (int k = 0; k < t; ++k) given.b[k] = u[k + 1] - c->nt[k] * u[0] - c->S[k] * y[k + 1];
  return given;
}

// The normal impulse that keeps u_n = 0 beside tangential ones.
TS_INLINE TS_VEC TS_OF(lanes_normal_impulse)(const int t, const TS_OF(block) * c, const TS_OF(lanes_data) * given,
                                             const TS_VEC *r)
{
  return given->stop - TS_OF(lanes_dot)(t, c->nt, r + 1);
}

// Where the search for a multiplier begins: at the last one, else at that of a block that is a multiple of the identity
// in the tangents.
TS_INLINE TS_VEC TS_OF(lanes_first_multiplier)(const int t, const TS_OF(block) * c, const TS_OF(lanes_data) * given,
                                               TS_MASK slide)
{
  const TS_MASK known = c->a > 0.0;
  if (!TS_OF(any)(slide & ~known)) return c->a;
  TS_VEC tangential = c->S[0];
  for (int k = 1; k < t; ++k) tangential += c->S[k];
  const TS_VEC least = (TS_REAL)1e-3 * tangential, none = {0};
  const TS_VEC guess =
      TS_OF(sqrt)(TS_OF(lanes_dot)(t, given->b, given->b)) / (c->mu * given->stop) - tangential / (TS_REAL)t;
  return TS_OF(select)(known, c->a, TS_OF(select)((guess > least) & (guess < none + (TS_REAL)INFINITY), guess, least));
}

// Sliding: the root of mu r_n - |r_t| in the multiplier a of r_t = -(S + a I)^-1 b, by Newton's method on
// mu r_n/|r_t| - 1, in a bracket that every value narrows. From a point that is near the last step is taken along the
// slope: the next visit starts from there, and the error is squared every time. Returns the lanes among `slide` that
// came to an end.
TS_INLINE TS_MASK TS_OF(lanes_slide)(const int t, TS_OF(block) * c, const TS_OF(lanes_data) * given, TS_MASK slide,
                                     TS_VEC *r)
{
  enum { MOST_STEPS = 8 };
  static const TS_REAL NEAR_THE_CONE = (TS_REAL)0.05; // of the friction
  const TS_VEC zero = {0}, without = zero + (TS_REAL)INFINITY;
  TS_VEC a = TS_OF(lanes_first_multiplier)(t, c, given, slide), low = zero, high = without, step = zero, slope[3];
  TS_MASK near = ~slide;
  for (int k = 0; k < MOST_STEPS; ++k) {
    for (int i = 0; i < t; ++i) {
      const TS_VEC inverse = 1.0 / (c->S[i] + a);
      r[i + 1] = -given->b[i] * inverse;
      slope[i] = r[i + 1] * inverse; // -dr_t/da
    }
    r[0] = TS_OF(lanes_normal_impulse)(t, c, given, r);
    const TS_VEC squared = TS_OF(lanes_dot)(t, r + 1, r + 1), size = TS_OF(sqrt)(squared), excess = size - c->mu * r[0];
    const TS_VEC rise =
        c->mu * (TS_OF(lanes_dot)(t, c->nt, slope) * squared + r[0] * TS_OF(lanes_dot)(t, r + 1, slope));
    step = excess * squared / rise;
    low = TS_OF(select)(excess > zero, a, low);
    high = TS_OF(select)(excess > zero, high, a);
    const TS_VEC next = a + step;
    const TS_MASK inside = (next >= low) & (next <= high); // at the root the step is 0
    near = inside & (TS_OF(abs)(excess) < NEAR_THE_CONE * size);
    if (!TS_OF(any)(slide & ~near)) break;
    a = TS_OF(select)(inside, next, TS_OF(select)(high < without, 0.5 * (low + high), 10.0 * a));
  }
  for (int k = 0; k < t; ++k) r[k + 1] -= slope[k] * step;
  r[0] = TS_OF(lanes_normal_impulse)(t, c, given, r);
  const TS_VEC size = TS_OF(sqrt)(TS_OF(lanes_dot)(t, r + 1, r + 1)), onto = c->mu * r[0] / size; // the cone exactly
  for (int k = 1; k <= t; ++k) r[k] = r[k] * onto;
  const TS_MASK good = slide & near & (r[0] >= zero) & (size > zero) & (size < without);
  c->a = TS_OF(select)(good, a + step, c->a);
  return good;
}

// The impulses r of contacts that have the velocities u at impulses y, the others fixed.
TS_INLINE void TS_OF(solve)(const int d, TS_OF(block) * c, const TS_VEC *u, const TS_VEC *y, TS_VEC *r)
{
  const int t = d - 1;
  const TS_VEC zero = {0};
  const TS_OF(lanes_data) given = TS_OF(lanes_without_own)(t, c, u, y);
  const TS_MASK closed = ~(given.normal >= 0.0), rough = c->mu > 0.0, able = c->inverse_normal > 0.0;
  TS_VEC stick[4], slip[4];
  for (int k = 0; k < t; ++k) stick[k + 1] = -given.b[k] * c->inverse_S[k];
  stick[0] = TS_OF(lanes_normal_impulse)(t, c, &given, stick);
  const TS_VEC friction = c->mu * stick[0];
  const TS_MASK sticks = (stick[0] >= 0.0) & (TS_OF(lanes_dot)(t, stick + 1, stick + 1) <= friction * friction);
  const TS_MASK slides = closed & able & rough & ~sticks;
  TS_MASK good = ~closed | (able & ~rough) | (able & sticks);
  for (int k = 0; k < d; ++k) {
    const TS_VEC bare = k == 0 ? given.stop : zero;
    r[k] = TS_OF(select)(closed, TS_OF(select)(rough, stick[k], bare), zero);
  }
  if (TS_OF(any)(slides)) {
    const TS_MASK slipped = TS_OF(lanes_slide)(t, c, &given, slides, slip);
    for (int k = 0; k < d; ++k) r[k] = TS_OF(select)(slipped, slip[k], r[k]);
    good |= slipped;
  }
  const TS_MASK alone = ~good;
  if (!TS_OF(any)(alone)) return;
  TS_VEC w[4] = {given.normal};
  for (int k = 0; k < t; ++k) w[k + 1] = given.b[k] + c->nt[k] * given.normal;
  TS_OF(solve_alone)(d, c, &alone, w, y, r);
}
