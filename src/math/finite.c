#include "math/finite.h"

#include "base/hot.h"
#include "math/quad.h"

// 0 times a number is 0, or NAN where that is not finite. Eight at once: a single sum would wait for itself. The last
// four are taken again instead of what is left of them.
TS_HOT bool ts_all_finite(const double *values, size_t count)
{
  if (count < 4) {
    double sum = 0.0;
    for (size_t k = 0; k < count; ++k) sum += 0.0 * values[k];
    return sum == 0.0;
  }
  ts_quad even = TS_CONST_QUAD(values + count - 4) * 0.0, odd = {0};
  size_t k = 0;
  for (; k + 8 <= count; k += 8) {
    even += TS_CONST_QUAD(values + k) * 0.0;
    odd += TS_CONST_QUAD(values + k + 4) * 0.0;
  }
  if (k + 4 <= count) odd += TS_CONST_QUAD(values + k) * 0.0;
  even += odd;
  return even[0] + even[1] + even[2] + even[3] == 0.0;
}
