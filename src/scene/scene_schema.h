// The format of scenes as data. The reader, the manual and the tests of bad scenes all work from these tables.
#ifndef TS_SCENE_SCENE_SCHEMA_H
#define TS_SCENE_SCENE_SCHEMA_H

#include "document/node.h"
#include "schema/schema.h"

extern const ts_section ts_scene_section, ts_part_section, ts_law_section;

// The sections that several keys lead to, in the order of the manual.
extern const ts_section *const ts_titled_sections[];
extern const int ts_titled_section_count;

// The space that a scene says it is in: needed first, since keys depend on it. 3D when it says nothing sensible.
ts_space ts_scene_space_of(const ts_node *root);

ts_status ts_scene_validate(ts_document_input *in, ts_node *root, ts_space space);

#endif
