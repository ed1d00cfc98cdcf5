// Steps in minimal coordinates, in flight and in contact: against the recurrence that the scheme is for one link,
// beside bodies that no joint holds, under pushes, on a base that moves; the energy that is reported; memory and
// repetition.
#include "mechanism.h"
#include "pendulum.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static void must(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

// ---- one link ------------------------------------------------------------------------------------------------------

static const double GRAVITY = 9.81, LENGTH = 1.5, MASS = 2.0, RADIUS = 0.2, STEP = 1e-3, START = 0.7;

// A ball on a link that hangs from `base` (a body, or TS_WORLD) at the origin, START away from the vertical.
static int add_link(world *w, int base)
{
  const int ball = world_add(w, "ball", TS_DYNAMIC, MASS, shape_sphere(RADIUS),
                             (ts_vec3){0.0, LENGTH * sin(START), -LENGTH * cos(START)});
  mechanism_hinge(w, base, ball, (ts_vec3){0.0, 0.0, 0.0}, (ts_vec3){1.0, 0.0, 0.0});
  return ball;
}

static void init(world *w)
{
  world_init(w, TS_SPACE_3D);
  ts_builder_set_gravity(w->builder, (ts_vec3){0.0, 0.0, -GRAVITY});
  w->options.coordinates = TS_COORDINATES_MINIMAL;
  w->options.size = STEP;
}

// Semi-implicit Euler of I q'' = -m g l sin q + torque. The coordinate of the joint is q - START.
typedef struct recurrence {
  double q, rate;
} recurrence;

static void advance(recurrence *r, double torque)
{
  const double inertia = MASS * (LENGTH * LENGTH + 0.4 * RADIUS * RADIUS);
  r->rate += STEP * (torque - MASS * GRAVITY * LENGTH * sin(r->q)) / inertia;
  r->q += STEP * r->rate;
}

static void compare(const world *w, const recurrence *r)
{
  double rate;
  assert_near(ts_sim_joint_position(w->sim, 0, &rate), r->q - START, 1e-11);
  assert_near(rate, r->rate, 1e-11);
}

static void a_link_swings_as_the_scheme_says(void **state)
{
  (void)state;
  for (int method = 0; method < 2; ++method) {
    world w;
    recurrence r = {START, 0.0};
    init(&w);
    w.options.method = ts_stepper_find(method == 0 ? "velocity" : "stewart-trinkle");
    add_link(&w, TS_WORLD);
    world_start(&w);
    for (int k = 0; k < 3000; ++k) {
      world_step(&w);
      advance(&r, 0.0);
      compare(&w, &r);
    }
    world_release(&w);
  }
}

static const ts_wrench PUSH = {{0.0, 0.0, 0.0}, {5.0, 0.0, 0.0}};

static void push_always(void *user, ts_sim *sim, double t)
{
  (void)t;
  ts_error error;
  must(ts_sim_push(sim, *(const int *)user, &PUSH, &error), &error);
}

// A push of the user's acts in one step, one of the callback's in every step.
static void pushes_turn_a_link(void **state)
{
  (void)state;
  ts_error error;
  world w;
  recurrence r = {START, 0.0};
  init(&w);
  w.options.method = ts_stepper_find("velocity");
  int ball = add_link(&w, TS_WORLD);
  world_start(&w);
  for (int k = 0; k < 300; ++k) {
    const bool always = k >= 100 && k < 200, now = k % 7 == 0;
    ts_sim_set_callback(w.sim, always ? push_always : NULL, &ball);
    if (now) must(ts_sim_push(w.sim, ball, &PUSH, &error), &error);
    world_step(&w);
    advance(&r, ((always ? 1.0 : 0.0) + (now ? 1.0 : 0.0)) * PUSH.moment.x);
    compare(&w, &r);
  }
  world_release(&w);
}

static void add_train(world *w, int train, double speed)
{
  ts_error error;
  ts_motion_def def = ts_motion_def_default();
  def.body = train;
  def.kind = TS_MOTION_POSE;
  const double way[] = {0.0, speed};
  def.displacement[1] = (ts_signal){.kind = TS_SIGNAL_POLYNOMIAL, .count = 2, .coefficients = way};
  must(ts_builder_add_motion(w->builder, &def, NULL, &error), &error);
}

