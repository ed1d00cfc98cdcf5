#include "friction_generator.h"

#include "base/random.h"
#include "math/dense.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORLD = -1 };

// ---- bodies and the directions their points move in ----------------------------------------------------------------

typedef struct direction { // velocity of a body fixed point along `linear`, seen from the body's centre
  double linear[3], angular[3];
} direction;

typedef struct pair {
  int first, second; // bodies; the relative velocity is the first's minus the second's
} pair;

typedef struct mechanism {
  ts_arena *arena;
  ts_random random;
  bool planar;
  int bodies, freedoms; // of one body: 3 (x, y, angle) or 6
  int rows;             // bodies*freedoms
  int dimension, contacts, bilaterals;
  pair *pairs;      // of each contact
  double *inertia;  // freedoms x freedoms a body
  double *H, *G;    // dense, one column a contact row and a bilateral row
  double *velocity; // free velocity of the bodies
  double *mu, *ellipsoid;
} mechanism;

static void mechanism_init(mechanism *m, ts_arena *arena, int dimension, int bodies, int contacts, int bilaterals,
                           uint64_t seed)
{
  *m = (mechanism){.arena = arena,
                   .planar = dimension == 2,
                   .bodies = bodies,
                   .freedoms = dimension == 2 ? 3 : 6,
                   .dimension = dimension,
                   .contacts = contacts,
                   .bilaterals = bilaterals};
  ts_random_init(&m->random, seed);
  m->rows = m->bodies * m->freedoms;
  const size_t n = (size_t)m->rows, columns = (size_t)(dimension * contacts);
  m->pairs = ts_arena_bytes(arena, (size_t)contacts, sizeof *m->pairs);
  m->inertia = ts_arena_zeros(arena, n * (size_t)m->freedoms);
  m->H = ts_arena_zeros(arena, n * columns);
  m->G = ts_arena_zeros(arena, n * (size_t)bilaterals);
  m->velocity = ts_arena_zeros(arena, n);
  m->mu = ts_arena_zeros(arena, (size_t)contacts);
}

static void cross(const double *a, const double *b, double *c)
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalize(double *a)
{
  const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  for (int k = 0; k < 3; ++k) a[k] /= length;
}

static void random_unit(mechanism *m, double *a)
{
  for (int k = 0; k < 3; ++k) a[k] = m->planar && k == 2 ? 0.0 : ts_random_normal(&m->random);
  normalize(a);
}

// Tangents that complete the normal to a right-handed frame; in the plane the first lies in it.
static void tangents(const mechanism *m, const double *normal, double *first, double *second)
{
  const double across[3] = {fabs(normal[0]) < 0.7, fabs(normal[0]) >= 0.7, 0.0}, up[3] = {0.0, 0.0, 1.0};
  cross(m->planar ? up : across, normal, first);
  normalize(first);
  cross(normal, first, second);
}

static void add_direction(const mechanism *m, double *column, int body, double sign, const direction *d)
{
  if (body == WORLD) return;
  double *at = column + (size_t)body * (size_t)m->freedoms;
  if (m->planar) {
    at[0] += sign * d->linear[0];
    at[1] += sign * d->linear[1];
    at[2] += sign * d->angular[2];
    return;
  }
  for (int k = 0; k < 3; ++k) {
    at[k] += sign * d->linear[k];
    at[3 + k] += sign * d->angular[k];
  }
}

// Relative velocity along `axis` of the points at arms `first` and `second` of the pair.
static void add_point_row(const mechanism *m, double *column, pair p, const double *first, const double *second,
                          const double *axis)
{
  direction d;
  memcpy(d.linear, axis, sizeof d.linear);
  cross(first, axis, d.angular);
  add_direction(m, column, p.first, 1.0, &d);
  cross(second, axis, d.angular);
  add_direction(m, column, p.second, -1.0, &d);
}

// The rows of contact i: normal, tangents, and the spin about the normal.
static void add_contact(mechanism *m, int i, pair p, const double *normal, const double *first, const double *second)
{
  double t1[3], t2[3];
  const size_t n = (size_t)m->rows;
  double *column = m->H + (size_t)(i * m->dimension) * n;
  m->pairs[i] = p;
  tangents(m, normal, t1, t2);
  add_point_row(m, column, p, first, second, normal);
  add_point_row(m, column + n, p, first, second, t1);
  if (m->dimension > 2) add_point_row(m, column + 2 * n, p, first, second, t2);
  if (m->dimension > 3) {
    direction spin = {{0.0}, {normal[0], normal[1], normal[2]}};
    add_direction(m, column + 3 * n, p.first, 1.0, &spin);
    add_direction(m, column + 3 * n, p.second, -1.0, &spin);
  }
}

// ---- from the mechanism to the problem ------------------------------------------------------------------------------

