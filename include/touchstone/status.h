/// What a call returns when its input or the environment is at fault. A numerical outcome (a limit reached, a ray) is
/// not an error: it stands in the solver's report, see solver.h.
#ifndef TOUCHSTONE_STATUS_H
#define TOUCHSTONE_STATUS_H

#include "touchstone/api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TS_STATUS_LIST(X)                                                                                              \
  X(OK, "success")                                                                                                     \
  X(INVALID, "an argument or a file breaks its contract")                                                              \
  X(UNSUPPORTED, "this combination does not exist")                                                                    \
  X(OUT_OF_MEMORY, "memory ran out")                                                                                   \
  X(IO, "a file could not be read or written")                                                                         \
  X(INTERRUPTED, "the caller asked to stop")

#define TS_STATUS_ENUM(name, text) TS_##name,
typedef enum ts_status { TS_STATUS_LIST(TS_STATUS_ENUM) TS_STATUS_COUNT } ts_status;
#undef TS_STATUS_ENUM

/// One sentence for a person, and where in a file the trouble is. Lives with the caller; every function that takes a
/// `ts_error *` accepts NULL.
typedef struct ts_error {
  ts_status status;
  int line, column; ///< 1-based position in the file being read, 0 where there is none
  char text[512];   ///< one sentence without file name or final newline
  char file[256];   ///< the file it is in where that is not the one asked for (an included one), else empty
} ts_error;

/// Write status and a sentence (as printf does) into `error`, and return the status: for checks of your own.
TS_API ts_status ts_fail(ts_error *error, ts_status status, const char *format, ...) TS_PRINTF(3, 4);

/// The text of a status (static text, never NULL).
TS_API const char *ts_status_text(ts_status status);

#ifdef __cplusplus
}
#endif

#endif
