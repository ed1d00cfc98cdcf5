#include "touchstone/wildcard.h"

#include "base/require.h"

#include <stddef.h>

// When the match fails after a '*', that star takes one character more; only the last star need be tried again.
bool ts_wildcard_matches(const char *pattern, const char *name)
{
  TS_REQUIRE(pattern);
  TS_REQUIRE(name);
  const char *star = NULL, *resume = NULL;
  while (*name) {
    if (*pattern == '*') {
      star = pattern++;
      resume = name;
    } else if (*pattern == '?' || *pattern == *name) {
      ++pattern;
      ++name;
    } else if (star) {
      pattern = star + 1;
      name = ++resume;
    } else {
      return false;
    }
  }
  while (*pattern == '*') ++pattern;
  return *pattern == '\0';
}