// On a train that moves evenly a link swings as it does at the station (it starts with the train's speed).
static void a_link_swings_the_same_on_a_train(void **state)
{
  (void)state;
  const double speed = 3.0;
  world w;
  recurrence r = {START, 0.0};
  init(&w);
  w.options.method = ts_stepper_find("velocity");
  const int train = world_add(&w, "train", TS_KINEMATIC, 0.0, shape_sphere(0.01), (ts_vec3){0.0, 0.0, 0.0});
  add_train(&w, train, speed);
  const int ball = add_link(&w, train);
  world_start(&w);
  world_move(&w, ball, (ts_vec3){0.0, speed, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
  for (int k = 0; k < 1000; ++k) {
    world_step(&w);
    advance(&r, 0.0);
    compare(&w, &r);
  }
  assert_near(ts_sim_pose(w.sim, ball).position.y, speed * 1000 * STEP + LENGTH * sin(r.q), 1e-10);
  world_release(&w);
}

// ---- bodies apart --------------------------------------------------------------------------------------------------

static void assert_same_motion(const world *a, int body_a, const world *b, int body_b)
{
  const ts_pose pose[2] = {ts_sim_pose(a->sim, body_a), ts_sim_pose(b->sim, body_b)};
  const ts_twist twist[2] = {ts_sim_velocity(a->sim, body_a), ts_sim_velocity(b->sim, body_b)};
  assert_memory_equal(&pose[0], &pose[1], sizeof pose[0]);
  assert_memory_equal(&twist[0], &twist[1], sizeof twist[0]);
}

static int add_brick(world *w)
{
  const int brick = world_add(w, "brick", TS_DYNAMIC, 0.5, shape_box(0.3, 0.2, 0.1), (ts_vec3){10.0, 0.0, -2.0});
  world_add(w, "floor", TS_FIXED, 0.0, shape_plane((ts_vec3){0.0, 0.0, 1.0}, -3.0), (ts_vec3){0.0, 0.0, 0.0});
  world_force(w, brick, (ts_vec3){1.0, 0.0, 0.0}, (ts_vec3){0.0, 0.01, 0.0});
  return brick;
}

// A link and a brick that tumbles and lands on a floor far away: each moves as if it were alone, to the last bit while
// nothing touches, and the brick as it does without joints. Forces reach both.
static void check_brick_and_link(bool brick_first)
{
  enum { BOTH, BRICK, LINK, WORLDS };
  world w[WORLDS];
  int ball[WORLDS] = {0}, brick[WORLDS] = {0};
  for (int k = 0; k < WORLDS; ++k) {
    init(&w[k]);
    w[k].options.method = ts_stepper_find("velocity");
    if (k != LINK && brick_first) brick[k] = add_brick(&w[k]);
    if (k != BRICK) ball[k] = add_link(&w[k], TS_WORLD);
    if (k != LINK && !brick_first) brick[k] = add_brick(&w[k]);
    if (k != BRICK) world_force(&w[k], ball[k], (ts_vec3){0.0, 0.5, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
    world_start(&w[k]);
    if (k != LINK) world_move(&w[k], brick[k], (ts_vec3){0.0, 1.0, 0.0}, (ts_vec3){3.0, -2.0, 1.0});
  }
  bool landed = false;
  for (int step = 0; step < 800; ++step) {
    for (int k = 0; k < WORLDS; ++k) world_step(&w[k]);
    landed = landed || ts_sim_report(w[BOTH].sim)->contacts > 0;
    if (!landed) assert_same_motion(&w[BOTH], ball[BOTH], &w[LINK], ball[LINK]);
    if (!landed) assert_same_motion(&w[BOTH], brick[BOTH], &w[BRICK], brick[BRICK]);
    assert_vec_near(ts_sim_pose(w[BOTH].sim, ball[BOTH]).position, ts_sim_pose(w[LINK].sim, ball[LINK]).position,
                    1e-12);
    assert_vec_near(ts_sim_pose(w[BOTH].sim, brick[BOTH]).position, ts_sim_pose(w[BRICK].sim, brick[BRICK]).position,
                    1e-9);
  }
  assert_true(landed);
  for (int k = 0; k < WORLDS; ++k) world_release(&w[k]);
}

static void a_brick_does_not_feel_a_link(void **state)
{
  (void)state;
  check_brick_and_link(false);
  check_brick_and_link(true);
}

// ---- chains --------------------------------------------------------------------------------------------------------

// The chain of 000 falls against its floor and wall; energies are those of the state that is left.
static void reported_energy_is_that_of_the_state(void **state)
{
  (void)state;
  pendulum p;
  int touched = 0;
  pendulum_init(&p, pendulum_p12());
  pendulum_start(&p);
  for (int k = 0; k < 2000; ++k) {
    world_step(&p.world);
    const ts_step_report *report = ts_sim_report(p.world.sim);
    const double kinetic = world_kinetic(&p.world);
    assert_near(report->kinetic_energy, kinetic, 1e-12 * kinetic);
    touched += report->contacts > 0;
  }
  assert_true(touched > 0 && touched < 2000);
  pendulum_release(&p);
}

// A stretch with flight, impacts and rest, taken twice from a saved state with a push on its way: the same to the last
// bit, and without memory the second time.
static void a_stretch_repeats_without_memory(void **state)
{
  (void)state;
  enum { STEPS = 2500 };
  ts_error error;
  pendulum p;
  pendulum_init(&p, pendulum_p12());
  pendulum_start(&p);
  ts_sim *sim = p.world.sim;
  must(ts_sim_push(sim, p.first + 5, &PUSH, &error), &error);
  const size_t size = ts_sim_state_size(sim);
  double *start = malloc(size * sizeof *start), *first = NULL, *second = NULL;
  assert_non_null(start);
  assert_int_equal(ts_sim_save(sim, start, size, NULL), TS_OK);
  world_steps(&p.world, STEPS);
  const size_t end_size = ts_sim_state_size(sim);
  first = malloc(end_size * sizeof *first);
  second = malloc(end_size * sizeof *second);
  assert_non_null(first);
  assert_non_null(second);
  assert_int_equal(ts_sim_save(sim, first, end_size, NULL), TS_OK);
  must(ts_sim_load(sim, start, size, &error), &error);
  world_steps(&p.world, 2); // both halves of the memory are in turn
  int before, after;
  ts_sim_memory(sim, &before);
  world_steps(&p.world, STEPS - 2);
  ts_sim_memory(sim, &after);
  assert_int_equal(before, after);
  assert_int_equal(ts_sim_state_size(sim), end_size);
  assert_int_equal(ts_sim_save(sim, second, end_size, NULL), TS_OK);
  assert_memory_equal(first, second, end_size * sizeof *first);
  free(start);
  free(first);
  free(second);
  pendulum_release(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_link_swings_as_the_scheme_says),     cmocka_unit_test(pushes_turn_a_link),
      cmocka_unit_test(a_link_swings_the_same_on_a_train),    cmocka_unit_test(a_brick_does_not_feel_a_link),
      cmocka_unit_test(reported_energy_is_that_of_the_state), cmocka_unit_test(a_stretch_repeats_without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
