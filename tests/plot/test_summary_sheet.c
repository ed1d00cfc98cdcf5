// The sheet of a run: which panels it has, and what is said when memory runs out at any place.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "plot/gnuplot.h"
#include "plot/summary_sheet.h"

#include "library_calls.h"
#include "scratch_folder.h"

#include "touchstone/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { STEPS = 20 };
static const double step = 0.01, speed = 2.0, gravity = 9.81;

static const char scene_text[] =
    "touchstone: 1\n"
    "contact: {friction: 0.2}\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
    "  - {name: box, mass: 3, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.5], velocity: [2, 0, 0]}\n"
    "step: {size: 0.01}\n"
    "duration: 0.2\n";

static void record_run(const char *path)
{
  ts_error error = {0};
  ts_scene *scene;
  ts_sim *sim;
  ts_recorder *recorder;
  assert_int_equal(ts_scene_parse(scene_text, sizeof scene_text - 1, "scene", NULL, 0, &scene, &error), TS_OK);
  assert_int_equal(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), TS_OK);
  assert_int_equal(ts_recorder_create(path, sim, NULL, &recorder, &error), TS_OK);
  assert_int_equal(ts_recorder_add(recorder, sim, true, &error), TS_OK);
  for (int i = 0; i < STEPS; ++i) {
    assert_int_equal(ts_sim_step(sim, &error), TS_OK);
    assert_int_equal(ts_recorder_add(recorder, sim, true, &error), TS_OK);
  }
  assert_int_equal(ts_recorder_close(recorder, sim, &error), TS_OK);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
}

static ts_record *open_record(void **state)
{
  ts_error error = {0};
  ts_record *record;
  record_run(scratch_path(*state, "run.h5"));
  assert_int_equal(ts_record_open(scratch_path(*state, "run.h5"), &record, &error), TS_OK);
  return record;
}

static const ts_panel *panel_of(const ts_figure *figure, const char *label)
{
  for (int i = 0; i < figure->panel_count; ++i)
    if (strcmp(figure->panels[i].y_label, label) == 0) return &figure->panels[i];
  fail_msg("there is no panel '%s'", label);
  return NULL;
}

static ts_figure empty_figure(void)
{
  return (ts_figure){.title = "", .format = ts_image_format_at(0), .from = -INFINITY, .to = INFINITY};
}

// A box that slides: it slows down by mu g and is carried by its weight.
static void panels_show_what_the_run_did(void **state)
{
  ts_record *record = open_record(state);
  ts_figure figure = empty_figure();
  ts_summary_sheet(record, &figure);
  assert_false(figure.heap.exhausted);
  const ts_curve *slowing = &panel_of(&figure, "speed [m/s]")->curves[0];
  assert_int_equal(slowing->count, STEPS + 1);
  for (int i = 0; i <= STEPS; ++i) {
    assert_true(fabs(slowing->x[i] - i * step) < 1e-12);
    assert_true(fabs(slowing->y[i] - (speed - 0.2 * gravity * i * step)) < 1e-6);
  }
  const ts_curve *weight = &panel_of(&figure, "normal force [N]")->curves[0];
  assert_string_equal(weight->name, "floor - box");
  assert_true(isnan(weight->y[0])); // no step led there
  for (int i = 1; i <= STEPS; ++i) assert_true(fabs(weight->y[i] - 3.0 * gravity) < 1e-6);
  const ts_panel *modes = panel_of(&figure, "contact modes");
  assert_int_equal(modes->span_count, 1);
  assert_int_equal(modes->spans[0].mode, TS_SLIP);
  assert_true(modes->spans[0].from == 0.0 && fabs(modes->spans[0].to - STEPS * step) < 1e-12);
  ts_figure_destroy(&figure);
  ts_record_close(record);
}

static char *script_of(const ts_figure *figure)
{
  char *script = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&script, &size);
  ts_figure_write_script(figure, stream);
  fclose(stream);
  return script;
}

// With memory for 0, 1, 2, ... allocations, until it is enough: then the figure is the one that was made with plenty.
static void shortage_is_reported(void **state)
{
  if (!LIBRARY_CALLS_ARE_COUNTED) skip();
  ts_record *record = open_record(state);
  ts_figure whole = empty_figure(), figure = {.heap = {true}};
  ts_summary_sheet(record, &whole);
  for (int granted = 0; figure.heap.exhausted; ++granted) {
    ts_error error = {0};
    const int blocks = library_blocks;
    figure = empty_figure();
    library_calls_left = granted;
    ts_summary_sheet(record, &figure);
    library_calls_left = -1;
    if (!figure.heap.exhausted) break;
    assert_int_equal(ts_gnuplot_draw(&figure, stdout, &error), TS_OUT_OF_MEMORY);
    assert_string_equal(error.text, "memory ran out");
    ts_figure_destroy(&figure);
    assert_int_equal(library_blocks, blocks);
  }
  char *expected = script_of(&whole), *found = script_of(&figure);
  assert_string_equal(found, expected);
  free(expected);
  free(found);
  ts_figure_destroy(&whole);
  ts_figure_destroy(&figure);
  ts_record_close(record);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(panels_show_what_the_run_did),
                                     cmocka_unit_test(shortage_is_reported)};
  return cmocka_run_group_tests(tests, scratch_folder_set_up, scratch_folder_tear_down);
}
