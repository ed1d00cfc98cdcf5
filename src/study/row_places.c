#define _POSIX_C_SOURCE 200809L // mkstemp, pread, pwrite
#include "study/row_places.h"

#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { ENTRIES = 256 }; // of a block: as many as a chunk of trials has at most

typedef struct entry {
  ts_row_place place;
  bool there;
} entry;

// One block of the file is in memory.
struct ts_row_places {
  int descriptor;
  uint64_t block;
  bool changed;
  entry entries[ENTRIES];
};

static ts_status fails(ts_error *error, const char *what)
{
  return ts_fail(error, TS_IO, "the rows of the study cannot be put in order: a file for it cannot be %s: %s", what,
                 strerror(errno));
}

// ---- blocks --------------------------------------------------------------------------------------------------------

static bool write_block(const ts_row_places *places)
{
  const char *from = (const char *)places->entries;
  off_t at = (off_t)(places->block * sizeof places->entries);
  for (size_t left = sizeof places->entries; left > 0;) {
    const ssize_t count = pwrite(places->descriptor, from, left, at);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = ENOSPC;
    if (count <= 0) return false;
    from += count;
    at += count;
    left -= (size_t)count;
  }
  return true;
}

// What was never written is zeros.
static bool read_block(ts_row_places *places, uint64_t block)
{
  char *to = (char *)places->entries;
  off_t at = (off_t)(block * sizeof places->entries);
  size_t left = sizeof places->entries;
  while (left > 0) {
    const ssize_t count = pread(places->descriptor, to, left, at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    to += count;
    at += count;
    left -= (size_t)count;
  }
  memset(to, 0, left);
  places->block = block;
  return true;
}

static ts_status go_to_block(ts_row_places *places, uint64_t block, ts_error *error)
{
  if (places->block == block) return TS_OK;
  if (places->changed && !write_block(places)) return fails(error, "written");
  places->changed = false;
  return read_block(places, block) ? TS_OK : fails(error, "read");
}

// ---- entries -------------------------------------------------------------------------------------------------------

static bool is_better(const ts_row_place *a, const ts_row_place *b)
{
  return a->generation != b->generation ? a->generation > b->generation : a->sum < b->sum;
}

ts_status ts_row_places_note(ts_row_places *places, uint64_t trial, const ts_row_place *place, ts_error *error)
{
  TS_TRY(go_to_block(places, trial / ENTRIES, error));
  entry *e = &places->entries[trial % ENTRIES];
  if (e->there && !is_better(place, &e->place)) return TS_OK;
  e->place = *place;
  e->there = true;
  places->changed = true;
  return TS_OK;
}

ts_status ts_row_places_find(ts_row_places *places, uint64_t trial, ts_row_place *place, bool *there, ts_error *error)
{
  TS_TRY(go_to_block(places, trial / ENTRIES, error));
  const entry *e = &places->entries[trial % ENTRIES];
  *place = e->place;
  *there = e->there;
  return TS_OK;
}

// ---- beginning and end ---------------------------------------------------------------------------------------------

// A file without a name; -1 with errno set.
static int create_file(const char *folder)
{
  static const char pattern[] = "/places.XXXXXX";
  const size_t size = strlen(folder) + sizeof pattern;
  char *path = malloc(size);
  if (!path) return -1;
  snprintf(path, size, "%s%s", folder, pattern);
  const int descriptor = mkstemp(path), reason = errno;
  if (descriptor >= 0) unlink(path);
  free(path);
  errno = reason;
  return descriptor;
}

ts_status ts_row_places_create(const char *folder, ts_row_places **places, ts_error *error)
{
  *places = NULL;
  ts_row_places *made = calloc(1, sizeof *made);
  if (!made) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  made->descriptor = create_file(folder);
  if (made->descriptor < 0) {
    free(made);
    return fails(error, "made");
  }
  *places = made;
  return TS_OK;
}

void ts_row_places_destroy(ts_row_places *places)
{
  if (!places) return;
  close(places->descriptor);
  free(places);
}