// The matrix without its zeros.
static ts_matrix to_sparse(ts_arena *arena, const double *dense, int rows, int columns)
{
  int *start = ts_arena_ints(arena, (size_t)columns + 1);
  int count = 0;
  for (int k = 0; k < rows * columns; ++k) count += dense[k] != 0.0;
  int *index = ts_arena_ints(arena, (size_t)count);
  double *value = ts_arena_doubles(arena, (size_t)count);
  count = 0;
  for (int j = 0; j < columns; ++j) {
    start[j] = count;
    for (int i = 0; i < rows; ++i) {
      const double entry = dense[(size_t)j * (size_t)rows + (size_t)i];
      if (entry == 0.0) continue;
      index[count] = i;
      value[count++] = entry;
    }
  }
  start[columns] = count;
  return (ts_matrix){rows, columns, start, index, value};
}

static double *mass_matrix(const mechanism *m)
{
  const size_t n = (size_t)m->rows, f = (size_t)m->freedoms;
  double *M = ts_arena_zeros(m->arena, n * n);
  for (size_t body = 0; body < (size_t)m->bodies; ++body)
    for (size_t j = 0; j < f; ++j)
      for (size_t i = 0; i < f; ++i) M[(body * f + j) * n + body * f + i] = m->inertia[(body * f + j) * f + i];
  return M;
}

// L^-1 B for M = L L^T, so that products B^T M^-1 C are symmetric to the last bit.
static double *mass_weighted(const mechanism *m, const double *B, int columns)
{
  const int f = m->freedoms, n = m->rows;
  double *X = ts_arena_doubles(m->arena, (size_t)n * (size_t)columns);
  double *L = ts_arena_doubles(m->arena, (size_t)(f * f));
  memcpy(X, B, (size_t)n * (size_t)columns * sizeof *X);
  for (int body = 0; body < m->bodies && columns > 0; ++body) {
    memcpy(L, m->inertia + (size_t)(body * f * f), (size_t)(f * f) * sizeof *L);
    if (!ts_cholesky_factor(f, L)) abort(); // the generators draw positive definite inertias
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, f, columns, 1.0, L, f, X + body * f,
                n);
  }
  return X;
}

static bool share_a_body(pair a, pair b)
{
  return (a.first != WORLD && (a.first == b.first || a.first == b.second)) ||
         (a.second != WORLD && (a.second == b.first || a.second == b.second));
}

static ts_block_matrix contact_matrix(const mechanism *m, const double *X)
{
  const int d = m->dimension, n = m->rows;
  int *start = ts_arena_ints(m->arena, (size_t)m->contacts + 1);
  int *index = ts_arena_ints(m->arena, (size_t)m->contacts * (size_t)m->contacts);
  int count = 0;
  for (int i = 0; i < m->contacts; ++i) {
    start[i] = count;
    for (int j = 0; j < m->contacts; ++j)
      if (i == j || share_a_body(m->pairs[i], m->pairs[j])) index[count++] = j;
  }
  start[m->contacts] = count;
  double *value = ts_arena_doubles(m->arena, (size_t)count * (size_t)(d * d));
  for (int i = 0; i < m->contacts; ++i)
    for (int k = start[i]; k < start[i + 1]; ++k)
      for (int b = 0; b < d; ++b)
        for (int a = 0; a < d; ++a)
          value[k * d * d + b * d + a] =
              cblas_ddot(n, X + (size_t)(i * d + a) * (size_t)n, 1, X + (size_t)(index[k] * d + b) * (size_t)n, 1);
  return (ts_block_matrix){m->contacts, d, start, index, value};
}

static ts_matrix dense_product(ts_arena *arena, const double *X, int columns_x, const double *Y, int columns_y, int n)
{
  double *value = ts_arena_doubles(arena, (size_t)columns_x * (size_t)columns_y);
  for (int j = 0; j < columns_y; ++j)
    for (int i = 0; i < columns_x; ++i)
      value[(size_t)j * (size_t)columns_x + (size_t)i] =
          cblas_ddot(n, X + (size_t)i * (size_t)n, 1, Y + (size_t)j * (size_t)n, 1);
  return (ts_matrix){.rows = columns_x, .columns = columns_y, .value = value};
}

static double *transposed_times(const mechanism *m, const double *B, int columns, const double *x)
{
  double *y = ts_arena_doubles(m->arena, (size_t)columns);
  for (int j = 0; j < columns; ++j) y[j] = cblas_ddot(m->rows, B + (size_t)j * (size_t)m->rows, 1, x, 1);
  return y;
}

static const int *first_rows(const mechanism *m)
{
  int *first = ts_arena_ints(m->arena, (size_t)m->bodies + 1);
  for (int b = 0; b <= m->bodies; ++b) first[b] = b * m->freedoms;
  return first;
}

