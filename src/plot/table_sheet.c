// The sheet that says most about a table at a glance: how trials ended, and for each result how it is spread, which
// parameters it depends on, and how on the two that matter most.
#include "plot/table_charts.h"

#include "draw/refusal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OUTCOMES = 6, MOST_PARAMETERS = 8, MOST_RESULTS = 6, MOST_HISTOGRAMS = 16, COLUMNS = 4 };
enum { EFFECTS = 2 }; // charts of parameters for each result
static const double WIDTH = 350.0, HEIGHT = 290.0, HEAD = 210.0;

// ---- outcomes ------------------------------------------------------------------------------------------------------

#define END_TEXT(enumerator, text) text,
static void name_outcome(const ts_summary_outcome *outcome, char name[static TS_TABLE_LABEL_SIZE + 32])
{
  static const char *const ends[] = {TS_TRIAL_END_LIST(END_TEXT)};
  char whole[700], text[TS_TABLE_LABEL_SIZE];
  snprintf(whole, sizeof whole, "%s%s%.600s", ends[outcome->end], *outcome->text ? " " : "", outcome->text);
  ts_table_shorten(whole, 44, text);
  snprintf(name, TS_TABLE_LABEL_SIZE + 32, "%s: %d", text, outcome->rows);
}
#undef END_TEXT

void ts_table_outcome_chart(const ts_table_view *view, const ts_summary_outcomes *outcomes)
{
  const int shown = outcomes->count <= MOST_OUTCOMES ? outcomes->count : MOST_OUTCOMES - 1;
  const int bars = outcomes->count <= MOST_OUTCOMES ? shown : shown + 1;
  int others = outcomes->rows;
  char name[TS_TABLE_LABEL_SIZE + 32];
  ts_chart *chart = ts_sheet_add_chart(view->sheet, "how trials ended", "trials", NULL);
  if (!chart) return;
  for (int i = 0; i < shown; ++i) others -= outcomes->list[i].rows;
  for (int i = bars - 1; i >= 0; --i) { // the first is on top
    if (i < shown)
      name_outcome(&outcomes->list[i], name);
    else
      snprintf(name, sizeof name, "%d others: %d", outcomes->count - shown, others);
    ts_chart_add_name(chart, &chart->y, name);
  }
  // good ends and bad ones
  static const int colors[] = {
      [TS_TRIAL_FINISHED] = 2, [TS_TRIAL_STOPPED] = 5, [TS_TRIAL_LIMITED] = 4, [TS_TRIAL_FAILED] = 1};
  for (int i = 0; i < bars; ++i) {
    const int color = i < shown ? colors[outcomes->list[i].end] : TS_COLOR_GRAY;
    const double at = bars - 1 - i, rows = i < shown ? outcomes->list[i].rows : others;
    ts_layer *layer = ts_chart_add_layer(chart, TS_LAYER_BOXES, NULL, color);
    ts_chart_add_row(chart, layer, (double[]){0.0, rows, at - 0.36, at + 0.36});
  }
  chart->x.low = 0.0;
  chart->x.is_whole = true;
  chart->y.low = -0.6;
  chart->y.high = bars - 0.4;
}

// ---- sensitivities -------------------------------------------------------------------------------------------------

static double weight_of(const ts_summary_sensitivity *s)
{
  const double weight = isnan(s->total.value) ? s->first.value : fmax(s->total.value, s->first.value);
  return isnan(weight) ? -INFINITY : weight;
}

static int by_weight(const void *a, const void *b)
{
  const ts_summary_sensitivity *first = a, *second = b;
  const double x = weight_of(first), y = weight_of(second);
  if (x != y) return x > y ? -1 : 1;
  return first->column - second->column;
}

// Of a parameter one bar, or two: `up` is where its middle lies.
static void add_bars(ts_chart *chart, const char *name, int color, int count, const ts_summary_sensitivity *list,
                     double up, bool is_total)
{
  ts_layer *bars = ts_chart_add_layer(chart, TS_LAYER_BOXES, name, color);
  for (int i = 0; i < count; ++i) {
    const double at = count - 1 - i + up, value = is_total ? list[i].total.value : list[i].first.value;
    if (!isnan(value))
      ts_chart_add_row(chart, bars, (double[]){fmin(0.0, value), fmax(0.0, value), at - 0.19, at + 0.19});
  }
  ts_layer *intervals = ts_chart_add_layer(chart, TS_LAYER_SEGMENTS, NULL, TS_COLOR_DARK);
  if (intervals) intervals->is_thin = true;
  for (int i = 0; i < count; ++i) {
    const ts_summary_number *number = is_total ? &list[i].total : &list[i].first;
    const double at = count - 1 - i + up;
    if (!isnan(number->low)) ts_chart_add_row(chart, intervals, (double[]){number->low, at, number->high, at});
  }
}

