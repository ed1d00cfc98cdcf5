// From YAML to a tree: places, what is refused, and what a hostile file can not do.
#include "document/yaml.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parsed {
  ts_document_input in;
  ts_error error;
  ts_status status;
  ts_node *root;
} parsed;

static void parse(parsed *p, const char *text, size_t length)
{
  static jmp_buf recovery; // no test runs out of memory
  *p = (parsed){0};
  ts_document_input_init(&p->in, NULL, &p->error);
  p->in.arena.recovery = &recovery;
  ts_document_add_file(&p->in, "test.yaml");
  p->status = ts_yaml_parse(&p->in, text, length, 0, &p->root);
}

static void parse_text(parsed *p, const char *text)
{
  parse(p, text, strlen(text));
}

static void release(parsed *p)
{
  ts_document_input_release(&p->in);
}

static void assert_refused(const char *text, int line, int column, const char *words)
{
  parsed p;
  parse_text(&p, text);
  assert_int_equal(p.status, TS_INVALID);
  if (!strstr(p.error.text, words)) fail_msg("'%s' does not contain '%s'", p.error.text, words);
  if (line > 0) assert_int_equal(p.error.line, line);
  if (column > 0) assert_int_equal(p.error.column, column);
  assert_true(p.error.line > 0 && p.error.column > 0);
  assert_null(strchr(p.error.text, '\n'));
  release(&p);
}

static void values_keep_their_places(void **state)
{
  (void)state;
  parsed p;
  parse_text(&p, "a: 1\nlist:\n  - [x, \"y z\"]\n  - k: {deep: v}\n\nä: ü\n");
  assert_int_equal(p.status, TS_OK);
  assert_int_equal(p.root->kind, TS_NODE_MAP);
  assert_int_equal(p.root->count, 3);
  const ts_node *list = ts_node_find(p.root, "list");
  assert_int_equal(list->key_place.line, 2);
  assert_int_equal(list->key_place.column, 1);
  const ts_node *inner = ts_node_at(list, 0);
  assert_int_equal(inner->place.line, 3);
  assert_int_equal(inner->place.column, 5);
  assert_string_equal(ts_node_at(inner, 1)->text, "y z");
  assert_false(ts_node_at(inner, 1)->plain);
  assert_true(ts_node_at(inner, 0)->plain);
  assert_int_equal(ts_node_at(inner, 1)->place.column, 9);
  const ts_node *deep = ts_node_find(ts_node_find(ts_node_at(list, 1), "k"), "deep");
  assert_int_equal(deep->place.line, 4);
  assert_int_equal(deep->place.column, 15);
  assert_string_equal(ts_node_find(p.root, "ä")->text, "ü");
  release(&p);
}

static void json_is_yaml(void **state)
{
  (void)state;
  parsed p;
  parse_text(&p, "{\"a\": [1, 2.5e3, true, null, \"t\\u00e4xt\"], \"b\": {}}");
  assert_int_equal(p.status, TS_OK);
  const ts_node *list = ts_node_find(p.root, "a");
  assert_int_equal(list->count, 5);
  assert_true(ts_node_is_null(ts_node_at(list, 3)));
  assert_string_equal(ts_node_at(list, 4)->text, "täxt");
  assert_int_equal(ts_node_find(p.root, "b")->kind, TS_NODE_MAP);
  release(&p);
}

// Of many escapes, in all styles: the text arrives whole, and under the sanitizer nothing is left behind.
static void texts_with_many_pieces_arrive_whole(void **state)
{
  (void)state;
  enum { PIECES = 200 };
  char text[10 * PIECES], expected[2 * PIECES + 1];
  size_t used = (size_t)sprintf(text, "single: '");
  for (int i = 0; i < PIECES; ++i) used += (size_t)sprintf(text + used, "a''");
  used += (size_t)sprintf(text + used, "'\ndouble: \"");
  for (int i = 0; i < PIECES; ++i) used += (size_t)sprintf(text + used, "a\\x27");
  sprintf(text + used, "\"\nblock: |\n  x\n  y\n");
  for (int i = 0; i < PIECES; ++i) memcpy(expected + 2 * (size_t)i, "a'", 3);
  parsed p;
  parse_text(&p, text);
  assert_int_equal(p.status, TS_OK);
  assert_string_equal(ts_node_find(p.root, "single")->text, expected);
  assert_string_equal(ts_node_find(p.root, "double")->text, expected);
  assert_string_equal(ts_node_find(p.root, "block")->text, "x\ny\n");
  release(&p);
}

static void aliases_are_written_out(void **state)
{
  (void)state;
  parsed p;
  parse_text(&p, "a: &x {k: [1, 2]}\nb: *x\nc: {<<: *x, m: 3}\nd: {<<: [{k: 7, n: 8}, *x], n: 9}\n");
  assert_int_equal(p.status, TS_OK);
  const ts_node *a = ts_node_find(p.root, "a"), *b = ts_node_find(p.root, "b"), *c = ts_node_find(p.root, "c");
  const ts_node *d = ts_node_find(p.root, "d");
  assert_ptr_not_equal(a->first, b->first); // a change of one is no change of the other
  assert_string_equal(ts_node_at(ts_node_find(b, "k"), 1)->text, "2");
  assert_int_equal(c->count, 2);
  assert_string_equal(ts_node_at(ts_node_find(c, "k"), 0)->text, "1");
  assert_string_equal(ts_node_find(d, "n")->text, "9"); // own keys win, then the first map
  assert_string_equal(ts_node_find(d, "k")->text, "7");
  release(&p);
}

