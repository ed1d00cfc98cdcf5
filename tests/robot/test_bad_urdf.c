// Every element and attribute of the table, spoiled in every way that the table forbids: taken out, misspelled,
// doubled, of a wrong type, out of range; and robots that are no tree. tests/data/urdf/every_element.urdf uses them
// all.
#include "touchstone/urdf.h"

#include "robot/urdf_schema.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char path[] = TEST_DATA "/urdf/every_element.urdf";
static char text[1 << 14]; // of the good file
static ts_document_input input;
static ts_error input_error;
static ts_xml_element *root;

static int open_robot(void **state)
{
  (void)state;
  static jmp_buf recovery;
  FILE *file = fopen(path, "rb");
  if (!file) return -1;
  const size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  ts_document_input_init(&input, NULL, &input_error);
  input.arena.recovery = &recovery;
  ts_document_add_file(&input, path);
  return ts_xml_parse(&input, text, length, 0, &root) == TS_OK ? 0 : -1;
}

static int close_robot(void **state)
{
  (void)state;
  ts_document_input_release(&input);
  return 0;
}

// ---- editing -------------------------------------------------------------------------------------------------------

static size_t offset_of(ts_place place)
{
  const char *at = text;
  for (int line = 1; line < place.line; ++line) at = strchr(at, '\n') + 1;
  return (size_t)(at - text) + (size_t)place.column - 1;
}

// The file with `length` bytes at an offset replaced.
static char *replaced(size_t offset, size_t length, const char *by)
{
  char *copy = malloc(strlen(text) + strlen(by) + 1);
  memcpy(copy, text, offset);
  strcpy(copy + offset, by);
  strcat(copy, text + offset + length);
  return copy;
}

static char *with_value(const ts_xml_attribute *attribute, const char *value)
{
  return replaced(offset_of(attribute->value_place), strlen(attribute->value), value);
}

static char *without_attribute(const ts_xml_attribute *attribute)
{
  const size_t start = offset_of(attribute->place),
               end = offset_of(attribute->value_place) + strlen(attribute->value) + 1;
  return replaced(start, end - start, "");
}

// Elements of the file are closed on their own line, or by an end tag indented as they are.
static size_t length_of(const ts_xml_element *element)
{
  const char *start = text + offset_of(element->place), *line_end = strchr(start, '\n');
  if (line_end[-2] == '/' || strstr(start, "</") < line_end) return (size_t)(line_end - start);
  char end_tag[64];
  snprintf(end_tag, sizeof end_tag, "\n%*s</%s>", element->place.column - 1, "", element->name);
  const char *end = strstr(start, end_tag);
  assert_non_null(end);
  return (size_t)(end - start) + strlen(end_tag);
}

static char *without_element(const ts_xml_element *element)
{
  return replaced(offset_of(element->place), length_of(element), "");
}

static char *with_element_twice(const ts_xml_element *element)
{
  const size_t start = offset_of(element->place), length = length_of(element);
  char *copy = calloc(1, length + 1);
  memcpy(copy, text + start, length);
  char *twice = replaced(start + length, 0, copy);
  free(copy);
  return twice;
}

// ---- expecting -----------------------------------------------------------------------------------------------------

static int spoiled; // files tried

static bool accepts(const char *robot, ts_error *error)
{
  ts_scene *scene;
  *error = (ts_error){0};
  const ts_status status = ts_urdf_parse(robot, strlen(robot), path, NULL, NULL, 0, &scene, error);
  if (status != TS_OK) {
    assert_null(scene);
    assert_int_equal(error->status, status);
    assert_true(error->text[0] != '\0' && !strchr(error->text, '\n'));
    if (error->line <= 0 || error->column <= 0) fail_msg("no place: %s", error->text);
  }
  ts_scene_destroy(scene);
  ++spoiled;
  return status == TS_OK;
}

// Consumes the text. `line` 0: anywhere.
static void assert_refused(char *robot, const char *words, int line)
{
  ts_error error;
  if (accepts(robot, &error)) fail_msg("accepted, without '%s' of line %d", words, line);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
  if (line > 0 && error.line != line) fail_msg("line %d, not %d: %s", error.line, line, error.text);
  free(robot);
}

static void assert_accepted(char *robot, const char *what)
{
  ts_error error;
  if (!accepts(robot, &error)) fail_msg("%s: %d:%d: %s", what, error.line, error.column, error.text);
  free(robot);
}

// ---- the table -----------------------------------------------------------------------------------------------------

typedef void visit_function(const ts_xml_element *element, const ts_urdf_element *row);

