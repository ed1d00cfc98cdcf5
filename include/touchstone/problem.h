/// The complementarity problems that Touchstone solves. A problem is a description: plain structs whose arrays belong
/// to the caller and must outlive every call that takes the problem. Fill in one of the structs, wrap it with the
/// function of the same name (ts_problem_lcp(), ...) and hand it to ts_solve() of solver.h.
#ifndef TOUCHSTONE_PROBLEM_H
#define TOUCHSTONE_PROBLEM_H

#include "touchstone/matrix.h"
#include "touchstone/status.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The types are bits, so that a solver can say which of them it takes.
typedef enum ts_problem_type {
  TS_LCP = 1,
  TS_MLCP = 2,
  TS_MCP = 4,
  TS_FRICTION = 8,
  TS_GLOBAL_FRICTION = 16
} ts_problem_type;

/// Linear complementarity problem: find z with 0 <= z, w = M z + q >= 0, z.w = 0. Solution vector: z (size).
typedef struct ts_lcp {
  int size;
  ts_matrix M;     ///< size x size
  const double *q; ///< size
} ts_lcp;

/// Mixed linear complementarity problem: find z in [lower, upper] with, for w = M z + q and every i,
/// w_i >= 0 where z_i = lower_i, w_i = 0 in between, w_i <= 0 where z_i = upper_i. Bounds may be infinite: a free
/// variable has both infinite and its row is an equation. Solution vector: z (size).
typedef struct ts_mlcp {
  int size;
  ts_matrix M;         ///< size x size
  const double *q;     ///< size
  const double *lower; ///< size, -INFINITY where there is none
  const double *upper; ///< size, INFINITY where there is none; lower <= upper
} ts_mlcp;

/// Mixed complementarity problem: as the MLCP, with a smooth w = F(z) given by callbacks. Solution vector: z (size).
typedef struct ts_mcp {
  int size;
  const double *lower, *upper; ///< size each, infinite where there is no bound
  const int *start, *index;    ///< pattern of the Jacobian, compressed columns; both NULL: dense
  /// Write F(z) (size numbers). Return 0, or not 0 where F is not defined at z: the solver then takes a shorter step.
  int (*evaluate)(void *user, const double *z, double *F);
  /// Write the values of dF_i/dz_j at z in the order of the pattern (dense: column after column). Return as above.
  int (*jacobian)(void *user, const double *z, double *values);
  void *user; ///< handed to both callbacks
} ts_mcp;

/// Where a friction problem comes from, when the caller knows it: W = H^T M^-1 H with a mass matrix M and contact
/// directions H (one column a row of W). Solvers may then factor in the space of bodies, which is smaller. Without
/// bilateral rows only.
typedef struct ts_bodies {
  ts_matrix M; ///< symmetric positive definite, sparse (both triangles)
  ts_matrix H; ///< rows of M x rows of W, sparse
  int count;   ///< bodies, where it is known which rows are whose; else 0
  const int
      *first; ///< rows first[b] to first[b+1]-1 of M are those of body b (count+1); M has no entries between bodies
} ts_bodies;

/// Contact with Coulomb friction. Each contact has `dimension` components: the normal first, then one tangent (2), two
/// tangents (3), or two tangents and the spin about the normal (4). With the relative velocity u = W r + V l + q of the
/// contacts and their impulses r, for every contact:
///   0 <= r_n, u_n >= 0, r_n u_n = 0,
///   |D^-1 r_t| <= mu r_n, and r_t = -mu r_n D^2 u_t / |D u_t| where u_t is not zero,
/// D = diag(e_t, e_o, e_r) being the semi-axes of the friction ellipsoid for mu r_n = 1 (all 1: Coulomb's circle).
/// Bilateral rows, if any, hold the free impulses l at 0 = V^T r + R l + s.
/// Solution vector: r (dimension*contacts), then l (bilaterals). Units: r and l in N s (spin: N m s), u and q in m/s.
typedef struct ts_friction {
  int dimension; ///< 2, 3 or 4
  int contacts;
  int bilaterals;          ///< 0: V, R and s are not read
  ts_block_matrix W;       ///< contacts x contacts blocks of size `dimension`
  const double *q;         ///< dimension*contacts [m/s]
  const double *mu;        ///< contacts, >= 0
  const double *ellipsoid; ///< (dimension-1)*contacts semi-axes > 0 [1; spin: m], or NULL: all 1
  ts_matrix V;             ///< dimension*contacts x bilaterals
  ts_matrix R;             ///< bilaterals x bilaterals, symmetric, may be singular
  const double *s;         ///< bilaterals [m/s]
  const ts_bodies *bodies; ///< where W comes from, or NULL
} ts_friction;

/// The same law before the bodies are eliminated: M v = H r + G l + f, u = H^T v + w, 0 = G^T v + b.
/// Solution vector: r (dimension*contacts), l (bilaterals), v (rows of M).
typedef struct ts_global_friction {
  int dimension, contacts, bilaterals;
  ts_matrix M;             ///< square, symmetric positive definite, both triangles [kg, kg m^2]
  ts_matrix H;             ///< rows of M x dimension*contacts
  ts_matrix G;             ///< rows of M x bilaterals; not read when there are none
  const double *f;         ///< rows of M [N s]
  const double *w;         ///< dimension*contacts [m/s]
  const double *b;         ///< bilaterals [m/s]
  const double *mu;        ///< contacts, >= 0
  const double *ellipsoid; ///< as in ts_friction
} ts_global_friction;

/// One of the above, with its type.
typedef struct ts_problem {
  ts_problem_type type;
  union {
    ts_lcp lcp;
    ts_mlcp mlcp;
    ts_mcp mcp;
    ts_friction friction;
    ts_global_friction global;
  };
} ts_problem;

/// An LCP as a problem. Data that the struct points to are not copied: they must outlive the problem.
TS_API ts_problem ts_problem_lcp(ts_lcp lcp);
/// A mixed LCP, likewise.
TS_API ts_problem ts_problem_mlcp(ts_mlcp mlcp);
/// A mixed complementarity problem given by callbacks, likewise.
TS_API ts_problem ts_problem_mcp(ts_mcp mcp);
/// A friction problem in local form, likewise.
TS_API ts_problem ts_problem_friction(ts_friction friction);
/// A friction problem in global form, likewise.
TS_API ts_problem ts_problem_global_friction(ts_global_friction global);

/// Numbers in the problem's solution vector.
TS_API size_t ts_problem_size(const ts_problem *problem);

/// The name of a type: "lcp", "mlcp", "mcp", "friction", "global-friction" (static text).
TS_API const char *ts_problem_type_name(ts_problem_type type);

/// Check sizes, patterns, bounds, signs and that every number is finite (bounds may be infinite). One pass over the
/// data. On failure `error` (may be NULL) says what is wrong, with the row or contact it concerns.
TS_API ts_status ts_problem_check(const ts_problem *problem, ts_error *error);

#ifdef __cplusplus
}
#endif

#endif