void ts_table_sensitivity_chart(const ts_table_view *view, int column, const ts_summary_sensitivities *found)
{
  char name[TS_TABLE_LABEL_SIZE], title[TS_TABLE_LABEL_SIZE + 32];
  ts_summary_sensitivity *list = ts_heap_zeros(&view->sheet->heap, (size_t)found->count, sizeof *list);
  if (!list) return;
  memcpy(list, found->list, (size_t)found->count * sizeof *list);
  qsort(list, (size_t)found->count, sizeof *list, by_weight);
  const int shown = found->count < MOST_PARAMETERS ? found->count : MOST_PARAMETERS;
  ts_table_shorten(ts_table_column_name(view->table, column), 24, name);
  snprintf(title, sizeof title, "what %s depends on", name);
  ts_chart *chart = ts_sheet_add_chart(view->sheet, title, "share of the variance", NULL);
  bool totals = false;
  for (int i = 0; i < shown; ++i) totals = totals || !isnan(list[i].total.value);
  for (int i = shown - 1; chart && i >= 0; --i) {
    ts_table_shorten(ts_table_column_name(view->table, list[i].column), 16, name);
    ts_chart_add_name(chart, &chart->y, name);
  }
  if (chart) {
    add_bars(chart, "first", 0, shown, list, totals ? 0.2 : 0.0, false);
    if (totals) add_bars(chart, "total", 4, shown, list, -0.2, true);
    // by chance estimates and their intervals may lie outside of 0 to 1
    const ts_axis_range needed = ts_chart_x_range(chart);
    chart->x.low = needed.low < -0.02 ? needed.low : 0.0;
    chart->x.high = fmax(1.0, needed.high);
    chart->y.low = -0.6;
    chart->y.high = shown - 0.4;
    if (found->count > shown)
      ts_chart_set_note(chart, "%d more parameters", found->count - shown);
    else if (found->missing > 0)
      ts_chart_set_note(chart, "by %d of %d trials", found->used, found->used + found->missing);
  }
  free(list);
}

// ---- a result ------------------------------------------------------------------------------------------------------

static void place(const ts_table_view *view, int first, int row)
{
  const ts_sheet *sheet = view->sheet;
  for (int i = first; i < sheet->chart_count; ++i)
    sheet->charts[i]->frame =
        (ts_chart_frame){WIDTH * (i - first), ts_sheet_title_height(sheet) + HEAD + HEIGHT * row, WIDTH, HEIGHT};
}

// The effects of the parameters that matter most; without sensitivities those of the first ones.
static ts_status add_effects(const ts_table_view *view, int result, const ts_summary_sensitivities *found,
                             ts_error *error)
{
  ts_summary_sensitivity *list = ts_heap_zeros(&view->sheet->heap, (size_t)found->count, sizeof *list);
  if (!list) return ts_refuse_for_memory(error);
  memcpy(list, found->list, (size_t)found->count * sizeof *list);
  qsort(list, (size_t)found->count, sizeof *list, by_weight);
  ts_status status = TS_OK;
  for (int i = 0; status == TS_OK && i < EFFECTS && i < found->count; ++i)
    status = ts_table_curve_chart(view, list[i].column, result, -1, error);
  free(list);
  return status;
}

static ts_status add_result(const ts_table_view *view, int result, int row, ts_error *error)
{
  const int first = view->sheet->chart_count;
  ts_summary_sensitivities found;
  ts_status status = ts_table_histogram_chart(view, result, error);
  if (status == TS_OK) status = ts_summary_sensitivities_of(view->summary, result, &found, error);
  if (status != TS_OK) return status;
  // of one row there is nothing to depend on
  bool known = false;
  for (int i = 0; i < found.count; ++i) known = known || !isnan(found.list[i].first.value);
  if (known) ts_table_sensitivity_chart(view, result, &found);
  status = add_effects(view, result, &found, error);
  place(view, first, row);
  return status;
}

// ---- the sheet -----------------------------------------------------------------------------------------------------

// Columns that are shown: results, or all where nobody knows which these are. Those without a number are counted.
typedef struct shown_columns {
  int list[MOST_HISTOGRAMS], count;
  int empty, more;
  bool are_results;
} shown_columns;

static ts_status list_columns(const ts_table_view *view, ts_table_role role, int most, shown_columns *shown,
                              ts_error *error)
{
  *shown = (shown_columns){.are_results = role == TS_TABLE_ROLE_RESULT};
  for (int i = 0; i < ts_table_column_count(view->table); ++i) {
    ts_summary_column told;
    if (ts_table_column_role(view->table, i) != role) continue;
    const ts_status status = ts_summary_column_of(view->summary, i, &told, error);
    if (status != TS_OK) return status;
    if (told.count == 0)
      ++shown->empty;
    else if (shown->count == most)
      ++shown->more;
    else
      shown->list[shown->count++] = i;
  }
  return TS_OK;
}