// Every element that has a row, with it.
static void visit(const ts_xml_element *element, const ts_urdf_element *row, visit_function *function)
{
  function(element, row);
  for (const ts_xml_element *child = element->first; child; child = child->next)
    for (int i = 0; row->children && row->children[i]; ++i)
      if (strcmp(child->name, row->children[i]->name) == 0) visit(child, row->children[i], function);
}

enum { MOST_ROWS = 64 };
static const void *used[MOST_ROWS];
static int used_count;

static void note(const void *row)
{
  for (int i = 0; i < used_count; ++i)
    if (used[i] == row) return;
  assert_true(used_count < MOST_ROWS);
  used[used_count++] = row;
}

static bool is_used(const void *row)
{
  for (int i = 0; i < used_count; ++i)
    if (used[i] == row) return true;
  return false;
}

static void note_rows(const ts_xml_element *element, const ts_urdf_element *row)
{
  note(row);
  for (int i = 0; i < row->attribute_count; ++i)
    if (ts_xml_attribute_of(element, row->attributes[i].name)) note(&row->attributes[i]);
}

static void assert_rows_used(const ts_urdf_element *row)
{
  if (!is_used(row)) fail_msg("'%s' is not in the file", row->name);
  for (int i = 0; i < row->attribute_count; ++i)
    if (!is_used(&row->attributes[i])) fail_msg("'%s' of '%s' is not in the file", row->attributes[i].name, row->name);
  for (int i = 0; row->children && row->children[i]; ++i) assert_rows_used(row->children[i]);
}

static void the_good_file_uses_every_row(void **state)
{
  (void)state;
  ts_error error;
  if (!accepts(text, &error)) fail_msg("%d:%d: %s", error.line, error.column, error.text);
  visit(root, &ts_urdf_robot_element, note_rows);
  assert_rows_used(&ts_urdf_robot_element);
}

static void take_out_attributes(const ts_xml_element *element, const ts_urdf_element *row)
{
  for (int i = 0; i < row->attribute_count; ++i) {
    const ts_xml_attribute *attribute = ts_xml_attribute_of(element, row->attributes[i].name);
    char words[100];
    if (!attribute) continue;
    snprintf(words, sizeof words, "'%s' needs the attribute '%s'", row->name, attribute->name);
    if (row->attributes[i].required)
      assert_refused(without_attribute(attribute), words, element->place.line);
    else if (strcmp(attribute->name, "upper") == 0 && ts_urdf_number(element, "lower", 0.0) > 0.0)
      assert_refused(without_attribute(attribute), "exceeds the upper limit 0", element->place.line);
    else
      assert_accepted(without_attribute(attribute), attribute->name);
    snprintf(words, sizeof words, "%sq", attribute->name);
    char *misspelled = replaced(offset_of(attribute->place), strlen(attribute->name), words);
    snprintf(words, sizeof words, "'%s' has no attribute '%sq'; did you mean '%s'?", row->name, attribute->name,
             attribute->name);
    assert_refused(misspelled, words, attribute->place.line);
  }
}

static void attributes_may_be_missing_or_misspelled(void **state)
{
  (void)state;
  visit(root, &ts_urdf_robot_element, take_out_attributes);
}

static void spoil_number(const ts_xml_element *element, const ts_urdf_element *row, const ts_urdf_attribute *rule)
{
  static const char *const wrong[] = {"",      " ",   "abc",  "1 2", "1 2 3 4", "nan", "inf",
                                      "1e999", "1,5", "0x10", "--1", "1e",      "."};
  const ts_xml_attribute *attribute = ts_xml_attribute_of(element, rule->name);
  char words[100];
  snprintf(words, sizeof words, "'%s' of '%s' must be ", rule->name, row->name);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
    assert_refused(with_value(attribute, wrong[i]), words, attribute->place.line);
  assert_refused(with_value(attribute, rule->type == TS_URDF_VECTOR ? "1" : "1 2 3"), words, attribute->place.line);
  static const char *const extremes[] = {"-1", "0", "1e10", "-1e10"};
  for (size_t i = 0; i < sizeof extremes / sizeof extremes[0]; ++i) {
    if (ts_range_holds(rule->range, strtod(extremes[i], NULL))) continue;
    char value[64];
    snprintf(value, sizeof value, rule->type == TS_URDF_VECTOR ? "1 1 %s" : "%s", extremes[i]);
    snprintf(words, sizeof words, "must be %s, not ", ts_range_text(rule->range));
    assert_refused(with_value(attribute, value), words, attribute->place.line);
  }
}

