#define _POSIX_C_SOURCE 200809L // strcasecmp
#include "record/run_format.h"

#include "text/word_list.h"

#include "base/require.h"
#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// In the order in which files are asked whether they are one.
#define TS_RUN_STORES(X)                                                                                               \
  X(hdf5)                                                                                                              \
  X(csv)

#define DECLARE(name) extern const ts_run_store ts_run_store_##name;
TS_RUN_STORES(DECLARE)
#undef DECLARE

#define ENTRY(name) &ts_run_store_##name,
static const ts_run_store *const stores[] = {TS_RUN_STORES(ENTRY)};
#undef ENTRY
enum { STORE_COUNT = sizeof stores / sizeof stores[0] };

int ts_run_format_count(void)
{
  return STORE_COUNT;
}

const ts_run_format *ts_run_format_at(int i)
{
  TS_REQUIRE(i >= 0 && i < STORE_COUNT);
  return &stores[i]->format;
}

// ---- by the name ---------------------------------------------------------------------------------------------------

// A name that is nothing but the suffix does not count.
static bool ends_with(const char *path, const char *suffix, int (*compare)(const char *, const char *))
{
  const size_t length = strlen(path), tail = strlen(suffix);
  return length > tail && path[length - tail - 1] != '/' && compare(path + length - tail, suffix) == 0;
}

static const ts_run_store *find_by_name(const char *path, int (*compare)(const char *, const char *))
{
  for (int i = 0; i < STORE_COUNT; ++i)
    for (const char *const *suffix = stores[i]->format.suffixes; *suffix; ++suffix)
      if (ends_with(path, *suffix, compare)) return stores[i];
  return NULL;
}

const ts_run_format *ts_run_format_of(const char *path)
{
  TS_REQUIRE(path);
  const ts_run_store *store = find_by_name(path, strcmp);
  return store ? &store->format : NULL;
}

static int count_suffixes(void)
{
  int count = 0;
  for (int i = 0; i < STORE_COUNT; ++i)
    for (const char *const *suffix = stores[i]->format.suffixes; *suffix; ++suffix) ++count;
  return count;
}

const ts_run_store *ts_run_store_for(const char *path, ts_error *error)
{
  const ts_run_store *store = find_by_name(path, strcmp);
  if (store) return store;
  char endings[128] = "";
  int k = 0;
  for (int i = 0; i < STORE_COUNT; ++i)
    for (const char *const *suffix = stores[i]->format.suffixes; *suffix; ++suffix)
      ts_word_list_add(endings, sizeof endings, k++, count_suffixes(), "or", *suffix);
  ts_fail(error, TS_INVALID, "the name of a run must end in %s", endings);
  return NULL;
}

static int count_resumable(void)
{
  int count = 0;
  for (int i = 0; i < STORE_COUNT; ++i) count += stores[i]->format.resumable;
  return count;
}

ts_status ts_run_refuse_resuming(ts_error *error)
{
  char names[128] = "";
  for (int i = 0, k = 0; i < STORE_COUNT; ++i)
    if (stores[i]->format.resumable)
      ts_word_list_add(names, sizeof names, k++, count_resumable(), "and", stores[i]->format.name);
  return ts_fail(error, TS_INVALID, "only %s files can be resumed", names);
}

// ---- by the content ------------------------------------------------------------------------------------------------

// The first bytes of a file, and how many there are.
static ts_status read_begin(const char *path, char begin[static TS_RUN_BEGIN], size_t *count, ts_error *error)
{
  FILE *file = fopen(path, "rb");
  if (!file) return ts_fail(error, TS_IO, "the file cannot be opened: %s", strerror(errno));
  errno = 0;
  *count = fread(begin, 1, TS_RUN_BEGIN, file);
  const bool failed = ferror(file);
  const int reason = errno;
  fclose(file);
  return failed ? ts_fail(error, TS_IO, "the file cannot be read: %s", strerror(reason)) : TS_OK;
}

static const ts_run_store *find_by_content(const char *path, const char *begin, size_t count)
{
  for (int i = 0; i < STORE_COUNT; ++i)
    if (stores[i]->recognizes(path, begin, count)) return stores[i];
  return NULL;
}

const ts_run_store *ts_run_store_of(const char *path, ts_error *error)
{
  char begin[TS_RUN_BEGIN];
  size_t count = 0;
  if (read_begin(path, begin, &count, error) != TS_OK) return NULL;
  const ts_run_store *store = find_by_content(path, begin, count);
  if (store) return store;
  char kinds[256] = "";
  for (int i = 0; i < STORE_COUNT; ++i)
    ts_word_list_add(kinds, sizeof kinds, i, STORE_COUNT, "nor", stores[i]->known_by);
  ts_fail(error, TS_INVALID, "this is no run: neither %s", kinds);
  return NULL;
}

bool ts_record_recognizes(const char *path)
{
  TS_REQUIRE(path);
  char begin[TS_RUN_BEGIN];
  size_t count = 0;
  if (find_by_name(path, strcasecmp)) return true;
  return read_begin(path, begin, &count, NULL) == TS_OK && find_by_content(path, begin, count);
}
