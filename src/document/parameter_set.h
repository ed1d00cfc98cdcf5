// Parameters of a document: names for numbers that its expressions use, that --set changes and that studies vary.
//   parameters: {mu: 0.5, r: {value: 0.02, range: [0, 1], unit: m, help: radius}, d: =2*r}
#ifndef TS_DOCUMENT_PARAMETER_SET_H
#define TS_DOCUMENT_PARAMETER_SET_H

#include "document/formula.h"

#include "schema/schema.h"

typedef struct ts_document_parameter {
  const char *name, *unit, *help; // "" where there is none
  double value;
  double own;         // as it is written, where it is no expression
  double least, most; // the range; infinite where there is none
  bool derived;       // written as an expression
  bool used;          // some expression refers to it
  bool shapes;        // what entries there are depends on it
  ts_place place;     // of its value
  ts_formula formula; // where derived
  enum { TS_PARAMETER_OPEN, TS_PARAMETER_BUSY, TS_PARAMETER_KNOWN } state;
} ts_document_parameter;

// They may wait for each other in a row, and so do calls of functions.
enum { TS_PARAMETERS_MOST = 1000 };

struct ts_parameter_set {
  ts_document_parameter *items;
  int count;
  int *order; // those before which others have to be known come later
};

extern const ts_section ts_declared_parameters_section;

int ts_parameter_find(const ts_parameter_set *set, const char *name); // its number, or -1; of no set, too

// A number or an expression by itself becomes the `value` of a map, so that there is one form from then on.
ts_status ts_parameters_complete(ts_document_input *in, const ts_node *root);

// Read `parameters` of a complete document and evaluate them: in->parameters. Those of which `given` (may be NULL) has
// a number that is not NAN are that number, whatever is written.
ts_status ts_parameters_read(ts_document_input *in, const ts_node *root, const double *given);

// Evaluate them again, likewise.
ts_status ts_parameters_renew(ts_document_input *in, const double *given);

// Whether somebody may call a parameter or a variable so; false after a sentence at the place.
bool ts_variable_name_is_good(ts_document_input *in, const char *what, const char *name, ts_place place);

// Note that entries depend on what a formula reads.
void ts_formula_shapes(ts_document_input *in, const ts_formula *formula);

#endif
