// Comma-separated values (RFC 4180, lines end with a newline alone or with a carriage return before it).
#ifndef TS_TEXT_CSV_H
#define TS_TEXT_CSV_H

#include "text/scanner.h"

#include <stdio.h>

// ---- reading -------------------------------------------------------------------------------------------------------

// A file and the place in it; the scanner finds line and column of a place when there is something to say about it.
typedef struct ts_csv {
  ts_scanner scan;
  char *content;
  char *unquoted; // the last field, when it was quoted
  size_t capacity;
} ts_csv;

// A field without its quotes, and where it begins in the file.
typedef struct ts_csv_field {
  const char *begin, *text;
  size_t length;
} ts_csv_field;

// The content of a file. `error` is not NULL. Release with ts_csv_close(), whatever is returned.
ts_status ts_csv_open(const char *path, ts_csv *csv, ts_error *error);
void ts_csv_close(ts_csv *csv);

// TS_INVALID with a sentence about the place `at`.
ts_status ts_csv_refuse(ts_csv *csv, const char *at, const char *what);

// The field that the cursor is at. Its text is valid until the next one.
ts_status ts_csv_read_field(ts_csv *csv, ts_csv_field *field);
bool ts_csv_next_field(ts_csv *csv); // move to the next field of the row; false at its end
void ts_csv_end_row(ts_csv *csv);    // move to the next row

// A field as a number, nan and inf too; false when it is none. The locale must have a point (c_locale.h).
bool ts_csv_field_is_number(const ts_csv_field *field, double *value);

// ---- writing -------------------------------------------------------------------------------------------------------

// A text as a field, in quotes where it needs them, as an empty one does. False: errno says why it was not written.
bool ts_csv_write_text(FILE *stream, const char *text);

#endif