static void spoil_values(const ts_xml_element *element, const ts_urdf_element *row)
{
  for (int i = 0; i < row->attribute_count; ++i) {
    const ts_urdf_attribute *rule = &row->attributes[i];
    const ts_xml_attribute *attribute = ts_xml_attribute_of(element, rule->name);
    if (!attribute) continue;
    if (rule->type == TS_URDF_NUMBER || rule->type == TS_URDF_VECTOR) spoil_number(element, row, rule);
    if (rule->type == TS_URDF_NAME)
      assert_refused(with_value(attribute, ""), "must not be empty", attribute->place.line);
    if (rule->type == TS_URDF_TEXT) assert_accepted(with_value(attribute, ""), rule->name);
    if (rule->type != TS_URDF_CHOICE) continue;
    assert_refused(with_value(attribute, ""), "must be one of: fixed, revolute", attribute->place.line);
    assert_refused(with_value(attribute, "screw"), "must be one of: fixed, revolute", attribute->place.line);
    assert_refused(with_value(attribute, "revolut"), "did you mean 'revolute'?", attribute->place.line);
  }
}

static void values_may_be_of_a_wrong_kind_or_size(void **state)
{
  (void)state;
  visit(root, &ts_urdf_robot_element, spoil_values);
}

// Of a link or joint that others need, some other sentence may come first.
static void spoil_element(const ts_xml_element *element, const ts_urdf_element *row)
{
  char words[100];
  if (row == &ts_urdf_robot_element) return;
  const bool repeated = row->repeated;
  const int line = element->parent->place.line;
  snprintf(words, sizeof words, "'%s' needs %s", element->parent->name,
           strcmp(element->parent->name, "geometry") == 0 ? "one of" : "");
  ts_error error;
  if (row->required && !repeated) {
    snprintf(words, sizeof words, "'%s' needs a '%s' in it", element->parent->name, row->name);
    assert_refused(without_element(element), words, line);
  } else if (strcmp(element->parent->name, "geometry") == 0) {
    assert_refused(without_element(element), "'geometry' needs one of 'box', 'cylinder'", line);
  } else {
    char *robot = without_element(element);
    accepts(robot, &error); // whichever it is, one sentence with a place
    free(robot);
  }
  if (repeated && strcmp(row->name, "collision") != 0) {
    snprintf(words, sizeof words, "there is already a %s", row->name);
    assert_refused(with_element_twice(element), words, 0);
  } else if (!repeated) {
    snprintf(words, sizeof words, "has a second '%s'", row->name);
    assert_refused(with_element_twice(element), words, 0);
  }
}

static void elements_may_be_missing_or_doubled(void **state)
{
  (void)state;
  visit(root, &ts_urdf_robot_element, spoil_element);
}

// ---- what no table says --------------------------------------------------------------------------------------------

#define LINK(name)                                                                                                     \
  "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>\n"
#define JOINT(name, type, parent, child, more)                                                                         \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" more "</joint>\n"

