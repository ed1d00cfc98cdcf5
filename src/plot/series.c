#include "plot/series.h"

#include "plot/pair_series.h"

#include "draw/refusal.h"
#include "draw/name_list.h"

#include "touchstone/wildcard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what series measure -------------------------------------------------------------------------------------------

typedef struct measure {
  const char *quantities; // with blanks around each
  const char *words;
} measure;

static const measure of_states[] = {{" t ", "time"},
                                    {" x y z ", "position"},
                                    {" theta ", "angle"},
                                    {" qw qx qy qz ", "quaternion"},
                                    {" vx vy vz ", "velocity"},
                                    {" w wx wy wz ", "angular velocity"},
                                    {NULL, NULL}};
static const measure of_steps[] = {{" t ", "time"},
                                   {" energy kinetic potential ", "energy"},
                                   {" contact_work damping_work drive_work applied_work stabilization_work "
                                    "stagger_work integration_work correction_work ",
                                    "work"},
                                   {" cone_violation ", "cone violation"},
                                   {" joint_error ", "joint error"},
                                   {" joint_residual ", "joint velocity error"},
                                   {NULL, NULL}};
static const measure of_contacts[] = {{" t ", "time"},
                                      {" px py pz ", "contact point"},
                                      {" nx ny nz tx ty tz ", "direction"},
                                      {" pn pt po ", "impulse"},
                                      {" pr ", "angular impulse"},
                                      {" fn ft fo ", "force"},
                                      {" fr ", "moment"},
                                      {" patch ", "contact: 0 point, 1 line, 2 surface"},
                                      {NULL, NULL}};

static const measure of_joints[] = {{" t ", "time"},
                                    {" position ", "joint position"},
                                    {" rate ", "joint rate"},
                                    {" motor ", "motor force"},
                                    {" fx fy fz ", "joint reaction"},
                                    {" m mx my mz ", "joint moment"},
                                    {NULL, NULL}};
static const measure of_impacts[] = {{" t ", "time"}, {" approach ", "approach"}, {" pn ", "impulse"}, {NULL, NULL}};

// Tables of a run by the beginnings of the names of their series; the states have none.
typedef struct table {
  const char *prefix, *times;
  const measure *measures;
  bool scattered;
} table;

static const table tables[] = {{"steps.", "steps.t", of_steps, false},
                               {"contacts.", "contacts.t", of_contacts, true},
                               {"joints.", "t", of_joints, false},
                               {"impacts.", "impacts.t", of_impacts, true},
                               {"", "t", of_states, false}};

// The quantity itself where the list does not know it.
static const char *words_for(const measure *list, const char *quantity)
{
  const size_t length = strlen(quantity);
  for (; list->words; ++list)
    for (const char *at = list->quantities; (at = strstr(at + 1, quantity));)
      if (at[-1] == ' ' && at[length] == ' ') return list->words;
  return quantity;
}

static void write_label(const char *words, const char *unit, ts_series *series)
{
  const size_t size = sizeof series->label;
  if (*unit)
    snprintf(series->label, size, "%s [%s]", words, unit);
  else
    snprintf(series->label, size, "%s", words);
}

// ---- finding -------------------------------------------------------------------------------------------------------

static bool begins_with(const char *text, const char *start)
{
  return strncmp(text, start, strlen(start)) == 0;
}

// The table that a series is of. Bodies may be called as tables are: their quantities tell them apart.
static const table *table_of(const char *name, const char *quantity)
{
  const table *of = tables;
  const bool of_body = strcmp(quantity, "t") != 0 && words_for(of_states, quantity) != quantity;
  while (*of->prefix && (of_body || !begins_with(name, of->prefix))) ++of;
  return of;
}

bool ts_series_find(const ts_record *record, const char *name, ts_series *series)
{
  *series = (ts_series){.name = name};
  series->values = ts_record_series(record, name, &series->count);
  if (!series->values) return false;
  const char *point = strrchr(name, '.'), *quantity = point ? point + 1 : name;
  const table *of = table_of(name, quantity);
  write_label(words_for(of->measures, quantity), ts_record_series_unit(record, name), series);
  series->scattered = of->scattered;
  int times = 0;
  series->times = ts_record_series(record, of->times, &times);
  return series->times && times == series->count;
}

static const char *series_name(int i, const void *record)
{
  return ts_record_series_name(record, i);
}

ts_status ts_series_refuse(const ts_record *record, const char *name, ts_error *error)
{
  return ts_refuse_unknown(error, "series", name, ts_record_series_count(record), series_name, record);
}

// ---- choosing ------------------------------------------------------------------------------------------------------

typedef struct choice {
  ts_series *list;
  int count;
  size_t room;
  bool *taken; // by number in the record
} choice;

static bool add_matches(const ts_record *record, const char *word, choice *c)
{
  bool any = false;
  for (int i = 0; i < ts_record_series_count(record); ++i) {
    const char *name = ts_record_series_name(record, i);
    if (!ts_wildcard_matches(word, name)) continue;
    any = true;
    if (!c->taken[i] && ts_series_find(record, name, &c->list[c->count])) ++c->count;
    c->taken[i] = true;
  }
  return any;
}

// A list that has no room for more pairs grows.
static ts_status add_pair(const ts_record *record, const char *word, choice *c, ts_error *error)
{
  ts_series *grown = realloc(c->list, (c->room + 1) * sizeof *grown);
  if (!grown) return ts_refuse_for_memory(error);
  c->list = grown;
  ++c->room;
  const ts_status status = ts_pair_series(record, word, &c->list[c->count], error);
  if (status == TS_OK) ++c->count;
  return status;
}

static ts_status add_all(const ts_record *record, const char *list, choice *c, ts_error *error)
{
  int count = 0;
  char **words = ts_list_split(list, &count);
  if (!words) return ts_refuse_for_memory(error);
  ts_status status = TS_OK;
  if (count == 0) status = ts_refuse(error, TS_INVALID, "no series is named in '%s'", list);
  for (int i = 0; status == TS_OK && i < count; ++i)
    if (ts_pair_series_is_meant(words[i]))
      status = add_pair(record, words[i], c, error);
    else if (!add_matches(record, words[i], c))
      status = ts_series_refuse(record, words[i], error);
  free(words);
  return status;
}

void ts_series_release(ts_series *list, int count)
{
  for (int i = 0; list && i < count; ++i) {
    free(list[i].own_name);
    free(list[i].own_values);
  }
  free(list);
}

ts_status ts_series_choose(const ts_record *record, const char *list, ts_series **chosen, int *count, ts_error *error)
{
  const size_t all = (size_t)ts_record_series_count(record) + 1; // never nothing
  choice c = {calloc(all, sizeof *c.list), 0, all, calloc(all, sizeof *c.taken)};
  const ts_status status = c.list && c.taken ? add_all(record, list, &c, error) : ts_refuse_for_memory(error);
  free(c.taken);
  if (status != TS_OK) ts_series_release(c.list, c.count);
  *chosen = status == TS_OK ? c.list : NULL;
  *count = status == TS_OK ? c.count : 0;
  return status;
}
