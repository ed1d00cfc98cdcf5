// The Fischer-Burmeister function and its composition for variables with bounds.
#ifndef TS_COMPLEMENTARITY_NEWTON_FISCHER_BURMEISTER_H
#define TS_COMPLEMENTARITY_NEWTON_FISCHER_BURMEISTER_H

// 000 eq. 24: phi(a, b) = sqrt(a^2 + b^2) - a - b, zero iff a >= 0, b >= 0 and ab = 0.
double ts_fischer_burmeister(double a, double b);

// One row of the system phi(z) = 0 that an MCP is turned into: the value, and the derivatives with respect to z_i and
// F_i, so that row i of the Jacobian is dz e_i^T + dF (row i of dF/dz).
typedef struct ts_fb_row {
  double value, dz, dF;
} ts_fb_row;

// Row of a variable z in [lower, upper] (either may be infinite). `slope` is dF_i/dz_i: where the function has a kink,
// the derivative is the limit along the direction (1, slope), an element of its generalized derivative.
ts_fb_row ts_fischer_burmeister_row(double z, double F, double lower, double upper, double slope);

#endif
