// The least impulses that push bodies alike, against a dense pseudo-inverse and the laws they must keep.
#include "scene_generator.h"

#include "contact/least_norm.h"

#include "base/random.h"
#include "math/dense.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "gives_back.h"
#include "near.h"

enum { SCENES = 300 };

typedef struct setup {
  ts_arena arena;
  jmp_buf recovery;
  ts_model *model;
  ts_state state;
  ts_kinematics kinematics;
  ts_finder finder;
  ts_contact_set contacts;
  ts_system system;
} setup;

static void setup_scene(setup *s, uint64_t seed)
{
  memset(s, 0, sizeof *s);
  scene_recipe recipe = scene_recipe_random(seed);
  recipe.bodies = 2 + (int)(seed % 5);
  recipe.joints = recipe.drives = recipe.springs = recipe.anchors = false;
  recipe.ground = true;
  if (seed % 4 == 0) recipe.friction = 0.0;
  s->model = scene_generate(&recipe, seed, (scene_variant){.turn = ts_quat_identity()});
  ts_arena_init(&s->arena, NULL);
  s->arena.recovery = &s->recovery;
  if (setjmp(s->recovery)) fail_msg("memory ran out");
  const size_t bodies = (size_t)s->model->body_count;
  s->state = ts_state_allocate(s->model, 0, 0, &s->arena);
  s->kinematics.frame = ts_arena_bytes(&s->arena, bodies, sizeof *s->kinematics.frame);
  s->kinematics.inverse_inertia = ts_arena_bytes(&s->arena, bodies, sizeof *s->kinematics.inverse_inertia);
  ts_state_init(s->model, &s->state);
  ts_kinematics_update(s->model, &s->state, &s->kinematics);
  assert_true(ts_finder_init(&s->finder, s->model, NULL, &s->arena));
  assert_true(ts_find_contacts(&s->finder, &s->kinematics, s->state.velocity, 1e-3, 0.05, &s->arena, &s->contacts));
  ts_system_assemble(s->model, &s->kinematics, &s->contacts, NULL, 0, NULL, NULL, &s->arena, &s->system);
}

static void release(setup *s)
{
  ts_finder_release(&s->finder);
  ts_model_destroy(s->model);
  ts_arena_release(&s->arena);
}

static const double *axes_of(const ts_system *system, int i)
{
  static const double ones[3] = {1.0, 1.0, 1.0};
  return system->problem.ellipsoid ? system->problem.ellipsoid + (size_t)i * (size_t)(system->dimension - 1) : ones;
}

static bool is_free(const ts_system *system, int i, int k)
{
  return (system->blocks[i].active >> k & 1u) && (k == 0 || system->blocks[i].friction > 0.0);
}

// Random impulses in the cones, on their surface now and then.
static void random_impulses(const ts_system *system, ts_random *random, double *r)
{
  const int d = system->dimension;
  for (int i = 0; i < system->count; ++i) {
    double *p = r + (size_t)i * (size_t)d, size = 0.0;
    p[0] = ts_random_uniform(random, 0.1, 1.0);
    for (int k = 1; k < d; ++k) {
      p[k] = is_free(system, i, k) ? ts_random_normal(random) : 0.0;
      size += p[k] * p[k];
    }
    const double use =
        system->blocks[i].friction * p[0] * fmin(1.0, ts_random_uniform(random, 0.0, 1.3)) * (1.0 - 1e-12);
    for (int k = 1; k < d; ++k) p[k] *= size > 0.0 ? use * axes_of(system, i)[k - 1] / sqrt(size) : 0.0;
  }
}

static double friction_of(const ts_system *system, int i, const double *p)
{
  double sum = 0.0;
  for (int k = 1; k < system->dimension; ++k) sum += pow(p[k] / axes_of(system, i)[k - 1], 2.0);
  return sqrt(sum);
}

static bool in_cones(const ts_system *system, const double *r)
{
  for (int i = 0; i < system->count; ++i) {
    const double *p = r + (size_t)i * (size_t)system->dimension;
    if (p[0] < 0.0 || friction_of(system, i, p) > system->blocks[i].friction * p[0]) return false;
  }
  return true;
}

static double unit_of(const ts_system *system, int i, int k)
{
  return k == 3 ? axes_of(system, i)[2] : 1.0;
}

static double norm_of(const ts_system *system, const double *r)
{
  double sum = 0.0;
  for (int i = 0; i < system->count; ++i)
    for (int k = 0; k < system->dimension; ++k) sum += pow(r[i * system->dimension + k] / unit_of(system, i, k), 2.0);
  return sqrt(sum);
}

static double entry(const ts_system *system, int i, int side, int k, int c)
{
  const ts_twist row = ts_row_block_row(&system->jacobian[2 * i + side], k);
  if (c > 2 && system->model->bodies[system->blocks[i].body[side]].inertia.z.z == 0.0) return 0.0; // a particle
  const double all[6] = {row.linear.x, row.linear.y, row.linear.z, row.angular.x, row.angular.y, row.angular.z};
  return all[c];
}

