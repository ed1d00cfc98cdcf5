// The gnuplot script of a figure.
#include "plot/figure_layout.h"

#include "draw/color.h"

#include <ctype.h>
#include <math.h>

// What is neither a letter, a digit nor a byte of a UTF-8 character is written by its number: gnuplot looks for
// commands in back quotes, for macros and for the ends of strings before it knows what is a string, and it does not
// take a string in single quotes that begins with a doubled one.
static void write_quoted(const char *text, bool is_format, FILE *out)
{
  bool coded = false; // the character before, whose code would take in a digit that follows
  fputc('"', out);
  for (; *text; ++text) {
    const unsigned char c = (unsigned char)*text;
    const bool control = c < 0x20 || c == 0x7f, plain = isalnum(c) || c >= 0x80 || c == ' ';
    coded = !control && (!plain || (coded && isdigit(c)));
    if (c == '%' && is_format) fprintf(out, "\\%03o", c);
    if (coded)
      fprintf(out, "\\%03o", c);
    else
      fputc(control ? ' ' : c, out);
  }
  fputc('"', out);
}

void ts_gnuplot_quote(const char *text, FILE *out)
{
  write_quoted(text, false, out);
}

void ts_gnuplot_quote_tic(const char *text, FILE *out)
{
  write_quoted(text, true, out);
}

static void write_preamble(const ts_figure *figure, FILE *out)
{
  fputs("set encoding utf8\nset terminal ", out);
  figure->format->write_terminal(figure->size, out);
  fputs("\nset border 3 lc rgb '#555555'\nset tics nomirror textcolor rgb '#333333'\nset grid lc rgb '#dddddd' lt 1\n"
        "set tmargin 2.6\nset bmargin 3.4\n",
        out);
  for (int i = 0; i < TS_MOST_CURVES; ++i) {
    char hex[TS_COLOR_HEX_SIZE];
    ts_color_hex(ts_color_palette(i), hex);
    fprintf(out, "set linetype %d lc rgb '%s' lw 1.7 pt 7 ps 0.35\n", i + 1, hex);
  }
  const int rows = (figure->panel_count + figure->columns - 1) / figure->columns;
  fprintf(out, "set multiplot layout %d,%d", rows, figure->columns);
  if (*figure->title) {
    fputs(" title ", out);
    ts_gnuplot_quote(figure->title, out);
  }
  fputc('\n', out);
}

static void write_number(double value, FILE *out)
{
  if (isfinite(value))
    fprintf(out, "%.15g", value);
  else
    fputs("NaN", out);
}

// Data blocks are named $dK_I: curve (or contact mode) I of panel K.
static void write_curve_data(const ts_panel *panel, int k, FILE *out)
{
  for (int i = 0; i < panel->curve_count; ++i) {
    const ts_curve *curve = &panel->curves[i];
    fprintf(out, "$d%d_%d << EOD\n", k, i);
    for (int row = 0; row < curve->count; ++row) {
      const bool shown = ts_panel_shows(panel, curve->x[row], curve->y[row]);
      write_number(curve->x[row], out);
      fputc(' ', out);
      write_number(shown ? curve->y[row] : NAN, out);
      fputc('\n', out);
    }
    fputs("EOD\n", out);
  }
}

static void write_span_data(const ts_panel *panel, int k, FILE *out)
{
  for (int mode = TS_SEPARATE; mode <= TS_ROLL; ++mode) {
    fprintf(out, "$d%d_%d << EOD\nNaN NaN NaN\n", k, mode); // gnuplot refuses an empty block
    for (int i = 0; i < panel->span_count; ++i)
      if (panel->spans[i].mode == (ts_contact_mode)mode)
        fprintf(out, "%.10g %.10g %d\n", panel->spans[i].from, panel->spans[i].to, panel->spans[i].lane);
    fputs("EOD\n", out);
  }
}

static void write_range(const ts_figure *figure, const ts_panel *panel, const ts_panel_numbers *numbers, FILE *out)
{
  fputs("set xrange [", out);
  if (isfinite(figure->from)) write_number(figure->from, out);
  fputc(':', out);
  if (isfinite(figure->to)) write_number(figure->to, out);
  fputs("]\n", out);
  // what only rounding tells from a constant is shown as one
  if (panel->lane_count > 0)
    fprintf(out, "set yrange [%g:-0.5]\n", panel->lane_count - 0.5);
  else if (numbers->is_constant)
    fprintf(out, "set yrange [%.10g:%.10g]\n", numbers->low, numbers->high);
  else
    fputs("set yrange [*:*]\n", out);
}

// Axes of a column lie below each other, whatever stands beside them.
static void write_margins(const ts_figure *figure, int k, FILE *out)
{
  const double column = 1.0 / figure->columns, left = column * (k % figure->columns);
  const ts_panel_margins margins = ts_figure_margins(figure, k);
  fprintf(out, "set lmargin at screen %.6f\nset rmargin at screen %.6f\n", left + margins.left / figure->size.width,
          left + column - margins.right / figure->size.width);
}

