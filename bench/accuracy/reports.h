// What is made of measurements: the table, the figure, and whether promises are kept.
#ifndef BENCH_ACCURACY_REPORTS_H
#define BENCH_ACCURACY_REPORTS_H

#include "measure.h"

#include <stdio.h>

// Rows of one scene. Times are left out where none were taken.
void report_heading(FILE *out);
void report_scene(const measurement *rows, int count, FILE *out);
void report_legend(FILE *out);

// Error over CPU time, a panel a scene that two steppers or more can run. False: a sentence stands on standard error.
bool report_figure(const measurement *rows, int count, const char *path);

// Says which promises are broken, one a line. How many they are.
int report_promises(const measurement *rows, int count, FILE *out);

#endif
