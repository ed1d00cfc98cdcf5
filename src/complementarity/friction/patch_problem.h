// Friction problems whose contacts belong to patches: points k of a patch carry normal impulses of their own, and
// friction acts at one point for all of them, the equivalent contact point (003 IV),
//   a = sum_k p_k a_k / p_n,   p_n = sum_k p_k,
// with one ellipsoid, mu p_n in size, for the two tangents and the spin. A force at that point is the same as its
// shares p_k / p_n at the points, for these have no moment about it; and the velocity there is the mean of those of the
// points with the same weights. So with the rows of all points in W
//   u = W r + q,   r_k = (p_k, theta_k f),   theta_k = p_k / p_n,
//   0 <= p_k _|_ u_kn >= 0,   f against sum_k theta_k u_kt  by Coulomb's law with mu p_n.
// A patch of one point is a contact of the friction problem. Tangents and ellipsoids of the points of a patch are the
// same.
#ifndef TS_COMPLEMENTARITY_FRICTION_PATCH_PROBLEM_H
#define TS_COMPLEMENTARITY_FRICTION_PATCH_PROBLEM_H

#include "touchstone/problem.h"

#include "base/arena.h"

typedef struct ts_patch_problem {
  const ts_friction *points; // W, q, mu and ellipsoid of all points; no bilateral rows
  int patches;
  const int *start; // of patch p: points start[p] to start[p+1] - 1
} ts_patch_problem;

// How good impulses r of the points are: the worst velocity by which a normal or a patch misses its law, or by which
// friction that is not shared out as above would move a point [m/s, by the ellipsoid], over the speed of the data.
// Works from the problem's data alone.
double ts_patch_residual(const ts_patch_problem *problem, const double *r, ts_arena *arena);

// Take impulses from points that open or pull: what solvers leave there is less than the residual, and not nothing.
void ts_patch_drop_open(const ts_patch_problem *problem, double *r, ts_arena *arena);

typedef struct ts_patch_report {
  int iterations;
  double residual;
} ts_patch_report;

// Newton's method on the natural map, from r. The best point found is left in r. True where its residual, as the
// solver sees it, is at most `tolerance`.
bool ts_patch_solve(const ts_patch_problem *problem, double tolerance, int most_iterations, ts_arena *arena, double *r,
                    ts_patch_report *report);

// Along the path of solutions from the problem without friction, in at most `most_steps` steps: it finds solutions that
// are far from all starts, at the price of dozens of factorizations. r stays as it was where the path is lost.
bool ts_patch_follow(const ts_patch_problem *problem, double tolerance, int most_steps, ts_arena *arena, double *r,
                     ts_patch_report *report);

// Solve for patch after patch, the others as they are, by Newton's method and where that fails along its path. A patch
// that neither solves is left at the best point of Newton's method.
void ts_patch_sweep(const ts_patch_problem *problem, double tolerance, ts_arena *arena, double *r);

// What all this makes of a problem: groups of patches that do not act on each other each by itself; Newton's method,
// and where it ends elsewhere sweeps before it, until the residual is at most `enough`. `tolerance` is what Newton's
// method is after. The report has the worst residual of all groups, by the
// speed of all data.
bool ts_patch_solve_islands(const ts_patch_problem *problem, double tolerance, double enough, ts_arena *arena,
                            double *r, ts_patch_report *report);

#endif