// Of many marks as many as can be told apart.
static void write_marks(const ts_figure *figure, FILE *out)
{
  enum { MOST_MARKS = 300 };
  const int every = 1 + (figure->mark_count - 1) / MOST_MARKS;
  for (int i = 0; i < figure->mark_count; i += every)
    fprintf(out, "set arrow from %.10g, graph 0 to %.10g, graph 1 nohead back lc rgb '#999999' lw 0.7 dt 3\n",
            figure->marks[i], figure->marks[i]);
}

// What was left out, and what marks are, stand in the key: nothing can lie upon it there.
static void write_key_notes(const ts_figure *figure, const ts_panel *panel, int k, FILE *out)
{
  if (panel->left_out > 0) fprintf(out, ", NaN with dots lc rgb '#ffffff' title '%d more not shown'", panel->left_out);
  if (k == 0 && figure->mark_count > 0) fputs(", NaN with lines lc rgb '#999999' lw 0.7 dt 3 title 'impact'", out);
  fputc('\n', out);
}

static void write_axes(const ts_panel *panel, const ts_panel_numbers *numbers, FILE *out)
{
  fputs("set xlabel ", out);
  ts_gnuplot_quote(panel->x_label, out);
  fputs("\nset ylabel ", out);
  ts_gnuplot_quote(panel->lane_count > 0 ? "" : panel->y_label, out);
  if (panel->log_scale)
    fputs("\nset logscale y\nset format y '%.0e'\n", out);
  else
    fprintf(out, "\nunset logscale y\nset format y '%%.%dg'\n", numbers->digits);
  fputs(panel->lane_count > 0 ? "set ytics (" : "set ytics autofreq\n", out);
  for (int i = 0; i < panel->lane_count; ++i) {
    if (i > 0) fputs(", ", out);
    ts_gnuplot_quote_tic(panel->lanes[i], out);
    fprintf(out, " %d", i);
  }
  if (panel->lane_count > 0) fputs(")\n", out);
}

// A key that is taller than its panel would go on in a second column, beyond the margin.
static void write_key(const ts_figure *figure, int k, FILE *out)
{
  if (ts_figure_key_is_beside(figure, k))
    fprintf(out, "set key at graph 1.02, graph 1 left top vertical reverse Left samplen 1.5 spacing %.3f\n",
            ts_figure_key_spacing(figure, k));
  else
    fputs("set key outside above left horizontal reverse Left samplen 1.5 spacing 1\n", out);
}

static void write_curve_plot(const ts_figure *figure, const ts_panel *panel, int k, FILE *out)
{
  bool first = true;
  for (int i = 0; i < panel->curve_count; ++i) {
    if (ts_curve_is_empty(panel, &panel->curves[i])) continue;
    fprintf(out, "%s$d%d_%d using 1:2 with %s lt %d title ", first ? "plot " : ", ", k, i,
            panel->curves[i].scattered ? "points" : "lines", i + 1);
    ts_gnuplot_quote(panel->curves[i].name, out);
    first = false;
  }
  write_key_notes(figure, panel, k, out);
}

static void write_span_plot(const ts_figure *figure, const ts_panel *panel, int k, FILE *out)
{
  static const char *const colors[] = {
      [TS_SEPARATE] = "#d0d0d0", [TS_STICK] = "#009e73", [TS_SLIP] = "#d55e00", [TS_ROLL] = "#56b4e9"};
  for (int mode = TS_SEPARATE; mode <= TS_ROLL; ++mode) {
    fprintf(out, "%s$d%d_%d using 1:3:1:2:($3-0.35):($3+0.35) with boxxyerror fs solid noborder fc rgb '%s' title ",
            mode == TS_SEPARATE ? "plot " : ", ", k, mode, colors[mode]);
    ts_gnuplot_quote(ts_contact_mode_name((ts_contact_mode)mode), out);
  }
  write_key_notes(figure, panel, k, out);
}

void ts_figure_write_script(const ts_figure *figure, FILE *out)
{
  write_preamble(figure, out);
  write_marks(figure, out);
  for (int k = 0; k < figure->panel_count; ++k) {
    const ts_panel *panel = &figure->panels[k];
    const bool lanes = panel->lane_count > 0;
    const ts_panel_numbers numbers = ts_panel_y_numbers(panel);
    if (lanes)
      write_span_data(panel, k, out);
    else
      write_curve_data(panel, k, out);
    write_margins(figure, k, out);
    write_axes(panel, &numbers, out);
    write_key(figure, k, out);
    write_range(figure, panel, &numbers, out); // after the scale: a logarithmic one refuses what is not positive
    if (lanes)
      write_span_plot(figure, panel, k, out);
    else
      write_curve_plot(figure, panel, k, out);
  }
  fputs("unset multiplot\n", out);
}
