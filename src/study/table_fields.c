#include "study/table_fields.h"

#include "text/csv.h"
#include "text/number_text.h"

#include <stdlib.h>
#include <string.h>

bool ts_table_put_name(FILE *out, const char *name)
{
  return putc(',', out) != EOF && ts_csv_write_text(out, name);
}

bool ts_table_put_number(FILE *out, double value)
{
  char text[TS_NUMBER_TEXT_SIZE + 1] = ",";
  ts_number_text_quick(value, text + 1);
  return fputs(text, out) != EOF;
}

// Both are one text, so that quotes are around it.
bool ts_table_put_outcome(FILE *out, ts_trial_end end, const char *text)
{
#define END_TEXT(enumerator, text) text,
  static const char *const ends[] = {TS_TRIAL_END_LIST(END_TEXT)};
#undef END_TEXT
  if (!*text) return ts_table_put_name(out, ends[end]);
  const size_t size = strlen(ends[end]) + strlen(text) + 2;
  char *outcome = malloc(size);
  if (!outcome) return false;
  snprintf(outcome, size, "%s %s", ends[end], text);
  const bool written = ts_table_put_name(out, outcome);
  free(outcome);
  return written;
}
