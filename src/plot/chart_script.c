// The gnuplot script of a sheet.
#include "plot/chart.h"

#include "plot/figure.h"
#include "plot/gnuplot.h"
#include "plot/text_width.h"

#include "draw/color.h"
#include "draw/refusal.h"

#include <math.h>
#include <stdlib.h>

// ---- data ----------------------------------------------------------------------------------------------------------

static void write_number(double value, FILE *out)
{
  if (ts_chart_takes(value))
    fprintf(out, "%.15g", value);
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

// A text in quotes, no wider than so many pixels.
static void write_fitted(const char *text, double pixels, FILE *out)
{
  char fitted[512];
  ts_text_fit(text ? text : "", pixels, fitted, sizeof fitted);
  ts_gnuplot_quote(fitted, out);
}

// Every `stride`-th name, no wider than so many pixels each.
static void write_names(const ts_chart_axis *axis, char letter, int stride, double pixels, FILE *out)
{
  char fitted[512];
  fprintf(out, "set %ctics (", letter);
  for (int i = 0; i < axis->name_count; i += stride) {
    if (i > 0) fputs(", ", out);
    ts_text_fit(axis->names[i], pixels, fitted, sizeof fitted);
    ts_gnuplot_quote_tic(fitted, out);
    fprintf(out, " %d", i);
  }
  fputs(")\n", out);
}

static void write_format(const char *letter, int digits, FILE *out)
{
  fprintf(out, "set format %s '%%.%dg'\n", letter, digits);
}

static void write_short_log_numbers(const char *letter, int count, const double *numbers, FILE *out)
{
  if (count > 1) write_format(letter, ts_axis_digits(numbers[0], numbers[count - 1], numbers[1] - numbers[0]), out);
  fprintf(out, "set %stics (", letter);
  for (int i = 0; i < count; ++i) fprintf(out, "%s%.15g", i > 0 ? ", " : "", numbers[i]);
  fputs(")\n", out);
}

static void write_log_numbers(const char *letter, const ts_axis_range *range, FILE *out)
{
  double numbers[TS_MOST_SHORT_LOG_NUMBERS];
  const int count = ts_short_log_numbers(range, numbers);
  write_format(letter, 6, out);
  if (count > 0)
    write_short_log_numbers(letter, count, numbers, out);
  else
    fprintf(out, "set %stics 1e%d, %.10g\n", letter, (int)floor(log10(range->low)), range->step);
}

static void write_axis(const ts_chart_axis *axis, const char *letter, const ts_axis_range *range, FILE *out)
{
  fprintf(out, axis->log_scale ? "set logscale %s\n" : "unset logscale %s\n", letter);
  fprintf(out, "set %srange [%.15g:%.15g]\n", letter, range->low, range->high);
  if (axis->name_count > 0) return; // they are written with the room that they have
  if (axis->log_scale) {
    write_log_numbers(letter, range, out);
  } else {
    write_format(letter, ts_axis_digits(range->low, range->high, range->step), out);
    fprintf(out, "set %stics %.10g\n", letter, range->step);
  }
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

static void write_label(const ts_sheet *sheet, double left, double top, const char *text, double pixels,
                        const char *style, FILE *out)
{
  if (!text) return;
  fputs("set label ", out);
  write_fitted(text, pixels, out);
  fprintf(out, " at screen %.6f, screen %.6f %s\n", left / sheet->size.width, 1.0 - top / sheet->size.height, style);
}

// The title stands above the key, at the left; the note below all. Labels of axes are no labels to gnuplot, which would
// put them upon long numbers, or over the edge of the page.
static void write_texts(const ts_chart *chart, FILE *out)
{
  static const double TO_LABEL = 42.0; // from the horizontal axis
  const ts_sheet *sheet = chart->sheet;
  const ts_chart_frame *frame = &chart->frame, inside = ts_chart_inside(chart);
  const ts_chart_room room = ts_chart_text_room(chart);
  const double right = frame->left + frame->width, bottom = frame->top + frame->height;
  fputs("unset label\n", out);
  write_label(sheet, ts_chart_title_left(chart), frame->top + 14.0, chart->title, room.title, "left", out);
  write_label(sheet, room.x_middle, inside.top + inside.height + TO_LABEL, chart->x.label, room.x_label, "center", out);
  write_label(sheet, frame->left + 14.0, room.y_middle, chart->y.label, room.y_label, "center rotate by 90", out);
  write_label(sheet, right - 14.0, room.color_middle, chart->color.label, room.y_label, "center rotate by 90", out);
  write_label(sheet, frame->left + 14.0, bottom - 12.0, chart->note, room.note, "left textcolor rgb '#666666'", out);
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

static void write_layer(const ts_layer *layer, int k, int i, double key_room, FILE *out)
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
    fprintf(out, "1:2 with points lc rgb '%s' ", hex);
    if (layer->cross > 0.0)
      fprintf(out, "pt 2 ps %g lw %g", layer->cross, layer->is_thin ? 1.3 : 3.5);
    else
      fputs("pt 7 ps 0.4", out);
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
  if (layer->name) write_fitted(layer->name, key_room, out);
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
  const ts_chart_room room = ts_chart_text_room(chart);
  for (int i = 0; i < chart->layer_count; ++i) write_layer_data(&chart->layers[i], k, i, out);
  write_frame(chart, out);
  write_texts(chart, out);
  write_axis(&chart->x, "x", &x, out);
  write_axis(&chart->y, "y", &y, out);
  write_axis(&chart->color, "cb", &color, out);
  if (chart->x.name_count > 0) write_names(&chart->x, 'x', ts_chart_x_name_stride(chart), INFINITY, out);
  if (chart->y.name_count > 0) write_names(&chart->y, 'y', 1, room.names, out);
  write_key(chart, out);
  write_palette(chart, out);
  bool first = true;
  for (int i = 0; i < chart->layer_count; ++i) {
    if (is_empty(&chart->layers[i])) continue;
    fputs(first ? "plot " : ", ", out);
    write_layer(&chart->layers[i], k, i, room.key, out);
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
    write_fitted(sheet->title, sheet->size.width - 20.0, out);
  }
  fputc('\n', out);
}

void ts_sheet_write_script(const ts_sheet *sheet, FILE *out)
{
  write_preamble(sheet, out);
  for (int k = 0; k < sheet->chart_count; ++k) write_chart(sheet->charts[k], k, out);
  if (sheet->text_count > 0) {
    fputs("unset label\nunset border\nunset tics\nunset key\nset xrange [0:1]\n"
          "set yrange [0:1]\nunset logscale\nunset grid\n",
          out);
    for (int i = 0; i < sheet->text_count; ++i)
      write_label(sheet, sheet->texts[i].left, sheet->texts[i].top, sheet->texts[i].text,
                  sheet->size.width - sheet->texts[i].left - 6.0, "left", out);
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
