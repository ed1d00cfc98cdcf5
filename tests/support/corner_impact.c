#include "corner_impact.h"

#include <stdlib.h>

static ts_vec3 vector_within(ts_random *random, double size, bool planar)
{
  const double x = ts_random_uniform(random, -size, size), y = ts_random_uniform(random, -size, size),
               z = ts_random_uniform(random, -size, size);
  return (ts_vec3){x, y, planar ? 0.0 : z};
}

// Rays about a random axis, all as steep: the corner of a pyramid.
static void make_pyramid(ts_random *random, corner_impact *c)
{
  const double turn = 2.0 * TS_PI / c->faces, wide = ts_random_uniform(random, 0.5, 2.0);
  const ts_vec3 axis = ts_normalize(vector_within(random, 1.0, false), (ts_vec3){0.0, 0.0, 1.0});
  const ts_vec3 x = ts_tangent_of(axis), y = ts_cross(axis, x);
  const double start = ts_random_uniform(random, 0.0, turn);
  for (int i = 0; i < c->faces; ++i) {
    const double angle = start + turn * (i + ts_random_uniform(random, -0.3, 0.3));
    const ts_vec3 out = ts_add(ts_scale(wide * cos(angle), x), ts_scale(wide * sin(angle), y));
    c->rays[i] = ts_add_scaled(out, -1.0, axis);
  }
  for (int i = 0; i < c->faces; ++i)
    c->normals[i] = ts_normalize(ts_cross(c->rays[i], c->rays[(i + 1) % c->faces]), axis);
}

// Two rays, each the edge that it is; the solid lies to the left of the first.
static void make_wedge(ts_random *random, corner_impact *c)
{
  const double start = ts_random_uniform(random, -3.1, 3.1), opening = ts_random_uniform(random, 0.7, 2.6);
  c->rays[0] = (ts_vec3){cos(start), sin(start), 0.0};
  c->rays[1] = (ts_vec3){cos(start + opening), sin(start + opening), 0.0};
  c->normals[0] = (ts_vec3){c->rays[0].y, -c->rays[0].x, 0.0};
  c->normals[1] = (ts_vec3){-c->rays[1].y, c->rays[1].x, 0.0};
}

static ts_vec3 free_velocity(const corner_impact *c)
{
  return ts_add(c->linear, ts_cross(c->angular, c->arm));
}

static double outside(const corner_impact *c)
{
  double most = -INFINITY;
  for (int i = 0; i < c->faces; ++i) most = fmax(most, ts_dot(c->normals[i], c->vertex));
  return most;
}

corner_impact corner_impact_random(ts_random *random, int faces, double friction)
{
  corner_impact c = {.planar = faces == 2, .faces = faces, .friction = friction, .h = 0.01};
  (c.planar ? make_wedge : make_pyramid)(random, &c);
  c.arm = vector_within(random, 0.3, c.planar);
  const double ix = ts_random_uniform(random, 5.0, 50.0), iy = ts_random_uniform(random, 5.0, 50.0);
  c.inverse_inertia = (ts_vec3){c.planar ? 0.0 : ix, c.planar ? 0.0 : iy, ts_random_uniform(random, 5.0, 50.0)};
  if (!c.planar) { // of a body: no moment is larger than the sum of the others
    const ts_vec3 half = {0.01 + 0.5 / ix, 0.01 + 0.5 / iy, 0.02};
    c.inverse_inertia = (ts_vec3){1.0 / (half.y + half.z), 1.0 / (half.x + half.z), 1.0 / (half.x + half.y)};
  }
  do c.vertex = vector_within(random, 0.015, c.planar);
  while (outside(&c) < 1e-5);
  c.linear = ts_add_scaled(vector_within(random, 1.0, c.planar), -1.5, ts_normalize(c.vertex, c.rays[0]));
  const ts_vec3 spin = vector_within(random, 2.0, false);
  c.angular = c.planar ? (ts_vec3){0.0, 0.0, spin.z} : (ts_vec3){0.0, 0.0, 0.0};
  return c;
}

// What an impulse at the vertex makes of its velocity.
static ts_vec3 response(const corner_impact *c, ts_vec3 impulse)
{
  const ts_vec3 m = ts_cross(c->arm, impulse), i = c->inverse_inertia;
  return ts_add(impulse, ts_cross((ts_vec3){i.x * m.x, i.y * m.y, i.z * m.z}, c->arm));
}

ts_vec3 corner_vertex_velocity(const corner_impact *c, ts_vec3 impulse)
{
  return ts_add(free_velocity(c), response(c, impulse));
}

double corner_gap(const corner_impact *c, int face, ts_vec3 impulse)
{
  return ts_dot(c->normals[face], ts_add_scaled(c->vertex, c->h, corner_vertex_velocity(c, impulse)));
}

double corner_phi(const corner_impact *c, ts_vec3 impulse)
{
  double phi = -INFINITY;
  for (int i = 0; i < c->faces; ++i) phi = fmax(phi, corner_gap(c, i, impulse));
  return phi;
}

double corner_measure(const corner_impact *c, ts_vec3 impulse)
{
  return 0.5 * ts_dot(impulse, response(c, impulse));
}

int corner_entry(const corner_impact *c)
{
  const ts_vec3 none = {0.0, 0.0, 0.0};
  double last = -1.0;
  int entry = -1;
  if (corner_phi(c, none) >= 0.0) return -1;
  for (int i = 0; i < c->faces; ++i) {
    const double now = ts_dot(c->normals[i], c->vertex), then = corner_gap(c, i, none);
    if (now > 0.0 && now / (now - then) > last) last = now / (now - then), entry = i;
  }
  return entry;
}

