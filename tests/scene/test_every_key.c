// No key of a scene is passed over: for every value of the scenes that hold every key, another value makes another
// model, other options, or another length or spacing of the run. A round trip would not see a key that the reader
// ignores: it ignores it alike both times.
#include "effort.h"
#include "scene_try.h"
#include "whole_file.h"

#include "touchstone/scene.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { LONGEST_LINE = 256, MOST_WORDS = 256, WORD_SIZE = 48 };

// ---- words that may stand somewhere --------------------------------------------------------------------------------

typedef struct word_list {
  char words[MOST_WORDS][WORD_SIZE];
  int count;
} word_list;

static void add_word(word_list *list, const char *begin, size_t length)
{
  if (length == 0 || length >= WORD_SIZE) return;
  for (int i = 0; i < list->count; ++i)
    if (strlen(list->words[i]) == length && strncmp(list->words[i], begin, length) == 0) return;
  assert_true(list->count < MOST_WORDS);
  snprintf(list->words[list->count++], WORD_SIZE, "%.*s", (int)length, begin);
}

// Words that the schema offers anywhere ("one of: a, b"), and the names in the scene.
static void collect_words(word_list *list, const char *text)
{
  static const char *const files[] = {"../urdf/gate.urdf",
                                      "../urdf/hinge.urdf",
                                      "../urdf/cartpole.urdf",
                                      "wedge.obj",
                                      "[../packages/two]",
                                      "world",
                                      "another name",
                                      "tetrahedron.obj",
                                      "../urdf/fingers_heavy.urdf",
                                      "egg.x",
                                      "slide_3"};
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) add_word(list, files[i], strlen(files[i]));
  for (int i = 0; i < ts_scene_key_count(); ++i) {
    const ts_scene_key key = ts_scene_key_at(i);
    const char *at = strstr(key.type, "one of: ");
    for (at = at ? at + 8 : NULL; at && *at; at += *at == ',' ? 2 : 0) {
      const size_t length = strcspn(at, ",");
      add_word(list, at, length);
      at += length;
    }
  }
  for (const char *at = text; (at = strstr(at, "name: ")) != NULL;) {
    at += 6;
    add_word(list, at, strcspn(at, "\n"));
  }
}

// ---- one line ------------------------------------------------------------------------------------------------------

typedef struct subject {
  const char *path;
  char *text;
  ts_scene *scene;
  word_list words;
  int leaves, changes, blamed;
} subject;

// The scene with `length` bytes at `at` replaced. *scene is NULL where it is refused.
static void read_changed(const subject *s, const char *at, size_t length, const char *value, ts_scene **scene)
{
  const size_t head = (size_t)(at - s->text), size = strlen(s->text) + strlen(value) + 1;
  char *changed = malloc(size);
  assert_non_null(changed);
  snprintf(changed, size, "%.*s%s%s", (int)head, s->text, value, at + length);
  ts_scene_parse(changed, strlen(changed), s->path, NULL, 0, scene, NULL);
  free(changed);
}

// Is there a value in the list that is accepted and makes a difference?
static bool any_word_counts(const subject *s, const char *at, size_t length)
{
  for (int i = 0; i < s->words.count; ++i) {
    const char *word = s->words.words[i];
    if (strlen(word) == length && strncmp(word, at, length) == 0) continue;
    ts_scene *other;
    read_changed(s, at, length, word, &other);
    const bool counts = other && scene_difference(s->scene, other);
    ts_scene_destroy(other);
    if (counts) return true;
  }
  return false;
}

static bool any_number_counts(const subject *s, const char *at, size_t length)
{
  const double number = strtod(at, NULL);
  const double others[] = {1.25 * number, number + 0.01, 2.0 * number, number + 2.0, 0.5 * number,
                           0.75 * number, number - 0.01, 1.0,          0.25,         16.0};
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
    char text[32];
    snprintf(text, sizeof text, "%.17g", others[i]);
    if (others[i] == number) continue;
    ts_scene *other;
    read_changed(s, at, length, text, &other);
    const bool counts = other && scene_difference(s->scene, other);
    ts_scene_destroy(other);
    if (counts) return true;
  }
  return false;
}

static bool is_number(const char *at, size_t length)
{
  char *end;
  strtod(at, &end);
  return length > 0 && end == at + length;
}

static bool value_counts(const subject *s, const char *at, size_t length)
{
  if (is_number(at, length)) return any_number_counts(s, at, length);
  if (length == 4 && strncmp(at, "true", 4) == 0) {
    ts_scene *other;
    read_changed(s, at, length, "false", &other);
    const bool counts = other && scene_difference(s->scene, other);
    ts_scene_destroy(other);
    return counts;
  }
  if (length == 5 && strncmp(at, "false", 5) == 0) {
    ts_scene *other;
    read_changed(s, at, length, "true", &other);
    const bool counts = other && scene_difference(s->scene, other);
    ts_scene_destroy(other);
    return counts;
  }
  return any_word_counts(s, at, length);
}

