// Rows of bushings against differences of what they measure, and their energy against what the rows give.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <cmocka.h>

#include "mechanism.h"
#include "near.h"

#include "dynamics/bushings.h"
#include "dynamics/joint_rows.h"
#include "step/sim.h"

#include "base/random.h"

static ts_vec3 random_vector(ts_random *random, double size)
{
  return (ts_vec3){ts_random_uniform(random, -size, size), ts_random_uniform(random, -size, size),
                   ts_random_uniform(random, -size, size)};
}

// Two bodies, or one and the world, with a bushing that has all six stiffnesses, anywhere and anyhow.
static void build(world *w, ts_random *random, bool of_world)
{
  ts_error error;
  world_init(w, TS_SPACE_3D);
  const int a = mechanism_body(w, "a", 1.0, (ts_vec3){0.1, 0.2, 0.25}, random_vector(random, 1.0));
  const int b = mechanism_body(w, "b", 2.0, (ts_vec3){0.3, 0.2, 0.25}, random_vector(random, 1.0));
  ts_bushing_def def = ts_bushing_def_default();
  def.body[0] = of_world ? TS_WORLD : a;
  def.body[1] = b;
  def.at = random_vector(random, 1.0);
  def.orientation = ts_quat_exp(random_vector(random, 3.0));
  def.stiffness = (ts_vec3){10.0, 20.0, 30.0};
  def.angular_stiffness = (ts_vec3){1.0, 2.0, 3.0};
  def.damping = (ts_vec3){0.1, 0.2, 0.3};
  if (ts_builder_add_bushing(w->builder, &def, NULL, &error) != TS_OK) fail_msg("%s", error.text);
  world_start(w);
}

// Poses moved along twists for a time t.
static void move(ts_state *state, const ts_pose *from, const ts_twist *twist, double t)
{
  for (int b = 0; b < 2; ++b) {
    state->pose[b].position = ts_add_scaled(from[b].position, t, twist[b].linear);
    state->pose[b].orientation = ts_quat_product(ts_quat_exp(ts_scale(t, twist[b].angular)), from[b].orientation);
  }
}

static double component(const ts_bushing_place *at, int i)
{
  const ts_vec3 v = at->measure[i / 3];
  return i % 3 == 0 ? v.x : i % 3 == 1 ? v.y : v.z;
}

static void rates_are_differences(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    world w;
    ts_random random;
    ts_random_init(&random, seed);
    build(&w, &random, seed % 3 == 0);
    ts_state *s = &w.sim->state;
    const double size = seed % 5 == 0 ? 1e-4 : 1.7; // of turns: small ones, and up to nearly half a turn and beyond
    ts_pose from[2];
    ts_twist twist[2];
    for (int b = 0; b < 2; ++b) {
      s->pose[b].position = random_vector(&random, 1.0);
      s->pose[b].orientation = ts_quat_product(ts_quat_exp(random_vector(&random, size)), s->pose[b].orientation);
      from[b] = s->pose[b];
      twist[b] = (ts_twist){random_vector(&random, 1.0), random_vector(&random, 1.0)};
    }
    const ts_bushing_place at = ts_bushing_place_at(w.model, s, 0);
    ts_bilateral_row rows[TS_BUSHING_ROWS];
    assert_int_equal(ts_write_bushing_rows(w.model, s, 0, 1e-3, rows), 6);
    const double e = 1e-6;
    const bool jumps = ts_length(at.measure[1]) > TS_PI - 1e-3; // of the rotation vector
    move(s, from, twist, -e);
    const ts_bushing_place before = ts_bushing_place_at(w.model, s, 0);
    const double energy_before = ts_bushing_energy(w.model, s, 0);
    move(s, from, twist, e);
    const ts_bushing_place after = ts_bushing_place_at(w.model, s, 0);
    const double energy_after = ts_bushing_energy(w.model, s, 0);
    static const double k[] = {10.0, 20.0, 30.0, 1.0, 2.0, 3.0};
    double power = 0.0;
    for (int i = 0; i < 6 && !jumps; ++i) {
      const double rate = ts_row_rate(&rows[i].row, twist);
      assert_near(rate, (component(&after, i) - component(&before, i)) / (2.0 * e), 2e-8);
      power += k[i] * component(&at, i) * rate;
    }
    if (!jumps) assert_near(power, (energy_after - energy_before) / (2.0 * e), 1e-6);
    world_release(&w);
  }
}

// A rotation by an angle about an axis has the vector axis times angle, up to half a turn; beyond it goes the other
// way.
static void rotations_are_measured_up_to_half_a_turn(void **state)
{
  (void)state;
  static const double angles[] = {0.0, 1e-200, 1e-12, 1e-5, 0.3, 1.5, 3.0, 3.14159, 3.2, 6.0};
  for (int k = 0; k < 10; ++k) {
    world w;
    ts_random random;
    ts_random_init(&random, 7);
    build(&w, &random, true);
    ts_state *s = &w.sim->state;
    const ts_pose inner = w.model->bushings[0].frame[1];
    const ts_vec3 axis = ts_normalize((ts_vec3){1.0, -2.0, 0.5}, (ts_vec3){0.0, 0.0, 0.0});
    const ts_quat turned =
        ts_quat_product(w.model->bushings[0].frame[0].orientation, ts_quat_exp(ts_scale(angles[k], axis)));
    s->pose[1].orientation = ts_quat_product(turned, ts_quat_conjugate(inner.orientation));
    const ts_bushing_place at = ts_bushing_place_at(w.model, s, 0);
    const double angle = angles[k] > TS_PI ? angles[k] - 2.0 * TS_PI : angles[k];
    assert_vec_near(at.measure[1], ts_scale(angle, axis), 2e-15 * (1.0 + fabs(angle)));
    world_release(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rates_are_differences),
      cmocka_unit_test(rotations_are_measured_up_to_half_a_turn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
