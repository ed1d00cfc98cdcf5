#include "plot/table_figure.h"

#include "plot/table_charts.h"

#include "draw/refusal.h"
#include "draw/utf8.h"

#include "touchstone/suggest.h"

#include <math.h>
#include <string.h>

// ---- columns -------------------------------------------------------------------------------------------------------

static const char *column_name(int i, const void *user)
{
  return ts_table_column_name(user, i);
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

// Names may have commas in them: the longest name that the text begins with, and that ends there or before a comma.
static int match_column(const ts_table *table, const char **text)
{
  int found = -1;
  size_t longest = 0;
  for (int i = 0; i < ts_table_column_count(table); ++i) {
    const char *name = ts_table_column_name(table, i);
    const size_t length = strlen(name);
    if (length < longest || length == 0 || strncmp(*text, name, length) != 0) continue;
    const char *end = *text + length;
    while (is_blank(*end)) ++end;
    if ((*end != '\0' && *end != ',') || (found >= 0 && length == longest)) continue;
    found = i;
    longest = length;
  }
  if (found >= 0) *text += longest;
  return found;
}

// The columns that there are, as many as there is room for.
static void list_names(const ts_table *table, char *list, size_t size)
{
  static const char more[] = ", ...";
  size_t used = 0;
  for (int i = 0; i < ts_table_column_count(table); ++i) {
    char name[TS_TABLE_LABEL_SIZE];
    ts_table_shorten(ts_table_column_name(table, i), 40, name);
    const size_t needed = strlen(name) + (i > 0 ? 2 : 0);
    if (used + needed + sizeof more > size) {
      memcpy(list + used, more, sizeof more);
      return;
    }
    used += (size_t)snprintf(list + used, size - used, "%s%s", i > 0 ? ", " : "", name);
  }
}

static ts_status refuse_name(const ts_table *table, const char *text, ts_error *error)
{
  char word[TS_TABLE_LABEL_SIZE], names[300] = "";
  size_t length = strcspn(text, ",");
  while (length > 0 && is_blank(text[length - 1])) --length;
  snprintf(word, sizeof word, "%.*s", length < 100 ? (int)length : 100, text);
  list_names(table, names, sizeof names);
  const char *near = ts_suggest(word, ts_table_column_count(table), column_name, table);
  return ts_refuse(error, TS_INVALID, "there is no column '%.60s'%s%.60s%s are %s", word,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'? There" : "; there", names);
}

static ts_status refuse_count(const char *option, int least, int most, ts_error *error)
{
  if (most == 1) return ts_refuse(error, TS_INVALID, "option '--%s' takes one column", option);
  if (least == most) return ts_refuse(error, TS_INVALID, "option '--%s' takes %d columns, as x,y", option, least);
  return ts_refuse(error, TS_INVALID, "option '--%s' takes %d to %d columns", option, least, most);
}

ts_status ts_table_choose(const ts_table *table, const char *option, const char *list, int least, int most,
                          int *columns, int *count, ts_error *error)
{
  *count = 0;
  for (const char *text = list;; ++text) {
    while (is_blank(*text)) ++text;
    if (*text == '\0' || *text == ',') return refuse_count(option, least, most, error);
    const int column = match_column(table, &text);
    if (column < 0) return refuse_name(table, text, error);
    if (*count == most) return refuse_count(option, least, most, error);
    columns[(*count)++] = column;
    while (is_blank(*text)) ++text;
    if (*text == '\0') break;
  }
  return *count >= least ? TS_OK : refuse_count(option, least, most, error);
}

ts_status ts_table_refuse_pair(const ts_table *table, int x, int y, ts_error *error)
{
  return ts_refuse(error, TS_INVALID, "no trial has numbers for both '%.60s' and '%.60s'",
                   ts_table_column_name(table, x), ts_table_column_name(table, y));
}

void ts_table_shorten(const char *text, int most, char label[static TS_TABLE_LABEL_SIZE])
{
  size_t used = 0;
  int characters = 0;
  while (*text && characters < most && used + 8 < TS_TABLE_LABEL_SIZE) {
    unsigned character;
    const int bytes = ts_utf8_decode(text, &character);
    if (bytes <= 1)
      label[used++] = bytes == 1 ? *text : '?';
    else
      memcpy(label + used, text, (size_t)bytes), used += (size_t)bytes;
    text += bytes > 0 ? bytes : 1;
    ++characters;
  }
  memcpy(label + used, *text ? "..." : "", *text ? 4 : 1);
}

void ts_table_label(const ts_table *table, const char *before, int column, char label[static TS_TABLE_LABEL_SIZE])
{
  char name[TS_TABLE_LABEL_SIZE], whole[2 * TS_TABLE_LABEL_SIZE + 80];
  const char *unit = ts_table_column_unit(table, column);
  ts_table_shorten(ts_table_column_name(table, column), 48, name);
  snprintf(whole, sizeof whole, *unit ? "%s%s [%.40s]" : "%s%s%.0s", before, name, unit);
  ts_table_shorten(whole, 100, label);
}

// ---- figures -------------------------------------------------------------------------------------------------------

double ts_sheet_title_height(const ts_sheet *sheet)
{
  return *sheet->title ? 34.0 : 8.0;
}

// All charts as large as each other, side by side and below each other, with `foot` pixels below them.
static void place_charts(ts_sheet *sheet, int columns, double width, double height, double foot)
{
  const int rows = (sheet->chart_count + columns - 1) / columns;
  const double top = ts_sheet_title_height(sheet);
  if (sheet->size.width == 0) sheet->size = (ts_image_size){(int)(columns * width), (int)(top + rows * height + foot)};
  const double w = (double)sheet->size.width / columns, h = fmax(40.0, (sheet->size.height - top - foot) / rows);
  for (int i = 0; i < sheet->chart_count; ++i)
    sheet->charts[i]->frame = (ts_chart_frame){w * (i % columns), top + h * (double)(i / columns), w, h};
}

// Where nobody says which: the first result, or the first column that may be one.
static int first_result(const ts_table *table)
{
  int found = -1;
  for (int i = 0; i < ts_table_column_count(table); ++i) {
    const ts_table_role role = ts_table_column_role(table, i);
    if (role == TS_TABLE_ROLE_RESULT) return i;
    if (role == TS_TABLE_ROLE_UNKNOWN) found = i; // results come last
  }
  return found;
}

static ts_status draw_map(const ts_table_view *view, ts_error *error)
{
  const ts_table_choice *choice = view->choice;
  int axes[2], count, color = first_result(view->table);
  ts_status status = ts_table_choose(view->table, "map", choice->map, 2, 2, axes, &count, error);
  if (status != TS_OK) return status;
  if (axes[0] == axes[1]) return ts_refuse(error, TS_INVALID, "a map needs two different columns");
  if (choice->color) status = ts_table_choose(view->table, "color", choice->color, 1, 1, &color, &count, error);
  if (status != TS_OK) return status;
  if (color < 0) return ts_refuse(error, TS_INVALID, "the table has no result; say by '--color' what to draw");
  status = ts_table_map_chart(view, axes[0], axes[1], color, error);
  place_charts(view->sheet, 1, 820.0, 620.0, 0.0);
  return status;
}

// Leaves columns without a number out of a list, and writes which; TS_INVALID: none is left.
static ts_status drop_empty(const ts_table_view *view, int *columns, int *count, char *dropped, size_t size,
                            ts_error *error)
{
  int kept = 0;
  size_t used = 0;
  for (int i = 0; i < *count; ++i) {
    ts_summary_column told;
    const ts_status status = ts_summary_column_of(view->summary, columns[i], &told, error);
    if (status != TS_OK) return status;
    if (told.count > 0)
      columns[kept++] = columns[i];
    else if (used < size)
      used += (size_t)snprintf(dropped + used, size - used, "%s'%.60s'", used > 0 ? ", " : "no trial has a number for ",
                               ts_table_column_name(view->table, columns[i]));
  }
  *count = kept;
  return kept > 0 ? TS_OK : ts_refuse(error, TS_INVALID, "%s", dropped);
}

static ts_status draw_histograms(const ts_table_view *view, ts_error *error)
{
  enum { MOST = 16 };
  static const double FOOT = 28.0;
  int columns[MOST], count;
  char dropped[400] = "";
  ts_status status =
      ts_table_choose(view->table, "histogram", view->choice->histogram, 1, MOST, columns, &count, error);
  if (status == TS_OK) status = drop_empty(view, columns, &count, dropped, sizeof dropped, error);
  for (int i = 0; status == TS_OK && i < count; ++i) status = ts_table_histogram_chart(view, columns[i], error);
  if (status != TS_OK) return status;
  place_charts(view->sheet, count < 3 ? count : 3, count == 1 ? 720.0 : 460.0, 380.0, *dropped ? FOOT : 0.0);
  if (*dropped) ts_sheet_add_text(view->sheet, 14.0, view->sheet->size.height - 0.5 * FOOT, dropped);
  return TS_OK;
}

static ts_status draw_scatter(const ts_table_view *view, ts_error *error)
{
  int axes[2], count;
  ts_status status = ts_table_choose(view->table, "scatter", view->choice->scatter, 2, 2, axes, &count, error);
  if (status == TS_OK) status = ts_table_scatter_chart(view, axes[0], axes[1], error);
  place_charts(view->sheet, 1, 820.0, 560.0, 0.0);
  return status;
}

static ts_status draw_curves(const ts_table_view *view, ts_error *error)
{
  int axes[2], count, by = -1;
  const char *group = view->choice->by;
  ts_status status = ts_table_choose(view->table, "curves", view->choice->curves, 2, 2, axes, &count, error);
  if (status == TS_OK && group) status = ts_table_choose(view->table, "by", group, 1, 1, &by, &count, error);
  if (status == TS_OK) status = ts_table_curve_chart(view, axes[0], axes[1], by, error);
  place_charts(view->sheet, 1, 820.0, 520.0, 0.0);
  return status;
}

static ts_status draw(const ts_table_view *view, ts_error *error)
{
  const ts_table_choice *choice = view->choice;
  if (choice->map) return draw_map(view, error);
  if (choice->histogram) return draw_histograms(view, error);
  if (choice->scatter) return draw_scatter(view, error);
  if (choice->curves) return draw_curves(view, error);
  return ts_table_sheet(view, error);
}

ts_status ts_table_figure(const ts_table *table, const ts_table_choice *choice, ts_sheet *sheet, ts_error *error)
{
  if (ts_table_row_count(table) == 0) return ts_refuse(error, TS_INVALID, "the table has no rows");
  ts_table_view view = {.table = table, .choice = choice, .sheet = sheet};
  ts_status status = ts_summary_create(table, NULL, &view.summary, error);
  if (status == TS_OK) status = draw(&view, error);
  ts_summary_destroy(view.summary);
  if (status == TS_OK && sheet->heap.exhausted) status = ts_refuse_for_memory(error);
  return status;
}
