// The path of D. Ralph, "Global convergence of damped Newton's method for nonsmooth equations via the path search"
// (1994), for the normal map of an MCP. With z = P(x) the projection on the box, the normal map is F(z) + x - z, and
// its linearization at x_k leads from r = F(z_k) + x_k - z_k to 0 along the piecewise linear path
//   F(z_k) + (M + shift I)(z - z_k) + (x - z) = (1 - t) r,   t from 0 to 1,
// which complementary pivoting follows: M z + s + t r = const with, for every i, z_i between its bounds and s_i = 0,
// or z_i at a bound and s_i = x_i - z_i on the outer side of it. On the way t may fall, and below 0 as well.
#ifndef TS_COMPLEMENTARITY_NEWTON_PATH_H
#define TS_COMPLEMENTARITY_NEWTON_PATH_H

#include "complementarity/newton/path_basis.h"
#include "complementarity/newton/mcp_view.h"
#include "complementarity/solver.h"

enum { TS_PATH_POINTS = 24 };

typedef enum ts_path_end {
  TS_PATH_COMPLETE, // t = 1 was reached
  TS_PATH_RAY,      // the path leaves to infinity
  TS_PATH_LIMIT,    // pivot limit, or time
  TS_PATH_SINGULAR  // the linearization is singular where the path starts
} ts_path_end;

// On which piece of the normal map a variable is.
typedef enum ts_map_piece { TS_PIECE_BETWEEN, TS_PIECE_LOWER, TS_PIECE_UPPER } ts_map_piece;

typedef struct ts_path {
  int n;
  const ts_mcp_view *view;
  const ts_run *run; // for its deadline
  ts_path_basis basis;
  ts_map_piece *piece; // n, of the variables
  int *basic;          // n: the column at each position of the basis
  int *position;       // 2n + 1: where a column is in the basis, or -1
  double *y;           // n: values of the basic variables
  double *constant;    // n: r - F(z_k) + (M + shift I) z_k
  double *alpha;       // n: representation of the entering column
  double t;            // of the last point
  int pivots;          // of the last path
  int factorizations;  // of the last path
  double *ray;         // n: direction in z, after TS_PATH_RAY
  int count;           // points kept: corners of the path, evenly thinned out, and its end
  double *point_t;     // TS_PATH_POINTS + 1
  double *point;       // (TS_PATH_POINTS + 1) x n
  int stride, since;   // keep every stride-th corner
} ts_path;

void ts_path_init(ts_path *path, const ts_mcp_view *view, const ts_run *run);

// Which pieces a point lies on. A kink belongs to the piece between the bounds, unless these coincide.
void ts_path_pieces(const ts_mcp_view *view, const double *x, ts_map_piece *piece);

// A path that starts at a point x on the pieces in path->piece: z is its projection, F = F(z), r = F + x - z the normal
// map (which must stay in place while the path is in use). The Jacobian is the view's.
//
// The end of the path as if the first piece went on for ever: a step of Newton's method on the active set of x. False
// when the linearization is singular on that piece.
bool ts_path_newton(ts_path *path, const double *z, const double *F, const double *r, double shift, double *next);

// Follow the path. Its corners and its end are in path->point.
ts_path_end ts_path_follow(ts_path *path, const double *z, const double *F, const double *r, double shift,
                           int most_pivots);

static inline const double *ts_path_point(const ts_path *path, int k)
{
  return path->point + (size_t)k * (size_t)path->n;
}

#endif
