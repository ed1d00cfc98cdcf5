// A scene from a text, run to its end under its own watch.
#ifndef TS_TESTS_WATCHED_RUN_H
#define TS_TESTS_WATCHED_RUN_H

#include "touchstone/scene.h"

typedef struct watched_run {
  ts_scene *scene;
  ts_sim *sim;
  ts_watch *watch;
} watched_run;

watched_run watched_start(const char *text);
ts_status watched_step(watched_run *run, ts_error *error); // one step, and what the watch says to it
void watched_finish(watched_run *run);        // to the end of the duration, or a condition; the test fails otherwise
watched_run watched_run_of(const char *text); // both
void watched_end(watched_run *run);

double watched_result(const watched_run *run, const char *name);

#endif
