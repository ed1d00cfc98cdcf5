// Steps that are taken in parts: their contacts account for the whole of the step. A solver with one iteration fails
// often, so that steps are cut.
#include "scene_generator.h"
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "near.h"

enum { MOST_BODIES = 32 };

static void must(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

// Momenta of the bodies.
static void read_momenta(const ts_sim *sim, ts_vec3 *momentum)
{
  const ts_model *model = ts_sim_model(sim);
  for (int b = 0; b < ts_model_body_count(model); ++b) {
    const ts_quat turn = ts_sim_pose(sim, b).orientation;
    const ts_vec3 arm = ts_quat_rotate(turn, ts_model_body_centre(model, b));
    momentum[b] = ts_scale(ts_model_body_mass(model, b), ts_twist_at(ts_sim_velocity(sim, b), arm));
  }
}

// What the contacts gave to the bodies; `scale` grows to the largest impulse. Returns how many let go within the step.
static int add_impulses(const ts_sim *sim, ts_vec3 *momentum, double *scale)
{
  int count, let_go = 0;
  const ts_contact *contacts = ts_sim_contacts(sim, &count);
  assert_int_equal(count, ts_sim_report(sim)->contacts);
  for (int i = 0; i < count; ++i) {
    const ts_vec3 force = ts_sim_contact_wrench(sim, i).force;
    momentum[contacts[i].body_1] = ts_add(momentum[contacts[i].body_1], force);
    momentum[contacts[i].body_2] = ts_sub(momentum[contacts[i].body_2], force);
    *scale = fmax(*scale, ts_length(force));
    let_go += contacts[i].mode == TS_SEPARATE && contacts[i].impulse[0] > 0.0;
  }
  return let_go;
}

typedef struct tally {
  int cut, let_go;
  double worst;
} tally;

// One step: m (v+ - v) = h m g + impulses for every body.
static void check_step(ts_sim *sim, ts_vec3 gravity, double h, uint64_t seed, tally *sum)
{
  ts_error error;
  const ts_model *model = ts_sim_model(sim);
  ts_vec3 expected[MOST_BODIES], reached[MOST_BODIES];
  double scale = 1e-6;
  read_momenta(sim, expected);
  must(ts_sim_step(sim, &error), &error);
  if (ts_sim_report(sim)->substeps < 2 || ts_sim_report(sim)->gained)
    return; // a gain that is taken back takes momentum
  ++sum->cut;
  sum->let_go += add_impulses(sim, expected, &scale);
  read_momenta(sim, reached);
  for (int b = 0; b < ts_model_body_count(model); ++b) {
    if (ts_model_body_kind(model, b) != TS_DYNAMIC) continue;
    scale = fmax(scale, ts_length(reached[b]));
    expected[b] = ts_add_scaled(expected[b], h * ts_model_body_mass(model, b), gravity);
    const double apart = ts_distance_of(expected[b], reached[b]) / scale;
    sum->worst = fmax(sum->worst, apart);
    if (apart > 1e-12) fail_msg("seed %llu, body %d: %g of the momentum missing", (unsigned long long)seed, b, apart);
  }
}

static void momentum_balances_over_a_cut_step(void **state)
{
  (void)state;
  tally sum = {0};
  for (uint64_t seed = 600000; seed < 600080; ++seed) {
    scene_recipe recipe = scene_recipe_random(seed);
    recipe.bodies += 4;
    recipe.joints = recipe.springs = recipe.forces = false;
    recipe.restitution = seed % 2 ? 0.8 : 0.0;
    recipe.speed += 1.0;
    ts_step_options options = ts_step_options_default();
    options.method = fixed_stepper((int)(seed / 2 % 2));
    options.impacts = seed % 2 ? TS_IMPACT_NEWTON : TS_IMPACT_INELASTIC;
    options.size = 1e-2;
    options.max_iterations = 1;
    options.max_substeps = 8;
    options.tolerance = 1e-12;
    ts_error error;
    ts_sim *sim;
    ts_model *model = scene_generate(&recipe, seed, (scene_variant){.turn = ts_quat_identity()});
    must(ts_sim_create(model, &options, NULL, &sim, &error), &error);
    const double g = recipe.gravity ? -9.81 : 0.0;
    const ts_vec3 gravity = recipe.space == TS_SPACE_2D ? (ts_vec3){0.0, g, 0.0} : (ts_vec3){0.0, 0.0, g};
    for (int step = 0; step < 4; ++step) check_step(sim, gravity, options.size, seed, &sum);
    ts_sim_destroy(sim);
    ts_model_destroy(model);
  }
  print_message("%d cut steps, %d contacts that let go within them; momentum missing: %.2g\n", sum.cut, sum.let_go,
                sum.worst);
  assert_true(sum.cut > 50 && sum.let_go > 10);
}

// Boxes leaning on each other at rest, each step cut: the floor carries their weight over the whole step.
static void a_cut_step_carries_the_weight(void **state)
{
  (void)state;
  world w;
  const double h = 4e-3, g = 9.81;
  world_init(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, (ts_vec3){0.0, 0.0, -g});
  const int floor = world_floor(&w);
  w.options.size = h;
  w.options.max_iterations = 1;
  w.options.max_substeps = 8;
  w.options.tolerance = 1e-14;
  static const char *const names[] = {"p", "q", "r", "s"};
  for (int k = 0; k < 4; ++k)
    world_add(&w, names[k], TS_DYNAMIC, 1.0, shape_box(0.2, 0.2, 0.2), (ts_vec3){0.02 * k, 0.01 * k, 0.1 + 0.2 * k});
  world_start(&w);
  int cut = 0;
  for (int step = 0; step < 20; ++step) {
    ts_error error;
    ts_vec3 before[MOST_BODIES], after[MOST_BODIES], total = {0.0, 0.0, 0.0}, carried = total;
    read_momenta(w.sim, before);
    must(ts_sim_step(w.sim, &error), &error);
    read_momenta(w.sim, after);
    cut += ts_sim_report(w.sim)->substeps > 1;
    int count;
    const ts_contact *contacts = ts_sim_contacts(w.sim, &count);
    for (int i = 0; i < count; ++i)
      if (contacts[i].body_2 == floor) carried = ts_add(carried, ts_sim_contact_wrench(w.sim, i).force);
    for (int b = 0; b < 5; ++b) total = ts_add(total, ts_sub(after[b], before[b]));
    assert_vec_near(carried, ts_add(total, (ts_vec3){0.0, 0.0, 4.0 * h * g}), 1e-13);
  }
  assert_true(cut > 0);
  world_release(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(momentum_balances_over_a_cut_step),
      cmocka_unit_test(a_cut_step_carries_the_weight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
