// Values in a struct, found by rows: a number is a double at the row's offset, a whole number an int, true or false a
// bool, a choice an enum or, where its words are entries of a list, a pointer to one of them.
#ifndef TS_SCHEMA_FIELD_H
#define TS_SCHEMA_FIELD_H

#include "schema/schema.h"

#include "base/status.h"

// Refuse what was found in the place of what the key holds: "'size' must be a number, not 'abc'".
ts_status ts_key_refuse(const ts_key *key, int dimensions, const char *found, ts_error *error);
// The same of a word that is no choice, with the one that was probably meant; NULL: the nearest.
ts_status ts_key_refuse_word(const ts_key *key, const char *word, const char *meant, ts_error *error);

// A number is finite and in the key's range; a whole one fits an int as well.
ts_status ts_key_check_number(const ts_key *key, double value, ts_error *error);
ts_status ts_key_check_integer(const ts_key *key, double value, ts_error *error);

// Numbers as text have the decimal point of the locale. Without TS_OK the struct is as it was.
ts_status ts_field_set(const ts_key *row, void *values, const char *text, ts_error *error);
void ts_field_choose(const ts_key *row, void *values, int word);
void ts_field_put_entry(const ts_key *row, void *values, const void *entry); // whatever list it is of
ts_status ts_field_check(const ts_key *row, const void *values, ts_error *error);
void ts_field_text(const ts_key *row, const void *values, char *text, size_t size);

#endif
