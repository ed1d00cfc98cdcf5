#include "schema/field.h"

#include "text/number_text.h"

#include "base/assert.h"

#include "touchstone/suggest.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FOUND_SIZE = 64 };

// ---- sentences -----------------------------------------------------------------------------------------------------

ts_status ts_key_refuse(const ts_key *key, int dimensions, const char *found, ts_error *error)
{
  char wanted[TS_TYPE_SIZE];
  ts_key_type_text(key, dimensions, wanted, sizeof wanted);
  return ts_fail(error, TS_INVALID, "'%s' must be %s, not %s", key->name, wanted, found);
}

static ts_status refuse_text(const ts_key *key, const char *text, ts_error *error)
{
  char found[FOUND_SIZE];
  snprintf(found, sizeof found, "'%.40s'", text);
  return ts_key_refuse(key, 0, found, error);
}

static const char *word_at(int i, const void *key)
{
  return ts_key_choice(key, i);
}

static int word_count(const ts_key *key)
{
  int count = 0;
  while (ts_key_choice(key, count)) ++count;
  return count;
}

ts_status ts_key_refuse_word(const ts_key *key, const char *word, const char *meant, ts_error *error)
{
  if (!meant) meant = ts_suggest(word, word_count(key), word_at, key);
  if (!meant) return refuse_text(key, word, error);
  return ts_fail(error, TS_INVALID, "'%s' cannot be '%.60s'; did you mean '%s'?", key->name, word, meant);
}

// ---- checks --------------------------------------------------------------------------------------------------------

ts_status ts_key_check_number(const ts_key *key, double value, ts_error *error)
{
  if (!isfinite(value)) return ts_fail(error, TS_INVALID, "'%s' must be finite, not %g", key->name, value);
  if (ts_range_holds(key->range, value)) return TS_OK;
  const char *unit = ts_text_or_nothing(key->unit);
  char found[TS_NUMBER_TEXT_SIZE];
  ts_number_text_brief(value, found);
  return ts_fail(error, TS_INVALID, "'%s' must be %s%s%s, not %s", key->name, ts_range_text(key->range),
                 *unit ? " " : "", unit, found);
}

ts_status ts_key_check_integer(const ts_key *key, double value, ts_error *error)
{
  if (fabs(value) > INT_MAX)
    return ts_fail(error, TS_INVALID, "'%s' must be a whole number of at most %d, not %.15g", key->name, INT_MAX,
                   value);
  return ts_key_check_number(key, value, error);
}

// ---- places --------------------------------------------------------------------------------------------------------

static void put(const ts_key *row, void *values, const void *value, size_t size)
{
  memcpy((char *)values + row->offset, value, size);
}

static void take(const ts_key *row, const void *values, void *value, size_t size)
{
  memcpy(value, (const char *)values + row->offset, size);
}

static ts_status set_number(const ts_key *row, void *values, const char *text, ts_error *error)
{
  double value;
  if (!ts_text_is_number(text, &value)) return refuse_text(row, text, error);
  TS_TRY(ts_key_check_number(row, value, error));
  put(row, values, &value, sizeof value);
  return TS_OK;
}

static ts_status set_integer(const ts_key *row, void *values, const char *text, ts_error *error)
{
  double value;
  if (!ts_text_is_number(text, &value) || floor(value) != value) return refuse_text(row, text, error);
  TS_TRY(ts_key_check_integer(row, value, error));
  put(row, values, &(int){(int)value}, sizeof(int));
  return TS_OK;
}

static ts_status set_boolean(const ts_key *row, void *values, const char *text, ts_error *error)
{
  const bool value = strcmp(text, "true") == 0;
  if (!value && strcmp(text, "false") != 0) return refuse_text(row, text, error);
  put(row, values, &value, sizeof value);
  return TS_OK;
}

void ts_field_choose(const ts_key *row, void *values, int word)
{
  if (row->entry_at)
    ts_field_put_entry(row, values, row->entry_at(word));
  else
    put(row, values, &word, sizeof word);
}

void ts_field_put_entry(const ts_key *row, void *values, const void *entry)
{
  put(row, values, &entry, sizeof entry);
}

static const void *entry_of(const ts_key *row, const void *values)
{
  const void *entry;
  take(row, values, &entry, sizeof entry);
  return entry;
}

// Of a choice that is an enum.
static int number_of(const ts_key *row, const void *values)
{
  int word;
  take(row, values, &word, sizeof word); // enums are as large as an int
  return word;
}

static bool is_word(const ts_key *row, int word)
{
  return word >= 0 && word < word_count(row);
}

// The word that stands there; "" where somebody has stored what he should not.
static const char *chosen(const ts_key *row, const void *values)
{
  if (row->entry_at) return entry_of(row, values) ? row->entry_name(entry_of(row, values)) : "";
  const int word = number_of(row, values);
  return is_word(row, word) ? ts_key_choice(row, word) : "";
}

ts_status ts_field_set(const ts_key *row, void *values, const char *text, ts_error *error)
{
  switch (row->type) {
  case TS_VALUE_NUMBER:
    return set_number(row, values, text, error);
  case TS_VALUE_INTEGER:
    return set_integer(row, values, text, error);
  case TS_VALUE_BOOLEAN:
    return set_boolean(row, values, text, error);
  default:
    TS_ASSERT(row->type == TS_VALUE_CHOICE);
  }
  const int word = ts_key_word(row, text);
  if (word < 0) return ts_key_refuse_word(row, text, NULL, error);
  ts_field_choose(row, values, word);
  return TS_OK;
}

static ts_status check_choice(const ts_key *row, const void *values, ts_error *error)
{
  if (row->entry_at) return entry_of(row, values) ? TS_OK : ts_fail(error, TS_INVALID, "'%s' is missing", row->name);
  const int word = number_of(row, values);
  if (is_word(row, word)) return TS_OK;
  return ts_fail(error, TS_INVALID, "'%s' has the unknown value %d", row->name, word);
}

ts_status ts_field_check(const ts_key *row, const void *values, ts_error *error)
{
  double number;
  int whole;
  switch (row->type) {
  case TS_VALUE_NUMBER:
    take(row, values, &number, sizeof number);
    return ts_key_check_number(row, number, error);
  case TS_VALUE_INTEGER:
    take(row, values, &whole, sizeof whole);
    return ts_key_check_integer(row, whole, error);
  case TS_VALUE_CHOICE:
    return check_choice(row, values, error);
  default:
    return TS_OK; // a bool is one of two
  }
}

void ts_field_text(const ts_key *row, const void *values, char *text, size_t size)
{
  double number = 0.0;
  int whole = 0;
  bool is_set = false;
  char digits[TS_NUMBER_TEXT_SIZE];
  switch (row->type) {
  case TS_VALUE_NUMBER:
    take(row, values, &number, sizeof number);
    ts_number_text(number, digits);
    snprintf(text, size, "%s", digits);
    break;
  case TS_VALUE_INTEGER:
    take(row, values, &whole, sizeof whole);
    snprintf(text, size, "%d", whole);
    break;
  case TS_VALUE_BOOLEAN:
    take(row, values, &is_set, sizeof is_set);
    snprintf(text, size, "%s", is_set ? "true" : "false");
    break;
  default:
    snprintf(text, size, "%s", chosen(row, values));
  }
}
