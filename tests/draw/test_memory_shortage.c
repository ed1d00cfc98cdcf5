// Memory that runs out at every place in turn: drawing and plotting say so, hold nothing back, and end no program.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "draw/composition.h"
#include "draw/image_format.h"

#include "library_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char scene_text[] =
    "touchstone: 1\n"
    "bodies:\n"
    "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
    "  - {name: wall, kind: fixed, shape: {plane: {normal: [1, 0, 0], offset: -2}}}\n"
    "  - {name: ball, mass: 1, shape: {sphere: {radius: 0.5}}, position: [0, 0, 0.5]}\n"
    "  - {name: box, mass: 1, shape: {box: {size: [1, 1, 1]}}, position: [1.2, 0, 0.5]}\n"
    "  - {name: wedge, mass: 1, position: [0, 1.5, 0.3],\n"
    "     shape: {polytope: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}}\n"
    "  - {name: can, mass: 1, shape: {cylinder: {radius: 0.2, length: 1}}, position: [1.2, 1.5, 1]}\n"
    "springs:\n"
    "  - {bodies: [box, can], stiffness: 10}\n"
    "step: {size: 0.01}\n"
    "duration: 1\n";

// A drawing of all that there is. TS_OUT_OF_MEMORY: `out` is not complete.
static ts_status draw(const ts_subject *subject, const ts_image_format *format, FILE *out)
{
  static const int first = 0;
  static const bool all[6] = {true, true, true, true, true, true};
  const ts_composition_choice choice = {
      .title = "all", .states = &first, .state_count = 1, .contacts = true, .names = true, .trails = all};
  ts_composition composition;
  const ts_status composed = ts_composition_init(&composition, subject, &choice);
  if (composed != TS_OK) return composed;
  ts_camera camera;
  assert_true(ts_camera_aim("iso", composition.picture.gravity, &camera));
  ts_canvas *canvas = format->create_canvas(120, 90);
  ts_status status = TS_OUT_OF_MEMORY;
  if (canvas) {
    ts_picture_draw(&composition.picture, &camera, canvas);
    status = ts_canvas_finish(canvas, out);
  }
  ts_canvas_destroy(canvas);
  ts_composition_destroy(&composition);
  return status;
}

static void open_subject(ts_subject *subject)
{
  ts_scene *scene;
  ts_error error = {0};
  if (ts_scene_parse(scene_text, sizeof scene_text - 1, "scene", NULL, 0, &scene, &error) != TS_OK)
    fail_msg("%d: %s", error.line, error.text);
  assert_int_equal(ts_subject_of_scene(scene, subject, &error), TS_OK);
}

// With memory for 0, 1, 2, ... allocations, until it is enough: then the picture is the one that was drawn with plenty.
static void shortage_is_reported(const ts_subject *subject, const ts_image_format *format)
{
  char *whole = NULL;
  size_t size = 0, written = 0;
  FILE *stream = open_memstream(&whole, &size);
  assert_int_equal(draw(subject, format, stream), TS_OK);
  fclose(stream);
  static char room[1 << 20];
  ts_status status = TS_OUT_OF_MEMORY;
  for (int granted = 0; status != TS_OK; ++granted) {
    stream = fmemopen(room, sizeof room, "w");
    setvbuf(stream, NULL, _IONBF, 0);
    const int blocks = library_blocks;
    library_calls_left = granted;
    status = draw(subject, format, stream);
    library_calls_left = -1;
    assert_in_range(library_blocks - blocks, 0,
                    1); // qhull forgets one of its tables when it finds no room for the next
    assert_true(status == TS_OK || status == TS_OUT_OF_MEMORY);
    written = (size_t)ftell(stream);
    fclose(stream);
    assert_true(granted < 100000);
  }
  assert_int_equal(written, size);
  assert_memory_equal(room, whole, size);
  free(whole);
}

static void pictures_say_that_memory_ran_out(void **state)
{
  (void)state;
  if (!LIBRARY_CALLS_ARE_COUNTED) skip();
  ts_subject subject;
  open_subject(&subject);
  for (int i = 0; i < ts_image_format_count(); ++i)
    if (ts_image_format_at(i)->create_canvas) shortage_is_reported(&subject, ts_image_format_at(i));
  ts_subject_close(&subject);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(pictures_say_that_memory_ran_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
