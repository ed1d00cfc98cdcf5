// What of a subject goes into a picture: its bodies at some states, and what is shown with them.
#ifndef TS_DRAW_COMPOSITION_H
#define TS_DRAW_COMPOSITION_H

#include "draw/subject.h"

typedef struct ts_composition_choice {
  const char *title;  // may be empty
  const int *states;  // ascending, each once; bodies are plain at the last one and paler before
  int state_count;    // one at least
  bool contacts;      // of the last state, with their forces
  bool names;         // of bodies
  const bool *trails; // (bodies) whose centres leave a line up to the last state; NULL: none
  const bool *hidden; // (bodies) that are left out, with their joints, springs, trails and names; NULL: none
  const bool *focus;  // (bodies) that the picture is about; NULL: all but those far away from the rest
  double zoom;        // how many times nearer the eye comes; 0: not at all
} ts_composition_choice;

typedef struct ts_composition {
  ts_picture picture; // refers to what follows, and to the subject
  ts_placed_shape *placed;
  double *times;
  ts_picture_force *forces;
  ts_picture_trail *trails;
  ts_picture_label *labels;
  ts_picture_link *links;
  const char **names;
} ts_composition;

// TS_OUT_OF_MEMORY: nothing is left to destroy. The title and the subject must outlive the composition.
ts_status ts_composition_init(ts_composition *composition, const ts_subject *subject,
                              const ts_composition_choice *choice);
void ts_composition_destroy(ts_composition *composition);

#endif
