// The natural map of patches. Unknowns x of a patch are its normal impulses p_k and its friction f,
//   F_k = w_k (p_k - max(0, p_k - u_kn / w_k)),   G = w (f/e - P(f/e - e u / w)),
// P onto the disc of radius t mu p_n, both in units of velocity. t is 1, but on a path from the problem without
// friction. Impulses of four corners are not determined by what they do: the derivative is shifted by a little of its
// diagonal, which takes nothing from the solution.
#ifndef TS_COMPLEMENTARITY_FRICTION_PATCH_MAP_H
#define TS_COMPLEMENTARITY_FRICTION_PATCH_MAP_H

#include "complementarity/friction/patch_problem.h"

typedef struct ts_patch_map {
  const ts_patch_problem *problem;
  int d, rows, unknowns; // rows of all points; of a patch as many unknowns as it has points and tangents
  const int *first;      // unknown of each patch (patches + 1)
  double share;          // t
  double speed;          // of the data
  double shift;          // of the derivative, by its diagonal
  double *W;             // (rows x rows), by columns
  double *normal_w;      // own compliance of each point's normal
  double *friction_w;    // of each patch
  double *r, *u;         // (rows), where the map was last evaluated
  double *A, *WA;        // dr/dx and du/dx (rows x unknowns), by columns
  double *H;             // dF/dx (unknowns x unknowns), by columns
} ts_patch_map;

// Working memory in the arena; t = 1.
void ts_patch_map_begin(ts_patch_map *map, const ts_patch_problem *problem, ts_arena *arena);

void ts_patch_map_unknowns(const ts_patch_map *map, const double *r, double *x);
void ts_patch_map_impulses(const ts_patch_map *map, const double *x, double *r);

// F(x), and the sum of its squares.
double ts_patch_map_values(const ts_patch_map *map, const double *x, double *F);

// H at x, where the map was last evaluated.
void ts_patch_map_derivatives(const ts_patch_map *map, const double *x);

// dF/dt at x, where the map was last evaluated.
void ts_patch_map_growth(const ts_patch_map *map, const double *x, double *growth);

// What changes its sign where the map has a kink: p_k - u_kn/w_k of every point, |y| less the radius of every patch, in
// the order of the unknowns. Numbers that are not used are 1.
void ts_patch_map_switches(const ts_patch_map *map, const double *x, double *switches);

// Newton's method from x, with halved steps. The best point found is left in x, and the map is evaluated elsewhere.
// False where not all |F_k| are below `tolerance` times the speed of the data.
bool ts_patch_map_newton(const ts_patch_map *map, double tolerance, int most_iterations, ts_arena *arena, double *x,
                         ts_patch_report *report);

// The largest |F_k|; NAN where one is.
double ts_patch_map_largest(const ts_patch_map *map, const double *F);

#endif
