// Problem files in tests, and problems that must agree bit for bit.
#ifndef TS_SUPPORT_PROBLEM_FILES_H
#define TS_SUPPORT_PROBLEM_FILES_H

#include "touchstone/problem_file.h"

// Dense copies, column after column. Free them.
double *dense_of_matrix(const ts_matrix *A);
double *dense_of_blocks(const ts_block_matrix *W);

// Read from memory; fail the test unless it works. Destroy the result.
ts_problem_file *parse_text(const char *text);
ts_problem_file *read_problem(const char *path);

// A text that must be refused as TS_INVALID: where, and a part of the sentence.
typedef struct refusal {
  const char *text;
  int line, column;
  const char *fragment;
} refusal;

void assert_refused(const refusal *expected);
#define assert_all_refused(table)                                                                                      \
  for (size_t refusal_ = 0; refusal_ < sizeof(table) / sizeof *(table); ++refusal_) assert_refused(&(table)[refusal_])

// Fail the test unless every size, pattern and number is the same.
void assert_same_problem(const ts_problem *a, const ts_problem *b);

#endif
