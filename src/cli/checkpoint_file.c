#define _XOPEN_SOURCE 700 // statvfs
#include "cli/checkpoint_file.h"

#include "cli/allocation.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/run_file.h"

#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const double MOST_MEMORY = 1e9;    // bytes that reading the run back may take
static const double SHARE_OF_TIME = 0.05; // that checkpoints may take at most, however large they are

void cli_checkpoint_begin(cli_checkpoint *checkpoint, const char *output, double interval)
{
  *checkpoint = (cli_checkpoint){.interval = interval, .next = cli_seconds() + interval};
  if (!output || !cli_run_is_resumable(output) || !(interval > 0.0)) return;
  const size_t size = strlen(output) + sizeof ".checkpoint";
  const char *ending = strrchr(output, '.');
  checkpoint->path = cli_zeros(size, 1);
  snprintf(checkpoint->path, size, "%.*s.checkpoint%s", (int)(ending - output), output, ending);
}

static bool is_same_file(const char *a, const char *b)
{
  struct stat first, second;
  return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

void cli_checkpoint_mention(cli_checkpoint *checkpoint, const char *scene, const char *output, const char *resumed)
{
  if (!checkpoint->path || access(checkpoint->path, F_OK) != 0) return;
  checkpoint->own = resumed && is_same_file(checkpoint->path, resumed);
  if (!checkpoint->own)
    cli_message("%s: an earlier run was cut off; continue it with 'touchstone run %s --resume %s -o %s', or it will be "
                "replaced after %g s",
                checkpoint->path, scene, checkpoint->path, output, checkpoint->interval);
}

// Twice: the copy, and the run that goes on.
static bool is_room(const char *path, double bytes)
{
  struct statvfs disk;
  char *copy = cli_zeros(strlen(path) + 1, 1);
  strcpy(copy, path);
  const bool known = statvfs(dirname(copy), &disk) == 0;
  free(copy);
  return !known || (double)disk.f_bavail * (double)disk.f_frsize > 2.0 * bytes;
}

bool cli_checkpoint_is_due(const cli_checkpoint *checkpoint)
{
  return checkpoint->path && cli_seconds() >= checkpoint->next;
}

bool cli_checkpoint_write(cli_checkpoint *checkpoint, ts_recorder **recorder, const ts_sim *sim)
{
  const double start = cli_seconds();
  if (!checkpoint->path || !*recorder || start < checkpoint->next) return true;
  checkpoint->next = start + checkpoint->interval;
  const double bytes = (double)ts_recorder_size(*recorder);
  if (bytes > MOST_MEMORY || !is_room(checkpoint->path, bytes)) return true;
  ts_error error = {0};
  const ts_status status = ts_recorder_checkpoint(recorder, checkpoint->path, sim, &error);
  if (status != TS_OK) cli_message_about(checkpoint->path, &error);
  checkpoint->own = true;
  const double now = cli_seconds();
  checkpoint->next = now + fmax(checkpoint->interval, (now - start) / SHARE_OF_TIME);
  return status == TS_OK;
}

void cli_checkpoint_end(cli_checkpoint *checkpoint, bool superseded)
{
  if (checkpoint->path && checkpoint->own && superseded) unlink(checkpoint->path);
  free(checkpoint->path);
  *checkpoint = (cli_checkpoint){0};
}
