// A watch whose memory runs out while parameters, results and conditions are added: each says so, and all is given
// back.
#include "library_calls.h"

#include "touchstone/touchstone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const char text[] = "touchstone: 1\n"
                           "bodies: [{name: ball, mass: 1, inertia: [1, 1, 1]}]\n"
                           "duration: 1\n";

typedef ts_status add(ts_watch *watch, int k, ts_error *error);

static ts_status add_parameter(ts_watch *watch, int k, ts_error *error)
{
  char name[32];
  snprintf(name, sizeof name, "parameter_%d", k);
  return ts_watch_add_parameter(watch, name, k, error);
}

static ts_status add_result(ts_watch *watch, int k, ts_error *error)
{
  char name[32];
  snprintf(name, sizeof name, "result_%d", k);
  const ts_result_def def = {.name = name, .kind = TS_RESULT_MAX, .expression = "ball.z"};
  return ts_watch_add_result(watch, &def, error);
}

static ts_status add_stop(ts_watch *watch, int k, ts_error *error)
{
  char when[32];
  snprintf(when, sizeof when, "ball.x > %d", k);
  const ts_stop_def def = {.when = when};
  return ts_watch_add_stop(watch, &def, error);
}

// With what the watch has already there is room for some, but not for all. Later there is memory again.
static void memory_that_runs_out_is_told(void **state)
{
  (void)state;
  if (!LIBRARY_CALLS_ARE_COUNTED) skip();
  enum { MANY = 10000 };
  static add *const kinds[] = {add_parameter, add_result, add_stop};
  ts_scene *scene;
  ts_error error = {0};
  assert_int_equal(ts_scene_parse(text, sizeof text - 1, "scene", NULL, 0, &scene, &error), TS_OK);
  const int blocks = library_blocks;
  for (int kind = 0; kind < 3; ++kind) {
    ts_watch *watch;
    ts_status status = TS_OK;
    int k = 0;
    assert_int_equal(ts_watch_create(ts_scene_model(scene), &watch, &error), TS_OK);
    assert_int_equal(kinds[kind](watch, MANY, &error), TS_OK);
    library_calls_left = 0;
    while (status == TS_OK && k < MANY) status = kinds[kind](watch, k++, &error);
    library_calls_left = -1;
    assert_int_equal(status, TS_OUT_OF_MEMORY);
    assert_non_null(strstr(error.text, "memory ran out"));
    assert_int_equal(kinds[kind](watch, MANY + 1, &error), TS_OK);
    ts_watch_destroy(watch);
    assert_int_equal(library_blocks, blocks);
  }
  ts_scene_destroy(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory_that_runs_out_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
