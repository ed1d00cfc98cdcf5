// A bar on standard error that shows how far a run has come; nothing when that is not a terminal.
#ifndef TS_CLI_PROGRESS_H
#define TS_CLI_PROGRESS_H

#include <stdbool.h>

typedef struct cli_progress {
  bool shown;             // there is somebody to look at it
  double started, redraw; // [s] of the clock
  long long first, last;  // steps at the beginning and at the end
} cli_progress;

double cli_seconds(void); // monotonic, from an arbitrary origin

// Steps `first` to `last` lie ahead.
void cli_progress_begin(cli_progress *progress, bool wanted, long long first, long long last);
// After step `done`, at simulated time t. Draws a few times a second.
void cli_progress_show(cli_progress *progress, long long done, double t);
void cli_progress_end(cli_progress *progress); // wipe it

// The bar as text (without what moves the cursor), after `elapsed` seconds. Returns `text`.
char *cli_progress_text(const cli_progress *progress, long long done, double t, double elapsed, char *text,
                        unsigned long size);

#endif
