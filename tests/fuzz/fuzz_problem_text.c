// libFuzzer target: any bytes, read as a problem in one of the text formats. What is accepted must be a sound problem
// that survives being written in our own format and read again.
#include "touchstone/problem_file.h"

#include "problemfile/write.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void demand(int condition)
{
  if (!condition) abort();
}

// Our own format is the only one that can hold every problem: read it back from memory.
static void check_round_trip(const ts_problem *problem)
{
  char *text;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  demand(out != NULL);
  ts_problem_print(out, problem);
  fclose(out);
  ts_problem_file *copy;
  demand(ts_problem_file_parse(text, bytes, &copy, NULL) == TS_OK);
  demand(ts_problem_file_problem(copy)->type == problem->type);
  demand(ts_problem_size(ts_problem_file_problem(copy)) == ts_problem_size(problem));
  ts_problem_file_destroy(copy);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size >= 4 && memcmp(data, "\211HDF", 4) == 0) return 0; // the other target's
  ts_problem_file *file;
  ts_error error = {0};
  const ts_status status = ts_problem_file_parse((const char *)data, size, &file, &error);
  if (status == TS_OK) {
    demand(ts_problem_check(ts_problem_file_problem(file), NULL) == TS_OK);
    check_round_trip(ts_problem_file_problem(file));
  } else {
    demand(file == NULL && error.status == status && error.text[0] != '\0' && !strchr(error.text, '\n'));
  }
  ts_problem_file_destroy(file);
  return 0;
}
