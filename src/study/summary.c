#include "study/summary.h"

#include "base/require.h"
#include "base/status.h"
#include "record/vocabulary.h"
#include "statistics/quantile.h"
#include "study/table.h"

#include <math.h>
#include <stdlib.h>

enum { COOKIE = 0x73756d6d };

ts_summary_options ts_summary_options_default(void)
{
  return (ts_summary_options){.level = 0.95, .replicates = -1, .seed = 1, .cookie = COOKIE};
}

static ts_status check_options(const ts_summary_options *options, ts_error *error)
{
  if (options->cookie != COOKIE)
    return ts_fail(error, TS_INVALID, "the options were not made by ts_summary_options_default()");
  if (!(options->level > 0.0 && options->level < 1.0))
    return ts_fail(error, TS_INVALID, "the level of intervals is between 0 and 1, not %g", options->level);
  if (options->replicates < -1) return ts_fail(error, TS_INVALID, "replicates are -1 or more");
  return TS_OK;
}

ts_status ts_summary_create(const ts_table *table, const ts_summary_options *options, ts_summary **summary,
                            ts_error *error)
{
  TS_REFUSE_UNLESS(summary, error);
  *summary = NULL;
  TS_REFUSE_UNLESS(table, error);
  const ts_summary_options chosen = options ? *options : ts_summary_options_default();
  TS_TRY(check_options(&chosen, error));
  *summary = malloc(sizeof **summary);
  if (!*summary) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  **summary = (ts_summary){.table = table, .options = chosen};
  ts_arena_init(&(*summary)->kept, NULL);
  ts_arena_init(&(*summary)->scratch, NULL);
  return TS_OK;
}

void ts_summary_destroy(ts_summary *summary)
{
  if (!summary) return;
  ts_arena_release(&summary->kept);
  ts_arena_release(&summary->scratch);
  free(summary);
}

// ---- what all have in common ---------------------------------------------------------------------------------------

ts_status ts_summary_work(ts_summary *summary, ts_summary_task *task, void *request, ts_error *error)
{
  jmp_buf recovery;
  ts_status status;
  summary->kept.recovery = summary->scratch.recovery = &recovery;
  if (setjmp(recovery))
    status = ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  else
    status = task(summary, request, error);
  ts_arena_reset(&summary->scratch);
  return status;
}

ts_status ts_summary_check_column(const ts_summary *summary, int column, ts_error *error)
{
  if (column >= 0 && column < ts_table_column_count(summary->table)) return TS_OK;
  return ts_fail(error, TS_INVALID, "there is no column %d", column);
}

double *ts_summary_numbers(ts_summary *summary, int column)
{
  const int rows = ts_table_row_count(summary->table);
  const double *values = ts_table_column_values(summary->table, column);
  double *numbers = ts_arena_doubles(&summary->scratch, (size_t)rows);
  for (int i = 0; i < rows; ++i) numbers[i] = isfinite(values[i]) ? values[i] : NAN;
  return numbers;
}

bool ts_summary_are_shares(int count, const double *numbers)
{
  int present = 0;
  for (int i = 0; i < count; ++i) {
    if (isnan(numbers[i])) continue;
    if (numbers[i] != 0.0 && numbers[i] != 1.0) return false;
    ++present;
  }
  return present > 0;
}

ts_summary_number ts_summary_mean(const ts_moments *moments, bool is_share, double level)
{
  if (moments->count == 0) return (ts_summary_number){NAN, NAN, NAN};
  const size_t hits = is_share ? (size_t)llround(moments->mean * (double)moments->count) : 0;
  const ts_confidence_interval interval =
      is_share ? ts_share_interval(hits, moments->count, level) : ts_moments_mean_interval(moments, level);
  return (ts_summary_number){moments->mean, interval.low, interval.high};
}

ts_bootstrap ts_summary_bootstrap(const ts_summary *summary, int rows)
{
  enum { USUAL = 1000, LEAST = 200, ROWS_DRAWN = 10 * 1000 * 1000 };
  const ts_summary_options *options = &summary->options;
  ts_bootstrap bootstrap = {options->replicates, options->level, options->seed, 0};
  if (options->replicates >= 0) return bootstrap;
  const int affordable = rows > 0 ? ROWS_DRAWN / rows : USUAL;
  bootstrap.replicates = affordable > USUAL ? USUAL : affordable < LEAST ? LEAST : affordable;
  bootstrap.most_rows = ROWS_DRAWN / LEAST;
  return bootstrap;
}

// ---- outcomes ------------------------------------------------------------------------------------------------------

static int by_rows(const void *a, const void *b)
{
  const ts_summary_outcome *first = a, *second = b;
  if (first->rows != second->rows) return first->rows > second->rows ? -1 : 1;
  if (first->end != second->end) return first->end < second->end ? -1 : 1;
  return strcmp(first->text, second->text);
}

