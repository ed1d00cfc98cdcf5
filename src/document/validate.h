// Holding a tree against the schema. Afterwards every map knows its section and every value its row, and numbers have
// been read; what is left to find out are names that lead nowhere and what the builder refuses.
#ifndef TS_DOCUMENT_VALIDATE_H
#define TS_DOCUMENT_VALIDATE_H

#include "document/node.h"
#include "scene/schema.h"

// The space that a scene says it is in: needed first, since keys depend on it. 3D when it says nothing sensible.
ts_space ts_scene_space_of(const ts_node *root);

ts_status ts_scene_validate(ts_scene_input *in, ts_node *root, ts_space space);
ts_status ts_scene_validate_map(ts_scene_input *in, ts_node *map, const ts_section *section, ts_space space); // one map

#endif
