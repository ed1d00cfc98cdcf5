// A bar on standard error that shows how far a run has come; nothing when that is not a terminal.
#ifndef TS_CLI_PROGRESS_H
#define TS_CLI_PROGRESS_H

#include <stdbool.h>

enum { CLI_PROGRESS_MARKS = 40 };

// How far a run had come.
typedef struct cli_progress_mark {
  double now; // [s] of the clock
  long long step;
} cli_progress_mark;

typedef struct cli_progress {
  bool shown;     // there is somebody to look at it
  double redraw;  // when, [s] of the clock
  long long last; // step at the end
  // The recent rate is that from the oldest mark to the youngest.
  cli_progress_mark marks[CLI_PROGRESS_MARKS]; // oldest first
  int mark_count;                              // at least 1: where the run began, at first
} cli_progress;

double cli_seconds(void); // monotonic, from an arbitrary origin

// Steps `first` to `last` lie ahead.
void cli_progress_begin(cli_progress *progress, bool wanted, long long first, long long last);
// After step `done`, at simulated time t. Draws a few times a second.
void cli_progress_show(cli_progress *progress, long long done, double t);
void cli_progress_end(cli_progress *progress); // wipe it
// The same of trials of a study, of which `remark` says something.
void cli_progress_show_trials(cli_progress *progress, long long done, const char *remark);

// Take note for the rate that `done` steps are done `now`; notes that are too old are dropped.
void cli_progress_count(cli_progress *progress, long long done, double now);
// The bar as text (without what moves the cursor). Returns `text`.
char *cli_progress_text(const cli_progress *progress, long long done, double t, char *text, unsigned long size);
char *cli_progress_trials_text(const cli_progress *progress, long long done, const char *remark, char *text,
                               unsigned long size);

#endif
