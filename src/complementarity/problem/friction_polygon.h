// The friction ellipse replaced by a polygon: 000 eqs. 14-18, thesis (004) eqs. 2.65-2.70. The tangential impulse of a
// contact is a sum of directions, r_t = sum beta_j d_j with beta >= 0 and sum beta <= mu r_n, and
//   0 <= r_n _|_ u_n,   0 <= beta_j _|_ d_j . u_t + sigma,   0 <= sigma _|_ mu r_n - sum beta.
// d_j lies on the ellipse, so that the polygon is inscribed in it.
#ifndef TS_COMPLEMENTARITY_PROBLEM_FRICTION_POLYGON_H
#define TS_COMPLEMENTARITY_PROBLEM_FRICTION_POLYGON_H

#include "touchstone/problem.h"

#include "base/arena.h"

typedef struct ts_friction_polygon_options {
  int directions;     // in the tangent plane: even, at least 4; not read in the plane
  const double *slip; // dimension*contacts velocities, against which the first directions are turned; may be NULL
} ts_friction_polygon_options;

typedef struct ts_friction_polygon {
  int directions; // of one contact, those of the spin included
  int around;     // of them in the tangent plane (in the plane: 2)
  double *vector; // (dimension-1) numbers a direction, `directions` a contact
  double *first;  // 2 numbers a contact: the first direction where the ellipse is a unit circle. NULL in the plane
} ts_friction_polygon;

// Where the unknowns of a contact stand: r_n, then beta; sigma after beta, or behind all contacts.
typedef struct ts_friction_polygon_order {
  int bilaterals, contacts, directions; // unknowns l stand in front
  bool sigma_last;
} ts_friction_polygon_order;

int ts_friction_polygon_size(const ts_friction_polygon_order *order);

// Choose the directions of all contacts. TS_INVALID when the options break their contract.
ts_status ts_friction_polygon_choose(const ts_friction *problem, const ts_friction_polygon_options *options,
                                     ts_arena *arena, ts_friction_polygon *polygon, ts_error *error);

// M and q of the (mixed) linear problem, with the bilateral rows of `problem` in front. M is sparse where that pays.
ts_status ts_friction_polygon_assemble(const ts_friction *problem, const ts_friction_polygon *polygon,
                                       const ts_friction_polygon_order *order, ts_arena *arena, ts_matrix *M,
                                       const double **q, ts_error *error);

// r out of r_n and beta; and r_n, beta and sigma out of r and the velocity u.
void ts_friction_polygon_impulse(const ts_friction *problem, const ts_friction_polygon *polygon,
                                 const ts_friction_polygon_order *order, const double *lowered, double *r);
void ts_friction_polygon_decompose(const ts_friction *problem, const ts_friction_polygon *polygon,
                                   const ts_friction_polygon_order *order, const double *r, const double *u,
                                   double *lowered);

#endif
