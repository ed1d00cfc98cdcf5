// Sobol' indices: what share of the variance of a result is due to a parameter. The first-order index S of parameter x
// is the share that would vanish if x were known, Var(E(y | x))/Var(y); the total index T the share that would be left
// if all others were known, what x does together with others included. Parameters are taken to be independent.
//
// Here from a design made for it (Saltelli et al., 2010): two independent matrices A and B of n samples of k
// parameters, and for each parameter i a third, A with column i from B. That is n (k + 2) trials. given_data.h has what
// can be said without.
#ifndef TS_STATISTICS_SENSITIVITY_H
#define TS_STATISTICS_SENSITIVITY_H

#include "base/arena.h"
#include "statistics/bootstrap.h"
#include "touchstone/status.h"

#include <stddef.h>

// Results of the trials. A sample of which any of the k + 2 is NaN is left out as a whole. Many that fail in one region
// change the distribution that the indices are of.
typedef struct ts_design_results {
  size_t samples;      // n
  int parameters;      // k
  const double *a, *b; // n
  const double *mixed; // n k: of parameter 0 for all samples, then of parameter 1, ...
} ts_design_results;

// S by the estimator of Saltelli et al. (2010), of y less its mean; T by Jansen's (1999). `first` and `total` have room
// for k; each index is NaN where fewer than two samples are left or all their results are equal. Estimates may lie
// outside of [0, 1] by chance. Intervals by the bootstrap over samples, percentiles; for samples that fill space more
// evenly than random ones they are too wide. `*used` (may be NULL) is how many samples were not left out. Infinite
// results are refused with TS_INVALID; `error` may be NULL.
ts_status ts_design_sensitivity(const ts_design_results *results, const ts_bootstrap *bootstrap, ts_arena *arena,
                                ts_estimate *first, ts_estimate *total, size_t *used, ts_error *error);

#endif
