// Charts of a table. Each function adds one to the sheet, without a place in it.
#ifndef TS_PLOT_TABLE_CHARTS_H
#define TS_PLOT_TABLE_CHARTS_H

#include "plot/table_figure.h"

#include "touchstone/summary.h"

// What all of them work with.
typedef struct ts_table_view {
  const ts_table *table;
  ts_summary *summary;
  const ts_table_choice *choice;
  ts_sheet *sheet;
} ts_table_view;

// ---- columns -------------------------------------------------------------------------------------------------------

// The columns that a list names, at most `most`. TS_INVALID: one does not exist, or there are fewer than `least`, or
// more; `option` is who asked for them.
ts_status ts_table_choose(const ts_table *table, const char *option, const char *list, int least, int most,
                          int *columns, int *count, ts_error *error);

// No trial has numbers for both.
ts_status ts_table_refuse_pair(const ts_table *table, int x, int y, ts_error *error);

// "name [unit]", and what else is a text for labels: `before` comes first.
enum { TS_TABLE_LABEL_SIZE = 160 };
void ts_table_label(const ts_table *table, const char *before, int column, char label[static TS_TABLE_LABEL_SIZE]);
// A text of at most so many characters; what is longer ends in three points.
void ts_table_shorten(const char *text, int most, char label[static TS_TABLE_LABEL_SIZE]);

// ---- charts --------------------------------------------------------------------------------------------------------

ts_status ts_table_map_chart(const ts_table_view *view, int x, int y, int color, ts_error *error);
ts_status ts_table_histogram_chart(const ts_table_view *view, int column, ts_error *error); // of one that has numbers
ts_status ts_table_scatter_chart(const ts_table_view *view, int x, int y, ts_error *error);
ts_status ts_table_curve_chart(const ts_table_view *view, int x, int y, int by, ts_error *error); // by: or -1
void ts_table_outcome_chart(const ts_table_view *view, const ts_summary_outcomes *outcomes);
void ts_table_sensitivity_chart(const ts_table_view *view, int column, const ts_summary_sensitivities *found);

// The sheet of all, with places.
ts_status ts_table_sheet(const ts_table_view *view, ts_error *error);

// Pixels that the sheet's title takes.
double ts_sheet_title_height(const ts_sheet *sheet);

#endif
