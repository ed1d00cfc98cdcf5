// Rows of a table in groups by one column or two, and what a result is in each.
#include "study/summary.h"

#include "base/require.h"
#include "sampling/normal.h"
#include "statistics/quantile.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_GRID_VALUES = 512, MOST_VALUES = 24, MOST_GROUPS = 1 << 22 };

typedef struct group_request {
  const ts_summary_grouping *grouping;
  ts_summary_groups *groups;
} group_request;

// ---- axes ----------------------------------------------------------------------------------------------------------

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Numbers that are there, sorted, and how many of them differ.
typedef struct spread {
  double *numbers;
  int count, distinct;
} spread;

static spread find_spread(ts_summary *summary, const double *column)
{
  const int rows = ts_table_row_count(summary->table);
  spread found = {.numbers = ts_arena_doubles(&summary->scratch, (size_t)rows)};
  found.count = (int)ts_drop_missing((size_t)rows, column, found.numbers);
  qsort(found.numbers, (size_t)found.count, sizeof *found.numbers, by_size);
  for (int i = 0; i < found.count; ++i) found.distinct += i == 0 || found.numbers[i] != found.numbers[i - 1];
  return found;
}

// Over decades, with as many numbers above the middle of the logarithms as below it.
static bool is_logarithmic(const spread *s)
{
  if (s->count == 0 || !(s->numbers[0] > 0.0)) return false;
  const double low = s->numbers[0], high = s->numbers[s->count - 1], median = s->numbers[s->count / 2];
  if (high < 30.0 * low) return false;
  const double part = (median - low) / (high - low), of_logarithm = log(median / low) / log(high / low);
  return fabs(part - 0.5) > 0.25 && fabs(of_logarithm - 0.5) < 0.15;
}

static double between(const ts_summary_axis *axis, double low, double high, double part)
{
  if (axis->is_logarithmic) return exp((1.0 - part) * log(low) + part * log(high));
  return (1.0 - part) * low + part * high;
}

static void take_values(const spread *s, ts_arena *arena, ts_summary_axis *axis)
{
  const int count = s->distinct;
  double *values = ts_arena_doubles(arena, (size_t)count), *edges = ts_arena_doubles(arena, (size_t)count + 1);
  int k = 0;
  for (int i = 0; i < s->count; ++i)
    if (i == 0 || s->numbers[i] != s->numbers[i - 1]) values[k++] = s->numbers[i];
  for (int i = 1; i < count; ++i) edges[i] = between(axis, values[i - 1], values[i], 0.5);
  const double alone = count == 1 && values[0] != 0.0 ? 0.1 * fabs(values[0]) : 0.5;
  edges[0] = count > 1 ? between(axis, values[0], values[1], -0.5) : values[0] - alone;
  edges[count] = count > 1 ? between(axis, values[count - 2], values[count - 1], 1.5) : values[0] + alone;
  axis->count = count;
  axis->values = values;
  axis->edges = edges;
}

static void take_bins(const spread *s, int bins, ts_arena *arena, ts_summary_axis *axis)
{
  double *values = ts_arena_doubles(arena, (size_t)bins), *edges = ts_arena_doubles(arena, (size_t)bins + 1);
  const double low = s->numbers[0], high = s->numbers[s->count - 1];
  for (int i = 0; i < bins; ++i) {
    edges[i] = i == 0 ? low : between(axis, low, high, (double)i / bins);
    values[i] = between(axis, low, high, (i + 0.5) / bins);
  }
  edges[bins] = high;
  axis->is_binned = true;
  axis->count = bins;
  axis->values = values;
  axis->edges = edges;
}

// Some ten rows a bin where nothing else is asked for, of those that there are.
static int choose_bins(const ts_summary_grouping *grouping, int k, int rows)
{
  if (grouping->bins[k] > 0) return grouping->bins[k];
  const double each = 0.1 * rows, bins = grouping->column_count == 1 ? each : sqrt(each);
  const double most = grouping->column_count == 1 ? 20.0 : 32.0;
  return (int)fmin(most, fmax(3.0, bins));
}

static void make_axis(ts_summary *summary, const ts_summary_grouping *grouping, int k, const double *numbers,
                      ts_summary_axis *axis)
{
  const spread s = find_spread(summary, numbers);
  const int column = grouping->columns[k];
  const bool of_grid = ts_table_column_role(summary->table, column) == TS_TABLE_ROLE_GRID;
  const bool few = of_grid ? s.distinct <= MOST_GRID_VALUES : s.distinct <= MOST_VALUES && s.count >= 3 * s.distinct;
  *axis = (ts_summary_axis){.column = column, .is_logarithmic = is_logarithmic(&s)};
  if (s.distinct <= 1 || (few && !grouping->always_bin))
    take_values(&s, &summary->kept, axis);
  else
    take_bins(&s, choose_bins(grouping, k, s.count), &summary->kept, axis);
}

