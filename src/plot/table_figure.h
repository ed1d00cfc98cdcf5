// Figures of the table of a study.
#ifndef TS_PLOT_TABLE_FIGURE_H
#define TS_PLOT_TABLE_FIGURE_H

#include "plot/chart.h"

#include "touchstone/table.h"

// What to draw: at most one of map, histogram, scatter and curves; without any the sheet that says most at a glance.
// Names are of columns, two of them with a comma in between.
typedef struct ts_table_choice {
  const char *map;       // "x,y": means of `color` as colours
  const char *color;     // NULL: the first result
  bool errors;           // of a map: standard errors instead of means
  double contour;        // of a map: a line where the mean has this value; not finite: none
  const char *histogram; // one name or more
  const char *scatter;   // "x,y": points and their trend
  const char *curves;    // "x,y": means of y over x
  const char *by;        // of curves: one for each value of this column, or NULL
  int bins;              // of what is binned; 0: as many as the rows allow
  bool log_scale;        // logarithmic vertical axes
} ts_table_choice;

// Fill a sheet that has title, format and size (0: as it needs) set.
ts_status ts_table_figure(const ts_table *table, const ts_table_choice *choice, ts_sheet *sheet, ts_error *error);

#endif
