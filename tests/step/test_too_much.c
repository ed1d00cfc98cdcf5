// What a simulation refuses because there is too much of it: contacts without number, and energies beyond numbers. Each
// is one sentence, and the state stays as it was.
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

// n balls in one place have c = n (n - 1) / 2 contacts, each coupled to itself and to 2 (n - 2) others. All is said
// before memory is taken for it.
static void balls_in_one_place_are_refused_by_their_number(void **state)
{
  (void)state;
  enum { BALLS = 330 };
  const long contacts = BALLS * (BALLS - 1) / 2, couplings = contacts * (1 + 2 * (BALLS - 2));
  world w;
  world_init(&w, TS_SPACE_3D);
  for (int i = 0; i < BALLS; ++i) {
    char name[32];
    snprintf(name, sizeof name, "ball %d", i);
    world_add(&w, name, TS_DYNAMIC, 1.0, shape_sphere(0.5), (ts_vec3){0.0, 0.0, 1e-3 * i});
  }
  w.options.start = TS_START_AS_GIVEN;
  world_start(&w);
  ts_error error;
  char number[32];
  snprintf(number, sizeof number, "%ld", couplings);
  assert_int_equal(ts_sim_step(w.sim, &error), TS_OUT_OF_MEMORY);
  if (!strstr(error.text, number)) fail_msg("%s, not %s", error.text, number);
  assert_true(ts_sim_time(w.sim) == 0.0);
  assert_int_equal(ts_sim_find_contacts(w.sim, &error), TS_OK); // the contacts alone are not too many
  int count;
  ts_sim_contacts(w.sim, &count);
  assert_int_equal(count, contacts);
  ts_sim *corrected;
  w.options.start = TS_START_CORRECTED;
  assert_int_equal(ts_sim_create(w.model, &w.options, NULL, &corrected, &error), TS_OUT_OF_MEMORY);
  assert_null(corrected);
  if (!strstr(error.text, number)) fail_msg("%s, not %s", error.text, number);
  world_release(&w);
}

static void an_energy_that_is_not_finite_is_an_error(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  const int ball = world_add(&w, "ball", TS_DYNAMIC, 1e300, shape_sphere(0.5), (ts_vec3){0.0, 0.0, 9.0});
  world_start(&w);
  world_move(&w, ball, (ts_vec3){1e50, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
  ts_error error;
  assert_int_equal(ts_sim_step(w.sim, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "energy"));
  assert_true(ts_sim_time(w.sim) == 0.0);
  assert_true(ts_sim_pose(w.sim, ball).position.z == 9.0);
  world_move(&w, ball, (ts_vec3){1.0, 0.0, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
  world_step(&w); // it goes on with what can be reckoned
  assert_true(ts_sim_time(w.sim) == w.options.size);
  world_release(&w);
}

// Speeds and places beyond 1e60 are refused when a body is made.
static void magnitudes_out_of_range_are_refused(void **state)
{
  (void)state;
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  ts_error error;
  for (int k = 0; k < 3; ++k) {
    ts_body_def def = ts_body_def_default();
    def.name = "ball";
    def.mass = 1.0;
    def.rotates = false;
    if (k == 0) def.velocity.linear.x = 1e200;
    if (k == 1) def.velocity.linear.y = -1e61;
    if (k == 2) def.pose.position.z = 1e61;
    int body;
    assert_int_equal(ts_builder_add_body(builder, &def, &body, &error), TS_INVALID);
    assert_non_null(strstr(error.text, "'ball'"));
    assert_non_null(strstr(error.text, "at most 1e+60"));
  }
  ts_builder_destroy(builder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(balls_in_one_place_are_refused_by_their_number),
      cmocka_unit_test(an_energy_that_is_not_finite_is_an_error),
      cmocka_unit_test(magnitudes_out_of_range_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
