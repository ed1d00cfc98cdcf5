// What the manual shows of scenes is true: every YAML block passes the check of the format, and keys that are named in
// the text exist.
#define _POSIX_C_SOURCE 200809L // glob
#include "touchstone/verify.h"

#include "scene/scene_schema.h"
#include "scene/watch_plan.h"

#include "document/parameter_set.h"
#include "document/repeat.h"
#include "document/validate.h"
#include "document/yaml.h"
#include "study/study_keys.h"
#include "study/verify_keys.h"

#include "whole_file.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOT EXAMPLES "/.."

static glob_t find_pages(void)
{
  static const char *const patterns[] = {ROOT "/README.md", ROOT "/docs/*.md", ROOT "/docs/*/*.md"};
  glob_t pages = {0};
  for (int i = 0; i < 3; ++i) assert_int_equal(glob(patterns[i], i > 0 ? GLOB_APPEND : 0, NULL, &pages), 0);
  return pages;
}

// ---- blocks --------------------------------------------------------------------------------------------------------

static bool is_key_of(const ts_section *section, const char *word, size_t length)
{
  for (int i = 0; i < ts_section_key_count(section); ++i) {
    const char *name = ts_section_key_at(section, i)->name;
    if (strlen(name) == length && strncmp(name, word, length) == 0) return true;
  }
  return false;
}

// What a block is the beginning of: studies and verifications are shown whole.
static const ts_section *section_of(const char *block)
{
  const char *first = block + strspn(block, " \n");
  if (strncmp(first, "study:", 6) == 0) return &ts_study_section;
  return strncmp(first, "verify:", 7) == 0 ? &ts_verify_section : &ts_scene_section;
}

// A scene around the block: it is a whole one, keys of one, or keys of a body.
static char *complete(const char *block, size_t length)
{
  const char *first = block + strspn(block, " \n");
  char *text = calloc(1, 64 * length + 256);
  if (section_of(block) != &ts_scene_section) return memcpy(text, block, length);
  if (strncmp(first, "#", 1) == 0) first = strchr(first, '\n') + 1;
  const bool of_scene = is_key_of(&ts_scene_section, first, strcspn(first, ":"));
  const bool whole = strncmp(first, "touchstone:", 11) == 0;
  if (!whole) strcat(text, of_scene ? "touchstone: 1\n" : "touchstone: 1\nbodies:\n  - name: shown\n");
  const char *indent = of_scene || *block == ' ' ? "" : "    ";
  for (const char *line = block; line < block + length; line += strcspn(line, "\n") + 1)
    sprintf(text + strlen(text), "%s%.*s\n", indent, (int)strcspn(line, "\n"), line);
  if (of_scene && !strstr(text, "\nbodies:")) strcat(text, "bodies: [{name: shown}]\n");
  return text;
}

// What is computed stands in the tree before it is checked.
static ts_status check(ts_document_input *in, ts_node *root)
{
  TS_TRY(ts_parameters_complete(in, root));
  TS_TRY(ts_parameters_read(in, root, NULL));
  TS_TRY(ts_document_expand(in, root));
  TS_TRY(ts_scene_complete_results(in, root));
  return ts_scene_validate(in, root, ts_scene_space_of(root));
}

static ts_status check_study(ts_document_input *in, ts_node *root, const ts_section *section)
{
  ts_variations_complete(in, root);
  ts_variations_complete(in, ts_node_find(root, "designs"));
  ts_variations_complete(in, ts_node_find(root, "uncertain"));
  return ts_document_validate(in, root, section, TS_SPACE_3D);
}

static void assert_valid(const char *page, const char *block, size_t length)
{
  static jmp_buf recovery;
  ts_document_input in;
  ts_error error = {0};
  ts_node *root;
  char *text = complete(block, length);
  ts_document_input_init(&in, NULL, &error);
  in.arena.recovery = &recovery;
  ts_document_add_file(&in, page);
  ts_status status = ts_yaml_parse(&in, text, strlen(text), 0, &root);
  if (status == TS_OK && section_of(block) != &ts_scene_section)
    status = check_study(&in, root, section_of(block));
  else if (status == TS_OK)
    status = check(&in, root);
  if (status != TS_OK) fail_msg("%s: line %d of\n%s: %s", page, error.line, text, error.text);
  ts_document_input_release(&in);
  free(text);
}

