// Journals are read by blocks into one buffer that takes the largest row. Nothing in a file is believed before its
// checksum is right.
#define _POSIX_C_SOURCE 200809L // pread, strdup
#include "study/journal.h"

#include "study/journal_format.h"

#include "base/assert.h"
#include "base/status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum {
  BLOCK_SIZE = TS_JOURNAL_ROW_HEAD + TS_JOURNAL_LARGEST + 1, // a row, and whether something follows it
  FIRST_READ = 512,                                          // of a single row: most are shorter
  KEPT_OPEN = 64                                             // files
};

typedef struct journal_file {
  char *path;
  uint64_t reached; // by scans: where the next row begins
} journal_file;

// A file that is open stays so until another one needs its place.
typedef struct open_file {
  int file; // -1: none
  int descriptor;
} open_file;

struct ts_journal_set {
  ts_journal_identity identity;
  char *folder; // NULL: of one journal
  journal_file *files;
  int count, capacity;
  open_file open[KEPT_OPEN];
  unsigned char block[BLOCK_SIZE];
};

// ---- which files ---------------------------------------------------------------------------------------------------

static bool is_journal_name(const char *name)
{
  const size_t length = strlen(name), ending = sizeof TS_JOURNAL_ENDING - 1;
  return length > ending && strcmp(name + length - ending, TS_JOURNAL_ENDING) == 0;
}

static int compare_paths(const void *a, const void *b)
{
  return strcmp(((const journal_file *)a)->path, ((const journal_file *)b)->path);
}

// Takes `path`, which may be NULL for want of memory.
static bool add_file(ts_journal_set *set, char *path)
{
  if (path && set->count == set->capacity) {
    const int capacity = 2 * set->capacity + 16;
    journal_file *files = realloc(set->files, (size_t)capacity * sizeof *files);
    if (files) {
      set->files = files;
      set->capacity = capacity;
    }
  }
  if (!path || set->count == set->capacity) {
    free(path);
    return false;
  }
  set->files[set->count++] = (journal_file){path, 0};
  return true;
}

static char *path_in(const char *folder, const char *name)
{
  const size_t size = strlen(folder) + strlen(name) + 2;
  char *path = malloc(size);
  if (path) snprintf(path, size, "%s/%s", folder, name);
  return path;
}

// All journals that are in the folder now, behind those known. TS_OK, or what went wrong.
static ts_status list_folder(ts_journal_set *set, ts_error *error)
{
  DIR *folder = opendir(set->folder);
  if (!folder) return ts_fail(error, TS_IO, "the folder %.300s cannot be read: %s", set->folder, strerror(errno));
  bool added = true;
  const struct dirent *entry;
  while (added && (entry = readdir(folder)) != NULL)
    if (is_journal_name(entry->d_name)) added = add_file(set, path_in(set->folder, entry->d_name));
  closedir(folder);
  return added ? TS_OK : ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
}

// Sort what is new behind the `known` first files, and drop of it what is among them. False without memory.
static bool sort_new_files(ts_journal_set *set, int known)
{
  journal_file *sorted = malloc(((size_t)known + 1) * sizeof *sorted);
  if (!sorted) return false;
  if (known > 0) memcpy(sorted, set->files, (size_t)known * sizeof *sorted);
  qsort(sorted, (size_t)known, sizeof *sorted, compare_paths);
  const int listed = set->count;
  set->count = known;
  for (int i = known; i < listed; ++i) {
    if (bsearch(&set->files[i], sorted, (size_t)known, sizeof *sorted, compare_paths))
      free(set->files[i].path);
    else
      set->files[set->count++] = set->files[i];
  }
  free(sorted);
  if (set->count > known) qsort(set->files + known, (size_t)(set->count - known), sizeof *set->files, compare_paths);
  return true;
}

static void forget_files(ts_journal_set *set, int from)
{
  while (set->count > from) free(set->files[--set->count].path);
}

static ts_status find_files(ts_journal_set *set, ts_error *error)
{
  if (!set->folder) return TS_OK;
  const int known = set->count;
  ts_status status = list_folder(set, error);
  if (status == TS_OK && !sort_new_files(set, known)) status = ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  if (status != TS_OK) forget_files(set, known);
  return status;
}

// ---- a set ---------------------------------------------------------------------------------------------------------

ts_status ts_journal_set_open(const char *path, const ts_journal_identity *identity, ts_journal_set **set,
                              ts_error *error)
{
  struct stat about;
  *set = NULL;
  if (stat(path, &about) != 0) return ts_fail(error, TS_IO, "%.300s cannot be read: %s", path, strerror(errno));
  ts_journal_set *made = malloc(sizeof *made);
  if (!made) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  made->identity = *identity;
  made->folder = NULL;
  made->files = NULL;
  made->count = made->capacity = 0;
  for (int i = 0; i < KEPT_OPEN; ++i) made->open[i] = (open_file){-1, -1};
  const bool named = S_ISDIR(about.st_mode) ? (made->folder = strdup(path)) != NULL : add_file(made, strdup(path));
  if (!named) {
    ts_journal_set_close(made);
    return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  }
  *set = made;
  return TS_OK;
}

