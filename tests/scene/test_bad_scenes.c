// Every key of the table, spoiled in every way that the table forbids: taken out, misspelled, of a wrong type, out of
// range. The scenes in tests/data/scenes use every key, one a line.
#include "touchstone/scene.h"

#include "scene/scene_schema.h"
#include "scene/watch_plan.h"
#include "document/common_keys.h"
#include "document/parameter_set.h"
#include "document/yaml.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- good scenes ---------------------------------------------------------------------------------------------------

typedef struct good_scene {
  const char *path;
  ts_space space;
  char *text;
  size_t length;
  ts_document_input in;
  ts_error error;
  ts_node *root; // checked, so values know their rows
} good_scene;

static good_scene scenes[] = {{.path = TEST_DATA "/scenes/every_key_3d.yaml", .space = TS_SPACE_3D},
                              {.path = TEST_DATA "/scenes/every_key_2d.yaml", .space = TS_SPACE_2D},
                              {.path = TEST_DATA "/scenes/skins_3d.yaml", .space = TS_SPACE_3D},
                              {.path = TEST_DATA "/scenes/skins_2d.yaml", .space = TS_SPACE_2D},
                              {.path = TEST_DATA "/scenes/supports_2_5d.yaml", .space = TS_SPACE_2_5D}};
enum { SCENES = 5 };

static int open_scenes(void **state)
{
  (void)state;
  static jmp_buf recovery;
  for (int i = 0; i < SCENES; ++i) {
    good_scene *scene = &scenes[i];
    FILE *file = fopen(scene->path, "rb");
    if (!file) return -1;
    scene->text = calloc(1, 1 << 16);
    scene->length = fread(scene->text, 1, (1 << 16) - 1, file);
    fclose(file);
    ts_document_input_init(&scene->in, NULL, &scene->error);
    scene->in.arena.recovery = &recovery;
    ts_document_add_file(&scene->in, scene->path);
    if (ts_yaml_parse(&scene->in, scene->text, scene->length, 0, &scene->root) != TS_OK) return -1;
    if (ts_scene_validate(&scene->in, scene->root, scene->space) != TS_OK) return -1;
  }
  return 0;
}

static int close_scenes(void **state)
{
  (void)state;
  for (int i = 0; i < SCENES; ++i) {
    ts_document_input_release(&scenes[i].in);
    free(scenes[i].text);
  }
  return 0;
}

// ---- rows ----------------------------------------------------------------------------------------------------------

enum { MOST_ROWS = 400 };
typedef struct row_list {
  const ts_key *rows[MOST_ROWS];
  const ts_section *sections[MOST_ROWS];
  int count;
} row_list;

static void collect_rows(row_list *all, const ts_section *section)
{
  for (int i = 0; i < all->count; ++i)
    if (all->sections[i] == section) return;
  for (int i = 0; i < ts_section_own_count(section); ++i) {
    assert_true(all->count < MOST_ROWS);
    all->rows[all->count] = ts_section_own_at(section, i);
    all->sections[all->count++] = section;
  }
  for (int i = 0; i < ts_section_own_count(section); ++i)
    if (ts_section_own_at(section, i)->section) collect_rows(all, ts_section_own_at(section, i)->section);
  if (section->each && section->each->section) collect_rows(all, section->each->section);
  if (section->base) collect_rows(all, section->base);
}

static row_list every_row(void)
{
  row_list all = {.count = 0};
  collect_rows(&all, &ts_scene_section);
  collect_rows(&all, &ts_signal_section);
  return all;
}

static const ts_node *find_value(const ts_node *node, const ts_key *row)
{
  if (node->row == row && node->key) return node;
  for (const ts_node *child = node->first; child; child = child->next) {
    const ts_node *found = find_value(child, row);
    if (found) return found;
  }
  return NULL;
}