static void fill_sample(const mechanism *m, bool with_bodies, friction_sample *sample)
{
  ts_arena *arena = m->arena;
  const int n = m->rows, rows = m->dimension * m->contacts;
  const double *X = mass_weighted(m, m->H, rows), *Y = mass_weighted(m, m->G, m->bilaterals), *M = mass_matrix(m);
  sample->bodies = (ts_bodies){.M = to_sparse(arena, M, n, n),
                                .H = to_sparse(arena, m->H, n, rows),
                                .count = m->bodies,
                                .first = first_rows(m)};
  ts_friction local = {.dimension = m->dimension,
                       .contacts = m->contacts,
                       .bilaterals = m->bilaterals,
                       .W = contact_matrix(m, X),
                       .q = transposed_times(m, m->H, rows, m->velocity),
                       .mu = m->mu,
                       .ellipsoid = m->ellipsoid};
  ts_global_friction global = {.dimension = m->dimension,
                               .contacts = m->contacts,
                               .bilaterals = m->bilaterals,
                               .M = sample->bodies.M,
                               .H = sample->bodies.H,
                               .f = transposed_times(m, M, n, m->velocity), // M is symmetric
                               .w = ts_arena_zeros(arena, (size_t)rows),
                               .mu = m->mu,
                               .ellipsoid = m->ellipsoid};
  if (m->bilaterals > 0) {
    local.V = dense_product(arena, X, rows, Y, m->bilaterals, n);
    local.R = dense_product(arena, Y, m->bilaterals, Y, m->bilaterals, n);
    local.s = transposed_times(m, m->G, m->bilaterals, m->velocity);
    global.G = to_sparse(arena, m->G, n, m->bilaterals);
    global.b = ts_arena_zeros(arena, (size_t)m->bilaterals);
  } else if (with_bodies) {
    local.bodies = &sample->bodies;
  }
  sample->local = ts_problem_friction(local);
  sample->global = ts_problem_global_friction(global);
}

static friction_sample *sample_create(void)
{
  friction_sample *sample = calloc(1, sizeof *sample);
  if (!sample) abort();
  ts_arena_init(&sample->arena, NULL);
  return sample;
}

void friction_sample_destroy(friction_sample *sample)
{
  if (!sample) return;
  ts_arena_release(&sample->arena);
  free(sample);
}

// ---- any problem ----------------------------------------------------------------------------------------------------

friction_recipe friction_recipe_draw(uint64_t seed)
{
  ts_random random;
  ts_random_init(&random, seed ^ UINT64_C(0x5eed0f2ec19e));
  friction_recipe recipe = {.dimension = 2 + ts_random_below(&random, 3), .most_mu = 2.0};
  const int freedoms = recipe.dimension == 2 ? 3 : 6;
  recipe.contacts = 1 + ts_random_below(&random, 40);
  const int rows = recipe.contacts * recipe.dimension;
  const bool deficient = ts_random_below(&random, 2) == 0;
  recipe.bodies = deficient ? 1 + ts_random_below(&random, 1 + rows / (2 * freedoms)) : 2 + rows / freedoms;
  recipe.ellipsoid = ts_random_below(&random, 2) == 0;
  recipe.joints = ts_random_below(&random, 3) == 0 ? 1 + ts_random_below(&random, (recipe.bodies + 1) / 2) : 0;
  recipe.redundant_joint = recipe.joints > 0 && ts_random_below(&random, 4) == 0;
  recipe.with_bodies = recipe.joints == 0 && ts_random_below(&random, 2) == 0;
  return recipe;
}

// Mass and inertia of a solid of random size; the inertia's axes are turned at random.
static void draw_inertia(mechanism *m, int body)
{
  const int f = m->freedoms;
  double *block = m->inertia + (size_t)(body * f * f);
  const double mass = exp(ts_random_uniform(&m->random, -1.5, 1.5));
  if (m->planar) {
    block[0] = block[4] = mass;
    block[8] = mass * ts_random_uniform(&m->random, 0.1, 0.8);
    return;
  }
  double axes[3][3];
  random_unit(m, axes[0]);
  tangents(m, axes[0], axes[1], axes[2]);
  for (int k = 0; k < 3; ++k) {
    const double moment = mass * ts_random_uniform(&m->random, 0.1, 0.8);
    block[k * f + k] = mass;
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) block[(3 + j) * f + 3 + i] += moment * axes[k][i] * axes[k][j];
  }
}

static pair draw_pair(mechanism *m)
{
  pair p = {ts_random_below(&m->random, m->bodies), WORLD};
  if (m->bodies > 1 && ts_random_uniform(&m->random, 0.0, 1.0) < 0.7)
    p.second = (p.first + 1 + ts_random_below(&m->random, m->bodies - 1)) % m->bodies;
  return p;
}

