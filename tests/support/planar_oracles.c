#include "planar_oracles.h"

#include <math.h>
#include <string.h>

// ---- statics ----

bool planar_loads(double at[3][2], const double centre[2], double weight, double loads[3])
{
  // Areas of the triangles that the centre makes with two points each (barycentric coordinates).
  double area[3], all = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double *a = at[(i + 1) % 3], *b = at[(i + 2) % 3];
    area[i] = (a[0] - centre[0]) * (b[1] - centre[1]) - (a[1] - centre[1]) * (b[0] - centre[0]);
    all += area[i];
  }
  for (int i = 0; i < 3; ++i) loads[i] = all == 0.0 ? NAN : weight * area[i] / all;
  return all != 0.0;
}

// ---- least dissipation ----

static void point_velocity(const double at[2], const double twist[3], double v[2])
{
  v[0] = twist[0] - twist[2] * at[1];
  v[1] = twist[1] + twist[2] * at[0];
}

double planar_dissipation(const planar_supports *s, const double twist[3], double wrench[3])
{
  double power = 0.0;
  memset(wrench, 0, 3 * sizeof *wrench);
  for (int i = 0; i < s->count; ++i) {
    double v[2];
    point_velocity(s->at[i], twist, v);
    const double speed = hypot(v[0], v[1]);
    power += s->grip[i] * speed;
    if (speed == 0.0) continue;
    const double fx = s->grip[i] * v[0] / speed, fy = s->grip[i] * v[1] / speed;
    wrench[0] += fx;
    wrench[1] += fy;
    wrench[2] += s->at[i][0] * fy - s->at[i][1] * fx;
  }
  return power;
}

// Twists from + x1 along[0] + x2 along[1], of which the one with the least dissipation is looked for.
typedef struct twist_family {
  int dimension; // 1 or 2
  double from[3], along[2][3];
} twist_family;

typedef struct smooth_value {
  double value, gradient[2], hessian[3]; // hessian: 11, 12, 22
  double wrench[3];
} smooth_value;

static void family_twist(const twist_family *f, const double x[2], double twist[3])
{
  for (int k = 0; k < 3; ++k)
    twist[k] = f->from[k] + x[0] * f->along[0][k] + (f->dimension > 1 ? x[1] * f->along[1][k] : 0.0);
}

// sum grip sqrt(|v|^2 + e^2), with derivatives.
static smooth_value smooth_dissipation(const planar_supports *s, const twist_family *f, const double x[2], double e)
{
  smooth_value r = {0};
  double twist[3];
  family_twist(f, x, twist);
  for (int i = 0; i < s->count; ++i) {
    double v[2], d[2][2] = {{0}};
    point_velocity(s->at[i], twist, v);
    for (int k = 0; k < f->dimension; ++k) point_velocity(s->at[i], f->along[k], d[k]);
    const double root = sqrt(v[0] * v[0] + v[1] * v[1] + e * e), g = s->grip[i];
    const double u[2] = {v[0] / root, v[1] / root};
    const double along[2] = {u[0] * d[0][0] + u[1] * d[0][1], u[0] * d[1][0] + u[1] * d[1][1]};
    r.value += g * root;
    r.gradient[0] += g * along[0];
    r.gradient[1] += g * along[1];
    r.hessian[0] += g / root * (d[0][0] * d[0][0] + d[0][1] * d[0][1] - along[0] * along[0]);
    r.hessian[1] += g / root * (d[0][0] * d[1][0] + d[0][1] * d[1][1] - along[0] * along[1]);
    r.hessian[2] += g / root * (d[1][0] * d[1][0] + d[1][1] * d[1][1] - along[1] * along[1]);
    r.wrench[0] += g * u[0];
    r.wrench[1] += g * u[1];
    r.wrench[2] += g * (s->at[i][0] * u[1] - s->at[i][1] * u[0]);
  }
  return r;
}

static void newton_direction(const twist_family *f, const smooth_value *r, double p[2])
{
  if (f->dimension == 1) {
    p[0] = -r->gradient[0] / r->hessian[0];
    p[1] = 0.0;
    return;
  }
  const double *h = r->hessian, tiny = 1e-15 * (h[0] + h[2]);
  const double a = h[0] + tiny, c = h[2] + tiny, determinant = a * c - h[1] * h[1];
  p[0] = -(c * r->gradient[0] - h[1] * r->gradient[1]) / determinant;
  p[1] = -(a * r->gradient[1] - h[1] * r->gradient[0]) / determinant;
}

// How far to go along p: 1, or where that goes too far, a point found by bisection at which the slope is half of
// `slope` at most, of either sign. The function is convex, so there is one; slopes are used because rounding hides
// values.
static double line_search(const planar_supports *s, const twist_family *f, double e, const double x[2],
                          const double p[2], double slope)
{
  double low = 0.0, high = 1.0, step = 1.0;
  for (int k = 0; k < 100; ++k) {
    const double y[2] = {x[0] + step * p[0], x[1] + step * p[1]};
    const smooth_value t = smooth_dissipation(s, f, y, e);
    const double there = t.gradient[0] * p[0] + t.gradient[1] * p[1];
    if (fabs(there) <= 0.5 * fabs(slope) || (there < 0.0 && step == 1.0)) break;
    *(there < 0.0 ? &low : &high) = step;
    step = 0.5 * (low + high);
  }
  return step;
}

