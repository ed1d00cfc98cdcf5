// Any LCP, MLCP or MCP seen as one thing: bounds, a map F and its Jacobian, dense or in compressed columns, whichever
// suits the problem. With a scale the view shows the problem in the variables z/s and s F, s_i being powers of two, so
// that scaling rounds nothing.
#ifndef TS_COMPLEMENTARITY_NEWTON_MCP_VIEW_H
#define TS_COMPLEMENTARITY_NEWTON_MCP_VIEW_H

#include "touchstone/problem.h"

#include "base/arena.h"

typedef struct ts_mcp_view {
  int size;
  bool affine;                 // F(z) = J z + q
  const double *lower, *upper; // in the view's variables
  const double *own_lower, *own_upper;
  ts_matrix J;         // at the point of the last ts_mcp_view_jacobian(); a sparse one has all of its diagonal
  const int *diagonal; // where in J.value the diagonal lies; NULL when J is dense
  const ts_problem *problem;
  double *values;        // J.value
  double *native;        // values as the callback writes them; == values when J is stored as the callback's is
  int *position;         // native entry -> entry of values, NULL when they are the same
  double *q;             // of an affine problem
  const double *scale;   // s, or NULL
  double *scale_storage; // 3n: s and the scaled bounds
  double *unscaled;      // scratch: a point in the problem's own variables
  double *maxima;        // scratch: row and column maxima
} ts_mcp_view;

// How the Jacobian is stored. TS_STORE_AUTO: sparse where the problem is large and sparse enough to pay.
typedef enum ts_mcp_storage { TS_STORE_AUTO, TS_STORE_DENSE, TS_STORE_SPARSE } ts_mcp_storage;

// `problem` must outlive the view, all memory is from the arena. The Jacobian of an affine problem is there at once.
void ts_mcp_view_init(ts_mcp_view *view, const ts_problem *problem, ts_mcp_storage storage, ts_arena *arena);

// Scale from now on by s_i = 1/sqrt(largest entry of row i and column i) of the current Jacobian, which must be there
// and not be scaled. Points change their meaning, see below.
void ts_mcp_view_scale(ts_mcp_view *view);

// Back to the problem's own variables. Not for affine problems, whose data have been scaled. The Jacobian is gone.
void ts_mcp_view_unscale(ts_mcp_view *view);

// Between the problem's own variables and the view's. In place is allowed.
void ts_mcp_view_from_problem(const ts_mcp_view *view, const double *own, double *z);
void ts_mcp_view_to_problem(const ts_mcp_view *view, const double *z, double *own);

// False where F or its Jacobian is not defined or not finite.
bool ts_mcp_view_evaluate(ts_mcp_view *view, const double *z, double *F);
bool ts_mcp_view_jacobian(ts_mcp_view *view, const double *z);

void ts_mcp_view_project(const ts_mcp_view *view, double *z); // z = the nearest point of the box

// The origin's projection on the box, or when F is not defined there, that of a point with equal components. F at that
// point is written too. False when no such point was found.
bool ts_mcp_view_cold_start(ts_mcp_view *view, double *z, double *F);

// What solvers go by: the natural map |z - P(z - F)| of the problem in symmetrically scaled variables (those of its
// Jacobian at this z, whatever the view shows), over the size of the data (q = F - J z and the bounds). The Jacobian is
// that of the last call, which must have been at this z.
double ts_mcp_view_residual(ts_mcp_view *view, const double *z, const double *F);

#endif
