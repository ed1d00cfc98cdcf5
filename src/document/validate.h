// Holding a tree against the schema. Afterwards every map knows its section and every value its row, and numbers have
// been read; what is left to find out are names that lead nowhere and what the builder refuses.
#ifndef TS_DOCUMENT_VALIDATE_H
#define TS_DOCUMENT_VALIDATE_H

#include "document/node.h"
#include "schema/schema.h"

ts_status ts_document_validate(ts_document_input *in, ts_node *map, const ts_section *section, ts_space space);

#endif
