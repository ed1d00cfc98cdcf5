// Blows on a body that lies on a face, with the implicit stepper, against mechanics of one step: what friction leaves
// of them, where the equivalent contact point goes, and when the body tips.
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "near.h"

static const double G = 10.0, H = 0.01, MASS = 3.0, MU = 0.4, ARM = 0.1;
static const ts_vec3 SIZE = {0.6, 0.4, 0.2};
enum { FLOOR, BLOCK };

// A block at rest on the floor; e_r is ARM.
static world rest(void)
{
  world w;
  ts_error error;
  ts_contact_law law = ts_contact_law_default();
  world_init(&w, TS_SPACE_3D);
  w.options.method = ts_stepper_find("implicit");
  w.options.size = H;
  w.options.tolerance = 1e-12;
  law.friction = MU;
  law.ellipsoid.z = ARM;
  assert_int_equal(ts_builder_set_contact(w.builder, &law, &error), TS_OK);
  ts_builder_set_gravity(w.builder, (ts_vec3){0.0, 0.0, -G});
  assert_int_equal(world_floor(&w), FLOOR);
  assert_int_equal(
      world_add(&w, "block", TS_DYNAMIC, MASS, shape_box(SIZE.x, SIZE.y, SIZE.z), (ts_vec3){0.0, 0.0, 0.5 * SIZE.z}),
      BLOCK);
  world_start(&w);
  return w;
}

// Impulse [N s] and angular impulse [N m s] about the centre, within one step; its contact, of the dimension `patch`.
static const ts_contact *strike(world *w, ts_vec3 impulse, ts_vec3 moment, int patch)
{
  ts_error error;
  int count;
  const ts_wrench blow = {ts_scale(1.0 / H, impulse), ts_scale(1.0 / H, moment)};
  assert_int_equal(ts_sim_push(w->sim, BLOCK, &blow, &error), TS_OK);
  world_step(w);
  const ts_contact *contacts = ts_sim_contacts(w->sim, &count);
  assert_int_equal(count, 1);
  assert_int_equal(contacts->patch, patch);
  return contacts;
}

static ts_vec3 inertia(void)
{
  const double x = SIZE.x * SIZE.x, y = SIZE.y * SIZE.y, z = SIZE.z * SIZE.z;
  return ts_scale(MASS / 12.0, (ts_vec3){y + z, z + x, x + y});
}

// From above and along: friction takes mu times all that presses, and the point is ahead of where the block is by mu
// times half its height. With an angular impulse that wants to tip it, the point goes where that is balanced.
static void friction_takes_its_share(void **state)
{
  (void)state;
  static const double down[] = {0.0, 2.0, 5.0}, shift[] = {0.0, 0.15, -0.2};
  for (int k = 0; k < 9; ++k) {
    world w = rest();
    const ts_vec3 blow = {6.0, 0.0, -down[k % 3]};
    const double load = MASS * G * H + down[k % 3], speed = (blow.x - MU * load) / MASS, tip = shift[k / 3] * load;
    const ts_contact *c = strike(&w, blow, (ts_vec3){0.0, tip, 0.0}, 2);
    const ts_twist v = ts_sim_velocity(w.sim, BLOCK);
    assert_vec_near(v.linear, ((ts_vec3){speed, 0.0, 0.0}), 1e-10);
    assert_vec_near(v.angular, ((ts_vec3){0.0, 0.0, 0.0}), 1e-10);
    assert_near(c->impulse[0], load, 1e-10);
    // Moments about the centre: tip + f z/2 - load x = 0, x from where the block is at the end of the step.
    const double ahead = (tip + MU * load * 0.5 * SIZE.z) / load;
    assert_near(c->point.x - H * speed, ahead, 1e-9);
    assert_near(c->point.y, 0.0, 1e-9);
    world_release(&w);
  }
}

// Less than friction holds: nothing moves, and friction is what the blow was.
static void what_friction_holds_does_not_move(void **state)
{
  (void)state;
  world w = rest();
  const ts_contact *c = strike(&w, (ts_vec3){0.06, -0.05, 0.0}, (ts_vec3){0.0, 0.0, 0.004}, 2);
  const ts_twist v = ts_sim_velocity(w.sim, BLOCK);
  assert_true(ts_length(v.linear) < 1e-10 && ts_length(v.angular) < 1e-10);
  assert_int_equal(c->mode, TS_STICK);
  const ts_vec3 f = ts_add_scaled(ts_scale(c->impulse[1], c->tangent), c->impulse[2], c->other);
  assert_vec_near(f, ((ts_vec3){-0.06, 0.05, 0.0}), 1e-9);
  // About the vertical through the centre: the blow, friction at the point, and the point's own moment.
  const double arm = c->point.x * f.y - c->point.y * f.x;
  assert_near(c->impulse[3], -0.004 - arm, 1e-9);
  world_release(&w);
}

