#include "plot/pair_series.h"

#include "draw/refusal.h"

#include "touchstone/wildcard.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "contacts(";

bool ts_pair_series_is_meant(const char *word)
{
  return strncmp(word, prefix, strlen(prefix)) == 0;
}

// What is asked of a pair.
typedef enum quantity { FORCE, IMPULSE, PATCH, MEAN, MAXIMUM, UNKNOWN } quantity;

static quantity quantity_of(const char *name)
{
  static const char *const names[] = {
      [FORCE] = "fn", [IMPULSE] = "pn", [PATCH] = "patch", [MEAN] = "fn_mean", [MAXIMUM] = "fn_max"};
  for (int k = FORCE; k < UNKNOWN; ++k)
    if (strcmp(name, names[k]) == 0) return (quantity)k;
  return UNKNOWN;
}

// A word taken apart.
typedef struct pair_word {
  char *text; // owns all
  const char *names[2];
  quantity quantity;
} pair_word;

static char *trimmed(char *text)
{
  while (isspace((unsigned char)*text)) ++text;
  char *end = text + strlen(text);
  while (end > text && isspace((unsigned char)end[-1])) *--end = '\0';
  return text;
}

static ts_status refuse_form(const char *word, ts_error *error)
{
  return ts_refuse(error, TS_INVALID,
                   "'%s' is no pair: contacts(NAME, NAME).fn, .fn_mean, .fn_max, .pn or .patch is one", word);
}

// contacts(FIRST, SECOND).QUANTITY
static ts_status take_apart(const char *word, pair_word *p, ts_error *error)
{
  *p = (pair_word){.text = malloc(strlen(word) + 1)};
  if (!p->text) return ts_refuse_for_memory(error);
  strcpy(p->text, word);
  char *first = p->text + strlen(prefix), *comma = strchr(first, ','), *closing = strchr(first, ')');
  if (!comma || !closing || comma > closing || strchr(comma + 1, ',') || strncmp(closing, ").", 2) != 0)
    return refuse_form(word, error);
  *comma = *closing = '\0';
  p->names[0] = trimmed(first);
  p->names[1] = trimmed(comma + 1);
  p->quantity = quantity_of(closing + 2);
  return *p->names[0] && *p->names[1] && p->quantity != UNKNOWN ? TS_OK : refuse_form(word, error);
}

static const char *body_name(int i, const void *record)
{
  return ts_record_body_name(record, i);
}

static ts_status check_name(const ts_record *record, const char *name, ts_error *error)
{
  const int bodies = ts_record_body_count(record);
  for (int b = 0; b < bodies; ++b)
    if (ts_wildcard_matches(name, ts_record_body_name(record, b))) return TS_OK;
  return ts_refuse_unknown(error, "body", name, bodies, body_name, record);
}

static bool is_of_pair(const ts_record *record, const pair_word *p, const ts_recorded_contact *contact)
{
  const char *one = ts_record_body_name(record, contact->body_1), *two = ts_record_body_name(record, contact->body_2);
  return (ts_wildcard_matches(p->names[0], one) && ts_wildcard_matches(p->names[1], two)) ||
         (ts_wildcard_matches(p->names[0], two) && ts_wildcard_matches(p->names[1], one));
}

// Sums of forces or impulses; of patches that push, and of maxima of pairs, the largest.
static void count_in(const ts_recorded_contact *contact, quantity what, double *value)
{
  if (what == FORCE) *value += contact->fn;
  if (what == IMPULSE) *value += contact->pn;
  if (what == MEAN) *value += contact->fn_mean;
  if (what == MAXIMUM) *value = fmax(*value, contact->fn_max);
  if (what == PATCH && contact->pn > 0.0 && !(*value >= contact->patch)) *value = contact->patch; // NAN begins
}

// Contacts come in the order of their states.
static void sum_up(const ts_record *record, const pair_word *p, const ts_series *series, double *sums)
{
  int state = 0;
  for (int i = 0; p->quantity == PATCH && i < series->count; ++i) sums[i] = NAN;
  for (int i = 0; i < ts_record_contact_count(record); ++i) {
    const ts_recorded_contact contact = ts_record_contact(record, i);
    while (state < series->count && series->times[state] < contact.t) ++state;
    if (state == series->count) return;
    if (is_of_pair(record, p, &contact)) count_in(&contact, p->quantity, &sums[state]);
  }
}

static const char *label_of(quantity what)
{
  static const char *const labels[] = {[FORCE] = "normal force [N]",
                                       [IMPULSE] = "normal impulse [N s]",
                                       [PATCH] = "contact: 0 point, 1 line, 2 surface",
                                       [MEAN] = "mean normal force [N]",
                                       [MAXIMUM] = "largest normal force [N]"};
  return labels[what];
}

static ts_status make_series(const ts_record *record, const char *word, const pair_word *p, ts_series *series,
                             ts_error *error)
{
  for (int k = 0; k < 2; ++k) {
    const ts_status status = check_name(record, p->names[k], error);
    if (status != TS_OK) return status;
  }
  int count = 0;
  const double *times = ts_record_series(record, "t", &count);
  double *sums = calloc((size_t)count + 1, sizeof *sums);
  char *name = malloc(strlen(word) + 1);
  if (!sums || !name) {
    free(sums);
    free(name);
    return ts_refuse_for_memory(error);
  }
  strcpy(name, word);
  *series =
      (ts_series){.name = name, .values = sums, .times = times, .count = count, .own_name = name, .own_values = sums};
  snprintf(series->label, sizeof series->label, "%s", label_of(p->quantity));
  sum_up(record, p, series, sums);
  if (count > 0) sums[0] = NAN; // no step led to it
  return TS_OK;
}

ts_status ts_pair_series(const ts_record *record, const char *word, ts_series *series, ts_error *error)
{
  pair_word p;
  ts_status status = take_apart(word, &p, error);
  if (status == TS_OK) status = make_series(record, word, &p, series, error);
  free(p.text);
  return status;
}
