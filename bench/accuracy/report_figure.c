#define _POSIX_C_SOURCE 200809L // open_memstream

#include "reports.h"

#include "draw/color.h"
#include "draw/image_format.h"
#include "plot/gnuplot.h"

#include <stdlib.h>

enum { COLUMNS = 5, PANEL_WIDTH = 290, PANEL_HEIGHT = 230 };

static const double LEAST_ERROR = 1e-13; // of the axis

static bool is_variant(const suite_stepper *stepper)
{
  return stepper->name[0] == ' ';
}

// Variants have the colour of the stepper that they vary, and dashes.
static void write_line_types(FILE *out)
{
  int color = -1, dashes = 1;
  for (int i = 0; suite_stepper_at(i); ++i) {
    char hex[TS_COLOR_HEX_SIZE];
    const bool varies = is_variant(suite_stepper_at(i));
    dashes = varies ? dashes + 1 : 1;
    color += !varies;
    ts_color_hex(ts_color_palette(color), hex);
    fprintf(out, "set linetype %d lc rgb '%s' lw 1.5 pt %d ps 0.35 dt %d\n", i + 1, hex, varies ? 6 : 7, dashes);
  }
}

static int index_of(const suite_stepper *stepper)
{
  int i = 0;
  while (suite_stepper_at(i) && suite_stepper_at(i) != stepper) ++i;
  return i;
}

static int rows_of_scene(const measurement *rows, int count, int first, int *drawn)
{
  int n = 0;
  *drawn = 0;
  for (; first + n < count && rows[first + n].scene == rows[first].scene; ++n) *drawn += rows[first + n].count > 0;
  return n;
}

static int panel_count(const measurement *rows, int count)
{
  int panels = 0, drawn;
  for (int i = 0; i < count; i += rows_of_scene(rows, count, i, &drawn)) {
    rows_of_scene(rows, count, i, &drawn);
    panels += drawn > 1;
  }
  return panels;
}

static void write_data(const measurement *rows, int count, FILE *out)
{
  for (int i = 0; i < count; ++i) {
    fprintf(out, "$d%d << EOD\n", i);
    for (int k = 0; k < rows[i].count; ++k)
      if (rows[i].at[k].error > 0.0)
        fprintf(out, "%.6g %.6g\n", rows[i].at[k].seconds,
                rows[i].at[k].error > LEAST_ERROR ? rows[i].at[k].error : LEAST_ERROR);
    fprintf(out, "EOD\n");
  }
}

static void write_panel(const measurement *rows, int first, int n, FILE *out)
{
  const char *separator = "plot ";
  fputs("set title ", out);
  ts_gnuplot_quote(rows[first].scene->name, out);
  fputs("\n", out);
  for (int i = first; i < first + n; ++i) {
    if (rows[i].count == 0) continue;
    fprintf(out, "%s$d%d using 1:2 with linespoints lt %d notitle", separator, i, index_of(rows[i].stepper) + 1);
    separator = ", ";
  }
  fputc('\n', out);
}

// A panel without axes that has the names.
static void write_key(FILE *out)
{
  fputs("unset title\nunset border\nunset tics\nunset grid\nset key left top Left reverse samplen 3\n"
        "set xrange [1:2]\nset yrange [1:2]\n",
        out);
  for (int i = 0; suite_stepper_at(i); ++i) {
    fputs(i == 0 ? "plot NaN with linespoints lt 1 title " : ", NaN with linespoints lt ", out);
    if (i > 0) fprintf(out, "%d title ", i + 1);
    ts_gnuplot_quote(suite_stepper_at(i)->name, out);
  }
  fputc('\n', out);
}

static void write_script(const measurement *rows, int count, const ts_image_format *format, FILE *out)
{
  const int lines = (panel_count(rows, count) + COLUMNS) / COLUMNS; // one more for the key
  fputs("set encoding utf8\nset terminal ", out);
  format->write_terminal((ts_image_size){COLUMNS * PANEL_WIDTH, lines * PANEL_HEIGHT + 40}, out);
  fputs("\nset border 3 lc rgb '#555555'\nset tics nomirror textcolor rgb '#333333'\nset grid lc rgb '#dddddd' lt 1\n"
        "set logscale xy\nset format x '1e%T'\nset format y '1e%T'\nset ytics 1e-15,100\nset xtics 1e-7,10\n"
        "set yrange [5e-14:2]\n",
        out);
  write_line_types(out);
  write_data(rows, count, out);
  fprintf(out, "set multiplot layout %d,%d title 'relative error over CPU time of the steps [s]'\n", lines, COLUMNS);
  for (int i = 0, n, drawn; i < count; i += n) {
    n = rows_of_scene(rows, count, i, &drawn);
    if (drawn > 1) write_panel(rows, i, n, out);
  }
  write_key(out);
  fputs("unset multiplot\n", out);
}

static bool draw(const measurement *rows, int count, const ts_image_format *format, FILE *out)
{
  char *script = NULL;
  size_t length = 0;
  ts_error error;
  FILE *memory = open_memstream(&script, &length);
  if (!memory) return false;
  write_script(rows, count, format, memory);
  bool good = fclose(memory) == 0;
  if (good && ts_gnuplot_run(script, length, out, &error) != TS_OK) {
    fprintf(stderr, "bench_accuracy: %s\n", error.text);
    good = false;
  }
  free(script);
  return good;
}

bool report_figure(const measurement *rows, int count, const char *path)
{
  const ts_image_format *format = ts_image_format_of(path);
  if (!format || !format->write_terminal) {
    fprintf(stderr, "bench_accuracy: figures are not written as %s\n", path);
    return false;
  }
  FILE *out = fopen(path, "wb");
  if (!out) {
    perror(path);
    return false;
  }
  const bool good = draw(rows, count, format, out);
  return fclose(out) == 0 && good;
}
