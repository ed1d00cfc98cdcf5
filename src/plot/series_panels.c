#include "plot/series_panels.h"

#include "plot/series.h"

#include "draw/refusal.h"

#include <stdlib.h>
#include <string.h>

// NULL: memory ran out.
static ts_panel *panel_for(const ts_series *series, const char *x_label, ts_figure *figure)
{
  for (int i = 0; i < figure->panel_count; ++i)
    if (strcmp(figure->panels[i].y_label, series->label) == 0) return &figure->panels[i];
  return ts_figure_add_panel(figure, x_label, series->label);
}

static ts_status check_abscissa(const ts_series *x, const ts_series *y, ts_error *error)
{
  if (!x->values || x->times == y->times) return TS_OK;
  return ts_refuse(error, TS_INVALID, "'%s' cannot be drawn against '%s': they come from different tables of the run",
                   y->name, x->name);
}

static ts_status add_series(const ts_series *y, const ts_series *x, bool log_scale, ts_figure *figure, ts_error *error)
{
  const ts_status status = check_abscissa(x, y, error);
  if (status != TS_OK) return status;
  ts_panel *panel = panel_for(y, x->values ? x->name : "time [s]", figure);
  if (!panel) return ts_refuse_for_memory(error);
  panel->log_scale = log_scale;
  ts_panel_add_curve(panel, y->name, x->values ? x->values : y->times, y->values, y->count, y->scattered);
  return TS_OK;
}

ts_status ts_series_panels(const ts_record *record, const ts_series_choice *choice, ts_figure *figure, ts_error *error)
{
  figure->columns = 1;
  ts_series x = {0};
  if (choice->x && !ts_series_find(record, choice->x, &x)) return ts_series_refuse(record, choice->x, error);
  ts_series *list;
  int count;
  ts_status status = ts_series_choose(record, choice->y, &list, &count, error);
  for (int i = 0; status == TS_OK && i < count; ++i)
    status = add_series(&list[i], &x, choice->log_scale, figure, error);
  ts_series_release(list, count);
  return status;
}
