// Everything that was measured: rows of a table as they come, a CSV file, and what they say together.
#ifndef BENCH_SCALE_RESULTS_H
#define BENCH_SCALE_RESULTS_H

#include "fall.h"
#include "recipe.h"

#include <stdio.h>

// A run of an engine on a scene
typedef struct result {
  recipe recipe;
  char engine[32];
  double ratio; // time of Touchstone's first row on the same scene over this one's
  fall fall;
} result;

typedef struct results {
  int count, room;
  result *rows;
} results;

void results_add(results *all, const result *r);
void results_release(results *all);

void results_print_head(const recipe *r);
void results_print_row(const result *r);

// All columns of all rows; false: the file cannot be written
bool results_write_csv(const results *all, const char *path);

// Medians and ranges over the seeds of a cell (kind, bodies, friction, engine), and the exponent by which the median
// of the means grows from one number of bodies to the next
void results_print_summary(const results *all);

#endif
