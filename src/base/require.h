// A caller's mistakes at the public interface, checked in every build: they cost a comparison. The convention stands in
// include/touchstone/api.h: where a function returns a status, the mistake is TS_INVALID with a sentence; elsewhere the
// sentence goes to standard error and the program stops, for there is no value that would not be taken for an answer.
#ifndef TS_BASE_REQUIRE_H
#define TS_BASE_REQUIRE_H

#include "base/status.h"

_Noreturn void ts_require_failed(const char *function, const char *condition);

#define TS_REQUIRE(condition) ((condition) ? (void)0 : ts_require_failed(__func__, #condition))

// In a function that returns ts_status. `error` may be NULL.
#define TS_REFUSE_UNLESS(condition, error)                                                                             \
  do {                                                                                                                 \
    if (!(condition)) return ts_fail(error, TS_INVALID, "%s() requires %s", __func__, #condition);                     \
  } while (0)

#endif
