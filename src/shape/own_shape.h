// Shapes that extensions define (ts_shape_def): their numbers, and what they are asked about pairs. What they answer is
// not believed: a query has a fault, which ends a step with a sentence, or touches that make sense.
#ifndef TS_SHAPE_OWN_SHAPE_H
#define TS_SHAPE_OWN_SHAPE_H

#include "touchstone/extension.h"

#include "shape/touch_list.h"

// What may be wrong with an answer.
typedef enum ts_query_fault {
  TS_QUERY_FINE,
  TS_QUERY_CANNOT_TELL,
  TS_QUERY_SILENT,   // not even the nearest touch
  TS_QUERY_ENDLESS,  // more than TS_MOST_TOUCHES
  TS_QUERY_INFINITE, // a number that is not finite
  TS_QUERY_NO_UNIT,  // a normal that is not of unit length
  TS_QUERY_BEYOND,   // a point outside of the shape's box
  TS_QUERY_FEATURE,  // a number out of range
} ts_query_fault;

// How sentences call a shape: by its kind, or by the name of its definition.
const char *ts_shape_label(const ts_shape *shape);

// Parameters of a shape of TS_SHAPE_OWN: its own, or the defaults, in `room`.
const double *ts_own_values(const ts_shape *shape, double room[static TS_MOST_PARAMETERS]);

// Functions and parameters of a definition; of its name, that it has one.
ts_status ts_shape_def_check(const ts_shape_def *def, ts_error *error);

// Whether a pair of shapes, one of them of TS_SHAPE_OWN, can be asked about.
bool ts_own_pair_is_known(const ts_shape *first, const ts_shape *second);

// As ts_convex_touches() and ts_convex_distance(), of a pair with a part of TS_SHAPE_OWN that is known; touches within
// list->margin into the list. Where there is a fault the gap of the separation is NAN.
ts_query_fault ts_own_touches(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                              ts_touch_list *list);
ts_query_fault ts_own_distance(const ts_convex *a, const ts_frame *frame_a, const ts_convex *b, const ts_frame *frame_b,
                               ts_separation *separation);

// A fault of such a pair in words.
enum { TS_FAULT_SIZE = 256 };
void ts_query_fault_text(ts_query_fault fault, const ts_convex *a, const ts_convex *b, char text[static TS_FAULT_SIZE]);

#endif