// A place where the key is used, and the scene; NULL when it is nowhere.
static const ts_node *find_use(const ts_key *row, const good_scene **scene)
{
  for (int i = 0; i < SCENES; ++i) {
    const ts_node *found = find_value(scenes[i].root, row);
    *scene = &scenes[i];
    if (found) return found;
  }
  return NULL;
}

// Files are included before the tree is checked, so no checked tree has the key; and of two forms of a key at the top a
// scene has one. Controllers and shapes of one's own come from plug-ins (cli/test_plugin_files). Other tests have them.
static bool is_elsewhere(const ts_key *row, const ts_section *section)
{
  if (strcmp(section->what, "a controller") == 0 || strcmp(section->what, "a shape of one's own") == 0) return true;
  if (strcmp(section->what, "a shape") == 0 && strcmp(row->name, "own") == 0) return true;
  return strcmp(row->name, "include") == 0 || (strcmp(row->name, "urdf") == 0 && row->type == TS_VALUE_MAP);
}

// ---- spoiling ------------------------------------------------------------------------------------------------------

static const char *start_of_line(const char *text, int line)
{
  while (--line > 0) text = strchr(text, '\n') + 1;
  return text;
}

static size_t indentation(const char *line)
{
  return strspn(line, " ");
}

// The first line after the key's that does not belong to its value.
static const char *end_of_value(const char *line, size_t column)
{
  const char *next = strchr(line, '\n') + 1;
  while (*next && indentation(next) >= column) next = strchr(next, '\n') + 1;
  return next;
}

// The scene with the lines of a key replaced by `key: value`; both NULL: taken out.
static char *spoil(const good_scene *scene, const ts_node *node, const char *key, const char *value)
{
  const char *line = start_of_line(scene->text, node->key_place.line);
  const size_t column = (size_t)node->key_place.column, head = (size_t)(line - scene->text);
  const char *tail = end_of_value(line, column);
  char *text = calloc(1, scene->length + 256);
  memcpy(text, scene->text, head);
  size_t used = head;
  if (key) used += (size_t)sprintf(text + used, "%*s%s: %s\n", (int)column - 1, "", key, value);
  memcpy(text + used, tail, strlen(tail) + 1);
  return text;
}

static int spoiled; // scenes tried

