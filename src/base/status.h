// Filling in a caller's ts_error, and passing a failure on.
#ifndef TS_BASE_STATUS_H
#define TS_BASE_STATUS_H

#include "touchstone/status.h"

#define TS_TRY(call)                                                                                                   \
  do {                                                                                                                 \
    const ts_status try_ = (call);                                                                                     \
    if (try_ != TS_OK) return try_;                                                                                    \
  } while (0)

// ts_fail() with a place in a file.
__attribute__((format(printf, 5, 6))) ts_status ts_fail_at(ts_error *error, ts_status status, int line, int column,
                                                           const char *format, ...);

#endif
