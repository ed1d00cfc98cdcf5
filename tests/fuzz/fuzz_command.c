// libFuzzer target: any lines as arguments of the command, in a folder that holds a scene and a problem. Whatever they
// say, the command returns one of its statuses. What would take long by right is left out: other lengths of a run, and
// programs that the command starts.
#define main touchstone_main
#include "../../src/cli/main.c"
#undef main

#include "fuzz_files.h"

#include <getopt.h>

enum { MOST = 12 };

static const char scene[] = "touchstone: 1\n"
                            "bodies:\n"
                            "- {name: ball, mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1]}\n"
                            "duration: 0.003\n";

static void prepare(void)
{
  static bool ready;
  if (ready) return;
  ready = true;
  fuzz_write("s.yaml", (const uint8_t *)scene, sizeof scene - 1);
  if (chdir(fuzz_folder()) != 0 || !freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "r", stdin)) abort();
}

static bool is_left_out(const char *argument)
{
  static const char *const words[] = {"/",    "duration",  "size",   "interval", "plot",
                                      "max_", "tolerance", "method", "grid"};
  for (size_t k = 0; k < sizeof words / sizeof words[0]; ++k)
    if (strstr(argument, words[k])) return true;
  return strlen(argument) > 200;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  prepare();
  char *lines = calloc(size + 1, 1), *argv[MOST + 2] = {"touchstone"};
  if (size > 0) memcpy(lines, data, size);
  int argc = 1;
  bool sound = true;
  for (char *line = strtok(lines, "\n"); line && argc <= MOST; line = strtok(NULL, "\n")) {
    sound = sound && !is_left_out(line);
    argv[argc++] = line;
  }
  if (sound) {
    optind = 0; // the command parses its arguments once; glibc begins anew so
    const int status = run(argc, argv);
    if (status != CLI_SUCCESS && status != CLI_REFUSED && status != CLI_NOT_SOLVED) abort();
  }
  free(lines);
  return 0;
}
