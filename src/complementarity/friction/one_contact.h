// One contact with friction, exactly: given its block of W and the velocity q that all other contacts leave it with,
// find r with u = W r + q and Coulomb's law. Sliding is a one-dimensional equation in the multiplier a of u_t = -a r_t,
// solved by safeguarded Newton steps on a form that is nearly linear in a.
#ifndef TS_COMPLEMENTARITY_FRICTION_ONE_CONTACT_H
#define TS_COMPLEMENTARITY_FRICTION_ONE_CONTACT_H

#include "complementarity/friction/cone_problem.h"

// What can be prepared once: the normal row eliminated, r_n = -(q_n + W_nt r_t)/W_nn, S = W_tt - W_tn W_nt / W_nn.
typedef struct ts_one_contact {
  double inverse_normal; // 1/W_nn, or 0 where W_nn <= 0
  double nt[3], tn[3];   // W_nt and W_tn over W_nn
  double S[9];           // column-major, (d-1) x (d-1)
  double trace;          // of the whole block
  double a;              // multiplier of the last solution: where the next search starts
} ts_one_contact;

// Prepare one contact from its block (d columns of `stride` numbers).
void ts_one_contact_init(int d, int stride, const double *block, ts_one_contact *contact);

// Prepare the contacts of a problem (one each, in the arena).
ts_one_contact *ts_one_contact_prepare(const ts_cone_problem *p, ts_arena *arena);

// Solve one contact. `r` holds the last impulse on entry (used when the block is not fit for an exact solution) and the
// new one on return.
void ts_one_contact_solve(int d, double mu, ts_one_contact *contact, const double *block, int stride, const double *q,
                          double *r);

// A whole problem by that: the contacts that approach by the data (q_n < 0) are solved one by one, the others have no
// impulse. Right where the first do not feel each other, as a single one does not, and the others are not made to
// approach. r comes from nothing. Returns the natural residual over the data, in scaled variables; INFINITY where this
// is no solution (r is then spoilt).
double ts_separate_contacts_solve(const ts_friction *problem, double *r);

#endif