// ---- answers -------------------------------------------------------------------------------------------------------

// A = rows, by elimination with the largest pivots. False where it is singular.
static bool solve(int n, double A[6][7], double *x)
{
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i)
      if (fabs(A[i][k]) > fabs(A[pivot][k])) pivot = i;
    if (fabs(A[pivot][k]) < 1e-9) return false;
    for (int j = 0; j <= n; ++j) {
      const double other = A[k][j];
      A[k][j] = A[pivot][j];
      A[pivot][j] = other;
    }
    for (int i = k + 1; i < n; ++i)
      for (int j = n; j >= k; --j) A[i][j] -= A[i][k] / A[k][k] * A[k][j];
  }
  for (int k = n - 1; k >= 0; --k) {
    x[k] = A[k][n];
    for (int j = k + 1; j < n; ++j) x[k] -= A[k][j] * x[j];
    x[k] /= A[k][k];
  }
  return true;
}

typedef enum mode { STICKS, SLIPS, SLIPS_BACK, MODES } mode;

// Unknown impulses and the velocities that are asked for, a direction each.
typedef struct mode_problem {
  int count, face[6];
  ts_vec3 along[6], asked[6];
  double speed[6];
} mode_problem;

static void add_unknown(mode_problem *p, int face, ts_vec3 along, ts_vec3 asked, double speed)
{
  p->face[p->count] = face;
  p->along[p->count] = along;
  p->asked[p->count] = asked;
  p->speed[p->count++] = speed;
}

static ts_vec3 tangent(ts_vec3 n)
{
  return (ts_vec3){n.y, -n.x, 0.0};
}

static void add_face(const corner_impact *c, int face, mode how, mode_problem *p)
{
  const ts_vec3 n = c->normals[face], t = tangent(n);
  const double speed = -ts_dot(n, c->vertex) / c->h, sign = how == SLIPS ? 1.0 : -1.0;
  const bool rubs = c->friction > 0.0;
  add_unknown(p, face, rubs && how != STICKS ? ts_add_scaled(n, -sign * c->friction, t) : n, n, speed);
  if (rubs && how == STICKS) add_unknown(p, face, t, t, 0.0);
}

static bool find_impulses(const corner_impact *c, const mode_problem *p, double *x)
{
  double A[6][7];
  for (int i = 0; i < p->count; ++i) {
    for (int j = 0; j < p->count; ++j) A[i][j] = ts_dot(p->asked[i], response(c, p->along[j]));
    A[i][p->count] = p->speed[i] - ts_dot(p->asked[i], free_velocity(c));
  }
  return solve(p->count, A, x);
}

// Signs of impulses, cones, and slip against friction.
static bool obeys_laws(const corner_impact *c, const mode_problem *p, const mode *modes, const double *x, ts_vec3 u)
{
  for (int k = 0; k < p->count; ++k) {
    const ts_vec3 t = tangent(c->normals[p->face[k]]);
    const bool is_normal = k == 0 || p->face[k] != p->face[k - 1];
    if (is_normal && !(x[k] > 0.0)) return false;
    if (!is_normal && fabs(x[k]) > c->friction * x[k - 1] + 1e-12) return false;
    if (c->friction == 0.0 || modes[p->face[k]] == STICKS) continue;
    if ((modes[p->face[k]] == SLIPS ? 1.0 : -1.0) * ts_dot(t, u) < -1e-10) return false;
  }
  return true;
}

static void try_modes(const corner_impact *c, unsigned pushing, const mode *modes, corner_answer *answers, int *count)
{
  mode_problem p = {0};
  double x[6] = {0.0};
  for (int i = 0; i < c->faces; ++i)
    if (pushing >> i & 1u) add_face(c, i, modes[i], &p);
  if (!find_impulses(c, &p, x)) return;
  ts_vec3 impulse = {0.0, 0.0, 0.0};
  for (int k = 0; k < p.count; ++k) impulse = ts_add_scaled(impulse, x[k], p.along[k]);
  if (fabs(corner_phi(c, impulse)) > 1e-12 && pushing != 0) return; // the faces that push are touched, others behind
  if (pushing == 0 && corner_phi(c, impulse) < 0.0) return;
  if (!obeys_laws(c, &p, modes, x, corner_vertex_velocity(c, impulse))) return;
  if (*count < CORNER_ANSWERS) answers[(*count)++] = (corner_answer){pushing, impulse};
}

int corner_answers(const corner_impact *c, corner_answer *answers)
{
  const int most = c->planar ? 2 : 3, kinds = c->planar && c->friction > 0.0 ? MODES : 1;
  int count = 0;
  if (!c->planar && c->friction > 0.0) abort();
  for (unsigned pushing = 0; pushing < 1u << c->faces; ++pushing) {
    if (__builtin_popcount(pushing) > most) continue;
    for (int first = 0; first < kinds; ++first)
      for (int second = 0; second < kinds; ++second) {
        const bool used[2] = {pushing & 1u, pushing >> 1 & 1u};
        if ((first > 0 && !used[0]) || (second > 0 && !used[1])) continue;
        const mode modes[CORNER_FACES] = {(mode)first, (mode)second};
        try_modes(c, pushing, modes, answers, &count);
      }
  }
  return count;
}
