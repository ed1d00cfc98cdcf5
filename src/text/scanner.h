// A cursor over a text that lies in memory. It keeps no line count: line and column are counted when a sentence about
// the text has to be written, which happens once.
#ifndef TS_TEXT_SCANNER_H
#define TS_TEXT_SCANNER_H

#include "touchstone/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ts_scanner {
  const char *begin, *at, *end; // *end is a zero byte that is not part of the text
  bool comments;                // '#' to the end of a line counts as white space
  ts_error *error;              // not NULL
} ts_scanner;

enum { TS_LARGEST_TEXT = 1 << 30 }; // bytes; positions, counts of lines and of digits stay within an int

// Over `bytes` characters from `text`, at most TS_LARGEST_TEXT, which a zero byte follows.
void ts_scan_init(ts_scanner *scanner, const char *text, size_t bytes, ts_error *error);

bool ts_scan_is_space(char c);
void ts_scan_space(ts_scanner *scanner);
bool ts_scan_at_end(ts_scanner *scanner); // nothing but white space is left
void ts_scan_line(ts_scanner *scanner);   // skip the rest of the line

// How many numbers the rest of the text can hold at most: one digit each and something in between. No reader allocates
// more than it is promised here, whatever a file claims.
size_t ts_scan_capacity(const ts_scanner *scanner);
ts_status ts_scan_room(ts_scanner *scanner, const char *name, size_t numbers); // fail when it cannot hold so many

// Each skips white space first. `name` says in a sentence what was expected. On failure the cursor is where the
// trouble is.
ts_status ts_scan_int(ts_scanner *scanner, const char *name, int low, int high, int *value);
ts_status ts_scan_int_before(ts_scanner *scanner, const char *name, int low, int high, const char *suffix, int *value);
ts_status ts_scan_count(ts_scanner *scanner, const char *name, int each, int *count); // of things of `each` numbers
ts_status ts_scan_number(ts_scanner *scanner, const char *name, double *value);       // finite
ts_status ts_scan_numbers(ts_scanner *scanner, const char *name, size_t count, double *values);
ts_status ts_scan_bound(ts_scanner *scanner, const char *name, double *value); // may be infinite
ts_status ts_scan_at_least(ts_scanner *scanner, const char *name, double low, bool strict, double *value);

ts_status ts_scan_word(ts_scanner *scanner, const char *word); // exactly this word

// Whether the next token begins as a number does (a digit, a sign or a point) or is inf or nan.
bool ts_scan_sees_number(ts_scanner *scanner);

// Fail with a sentence about the place `at`, or about the token that comes next.
__attribute__((format(printf, 4, 5))) ts_status ts_scan_fail(ts_scanner *scanner, const char *at, ts_status status,
                                                             const char *format, ...);
ts_status ts_scan_unexpected(ts_scanner *scanner, const char *expected);

#endif