static void what_is_no_scene_is_refused(void **state)
{
  (void)state;
  assert_refused("", 1, 1, "nothing");
  assert_refused("# only a comment\n", 1, 1, "nothing");
  assert_refused("~", 1, 1, "nothing");
  assert_refused("a: 1\nb: 2\na: 3\n", 3, 1, "'a' is given twice");
  assert_refused("a: !tag 1\n", 1, 0, "tags");
  assert_refused("a: !!str 1\n", 1, 0, "tags");
  assert_refused("a: !!python/object [1]\n", 1, 0, "tags");
  assert_refused("a: 1\n---\nb: 2\n", 2, 1, "second document");
  assert_refused("[a, b]: 1\n", 1, 1, "key must be a text");
  assert_refused("a: *nobody\n", 1, 0, "&nobody");
  assert_refused("a: &x [*x]\n", 1, 0, "&x");
  assert_refused("<<: 3\n", 1, 5, "merges a map");
  assert_refused("a: [1, 2\n", 0, 0, "not YAML");
  assert_refused("a: \"open\n", 0, 0, "not YAML");
  assert_refused("a: b: c\n", 1, 0, "not YAML");
  assert_refused("\ta: 1\n", 1, 0, "not YAML");
  assert_refused("a: \"x\\0y\"\n", 1, 4, "zero character");
  assert_refused("a: 1\nb: \xff\n", 2, 4, "UTF-8");
  assert_refused("a: \xc0\xaf\n", 1, 4, "UTF-8");     // overlong
  assert_refused("a: \xed\xa0\x80\n", 1, 4, "UTF-8"); // surrogate
  assert_refused("a: \xf4\x90\x80\x80\n", 1, 4, "UTF-8");
  assert_refused("a: \xe2\x82", 1, 4, "UTF-8"); // cut off
  parsed p;
  parse(&p, "a: 1\0b", 6);
  assert_int_equal(p.status, TS_INVALID);
  assert_int_equal(p.error.column, 5);
  release(&p);
}

static void nesting_is_bounded(void **state)
{
  (void)state;
  enum { LEVELS = 100000 };
  char *text = malloc(2 * LEVELS + 8);
  memset(text, '[', LEVELS);
  memset(text + LEVELS, ']', LEVELS);
  text[2 * LEVELS] = '\0';
  parsed p;
  parse_text(&p, text);
  assert_int_equal(p.status, TS_INVALID);
  release(&p);
  // as many as are allowed
  memset(text, '[', TS_DOCUMENT_DEPTH);
  memset(text + TS_DOCUMENT_DEPTH, ']', TS_DOCUMENT_DEPTH);
  text[2 * TS_DOCUMENT_DEPTH] = '\0';
  parse_text(&p, text);
  assert_int_equal(p.status, TS_OK);
  release(&p);
  // and one more
  memset(text, '[', TS_DOCUMENT_DEPTH + 1);
  memset(text + TS_DOCUMENT_DEPTH + 1, ']', TS_DOCUMENT_DEPTH + 1);
  text[2 * TS_DOCUMENT_DEPTH + 2] = '\0';
  assert_refused(text, 1, TS_DOCUMENT_DEPTH + 1, "deep");
  free(text);
  // aliases nest too
  char aliases[4096];
  int used = snprintf(aliases, sizeof aliases, "a0: &a0 [[[[1]]]]\n");
  for (int i = 1; i < 20; ++i)
    used += snprintf(aliases + used, sizeof aliases - (size_t)used, "a%d: &a%d [[[[*a%d]]]]\n", i, i, i - 1);
  assert_refused(aliases, 0, 0, "deep");
}

// Every level repeats the one before nine times: 9^9 values from a few lines.
static void repeating_is_bounded(void **state)
{
  (void)state;
  char text[4096];
  int used = snprintf(text, sizeof text, "a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
  for (int i = 1; i < 9; ++i) {
    used += snprintf(text + used, sizeof text - (size_t)used, "a%d: &a%d [", i, i);
    for (int k = 0; k < 9; ++k) used += snprintf(text + used, sizeof text - (size_t)used, "*a%d, ", i - 1);
    used += snprintf(text + used, sizeof text - (size_t)used, "x]\n");
  }
  assert_refused(text, 0, 0, "values");
}

static void maps_are_bounded(void **state)
{
  (void)state;
  enum { KEYS = 100000 };
  char *text = malloc(16 * KEYS);
  size_t used = 0;
  for (int i = 0; i < KEYS; ++i) used += (size_t)sprintf(text + used, "key%d: 1\n", i);
  assert_refused(text, TS_DOCUMENT_KEYS + 1, 1, "keys");
  free(text);
}

// Where a person would point: line and column of the character that is wrong. libfyaml has no word for some faults.
static void syntax_errors_have_a_column(void **state)
{
  (void)state;
  assert_refused("a: 1\nbodies: [{name: a}, {name: b]\n", 2, 29, "not YAML");
  assert_refused("a: 1\nname: @x\n", 2, 7, "not YAML");
  assert_refused("a: 1\nb: \"c\n", 2, 5, "not YAML");
  assert_refused("a: 'left arm'.x\n", 1, 14, "after single-quoted scalar; put all of the text in double quotes");
  assert_refused("|0", 1, 1, "what follows this is not YAML");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_keep_their_places),
      cmocka_unit_test(json_is_yaml),
      cmocka_unit_test(texts_with_many_pieces_arrive_whole),
      cmocka_unit_test(aliases_are_written_out),
      cmocka_unit_test(what_is_no_scene_is_refused),
      cmocka_unit_test(nesting_is_bounded),
      cmocka_unit_test(repeating_is_bounded),
      cmocka_unit_test(maps_are_bounded),
      cmocka_unit_test(syntax_errors_have_a_column),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