// Texts are told apart by their numbers in a vocabulary: there may be as many as rows.
static bool count_texts(ts_summary *summary, ts_vocabulary *words, ts_summary_outcome *list, int *count)
{
  const ts_table *table = summary->table;
  const int rows = ts_table_row_count(table);
  int *place = ts_arena_ints(&summary->scratch, (size_t)(rows + 1) * TS_TRIAL_END_COUNT); // in the list, or -1
  memset(place, -1, (size_t)(rows + 1) * TS_TRIAL_END_COUNT * sizeof *place);
  for (int i = 0; i < rows; ++i) {
    const char *text = ts_table_row_text(table, i);
    const ts_trial_end end = ts_table_row_end(table, i);
    const int word = ts_vocabulary_add(words, text, strlen(text));
    if (word < 0) return false;
    int *at = &place[word * TS_TRIAL_END_COUNT + (int)end];
    if (*at < 0) {
      *at = (*count)++;
      list[*at] = (ts_summary_outcome){end, text, 0};
    }
    ++list[*at].rows;
  }
  return true;
}

static ts_status find_outcomes(ts_summary *summary, void *request, ts_error *error)
{
  ts_summary_outcomes *outcomes = request;
  const ts_table *table = summary->table;
  const int rows = ts_table_row_count(table);
  const double *uncertified = ts_table_column_at(table, ts_table_last_column(table, TS_TABLE_UNCERTIFIED)),
               *residual = ts_table_column_at(table, ts_table_last_column(table, TS_TABLE_RESIDUAL));
  *outcomes = (ts_summary_outcomes){.rows = rows, .worst_residual = NAN};
  for (int i = 0; i < rows; ++i) {
    ++outcomes->ends[ts_table_row_end(table, i)];
    outcomes->uncertified += uncertified[i] > 0.0;
    outcomes->worst_residual = fmax(outcomes->worst_residual, residual[i]);
  }
  ts_summary_outcome *list = ts_arena_bytes(&summary->scratch, (size_t)rows, sizeof *list);
  ts_vocabulary words = {0};
  const bool counted = count_texts(summary, &words, list, &outcomes->count);
  ts_vocabulary_release(&words);
  if (!counted) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  const size_t count = (size_t)outcomes->count;
  qsort(list, count, sizeof *list, by_rows);
  outcomes->list = memcpy(ts_arena_bytes(&summary->kept, count, sizeof *list), list, count * sizeof *list);
  return TS_OK;
}

ts_status ts_summary_outcomes_of(ts_summary *summary, ts_summary_outcomes *outcomes, ts_error *error)
{
  TS_REFUSE_UNLESS(summary, error);
  TS_REFUSE_UNLESS(outcomes, error);
  return ts_summary_work(summary, find_outcomes, outcomes, error);
}

// ---- a column ------------------------------------------------------------------------------------------------------

typedef struct column_request {
  int column;
  ts_summary_column *told;
} column_request;

static ts_status tell_column(ts_summary *summary, void *user, ts_error *error)
{
  static const double shares[] = {
#define SHARE(share, text) share,
      TS_SUMMARY_QUANTILE_LIST(SHARE)
#undef SHARE
  };
  (void)error;
  const column_request *request = user;
  ts_summary_column *told = request->told;
  const int rows = ts_table_row_count(summary->table);
  double *numbers = ts_summary_numbers(summary, request->column);
  ts_moments moments = ts_moments_of_none();
  ts_moments_add_column(&moments, (size_t)rows, numbers);
  const bool none = moments.count == 0;
  *told = (ts_summary_column){.count = (int)moments.count,
                              .missing = (int)moments.missing,
                              .is_share = ts_summary_are_shares(rows, numbers),
                              .deviation = ts_moments_deviation(&moments),
                              .low = none ? NAN : moments.low,
                              .high = none ? NAN : moments.high};
  told->mean = ts_summary_mean(&moments, told->is_share, summary->options.level);
  const size_t present = ts_drop_missing((size_t)rows, numbers, numbers);
  for (int k = 0; k < TS_SUMMARY_QUANTILE_COUNT; ++k) told->quantiles[k] = ts_quantile(present, numbers, shares[k]);
  return TS_OK;
}

ts_status ts_summary_column_of(ts_summary *summary, int column, ts_summary_column *told, ts_error *error)
{
  TS_REFUSE_UNLESS(summary, error);
  TS_REFUSE_UNLESS(told, error);
  TS_TRY(ts_summary_check_column(summary, column, error));
  column_request request = {column, told};
  return ts_summary_work(summary, tell_column, &request, error);
}
