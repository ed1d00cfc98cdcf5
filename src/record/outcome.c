#define _POSIX_C_SOURCE 200809L // strdup
#include "record/outcome.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

const char *const ts_run_list_names[TS_RUN_LIST_COUNT] = {"parameters", "results"};

static void release_numbers(ts_run_numbers *numbers)
{
  for (int i = 0; i < numbers->count; ++i) {
    free((char *)numbers->items[i].name);
    free((char *)numbers->items[i].unit);
  }
  free(numbers->items);
}

void ts_run_ending_release(ts_run_ending *ending)
{
  for (int k = 0; k < TS_RUN_LIST_COUNT; ++k) release_numbers(&ending->lists[k]);
  free(ending->watched);
  free(ending->interval);
  *ending = (ts_run_ending){0};
}

static bool make_room(ts_run_numbers *numbers)
{
  if (numbers->count < numbers->capacity) return true;
  const int capacity = numbers->capacity > 0 ? 2 * numbers->capacity : 8;
  ts_record_number *larger = realloc(numbers->items, (size_t)capacity * sizeof *larger);
  if (!larger) return false;
  numbers->items = larger;
  numbers->capacity = capacity;
  return true;
}

bool ts_run_numbers_add(ts_run_numbers *numbers, const char *name, const char *unit, double value)
{
  char *own_name = strdup(name), *own_unit = strdup(unit);
  if (own_name && own_unit && make_room(numbers)) {
    numbers->items[numbers->count++] = (ts_record_number){own_name, own_unit, value};
    return true;
  }
  free(own_name);
  free(own_unit);
  return false;
}

static bool copy_numbers(const ts_record_number *items, int count, ts_run_numbers *numbers)
{
  for (int i = 0; i < count; ++i)
    if (!ts_run_numbers_add(numbers, items[i].name, items[i].unit ? items[i].unit : "", items[i].value)) return false;
  return true;
}

ts_status ts_run_ending_copy(const ts_run_outcome *outcome, ts_run_ending *ending, ts_error *error)
{
  *ending = (ts_run_ending){.watched_size = outcome->watched_size};
  bool copied = copy_numbers(outcome->parameters, outcome->parameter_count, &ending->lists[TS_RUN_PARAMETERS]) &&
                copy_numbers(outcome->results, outcome->result_count, &ending->lists[TS_RUN_RESULTS]);
  if (copied && outcome->watched_size > 0) {
    ending->watched = malloc(outcome->watched_size * sizeof *ending->watched);
    copied = ending->watched != NULL;
    if (copied) memcpy(ending->watched, outcome->watched, outcome->watched_size * sizeof *ending->watched);
  }
  if (copied) return TS_OK;
  ts_run_ending_release(ending);
  return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
}
