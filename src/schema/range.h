// Ranges of numbers: what may be written, stored, and printed in messages and manuals.
#ifndef TS_SCHEMA_RANGE_H
#define TS_SCHEMA_RANGE_H

#include <stdbool.h>

typedef enum ts_range {
  TS_RANGE_ANY,
  TS_RANGE_POSITIVE,
  TS_RANGE_NOT_NEGATIVE,
  TS_RANGE_FRACTION,      // [0, 1]
  TS_RANGE_OPEN_FRACTION, // (0, 1)
  TS_RANGE_BELOW_1,       // [0, 1)
  TS_RANGE_UPPER_HALF,    // [0.5, 1]
  TS_RANGE_EVEN_FROM_4,
  TS_RANGE_POWER_OF_2, // from 1 to 1024
  TS_RANGE_ONE,
  TS_RANGE_NOT_NEGATIVE_OR_RULE, // -1 and -2: rules that depend on the rest
  TS_RANGE_PLACE,                   // no further than 1e9 from 0: sums of many stay finite
  TS_RANGE_THREADS,                 // from 1 to 256
  TS_RANGE_EXPONENT,                // of superellipsoids: from 2 to 1000
  TS_RANGE_COUNT
} ts_range;

bool ts_range_holds(ts_range range, double value);
const char *ts_range_text(ts_range range); // "> 0"; "" when anything goes

// The end of a range that a number is out of by rounding alone, else the number.
double ts_range_settle(ts_range range, double value);

// Whether a number lies from `least` to `most`. What is out by rounding alone, as 3*0.1 is of 0.3, becomes the end.
bool ts_range_fit(double *value, double least, double most);

// Whether a number is whole. What is not by rounding alone, as 0.3/0.1, becomes so.
bool ts_range_fit_whole(double *value);

#endif
