// The certificate through the bodies is that of W.
#include "scene_generator.h"

#include "step/certify.h"
#include "step/sim.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "gives_back.h"
#include "near.h"

enum { SCENES = 200 };

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
  ts_system_describe(s->model, &s->kinematics, &s->contacts, NULL, 0, NULL, NULL, &s->arena, &s->system);
}

static void release(setup *s)
{
  ts_finder_release(&s->finder);
  ts_model_destroy(s->model);
  ts_arena_release(&s->arena);
}

// Rows that act on nothing have an entry in W that no body knows of.
static bool has_all_rows(const ts_system *system)
{
  for (int i = 0; i < system->count; ++i)
    if (system->blocks[i].active != (1u << system->dimension) - 1u) return false;
  return system->count > 0;
}

static double *random_numbers(setup *s, ts_random *random, double *x)
{
  const size_t rows = (size_t)s->system.count * (size_t)s->system.dimension;
  if (!x) x = ts_arena_doubles(&s->arena, rows);
  for (size_t k = 0; k < rows; ++k) x[k] = ts_random_normal(random);
  return x;
}

static void assert_alike(double a, double b)
{
  assert_near(a, b, 1e-11 * (fabs(a) + fabs(b)) + 1e-14);
}

static void bodies_tell_what_W_does(void **state)
{
  (void)state;
  int compared = 0, dimensions = 0;
  for (uint64_t seed = 1; seed <= SCENES; ++seed) {
    setup s;
    setup_scene(&s, seed);
    if (has_all_rows(&s.system)) {
      ts_random random;
      ts_random_init(&random, seed);
      ts_sim sim = {0};
      const ts_step step = {.sim = &sim, .arena = &s.arena};
      const double *r = random_numbers(&s, &random, NULL);
      random_numbers(&s, &random, s.system.q);
      ts_friction_measures by_bodies, by_W;
      assert_false(ts_system_is_complete(&s.system));
      assert_gives_back(&s.arena, ts_step_certify(&step, &s.system, r, &by_bodies));
      ts_system_complete(&s.system, NULL, 0, &s.arena);
      assert_true(ts_system_is_complete(&s.system));
      ts_step_certify(&step, &s.system, r, &by_W);
      assert_alike(by_bodies.scaled, by_W.scaled);
      assert_alike(by_bodies.fclib, by_W.fclib);
      assert_alike(by_bodies.velocity_error, by_W.velocity_error);
      assert_alike(by_bodies.data_speed, by_W.data_speed);
      assert_alike(by_bodies.penetration_velocity, by_W.penetration_velocity);
      assert_alike(by_bodies.cone_violation, by_W.cone_violation);
      ++compared;
      dimensions |= 1 << s.system.dimension;
    }
    release(&s);
  }
  assert_true(compared > 40);
  assert_int_equal(dimensions & (1 << 2 | 1 << 3), 1 << 2 | 1 << 3);
}

static void what_is_no_number_is_not_certified(void **state)
{
  (void)state;
  setup s;
  uint64_t seed = 1;
  for (setup_scene(&s, seed); !has_all_rows(&s.system); setup_scene(&s, ++seed)) release(&s);
  ts_random random;
  ts_random_init(&random, seed);
  ts_sim sim = {0};
  const ts_step step = {.sim = &sim, .arena = &s.arena};
  double *r = random_numbers(&s, &random, NULL);
  ts_friction_measures measures;
  random_numbers(&s, &random, s.system.q)[0] = NAN;
  assert_true(isnan(ts_step_certify(&step, &s.system, r, &measures)));
  random_numbers(&s, &random, s.system.q);
  r[0] = INFINITY;
  assert_true(isnan(ts_step_certify(&step, &s.system, r, &measures)));
  release(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_tell_what_W_does),
      cmocka_unit_test(what_is_no_number_is_not_certified),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