void ts_journal_set_close(ts_journal_set *set)
{
  if (!set) return;
  for (int i = 0; i < KEPT_OPEN; ++i)
    if (set->open[i].file >= 0) close(set->open[i].descriptor);
  forget_files(set, 0);
  free(set->files);
  free(set->folder);
  free(set);
}

int ts_journal_set_count(const ts_journal_set *set)
{
  return set->count;
}

const char *ts_journal_set_path(const ts_journal_set *set, int file)
{
  TS_ASSERT(file >= 0 && file < set->count);
  return set->files[file].path;
}

// ---- bytes of a file -----------------------------------------------------------------------------------------------

// What of a file is in the block: bytes [begin, end) of it, which are at `offset` of the file.
typedef struct window {
  int descriptor;
  unsigned char *block;
  size_t begin, end;
  uint64_t offset;
  size_t ahead; // bytes to read at least
} window;

static size_t held(const window *w)
{
  return w->end - w->begin;
}

// Have `wanted` bytes in the block, or as many as there are; false with errno when the file cannot be read.
static bool fill(window *w, size_t wanted)
{
  if (held(w) >= wanted) return true;
  memmove(w->block, w->block + w->begin, held(w));
  w->end = held(w);
  w->begin = 0;
  while (w->end < wanted) {
    size_t bytes = wanted - w->end;
    if (bytes < w->ahead) bytes = w->ahead;
    if (bytes > BLOCK_SIZE - w->end) bytes = BLOCK_SIZE - w->end;
    const ssize_t count = pread(w->descriptor, w->block + w->end, bytes, (off_t)(w->offset + w->end));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count == 0;
    w->end += (size_t)count;
  }
  return true;
}

static void pass(window *w, size_t bytes)
{
  w->begin += bytes;
  w->offset += bytes;
}

// ---- rows ----------------------------------------------------------------------------------------------------------

typedef enum finding { ROW, END, TORN, DAMAGED, UNREADABLE } finding;

// What the window begins with. Whoever is killed leaves the beginning of a row: a size that rows cannot have, or
// anything behind a row that is spoiled, is damage. Zeros are room that did not get its content: power was lost, or the
// content is on its way from another machine.
static finding find_row(window *w, uint32_t *size)
{
  if (!fill(w, TS_JOURNAL_ROW_HEAD)) return UNREADABLE;
  if (held(w) < TS_JOURNAL_ROW_HEAD) return held(w) == 0 ? END : TORN;
  *size = ts_bytes_get_32(w->block + w->begin);
  const uint32_t sum = ts_bytes_get_32(w->block + w->begin + 4);
  if (*size == 0 && sum == 0) return TORN;
  if (*size < TS_JOURNAL_LEAST || *size > TS_JOURNAL_LARGEST) return DAMAGED;
  const size_t bytes = TS_JOURNAL_ROW_HEAD + (size_t)*size;
  if (!fill(w, bytes)) return UNREADABLE;
  if (held(w) < bytes) return TORN;
  if (ts_journal_row_sum(w->block + w->begin, *size) == sum) return ROW;
  if (!fill(w, bytes + 1)) return UNREADABLE;
  return held(w) > bytes ? DAMAGED : TORN;
}

static ts_journal_row row_at(const window *w, int file, uint32_t size)
{
  const unsigned char *payload = w->block + w->begin + TS_JOURNAL_ROW_HEAD;
  return (ts_journal_row){{file, w->offset}, ts_bytes_get_64(payload), payload, size};
}

static ts_status unreadable(const char *path, ts_error *error)
{
  return ts_fail(error, TS_IO, "the journal %.300s cannot be read: %s", path, strerror(errno));
}

// ---- files ---------------------------------------------------------------------------------------------------------

// A descriptor of a regular file: nobody waits for the other end of a pipe. -1 with errno set.
static int open_regular(const char *path)
{
  struct stat about;
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return -1;
  if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)) return descriptor;
  close(descriptor);
  errno = EINVAL;
  return -1;
}

// A descriptor of a file of the set; -1 with errno set.
static int open_journal(ts_journal_set *set, int file)
{
  open_file *place = &set->open[file % KEPT_OPEN];
  if (place->file != file) {
    const int opened = open_regular(set->files[file].path);
    if (opened < 0) return -1;
    if (place->file >= 0) close(place->descriptor);
    *place = (open_file){file, opened};
  }
  return place->descriptor;
}

