// Damaged scenes: cut off anywhere, with bytes and lines changed at random. Whatever happens, there is a scene or one
// sentence, and nothing is leaked (under the sanitizer).
#include "touchstone/scene.h"

#include "base/random.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "effort.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const paths[] = {TEST_DATA "/scenes/every_key_3d.yaml", TEST_DATA "/scenes/every_key_2d.yaml"};
static char *texts[2];
static size_t lengths[2];

static int load(void **state)
{
  (void)state;
  for (int i = 0; i < 2; ++i) {
    FILE *file = fopen(paths[i], "rb");
    if (!file) return -1;
    texts[i] = malloc(1 << 16);
    lengths[i] = fread(texts[i], 1, 1 << 16, file);
    fclose(file);
  }
  return 0;
}

static int unload(void **state)
{
  (void)state;
  for (int i = 0; i < 2; ++i) free(texts[i]);
  return 0;
}

// The text is copied to memory of exactly its size, so that reading past its end is seen. A scene that is accepted has
// a text that is accepted.
static bool is_accepted(const char *text, size_t length, const char *path)
{
  char *exact = malloc(length ? length : 1);
  memcpy(exact, text, length);
  ts_scene *scene;
  ts_error error = {0};
  const ts_status status = ts_scene_parse(exact, length, path, NULL, 0, &scene, &error);
  free(exact);
  if (status == TS_OK) {
    ts_scene *again;
    const char *canonical = ts_scene_text(scene);
    if (ts_scene_parse(canonical, strlen(canonical), path, NULL, 0, &again, &error) != TS_OK)
      fail_msg("%d:%d: %s in\n%s", error.line, error.column, error.text, canonical);
    ts_scene_destroy(again);
  } else {
    assert_null(scene);
    assert_int_equal(error.status, status);
    assert_true(error.text[0] != '\0' && !strchr(error.text, '\n'));
    if (error.line <= 0 || error.column <= 0) fail_msg("no place: %s", error.text);
  }
  ts_scene_destroy(scene);
  return status == TS_OK;
}

static void a_scene_may_end_anywhere(void **state)
{
  (void)state;
  int accepted = 0;
  for (int i = 0; i < 2; ++i)
    for (size_t length = 0; length < lengths[i]; length += (size_t)effort_stride(3, 7))
      accepted += is_accepted(texts[i], length, paths[i]);
  print_message("%d of %zu beginnings are scenes\n", accepted, lengths[0] + lengths[1]);
}

static size_t position_below(ts_random *random, size_t limit)
{
  return (size_t)ts_random_below(random, (int)limit);
}

static void change_byte(char *text, size_t length, ts_random *random)
{
  static const char likely[] = "\n :-[]{}#&*!|>'\"%@`,?~.0123456789aenNI\t\x80\xff";
  const bool any = ts_random_below(random, 5) == 0;
  text[position_below(random, length)] =
      any ? (char)ts_random_below(random, 256) : likely[position_below(random, sizeof likely - 1)];
}

// Copy one stretch of the text over another.
static void move_stretch(char *text, size_t length, ts_random *random)
{
  const size_t most = 40, room = length - most;
  const size_t from = position_below(random, room), to = position_below(random, room);
  memmove(text + to, text + from, position_below(random, most));
}

static void bytes_may_be_anything(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 20);
  int accepted = 0;
  const int trials = effort_part(2000, 3, 7);
  for (int trial = 0; trial < trials; ++trial) {
    const int i = trial % 2;
    char *text = malloc(lengths[i]);
    memcpy(text, texts[i], lengths[i]);
    const int changes = 1 + ts_random_below(&random, 4);
    for (int k = 0; k < changes; ++k)
      (ts_random_below(&random, 10) < 7 ? change_byte : move_stretch)(text, lengths[i], &random);
    accepted += is_accepted(text, lengths[i], paths[i]);
    free(text);
  }
  print_message("%d of %d changed scenes are scenes\n", accepted, trials);
  // Neither all nor none: the changes are of a useful strength. Of 2000 trials 29 are accepted, of the first 667 of
  // them 10, of the first 286 of them 2.
  assert_true(accepted > trials / 200 && accepted < trials * 3 / 4);
}

// A long chain of bodies from its end, and a long list: work grows with the size, not with its square.
static void a_large_scene_is_read(void **state)
{
  (void)state;
  enum { BODIES = 20000 };
  char *text = malloc(BODIES * 128 + 64);
  size_t used = (size_t)sprintf(text, "touchstone: 1\nbodies:\n");
  for (int i = BODIES - 1; i > 0; --i)
    used += (size_t)sprintf(text + used, "- {name: b%d, mass: 1, rotates: false, joint: {type: fixed, parent: b%d}}\n",
                            i, i - 1);
  sprintf(text + used, "- {name: b0, mass: 1, rotates: false}\n");
  ts_scene *scene;
  ts_error error;
  if (ts_scene_parse(text, strlen(text), "large", NULL, 0, &scene, &error) != TS_OK)
    fail_msg("%d:%d: %s", error.line, error.column, error.text);
  assert_int_equal(ts_model_body_count(ts_scene_model(scene)), BODIES);
  ts_scene_destroy(scene);
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_scene_may_end_anywhere),
      cmocka_unit_test(bytes_may_be_anything),
      cmocka_unit_test(a_large_scene_is_read),
  };
  return cmocka_run_group_tests(tests, load, unload);
}
