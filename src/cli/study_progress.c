#define _POSIX_C_SOURCE 200809L // sysconf
#include "cli/study_progress.h"

#include "cli/allocation.h"
#include "cli/interrupt.h"
#include "cli/message.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void write_counts(const ts_sweep_progress *progress, char *text, size_t size)
{
  const uint64_t limited = progress->ends[TS_TRIAL_LIMITED];
  char at_limit[48] = "";
  if (limited > 0) snprintf(at_limit, sizeof at_limit, ", at a limit %llu", (unsigned long long)limited);
  snprintf(text, size, "finished %llu, stopped %llu%s, failed %llu%s",
           (unsigned long long)progress->ends[TS_TRIAL_FINISHED], (unsigned long long)progress->ends[TS_TRIAL_STOPPED],
           at_limit, (unsigned long long)progress->ends[TS_TRIAL_FAILED],
           progress->uncertified > 0 ? ", some uncertified" : "");
}

static void show(void *user, const ts_sweep_progress *progress)
{
  cli_study_progress *shown = user;
  char counts[192];
  const long long before = (long long)progress->before, done = before + (long long)progress->now;
  if (!shown->begun) cli_progress_begin(&shown->bar, shown->wanted, before, (long long)progress->trials);
  shown->begun = true;
  shown->bar.last = (long long)progress->trials; // of the study that runs: there may be several
  write_counts(progress, counts, sizeof counts);
  cli_progress_show_trials(&shown->bar, done, counts);
}

static bool is_interrupted(void *user)
{
  (void)user;
  return cli_interrupt_signal() != 0;
}

void cli_study_progress_attach(cli_study_progress *shown, ts_sweep_options *sweep)
{
  sweep->interrupt = is_interrupted;
  sweep->progress = show;
  sweep->user = shown;
}

void cli_study_progress_end(cli_study_progress *shown)
{
  if (shown->begun) cli_progress_end(&shown->bar);
  shown->begun = false;
}

bool cli_jobs_are_good(int jobs)
{
  if (jobs >= 0) return true;
  cli_message("--jobs must be a number of threads, or 0: one a core, not %d", jobs);
  return false;
}

int cli_core_count(void)
{
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return cores > 0 ? (int)cores : 1;
}

char *cli_study_output(const char *study)
{
  const char *slash = strrchr(study, '/'), *name = slash ? slash + 1 : study, *point = strrchr(name, '.');
  const int length = point ? (int)(point - name) : (int)strlen(name);
  char *output = cli_zeros((size_t)length + sizeof ".h5", 1);
  sprintf(output, "%.*s.h5", length, name);
  return output;
}