// J^T, 6 rows a body of the model, in columns scaled by the units of the metric.
static double *dense_pushes(setup *s)
{
  const ts_system *system = &s->system;
  const int rows = 6 * s->model->body_count, columns = system->count * system->dimension;
  double *A = ts_arena_zeros(&s->arena, (size_t)rows * (size_t)columns);
  for (int i = 0; i < system->count; ++i)
    for (int k = 0; k < system->dimension; ++k)
      for (int side = 0; is_free(system, i, k) && side < 2; ++side)
        for (int c = 0; system->blocks[i].body[side] >= 0 && c < 6; ++c)
          A[(size_t)(i * system->dimension + k) * (size_t)rows + (size_t)(6 * system->blocks[i].body[side] + c)] =
              unit_of(system, i, k) * entry(system, i, side, k, c);
  return A;
}

// The least impulses without regard to cones. Returns the rank of J^T.
static int reference(setup *s, const double *r, double *least)
{
  const ts_system *system = &s->system;
  const int rows = 6 * s->model->body_count, columns = system->count * system->dimension;
  double *A = dense_pushes(s), *b = ts_arena_zeros(&s->arena, (size_t)(rows > columns ? rows : columns));
  for (int j = 0; j < columns; ++j)
    for (int c = 0; c < rows; ++c)
      b[c] += A[(size_t)j * (size_t)rows + (size_t)c] * r[j] /
              unit_of(system, j / system->dimension, j % system->dimension);
  const int rank = ts_minimum_norm(rows, columns, A, b, 1e-10, &s->arena);
  for (int j = 0; j < columns; ++j) least[j] = b[j] * unit_of(system, j / system->dimension, j % system->dimension);
  return rank;
}

// What impulses do to velocities: code that was there before.
static double change_of_motion(setup *s, const double *r, const double *r_0)
{
  const size_t bodies = (size_t)s->model->body_count, rows = (size_t)s->system.count * (size_t)s->system.dimension;
  ts_twist *a = ts_arena_bytes(&s->arena, bodies, sizeof *a), *b = ts_arena_bytes(&s->arena, bodies, sizeof *b);
  memset(a, 0, bodies * sizeof *a);
  memset(b, 0, bodies * sizeof *b);
  assert_gives_back(&s->arena, ts_system_apply(&s->system, r, a, NULL, &s->arena));
  ts_system_apply(&s->system, r_0, b, NULL, &s->arena);
  double scale = 0.0, apart = 0.0; // momenta, so that light bodies do not count more
  for (size_t k = 0; k < rows; ++k) scale = fmax(scale, fabs(r_0[k]));
  for (size_t i = 0; i < bodies; ++i)
    apart = fmax(apart, s->model->bodies[i].mass * ts_distance_of(a[i].linear, b[i].linear));
  return apart / scale;
}

// r is the least of a convex set if no other point y of it has r.(r - y) > 0. Of |r|^2.
static double excess_over(const ts_system *system, const double *r, const double *y)
{
  double sum = 0.0;
  for (int i = 0; i < system->count; ++i)
    for (int k = 0; k < system->dimension; ++k) {
      const size_t at = (size_t)(i * system->dimension + k);
      sum += r[at] * (r[at] - y[at]) / pow(unit_of(system, i, k), 2.0);
    }
  return sum / pow(norm_of(system, r), 2.0);
}

static bool all_push(const ts_system *system, const double *r)
{
  for (int i = 0; i < system->count; ++i)
    if (r[i * system->dimension] == 0.0) return false;
  return true;
}

static void least_impulses_do_the_same(void **state)
{
  (void)state;
  int outcomes[4] = {0}, exact = 0;
  double worst = 0.0;
  for (uint64_t seed = 1; seed <= SCENES; ++seed) {
    setup s;
    ts_random random;
    ts_random_init(&random, seed);
    setup_scene(&s, seed);
    const size_t rows = (size_t)s.system.count * (size_t)s.system.dimension;
    if (s.system.count > 0 && s.system.count < 60) {
      double *r_0 = ts_arena_zeros(&s.arena, rows), *r = ts_arena_zeros(&s.arena, rows);
      double *least = ts_arena_zeros(&s.arena, rows);
      bool *rests = ts_arena_bytes(&s.arena, (size_t)s.system.count, sizeof *rests);
      for (int i = 0; i < s.system.count; ++i) rests[i] = true;
      random_impulses(&s.system, &random, r_0);
      memcpy(r, r_0, rows * sizeof *r);
      const ts_resting resting = {&s.system, rests, 1.0};
      ts_least_outcome outcome;
      assert_gives_back(&s.arena, outcome = ts_least_norm(&resting, r, &s.arena));
      ++outcomes[outcome];
      int free_rows, rank;
      assert_gives_back(&s.arena, rank = ts_resting_rank(&resting, &free_rows, &s.arena));
      const int true_rank = reference(&s, r_0, least);
      if (rank != true_rank)
        fail_msg("seed %llu: rank %d, dense %d of %d rows", (unsigned long long)seed, rank, true_rank, free_rows);
      assert_true((outcome == TS_LEAST_UNIQUE) == (rank == free_rows));
      assert_true(in_cones(&s.system, r));
      assert_true(norm_of(&s.system, r) <= norm_of(&s.system, r_0) * (1.0 + 1e-12));
      const double apart = change_of_motion(&s, r, r_0);
      worst = fmax(worst, apart);
      if (apart > 1e-12) fail_msg("seed %llu: momentum changes by %g", (unsigned long long)seed, apart);
      assert_true(norm_of(&s.system, least) <= norm_of(&s.system, r) * (1.0 + 1e-9));
      if (outcome == TS_LEAST_FOUND && all_push(&s.system, r)) // cones that bind are narrower, which costs a little
        assert_true(excess_over(&s.system, r, r_0) < 1e-4);
      if (in_cones(&s.system, least) && outcome != TS_LEAST_UNIQUE) {
        for (size_t k = 0; k < rows; ++k) assert_near(r[k], least[k], 1e-8);
        ++exact;
      }
    }
    release(&s);
  }
  print_message("unique %d, least %d (%d with cones that do not bind), nearer %d, unchanged %d; momentum to %.2g\n",
                outcomes[0], outcomes[1], exact, outcomes[2], outcomes[3], worst);
  assert_true(outcomes[0] > 10 && outcomes[1] > 50 && exact > 20);
}

