#include "cli/run_request.h"

#include "cli/message.h"
#include "cli/run_file.h"

#include "touchstone/record.h"

#include <math.h>

#define FIELD(field) offsetof(cli_run_request, field)

static const cli_option options[] = {
    {"output", 'o', "FILE", &cli_value_run_file, FIELD(output), "", "record the run: %s"},
    {"duration", 'd', "T", &cli_value_double, FIELD(duration), "s", "end of the run; 0: as the scene says"},
    {"set", 's', "KEY=VALUE", &cli_value_texts, FIELD(overrides), "",
     "replace a value of the scene, such as step.size=1e-4 or ball.mass=2, or a parameter; may come more than once"},
    {"threads", 't', "N", &cli_value_int, FIELD(threads), "",
     "threads that share the steps of large scenes, whose results do not depend on it; 0: as the scene says"},
    {"resume", 'r', "FILE", &cli_value_text, FIELD(resume), "",
     "continue the run in FILE (HDF5) to the end; without -o FILE itself grows"},
    {"checkpoint_every", 'c', "T", &cli_value_double, FIELD(checkpoint_interval), "s",
     "after every T of wall time, write what --resume needs to NAME.checkpoint.h5 beside NAME.h5; 0: never"},
    {"stop_on", 0, "WHAT", &cli_value_text, FIELD(stop_on), "",
     "end the run on 'jam' or 'uncertified' steps, or where an expression holds, as 'ball.z < 0.1'; 'jam:10': ten in a "
     "row, 'jam:0.5s': for so long; with commas, the first"},
    {"go_on", 0, NULL, &cli_value_flag, FIELD(go_on), "",
     "go on after a quasi-static step in which forces do not balance; without it the run ends there"},
    {"trial", 0, "I", &cli_value_int, FIELD(trial), "",
     "SCENE is a study: repeat its trial I exactly, as sweeps have it; -1: it is a scene"},
    {"attempt", 0, "K", &cli_value_int, FIELD(attempt), "", "of that trial: 0 the first, 1 that after the first retry"},
    {"json", 'j', NULL, &cli_value_flag, FIELD(json), "", "one JSON object instead of the summary"},
    {"yes", 'y', NULL, &cli_value_flag, FIELD(yes), "", "take more than 1e9 steps"},
    {"quiet", 'q', NULL, &cli_value_flag, FIELD(quiet), "", "no progress bar and no summary"},
    CLI_PLUGIN_OPTION(cli_run_request, plugins),
    CLI_ROBOT_OPTIONS(cli_run_request, robot)};

static const cli_syntax syntax = {
    .verb = "run",
    .operands = "SCENE",
    .summary = "Simulate a scene, and say how well every step was solved.",
    .details =
        "SCENE is a YAML file, or a robot in URDF. States are recorded as often as the scene's output interval "
        "says, statistics of\n"
        "every step always. Ctrl-C ends the run after the step it is in; what has been recorded is kept.\n"
        "A run in HDF5 that was interrupted or stopped is continued by the same command with --resume NAME.h5,\n"
        "one that was killed from its checkpoint: --resume NAME.checkpoint.h5 -o NAME.h5. It then ends as one that\n"
        "was never interrupted, with the same file and the same results.\n"
        "Exit status: 0 every step was certified, 1 some were not or a step or a result failed, 2 bad usage or bad "
        "input,\n"
        "3 stopped by --stop-on, 128 plus the number of the signal that ended it (Ctrl-C: 130).\n",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_count = 1,
    .request_size = sizeof(cli_run_request)};

static const double ONCE_A_MINUTE = 60.0;

static bool check_request(const cli_run_request *request)
{
  if (!(request->duration >= 0.0 && isfinite(request->duration))) {
    cli_message("--duration must be a time that is not negative");
    return false;
  }
  if (!(request->checkpoint_interval >= 0.0 && isfinite(request->checkpoint_interval))) {
    cli_message("--checkpoint-every must be a time that is not negative");
    return false;
  }
  const char *output = request->output ? request->output : request->resume;
  const bool asked = request->checkpoint_interval > 0.0 && request->checkpoint_interval != ONCE_A_MINUTE;
  if (asked && (!output || (ts_run_format_of(output) && !cli_run_is_resumable(output)))) {
    cli_message("--checkpoint-every needs an HDF5 file to write: -o FILE.h5");
    return false;
  }
  return true;
}

bool cli_run_parse(int argc, char **argv, cli_run_request *request, int *status)
{
  *request = (cli_run_request){.robot = cli_robot_default, .checkpoint_interval = ONCE_A_MINUTE, .trial = -1};
  const cli_parsed parsed = cli_parse(argc, argv, &syntax, request, &request->scene);
  *status = parsed == CLI_HELP_SHOWN ? CLI_SUCCESS : CLI_REFUSED;
  return parsed == CLI_PARSED && check_request(request);
}
