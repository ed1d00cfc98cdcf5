// Results for people (text) and for programs (JSON).
#ifndef TS_CLI_REPORT_H
#define TS_CLI_REPORT_H

#include "cli/attempt.h"
#include "cli/json.h"
#include "cli/problem_input.h"

#include <stdio.h>

// What was read: format, type and sizes; the top of every report.
void cli_print_input(const cli_input *input, FILE *out);

// One run in full: how it ended, how good the point is, the stages of a chain; the numbers themselves when
// `with_solution` or when they are few.
void cli_print_attempt(const cli_attempt *attempt, double tolerance, bool with_solution, FILE *out);

// A table with one line a run.
void cli_print_comparison(const cli_attempt *attempts, int count, FILE *out);

// The numbers of the point, one a line, such that they read back as the same doubles.
void cli_write_solution(const cli_attempt *attempt, FILE *out);

// One run as an object. docs/cli.md lists its members.
void cli_json_attempt(cli_json *json, const cli_input *input, const cli_attempt *attempt, double tolerance,
                      bool with_solution);

#endif
