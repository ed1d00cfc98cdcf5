// Student's t distribution.
#ifndef TS_STATISTICS_STUDENT_H
#define TS_STATISTICS_STUDENT_H

// The t that a variable of `freedom` >= 1 degrees of freedom stays below with probability p, 0 < p < 1. Relative error
// below 1e-13 for p and 1 - p above 1e-15.
double ts_student_quantile(double p, double freedom);

#endif
