// Stops of joints that no step can reach: however far they are, contacts are solved as without them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "mechanism.h"
#include "near.h"

#include "step/far_stops.h"

#include <math.h>

// ---- contacts and a far stop ---------------------------------------------------------------------------------------

enum { FALL = 80 }; // steps until the ball lies there

// A ball slides 2 mm down to the floor on an oblique slide, and a box slides 2 m away. Returns the largest speed that
// the ball has while it lies there.
static double speed_at_rest(const char *method, double stop)
{
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.0, 0.0);
  world_floor(&w);
  const int ball = world_add(&w, "ball", TS_DYNAMIC, 2.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.102});
  const int other = world_add(&w, "other", TS_DYNAMIC, 40.0, shape_box(0.2, 0.2, 0.2), (ts_vec3){2.0, 0.0, 0.1});
  ts_joint_def def =
      mechanism_joint(TS_JOINT_PRISMATIC, TS_WORLD, ball, (ts_vec3){0.0, 0.0, 0.1}, (ts_vec3){0.24, 0.78, 0.58});
  def.limited = true;
  def.lower = -stop;
  def.upper = INFINITY;
  mechanism_add(&w, &def);
  w.options.method = ts_stepper_find(method);
  w.options.size = 5e-4;
  world_start(&w);
  world_move(&w, other, (ts_vec3){1.0, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
  double fastest = 0.0;
  for (int k = 0; k < FALL + 40; ++k) {
    world_step(&w);
    if (k >= FALL) fastest = fmax(fastest, ts_length(ts_sim_velocity(w.sim, ball).linear));
  }
  world_release(&w);
  return fastest;
}

static void a_far_stop_hides_no_error_of_contacts(void **state)
{
  (void)state;
  static const char *const methods[] = {"stewart-trinkle", "velocity", "implicit", "event-driven"};
  static const double stops[] = {0.3, 1e4, 1e8};
  for (int m = 0; m < 4; ++m)
    for (int k = 0; k < 3; ++k)
      assert_true(speed_at_rest(methods[m], stops[k]) < 1e-7); // 100 times the tolerance, of about 0.1 m/s
}

// ---- stops of a problem --------------------------------------------------------------------------------------------

enum { CONTACT, NEAR_STOP, FAR_STOP, BLOCKS };

static void only_far_stops_are_taken_as_nearer(void **state)
{
  (void)state;
  static const int start[] = {0, 1, 2, 3}, index[] = {0, 1, 2};
  static const double W[] = {0.5, 2.0, 2.0};
  const ts_block blocks[BLOCKS] = {{.kind = TS_BLOCK_CONTACT}, {.kind = TS_BLOCK_LIMIT}, {.kind = TS_BLOCK_LIMIT}};
  double q[] = {-3.0, 5.0, 1e6};
  ts_system system = {.dimension = 1,
                      .count = BLOCKS,
                      .blocks = (ts_block *)blocks,
                      .q = q,
                      .problem.W = {.rows = BLOCKS, .block = 1, .start = start, .index = index, .value = W}};
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  jmp_buf recovery;
  arena.recovery = &recovery;
  if (setjmp(recovery)) fail();
  // The energy norm of the contact is 3/sqrt(0.5), which moves a stop by 3 sqrt(2/0.5) = 6 m/s. A hundred times that is
  // far.
  ts_far_stops far = ts_far_stops_begin(&system, NULL, &arena);
  assert_near(q[CONTACT], -3.0, 0.0);
  assert_near(q[NEAR_STOP], 5.0, 0.0);
  assert_near(q[FAR_STOP], 600.0, 1e-10);
  double r[BLOCKS] = {6.0, 0.0, 0.0};
  assert_false(ts_far_stops_put_back(&far, r));
  assert_near(q[FAR_STOP], 600.0, 1e-10);
  r[FAR_STOP] = 1e-3; // it presses where it is not
  assert_true(ts_far_stops_put_back(&far, r));
  assert_near(q[FAR_STOP], 1e6, 0.0);
  assert_false(ts_far_stops_put_back(&far, r));
  // At the end all are where they were.
  far = ts_far_stops_begin(&system, NULL, &arena);
  ts_far_stops_end(&far);
  assert_near(q[FAR_STOP], 1e6, 0.0);
  ts_arena_release(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_far_stop_hides_no_error_of_contacts),
      cmocka_unit_test(only_far_stops_are_taken_as_nearer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
