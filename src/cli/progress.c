#define _POSIX_C_SOURCE 200809L // isatty, clock_gettime
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double REDRAW_INTERVAL = 0.1; // [s]
static const double MEMORY = 3.0;          // the rate is that of so long [s]

double cli_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_progress_begin(cli_progress *progress, bool wanted, long long first, long long last)
{
  const double now = cli_seconds();
  *progress = (cli_progress){.shown = wanted && isatty(STDERR_FILENO),
                             .redraw = now + REDRAW_INTERVAL,
                             .last = last,
                             .marks = {{now, first}},
                             .mark_count = 1};
}

static void duration_text(double seconds, char *text, size_t size)
{
  const long long whole = (long long)(seconds + 0.5);
  if (seconds < 60.0)
    snprintf(text, size, "%lld s", whole);
  else if (seconds < 3600.0)
    snprintf(text, size, "%lld min %02lld s", whole / 60, whole % 60);
  else
    snprintf(text, size, "%lld h %02lld min", whole / 3600, whole / 60 % 60);
}

// The oldest mark that is kept is the youngest that is as old as the memory, so that between two redraws there is
// always a rate, however slow the steps.
void cli_progress_count(cli_progress *progress, long long done, double now)
{
  int old = 0;
  while (old + 1 < progress->mark_count && now - progress->marks[old + 1].now >= MEMORY) ++old;
  if (old == 0 && progress->mark_count == CLI_PROGRESS_MARKS) old = 1;
  progress->mark_count -= old;
  memmove(progress->marks, progress->marks + old, (size_t)progress->mark_count * sizeof *progress->marks);
  progress->marks[progress->mark_count++] = (cli_progress_mark){now, done};
}

static double rate_of(const cli_progress *progress)
{
  const cli_progress_mark oldest = progress->marks[0], youngest = progress->marks[progress->mark_count - 1];
  const double seconds = youngest.now - oldest.now;
  return seconds > 0.0 ? (double)(youngest.step - oldest.step) / seconds : 0.0;
}

static void time_left(const cli_progress *progress, long long done, char *text, size_t size)
{
  const double rate = rate_of(progress);
  snprintf(text, size, "?");
  if (rate > 0.0 && (double)(progress->last - done) / rate < 1e9)
    duration_text((double)(progress->last - done) / rate, text, size);
}

// "[####    ]  50 %"
static int bar_text(const cli_progress *progress, long long done, char *text, size_t size)
{
  enum { WIDTH = 24 };
  static const char bar[] = "########################";
  const double fraction = progress->last > 0 ? (double)done / (double)progress->last : 1.0;
  return snprintf(text, size, "[%-*.*s] %3.0f %%", WIDTH, (int)(fraction * WIDTH), bar, 100.0 * fraction);
}

char *cli_progress_text(const cli_progress *progress, long long done, double t, char *text, unsigned long size)
{
  char left[32];
  time_left(progress, done, left, sizeof left);
  const int used = bar_text(progress, done, text, size);
  if (used > 0 && (unsigned long)used < size)
    snprintf(text + used, size - (unsigned long)used, "  t = %.4g s  %.3g steps/s  %s left", t, rate_of(progress), left);
  return text;
}

char *cli_progress_trials_text(const cli_progress *progress, long long done, const char *remark, char *text,
                               unsigned long size)
{
  char left[32];
  time_left(progress, done, left, sizeof left);
  const int used = bar_text(progress, done, text, size);
  if (used > 0 && (unsigned long)used < size)
    snprintf(text + used, size - (unsigned long)used, "  %lld of %lld  %.3g trials/s  %s left  %s", done,
             progress->last, rate_of(progress), left, remark);
  return text;
}

// Whether it is time to draw again.
static bool is_due(cli_progress *progress, long long done)
{
  if (!progress->shown) return false;
  const double now = cli_seconds();
  if (now < progress->redraw) return false;
  progress->redraw = now + REDRAW_INTERVAL;
  cli_progress_count(progress, done, now);
  return true;
}

void cli_progress_show(cli_progress *progress, long long done, double t)
{
  char text[160];
  if (is_due(progress, done))
    fprintf(stderr, "\r\033[K%s", cli_progress_text(progress, done, t, text, sizeof text));
}

void cli_progress_show_trials(cli_progress *progress, long long done, const char *remark)
{
  char text[256];
  if (is_due(progress, done))
    fprintf(stderr, "\r\033[K%s", cli_progress_trials_text(progress, done, remark, text, sizeof text));
}

void cli_progress_end(cli_progress *progress)
{
  if (progress->shown) fputs("\r\033[K", stderr);
  progress->shown = false;
}
