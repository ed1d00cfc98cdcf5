// Judging JSON (RFC 8259) that the command wrote.
#ifndef TS_SUPPORT_JSON_H
#define TS_SUPPORT_JSON_H

#include <stdbool.h>

bool json_is_valid(const char *text); // exactly one value, white space around it

// The value of a member of the outermost object, as a pointer into the text; NULL where there is none. Valid text only.
const char *json_member(const char *text, const char *key);

int json_count(const char *text); // members or elements of the outermost object or array

#endif
