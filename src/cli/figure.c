#include "cli/figure.h"

#include "cli/color.h"
#include "cli/memory.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 4000 }; // of a curve: twice as many as a wide picture has columns

// ---- building ------------------------------------------------------------------------------------------------------

static char *copy_text(const char *text)
{
  return strcpy(cli_zeros(strlen(text) + 1, 1), text);
}

cli_panel *cli_figure_add_panel(cli_figure *figure, const char *x_label, const char *y_label)
{
  figure->panels = cli_grow(figure->panels, (size_t)figure->panel_count + 1, sizeof *figure->panels);
  cli_panel *panel = &figure->panels[figure->panel_count++];
  *panel = (cli_panel){.x_label = x_label, .y_label = copy_text(y_label), .from = figure->from, .to = figure->to};
  return panel;
}

static void keep(cli_curve *curve, double x, double y)
{
  curve->x[curve->count] = x;
  curve->y[curve->count++] = y;
}

static bool inside(const cli_panel *panel, double x)
{
  return x >= panel->from && x <= panel->to;
}

// Points of the panel's range, and their neighbours, so that lines run to its ends.
static void keep_range(const cli_panel *panel, cli_curve *curve, const double *x, const double *y, int count)
{
  for (int i = 0; i < count; ++i)
    if (inside(panel, x[i]) || (i > 0 && inside(panel, x[i - 1])) || (i + 1 < count && inside(panel, x[i + 1])))
      keep(curve, x[i], y[i]);
}

// Of each stretch of a long curve the lowest and the highest point, in their order: no peak is lost. Works in place:
// what is kept never overtakes what is read.
static void thin_out(cli_curve *curve)
{
  const double *x = curve->x, *y = curve->y;
  const int count = curve->count;
  if (count <= MOST_POINTS) return;
  curve->count = 0;
  const int stretches = MOST_POINTS / 2;
  for (int k = 0; k < stretches; ++k) {
    const int begin = (int)((long long)count * k / stretches), end = (int)((long long)count * (k + 1) / stretches);
    int low = begin, high = begin;
    for (int i = begin; i < end; ++i) {
      if (y[i] < y[low] || isnan(y[low])) low = i;
      if (y[i] > y[high] || isnan(y[high])) high = i;
    }
    const int first = low < high ? low : high, second = low < high ? high : low;
    keep(curve, x[first], y[first]);
    if (second != first) keep(curve, x[second], y[second]);
  }
}

void cli_panel_add_curve(cli_panel *panel, const char *name, const double *x, const double *y, int count,
                         bool scattered)
{
  if (panel->curve_count == CLI_MOST_CURVES) {
    ++panel->left_out;
    return;
  }
  const size_t room = (size_t)count;
  cli_curve *curve = &panel->curves[panel->curve_count++];
  *curve = (cli_curve){copy_text(name), cli_zeros(room, sizeof(double)), cli_zeros(room, sizeof(double)), 0, scattered};
  keep_range(panel, curve, x, y, count);
  thin_out(curve);
}

void cli_panel_add_lane(cli_panel *panel, const char *name)
{
  if (panel->lane_count == CLI_MOST_LANES)
    ++panel->left_out;
  else
    panel->lanes[panel->lane_count++] = copy_text(name);
}

void cli_panel_add_span(cli_panel *panel, cli_span span)
{
  if (!(span.to > panel->from && span.from < panel->to)) return;
  panel->spans = cli_grow(panel->spans, (size_t)panel->span_count + 1, sizeof *panel->spans);
  panel->spans[panel->span_count++] = span;
}

static void destroy_panel(cli_panel *panel)
{
  for (int i = 0; i < panel->curve_count; ++i) {
    free(panel->curves[i].name);
    free(panel->curves[i].x);
    free(panel->curves[i].y);
  }
  for (int i = 0; i < panel->lane_count; ++i) free(panel->lanes[i]);
  free(panel->y_label);
  free(panel->spans);
}

void cli_figure_destroy(cli_figure *figure)
{
  for (int i = 0; i < figure->panel_count; ++i) destroy_panel(&figure->panels[i]);
  free(figure->panels);
}

// ---- what can be seen ----------------------------------------------------------------------------------------------

static bool visible(const cli_panel *panel, double x, double y)
{
  return isfinite(x) && isfinite(y) && (!panel->log_scale || y > 0.0);
}

static bool curve_is_empty(const cli_panel *panel, const cli_curve *curve)
{
  for (int i = 0; i < curve->count; ++i)
    if (visible(panel, curve->x[i], curve->y[i])) return false;
  return true;
}

static bool panel_is_empty(const cli_panel *panel)
{
  for (int i = 0; i < panel->curve_count; ++i)
    if (!curve_is_empty(panel, &panel->curves[i])) return false;
  return panel->span_count == 0;
}

