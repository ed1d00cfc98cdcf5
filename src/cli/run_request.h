// Options of touchstone run.
#ifndef TS_CLI_RUN_REQUEST_H
#define TS_CLI_RUN_REQUEST_H

#include "cli/arguments.h"
#include "cli/plugins.h"
#include "cli/scene_file.h"

typedef struct cli_run_request {
  const char *scene, *output, *resume, *stop_on;
  double duration, checkpoint_interval;
  int threads;
  cli_texts overrides;
  cli_robot robot;
  cli_texts plugins;
  int trial, attempt; // of a study; -1: it is a scene
  bool json, quiet, yes;
  bool go_on; // after quasi-static steps without balance
} cli_run_request;

// The request of a command line. False: there is none to follow, and `status` is that of the program; what is wrong has
// been said.
bool cli_run_parse(int argc, char **argv, cli_run_request *request, int *status);

#endif
