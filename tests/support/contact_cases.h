// The friction problems of reference-numbers.md 5 for tests: tests/data/contact_cases.txt, and the degenerate one.
#ifndef CONTACT_CASES_H
#define CONTACT_CASES_H

#include "touchstone/problem.h"

#include <stdio.h>

enum { CASE_CONTACTS = 8, CASE_ROWS = 3 * CASE_CONTACTS };

// A problem whose contacts are all coupled, its solution where it is unique (`solved`), and the views' memory. Not to
// be moved: `problem` points into it.
typedef struct contact_case {
  ts_friction problem;
  bool solved;
  double r[CASE_ROWS], u[CASE_ROWS];
  double mu[CASE_CONTACTS], q[CASE_ROWS], W[CASE_ROWS * CASE_ROWS];
  int start[CASE_CONTACTS + 1], index[CASE_CONTACTS * CASE_CONTACTS];
} contact_case;

// Read the next case of a file from case_file_open(); false at the end, or when the file is damaged.
bool contact_cases_next(FILE *file, contact_case *c);

// reference/multibody/case_degenerate.json: three collinear contacts of a planar chain. W is rank deficient and there
// are two families of solutions; any is right.
void contact_case_degenerate(contact_case *c);

#endif
