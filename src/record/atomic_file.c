#define _DEFAULT_SOURCE     // flock
#define _XOPEN_SOURCE   700 // realpath, fsync
#include "record/atomic_file.h"

#include "base/status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LETTERS = 8, TRIES = 100 };
static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz012345"; // 32: five bits a letter
static const char ending[] = ".part";

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

static bool make_names(const char *path, ts_atomic_file *file)
{
  file->path = realpath(path, NULL); // a symbolic link stays one
  if (!file->path && errno == ENOENT) file->path = strdup(path);
  if (!file->path) return false;
  file->temporary = malloc(strlen(file->path) + 1 + LETTERS + sizeof ending);
  return file->temporary;
}

static void release(ts_atomic_file *file)
{
  free(file->path);
  free(file->temporary);
  *file = (ts_atomic_file){0};
}

// A copy of the path of the folder that a file is in; NULL without memory.
static char *folder_of(const char *path)
{
  char *copy = strdup(path), *folder = copy ? strdup(dirname(copy)) : NULL; // dirname() may write into it
  free(copy);
  return folder;
}

// ---- what was left behind ------------------------------------------------------------------------------------------

// Is it called BASE.xxxxxxxx.part?
static bool is_part_of(const char *name, const char *base)
{
  const size_t length = strlen(base);
  if (strncmp(name, base, length) != 0 || name[length] != '.') return false;
  const char *letters = name + length + 1;
  return strspn(letters, alphabet) == LETTERS && strcmp(letters + LETTERS, ending) == 0;
}

// Only who gets the lock may remove a file: then nobody writes it. Whoever has just made it, and not locked it yet,
// finds out that it is gone.
static void remove_unless_locked(int folder, const char *name)
{
  const int descriptor = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return;
  struct stat about;
  if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    unlinkat(folder, name, 0);
  close(descriptor);
}

static void remove_abandoned(const char *path)
{
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  char *name = folder_of(path);
  DIR *folder = name ? opendir(name) : NULL;
  free(name);
  if (!folder) return;
  const struct dirent *entry;
  while ((entry = readdir(folder)) != NULL)
    if (is_part_of(entry->d_name, base)) remove_unless_locked(dirfd(folder), entry->d_name);
  closedir(folder);
}

// ---- creating ------------------------------------------------------------------------------------------------------

// Forty bits by chance; without a source of them the clock and the process do.
static uint64_t some_bits(void)
{
  uint64_t bits;
  if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) == (ssize_t)sizeof bits) return bits;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return ((uint64_t)now.tv_nsec << 12 ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid() << 24) * UINT64_C(0x9e3779b97f4a7c15);
}

static void choose_name(ts_atomic_file *file)
{
  uint64_t bits = some_bits();
  char letters[LETTERS + 1] = "";
  for (int i = 0; i < LETTERS; ++i, bits >>= 5) letters[i] = alphabet[bits & 31];
  sprintf(file->temporary, "%s.%s%s", file->path, letters, ending);
}

// File systems without locks have none to lose: nothing is removed there.
static bool lock(int descriptor)
{
  struct stat about;
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  return fstat(descriptor, &about) == 0 && about.st_nlink > 0;
}

// A descriptor of a new file under a name of its own, locked; -1 with errno set.
static int create_locked(ts_atomic_file *file)
{
  for (int i = 0; i < TRIES; ++i) {
    choose_name(file);
    const int descriptor = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST) return -1;
    if (descriptor >= 0 && lock(descriptor)) return descriptor;
    if (descriptor >= 0) close(descriptor);
  }
  errno = EEXIST;
  return -1;
}

ts_status ts_atomic_file_create(const char *path, ts_atomic_file *file, ts_error *error)
{
  *file = (ts_atomic_file){0};
  file->descriptor = -1;
  if (may_be_replaced(path) && make_names(path, file)) {
    remove_abandoned(file->path);
    file->descriptor = create_locked(file);
  }
  if (file->descriptor >= 0) return TS_OK;
  ts_fail(error, TS_IO, "the file cannot be written: %s", strerror(errno));
  release(file);
  return TS_IO;
}

ts_status ts_atomic_file_redirect(ts_atomic_file *file, const char *path, ts_error *error)
{
  if (!may_be_replaced(path)) return ts_fail(error, TS_IO, "the file cannot be written: %s", strerror(errno));
  char *name = strdup(path);
  if (!name) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  free(file->path);
  file->path = name;
  return TS_OK;
}

// ---- the end -------------------------------------------------------------------------------------------------------

// So that the name outlives a loss of power. There are file systems where folders cannot be synchronized: they do it
// by themselves, or not at all.
static bool bring_folder_to_disk(const char *path)
{
  char *name = folder_of(path);
  const int descriptor = name ? open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  free(name);
  if (descriptor < 0) return true;
  const bool failed = fsync(descriptor) != 0 && (errno == EIO || errno == ENOSPC);
  const int reason = errno;
  close(descriptor);
  errno = reason;
  return !failed;
}

// A name must not be durable before the content is.
ts_status ts_atomic_file_commit(ts_atomic_file *file, ts_error *error)
{
  const bool named = fsync(file->descriptor) == 0 && rename(file->temporary, file->path) == 0;
  const bool done = named && bring_folder_to_disk(file->path);
  if (!done) ts_fail(error, TS_IO, "the file could not be completed: %s", strerror(errno));
  if (!named) unlink(file->temporary);
  close(file->descriptor);
  release(file);
  return done ? TS_OK : TS_IO;
}

void ts_atomic_file_discard(ts_atomic_file *file)
{
  if (!file->temporary) return;
  unlink(file->temporary);
  close(file->descriptor);
  release(file);
}
