// Parts that pass through each other within a step: overlap comes and goes between two configurations, or comes and is
// undone on the other side.
#ifndef TS_CONTACT_PASSAGE_H
#define TS_CONTACT_PASSAGE_H

#include "dynamics/state.h"
#include "shape/own_shape.h"

// A part on its way, from the frame of its body at the start, with a constant twist.
typedef struct ts_way {
  const ts_part *part;
  ts_frame start; // of the body
  ts_twist twist; // of the body
  bool planar;    // angles grow as h w; else as ts_state_advance() turns bodies in one step of length h
} ts_way;

// Whether two parts pass through each other within [0, h], by more than one part in a hundred of the depth that is
// possible: what merely grazes is not seen by a step, and does not matter. At most one of them is a plane. `fault` is
// what was wrong with answers of shapes of extensions, if any: then nothing is known.
bool ts_parts_pass(const ts_way *a, const ts_way *b, double h, ts_query_fault *fault);

// Pose of the part after the fraction t of the step of length h.
ts_frame ts_way_frame(const ts_way *way, double t, double h);

#endif