void cli_figure_drop_empty(cli_figure *figure)
{
  int kept = 0;
  for (int i = 0; i < figure->panel_count; ++i)
    if (panel_is_empty(&figure->panels[i]))
      destroy_panel(&figure->panels[i]);
    else
      figure->panels[kept++] = figure->panels[i];
  figure->panel_count = kept;
}

// ---- writing -------------------------------------------------------------------------------------------------------

// What is neither a letter, a digit nor a byte of a UTF-8 character is written by its number: gnuplot looks for
// commands in back quotes, for macros and for the ends of strings before it knows what is a string, and it does not
// take a string in single quotes that begins with a doubled one.
void cli_gnuplot_quote(const char *text, FILE *out)
{
  bool coded = false; // the character before, whose code would take in a digit that follows
  fputc('"', out);
  for (; *text; ++text) {
    const unsigned char c = (unsigned char)*text;
    const bool control = c < 0x20 || c == 0x7f, plain = isalnum(c) || c >= 0x80 || c == ' ';
    coded = !control && (!plain || (coded && isdigit(c)));
    if (coded)
      fprintf(out, "\\%03o", c);
    else
      fputc(control ? ' ' : c, out);
  }
  fputc('"', out);
}

// The label of a tic is a format of its number, in which '%' counts twice for one.
static void write_tic_label(const char *text, FILE *out)
{
  char *label = cli_zeros(2 * strlen(text) + 1, 1), *to = label;
  for (; *text; ++text) {
    if (*text == '%') *to++ = '%';
    *to++ = *text;
  }
  cli_gnuplot_quote(label, out);
  free(label);
}

static void write_terminal(const cli_figure *figure, FILE *out)
{
  static const double PIXELS_AN_INCH = 96.0;
  const int width = figure->size.width, height = figure->size.height;
  if (figure->format == CLI_IMAGE_SVG)
    fprintf(out, "set terminal svg noenhanced size %d,%d font 'Helvetica,13' background '#ffffff'\n", width, height);
  else if (figure->format == CLI_IMAGE_PNG)
    fprintf(out, "set terminal pngcairo noenhanced size %d,%d font 'sans,10' background '#ffffff'\n", width, height);
  else
    fprintf(out, "set terminal pdfcairo noenhanced size %.4fin,%.4fin font 'sans,10'\n", width / PIXELS_AN_INCH,
            height / PIXELS_AN_INCH);
}

static void write_preamble(const cli_figure *figure, FILE *out)
{
  fputs("set encoding utf8\n", out);
  write_terminal(figure, out);
  fputs("set border 3 lc rgb '#555555'\nset tics nomirror textcolor rgb '#333333'\nset grid lc rgb '#dddddd' lt 1\n"
        "set tmargin 2.6\nset bmargin 3.4\n",
        out);
  for (int i = 0; i < CLI_MOST_CURVES; ++i) {
    char hex[CLI_HEX_SIZE];
    cli_color_hex(cli_palette(i), hex);
    fprintf(out, "set linetype %d lc rgb '%s' lw 1.7 pt 7 ps 0.35\n", i + 1, hex);
  }
  const int rows = (figure->panel_count + figure->columns - 1) / figure->columns;
  fprintf(out, "set multiplot layout %d,%d", rows, figure->columns);
  if (*figure->title) {
    fputs(" title ", out);
    cli_gnuplot_quote(figure->title, out);
  }
  fputc('\n', out);
}

static void write_number(double value, FILE *out)
{
  if (isfinite(value))
    fprintf(out, "%.10g", value);
  else
    fputs("NaN", out);
}

// Data blocks are named $dK_I: curve (or contact mode) I of panel K.
static void write_curve_data(const cli_panel *panel, int k, FILE *out)
{
  for (int i = 0; i < panel->curve_count; ++i) {
    const cli_curve *curve = &panel->curves[i];
    fprintf(out, "$d%d_%d << EOD\n", k, i);
    for (int row = 0; row < curve->count; ++row) {
      const bool shown = visible(panel, curve->x[row], curve->y[row]);
      write_number(curve->x[row], out);
      fputc(' ', out);
      write_number(shown ? curve->y[row] : NAN, out);
      fputc('\n', out);
    }
    fputs("EOD\n", out);
  }
}

static void write_span_data(const cli_panel *panel, int k, FILE *out)
{
  for (int mode = TS_SEPARATE; mode <= TS_ROLL; ++mode) {
    fprintf(out, "$d%d_%d << EOD\nNaN NaN NaN\n", k, mode); // gnuplot refuses an empty block
    for (int i = 0; i < panel->span_count; ++i)
      if (panel->spans[i].mode == (ts_contact_mode)mode)
        fprintf(out, "%.10g %.10g %d\n", panel->spans[i].from, panel->spans[i].to, panel->spans[i].lane);
    fputs("EOD\n", out);
  }
}

