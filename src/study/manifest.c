#define _POSIX_C_SOURCE 200809L // getline
#include "study/manifest.h"

#include "record/atomic_file.h"

#include "base/hash.h"
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

// The result is mixed once more (the end of splitmix64). The lines themselves are compared too.
uint64_t ts_manifest_hash(const ts_manifest *manifest, uint64_t seed)
{
  uint64_t h = TS_HASH_BEGIN ^ seed * 0x9e3779b97f4a7c15u;
  for (const ts_manifest_line *line = manifest->first; line; line = line->next)
    if (!line->may_change) h = ts_hash_text(ts_hash_text(h, line->key), line->value);
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

// `was` or `is` NULL: the line is not there.
static ts_status refuse(const char *key, const char *was, const char *is, ts_error *error)
{
  static const char advice[] = "--fresh starts anew, and another output keeps both";
  if (!was)
    return ts_fail(error, TS_INVALID, "'%.100s' has come since the study began, as '%.120s'; %s", key, is, advice);
  if (!is)
    return ts_fail(error, TS_INVALID, "'%.100s' has gone since the study began, which was '%.120s'; %s", key, was,
                   advice);
  return ts_fail(error, TS_INVALID, "'%.100s' has changed since the study began: it was '%.120s' and is '%.120s'; %s",
                 key, was, is, advice);
}

static ts_status refuse_count(const ts_manifest_line *line, const char *was, bool may_grow, ts_error *error)
{
  const bool grows = strtoull(line->value, NULL, 10) > strtoull(was, NULL, 10);
  return ts_fail(error, TS_INVALID, "'%s' has changed since the study began: it was %s and is %s; %s", line->key, was,
                 line->value,
                 !grows     ? "rows are not taken away, --fresh starts anew"
                 : may_grow ? "--extend adds trials"
                            : "this sampling cannot be extended, --fresh starts anew");
}

static const ts_manifest_line *next_fixed(const ts_manifest_line *line, unsigned allowed)
{
  while (line && (line->may_change & allowed)) line = line->next;
  return line;
}

static const ts_manifest_line *next_free(const ts_manifest_line *line, unsigned allowed)
{
  while (line && !(line->may_change & allowed)) line = line->next;
  return line;
}

static const ts_manifest_line *find_line(const ts_manifest *manifest, const char *key)
{
  for (const ts_manifest_line *line = manifest->first; line; line = line->next)
    if (strcmp(line->key, key) == 0) return line;
  return NULL;
}

// Whether a line of the file may be another one, *line, or gone (NULL) as the list `retry` may.
static bool is_free(const ts_manifest *manifest, const char *key, unsigned allowed, const ts_manifest_line **line)
{
  for (*line = next_free(manifest->first, allowed); *line; *line = next_free((*line)->next, allowed))
    if (strcmp((*line)->key, key) == 0) return true;
  return (allowed & TS_MANIFEST_RETRIED) && strcmp(key, "retry") == 0;
}

static bool is_count(const ts_manifest_line *line)
{
  return strcmp(line->key, "samples") == 0;
}

static ts_status compare_free(const ts_manifest_line *line, const char *was, ts_error *error)
{
  if (!line || !is_count(line) || strtoull(line->value, NULL, 10) >= strtoull(was, NULL, 10)) return TS_OK;
  return refuse_count(line, was, true, error);
}

static ts_status compare_fixed(const ts_manifest *manifest, const ts_manifest_line *line, const char *key,
                               const char *was, ts_error *error)
{
  if (!line || (strcmp(line->key, key) != 0 && !find_line(manifest, key))) return refuse(key, was, NULL, error);
  if (strcmp(line->key, key) != 0) return refuse(line->key, NULL, line->value, error);
  if (strcmp(line->value, was) == 0) return TS_OK;
  if (is_count(line)) return refuse_count(line, was, line->may_change == TS_MANIFEST_EXTENDED, error);
  return refuse(line->key, was, line->value, error);
}

// Splits "key<tab>value" in its place.
static const char *value_of(char *text)
{
  char *tab = strchr(text, '\t'), *value = tab ? tab + 1 : text + strlen(text);
  if (tab) *tab = '\0';
  value[strcspn(value, "\n")] = '\0';
  return value;
}

static ts_status compare_stream(const ts_manifest *manifest, FILE *stream, unsigned allowed, ts_error *error)
{
  const ts_manifest_line *line = next_fixed(manifest->first, allowed);
  char *text = NULL;
  size_t size = 0;
  ts_status status = TS_OK;
  while (status == TS_OK && getline(&text, &size, stream) >= 0) {
    const char *was = value_of(text);
    const ts_manifest_line *same;
    if (is_free(manifest, text, allowed, &same)) {
      status = compare_free(same, was, error);
      continue;
    }
    status = compare_fixed(manifest, line, text, was, error);
    if (line) line = next_fixed(line->next, allowed);
  }
  free(text);
  if (status == TS_OK && line) status = refuse(line->key, NULL, line->value, error);
  return status;
}

ts_status ts_manifest_compare(const ts_manifest *manifest, const char *path, unsigned allowed, ts_error *error)
{
  FILE *stream = fopen(path, "r");
  if (!stream) return ts_fail(error, TS_IO, "'%.200s' cannot be read: %s", path, strerror(errno));
  const ts_status status = compare_stream(manifest, stream, allowed, error);
  fclose(stream);
  return status;
}
