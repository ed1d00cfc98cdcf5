#define _XOPEN_SOURCE 700 // realpath, open_memstream
#include "cli/output_file.h"

#include "cli/allocation.h"
#include "cli/message.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char *copy_text(const char *text)
{
  char *copy = cli_zeros(strlen(text) + 1, 1);
  strcpy(copy, text);
  return copy;
}

static void release(cli_output *output)
{
  free(output->path);
  free(output->text);
  *output = (cli_output){0};
}

static bool folder_is_writable(const char *path)
{
  char *copy = copy_text(path); // dirname() may write into it
  const bool writable = access(dirname(copy), W_OK | X_OK) == 0;
  free(copy);
  return writable;
}

// NULL with errno set when the path cannot take a file.
static FILE *open_stream(cli_output *output, const struct stat *about)
{
  const size_t length = strlen(output->path);
  if (length == 0 || output->path[length - 1] == '/' || (about && S_ISDIR(about->st_mode))) {
    errno = length == 0 ? ENOENT : EISDIR;
    return NULL;
  }
  if (about && !S_ISREG(about->st_mode)) return fopen(output->path, "w");
  return folder_is_writable(output->path) ? open_memstream(&output->text, &output->size) : NULL;
}

bool cli_output_open(const char *path, cli_output *output)
{
  *output = (cli_output){0};
  struct stat about;
  const bool exists = stat(path, &about) == 0;
  char *target = exists ? realpath(path, NULL) : NULL; // a symbolic link stays one
  output->path = target ? target : copy_text(path);
  output->stream = open_stream(output, exists ? &about : NULL);
  if (output->stream) return true;
  cli_message("%s: cannot be written: %s", path, strerror(errno));
  release(output);
  return false;
}

// A file that is not there yet: its name ends in what the clock says, for the number of a process comes back in
// containers. With the permissions that the user's mask allows. -1 with errno set.
static int create_beside(const char *path, char *temporary, size_t size)
{
  enum { TRIES = 100 };
  int descriptor = -1;
  for (int i = 0; i < TRIES && descriptor < 0 && (i == 0 || errno == EEXIST); ++i) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(temporary, size, "%s.%lx%08lx%d.part", path, (long)getpid(), (long)now.tv_nsec, i);
    descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  return descriptor;
}

// Down to the disk: a name must not be durable before the content is. False with errno set.
static bool write_whole(int descriptor, const char *text, size_t size)
{
  FILE *file = fdopen(descriptor, "w");
  if (!file) return false;
  const bool written = fwrite(text, 1, size, file) == size && fflush(file) == 0 && fsync(descriptor) == 0;
  const int reason = errno;
  const bool closed = fclose(file) == 0;
  if (!written) errno = reason;
  return written && closed;
}

// The new file is in the folder of its final place: a rename does not cross file systems.
static bool put_in_place(const cli_output *output)
{
  const size_t size = strlen(output->path) + 64;
  char *temporary = cli_zeros(size, 1);
  const int descriptor = create_beside(output->path, temporary, size);
  const bool done =
      descriptor >= 0 && write_whole(descriptor, output->text, output->size) && rename(temporary, output->path) == 0;
  if (!done && descriptor >= 0) {
    const int reason = errno;
    unlink(temporary);
    errno = reason;
  }
  free(temporary);
  return done;
}

bool cli_output_commit(cli_output *output)
{
  const bool written = !ferror(output->stream);
  bool done = fclose(output->stream) == 0 && written;
  if (done && output->text) done = put_in_place(output);
  if (!done) cli_message("%s: could not be completed: %s", output->path, strerror(errno));
  release(output);
  return done;
}

void cli_output_discard(cli_output *output)
{
  if (output->stream) fclose(output->stream);
  release(output);
}
