// The format of studies as data.
#ifndef TS_STUDY_STUDY_KEYS_H
#define TS_STUDY_STUDY_KEYS_H

#include "document/node.h"
#include "schema/schema.h"

extern const ts_section ts_study_section;

// `vary`, `table`, `derived`, `sampling`, `samples` and `seed`.
extern const ts_section ts_variations_section;

// A list of numbers, or a number, by itself below `vary` of a map (or NULL) becomes `values` of a map, so that there is one form.
ts_status ts_variations_complete(ts_document_input *in, ts_node *map);

#endif
