#define _XOPEN_SOURCE 700 // realpath, fsync
#include "record/part_file.h"

#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Whether a regular file may get this name; errno says why not.
static bool may_be_replaced(const char *path)
{
  struct stat about;
  const size_t length = strlen(path);
  if (length == 0 || path[length - 1] == '/') {
    errno = length == 0 ? ENOENT : EISDIR;
    return false;
  }
  if (stat(path, &about) != 0) return errno == ENOENT;
  errno = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
  return S_ISREG(about.st_mode);
}

static bool make_names(const char *path, ts_part_file *file)
{
  file->path = realpath(path, NULL); // a symbolic link stays one
  if (!file->path && errno == ENOENT) file->path = strdup(path);
  if (!file->path) return false;
  const size_t size = strlen(file->path) + 32;
  file->temporary = malloc(size);
  if (file->temporary) snprintf(file->temporary, size, "%s.%ld.part", file->path, (long)getpid());
  return file->temporary;
}

static void release(ts_part_file *file)
{
  free(file->path);
  free(file->temporary);
  *file = (ts_part_file){0};
}

ts_status ts_part_file_create(const char *path, ts_part_file *file, ts_error *error)
{
  *file = (ts_part_file){0};
  int descriptor = -1;
  if (may_be_replaced(path) && make_names(path, file))
    descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor >= 0) {
    close(descriptor);
    return TS_OK;
  }
  ts_fail(error, TS_IO, "the file cannot be written: %s", strerror(errno));
  release(file);
  return TS_IO;
}

// A name must not be durable before the content is.
static bool bring_to_disk(const char *path)
{
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool done = fsync(descriptor) == 0;
  close(descriptor);
  return done;
}

ts_status ts_part_file_commit(ts_part_file *file, ts_error *error)
{
  const bool done = bring_to_disk(file->temporary) && rename(file->temporary, file->path) == 0;
  if (!done) {
    ts_fail(error, TS_IO, "the file could not be completed: %s", strerror(errno));
    unlink(file->temporary);
  }
  release(file);
  return done ? TS_OK : TS_IO;
}

void ts_part_file_discard(ts_part_file *file)
{
  if (file->temporary) unlink(file->temporary);
  release(file);
}
