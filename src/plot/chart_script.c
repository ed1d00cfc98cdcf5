// The gnuplot script of a sheet.
#include "plot/chart.h"

#include "plot/figure.h"
#include "plot/gnuplot.h"

#include "draw/color.h"
#include "draw/refusal.h"

#include <math.h>
#include <stdlib.h>

// ---- data ----------------------------------------------------------------------------------------------------------

static void write_number(double value, FILE *out)
{
  if (ts_chart_takes(value))
    fprintf(out, "%.10g", value);
  else
    fputs("NaN", out);
}

// Data blocks are named $cK_I: layer I of chart K.
static void write_layer_data(const ts_layer *layer, int k, int i, FILE *out)
{
  const int columns = ts_layer_column_count(layer->kind);
  fprintf(out, "$c%d_%d << EOD\n", k, i);
  for (int row = 0; row < layer->rows; ++row)
    for (int j = 0; j < columns; ++j) {
      write_number(layer->numbers[row * columns + j], out);
      fputc(j + 1 < columns ? ' ' : '\n', out);
    }
  fputs("EOD\n", out);
}

// ---- axes ----------------------------------------------------------------------------------------------------------

static void write_text(const char *command, const char *text, FILE *out)
{
  fputs(command, out);
  ts_gnuplot_quote(text ? text : "", out);
  fputc('\n', out);
}

static void write_names(const ts_chart_axis *axis, char letter, FILE *out)
{
  fprintf(out, "set %ctics (", letter);
  for (int i = 0; i < axis->name_count; ++i) {
    if (i > 0) fputs(", ", out);
    ts_gnuplot_quote_tic(axis->names[i], out);
    fprintf(out, " %d", i);
  }
  fputs(")\n", out);
}

static void write_axis(const ts_chart_axis *axis, const char *letter, const ts_axis_range *range, FILE *out)
{
  fprintf(out, axis->log_scale ? "set logscale %s\n" : "unset logscale %s\n", letter);
  fprintf(out, "set format %s '%%g'\nset %srange [%.10g:%.10g]\n", letter, letter, range->low, range->high);
  if (axis->name_count > 0)
    write_names(axis, *letter, out);
  else if (axis->log_scale && range->high < 10.0 * range->low)
    fprintf(out, "set %stics autofreq\n", letter);
  else if (axis->log_scale)
    fprintf(out, "set %stics 1e%d, %.10g\n", letter, (int)floor(log10(range->low)), range->step);
  else
    fprintf(out, "set %stics %.10g\n", letter, range->step);
}

static void write_frame(const ts_chart *chart, FILE *out)
{
  const ts_chart_frame inside = ts_chart_inside(chart);
  const double width = chart->sheet->size.width, height = chart->sheet->size.height;
  fprintf(out,
          "set lmargin at screen %.6f\nset rmargin at screen %.6f\nset tmargin at screen %.6f\nset bmargin at screen "
          "%.6f\n",
          inside.left / width, (inside.left + inside.width) / width, 1.0 - inside.top / height,
          1.0 - (inside.top + inside.height) / height);
}

static void write_label(const ts_sheet *sheet, double left, double top, const char *text, const char *style, FILE *out)
{
  fputs("set label ", out);
  ts_gnuplot_quote(text, out);
  fprintf(out, " at screen %.6f, screen %.6f left %s\n", left / sheet->size.width, 1.0 - top / sheet->size.height,
          style);
}

// Labels of vertical axes, beside their numbers: gnuplot's own would lie upon long numbers, or leave the page.
static void write_upright(const ts_chart *chart, double left, const char *text, FILE *out)
{
  const ts_chart_frame inside = ts_chart_inside(chart);
  const double top = inside.top + 0.5 * inside.height;
  if (!text) return;
  fputs("set label ", out);
  ts_gnuplot_quote(text, out);
  fprintf(out, " at screen %.6f, screen %.6f center rotate by 90\n", left / chart->sheet->size.width,
          1.0 - top / chart->sheet->size.height);
}

// The title stands above the key, at the left; the note below all.
static void write_texts(const ts_chart *chart, FILE *out)
{
  const ts_chart_frame *frame = &chart->frame;
  const ts_chart_frame inside = ts_chart_inside(chart);
  fputs("unset label\n", out);
  write_upright(chart, frame->left + 14.0, chart->y.label, out);
  write_upright(chart, frame->left + frame->width - 14.0, chart->color.label, out);
  if (chart->title)
    write_label(chart->sheet, chart->y.name_count > 0 ? frame->left + 14.0 : inside.left, frame->top + 14.0,
                chart->title, "", out);
  if (chart->note)
    write_label(chart->sheet, frame->left + 14.0, frame->top + frame->height - 12.0, chart->note,
                "textcolor rgb '#666666'", out);
}

static void write_key(const ts_chart *chart, FILE *out)
{
  if (ts_chart_key_is_beside(chart))
    fputs("set key at graph 1.02, graph 1 left top vertical reverse Left samplen 1.5 spacing 1.1\n", out);
  else
    fputs("set key at graph 0, graph 1 left bottom horizontal reverse Left samplen 1.5 spacing 1 maxrows 1\n", out);
}

// ---- layers --------------------------------------------------------------------------------------------------------

static void color_of(const ts_layer *layer, char hex[TS_COLOR_HEX_SIZE])
{
  const ts_color color = layer->color == TS_COLOR_GRAY    ? ts_color_gray(0.6)
                         : layer->color == TS_COLOR_DARK  ? ts_color_gray(0.2)
                         : layer->color == TS_COLOR_WHITE ? ts_color_gray(1.0)
                                                          : ts_color_palette(layer->color);
  ts_color_hex(color, hex);
}

