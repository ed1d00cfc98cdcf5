// Impacts of bodies that all but touch: whatever round-off makes of their gaps, e = 1 without friction keeps energy and
// momentum, and gaps below what counts as touching make no difference.
#include "world.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const double R = 0.1;

static void begin(world *w, double e)
{
  world_init(w, TS_SPACE_3D);
  world_friction(w, 0.0, e);
  ts_builder_set_gravity(w->builder, (ts_vec3){0.0, 0.0, 0.0});
  w->options.method = ts_stepper_find("event-driven");
  w->options.impacts = TS_IMPACT_POISSON;
  w->options.size = 0.01;
}

static const char *const names[] = {"b0", "b1", "b2", "b3", "b4", "b5", "b6"};

// Energy and momentum after `steps` are those of before.
static void check_conserved(world *w, int bodies, const double *mass, int steps)
{
  double energy = 0.0;
  ts_vec3 momentum = {0.0, 0.0, 0.0};
  for (int b = 0; b < bodies; ++b) {
    const ts_vec3 v = ts_sim_velocity(w->sim, b).linear;
    energy += 0.5 * mass[b] * ts_dot(v, v);
    momentum = ts_add_scaled(momentum, mass[b], v);
  }
  int events = 0;
  for (int k = 0; k < steps; ++k) {
    world_step(w);
    events += ts_sim_report(w->sim)->events;
  }
  double after = 0.0;
  for (int b = 0; b < bodies; ++b) {
    const ts_vec3 v = ts_sim_velocity(w->sim, b).linear;
    after += 0.5 * mass[b] * ts_dot(v, v);
    momentum = ts_add_scaled(momentum, -mass[b], v);
  }
  assert_true(events > 0);
  if (fabs(after - energy) > 1e-12 * energy) fail_msg("%.15g J become %.15g J", energy, after);
  assert_true(ts_length(momentum) < 1e-12 * sqrt(energy));
}

// Five balls in a row of which the second one is shot at three that all but touch.
static void rows_of_balls_keep_energy(void **state)
{
  (void)state;
  static const double offs[] = {0.0, 1e-16, 2e-16, 1e-15, 1e-14, 1e-13, 1e-12, 5e-12, 1e-11, 2e-11, 1e-10, 1e-9, 1e-6};
  static const double masses[][5] = {{1, 1, 1, 1, 1}, {1, 2, 0.5, 3, 1}, {2, 2, 2, 2, 2}, {1, 0.1, 10, 0.1, 10}};
  for (int i = 0; i < 13; ++i)
    for (int sign = -1; sign <= 1; sign += 2)
      for (int k = 0; k < 4; ++k) {
        world w;
        begin(&w, 1.0);
        const double off = i < 5 || sign > 0 ? sign * offs[i] : 0.0; // no more overlap than round-off
        const double x[] = {-0.1, 0.1, 0.4, 0.6 + off, 0.8 + 2.0 * off};
        for (int b = 0; b < 5; ++b)
          world_add(&w, names[b], TS_DYNAMIC, masses[k][b], shape_sphere(R), (ts_vec3){x[b], 0.0, 0.0});
        world_start(&w);
        world_move(&w, 1, (ts_vec3){1.0, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
        check_conserved(&w, 5, masses[k], 60);
        world_release(&w);
      }
}

// Gaps that count as touching give the same as none, to round-off.
static void gaps_of_round_off_make_no_difference(void **state)
{
  (void)state;
  static const double offs[] = {0.0, 5.6e-17, 1.2e-16, 1e-15, -1e-15, 1e-13, 1e-12};
  ts_vec3 first[5];
  for (int i = 0; i < 7; ++i) {
    world w;
    begin(&w, 0.7);
    const double x[] = {-0.1, 0.1, 0.4, 0.6 + offs[i], 0.8};
    for (int b = 0; b < 5; ++b) world_add(&w, names[b], TS_DYNAMIC, 1.0, shape_sphere(R), (ts_vec3){x[b], 0.0, 0.0});
    world_start(&w);
    world_move(&w, 1, (ts_vec3){1.0, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
    world_steps(&w, 15);
    for (int b = 0; b < 5; ++b) {
      const ts_vec3 v = ts_sim_velocity(w.sim, b).linear;
      if (i == 0) first[b] = v;
      assert_true(ts_distance_of(v, first[b]) < 1e-9);
    }
    world_release(&w);
  }
}

// A ball shot at a triangle of six, as billiards begin, which are off by some round-off in all directions.
static void triangles_of_balls_keep_energy(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 5);
  for (int k = 0; k < 40; ++k) {
    world w;
    begin(&w, 1.0);
    double mass[7];
    const double size = pow(10.0, ts_random_uniform(&random, -17.0, -9.0));
    for (int b = 0; b < 7; ++b) mass[b] = ts_random_uniform(&random, 0.5, 2.0);
    world_add(&w, names[0], TS_DYNAMIC, mass[0], shape_sphere(R), (ts_vec3){-0.5, 0.03, 0.0});
    for (int row = 0, b = 1; row < 3; ++row)
      for (int i = 0; i <= row; ++i, ++b) {
        const ts_vec3 off = {size * ts_random_uniform(&random, 0.0, 1.0), size * ts_random_uniform(&random, -1.0, 1.0),
                             0.0};
        const ts_vec3 place = {sqrt(3.0) * R * row + 4.0 * size * row, R * (2 * i - row) * (1.0 + 40.0 * size), 0.0};
        world_add(&w, names[b], TS_DYNAMIC, mass[b], shape_sphere(R), ts_add(place, off));
      }
    world_start(&w);
    world_move(&w, 0, (ts_vec3){2.0, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
    check_conserved(&w, 7, mass, 60);
    world_release(&w);
  }
}

// What overlaps at the start is not taken for an error of the integrator: it stays where it is, at rest and sliding.
static void what_overlaps_at_the_start_stays(void **state)
{
  (void)state;
  const double depth = 1e-5;
  for (int k = 0; k < 4; ++k) {
    world w;
    world_init(&w, TS_SPACE_3D);
    world_friction(&w, k & 1 ? 0.3 : 0.0, 0.0);
    w.options.method = ts_stepper_find("event-driven");
    w.options.start = TS_START_AS_GIVEN;
    w.options.size = 0.01;
    world_floor(&w);
    const ts_shape shape = k & 2 ? shape_box(2.0 * R, 2.0 * R, 2.0 * R) : shape_sphere(R);
    const int body = world_add(&w, "body", TS_DYNAMIC, 1.0, shape, (ts_vec3){0.0, 0.0, R - depth});
    world_start(&w);
    world_move(&w, body, (ts_vec3){1.0, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
    const int steps = k & 2 ? 2 : 20; // of boxes on four corners they take longer
    for (int step = 0; step < steps; ++step) {
      world_step(&w);
      assert_true(fabs(ts_sim_pose(w.sim, body).position.z - (R - depth)) < 1e-12);
      assert_true(ts_sim_report(w.sim)->problems < 500); // it does not have to be let go of every 1e-5 s
    }
    world_release(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_overlaps_at_the_start_stays),
      cmocka_unit_test(rows_of_balls_keep_energy),
      cmocka_unit_test(gaps_of_round_off_make_no_difference),
      cmocka_unit_test(triangles_of_balls_keep_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
