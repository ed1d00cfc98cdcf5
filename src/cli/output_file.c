#define _XOPEN_SOURCE 700 // realpath, open
#include "cli/output_file.h"

#include "cli/memory.h"
#include "cli/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *copy_text(const char *text)
{
  char *copy = cli_zeros(strlen(text) + 1, 1);
  strcpy(copy, text);
  return copy;
}

static void say_why(const char *path, const char *trouble)
{
  cli_message("%s: %s: %s", path, trouble, strerror(errno));
}

static void release(cli_output *output)
{
  free(output->path);
  free(output->temporary);
  *output = (cli_output){0};
}

// A new file with the permissions the user's mask allows, in the folder of its final place: a rename does not cross
// file systems.
static FILE *create_beside(const char *path, char **temporary)
{
  const size_t size = strlen(path) + 32;
  *temporary = cli_zeros(size, 1);
  snprintf(*temporary, size, "%s.%ld.part", path, (long)getpid());
  const int descriptor = open(*temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
  return descriptor < 0 ? NULL : fdopen(descriptor, "w");
}

bool cli_output_open(const char *path, cli_output *output)
{
  *output = (cli_output){0};
  struct stat about;
  const bool exists = stat(path, &about) == 0;
  char *target = exists ? realpath(path, NULL) : NULL; // a symbolic link stays one
  output->path = target ? target : copy_text(path);
  if (exists && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
    output->stream = fopen(output->path, "w");
  else if (exists && S_ISDIR(about.st_mode))
    errno = EISDIR;
  else
    output->stream = create_beside(output->path, &output->temporary);
  if (output->stream) return true;
  say_why(path, "cannot be written");
  release(output);
  return false;
}

bool cli_output_commit(cli_output *output)
{
  const bool written = !ferror(output->stream) && fflush(output->stream) == 0;
  const bool closed = fclose(output->stream) == 0;
  output->stream = NULL;
  bool done = written && closed;
  if (done && output->temporary) done = rename(output->temporary, output->path) == 0;
  if (!done) {
    say_why(output->path, "could not be completed");
    if (output->temporary) unlink(output->temporary);
  }
  release(output);
  return done;
}

void cli_output_discard(cli_output *output)
{
  if (output->stream) fclose(output->stream);
  if (output->temporary) unlink(output->temporary);
  release(output);
}
