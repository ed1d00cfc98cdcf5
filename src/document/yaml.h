// YAML 1.2 (so JSON too) to a tree, by libfyaml. One document, no tags; anchors and aliases, and `<<` to merge a map
// into another, are understood. Keys are texts and appear once in a map.
#ifndef TS_DOCUMENT_YAML_H
#define TS_DOCUMENT_YAML_H

#include "document/node.h"

// `text` is `length` bytes of file `file` (see ts_place). On TS_OK *root is never NULL; an empty document is refused.
ts_status ts_yaml_parse(ts_document_input *in, const char *text, size_t length, int file, ts_node **root);

#endif
