#define _DEFAULT_SOURCE         // flock
#define _POSIX_C_SOURCE 200809L // openat, pread, pwrite
#include "study/folder_lock.h"

#include "study/process.h"

#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/types.h>
#include <unistd.h>

enum { RECORD_SIZE = 128 }; // who has it: as many bytes always, so that no rest of another one follows

static int open_lock(const char *path, ts_folder_use use)
{
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return -1;
  const int descriptor =
      openat(folder, use == TS_FOLDER_TABLE ? "table.lock" : "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  const int reason = errno;
  close(folder);
  errno = reason;
  return descriptor;
}

// For the sentence that others get. Without room on the disk they get none.
static void sign(int descriptor)
{
  char record[RECORD_SIZE + 1];
  const ts_process self = ts_process_self();
  char text[RECORD_SIZE];
  snprintf(text, sizeof text, "process %ld of host %s", self.pid, self.host);
  snprintf(record, sizeof record, "%-*s\n", RECORD_SIZE - 1, text);
  const ssize_t written = pwrite(descriptor, record, RECORD_SIZE, 0);
  (void)written;
}

static void read_signature(int descriptor, char holder[static RECORD_SIZE + 1])
{
  const ssize_t length = pread(descriptor, holder, RECORD_SIZE, 0);
  size_t end = length > 0 ? (size_t)length : 0;
  while (end > 0 && (holder[end - 1] == ' ' || holder[end - 1] == '\n')) --end;
  holder[end] = '\0';
  if (strncmp(holder, "process ", 8) != 0) strcpy(holder, "another process");
}

// 0, or what errno says.
static int lock_file(int descriptor, ts_folder_use use)
{
  static const int operations[] = {
      [TS_FOLDER_ALONE] = LOCK_EX | LOCK_NB, [TS_FOLDER_SHARED] = LOCK_SH | LOCK_NB, [TS_FOLDER_TABLE] = LOCK_EX};
  int status;
  do status = flock(descriptor, operations[use]);
  while (status != 0 && errno == EINTR);
  return status == 0 ? 0 : errno;
}

ts_status ts_folder_lock_take(const char *folder, ts_folder_use use, ts_folder_lock *lock, ts_error *error)
{
  char holder[RECORD_SIZE + 1];
  *lock = (ts_folder_lock){.descriptor = open_lock(folder, use)};
  const int reason = lock->descriptor < 0 ? errno : lock_file(lock->descriptor, use);
  lock->unlocked = lock->descriptor >= 0 && (reason == ENOSYS || reason == ENOLCK || reason == EOPNOTSUPP);
  if (reason == 0 || lock->unlocked) {
    sign(lock->descriptor);
    return TS_OK;
  }
  if (reason == EWOULDBLOCK) read_signature(lock->descriptor, holder);
  ts_folder_lock_release(lock);
  if (reason == EWOULDBLOCK) return ts_fail(error, TS_IO, "the folder %.300s is in use by %s", folder, holder);
  return ts_fail(error, TS_IO, "the folder %.300s cannot be locked: %s", folder, strerror(reason));
}

void ts_folder_lock_release(ts_folder_lock *lock)
{
  if (lock->descriptor >= 0) close(lock->descriptor);
  *lock = (ts_folder_lock){.descriptor = -1};
}
