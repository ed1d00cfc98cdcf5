// Sentences about what cannot be drawn or plotted, handed back to who asked.
#ifndef TS_DRAW_REFUSAL_H
#define TS_DRAW_REFUSAL_H

#include "touchstone/status.h"

// Write the sentence into `error` (may be NULL), without a place in a file. Returns `status`.
__attribute__((format(printf, 3, 4))) ts_status ts_refuse(ts_error *error, ts_status status, const char *format, ...);

// `word` is no `kind` (such as "body"): a sentence with the nearest name where there is one. Returns TS_INVALID.
ts_status ts_refuse_unknown(ts_error *error, const char *kind, const char *word, int count,
                            const char *(*name)(int i, const void *user), const void *user);

ts_status ts_refuse_for_memory(ts_error *error); // it ran out. Returns TS_OUT_OF_MEMORY

#endif
