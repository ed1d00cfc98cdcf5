// Derivatives of functions that only their values are known of.
#ifndef TS_MATH_DIFFERENCE_H
#define TS_MATH_DIFFERENCE_H

enum { TS_DIFFERENCE_LIMIT = 6 };

// Writes the values of a function at t.
typedef void ts_function_of_time(void *user, double t, double *values);

// d/dt of `count` values (at most TS_DIFFERENCE_LIMIT) at t: by a formula of fourth order over that distance in time,
// from 4 ms down to 60 ns, where it agrees best with the one four times as far. To some 1e-12 of functions with time
// scales of 0.1 s, to 1e-9 with scales of 1 ms.
void ts_difference(ts_function_of_time *function, void *user, double t, int count, double *derivative);

#endif