// One sentence with a place, no scene.
static void assert_refused(const good_scene *scene, char *text, const char *words, int line)
{
  ts_scene *made = (ts_scene *)&made;
  ts_error error = {0};
  const ts_status status = ts_scene_parse(text, strlen(text), scene->path, NULL, 0, &made, &error);
  if (status == TS_OK) fail_msg("accepted: %s on line %d", words, line);
  assert_null(made);
  assert_int_equal(error.status, status);
  assert_true(error.text[0] != '\0' && !strchr(error.text, '\n'));
  if (error.line <= 0 || error.column <= 0) fail_msg("no place: %s", error.text);
  if (line > 0 && error.line != line) fail_msg("line %d, not %d: %s", error.line, line, error.text);
  if (words && !strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
  free(text);
  ++spoiled;
}

// ---- tests ---------------------------------------------------------------------------------------------------------

static void the_good_scenes_are_good(void **state)
{
  (void)state;
  for (int i = 0; i < SCENES; ++i) {
    ts_scene *scene;
    ts_error error;
    if (ts_scene_read(scenes[i].path, NULL, 0, &scene, &error) != TS_OK)
      fail_msg("%s:%d:%d: %s", scenes[i].path, error.line, error.column, error.text);
    ts_scene_destroy(scene);
  }
}

static void the_good_scenes_use_every_key(void **state)
{
  (void)state;
  const row_list all = every_row();
  for (int i = 0; i < all.count; ++i) {
    const good_scene *scene;
    if (!is_elsewhere(all.rows[i], all.sections[i]) && !find_use(all.rows[i], &scene))
      fail_msg("'%s' of %s is not used", all.rows[i]->name, all.sections[i]->what);
  }
}

static void a_required_key_is_missed(void **state)
{
  (void)state;
  const row_list all = every_row();
  for (int i = 0; i < all.count; ++i) {
    const ts_key *row = all.rows[i];
    const good_scene *scene;
    const ts_node *node = row->required ? find_use(row, &scene) : NULL;
    if (node) assert_refused(scene, spoil(scene, node, NULL, NULL), NULL, 0);
  }
}

static void a_slip_of_the_fingers_gets_a_suggestion(void **state)
{
  (void)state;
  const row_list all = every_row();
  for (int i = 0; i < all.count; ++i) {
    const good_scene *scene;
    const ts_node *node = is_elsewhere(all.rows[i], all.sections[i]) ? NULL : find_use(all.rows[i], &scene);
    if (!node) continue;
    char key[64];
    snprintf(key, sizeof key, "%sx", node->key);
    assert_refused(scene, spoil(scene, node, key, "1"), "did you mean", node->key_place.line);
  }
}

// Whether a list may be one number instead, as another row of the same name and section says.
static bool may_be_number(const ts_key *row)
{
  const row_list all = every_row();
  int own = 0;
  while (all.rows[own] != row) ++own;
  for (int i = 0; i < all.count; ++i)
    if (all.sections[i] == all.sections[own] && strcmp(all.rows[i]->name, row->name) == 0 &&
        all.rows[i]->type == TS_VALUE_NUMBER && !all.rows[i]->spaces)
      return true;
  return false;
}

// Maps of names that the scene makes up.
static bool is_any_name_good(const ts_key *row)
{
  return row->section == &ts_declared_parameters_section || row->section == &ts_results_section;
}

static void try_values(const ts_key *row, const char *const *values)
{
  const good_scene *scene;
  const ts_node *node = find_use(row, &scene);
  for (; node && *values; ++values) {
    if (strcmp(*values, "1") == 0 && may_be_number(row)) continue;
    if (strchr(*values, '{') && is_any_name_good(row)) continue;
    // an empty value has its place wherever the parser noticed, and what is inside a map speaks for itself
    const bool named = **values != '\0' && !strchr(*values, '{');
    assert_refused(scene, spoil(scene, node, row->name, *values), named ? row->name : NULL,
                   **values ? node->key_place.line : 0);
  }
}

static const char *const *wrong_values(ts_value_type type)
{
  static const char *const numbers[] = {"abc",  "\"1\"", "[1]",  "{a: 1}", "",      "true", ".nan", "nan",   ".inf",
                                        "-inf", "1e999", "0x10", "1e",     "1.2.3", "1 2",  "--1",  "1_000", NULL};
  static const char *const integers[] = {"1.5", "abc", "[1]", "{a: 1}", "", "1e99", ".nan", "\"1\"", NULL};
  static const char *const booleans[] = {"yes", "1", "[true]", "{a: 1}", "", "True", "\"true\"", NULL};
  static const char *const texts[] = {"[a]", "{a: 1}", "", "~", NULL};
  static const char *const text_lists[] = {"abc", "[]", "[[a]]", "{a: 1}", "", "[~]", NULL};
  static const char *const words[] = {"nonsense-word", "[a]", "{a: 1}", "", "~", "\"\"", NULL};
  static const char *const lists[] = {"1",
                                      "abc",
                                      "[]",
                                      "[abc, 1, 1]",
                                      "{a: 1}",
                                      "[[1, 2]]",
                                      "",
                                      "[.nan, 1, 1]",
                                      "[1, \"2\", 3]",
                                      "[1, {a: 1}, 2]",
                                      "[~, 1, 1]",
                                      "[1e999, 0]",
                                      NULL};
  static const char *const vectors[] = {
      "1",      "[]", "[1, 2, 3]",   "[[1], [2], [3], [4]]",
      "{a: 1}", "",   "[[a, b, c]]", "[[.nan, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1]]",
      NULL};
  static const char *const names[] = {"abc", "[abc]", "[1, 2, 3]", "[[a], [b]]", "{a: 1}", "", "[~, ~]", NULL};
  static const char *const signals[] = {"abc",       "[1]",           "{}",
                                        "{sine: 3}", "{constant: a}", "{constant: 1, sine: {}}",
                                        "",          ".inf",          "{table: {times: [1], values: [a]}}",
                                        NULL};
  static const char *const signal_lists[] = {"1", "[1]", "[1, 2, 3, 4]", "[a, b, c]", "{a: 1}", "", NULL};
  static const char *const summands[] = {"1", "[]", "[a]", "[[1]]", "[1, {a: 1}]", "{a: 1}", "", "[~]", "[.nan]", NULL};
  static const char *const maps[] = {"1", "abc", "[]", "[1]", "", "{no_such_key: 1}", NULL};
  static const char *const map_lists[] = {"1", "abc", "{a: 1}", "[1]", "[[1]]", "", "[{no_such_key: 1}]", NULL};
  switch (type) {
  case TS_VALUE_NUMBER:
    return numbers;
  case TS_VALUE_INTEGER:
    return integers;
  case TS_VALUE_BOOLEAN:
    return booleans;
  case TS_VALUE_TEXT:
    return texts;
  case TS_VALUE_CHOICE:
    return words;
  case TS_VALUE_BODY:
  case TS_VALUE_MATERIAL:
    return texts;
  case TS_VALUE_VECTOR:
  case TS_VALUE_NUMBERS:
    return lists;
  case TS_VALUE_VECTORS:
    return vectors;
  case TS_VALUE_TEXTS:
    return text_lists;
  case TS_VALUE_BODIES:
  case TS_VALUE_MATERIALS:
    return names;
  case TS_VALUE_SIGNAL:
    return signals;
  case TS_VALUE_SIGNALS:
    return signal_lists;
  case TS_VALUE_SUMMANDS:
    return summands;
  case TS_VALUE_MAP:
    return maps;
  case TS_VALUE_MAPS:
    return map_lists;
  }
  return NULL;
}

static void a_wrong_type_is_refused(void **state)
{
  (void)state;
  const row_list all = every_row();
  for (int i = 0; i < all.count; ++i)
    if (!is_elsewhere(all.rows[i], all.sections[i])) try_values(all.rows[i], wrong_values(all.rows[i]->type));
}

static const char *const *values_outside(ts_range range)
{
  static const char *const outside[TS_RANGE_COUNT][6] = {
      [TS_RANGE_ANY] = {NULL},
      [TS_RANGE_POSITIVE] = {"0", "-1", "-1e-300", "-0.0", NULL},
      [TS_RANGE_NOT_NEGATIVE] = {"-1", "-1e-300", NULL},
      [TS_RANGE_FRACTION] = {"-0.1", "1.0000001", "2", NULL},
      [TS_RANGE_OPEN_FRACTION] = {"0", "1", "-1", "2", NULL},
      [TS_RANGE_UPPER_HALF] = {"0.4999999", "1.0000001", "0", NULL},
      [TS_RANGE_EVEN_FROM_4] = {"2", "5", "0", "-4", NULL},
      [TS_RANGE_POWER_OF_2] = {"0", "3", "-2", "2048", NULL},
      [TS_RANGE_ONE] = {"0", "2", "-1", NULL},
  };
  return outside[range];
}

// A list as long as the one that is there, with one entry out of range.
static void list_with(const ts_node *list, const char *value, char *text, size_t size)
{
  int used = snprintf(text, size, "[");
  for (int i = 0; i < list->count; ++i)
    used += snprintf(text + used, size - (size_t)used, "%s%s", i > 0 ? ", " : "", i == list->count - 1 ? value : "1");
  snprintf(text + used, size - (size_t)used, "]");
}

// A whole number out of range is refused; a fraction is no whole number. Both name the key.
static void a_number_out_of_range_is_refused(void **state)
{
  (void)state;
  const row_list all = every_row();
  for (int i = 0; i < all.count; ++i) {
    const ts_key *row = all.rows[i];
    const good_scene *scene;
    const ts_node *node = row->range == TS_RANGE_ANY ? NULL : find_use(row, &scene);
    if (!node) continue;
    for (const char *const *value = values_outside(row->range); *value; ++value) {
      char text[200];
      snprintf(text, sizeof text, "%s", *value);
      if (node->kind == TS_NODE_LIST) list_with(node, *value, text, sizeof text);
      assert_refused(scene, spoil(scene, node, row->name, text), row->name, node->key_place.line);
    }
  }
}

static void zero_vectors_and_empty_texts_are_refused(void **state)
{
  (void)state;
  const row_list all = every_row();
  for (int i = 0; i < all.count; ++i) {
    const ts_key *row = all.rows[i];
    const good_scene *scene;
    const ts_node *node = row->above_zero && !is_elsewhere(row, all.sections[i]) ? find_use(row, &scene) : NULL;
    if (!node) continue;
    static const char *const zeros[] = {"", "", "[0, 0]", "[0, 0, 0]", "[0, 0, 0, 0]"};
    const char *value = node->kind == TS_NODE_SCALAR  ? "\"\""
                        : row->type == TS_VALUE_TEXTS ? "[\"\"]"
                                                      : zeros[node->count];
    assert_refused(scene, spoil(scene, node, row->name, value), row->name, node->key_place.line);
  }
}

static void keys_of_the_other_space_are_refused(void **state)
{
  (void)state;
  const row_list all = every_row();
  for (int i = 0; i < all.count; ++i) {
    const ts_key *row = all.rows[i];
    if (!row->spaces) continue;
    const good_scene *scene;
    const ts_node *node = find_use(row, &scene), *space = ts_node_find(scene->root, "space");
    if (node) assert_refused(scene, spoil(scene, space, "space", scene->space == TS_SPACE_2D ? "3d" : "2d"), NULL, 0);
  }
}

static void names_that_lead_nowhere_are_refused(void **state)
{
  (void)state;
  const row_list all = every_row();
  for (int i = 0; i < all.count; ++i) {
    const ts_key *row = all.rows[i];
    const bool one = row->type == TS_VALUE_BODY || row->type == TS_VALUE_MATERIAL;
    const bool two = row->type == TS_VALUE_BODIES || row->type == TS_VALUE_MATERIALS;
    const good_scene *scene;
    const ts_node *node = one || two ? find_use(row, &scene) : NULL;
    if (!node) continue;
    const char *value = row->type == TS_VALUE_BODY       ? "bal"
                        : row->type == TS_VALUE_MATERIAL ? "rubbr"
                        : row->type == TS_VALUE_BODIES   ? "[egg, bal]"
                                                         : "[ice, rubbr]";
    const char *words = row->type == TS_VALUE_BODY || row->type == TS_VALUE_BODIES
                            ? "no body 'bal'; did you mean"
                            : "no material 'rubbr'; did you mean";
    assert_refused(scene, spoil(scene, node, row->name, value), words, node->key_place.line);
  }
}

// A key of another tool, and what the sentence has to say.
static void words_of_other_tools_are_understood(void **state)
{
  (void)state;
  static const struct {
    const char *body, *scene, *words;
  } cases[] = {
      {"pos: [0, 0, 1]", "", "a body has no key 'pos'; did you mean 'position'? (keys: name, kind, shape, shapes, "},
      {"quat: [1, 0, 0, 0]", "", "write 'orientation: [w, x, y, z]'"},
      {"euler: [0, 0, 90]", "", "roll_pitch_yaw: [x, y, z]}', in radians"},
      {"rpy: [0, 0, 1]", "", "roll_pitch_yaw"},
      {"origin: [0, 0, 1]", "", "write 'position' and 'orientation'"},
      {"geom: {}", "", "did you mean 'shape'?"},
      {"mesh: cup.obj", "", "write 'shape: {polytope: {file: NAME.obj}}'"},
      {"type: fixed", "", "did you mean 'kind'?"},
      {"static: true", "", "write 'kind: fixed'"},
      {"kind: static", "", "'kind' cannot be 'static'; did you mean 'fixed'?"},
      {"friction: 0.5", "", "'contact' of the scene"},
      {"shape: {mesh: {}}", "", "write 'polytope: {file: NAME.obj}'"},
      {"shape: {sphere: {size: 1}}", "", "a sphere has no key 'size'; did you mean 'radius'? (keys: radius)"},
      {"shape: {cylinder: {radius: 1, height: 2}}", "", "did you mean 'length'? (keys: radius, length)"},
      {"shape: {ellipsoid: {size: [1, 1, 1]}}", "", "did you mean 'semi_axes'?"},
      {"shape: {cone: {radius: 1, height: 2}}", "", "did you mean 'length'? (keys: radius, top_radius, length)"},
      {"shape: {box: {half_extents: [1, 1, 1]}}", "", "write 'size', the full edge lengths"},
      {"joint: {type: hinge}", "", "'type' cannot be 'hinge'; did you mean 'revolute'?"},
      {"joint: {type: revolute, range: [0, 1]}", "", "did you mean 'limits'?"},
      {"joint: {type: revolute, stiffness: 1}", "", "write 'motor: {servo: "},
      {"mass: 1", "dt: 1e-3", "write 'step: {size: ...}'"},
      {"mass: 1", "timestep: 1e-3", "write 'step: {size: ...}'"},
      {"mass: 1", "step: {dt: 1e-3}", "the step has no key 'dt'; did you mean 'size'?"},
      {"mass: 1", "contact: {mu: 0.5}",
       "did you mean 'friction'? (keys: friction, restitution, stiffness, damping, tangential_stiffness, "
       "tangential_damping, ellipsoid, direction)"},
      {"mass: 1", "contact: {friction_coefficient: 0.5}", "did you mean 'friction'?"},
      {"mass: 1", "friction: 0.5", "write 'contact: {friction: ...}'"},
      {"mass: 1", "t_end: 2", "did you mean 'duration'?"},
      {"mass: 1", "frobnicate: 2",
       "a scene has no key 'frobnicate' (keys: touchstone, name, include, parameters, urdf, space, "},
      {"mass: 1", "space: 2d", NULL},
      {"shape: {sphere: {radius: 1}}", "space: 2d", "'sphere' does not exist in 2d scenes; did you mean 'disc'?"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[512];
    ts_scene *scene;
    ts_error error = {0};
    snprintf(text, sizeof text, "touchstone: 1\nbodies:\n  - name: a\n    %s\n%s\n", cases[i].body, cases[i].scene);
    ts_scene_parse(text, strlen(text), "other.yaml", NULL, 0, &scene, &error);
    ts_scene_destroy(scene);
    if (!cases[i].words) continue;
    if (!strstr(error.text, cases[i].words)) fail_msg("'%s' does not say '%s'", error.text, cases[i].words);
    assert_true(error.line == (*cases[i].scene && !strstr(cases[i].scene, "2d") ? 5 : 4) && error.column > 0);
  }
}

static void that_was_a_lot(void **state)
{
  (void)state;
  print_message("%d spoiled scenes\n", spoiled);
  assert_true(spoiled > 1500);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_good_scenes_are_good),
      cmocka_unit_test(the_good_scenes_use_every_key),
      cmocka_unit_test(a_required_key_is_missed),
      cmocka_unit_test(a_slip_of_the_fingers_gets_a_suggestion),
      cmocka_unit_test(a_wrong_type_is_refused),
      cmocka_unit_test(a_number_out_of_range_is_refused),
      cmocka_unit_test(zero_vectors_and_empty_texts_are_refused),
      cmocka_unit_test(keys_of_the_other_space_are_refused),
      cmocka_unit_test(names_that_lead_nowhere_are_refused),
      cmocka_unit_test(words_of_other_tools_are_understood),
      cmocka_unit_test(that_was_a_lot),
  };
  return cmocka_run_group_tests(tests, open_scenes, close_scenes);
}
