// Fields of a file of comma-separated values.
#ifndef TS_RECORD_CSV_FIELD_H
#define TS_RECORD_CSV_FIELD_H

#include "touchstone/status.h"

#include "text/scanner.h"

#include <stdbool.h>
#include <stddef.h>

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

// Read a file. Close it when TS_OK. `error` is not NULL.
ts_status ts_csv_open(const char *path, ts_csv *c, ts_error *error);
void ts_csv_close(ts_csv *c);

ts_status ts_csv_fail(ts_csv *c, const char *at, const char *what); // one sentence about a place

// The field that begins here. Its text is valid until the next one is read.
ts_status ts_csv_read_field(ts_csv *c, ts_csv_field *field);
bool ts_csv_next_field(ts_csv *c); // move to the next field of the row; false at its end
void ts_csv_end_row(ts_csv *c);

#endif
