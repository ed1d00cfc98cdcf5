// How much of a long test is done. With TOUCHSTONE_EFFORT=full in the environment, as test.sh --full has it, all cases.
// Otherwise a sample that finds the same faults (scripts/mutate). Under sanitizers, which slow everything down several
// times, a sample of their own: a bad access or an overflow shows in few cases.
#ifndef TS_TESTS_EFFORT_H
#define TS_TESTS_EFFORT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool effort_is_full(void)
{
  const char *effort = getenv("TOUCHSTONE_EFFORT");
  return effort && strcmp(effort, "full") == 0;
}

// The stride of a loop over cases: 1 in full effort, `sample` without, `sanitized` under sanitizers. It shares no
// factor with the period that kinds of cases come again with, so that all of them come up.
static inline int effort_stride(int sample, int sanitized)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return sample > 0 ? sanitized : 1;
#else
  return sanitized > 0 && effort_is_full() ? 1 : sample;
#endif
}

// So many cases in full effort, the `sample`-th part of them without, under sanitizers the `sanitized`-th; one at
// least.
static inline int effort_part(int count, int sample, int sanitized)
{
  const int one_in = effort_stride(sample, sanitized);
  return (count + one_in - 1) / one_in;
}

// Tests that are quick enough for all cases: fewer under sanitizers alone.
static inline int effort_one_in(int sanitized)
{
  return effort_stride(1, sanitized);
}

static inline int effort_share(int count, int sanitized)
{
  return effort_part(count, 1, sanitized);
}

#endif
