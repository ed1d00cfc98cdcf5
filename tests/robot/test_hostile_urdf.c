// Damaged and outsized robots. Whatever happens, there is a scene or one sentence with a place, and nothing is leaked
// (under the sanitizer).
#include "touchstone/urdf.h"

#include "base/random.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char path[] = TEST_DATA "/urdf/every_element.urdf";
static char text[1 << 14];
static size_t text_length;

static int load(void **state)
{
  (void)state;
  FILE *file = fopen(path, "rb");
  if (!file) return -1;
  text_length = fread(text, 1, sizeof text, file);
  fclose(file);
  return 0;
}

// The text is copied to memory of exactly its size, so that reading past its end is seen. A robot that is accepted has
// a text that is a scene.
static bool is_accepted(const char *robot, size_t length, const ts_urdf_options *options, ts_error *error)
{
  char *exact = malloc(length ? length : 1);
  memcpy(exact, robot, length);
  ts_scene *scene;
  *error = (ts_error){0};
  const ts_status status = ts_urdf_parse(exact, length, path, options, NULL, 0, &scene, error);
  free(exact);
  if (status == TS_OK) {
    ts_scene *again;
    const char *canonical = ts_scene_text(scene);
    if (ts_scene_parse(canonical, strlen(canonical), path, NULL, 0, &again, error) != TS_OK)
      fail_msg("%d:%d: %s in\n%s", error->line, error->column, error->text, canonical);
    ts_scene_destroy(again);
  } else {
    assert_null(scene);
    assert_int_equal(error->status, status);
    assert_true(error->text[0] != '\0' && !strchr(error->text, '\n'));
    if (error->line <= 0 || error->column <= 0) fail_msg("no place: %s", error->text);
  }
  ts_scene_destroy(scene);
  return status == TS_OK;
}

static void a_file_may_end_anywhere(void **state)
{
  (void)state;
  ts_error error;
  const size_t whole = text_length - 1; // without the last line's end
  assert_true(is_accepted(text, whole, NULL, &error));
  for (size_t length = 0; length < whole; ++length) assert_false(is_accepted(text, length, NULL, &error));
}

static size_t position_below(ts_random *random, size_t limit)
{
  return (size_t)ts_random_below(random, (int)limit);
}

static void change_byte(char *robot, ts_random *random)
{
  static const char likely[] = "<>/=\"' 0123456789.-+eaxyz&;\n\x80\xff";
  const bool any = ts_random_below(random, 5) == 0;
  robot[position_below(random, text_length)] =
      any ? (char)ts_random_below(random, 256) : likely[position_below(random, sizeof likely - 1)];
}

// Copy one stretch of the text over another.
static void move_stretch(char *robot, ts_random *random)
{
  const size_t most = 60, room = text_length - most;
  const size_t from = position_below(random, room), to = position_below(random, room);
  memmove(robot + to, robot + from, position_below(random, most));
}

// One digit after another of numbers becomes another: robots that differ in size, mass and place.
static void change_digit(char *robot, ts_random *random)
{
  for (int tries = 0; tries < 1000; ++tries) {
    char *digit = &robot[position_below(random, text_length)];
    if (*digit < '0' || *digit > '9') continue;
    *digit = "0123456789-e"[position_below(random, 12)];
    return;
  }
}

static void bytes_may_be_anything(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 21);
  int accepted = 0;
  ts_urdf_options options = ts_urdf_options_default();
  for (int trial = 0; trial < 2000; ++trial) {
    char *robot = malloc(text_length);
    ts_error error;
    memcpy(robot, text, text_length);
    options.base = trial % 2 ? TS_BASE_FREE : TS_BASE_FIXED;
    options.floor = trial % 4 > 1;
    for (int changes = 1 + ts_random_below(&random, 4); changes > 0; --changes) {
      const int kind = ts_random_below(&random, 10);
      (kind < 3 ? change_byte : kind < 5 ? move_stretch : change_digit)(robot, &random);
    }
    accepted += is_accepted(robot, text_length, &options, &error);
    free(robot);
  }
  print_message("%d of 2000 changed robots are robots\n", accepted);
  assert_true(accepted > 200 && accepted < 1800); // neither all nor none: the changes are of a useful strength
}

