#define _XOPEN_SOURCE 700
#include "isolated.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

// A measurement is far smaller than PIPE_BUF, so it arrives whole or not at all.
void publish(const publisher *to, const measurement *m)
{
  if (write(to->pipe, m, sizeof *m) != (ssize_t)sizeof *m) _exit(EXIT_FAILURE);
}

static void discard_output(void)
{
  const int null = open("/dev/null", O_WRONLY);
  if (null < 0) return;
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  close(null);
}

// CPU time, since a busy machine should not decide who is in time; the wall clock only ends a child that sleeps.
void isolated_limit_time(double seconds)
{
  const double whole = floor(seconds);
  const struct itimerval timer = {.it_value = {(time_t)whole, (suseconds_t)(1e6 * (seconds - whole)) + 1}};
  setitimer(ITIMER_PROF, &timer, NULL);
  alarm((unsigned)(20.0 * seconds) + 60);
}

static measurement last_published(int pipe)
{
  measurement last = measurement_none(), next;
  while (read(pipe, &next, sizeof next) == (ssize_t)sizeof next) last = next;
  return last;
}

static measurement_end how_it_ended(pid_t child)
{
  int status = 0;
  if (waitpid(child, &status, 0) < 0) return CRASHED;
  if (WIFEXITED(status)) return WEXITSTATUS(status) == EXIT_SUCCESS ? ENDED : CRASHED;
  return WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM ? TIMED_OUT : CRASHED;
}

measurement isolated_measure(void (*job)(const void *context, const publisher *to), const void *context, double limit)
{
  measurement m = measurement_none();
  int ends[2];
  m.end = CRASHED;
  if (pipe(ends)) return m;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    discard_output();
    isolated_limit_time(limit);
    job(context, &(publisher){ends[1]});
    _exit(EXIT_SUCCESS);
  }
  close(ends[1]);
  if (child > 0) {
    m = last_published(ends[0]);
    m.end = how_it_ended(child);
  }
  close(ends[0]);
  return m;
}
