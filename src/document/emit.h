// A checked tree as YAML text: block style, numbers in the shortest form that reads back as the same double.
#ifndef TS_DOCUMENT_EMIT_H
#define TS_DOCUMENT_EMIT_H

#include "document/node.h"

// From malloc(); NULL when memory runs out.
char *ts_document_emit(const ts_node *root);

#endif