static void write_layer(const ts_layer *layer, int k, int i, FILE *out)
{
  char hex[TS_COLOR_HEX_SIZE];
  const double width = layer->is_thin ? 1.0 : 2.0;
  color_of(layer, hex);
  fprintf(out, "$c%d_%d using ", k, i);
  switch (layer->kind) {
  case TS_LAYER_LINE:
    fprintf(out, "1:2 with lines lc rgb '%s' lw %g dt %d", hex, width, layer->is_dashed ? 2 : 1);
    break;
  case TS_LAYER_POINTS:
    fprintf(out, "1:2 with points lc rgb '%s' pt %d ps %g", hex, layer->is_thin ? 2 : 7, layer->is_thin ? 0.45 : 0.4);
    break;
  case TS_LAYER_BAND:
    fprintf(out, "1:2:3 with filledcurves fc rgb '%s' fs transparent solid 0.2 noborder", hex);
    break;
  case TS_LAYER_SEGMENTS:
    fprintf(out, "1:2:($3-$1):($4-$2) with vectors nohead lc rgb '%s' lw %g", hex, width);
    break;
  case TS_LAYER_BOXES:
    fprintf(out, "1:3:1:2:3:4 with boxxyerror fc rgb '%s' fs solid 1.0 border lc rgb '#ffffff'", hex);
    break;
  default:
    fputs("1:3:1:2:3:4:5 with boxxyerror lc palette lw 1 fs solid 1.0 border", out);
  }
  fputs(layer->name ? " title " : " notitle", out);
  if (layer->name) ts_gnuplot_quote(layer->name, out);
}

// Colours of numbers: from dark blue over green to yellow, brighter all the way, so that they can be told apart by
// people with any kind of colour vision, and in print without colours (after viridis by van der Walt and Smith, 2015).
static void write_palette(const ts_chart *chart, FILE *out)
{
  fputs(chart->of_counts ? "set palette defined (0 '#dbe9f4', 1 '#8fbbda', 2 '#3a87c0', 3 '#0b4a83')\n"
                         : "set palette defined (0 '#440154', 1 '#482878', 2 '#3e4a89', 3 '#31688e', 4 '#26828e', "
                           "5 '#1f9e89', 6 '#35b779', 7 '#6ece58', 8 '#b5de2b', 9 '#fde725')\n",
        out);
}

// gnuplot refuses data of which nothing can be seen.
static bool is_empty(const ts_layer *layer)
{
  const int columns = ts_layer_column_count(layer->kind);
  for (int row = 0; row < layer->rows; ++row) {
    bool shown = true;
    for (int k = 0; k < columns; ++k) shown = shown && ts_chart_takes(layer->numbers[row * columns + k]);
    if (shown) return false;
  }
  return true;
}

static void write_chart(const ts_chart *chart, int k, FILE *out)
{
  const ts_axis_range x = ts_chart_x_range(chart), y = ts_chart_y_range(chart), color = ts_chart_color_range(chart);
  for (int i = 0; i < chart->layer_count; ++i) write_layer_data(&chart->layers[i], k, i, out);
  write_frame(chart, out);
  write_texts(chart, out);
  write_text("set xlabel ", chart->x.label, out);
  write_axis(&chart->x, "x", &x, out);
  write_axis(&chart->y, "y", &y, out);
  write_axis(&chart->color, "cb", &color, out);
  write_key(chart, out);
  write_palette(chart, out);
  bool first = true;
  for (int i = 0; i < chart->layer_count; ++i) {
    if (is_empty(&chart->layers[i])) continue;
    fputs(first ? "plot " : ", ", out);
    write_layer(&chart->layers[i], k, i, out);
    first = false;
  }
  fputs(first ? "plot NaN notitle\n" : "\n", out);
}

// ---- the sheet -----------------------------------------------------------------------------------------------------

static void write_preamble(const ts_sheet *sheet, FILE *out)
{
  fputs("set encoding utf8\nset terminal ", out);
  sheet->format->write_terminal(sheet->size, out);
  fputs("\nset border 3 lc rgb '#555555'\nset tics nomirror out scale 0.6 textcolor rgb '#333333'\n"
        "set grid lc rgb '#e4e4e4' lt 1 lw 0.8\nset clip two\nset colorbox user origin graph 1.04, graph 0 size graph "
        "0.035, graph 1\n",
        out);
  fputs("set multiplot", out);
  if (*sheet->title) {
    fputs(" title ", out);
    ts_gnuplot_quote(sheet->title, out);
  }
  fputc('\n', out);
}

void ts_sheet_write_script(const ts_sheet *sheet, FILE *out)
{
  write_preamble(sheet, out);
  for (int k = 0; k < sheet->chart_count; ++k) write_chart(sheet->charts[k], k, out);
  if (sheet->text_count > 0) {
    fputs("unset label\nunset border\nunset tics\nunset key\nset xlabel ''\nset xrange [0:1]\n"
          "set yrange [0:1]\nunset logscale\nunset grid\n",
          out);
    for (int i = 0; i < sheet->text_count; ++i)
      write_label(sheet, sheet->texts[i].left, sheet->texts[i].top, sheet->texts[i].text, "", out);
    fputs("plot NaN notitle\n", out);
  }
  fputs("unset multiplot\n", out);
}

static void write_sheet(const void *user, FILE *out)
{
  ts_sheet_write_script(user, out);
}

ts_status ts_sheet_draw(const ts_sheet *sheet, FILE *out, ts_error *error)
{
  if (sheet->heap.exhausted) return ts_refuse_for_memory(error);
  return ts_gnuplot_draw_script(write_sheet, sheet, out, error);
}
