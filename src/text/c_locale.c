#define _POSIX_C_SOURCE 200809L
#include "text/c_locale.h"

bool ts_c_locale_enter(ts_c_locale *locale)
{
  locale->own = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  if (locale->own == (locale_t)0) return false;
  locale->previous = uselocale(locale->own);
  return true;
}

void ts_c_locale_leave(ts_c_locale *locale)
{
  uselocale(locale->previous);
  freelocale(locale->own);
}