// What no value can show: `line` is trimmed. Each has a test of its own or no other value that is legal.
static bool is_exempt(const char *line)
{
  static const char *const exempt[] = {
      "touchstone: 1",        // the only version
      "space: 3d",            // the rest of the file is of this space
      "space: 2d",            // likewise
      "allow_overlap: false", // decides whether there is a model: test_scene.c
      "missing_meshes: skip", // likewise: test_urdf_repairs.c
      "strict: false",        // likewise
      "kind: fixed",
      "kind: kinematic",
      "kind: dynamic",        // what else they have would not do for another kind
      "from: 0",              // where the first piece begins is for ever
      "from: 4",              // of the piece within a piece, likewise
      "name: wind",           // for overrides only
      "type: screw",          // no other joint has its pitch
      "formulation: reduced", // no other goes with the method: test_mncp_step.c
  };
  for (size_t i = 0; i < sizeof exempt / sizeof *exempt; ++i)
    if (strcmp(line, exempt[i]) == 0) return true;
  return false;
}

// A name that others refer to cannot be changed alone.
static bool is_referred_to(const subject *s, const char *line)
{
  if (strncmp(line, "name: ", 6) != 0) return false;
  int uses = 0;
  const size_t length = strlen(line + 6);
  for (const char *at = s->text; (at = strstr(at, line + 6)) != NULL; at += length) ++uses;
  return uses > 1;
}

// Directions of any length, and those that must stay normal to another: not every component alone makes another one.
static bool has_no_length(const char *line)
{
  return strncmp(line, "axis", 4) == 0 || strncmp(line, "normal", 6) == 0 || strncmp(line, "orientation", 11) == 0;
}

static void blame(subject *s, const char *line)
{
  ++s->blamed;
  print_error("%s: '%s' makes no difference\n", strrchr(s->path, '/') + 1, line);
}

// Every component of a list, or the value itself.
static void check_value(subject *s, const char *line, const char *at, size_t length)
{
  if (*at != '[' || strstr(line, "../")) {
    ++s->changes;
    if (!value_counts(s, at, length)) blame(s, line);
    return;
  }
  int matter = 0, all = 0;
  const char *end = at + length - 1;
  for (const char *item = at + 1; item < end;) {
    const size_t size = strcspn(item, ",]");
    ++all;
    ++s->changes;
    matter += value_counts(s, item, size);
    item += size;
    item += strspn(item, ", ");
  }
  if (matter < (has_no_length(line) ? 1 : all)) blame(s, line);
}

static void check_line(subject *s, const char *begin, size_t length)
{
  char line[LONGEST_LINE];
  while (length > 0 && (*begin == ' ' || *begin == '-')) {
    if (*begin == '-' && length > 1 && begin[1] != ' ') break; // a negative number
    ++begin;
    --length;
  }
  if (length == 0 || *begin == '#') return;
  snprintf(line, sizeof line, "%.*s", (int)length, begin);
  const char *colon = strstr(line, ": ");
  const bool is_item = !colon && (*line == '[' || is_number(line, strlen(line)));
  if ((!colon && !is_item) || is_exempt(line) || is_referred_to(s, line) || strstr(line, "{}")) return;
  const size_t offset = colon ? (size_t)(colon - line) + 2 : 0;
  ++s->leaves;
  check_value(s, line, begin + offset, length - offset);
}

static void check_scene(const char *path)
{
  subject *s = calloc(1, sizeof *s);
  assert_non_null(s);
  s->path = path;
  s->text = read_text(path);
  collect_words(&s->words, s->text);
  ts_error error;
  if (ts_scene_parse(s->text, strlen(s->text), path, NULL, 0, &s->scene, &error) != TS_OK)
    fail_msg("%s:%d: %s", path, error.line, error.text);
  ts_scene *same; // what is compared is a function of the text
  read_changed(s, s->text, 0, "", &same);
  assert_non_null(same);
  assert_null(scene_difference(s->scene, same));
  ts_scene_destroy(same);
  int line = 0;
  for (const char *at = s->text; *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n'), ++line)
    if (line % effort_one_in(5) == 0) check_line(s, at, strcspn(at, "\n"));
  print_message("%s: %d lines, %d values\n", strrchr(path, '/') + 1, s->leaves, s->changes);
  assert_int_equal(s->blamed, 0);
  ts_scene_destroy(s->scene);
  free(s->text);
  free(s);
}

static void every_value_in_space_counts(void **state)
{
  (void)state;
  check_scene(TEST_DATA "/scenes/every_key_3d.yaml");
}

static void every_value_in_the_plane_counts(void **state)
{
  (void)state;
  check_scene(TEST_DATA "/scenes/every_key_2d.yaml");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_value_in_space_counts),
      cmocka_unit_test(every_value_in_the_plane_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