static void what_is_no_robot_is_refused(void **state)
{
  (void)state;
  static const struct {
    const char *body, *words;
    int line;
  } bad[] = {
      {"", "'robot' needs a 'link' in it", 1},
      {LINK("a") LINK("a"), "there is already a link 'a'", 3},
      {LINK("a") LINK("b"), "links 'a' and 'b' both have no parent", 3},
      {LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "") JOINT("j", "fixed", "a", "b", ""), "already a joint 'j'",
       5},
      {LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "a", "b", ""),
       "link 'b' has two parents, by the joints 'j' and 'k'", 5},
      {LINK("a") JOINT("j", "fixed", "a", "a", ""), "link 'a' is its own ancestor", 3},
      {LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "b", "a", ""), "is its own ancestor",
       0},
      {LINK("a") LINK("b") LINK("c") JOINT("j", "fixed", "b", "c", "") JOINT("k", "fixed", "c", "b", ""),
       "is its own ancestor", 0},
      {LINK("arm") LINK("hand") JOINT("j", "fixed", "arm", "hnd", ""), "there is no link 'hnd'; did you mean 'hand'?",
       4},
      {LINK("arm") JOINT("j", "fixed", "elsewhere", "arm", ""), "there is no link 'elsewhere'", 3},
      {LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", ""),
       "the revolute joint 'j' needs a 'limit'; one without is", 4},
      {LINK("a") LINK("b") JOINT("j", "prismatic", "a", "b", ""), "the prismatic joint 'j' needs a 'limit'", 4},
      {LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<limit lower='1' upper='0'/>"), "exceeds the upper limit",
       4},
      {LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<limit lower='-1e16' upper='-1e16'/>"),
       "limits -1e+16 and -1e+16 leave nothing within reach", 4},
      {LINK("a") LINK("b") JOINT("j", "prismatic", "a", "b", "<limit lower='2e9' upper='1e16'/>"),
       "leave nothing within reach", 4},
      {LINK("a") LINK("b") JOINT("j", "planar", "a", "b", "<axis xyz='0 0 0'/>"),
       "axis of the joint 'j' must not be zero", 4},
      {LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<mimic joint='k'/>"), "there is no joint 'k'", 4},
      {LINK("a") LINK("b") JOINT("j", "continuous", "a", "b", "<mimic joint='j'/>"), "follow itself", 4},
      {LINK("a") LINK("b") LINK("c") JOINT("j", "continuous", "a", "b", "<mimic joint='k'/>")
           JOINT("k", "continuous", "a", "c", "<mimic joint='j'/>"),
       "follow itself, by way of other joints", 5},
      {LINK("a") LINK("b") LINK("c") JOINT("j", "continuous", "a", "b", "<mimic joint='k' multiplier='0'/>")
           JOINT("k", "continuous", "a", "c", ""),
       "the ratio of its gear is 0", 5},
      {LINK("a") LINK("b") LINK("c") JOINT("j", "continuous", "a", "b", "<mimic joint='fixd'/>")
           JOINT("fixed", "fixed", "a", "c", ""),
       "there is no joint 'fixd'; did you mean 'fixed'?", 5},
      {LINK("a") LINK("b") LINK("c") JOINT("j", "continuous", "a", "b", "<mimic joint='k'/>")
           JOINT("k", "fixed", "a", "c", ""),
       "joint 'j' mimics 'k', which revolute, continuous and prismatic joints alone can", 5},
      {"<link name='a'><collision><geometry><box size='1 1 1'/><sphere radius='1'/></geometry></collision></link>",
       "'geometry' has both 'box' and 'sphere'", 2},
      {"<link name='a'><collision><geometry><cone radius='1'/></geometry></collision></link>",
       "'geometry' needs one of", 2},
      {"<xacro:property name='r' value='1'/>" LINK("a"), "this is a xacro file", 2},
      {"<link name='a'><xacro:box/></link>", "this is a xacro file", 2},
      {"<link name='${arm}'/>", "xacro FILE > robot.urdf", 2},
      {"<link name='a'><collision><geometry><sphere radius='${r/2}'/></geometry></collision></link>",
       "this is a xacro file", 2},
      {"<link name='a'><collision><geometry><mesh filename='$(find arm)/a.stl'/></geometry></collision></link>",
       "this is a xacro file", 2},
      {"<link name='a'><colision/></link>", "'link' has no element 'colision'; did you mean 'collision'?", 2},
      {"<link name='a'><collision><geometry><sphere radius='1e100'/></geometry></collision></link>", "1e+30", 2},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    char *robot = malloc(4000);
    snprintf(robot, 4000, "<robot name='r'>\n%s</robot>", bad[i].body);
    assert_refused(robot, bad[i].words, bad[i].line);
  }
}

// Files of macros often have no name, which is not what is wrong with them.
static void xacro_files_without_a_name_are_told_so(void **state)
{
  (void)state;
  static const char robot[] = "<robot xmlns:xacro='x'>\n<xacro:macro name='arm'/></robot>";
  char *copy = malloc(sizeof robot);
  memcpy(copy, robot, sizeof robot);
  assert_refused(copy, "this is a xacro file", 2);
}

static void extensions_are_passed_over(void **state)
{
  (void)state;
  static const char robot[] =
      "<robot name='r' xmlns:x='y' xmlns:xacro='z' version='1.0'><x:links/><gazebo><link/></gazebo><material/><link "
      "name='a' "
      "type='laser' "
      "x:nam='b'><visual/><self_collision_checking/><contact><lateral_friction value='1'/></contact></link></robot>";
  assert_accepted(strcpy(malloc(sizeof robot), robot), "extensions");
}

static void count_of_spoiled_files(void **state)
{
  (void)state;
  print_message("%d spoiled files\n", spoiled);
  assert_true(spoiled > 1000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_good_file_uses_every_row),
      cmocka_unit_test(attributes_may_be_missing_or_misspelled),
      cmocka_unit_test(values_may_be_of_a_wrong_kind_or_size),
      cmocka_unit_test(elements_may_be_missing_or_doubled),
      cmocka_unit_test(what_is_no_robot_is_refused),
      cmocka_unit_test(xacro_files_without_a_name_are_told_so),
      cmocka_unit_test(extensions_are_passed_over),
      cmocka_unit_test(count_of_spoiled_files),
  };
  return cmocka_run_group_tests(tests, open_robot, close_robot);
}