// Velocities that impulses a thousandth as large lead to.
static ts_twist *slow_velocities(setup *s, ts_random *random)
{
  const size_t bodies = (size_t)s->model->body_count, rows = (size_t)s->system.count * (size_t)s->system.dimension;
  ts_twist *v = ts_arena_bytes(&s->arena, bodies, sizeof *v);
  double *small = ts_arena_zeros(&s->arena, rows);
  memset(v, 0, bodies * sizeof *v);
  random_impulses(&s->system, random, small);
  for (size_t k = 0; k < rows; ++k) small[k] *= 1e-3;
  ts_system_apply(&s->system, small, v, NULL, &s->arena);
  return v;
}

// The largest momentum that is left of `v` after impulses r in place of r_0.
static double momentum_left(setup *s, const ts_twist *v, const double *r, const double *r_0)
{
  const size_t bodies = (size_t)s->model->body_count, rows = (size_t)s->system.count * (size_t)s->system.dimension;
  ts_twist *left = ts_arena_bytes(&s->arena, bodies, sizeof *left);
  double *change = ts_arena_doubles(&s->arena, rows), most = 0.0;
  memcpy(left, v, bodies * sizeof *left);
  for (size_t k = 0; k < rows; ++k) change[k] = r[k] - r_0[k];
  ts_system_apply(&s->system, change, left, NULL, &s->arena);
  for (size_t b = 0; b < bodies; ++b) {
    const ts_body *body = &s->model->bodies[b];
    if (body->kind != TS_DYNAMIC) continue;
    most = fmax(most, fmax(body->mass * ts_length(left[b].linear), ts_length(ts_mul(&body->inertia, left[b].angular))));
  }
  return most;
}

// Contacts that ask for nothing: r stops the bodies, and the guess leaves them as they were before the step.
static void balanced_impulses_hold(void **state)
{
  (void)state;
  int balanced = 0;
  for (uint64_t seed = 1; seed <= SCENES; ++seed) {
    setup s;
    ts_random random;
    ts_random_init(&random, seed);
    setup_scene(&s, seed);
    const size_t rows = (size_t)s.system.count * (size_t)s.system.dimension;
    if (s.system.count > 0 && s.system.count < 60) {
      double *r_0 = ts_arena_zeros(&s.arena, rows), *r = ts_arena_zeros(&s.arena, rows);
      double *guess = ts_arena_zeros(&s.arena, rows), *asked = ts_arena_zeros(&s.arena, rows);
      bool *rests = ts_arena_bytes(&s.arena, (size_t)s.system.count, sizeof *rests);
      for (int i = 0; i < s.system.count; ++i) rests[i] = true;
      random_impulses(&s.system, &random, r_0);
      memcpy(r, r_0, rows * sizeof *r);
      const ts_twist *reached = slow_velocities(&s, &random), *old = slow_velocities(&s, &random);
      const ts_resting resting = {&s.system, rests, 1.0};
      const ts_balance_data data = {asked, old, reached};
      bool found;
      assert_gives_back(&s.arena, found = ts_balance(&resting, &data, r, guess, &s.arena));
      if (found) {
        ++balanced;
        assert_true(in_cones(&s.system, r) && in_cones(&s.system, guess));
        assert_true(momentum_left(&s, reached, r, r_0) <= 1e-11);
        assert_true(momentum_left(&s, old, r, guess) <= 1e-11); // what the guess leaves out stopped it
      }
    }
    release(&s);
  }
  print_message("balanced %d of %d\n", balanced, SCENES);
  assert_true(balanced > 50);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(least_impulses_do_the_same),
      cmocka_unit_test(balanced_impulses_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
