// The friction problem as its solvers see it: bilateral rows gone, friction ellipsoids turned into round cones, every
// contact scaled by one number and the data to unit length.
//
//   W' = D W D, q' = D q / |D q|, r = D |D q| r',   D = diag(s_i, s_i e_t, ...), s_i = sqrt(d / trace(E W_ii E))
//
// One scalar a contact keeps the cone; the trace (not the largest eigenvalue) was the measured best choice.
// Vectors over contacts have `stride` numbers a contact (2 in the plane, else 4), the padding is zero.
#ifndef TS_COMPLEMENTARITY_FRICTION_CONE_PROBLEM_H
#define TS_COMPLEMENTARITY_FRICTION_CONE_PROBLEM_H

#include "touchstone/problem.h"

#include "base/arena.h"
#include "math/sparse_cholesky.h"

// W applied through the mass matrix, for problems whose W would be too large: W x = H^T M^-1 H x.
typedef struct ts_compliance {
  const ts_sparse_cholesky *mass;
  const ts_matrix *H;
  double *body, *scratch; // rows of M each
} ts_compliance;

typedef struct ts_cone_problem {
  int d, stride, contacts;
  size_t length;    // stride * contacts
  const int *start; // block pattern of W, shared with the problem it came from
  const int *index;
  const int *diagonal; // number of the diagonal block of each contact
  const double *W;     // scaled blocks: d columns of `stride` numbers
  const double *q;     // scaled, |q| = 1 (0 when the data is 0)
  const double *mu;
  const double *scale;             // D |D q|: original impulse = scale * r
  const double *contact_scale;     // s_i
  double data_size;                // |D q|
  double raw_data;                 // |E q|, for FCLIB's figure
  const ts_bodies *bodies;         // of the original problem, or NULL
  const ts_compliance *compliance; // NULL: W is complete; else it holds its diagonal blocks alone
} ts_cone_problem;

// Build the scaled problem from a local one without bilateral rows. Lives in the arena; borrows the pattern.
void ts_cone_problem_init(ts_cone_problem *p, const ts_friction *problem, ts_arena *arena);

// Vectors from and to the caller's order and scale (d*contacts numbers).
void ts_cone_import(const ts_cone_problem *p, const double *r, double *scaled);
void ts_cone_export(const ts_cone_problem *p, const double *scaled, double *r);

// u = W r + q.
void ts_cone_velocity(const ts_cone_problem *p, const double *r, double *u);
// y = W x.
void ts_cone_multiply(const ts_cone_problem *p, const double *x, double *y);

// Natural map of the scaled problem, |r - P_K(r - u - mu |u_t| n)|, where mu > 1 at least the error of the normal law;
// and the natural map in unscaled units over |E q|.
double ts_cone_residual(const ts_cone_problem *p, const double *r, const double *u);
double ts_cone_raw_residual(const ts_cone_problem *p, const double *r, const double *u);
// Velocity error of the worst contact, unscaled [m/s]; and the size of the data's velocities that go with it: the root
// of the mean square over contacts.
double ts_cone_velocity_error(const ts_cone_problem *p, const double *r, const double *u);
double ts_cone_data_speed(const ts_cone_problem *p);
// Natural residual of one contact, squared.
double ts_cone_contact_residual(const ts_cone_problem *p, int i, const double *r, const double *u);

// Euclidean projection of x (d numbers) on |x_t| <= mu x_n, in place.
void ts_cone_project(int d, double mu, double *x);

#endif
