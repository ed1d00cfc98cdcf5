// Entries of lists that stand for many:
//   - {repeat: {count: 30, as: i}, name: domino_$i, position: [=0.1*i, 0, 0.2]}
// `repeat` may be a list of such maps, the first being the outermost; `from` is the first value of the variable, `let`
// has further variables, and `when` passes over those for which it does not hold. In entries that are no maps `each`
// has what is repeated: {repeat: {count: 5, as: k}, each: [=cos(k), =sin(k)]}. In texts $i, or $(EXPRESSION), stands
// for a whole number, and $$ for $.
#ifndef TS_DOCUMENT_REPEAT_H
#define TS_DOCUMENT_REPEAT_H

#include "document/formula.h"

#include "schema/schema.h"

extern const ts_section ts_repeat_section;

// Put what they stand for in the place of all such entries of a tree.
ts_status ts_document_expand(ts_document_input *in, ts_node *root);

#endif