static void every_block_of_the_manual_is_valid(void **state)
{
  (void)state;
  static const char opening[] = "\n```yaml\n", closing[] = "\n```";
  glob_t pages = find_pages();
  int blocks = 0;
  for (size_t i = 0; i < pages.gl_pathc; ++i) {
    char *text = read_text(pages.gl_pathv[i]);
    for (const char *at = strstr(text, opening); at; at = strstr(at, opening), ++blocks) {
      const char *block = at + sizeof opening - 1, *end = strstr(block, closing);
      assert_valid(pages.gl_pathv[i], block, (size_t)(end - block) + 1);
      at = end;
    }
    free(text);
  }
  assert_true(blocks >= 6);
  globfree(&pages);
}

// ---- names ---------------------------------------------------------------------------------------------------------

static bool is_key(const char *path)
{
  for (int i = 0; i < ts_scene_key_count(); ++i)
    if (strcmp(ts_scene_key_at(i).path, path) == 0) return true;
  return false;
}

// Rows "| `box` | `size` | ..." of the table in shapes.md.
static void shapes_have_the_parameters_that_the_manual_names(void **state)
{
  (void)state;
  char *text = read_text(ROOT "/docs/shapes.md");
  int named = 0;
  for (char *line = strstr(text, "\n| `"); line; line = strstr(line + 1, "\n| `")) {
    char shape[32], path[80], *parameters = strstr(line, "` | ") + 4;
    const size_t end = strcspn(parameters, "|");
    if (sscanf(line, "\n| `%31[a-z]`", shape) != 1) continue;
    snprintf(path, sizeof path, "SHAPE.%s", shape);
    if (!is_key(path)) continue; // another table
    for (char *quote = strchr(parameters, '`'); quote && quote < parameters + end; quote = strchr(quote + 1, '`')) {
      const int length = (int)strcspn(quote + 1, "`");
      snprintf(path, sizeof path, "SHAPE.%s.%.*s", shape, length, quote + 1);
      if (!is_key(path)) fail_msg("docs/shapes.md: there is no key %s", path);
      quote += length + 1;
      ++named;
    }
  }
  free(text);
  assert_true(named >= 12);
}

// Does any map have the key?
static bool is_last(const ts_scene_key *key, const char *word, size_t length)
{
  const char *point = strrchr(key->path, '.'), *name = point ? point + 1 : key->path;
  return strlen(name) == length && strncmp(name, word, length) == 0;
}

static bool is_known(const char *word, size_t length)
{
  static const struct {
    int (*count)(void);
    ts_scene_key (*at)(int i);
  } formats[] = {{ts_scene_key_count, ts_scene_key_at},
                 {ts_study_key_count, ts_study_key_at},
                 {ts_verify_key_count, ts_verify_key_at}};
  for (int f = 0; f < 3; ++f)
    for (int i = 0; i < formats[f].count(); ++i) {
      const ts_scene_key key = formats[f].at(i);
      if (is_last(&key, word, length)) return true;
    }
  return false;
}

// `key: value` in the running text.
static void keys_with_a_value_exist(void **state)
{
  (void)state;
  glob_t pages = find_pages();
  int named = 0;
  for (size_t i = 0; i < pages.gl_pathc; ++i) {
    char *text = read_text(pages.gl_pathv[i]);
    for (const char *quote = strchr(text, '`'); quote; quote = strchr(quote + 1, '`')) {
      const char *word = quote + 1;
      const size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz_"), end = strcspn(word, "`\n");
      if (length == 0 || strncmp(word + length, ": ", 2) != 0 || end <= length + 2) continue;
      if (!is_known(word, length)) fail_msg("%s: there is no key '%.*s'", pages.gl_pathv[i], (int)end, word);
      ++named;
    }
    free(text);
  }
  globfree(&pages);
  assert_true(named >= 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_block_of_the_manual_is_valid),
      cmocka_unit_test(shapes_have_the_parameters_that_the_manual_names),
      cmocka_unit_test(keys_with_a_value_exist),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
