// Quantities of bodies, in the world or as seen from another body.
#ifndef TS_WATCH_BODY_QUANTITY_H
#define TS_WATCH_BODY_QUANTITY_H

#include "watch/name_trouble.h"

#include "touchstone/sim.h"

#include "base/arena.h"

typedef struct ts_body_motion ts_body_motion;

typedef struct ts_body_quantity {
  const char *name, *unit, *help;
  bool in_space, in_plane;
  bool has_no_direction; // so that there is a largest of several bodies
  double (*value)(const ts_body_motion *motion);
} ts_body_quantity;

// Which number of several bodies.
typedef enum ts_body_choice { TS_BODY_LARGEST, TS_BODY_LEAST, TS_BODY_COUNT } ts_body_choice;

// What a name stands for; the rest of a ts_quantity of a body, or of several.
typedef struct ts_body_value {
  const ts_body_quantity *what; // unless bodies are counted
  int body, frame;              // frame: or TS_WORLD
  const bool *chosen;           // (body_count) of several; else NULL
  ts_body_choice choice;        // of several
} ts_body_value;

// The i-th row, NULL after the last.
const ts_body_quantity *ts_body_quantity_row(int i);

// The i-th name that several bodies have beside those rows, for lists; NULL after the last.
const char *ts_bodies_quantity_name(int i, const char **help);

// "BODY.QUANTITY", "BODY.QUANTITY@FRAME" (the text is cut up).
bool ts_body_value_find(const ts_model *model, char *text, ts_body_value *found, ts_name_trouble *trouble);
// "NAMES).QUANTITY" of dynamic bodies: the largest of what has no direction, `min_` or `max_` and any quantity of a
// body, or `count`.
bool ts_bodies_value_find(const ts_model *model, char *text, ts_body_value *found, ts_arena *arena,
                          ts_name_trouble *trouble);

double ts_body_value_now(const ts_body_value *value, const ts_sim *sim);

// Cut a text at its last point; NULL: there is none, or nothing behind it.
char *ts_cut_at_last_point(char *text);
// Without the quotes around it, if it has them.
char *ts_without_quotes(char *text);

#endif