// Room that did not get its content, as of a row.
static bool is_room(const unsigned char *head)
{
  for (int i = 0; i < TS_JOURNAL_HEAD; ++i)
    if (head[i] != 0) return false;
  return true;
}

// Whether the head is that of a journal of the study. TORN: it is not complete yet, so there are no rows.
static ts_status check_head(const ts_journal_set *set, window *w, const char *path, finding *found, ts_error *error)
{
  if (!fill(w, TS_JOURNAL_HEAD)) return unreadable(path, error);
  const unsigned char *head = w->block + w->begin;
  *found = held(w) < TS_JOURNAL_HEAD || is_room(head) ? TORN : ROW;
  if (*found == TORN) return TS_OK;
  if (memcmp(head, TS_JOURNAL_MAGIC, TS_JOURNAL_MAGIC_SIZE) != 0)
    return ts_fail(error, TS_INVALID, "the file %.300s is no journal", path);
  const uint32_t version = ts_bytes_get_32(head + TS_JOURNAL_VERSION_AT);
  if (version != TS_JOURNAL_VERSION)
    return ts_fail(error, TS_UNSUPPORTED, "the journal %.300s has version %lu of the format, this is version %d", path,
                   (unsigned long)version, TS_JOURNAL_VERSION);
  if (ts_journal_head_sum(head) != ts_bytes_get_32(head + TS_JOURNAL_SUM_AT))
    *found = DAMAGED;
  else if (memcmp(head + TS_JOURNAL_IDENTITY_AT, set->identity.bytes, TS_JOURNAL_IDENTITY) != 0)
    return ts_fail(error, TS_INVALID, "the journal %.300s belongs to another study", path);
  return TS_OK;
}

// ---- scans ---------------------------------------------------------------------------------------------------------

// Rows from where the window is up to the first that is not whole.
static ts_status tell_rows(ts_journal_set *set, int file, window *w, const ts_journal_listener *listener,
                           ts_journal_counts *counts, finding *found, ts_error *error)
{
  uint32_t size;
  while ((*found = find_row(w, &size)) == ROW) {
    const ts_journal_row row = row_at(w, file, size);
    TS_TRY(listener->row(listener->user, &row, error));
    ++counts->rows;
    pass(w, TS_JOURNAL_ROW_HEAD + (size_t)size);
    set->files[file].reached = w->offset;
  }
  return *found == UNREADABLE ? unreadable(set->files[file].path, error) : TS_OK;
}

static ts_status scan_file(ts_journal_set *set, int file, const ts_journal_listener *listener,
                           ts_journal_counts *counts, ts_error *error)
{
  const journal_file *about = &set->files[file];
  window w = {
      .descriptor = open_journal(set, file), .block = set->block, .offset = about->reached, .ahead = BLOCK_SIZE};
  finding found = ROW;
  const bool had_rows = about->reached > TS_JOURNAL_HEAD;
  if (w.descriptor < 0 && errno == ENOENT && !had_rows) return TS_OK; // whoever leaves without rows removes it
  if (w.descriptor < 0) return unreadable(about->path, error);
  if (about->reached == 0) {
    TS_TRY(check_head(set, &w, about->path, &found, error));
    if (found == ROW) pass(&w, TS_JOURNAL_HEAD);
  }
  if (found == ROW) TS_TRY(tell_rows(set, file, &w, listener, counts, &found, error));
  counts->torn += found == TORN;
  counts->damaged += found == DAMAGED;
  if (found == DAMAGED && listener->damage) listener->damage(listener->user, about->path, w.offset);
  return TS_OK;
}

ts_status ts_journal_set_scan(ts_journal_set *set, const ts_journal_listener *listener, ts_journal_counts *counts,
                              ts_error *error)
{
  ts_journal_counts here = {0};
  ts_status status = find_files(set, error);
  for (int i = 0; i < set->count && status == TS_OK; ++i) status = scan_file(set, i, listener, &here, error);
  if (counts) *counts = here;
  return status;
}

ts_status ts_journal_set_read(ts_journal_set *set, ts_journal_place place, ts_journal_row *row, ts_error *error)
{
  TS_ASSERT(place.file >= 0 && place.file < set->count);
  uint32_t size;
  const char *path = set->files[place.file].path;
  window w = {
      .descriptor = open_journal(set, place.file), .block = set->block, .offset = place.offset, .ahead = FIRST_READ};
  if (w.descriptor < 0) return unreadable(path, error);
  const finding found = find_row(&w, &size);
  if (found == UNREADABLE) return unreadable(path, error);
  if (found != ROW)
    return ts_fail(error, TS_INVALID, "the journal %.300s has no whole row at byte %llu", path,
                   (unsigned long long)place.offset);
  *row = row_at(&w, place.file, size);
  return TS_OK;
}
