// Groups of bodies that do not touch each other are solved as each would be alone: stacks beside stacks cost what they
// cost alone and come to rest to the tolerance, and balls do not notice a pile that is hard to solve.
#include "world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static void add_stack(world *w, double x, double y, int number)
{
  for (int layer = 0; layer < 3; ++layer) {
    char name[40];
    snprintf(name, sizeof name, "box %d of stack %d", layer, number);
    world_add(w, name, TS_DYNAMIC, 1.0, shape_box(1.0, 1.0, 0.5), ts_vec3_make(x, y, 0.25 + 0.5 * layer));
  }
}

static void build_stacks(world *w, int stacks)
{
  world_init(w, TS_SPACE_3D);
  world_friction(w, 0.5, 0.0);
  world_floor(w);
  for (int k = 0; k < stacks; ++k) add_stack(w, 3.0 * (k % 8), 3.0 * (k / 8), k);
  world_start(w);
}

typedef struct effort {
  int iterations, factorizations;
  double worst; // residual
} effort;

static effort effort_of_steps(world *w, int steps)
{
  effort all = {0};
  for (int k = 0; k < steps; ++k) {
    world_step(w);
    const ts_step_report *report = ts_sim_report(w->sim);
    all.iterations += report->iterations;
    all.factorizations += report->factorizations;
    all.worst = fmax(all.worst, report->residual);
  }
  return all;
}

static void stacks_cost_what_they_cost_alone(void **state)
{
  (void)state;
  enum { STACKS = 40, STEPS = 60 };
  world one, many;
  build_stacks(&one, 1);
  build_stacks(&many, STACKS);
  const effort alone = effort_of_steps(&one, STEPS), together = effort_of_steps(&many, STEPS);
  print_message("%d iterations, %d factorizations alone, %d and %d together\n", alone.iterations, alone.factorizations,
                together.iterations, together.factorizations);
  assert_true(together.iterations <= STACKS * alone.iterations);
  assert_true(together.factorizations <= STACKS * alone.factorizations);
  assert_true(together.worst <= ts_sim_options(many.sim)->tolerance); // not only within a length
  assert_true(world_kinetic(&many) <= 1e-18);
  world_release(&one);
  world_release(&many);
}

enum { BALLS = 30, BRICKS = 20 };

// Balls that slide, roll and fly, each for itself.
static void add_balls(world *w, int *balls)
{
  for (int k = 0; k < BALLS; ++k) {
    char name[24];
    snprintf(name, sizeof name, "ball %d", k);
    balls[k] = world_add(w, name, TS_DYNAMIC, 0.1, shape_sphere(0.1),
                         ts_vec3_make(-5.0 - 0.5 * k, 0.0, 0.1 + 0.002 * (k % 5)));
  }
}

static void set_off(world *w, const int *balls)
{
  for (int k = 0; k < BALLS; ++k)
    world_move(w, balls[k], ts_vec3_make(0.0, 0.2 * k, 0.0), ts_vec3_make(0.1 * k, 0.0, 1.0));
}

// A wall of bricks under a slab of thirty times their mass.
static void add_pile(world *w, int *bricks)
{
  for (int k = 0; k < BRICKS; ++k) {
    const int layer = k / 5, column = k % 5;
    char name[24];
    snprintf(name, sizeof name, "brick %d", k);
    bricks[k] = world_add(w, name, TS_DYNAMIC, 1.0, shape_box(0.5, 0.3, 0.2),
                          ts_vec3_make(0.5 * column + 0.25 * (layer % 2), 0.0, 0.1 + 0.2 * layer));
  }
  world_add(w, "slab", TS_DYNAMIC, 30.0, shape_box(2.0, 0.3, 0.2), ts_vec3_make(1.2, 0.0, 0.9));
}

static void assert_same_motion(const world *a, const int *first, const world *b, const int *second, int count)
{
  for (int k = 0; k < count; ++k) {
    const ts_twist v = ts_sim_velocity(a->sim, first[k]), u = ts_sim_velocity(b->sim, second[k]);
    const double difference = fmax(ts_distance_of(v.linear, u.linear), ts_distance_of(v.angular, u.angular));
    if (difference > 1e-10)
      fail_msg("t = %g s: velocities of body %d differ by %g m/s", ts_sim_time(a->sim), k, difference);
  }
}

static void start_empty(world *w)
{
  world_init(w, TS_SPACE_3D);
  world_friction(w, 0.3, 0.0);
  world_floor(w);
}

// The pile asks for hundreds of sweeps; the balls are fast, and their data would forgive it much.
static void pile_and_balls_do_not_notice_each_other(void **state)
{
  (void)state;
  enum { STEPS = 60 };
  world pile, lone, both;
  int bricks[BRICKS], balls[BALLS], same_bricks[BRICKS], same_balls[BALLS];
  start_empty(&pile);
  start_empty(&lone);
  start_empty(&both);
  add_pile(&pile, bricks);
  add_balls(&lone, balls);
  add_pile(&both, same_bricks);
  add_balls(&both, same_balls);
  world_start(&pile);
  world_start(&lone);
  world_start(&both);
  set_off(&lone, balls);
  set_off(&both, same_balls);
  for (int k = 0; k < STEPS; ++k) {
    world_step(&pile);
    world_step(&lone);
    world_step(&both);
    assert_same_motion(&both, same_balls, &lone, balls, BALLS);
    assert_same_motion(&both, same_bricks, &pile, bricks, BRICKS);
  }
  world_release(&pile);
  world_release(&lone);
  world_release(&both);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stacks_cost_what_they_cost_alone),
      cmocka_unit_test(pile_and_balls_do_not_notice_each_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
