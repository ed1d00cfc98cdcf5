// A whole file in memory.
#ifndef TS_TEXT_CONTENT_H
#define TS_TEXT_CONTENT_H

#include "touchstone/status.h"

#include <stddef.h>

// The content of a file, at most TS_LARGEST_TEXT bytes (scanner.h), and a zero byte behind it. Release with free(). On
// failure *content is NULL and `error` (may be NULL) has a sentence.
ts_status ts_content_read(const char *path, char **content, size_t *bytes, ts_error *error);

// The sentence about a text that is too large.
ts_status ts_content_too_large(ts_error *error);

#endif
