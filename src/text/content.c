#include "text/content.h"

#include "text/scanner.h"

#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ts_status ts_content_too_large(ts_error *error)
{
  return ts_fail(error, TS_INVALID, "the file is larger than %d MiB", TS_LARGEST_TEXT >> 20);
}

// Append the rest of a stream to a growing buffer and a zero byte. NULL with `why` set otherwise.
static char *read_stream(FILE *stream, size_t *bytes, ts_status *why)
{
  size_t capacity = 1 << 16;
  char *content = malloc(capacity);
  for (*bytes = 0; content;) {
    *bytes += fread(content + *bytes, 1, capacity - *bytes, stream);
    if (*bytes < capacity || *bytes > TS_LARGEST_TEXT) break;
    char *larger = realloc(content, capacity *= 2);
    if (!larger) free(content);
    content = larger;
  }
  *why = !content ? TS_OUT_OF_MEMORY : ferror(stream) ? TS_IO : *bytes > TS_LARGEST_TEXT ? TS_INVALID : TS_OK;
  if (*why == TS_OK) {
    content[*bytes] = '\0';
    return content;
  }
  free(content);
  return NULL;
}

ts_status ts_content_read(const char *path, char **content, size_t *bytes, ts_error *error)
{
  *content = NULL;
  FILE *stream = fopen(path, "rb");
  if (!stream) return ts_fail(error, TS_IO, "the file cannot be opened: %s", strerror(errno));
  ts_status status;
  errno = 0;
  *content = read_stream(stream, bytes, &status);
  const int reason = errno;
  fclose(stream);
  switch (status) {
  case TS_OK:
    return TS_OK;
  case TS_OUT_OF_MEMORY:
    return ts_fail(error, status, "memory ran out");
  case TS_IO:
    return ts_fail(error, status, "the file cannot be read: %s", strerror(reason));
  default:
    return ts_content_too_large(error);
  }
}
