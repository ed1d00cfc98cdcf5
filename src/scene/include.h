// A scene with the files it includes, as one tree.
#ifndef TS_SCENE_INCLUDE_H
#define TS_SCENE_INCLUDE_H

#include "document/node.h"

// Parse `text` and merge in what its `include` names: lists of maps (bodies, joints, ...) are put one behind the other,
// the included ones first; maps are merged key by key; of anything else the including file's value counts. No `include`
// is left in the tree.
ts_status ts_scene_gather(ts_document_input *in, const char *text, size_t length, int file, ts_node **root);

#endif