static void minimize_smooth(const planar_supports *s, const twist_family *f, double e, double x[2])
{
  for (int iteration = 0; iteration < 200; ++iteration) {
    const smooth_value r = smooth_dissipation(s, f, x, e);
    double p[2];
    newton_direction(f, &r, p);
    const double slope = r.gradient[0] * p[0] + r.gradient[1] * p[1];
    if (!(slope < -1e-30 * r.value)) return;
    const double step = line_search(s, f, e, x, p, slope);
    x[0] += step * p[0];
    x[1] += step * p[1];
    if (step * hypot(p[0], p[1]) <= 1e-16 * (1.0 + hypot(x[0], x[1]))) return;
  }
}

// The twist of the family that takes the least power, and the wrench that keeps it up. Speeds of about `speed` occur.
static void least_dissipation(const planar_supports *s, const twist_family *f, double speed, double twist[3],
                              double wrench[3])
{
  double x[2] = {0.0, 0.0}, e = speed;
  for (int k = 0; k < 13; ++k, e *= 0.1) minimize_smooth(s, f, e, x);
  family_twist(f, x, twist);
  const smooth_value r = smooth_dissipation(s, f, x, 10.0 * e);
  memcpy(wrench, r.wrench, sizeof r.wrench);
}

static double support_size(const planar_supports *s, const double about[2])
{
  double size = 0.0;
  for (int i = 0; i < s->count; ++i) size = fmax(size, hypot(s->at[i][0] - about[0], s->at[i][1] - about[1]));
  return size;
}

// The body moves with the finger's point, and turns about it as is easiest.
static void stick(const planar_supports *s, const planar_finger *f, planar_push *push)
{
  const double speed = hypot(f->velocity[0], f->velocity[1]), w = speed / support_size(s, f->at);
  const twist_family family = {
      .dimension = 1, .from = {f->velocity[0], f->velocity[1], 0.0}, .along = {{w * f->at[1], -w * f->at[0], w}}};
  double wrench[3];
  least_dissipation(s, &family, speed, push->twist, wrench);
  push->force[0] = wrench[0];
  push->force[1] = wrench[1];
}

// The force is on an edge of the cone. Of all twists at which it has the same power, the body takes the one with the
// least dissipation; the rate of all is such that the contact stays closed. False where that is not possible.
static bool slide(const planar_supports *s, const planar_finger *f, double side, planar_push *push)
{
  const double *n = f->normal, t[2] = {-n[1], n[0]};
  const double e[2] = {n[0] + side * f->friction * t[0], n[1] + side * f->friction * t[1]};
  const double length = hypot(e[0], e[1]), size = support_size(s, f->at);
  // At the contact: e . v = 1 is kept by v = e/|e|^2, by motion across e and by turning about the contact.
  const twist_family family = {
      .dimension = 2,
      .from = {e[0] / (length * length), e[1] / (length * length), 0.0},
      .along = {{-e[1] / length, e[0] / length, 0.0}, {f->at[1] / size, -f->at[0] / size, 1.0 / size}}};
  double twist[3], wrench[3], v[2];
  least_dissipation(s, &family, 1.0 / length, twist, wrench);
  point_velocity(f->at, twist, v);
  const double closing = f->velocity[0] * n[0] + f->velocity[1] * n[1], along = v[0] * n[0] + v[1] * n[1];
  if (!(along > 0.0)) return false;
  for (int k = 0; k < 3; ++k) push->twist[k] = twist[k] * closing / along;
  // The force is along e, and its power at e . v = 1 is what friction takes: so it is known where points are at rest,
  // too.
  const double power = planar_dissipation(s, twist, wrench);
  push->force[0] = power * e[0];
  push->force[1] = power * e[1];
  point_velocity(f->at, push->twist, v);
  return side * ((v[0] - f->velocity[0]) * t[0] + (v[1] - f->velocity[1]) * t[1]) <= 0.0;
}

planar_push planar_push_of(const planar_supports *s, const planar_finger *f)
{
  planar_push push = {.mode = PLANAR_APART};
  const double *n = f->normal;
  if (f->velocity[0] * n[0] + f->velocity[1] * n[1] <= 0.0) return push;
  stick(s, f, &push);
  const double fn = push.force[0] * n[0] + push.force[1] * n[1], ft = -push.force[0] * n[1] + push.force[1] * n[0];
  push.mode = PLANAR_STICK;
  if (fabs(ft) <= f->friction * fn) return push;
  // Friction pushes the body to the side where it is too slow.
  const double side = ft > 0.0 ? 1.0 : -1.0;
  push.mode = side > 0.0 ? PLANAR_SLIDE_RIGHT : PLANAR_SLIDE_LEFT;
  if (slide(s, f, side, &push)) return push;
  push.mode = side > 0.0 ? PLANAR_SLIDE_LEFT : PLANAR_SLIDE_RIGHT;
  if (slide(s, f, -side, &push)) return push;
  push.mode = PLANAR_JAM;
  return push;
}

