// gnuplot, run as a program.
#ifndef TS_PLOT_GNUPLOT_H
#define TS_PLOT_GNUPLOT_H

#include "plot/figure.h"

// Draw what a function writes the script of.
typedef void ts_script_writer(const void *user, FILE *out);
ts_status ts_gnuplot_draw_script(ts_script_writer *write, const void *user, FILE *out, ts_error *error);

// Draw a figure.
ts_status ts_gnuplot_draw(const ts_figure *figure, FILE *out, ts_error *error);

// Feed it a script and copy what it draws to `out`. The script must not set an output: the picture comes back through a
// pipe, so that no file name passes through gnuplot. Whether `out` took it is for ferror() to tell.
ts_status ts_gnuplot_run(const char *script, size_t length, FILE *out, ts_error *error);

#endif
