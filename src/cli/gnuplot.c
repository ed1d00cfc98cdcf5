#define _POSIX_C_SOURCE 200809L
#include "cli/gnuplot.h"

#include "cli/message.h"

#include <errno.h>
#include <spawn.h>
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
static void report_complaint(FILE *complaints)
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
  cli_message("gnuplot could not draw the figure: %s", reason);
}

static bool run_session(session *s, FILE *out)
{
  pid_t process;
  const int error = start(s, &process);
  if (error) {
    if (error == ENOENT)
      cli_message("figures are drawn by gnuplot, which is not installed");
    else
      cli_message("gnuplot could not be started: %s", strerror(error));
    return false;
  }
  close(s->picture[1]);
  s->picture[1] = -1;
  const size_t size = copy_picture(s->picture[0], out);
  if (ended_well(process) && size > 0) return true;
  report_complaint(s->complaints);
  return false;
}

bool cli_gnuplot_run(const char *script, size_t length, FILE *out)
{
  session s;
  const bool ready = open_session(script, length, &s);
  if (!ready) cli_message("gnuplot could not be started: %s", strerror(errno));
  const bool done = ready && run_session(&s, out);
  close_session(&s);
  return done;
}
