#define _POSIX_C_SOURCE 200809L
#include "plot/gnuplot.h"

#include "draw/refusal.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// What the program reads and where it complains are files without names, so that neither side ever waits for the other;
// only the picture goes through a pipe.
typedef struct session {
  FILE *script, *complaints;
  int picture[2]; // ends of the pipe: for us, for gnuplot
} session;

static bool open_session(const char *script, size_t length, session *s)
{
  *s = (session){tmpfile(), tmpfile(), {-1, -1}};
  const bool ready = s->script && s->complaints && fwrite(script, 1, length, s->script) == length &&
                     fflush(s->script) == 0 && pipe(s->picture) == 0;
  if (ready) rewind(s->script);
  return ready;
}

static void close_session(session *s)
{
  if (s->script) fclose(s->script);
  if (s->complaints) fclose(s->complaints);
  for (int i = 0; i < 2; ++i)
    if (s->picture[i] >= 0) close(s->picture[i]);
}

// 0, or why it could not be started.
static int start(const session *s, pid_t *process)
{
  char program[] = "gnuplot", no_settings[] = "-d", standard_input[] = "-"; // the user's own settings are left alone
  char *const arguments[] = {program, no_settings, standard_input, NULL};
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return error;
  posix_spawn_file_actions_adddup2(&actions, fileno(s->script), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, s->picture[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(s->complaints), STDERR_FILENO);
  posix_spawn_file_actions_addclose(&actions, s->picture[0]);
  posix_spawn_file_actions_addclose(&actions, s->picture[1]);
  error = posix_spawnp(process, program, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

// Bytes copied.
static size_t copy_picture(int from, FILE *out)
{
  char block[65536];
  size_t total = 0;
  for (;;) {
    const ssize_t count = read(from, block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return total;
    total += fwrite(block, 1, (size_t)count, out);
  }
}

static bool ended_well(pid_t process)
{
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The first line of its complaints that says something: it quotes the offending line, puts a caret under the place, and
// then says what is wrong; warnings may follow or come before.
static ts_status report_complaint(FILE *complaints, ts_error *error)
{
  char line[256], reason[256] = "it gave no reason";
  bool after_caret = false;
  rewind(complaints);
  while (fgets(line, sizeof line, complaints)) {
    line[strcspn(line, "\n")] = '\0';
    const char *text = line + strspn(line, " \t");
    if (after_caret && *text) {
      memmove(reason, text, strlen(text) + 1);
      break;
    }
    after_caret = after_caret || strcmp(text, "^") == 0;
  }
  return ts_refuse(error, TS_UNSUPPORTED, "gnuplot could not draw the figure: %s", reason);
}

static ts_status cannot_start(int reason, ts_error *error)
{
  return ts_refuse(error, TS_IO, "gnuplot could not be started: %s", strerror(reason));
}

static ts_status run_session(session *s, FILE *out, ts_error *error)
{
  pid_t process;
  const int failure = start(s, &process);
  if (failure == ENOENT)
    return ts_refuse(error, TS_UNSUPPORTED, "figures are drawn by gnuplot, which is not installed");
  if (failure) return cannot_start(failure, error);
  close(s->picture[1]);
  s->picture[1] = -1;
  const size_t size = copy_picture(s->picture[0], out);
  return ended_well(process) && size > 0 ? TS_OK : report_complaint(s->complaints, error);
}

ts_status ts_gnuplot_run(const char *script, size_t length, FILE *out, ts_error *error)
{
  session s;
  const ts_status status = open_session(script, length, &s) ? run_session(&s, out, error) : cannot_start(errno, error);
  close_session(&s);
  return status;
}

ts_status ts_gnuplot_draw_script(ts_script_writer *write, const void *user, FILE *out, ts_error *error)
{
  char *script = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&script, &length);
  if (!stream) return ts_refuse_for_memory(error);
  write(user, stream);
  const bool failed = ferror(stream), closed = fclose(stream) == 0;
  const ts_status status = closed && !failed ? ts_gnuplot_run(script, length, out, error) : ts_refuse_for_memory(error);
  free(script);
  return status;
}

static void write_figure(const void *user, FILE *out)
{
  ts_figure_write_script(user, out);
}

ts_status ts_gnuplot_draw(const ts_figure *figure, FILE *out, ts_error *error)
{
  if (figure->heap.exhausted) return ts_refuse_for_memory(error);
  return ts_gnuplot_draw_script(write_figure, figure, out, error);
}
