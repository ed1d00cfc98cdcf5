// A bar on standard error that shows how far a run has come; nothing when that is not a terminal.
#ifndef TS_CLI_PROGRESS_H
#define TS_CLI_PROGRESS_H

#include <stdbool.h>

typedef struct cli_progress {
  bool shown;            // there is somebody to look at it
  double redraw;         // when, [s] of the clock
  long long first, last; // steps at the beginning and at the end
  // The recent rate: steps and seconds, of which what is older counts less and less.
  long long counted; // step up to which
  double until;      // [s] of the clock
  double steps, seconds;
} cli_progress;

double cli_seconds(void); // monotonic, from an arbitrary origin

// Steps `first` to `last` lie ahead.
void cli_progress_begin(cli_progress *progress, bool wanted, long long first, long long last);
// After step `done`, at simulated time t. Draws a few times a second.
void cli_progress_show(cli_progress *progress, long long done, double t);
void cli_progress_end(cli_progress *progress); // wipe it

// Count the steps up to `done` at `now` for the rate.
void cli_progress_count(cli_progress *progress, long long done, double now);
// The bar as text (without what moves the cursor). Returns `text`.
char *cli_progress_text(const cli_progress *progress, long long done, double t, char *text, unsigned long size);

#endif
