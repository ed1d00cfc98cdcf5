// The table of what is read of URDF as a flat list, for manuals and editors.
#include "touchstone/urdf.h"

#include "robot/urdf_schema.h"
#include "base/require.h"

#include <stdio.h>
#include <string.h>

// Walks the table in the order of the manual and stops at one row.
typedef struct row_walk {
  int left; // rows to pass before the wanted one
  ts_scene_key *found;
} row_walk;

static void describe_type(const ts_urdf_attribute *row, char *text, size_t size)
{
  static const char *const simple[] = {[TS_URDF_TEXT] = "text",
                                       [TS_URDF_NAME] = "text, not empty",
                                       [TS_URDF_NUMBER] = "number",
                                       [TS_URDF_VECTOR] = "three numbers"};
  if (row->type != TS_URDF_CHOICE) {
    snprintf(text, size, "%s", simple[row->type]);
    return;
  }
  int used = snprintf(text, size, "one of: ");
  for (int i = 0; row->choices[i] && (size_t)used < size; ++i)
    used += snprintf(text + used, size - (size_t)used, "%s%s", i > 0 ? ", " : "", row->choices[i]);
}

static void describe_attribute(const ts_urdf_attribute *row, const char *prefix, ts_scene_key *found)
{
  *found = (ts_scene_key){.spaces = "",
                          .unit = ts_text_or_nothing(row->unit),
                          .range = ts_range_text(row->range),
                          .fallback = ts_text_or_nothing(row->fallback),
                          .required = row->required,
                          .help = row->help};
  snprintf(found->path, sizeof found->path, "%s.%s", prefix, row->name);
  describe_type(row, found->type, sizeof found->type);
}

static void describe_element(const ts_urdf_element *row, const char *prefix, ts_scene_key *found)
{
  *found = (ts_scene_key){
      .spaces = "", .unit = "", .range = "", .fallback = "", .required = row->required, .help = row->help};
  snprintf(found->path, sizeof found->path, "%s.%s", prefix, row->name);
  snprintf(found->type, sizeof found->type, row->repeated ? "elements" : "element");
}

// All of an element first, then what is inside its children.
static bool walk(row_walk *at, const ts_urdf_element *element, const char *prefix)
{
  for (int i = 0; i < element->attribute_count; ++i) {
    if (at->left-- > 0) continue;
    describe_attribute(&element->attributes[i], prefix, at->found);
    return true;
  }
  for (int i = 0; element->children && element->children[i]; ++i) {
    if (at->left-- > 0) continue;
    describe_element(element->children[i], prefix, at->found);
    return true;
  }
  for (int i = 0; element->children && element->children[i]; ++i) {
    char below[sizeof at->found->path];
    const ts_urdf_element *child = element->children[i];
    snprintf(below, sizeof below, "%s.%s", prefix, child->name);
    if (walk(at, child, below)) return true;
  }
  return false;
}

int ts_urdf_key_count(void)
{
  enum { MORE_THAN_THERE_ARE = 1 << 20 };
  ts_scene_key unused;
  row_walk all = {MORE_THAN_THERE_ARE, &unused};
  walk(&all, &ts_urdf_robot_element, ts_urdf_robot_element.name);
  return MORE_THAN_THERE_ARE - all.left;
}

ts_scene_key ts_urdf_key_at(int i)
{
  TS_REQUIRE(i >= 0 && i < ts_urdf_key_count());
  ts_scene_key key = {.spaces = "", .unit = "", .range = "", .fallback = "", .help = ""};
  row_walk wanted = {i, &key};
  walk(&wanted, &ts_urdf_robot_element, ts_urdf_robot_element.name);
  return key;
}
