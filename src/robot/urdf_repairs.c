#include "robot/urdf_repairs.h"

#include "robot/urdf_robot.h"

#include "document/notes.h"

#include <stdio.h>
#include <string.h>

typedef struct repair_words {
  const char *one, *several, *trouble, *help, *unit;
  bool strict;
} repair_words;

static const repair_words words_of[] = {
#define REPAIR_WORDS(name, one, several, trouble, help, unit, strict) {one, several, trouble, help, unit, strict},
    TS_URDF_REPAIR_LIST(REPAIR_WORDS)
#undef REPAIR_WORDS
};

// Links may share a mesh.
static void keep_name(ts_urdf_repair *repair, const char *name)
{
  for (int i = 0; i < repair->name_count; ++i)
    if (strcmp(repair->names[i], name) == 0) return;
  if (repair->name_count < TS_URDF_REPAIR_NAMES) repair->names[repair->name_count++] = name;
}

ts_status ts_urdf_note_repair(ts_urdf_robot *robot, ts_urdf_repair_kind kind, const char *name, ts_place place,
                              double number)
{
  const repair_words *words = &words_of[kind];
  ts_urdf_repair *repair = &robot->repairs[kind];
  if (robot->options->strict && words->strict)
    return ts_document_fail(robot->in, place, "%s '%.100s': %s, and 'strict' lets nothing be repaired or left out",
                            words->one, name, words->trouble);
  if (repair->count == 0) repair->place = place;
  keep_name(repair, name);
  repair->least = repair->count == 0 ? number : fmin(repair->least, number);
  repair->most = repair->count == 0 ? number : fmax(repair->most, number);
  ++repair->count;
  return TS_OK;
}

// "link 'a'", "2 links ('a', 'b')", "9 links ('a', 'b', 'c', ...)"
static void describe_subject(const ts_urdf_repair *repair, const repair_words *words, char *text, size_t size)
{
  if (repair->count == 1) {
    snprintf(text, size, "%s '%.100s'", words->one, repair->names[0]);
    return;
  }
  int used = snprintf(text, size, "%d %s (", repair->count, words->several);
  for (int i = 0; i < repair->name_count && (size_t)used < size; ++i)
    used += snprintf(text + used, size - (size_t)used, "%s'%.60s'", i > 0 ? ", " : "", repair->names[i]);
  if ((size_t)used < size)
    snprintf(text + used, size - (size_t)used, "%s)", repair->count > repair->name_count ? ", ..." : "");
}

void ts_urdf_tell_repairs(const ts_urdf_robot *robot)
{
  for (int kind = 0; kind < TS_URDF_REPAIR_KINDS; ++kind) {
    const ts_urdf_repair *repair = &robot->repairs[kind];
    const repair_words *words = &words_of[kind];
    char subject[280], number[60] = "";
    if (repair->count == 0) continue;
    describe_subject(repair, words, subject, sizeof subject);
    if (words->unit)
      snprintf(number, sizeof number, " %s%.3g %s", repair->least < repair->most ? "up to " : "", repair->most,
               words->unit);
    ts_document_warn(robot->in, repair->place, "%s: %s, %s%s", subject, words->trouble, words->help, number);
  }
}
