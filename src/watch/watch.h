// The inside of a watch.
#ifndef TS_WATCH_WATCH_H
#define TS_WATCH_WATCH_H

#include "touchstone/watch.h"

#include "watch/quantity.h"
#include "watch/result.h"

#include "expression/expression.h"

// A name with a number behind it: values of quantities, of parameters and of results lie in one array.
typedef enum ts_watched_kind { TS_WATCHED_QUANTITY, TS_WATCHED_PARAMETER, TS_WATCHED_RESULT } ts_watched_kind;

typedef struct ts_watched {
  ts_watched_kind kind;
  const char *name;
  ts_quantity *quantity;
  double identity; // its name as a number
  bool each_step;  // some expression needs it after every step
  bool kept;       // a result of the end has it, and steps alone tell it
  bool used;       // some expression has it
} ts_watched;

typedef struct ts_watched_result {
  ts_result_def def; // with texts of its own
  const char *name;
  ts_result_kind kind;
  const ts_expression *expression, *when; // `when`: or NULL
  double identity;                        // of what makes it: its texts as a number
  double from, to, last;
  bool at_end;     // the expression is evaluated once, at the end
  bool of_steps;   // its values are of steps
  bool after_step; // it or its condition asks for something of a step, and has no value before the first
  int value;       // its number in the array
  ts_gathering gathering;
  ts_sample_ring ring; // where `last` > 0
} ts_watched_result;

typedef struct ts_watched_stop {
  const char *name, *text;
  const ts_expression *when;
  double identity; // as of results
  double duration;
  int steps;
  int held;     // steps in a row, up to now
  double since; // time when the first of them began [s]
} ts_watched_stop;

struct ts_watch {
  ts_arena memory;
  ts_arena ring_memory; // of rings alone, which are made anew for steps of another length
  const ts_model *model;
  ts_watched *watched;
  double *values; // (watched_count)
  int watched_count, watched_capacity;
  int *parameters; // numbers of parameters in the array
  int parameter_count, parameter_capacity;
  ts_watched_result *results;
  int result_count, result_capacity;
  ts_watched_stop *stops;
  int stop_count, stop_capacity;
  int stopped; // or -1
  double step; // length that rings are for [s]; 0: there are none yet
  double time; // end of the last step [s]
  bool begun, ended;
  bool at_start; // no step has been taken
  bool loaded;   // nor since what it goes on from was loaded: what is kept comes from there
};

// At the start of a run, before any value counts.
ts_status ts_watch_rest(ts_watch *watch, const ts_sim *sim, ts_error *error);

// Whether some expression has the i-th parameter.
bool ts_watch_uses_parameter(const ts_watch *watch, int i);

#endif
