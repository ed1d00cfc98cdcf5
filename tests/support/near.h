// Numbers and vectors that should agree within a tolerance; cmocka's headers are included before.
#ifndef TEST_SUPPORT_NEAR_H
#define TEST_SUPPORT_NEAR_H

#include "touchstone/vector.h"

#include <math.h>

// Arguments: a, b, tolerance. (Variadic, because literals of vectors have commas.)
#define assert_near(...)     assert_near_at(__FILE__, __LINE__, __VA_ARGS__)
#define assert_vec_near(...) assert_vec_near_at(__FILE__, __LINE__, __VA_ARGS__)

static inline void assert_near_at(const char *file, int line, double a, double b, double tolerance)
{
  if (fabs(a - b) <= tolerance) return;
  print_error("%.17g is not %.17g within %g\n", a, b, tolerance);
  _fail(file, line);
}

static inline void assert_vec_near_at(const char *file, int line, ts_vec3 a, ts_vec3 b, double tolerance)
{
  assert_near_at(file, line, a.x, b.x, tolerance);
  assert_near_at(file, line, a.y, b.y, tolerance);
  assert_near_at(file, line, a.z, b.z, tolerance);
}

#endif