static void write_range(const cli_figure *figure, const cli_panel *panel, FILE *out)
{
  fputs("set xrange [", out);
  if (isfinite(figure->from)) write_number(figure->from, out);
  fputc(':', out);
  if (isfinite(figure->to)) write_number(figure->to, out);
  fputs("]\n", out);
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < panel->curve_count; ++i)
    for (int row = 0; row < panel->curves[i].count; ++row) {
      const double y = panel->curves[i].y[row];
      if (!visible(panel, panel->curves[i].x[row], y)) continue;
      low = fmin(low, y);
      high = fmax(high, y);
    }
  // what only rounding tells from a constant is shown as one
  const double size = fmax(fabs(low), fabs(high));
  if (panel->lane_count > 0)
    fprintf(out, "set yrange [%g:-0.5]\n", panel->lane_count - 0.5);
  else if (!panel->log_scale && high - low <= 1e-9 * size)
    fprintf(out, "set yrange [%.10g:%.10g]\n", low - (size > 0.0 ? 0.1 * size : 1.0),
            high + (size > 0.0 ? 0.1 * size : 1.0));
  else
    fputs("set yrange [*:*]\n", out);
}

// Room on the left, in letters: for numbers, or for the names of lanes.
static int left_margin(const cli_panel *panel)
{
  enum { NUMBERS = 12, MOST = 32 };
  size_t longest = NUMBERS - 2;
  for (int i = 0; i < panel->lane_count; ++i)
    if (strlen(panel->lanes[i]) > longest) longest = strlen(panel->lanes[i]);
  return longest + 2 < MOST ? (int)longest + 2 : MOST;
}

static void write_axes(const cli_panel *panel, FILE *out)
{
  fprintf(out, "set lmargin %d\n", left_margin(panel));
  fputs("set xlabel ", out);
  cli_gnuplot_quote(panel->x_label, out);
  fputs("\nset ylabel ", out);
  cli_gnuplot_quote(panel->lane_count > 0 ? "" : panel->y_label, out);
  fputs(panel->log_scale ? "\nset logscale y\nset format y '%.0e'\n" : "\nunset logscale y\nset format y '%g'\n", out);
  fputs(panel->lane_count > 0 ? "set ytics (" : "set ytics autofreq\n", out);
  for (int i = 0; i < panel->lane_count; ++i) {
    if (i > 0) fputs(", ", out);
    write_tic_label(panel->lanes[i], out);
    fprintf(out, " %d", i);
  }
  if (panel->lane_count > 0) fputs(")\n", out);
  const bool many = panel->curve_count > 4;
  fprintf(out, "set key outside %s reverse Left samplen 1.5\n", many ? "right vertical" : "above left horizontal");
  fputs("unset label\n", out);
  if (panel->left_out > 0)
    fprintf(out, "set label '%d more not shown' at graph 0.99,0.95 right textcolor rgb '#777777'\n", panel->left_out);
}

static void write_curve_plot(const cli_panel *panel, int k, FILE *out)
{
  bool first = true;
  for (int i = 0; i < panel->curve_count; ++i) {
    if (curve_is_empty(panel, &panel->curves[i])) continue;
    fprintf(out, "%s$d%d_%d using 1:2 with %s lt %d title ", first ? "plot " : ", ", k, i,
            panel->curves[i].scattered ? "points" : "lines", i + 1);
    cli_gnuplot_quote(panel->curves[i].name, out);
    first = false;
  }
  fputc('\n', out);
}

static void write_span_plot(int k, FILE *out)
{
  static const char *const colors[] = {
      [TS_SEPARATE] = "#d0d0d0", [TS_STICK] = "#009e73", [TS_SLIP] = "#d55e00", [TS_ROLL] = "#56b4e9"};
  for (int mode = TS_SEPARATE; mode <= TS_ROLL; ++mode) {
    fprintf(out, "%s$d%d_%d using 1:3:1:2:($3-0.35):($3+0.35) with boxxyerror fs solid noborder fc rgb '%s' title ",
            mode == TS_SEPARATE ? "plot " : ", ", k, mode, colors[mode]);
    cli_gnuplot_quote(ts_contact_mode_name((ts_contact_mode)mode), out);
  }
  fputc('\n', out);
}

void cli_figure_write_script(const cli_figure *figure, FILE *out)
{
  write_preamble(figure, out);
  for (int k = 0; k < figure->panel_count; ++k) {
    const cli_panel *panel = &figure->panels[k];
    const bool lanes = panel->lane_count > 0;
    if (lanes)
      write_span_data(panel, k, out);
    else
      write_curve_data(panel, k, out);
    write_axes(panel, out);
    write_range(figure, panel, out); // after the scale: a logarithmic one refuses what is not positive
    if (lanes)
      write_span_plot(k, out);
    else
      write_curve_plot(panel, k, out);
  }
  fputs("unset multiplot\n", out);
}
