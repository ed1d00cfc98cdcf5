// strtod() and printf() write and expect the decimal point of the thread's locale. Files have a point, whatever the
// program that calls us has chosen.
#ifndef TS_TEXT_C_LOCALE_H
#define TS_TEXT_C_LOCALE_H

#include <locale.h>
#include <stdbool.h>

typedef struct ts_c_locale {
  locale_t own, previous;
} ts_c_locale;

bool ts_c_locale_enter(ts_c_locale *locale); // for this thread; false when memory runs out
void ts_c_locale_leave(ts_c_locale *locale);

#endif