// Which group a number is in: the last whose lower edge is not above it, or its own value.
static int find_place(const ts_summary_axis *axis, double number)
{
  const double *starts = axis->is_binned ? axis->edges : axis->values;
  int low = 0, high = axis->count; // starts[low] <= number < starts[high]
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (number >= starts[middle])
      low = middle;
    else
      high = middle;
  }
  return low;
}

// ---- groups --------------------------------------------------------------------------------------------------------

// The group of a row, or -1: it lacks a number that it is grouped by.
static int find_group(const ts_summary_groups *groups, double *const *numbers, int row)
{
  int group = 0;
  for (int k = 0; k < groups->axis_count; ++k) {
    if (isnan(numbers[k][row])) return -1;
    group = group * groups->axes[k].count + find_place(&groups->axes[k], numbers[k][row]);
  }
  return group;
}

static ts_summary_group finish_group(const ts_moments *moments, bool is_share, double level)
{
  ts_summary_group group = {.count = (int)moments->count,
                            .missing = (int)moments->missing,
                            .mean = ts_summary_mean(moments, is_share, level)};
  if (is_share)
    group.error = 0.5 * (group.mean.high - group.mean.low) / ts_normal_quantile(0.5 + 0.5 * level);
  else
    group.error = ts_moments_deviation(moments) / sqrt((double)moments->count);
  return group;
}

static ts_status fill_groups(ts_summary *summary, const ts_summary_grouping *grouping, double *const *numbers,
                             ts_summary_groups *groups)
{
  const int rows = ts_table_row_count(summary->table);
  const double *results = grouping->result >= 0 ? ts_summary_numbers(summary, grouping->result) : NULL;
  const size_t count = (size_t)groups->count;
  ts_moments *moments = ts_arena_bytes(&summary->scratch, count, sizeof *moments);
  for (size_t i = 0; i < count; ++i) moments[i] = ts_moments_of_none();
  for (int row = 0; row < rows; ++row) {
    const int group = find_group(groups, numbers, row);
    if (group < 0)
      ++groups->left_out;
    else
      ts_moments_add(&moments[group], results ? results[row] : 1.0);
  }
  groups->is_share = results && ts_summary_are_shares(rows, results);
  ts_summary_group *list = ts_arena_bytes(&summary->kept, count, sizeof *list);
  for (size_t i = 0; i < count; ++i) list[i] = finish_group(&moments[i], groups->is_share, summary->options.level);
  groups->list = list;
  return TS_OK;
}

static ts_status group_rows(ts_summary *summary, void *user, ts_error *error)
{
  const group_request *request = user;
  const ts_summary_grouping *grouping = request->grouping;
  ts_summary_groups *groups = request->groups;
  double *numbers[2];
  double count = 1.0;
  *groups = (ts_summary_groups){.axis_count = grouping->column_count};
  for (int k = 0; k < grouping->column_count; ++k) {
    numbers[k] = ts_summary_numbers(summary, grouping->columns[k]);
    make_axis(summary, grouping, k, numbers[k], &groups->axes[k]);
    count *= groups->axes[k].count;
  }
  if (count > MOST_GROUPS)
    return ts_fail(error, TS_INVALID, "%.3g groups are more than the %d that can be told", count, MOST_GROUPS);
  groups->count = (int)count;
  if (groups->count == 0) {
    groups->left_out = ts_table_row_count(summary->table);
    return TS_OK;
  }
  return fill_groups(summary, grouping, numbers, groups);
}

ts_status ts_summary_group_rows(ts_summary *summary, const ts_summary_grouping *grouping, ts_summary_groups *groups,
                                ts_error *error)
{
  TS_REFUSE_UNLESS(summary, error);
  TS_REFUSE_UNLESS(grouping, error);
  TS_REFUSE_UNLESS(groups, error);
  TS_REFUSE_UNLESS(grouping->column_count == 1 || grouping->column_count == 2, error);
  for (int k = 0; k < grouping->column_count; ++k) {
    TS_REFUSE_UNLESS(grouping->bins[k] >= 0 && grouping->bins[k] <= MOST_GROUPS, error);
    TS_TRY(ts_summary_check_column(summary, grouping->columns[k], error));
  }
  if (grouping->result >= 0) TS_TRY(ts_summary_check_column(summary, grouping->result, error));
  group_request request = {grouping, groups};
  return ts_summary_work(summary, group_rows, &request, error);
}
