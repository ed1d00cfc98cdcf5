// How much of a long test is done. Sanitizers slow everything down several times, and what they look for, a bad access
// or an overflow, shows in a sample of the cases; the numbers themselves are held against all cases without them.
#ifndef TS_TESTS_EFFORT_H
#define TS_TESTS_EFFORT_H

// 1, under sanitizers n: the stride of a loop over cases. It shares no factor with the period that kinds of cases come
// again with, so that all of them come up.
static inline int effort_one_in(int n)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return n;
#else
  return n > 0 ? 1 : n;
#endif
}

// So many cases, under sanitizers the n-th part of them, and one at least.
static inline int effort_share(int count, int n)
{
  const int one_in = effort_one_in(n);
  return (count + one_in - 1) / one_in;
}

#endif
