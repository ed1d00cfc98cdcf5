// Maps of one contact whose zero is Coulomb's law, with the blocks of their derivative: F(r, u) and dF = A dr + B du.
// All blocks are d x d, column-major. rho > 0 is the step of the projection.
#ifndef TS_COMPLEMENTARITY_FRICTION_CONTACT_MAP_H
#define TS_COMPLEMENTARITY_FRICTION_CONTACT_MAP_H

typedef void ts_contact_map(int d, double mu, double rho, const double *r, const double *u, double *F, double *A,
                            double *B);

// Alart-Curnier: the normal impulse is projected on the half line, the tangential one on the disc of radius
// mu max(0, r_n - rho u_n). A and B may be NULL.
ts_contact_map ts_alart_curnier;

// Natural map of De Saxce's form: F = r - P_K(r - rho (u + mu |u_t| n)).
ts_contact_map ts_natural_map;

#endif