static void draw_arm(mechanism *m, double *arm)
{
  random_unit(m, arm);
  const double length = ts_random_uniform(&m->random, 0.3, 1.5);
  for (int k = 0; k < 3; ++k) arm[k] *= length;
}

static void draw_contact(mechanism *m, int i, const friction_recipe *recipe)
{
  double normal[3], first[3], second[3];
  const pair p = draw_pair(m);
  random_unit(m, normal);
  draw_arm(m, first);
  draw_arm(m, second);
  add_contact(m, i, p, normal, first, second);
  const bool frictionless = recipe->least_mu == 0.0 && ts_random_below(&m->random, 10) == 0;
  m->mu[i] = frictionless ? 0.0 : ts_random_uniform(&m->random, recipe->least_mu, recipe->most_mu);
}

// Joints hold a point of a body to one of another, or to the world.
static void draw_joints(mechanism *m, const friction_recipe *recipe)
{
  const int axes = m->planar ? 2 : 3;
  const size_t n = (size_t)m->rows, joint = n * (size_t)axes;
  for (int k = 0; k < recipe->joints; ++k) {
    double first[3], second[3];
    const pair p = draw_pair(m);
    draw_arm(m, first);
    draw_arm(m, second);
    for (int a = 0; a < axes; ++a) {
      const double axis[3] = {a == 0, a == 1, a == 2};
      add_point_row(m, m->G + (size_t)k * joint + (size_t)a * n, p, first, second, axis);
    }
  }
  if (recipe->redundant_joint)
    memcpy(m->G + (size_t)recipe->joints * joint, m->G + (size_t)(recipe->joints - 1) * joint, joint * sizeof *m->G);
}

friction_sample *friction_sample_create(const friction_recipe *recipe, uint64_t seed)
{
  friction_sample *sample = sample_create();
  const int stated_joints = recipe->joints + (recipe->redundant_joint ? 1 : 0);
  mechanism m;
  mechanism_init(&m, &sample->arena, recipe->dimension, recipe->bodies, recipe->contacts,
                 stated_joints * (recipe->dimension == 2 ? 2 : 3), seed);
  for (int body = 0; body < m.bodies; ++body) draw_inertia(&m, body);
  for (int i = 0; i < m.contacts; ++i) draw_contact(&m, i, recipe);
  draw_joints(&m, recipe);
  for (int k = 0; k < m.rows; ++k) m.velocity[k] = ts_random_normal(&m.random);
  if (recipe->ellipsoid) {
    const size_t axes = (size_t)(m.contacts * (m.dimension - 1));
    m.ellipsoid = ts_arena_doubles(m.arena, axes);
    for (size_t k = 0; k < axes; ++k) m.ellipsoid[k] = ts_random_uniform(&m.random, 0.3, 2.0);
  }
  fill_sample(&m, recipe->with_bodies, sample);
  return sample;
}

// ---- the spheres of 002 ---------------------------------------------------------------------------------------------

// The bodies that contact k holds together, and its normal from the second to the first.
static pair draw_sphere_pair(mechanism *m, int k, double *normal)
{
  static const double up[3] = {0.0, 0.0, 1.0};
  if (k < m->bodies) {
    if (k == 0 || ts_random_below(&m->random, 2) == 0) {
      memcpy(normal, up, sizeof up);
      return (pair){k, WORLD};
    }
    random_unit(m, normal);
    if (normal[2] < 0.0)
      for (int a = 0; a < 3; ++a) normal[a] = -normal[a];
    return (pair){k, ts_random_below(&m->random, k)};
  }
  random_unit(m, normal);
  const int first = ts_random_below(&m->random, m->bodies);
  if (m->bodies == 1) return (pair){first, WORLD};
  return (pair){first, (first + 1 + ts_random_below(&m->random, m->bodies - 1)) % m->bodies};
}

friction_sample *friction_sample_spheres(int bodies, int contacts, double mu, uint64_t seed)
{
  const double mass = 1.0, moment = 0.4, gravity = 9.81, duration = 0.01;
  friction_sample *sample = sample_create();
  mechanism m;
  mechanism_init(&m, &sample->arena, 3, bodies, contacts, 0, seed);
  for (int body = 0; body < bodies; ++body)
    for (int k = 0; k < 6; ++k) m.inertia[body * 36 + k * 7] = k < 3 ? mass : moment;
  for (int k = 0; k < contacts; ++k) {
    double normal[3], inward[3];
    const pair p = draw_sphere_pair(&m, k, normal);
    for (int a = 0; a < 3; ++a) inward[a] = -normal[a]; // the point of the first sphere that touches
    add_contact(&m, k, p, normal, inward, normal);
    m.mu[k] = mu;
  }
  for (int k = 0; k < m.rows; ++k)
    m.velocity[k] = ts_random_normal(&m.random) - (k % 6 == 2 ? gravity * duration : 0.0);
  fill_sample(&m, true, sample);
  return sample;
}