// ---- elliptic integrals ----

void planar_elliptic(double k, double *K, double *E)
{
  double a = 1.0, b = sqrt(1.0 - k * k), c = k, sum = 0.5 * c * c, weight = 1.0;
  while (fabs(c) > 1e-17) {
    const double next = 0.5 * (a + b);
    c = 0.5 * (a - b);
    b = sqrt(a * b);
    a = next;
    sum += weight * c * c;
    weight *= 2.0;
    if (weight > 1e9) break;
  }
  *K = 2.0 * atan2(1.0, 0.0) / (2.0 * a);
  *E = *K * (1.0 - sum);
}

// With s the distance of a point of the ring from the centre of rotation, s^2 = R^2 + c^2 + 2 c R cos(p), both numbers
// are sums of the integrals of s and of 1/s over p, which are 4 (R + c) E(k) and 4 K(k) / (R + c), k^2 = 4 c R / (R +
// c)^2.
void planar_ring(double R, double c, double *force, double *moment)
{
  double K, E;
  planar_elliptic(2.0 * sqrt(c * R) / (R + c), &K, &E);
  const double turn = 4.0 * 2.0 * atan2(1.0, 0.0); // 2 pi, twice
  const double of_s = 4.0 * (R + c) * E, of_inverse = 4.0 * K / (R + c);
  *moment = (of_s + (R * R - c * c) * of_inverse) / turn;
  *force = c == 0.0 ? 0.0 : (of_s + (c * c - R * R) * of_inverse) / (turn * c);
}

// ---- sliding to rest ----

typedef struct slide_state {
  double q[3], v[3]; // place and angle, twist
} slide_state;

static slide_state slide_rate(const planar_supports *s, double mass, double inertia, const slide_state *at)
{
  planar_supports turned;
  const double c = cos(at->q[2]), sn = sin(at->q[2]);
  turned.count = s->count;
  for (int i = 0; i < s->count; ++i) {
    turned.at[i][0] = c * s->at[i][0] - sn * s->at[i][1];
    turned.at[i][1] = sn * s->at[i][0] + c * s->at[i][1];
    turned.grip[i] = s->grip[i];
  }
  slide_state rate;
  double wrench[3];
  planar_dissipation(&turned, at->v, wrench);
  memcpy(rate.q, at->v, sizeof rate.q);
  rate.v[0] = -wrench[0] / mass;
  rate.v[1] = -wrench[1] / mass;
  rate.v[2] = -wrench[2] / inertia;
  return rate;
}

static slide_state slide_moved(const slide_state *at, const slide_state *rate, double t)
{
  slide_state r;
  for (int k = 0; k < 3; ++k) {
    r.q[k] = at->q[k] + t * rate->q[k];
    r.v[k] = at->v[k] + t * rate->v[k];
  }
  return r;
}

static void slide_step(const planar_supports *s, double mass, double inertia, double h, slide_state *at)
{
  const slide_state k1 = slide_rate(s, mass, inertia, at);
  slide_state there = slide_moved(at, &k1, 0.5 * h);
  const slide_state k2 = slide_rate(s, mass, inertia, &there);
  there = slide_moved(at, &k2, 0.5 * h);
  const slide_state k3 = slide_rate(s, mass, inertia, &there);
  there = slide_moved(at, &k3, h);
  const slide_state k4 = slide_rate(s, mass, inertia, &there);
  for (int k = 0; k < 3; ++k) {
    at->q[k] += h / 6.0 * (k1.q[k] + 2.0 * k2.q[k] + 2.0 * k3.q[k] + k4.q[k]);
    at->v[k] += h / 6.0 * (k1.v[k] + 2.0 * k2.v[k] + 2.0 * k3.v[k] + k4.v[k]);
  }
}

// Time is measured by what is left of the velocity, which falls to nothing about linearly: steps shrink with it, and
// the time of rest is their sum.
planar_slide planar_slide_to_rest(const planar_supports *s, double mass, double inertia, const double twist[3],
                                  double fine)
{
  const double radius = sqrt(inertia / mass);
  slide_state at = {.v = {twist[0], twist[1], twist[2]}};
  planar_slide r = {0};
  const double begin = hypot(hypot(twist[0], twist[1]), radius * twist[2]);
  double speed = begin;
  while (speed > 1e-12 * begin) {
    const slide_state rate = slide_rate(s, mass, inertia, &at);
    const double slowing = hypot(hypot(rate.v[0], rate.v[1]), radius * rate.v[2]);
    const double h = fine * speed / slowing;
    slide_step(s, mass, inertia, h, &at);
    r.time += h;
    speed = hypot(hypot(at.v[0], at.v[1]), radius * at.v[2]);
  }
  r.way[0] = at.q[0];
  r.way[1] = at.q[1];
  r.angle = at.q[2];
  return r;
}
