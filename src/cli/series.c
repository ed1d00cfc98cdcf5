#include "cli/series.h"

#include "cli/memory.h"
#include "cli/message.h"
#include "cli/suggest.h"
#include "cli/wildcard.h"

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
                                      {NULL, NULL}};

// The quantity itself where the list does not know it.
static const char *words_for(const measure *list, const char *quantity)
{
  const size_t length = strlen(quantity);
  for (; list->words; ++list)
    for (const char *at = list->quantities; (at = strstr(at + 1, quantity));)
      if (at[-1] == ' ' && at[length] == ' ') return list->words;
  return quantity;
}

static void write_label(const char *words, const char *unit, cli_series *series)
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

bool cli_series_find(const ts_record *record, const char *name, cli_series *series)
{
  *series = (cli_series){.name = name};
  series->values = ts_record_series(record, name, &series->count);
  if (!series->values) return false;
  const char *point = strrchr(name, '.'), *quantity = point ? point + 1 : name;
  const bool steps = begins_with(name, "steps."), contacts = begins_with(name, "contacts.");
  write_label(words_for(steps      ? of_steps
                        : contacts ? of_contacts
                                   : of_states,
                        quantity),
              ts_record_series_unit(record, name), series);
  series->scattered = contacts;
  int times = 0;
  series->times = ts_record_series(record, steps ? "steps.t" : contacts ? "contacts.t" : "t", &times);
  return series->times && times == series->count;
}

static const char *series_name(int i, const void *record)
{
  return ts_record_series_name(record, i);
}

void cli_series_refuse(const ts_record *record, const char *name)
{
  cli_message_unknown("series", name, ts_record_series_count(record), series_name, record);
}

typedef struct choice {
  cli_series *list;
  int count;
  bool *taken; // by number in the record
} choice;

static bool add_matches(const ts_record *record, const char *word, choice *c)
{
  bool any = false;
  for (int i = 0; i < ts_record_series_count(record); ++i) {
    const char *name = ts_record_series_name(record, i);
    if (!cli_matches(word, name)) continue;
    any = true;
    if (!c->taken[i] && cli_series_find(record, name, &c->list[c->count])) ++c->count;
    c->taken[i] = true;
  }
  if (!any) cli_series_refuse(record, word);
  return any;
}

cli_series *cli_series_choose(const ts_record *record, const char *list, int *count)
{
  const size_t all = (size_t)ts_record_series_count(record);
  choice c = {cli_zeros(all, sizeof *c.list), 0, cli_zeros(all, sizeof *c.taken)};
  int word_count = 0;
  char **words = cli_split(list, &word_count);
  bool good = word_count > 0;
  if (!good) cli_message("no series is named in '%s'", list);
  for (int i = 0; good && i < word_count; ++i) good = add_matches(record, words[i], &c);
  free(words);
  free(c.taken);
  *count = c.count;
  if (good) return c.list;
  free(c.list);
  return NULL;
}
