#define _POSIX_C_SOURCE 200809L // getline
#include "study/manifest.h"

#include "record/atomic_file.h"

#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *copy_line(const char *text, ts_arena *arena)
{
  const size_t size = strlen(text) + 1;
  char *copy = memcpy(ts_arena_bytes(arena, size, 1), text, size);
  for (char *c = copy; *c; ++c)
    if (*c == '\t' || *c == '\n' || *c == '\r') *c = ' ';
  return copy;
}

ts_manifest_line *ts_manifest_add(ts_manifest *manifest, ts_arena *arena, const char *key, const char *value)
{
  ts_manifest_line *line = ts_arena_bytes(arena, 1, sizeof *line);
  *line = (ts_manifest_line){.key = copy_line(key, arena), .value = copy_line(value, arena)};
  if (manifest->last)
    manifest->last->next = line;
  else
    manifest->first = line;
  manifest->last = line;
  return line;
}

ts_manifest_line *ts_manifest_print(ts_manifest *manifest, ts_arena *arena, const char *key, const char *format, ...)
{
  char value[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(value, sizeof value, format, arguments);
  va_end(arguments);
  return ts_manifest_add(manifest, arena, key, value);
}

// FNV-1a of 64 bits, whose result is mixed once more (the end of splitmix64): not proof against those who look for
// equal numbers, but the lines themselves are compared too.
static uint64_t hash_text(uint64_t h, const char *text)
{
  for (;; ++text) {
    h = (h ^ (unsigned char)*text) * 1099511628211u;
    if (!*text) return h;
  }
}

uint64_t ts_manifest_hash(const ts_manifest *manifest, uint64_t seed)
{
  uint64_t h = 14695981039346656037u ^ seed * 0x9e3779b97f4a7c15u;
  for (const ts_manifest_line *line = manifest->first; line; line = line->next)
    if (!line->may_change) h = hash_text(hash_text(h, line->key), line->value);
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

ts_status ts_manifest_write(const ts_manifest *manifest, const char *path, ts_error *error)
{
  ts_atomic_file file;
  TS_TRY(ts_atomic_file_create(path, &file, error));
  FILE *stream = fopen(file.temporary, "w");
  bool written = stream != NULL;
  for (const ts_manifest_line *line = manifest->first; written && line; line = line->next)
    written = fprintf(stream, "%s\t%s\n", line->key, line->value) > 0;
  if (stream && fclose(stream) != 0) written = false;
  const int reason = errno;
  ts_status status = written ? ts_atomic_file_commit(&file, error)
                             : ts_fail(error, TS_IO, "'%.200s' cannot be written: %s", path, strerror(reason));
  ts_atomic_file_discard(&file);
  return status;
}

static ts_status refuse(const char *key, const char *was, const char *is, ts_error *error)
{
  return ts_fail(error, TS_INVALID, "'%.100s' has changed since the study began: it was '%.120s' and is '%.120s'", key,
                 was, is);
}

static const ts_manifest_line *next_fixed(const ts_manifest_line *line, bool lenient)
{
  while (lenient && line && line->may_change) line = line->next;
  return line;
}

static bool is_free(const ts_manifest *manifest, const char *key)
{
  for (const ts_manifest_line *line = manifest->first; line; line = line->next)
    if (line->may_change && strcmp(line->key, key) == 0) return true;
  return strcmp(key, "retry") == 0; // a list that was there and is gone
}

static ts_status compare_line(const ts_manifest_line *line, char *text, ts_error *error)
{
  char *tab = strchr(text, '\t'), *value = tab ? tab + 1 : text;
  if (tab) *tab = '\0';
  value[strcspn(value, "\n")] = '\0';
  if (!line) return refuse(text, value, "not there", error);
  if (strcmp(line->key, text) != 0) return refuse(line->key, "not there, or elsewhere", line->value, error);
  return strcmp(line->value, value) == 0 ? TS_OK : refuse(line->key, value, line->value, error);
}

static ts_status compare_stream(const ts_manifest *manifest, FILE *stream, bool lenient, ts_error *error)
{
  const ts_manifest_line *line = next_fixed(manifest->first, lenient);
  char *text = NULL;
  size_t size = 0;
  ts_status status = TS_OK;
  while (status == TS_OK && getline(&text, &size, stream) >= 0) {
    char key[256];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(text, "\t"), text);
    if (lenient && is_free(manifest, key)) continue;
    status = compare_line(line, text, error);
    if (line) line = next_fixed(line->next, lenient);
  }
  free(text);
  if (status == TS_OK && line) status = refuse(line->key, "not there", line->value, error);
  return status;
}

ts_status ts_manifest_compare(const ts_manifest *manifest, const char *path, bool lenient, ts_error *error)
{
  FILE *stream = fopen(path, "r");
  if (!stream) return ts_fail(error, TS_IO, "'%.200s' cannot be read: %s", path, strerror(errno));
  const ts_status status = compare_stream(manifest, stream, lenient, error);
  fclose(stream);
  return status;
}
