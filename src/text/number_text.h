// Numbers as text.
#ifndef TS_TEXT_NUMBER_TEXT_H
#define TS_TEXT_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum { TS_NUMBER_TEXT_SIZE = 32 };

// The shortest of 15 to 17 digits that reads back as the same number ("nan", "inf" and "-inf" too), in the decimal
// point of the locale. Returns its length.
size_t ts_number_text(double value, char text[static TS_NUMBER_TEXT_SIZE]);

// The same in a third of the time, for large tables: with 17 digits where 15 or 16 would do, unless six decimals do.
size_t ts_number_text_quick(double value, char text[static TS_NUMBER_TEXT_SIZE]);

// For sentences: six digits where they are the number, else as ts_number_text(), so that no two numbers look alike.
size_t ts_number_text_brief(double value, char text[static TS_NUMBER_TEXT_SIZE]);

// A text as a number in the grammar of JSON, with a leading + and leading or trailing points allowed; anything else,
// infinities and what overflows included: false. The locale must have a point, too (c_locale.h).
bool ts_text_is_number(const char *text, double *value);

#endif
