// The smoothed contact law on which the path solvers walk. In Lorentz variables z_n = mu r_n, z_t = r_t the friction
// cone is |z_t| <= z_n; with the spectral values l_1,2 = x_n -+ |x_t| and p(l) = (l + sqrt(l^2 + 4 eps^2))/2 the
// projection on it becomes the smooth P_eps(x) = p(l_1) c_1 + p(l_2) c_2, and
//   F(z) = z - P_eps(z - u - (sqrt(|u_t|^2 + g^2) - g) n) = 0,   g = gamma eps,
// tends to Coulomb's law as eps -> 0. Contacts without friction keep their normal row alone.
#ifndef TS_COMPLEMENTARITY_FRICTION_SMOOTHING_H
#define TS_COMPLEMENTARITY_FRICTION_SMOOTHING_H

#include "complementarity/friction/cone_state.h"

typedef struct ts_smoothing {
  const ts_cone_problem *p;
  double *impulse;  // r = impulse * z
  double *velocity; // u in Lorentz variables = velocity * u
  double gamma;
  double largest_data; // largest |q| in Lorentz variables, whose length is 1
} ts_smoothing;

void ts_smoothing_init(ts_smoothing *s, const ts_cone_problem *p, double gamma, ts_arena *arena);

// r = impulse * z, u = W r + q.
void ts_smoothing_point(const ts_smoothing *s, const double *z, double *r, double *u);

// F at (z, u) for one eps; returns |F|. `system` (may be NULL) receives the blocks of dF with respect to r and u.
double ts_smoothing_map(const ts_smoothing *s, double eps, const double *z, const double *u, double *F,
                        ts_newton_system *system);

// A point that is moved along the path of zeros.
typedef struct ts_path_walk {
  ts_cone_state *state;
  ts_smoothing smoothing;
  double *z;            // the point
  double *r, *u, *F;    // of the last evaluation
  double *trial, *step; // scratch
} ts_path_walk;

// Begin at the smoothing parameter *eps = largest |q|, z = eps n, near the path for any problem.
void ts_path_walk_init(ts_path_walk *walk, ts_cone_state *state, double gamma, double *eps);

// |F| at z; fills r, u, F, and the blocks of `system` (may be NULL).
double ts_path_evaluate(ts_path_walk *walk, double eps, const double *z, ts_newton_system *system);

// step = -J^-1 b in the variables z, with the factor in the state's Newton system.
void ts_path_solve(const ts_path_walk *walk, const double *b, double *step);

// Factor J at z for one eps. False when the factor is useless.
bool ts_path_factor(ts_path_walk *walk, double eps, const double *z, double *norm);

// Damped Newton to the path at one eps until |F| <= centring eps sqrt(contacts), at least one step (the tolerance alone
// may let the point stand still while eps falls). Returns the steps it took, or -1; z is then anywhere.
int ts_path_centre(ts_path_walk *walk, double eps, double centring);

#endif
