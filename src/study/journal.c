#define _POSIX_C_SOURCE 200809L // openat, pwrite, ftruncate, fsync
#include "study/journal.h"

#include "study/journal_format.h"
#include "study/process.h"

#include "base/require.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { WORKER_LENGTH = 48, NAME_SIZE = 192, TRIES = 1000 };

struct ts_journal {
  int descriptor;
  off_t end;          // of the last whole row
  bool broken;        // half a row could not be removed: nothing may follow it
  unsigned char *row; // what is written at once
  size_t capacity;    // bytes of it
  char path[];
};

// ---- creating ------------------------------------------------------------------------------------------------------

static bool is_worker_name(const char *name)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  const size_t length = strlen(name);
  return length > 0 && length <= WORKER_LENGTH && strspn(name, letters) == length;
}

// All of it, or errno tells why not. Signals may interrupt it, and a disk that fills up may take a part.
static bool write_all(int descriptor, const unsigned char *bytes, size_t count, off_t at)
{
  while (count > 0) {
    const ssize_t written = pwrite(descriptor, bytes, count, at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      if (written == 0) errno = ENOSPC;
      return false;
    }
    bytes += written;
    count -= (size_t)written;
    at += written;
  }
  return true;
}

// A file that was not there, and its name. Numbers of processes come back, hosts may be called alike.
static int create_file(int folder, const char *worker, char name[static NAME_SIZE])
{
  const ts_process self = ts_process_self();
  for (int i = 0; i < TRIES; ++i) {
    char number[16] = "";
    if (i > 0) snprintf(number, sizeof number, ".%d", i);
    snprintf(name, NAME_SIZE, "%s.%s.%ld%s" TS_JOURNAL_ENDING, worker, self.host, self.pid, number);
    const int descriptor = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

// The file with its head, its name on the disk where the file system can do that; -1 with errno set.
static int begin_file(const char *path, const char *worker, const ts_journal_identity *identity, char *name)
{
  unsigned char head[TS_JOURNAL_HEAD];
  ts_journal_make_head(identity, head);
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return -1;
  int descriptor = create_file(folder, worker, name);
  int reason = errno;
  if (descriptor >= 0 && !write_all(descriptor, head, sizeof head, 0)) {
    reason = errno;
    unlinkat(folder, name, 0);
    close(descriptor);
    descriptor = -1;
  }
  if (descriptor >= 0) {
    fsync(descriptor);
    fsync(folder);
  }
  close(folder);
  errno = reason;
  return descriptor;
}

ts_status ts_journal_create(const char *folder, const char *worker, const ts_journal_identity *identity,
                            ts_journal **journal, ts_error *error)
{
  *journal = NULL;
  if (!is_worker_name(worker))
    return ts_fail(error, TS_INVALID, "'%.60s' names no worker: it has to have 1 to %d letters, digits, '-' and '_'",
                   worker, WORKER_LENGTH);
  const size_t path_size = strlen(folder) + 1 + NAME_SIZE;
  ts_journal *made = malloc(sizeof *made + path_size);
  if (!made) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  char name[NAME_SIZE];
  const int descriptor = begin_file(folder, worker, identity, name);
  if (descriptor < 0) {
    free(made);
    return ts_fail(error, TS_IO, "no journal can be written in the folder %.300s: %s", folder, strerror(errno));
  }
  *made = (ts_journal){.descriptor = descriptor, .end = TS_JOURNAL_HEAD};
  snprintf(made->path, path_size, "%s/%s", folder, name);
  *journal = made;
  return TS_OK;
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static bool make_room(ts_journal *journal, size_t bytes)
{
  if (bytes <= journal->capacity) return true;
  const size_t capacity = 2 * bytes;
  unsigned char *row = realloc(journal->row, capacity);
  if (!row) return false;
  journal->row = row;
  journal->capacity = capacity;
  return true;
}

static void make_row(const void *payload, size_t size, unsigned char *row)
{
  ts_bytes_put_32(row, (uint32_t)size);
  memcpy(row + TS_JOURNAL_ROW_HEAD, payload, size);
  ts_bytes_put_32(row + 4, ts_journal_row_sum(row, size));
}

ts_status ts_journal_append(ts_journal *journal, const void *payload, size_t size, ts_error *error)
{
  TS_REFUSE_UNLESS(size >= TS_JOURNAL_LEAST, error);
  if (size > TS_JOURNAL_LARGEST)
    return ts_fail(error, TS_INVALID, "a row of %zu bytes is too large for a journal, which takes %d", size,
                   TS_JOURNAL_LARGEST);
  if (journal->broken)
    return ts_fail(error, TS_IO, "the journal %.300s ends with half a row and takes no more", journal->path);
  const size_t bytes = TS_JOURNAL_ROW_HEAD + size;
  if (!make_room(journal, bytes)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  make_row(payload, size, journal->row);
  if (!write_all(journal->descriptor, journal->row, bytes, journal->end)) {
    const int reason = errno;
    journal->broken = ftruncate(journal->descriptor, journal->end) != 0;
    return ts_fail(error, TS_IO, "the journal %.300s cannot take another row: %s", journal->path, strerror(reason));
  }
  journal->end += (off_t)bytes;
  return TS_OK;
}

ts_status ts_journal_sync(ts_journal *journal, ts_error *error)
{
  if (fsync(journal->descriptor) == 0) return TS_OK;
  return ts_fail(error, TS_IO, "the journal %.300s could not be brought to the disk: %s", journal->path,
                 strerror(errno));
}

const char *ts_journal_path(const ts_journal *journal)
{
  return journal->path;
}

ts_status ts_journal_close(ts_journal *journal, ts_error *error)
{
  if (!journal) return TS_OK;
  ts_status status = ts_journal_sync(journal, error);
  if (close(journal->descriptor) != 0 && status == TS_OK)
    status = ts_fail(error, TS_IO, "the journal %.300s could not be closed: %s", journal->path, strerror(errno));
  free(journal->row);
  free(journal);
  return status;
}
