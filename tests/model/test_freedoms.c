// What bodies may do, by the names that scenes have for it.
#include "model/freedoms.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

static void spaces_have_names(void **state)
{
  (void)state;
  assert_string_equal(ts_space_name(TS_SPACE_3D), "3d");
  assert_string_equal(ts_space_name(TS_SPACE_2D), "2d");
  assert_null(ts_space_name(TS_SPACE_COUNT));
  assert_null(ts_space_name((ts_space)-1));
  assert_true(ts_space_is_planar(TS_SPACE_2D) && !ts_space_is_planar(TS_SPACE_3D));
  assert_false(ts_space_is_planar((ts_space)-1));
}

static void there_are_no_models_in_other_spaces(void **state)
{
  (void)state;
  assert_null(ts_builder_create(TS_SPACE_COUNT));
  assert_null(ts_builder_create((ts_space)-1));
}

// The counts, the axes and the space that scenes ask for are of one setting.
static void settings_agree_with_themselves(void **state)
{
  (void)state;
  for (int i = 0; i < TS_SPACE_COUNT; ++i) {
    const ts_freedoms *f = ts_freedoms_of((ts_space)i);
    assert_int_equal(f->space, i);
    assert_int_equal(f->slides, (int)(f->along.x + f->along.y + f->along.z));
    assert_int_equal(f->turns, (int)(f->about.x + f->about.y + f->about.z));
    assert_int_equal(ts_is_free(f->along, f->down), i != TS_SPACE_2_5D); // there it presses
    assert_int_equal(ts_is_flat(f), ts_space_is_planar(f->joints));
  }
}

static void the_plane_knows_no_way_out(void **state)
{
  (void)state;
  const ts_freedoms *plane = ts_freedoms_of(TS_SPACE_2D), *space = ts_freedoms_of(TS_SPACE_3D);
  const ts_vec3 none = {0.0, 0.0, -0.0}, x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0};
  assert_true(ts_may_move(plane, x, none) && ts_may_move(plane, y, none) && ts_may_move(plane, none, z));
  assert_false(ts_may_move(plane, z, none) || ts_may_move(plane, none, x) || ts_may_move(plane, none, y));
  assert_false(ts_may_move(plane, (ts_vec3){0.0, 0.0, NAN}, none));
  assert_true(ts_may_move(space, z, x) && ts_may_move(space, x, y));
  const ts_vec3 kept = ts_free_part(plane->along, (ts_vec3){1.0, -2.0, NAN});
  assert_true(kept.x == 1.0 && kept.y == -2.0 && kept.z == 0.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spaces_have_names),
      cmocka_unit_test(there_are_no_models_in_other_spaces),
      cmocka_unit_test(settings_agree_with_themselves),
      cmocka_unit_test(the_plane_knows_no_way_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