// ---- size ----------------------------------------------------------------------------------------------------------

static char *begin(size_t room, size_t *used)
{
  char *robot = malloc(room);
  *used = (size_t)sprintf(robot, "<robot name='r'>\n");
  return robot;
}

static void assert_outcome(char *robot, size_t length, const char *words)
{
  ts_error error;
  const bool accepted = is_accepted(robot, length, NULL, &error);
  if (accepted != (words == NULL)) fail_msg("%d:%d: %s", error.line, error.column, error.text);
  if (words && !strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
  free(robot);
}

// Chains of links: work grows with the size, not with its square, and nothing recurses.
static void a_long_chain_is_read(void **state)
{
  (void)state;
  static const char *const types[] = {"fixed", "continuous"};
  enum { LINKS = 20000 };
  for (int kind = 0; kind < 2; ++kind) {
    size_t used;
    char *robot = begin((size_t)LINKS * 300, &used);
    for (int i = LINKS - 1; i >= 0; --i) {
      used += (size_t)sprintf(robot + used,
                              "<link name='l%d'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/>"
                              "</inertial></link>\n",
                              i);
      if (i > 0)
        used += (size_t)sprintf(robot + used,
                                "<joint name='j%d' type='%s'><parent link='l%d'/><child link='l%d'/></joint>\n", i,
                                types[kind], i - 1, i);
    }
    used += (size_t)sprintf(robot + used, "</robot>");
    assert_outcome(robot, used, NULL);
  }
}

static void many_shapes_are_read(void **state)
{
  (void)state;
  enum { SHAPES = 5000 };
  size_t used;
  char *robot = begin((size_t)SHAPES * 150, &used);
  used += (size_t)sprintf(robot + used, "<link name='a'>");
  for (int i = 0; i < SHAPES; ++i)
    used += (size_t)sprintf(
        robot + used, "<collision><origin xyz='%d 0 0'/><geometry><sphere radius='1'/></geometry></collision>", i);
  used += (size_t)sprintf(robot + used, "</link></robot>");
  assert_outcome(robot, used, NULL);
}

static char *with_padding(const char *head, char padding, size_t count, const char *tail, size_t *length)
{
  *length = strlen(head) + count + strlen(tail);
  char *robot = malloc(*length + 1);
  strcpy(robot, head);
  memset(robot + strlen(head), padding, count);
  strcpy(robot + strlen(head) + count, tail);
  return robot;
}

static void huge_values_are_refused(void **state)
{
  (void)state;
  size_t length;
  char *robot = with_padding("<robot name='", 'x', 100 << 20, "'/>", &length); // more than any scene may have
  ts_scene *scene;
  ts_error error;
  assert_int_equal(ts_urdf_parse(robot, length, "r", NULL, NULL, 0, &scene, &error), TS_INVALID);
  assert_null(scene);
  assert_non_null(strstr(error.text, "64 MiB"));
  free(robot);
  robot = with_padding("<robot name='", 'x', 60 << 20, "'/>", &length);
  assert_outcome(robot, length, "the value of 'name' has more than 65536 bytes");
  robot = with_padding("<robot name='r'><link name='", 'x', 60000, "'/></robot>", &length);
  assert_outcome(robot, length, "a name has at most 100 bytes");
  robot = with_padding("<robot name='r'><link name='a'><inertial><mass value='1", '0', 60000,
                       "'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>", &length);
  assert_outcome(robot, length, "'value' of 'mass' must be a number");
  robot = with_padding("<robot name='r'><link name='a'>", '\n', 60 << 20, "</link></robot>", &length);
  assert_outcome(robot, length, NULL);
}

static void deep_nesting_is_refused(void **state)
{
  (void)state;
  size_t used;
  char *robot = begin(4000000, &used);
  while (used < 3000000) used += (size_t)sprintf(robot + used, "<link>");
  assert_outcome(robot, used, "nested more than 64 deep");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_may_end_anywhere), cmocka_unit_test(bytes_may_be_anything),
      cmocka_unit_test(a_long_chain_is_read),    cmocka_unit_test(many_shapes_are_read),
      cmocka_unit_test(huge_values_are_refused), cmocka_unit_test(deep_nesting_is_refused),
  };
  return cmocka_run_group_tests(tests, load, NULL);
}
