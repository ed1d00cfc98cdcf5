// Problems of few contacts from a good guess, such as the last step's impulses: the guess itself where it is good
// enough, else Newton's method on Alart and Curnier's map. Its steps fix what every contact does (open, stick, slip) by
// the point they start from and solve for the impulses at once, so that a guess with the right modes needs one or two.
// Without a guess a few Gauss-Seidel sweeps make one.
// Works on the problem as it is, without the scaled copy that the chain of `auto` shares.
#ifndef TS_COMPLEMENTARITY_FRICTION_FEW_CONTACTS_H
#define TS_COMPLEMENTARITY_FRICTION_FEW_CONTACTS_H

#include "touchstone/problem.h"

#include <stdbool.h>

enum { TS_FEW_CONTACTS = 8 };

// No bilateral rows, round cones, and at most TS_FEW_CONTACTS contacts.
bool ts_few_contacts_apply(const ts_friction *problem);

typedef struct ts_few_contacts_result {
  double error; // larger of the scaled and the raw residual, round-off counted; INFINITY where it cannot be measured
  int steps;    // of Newton's method
  int sweeps;
} ts_few_contacts_result;

// Improve r until its error is at most `target`, in at most `limit` steps. Where that fails r is left as it was.
ts_few_contacts_result ts_few_contacts_solve(const ts_friction *problem, double target, int limit, double *r);

// From nothing there may be more of them, as long as there are no more unknowns than a small system takes.
bool ts_few_contacts_apply_cold(const ts_friction *problem);

// Solve from nothing: sweeps and Newton steps in turn. Where the error does not come to `target` r is left as it was.
ts_few_contacts_result ts_few_contacts_solve_cold(const ts_friction *problem, double target, double *r);

#endif
