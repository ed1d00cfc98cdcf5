// Random complementarity problems with known properties, the same for a seed everywhere.
#ifndef TS_SUPPORT_LCP_GENERATOR_H
#define TS_SUPPORT_LCP_GENERATOR_H

#include "touchstone/problem.h"

#include <stdint.h>

typedef enum lcp_class {
  LCP_PSD,        // M = A A^T + a skew part, of any rank; built backwards from a solution
  LCP_SPD,        // M symmetric positive definite, q arbitrary: one solution
  LCP_P,          // M = D1 H D2, H with a dominant positive diagonal: a P-matrix, not symmetric; one solution
  LCP_COPOSITIVE, // M = [Q -A^T; A 0], Q > 0 elementwise and indefinite: copositive-plus; z, w >= 0 exist
  LCP_INFEASIBLE, // the same M, and no z >= 0 has M z + q >= 0
  LCP_DEGENERATE, // small integers, built backwards with z_i = w_i = 0 in many places: exact ties
  LCP_CLASS_COUNT
} lcp_class;

typedef struct lcp_instance {
  ts_lcp lcp;
  double *solution; // one of the solutions, or NULL
} lcp_instance;

// A problem of the class and size (n >= 1). Release with lcp_instance_release().
lcp_instance lcp_generate(lcp_class class, int n, uint64_t seed);
void lcp_instance_release(lcp_instance *instance);

const char *lcp_class_name(lcp_class class);

// A mixed problem with M = A A^T + a skew part, positive definite on the free variables, and variables of every kind:
// free, bounded below, above, on both sides, and fixed. Built backwards from `solution`.
typedef struct mlcp_instance {
  ts_mlcp mlcp;
  double *solution;
} mlcp_instance;

mlcp_instance mlcp_generate(int n, uint64_t seed);
void mlcp_instance_release(mlcp_instance *instance);

#endif
