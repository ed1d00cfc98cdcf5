// The keys of a format as a flat list, for manuals and editors.
#ifndef TS_SCHEMA_KEY_LIST_H
#define TS_SCHEMA_KEY_LIST_H

#include "touchstone/scene.h"

#include "schema/schema.h"

typedef struct ts_key_list {
  const ts_section *root;
  const ts_section *const *titled; // sections that several keys lead to, each listed once (titled_count)
  int titled_count;
} ts_key_list;

int ts_key_list_count(const ts_key_list *list);
ts_scene_key ts_key_list_at(const ts_key_list *list, int i); // 0 <= i < count

#endif