// A turn about the vertical: the moment is e_r mu p_n, and what is left of the blow turns the block.
static void patch_resists_a_turn_by_its_arm(void **state)
{
  (void)state;
  world w = rest();
  const double blow = 0.5, load = MASS * G * H;
  const ts_contact *c = strike(&w, (ts_vec3){0.0, 0.0, 0.0}, (ts_vec3){0.0, 0.0, blow}, 2);
  assert_near(c->impulse[3], -MU * load * ARM, 1e-10);
  const ts_twist v = ts_sim_velocity(w.sim, BLOCK);
  assert_vec_near(v.angular, ((ts_vec3){0.0, 0.0, (blow - MU * load * ARM) / inertia().z}), 1e-9);
  assert_true(ts_length(v.linear) < 1e-10);
  world_release(&w);
}

// Sliding and turning share one ellipsoid: friction is on it, against the slip and the spin at the point.
static void sliding_and_turning_share_friction(void **state)
{
  (void)state;
  world w = rest();
  const ts_contact *c = strike(&w, (ts_vec3){1.2, 0.5, -1.0}, (ts_vec3){0.03, -0.02, 0.4}, 2);
  const double most = MU * c->impulse[0], f[3] = {c->impulse[1], c->impulse[2], c->impulse[3] / ARM},
               s[3] = {c->velocity[1], c->velocity[2], ARM * c->velocity[3]};
  const double slip = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
  assert_true(slip > 0.1 && fabs(s[2]) > 0.01);
  for (int k = 0; k < 3; ++k) assert_near(f[k], -most * s[k] / slip, 1e-9);
  // Momentum of the blow, the weight and the contact is that of the block.
  const ts_twist v = ts_sim_velocity(w.sim, BLOCK);
  const ts_vec3 friction = ts_add_scaled(ts_scale(f[0], c->tangent), f[1], c->other);
  assert_vec_near(ts_scale(MASS, v.linear), ((ts_vec3){1.2 + friction.x, 0.5 + friction.y, 0.0}), 1e-10);
  assert_near(c->impulse[0], MASS * G * H + 1.0, 1e-10);
  world_release(&w);
}

// Beyond what the face bears, m g h times half its width, it tips over its edge: a line. In one step the edge stays
// down, and angular momentum about it is the blow less the weight's share; friction holds it.
static void block_tips_over_its_edge(void **state)
{
  (void)state;
  const double weight = MASS * G * H, half = 0.5 * SIZE.x;
  for (int k = 0; k < 2; ++k) {
    world w = rest();
    const double blow = k == 0 ? 0.999 * weight * half : 2.0 * weight * half;
    const ts_contact *c = strike(&w, (ts_vec3){0.0, 0.0, 0.0}, (ts_vec3){0.0, blow, 0.0}, k == 0 ? 2 : 1);
    const double turn = ts_sim_velocity(w.sim, BLOCK).angular.y;
    const double about_edge = inertia().y + MASS * (half * half + 0.25 * SIZE.z * SIZE.z);
    if (k == 0) {
      assert_near(turn, 0.0, 1e-10);
      assert_near(c->point.x, 0.999 * half, 1e-9);
    } else {
      // Rows are those of the end of the step, H turn away from its start: an error of that size.
      const double expected = (blow - weight * half) / about_edge;
      assert_near(turn, expected, 2.0 * H * turn * expected);
      const ts_pose pose = ts_sim_pose(w.sim, BLOCK);
      assert_near(ts_pose_apply(&pose, (ts_vec3){half, 0.0, -0.5 * SIZE.z}).z, 0.0, 1e-9);
    }
    world_release(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_takes_its_share), cmocka_unit_test(what_friction_holds_does_not_move),
      cmocka_unit_test(patch_resists_a_turn_by_its_arm), cmocka_unit_test(sliding_and_turning_share_friction),
      cmocka_unit_test(block_tips_over_its_edge)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
