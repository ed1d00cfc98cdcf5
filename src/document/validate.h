// Holding a tree against the schema. Afterwards every map knows its section and every value its row, and numbers have
// been read; what is left to find out are names that lead nowhere and what the builder refuses.
#ifndef TS_DOCUMENT_VALIDATE_H
#define TS_DOCUMENT_VALIDATE_H

#include "document/formula.h"
#include "schema/schema.h"

// A number of a checked tree that is written as an expression of parameters.
struct ts_live_number {
  ts_live_number *older;
  ts_node *node;
  const ts_key *row;
  const ts_key *path[2]; // keys that lead to it: of the scene, and below an entry of that; NULL where it is the row
  ts_formula formula;
};

ts_status ts_document_validate(ts_document_input *in, ts_node *map, const ts_section *section, ts_space space);

// The same without evaluating: numbers that are expressions stay so.
ts_status ts_document_validate_form(ts_document_input *in, ts_node *map, const ts_section *section);

// Evaluate a live number again. `changed` tells whether it is another one now.
ts_status ts_live_number_renew(ts_document_input *in, ts_live_number *live, bool *changed);

#endif