#define SAMPLING_NAME(enumerator, name, help) #name,
static void describe_design(const ts_table *table, char *text, size_t size)
{
  static const char *const names[] = {TS_SAMPLING_LIST(SAMPLING_NAME)};
  const ts_table_design *design = ts_table_design_of(table);
  const int rows = ts_table_row_count(table);
  if (!design)
    snprintf(text, size, "%d trials", rows);
  else if (design->cells == 1)
    snprintf(text, size, "%d of %llu trials: %llu sample%s (%s)", rows, (unsigned long long)design->trials,
             (unsigned long long)design->samples, design->samples == 1 ? "" : "s", names[design->sampling]);
  else if (design->samples == 1)
    snprintf(text, size, "%d of %llu trials: the points of a grid", rows, (unsigned long long)design->trials);
  else
    snprintf(text, size, "%d of %llu trials: %llu points of a grid, %llu samples each (%s)", rows,
             (unsigned long long)design->trials, (unsigned long long)design->cells, (unsigned long long)design->samples,
             names[design->sampling]);
}
#undef SAMPLING_NAME

static void add_texts(const ts_table_view *view, const ts_summary_outcomes *outcomes, const shown_columns *shown)
{
  const double left = 2.2 * WIDTH;
  double top = ts_sheet_title_height(view->sheet) + 40.0;
  const char *kind = shown->are_results ? "result" : "column";
  char text[256];
  describe_design(view->table, text, sizeof text);
  ts_sheet_add_text(view->sheet, left, top, text);
  snprintf(text, sizeof text, "trials with steps that are not certified: %d; worst residual: %.2g",
           outcomes->uncertified, outcomes->worst_residual);
  ts_sheet_add_text(view->sheet, left, top += 24.0, text);
  if (shown->empty > 0) {
    snprintf(text, sizeof text, "%d %s%s: no trial has a number", shown->empty, kind, shown->empty == 1 ? "" : "s");
    ts_sheet_add_text(view->sheet, left, top += 24.0, text);
  }
  if (shown->more > 0) {
    snprintf(text, sizeof text, "%d more %s%s: see --histogram", shown->more, kind, shown->more == 1 ? "" : "s");
    ts_sheet_add_text(view->sheet, left, top += 24.0, text);
  }
}

static ts_status add_histograms(const ts_table_view *view, const shown_columns *shown, ts_error *error)
{
  const int first = view->sheet->chart_count;
  ts_status status = TS_OK;
  for (int i = 0; status == TS_OK && i < shown->count; ++i)
    status = ts_table_histogram_chart(view, shown->list[i], error);
  for (int row = 0; first + row * COLUMNS < view->sheet->chart_count; ++row) place(view, first + row * COLUMNS, row);
  return status;
}

// Frames are for the size that the sheet needs; of another size they are stretched.
static void fit_size(ts_sheet *sheet, int rows)
{
  const double width = COLUMNS * WIDTH, height = ts_sheet_title_height(sheet) + HEAD + rows * HEIGHT;
  if (sheet->size.width == 0) {
    sheet->size = (ts_image_size){(int)width, (int)height};
    return;
  }
  const double across = sheet->size.width / width, down = sheet->size.height / height;
  for (int i = 0; i < sheet->chart_count; ++i) {
    ts_chart_frame *frame = &sheet->charts[i]->frame;
    *frame = (ts_chart_frame){across * frame->left, down * frame->top, across * frame->width, down * frame->height};
  }
  for (int i = 0; i < sheet->text_count; ++i) {
    sheet->texts[i].left *= across;
    sheet->texts[i].top *= down;
  }
}

ts_status ts_table_sheet(const ts_table_view *view, ts_error *error)
{
  ts_summary_outcomes outcomes;
  shown_columns shown;
  ts_status status = ts_summary_outcomes_of(view->summary, &outcomes, error);
  if (status == TS_OK) status = list_columns(view, TS_TABLE_ROLE_RESULT, MOST_RESULTS, &shown, error);
  if (status == TS_OK && shown.count + shown.empty == 0)
    status = list_columns(view, TS_TABLE_ROLE_UNKNOWN, MOST_HISTOGRAMS, &shown, error);
  if (status != TS_OK) return status;
  ts_table_outcome_chart(view, &outcomes);
  if (view->sheet->chart_count > 0)
    view->sheet->charts[0]->frame = (ts_chart_frame){0.0, ts_sheet_title_height(view->sheet), 2.0 * WIDTH, HEAD};
  add_texts(view, &outcomes, &shown);
  for (int i = 0; shown.are_results && status == TS_OK && i < shown.count; ++i)
    status = add_result(view, shown.list[i], i, error);
  if (!shown.are_results) status = add_histograms(view, &shown, error);
  fit_size(view->sheet, shown.are_results ? shown.count : (shown.count + COLUMNS - 1) / COLUMNS);
  return status;
}
