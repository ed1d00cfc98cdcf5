// Contact with friction as nonsmooth equations in a hybrid variable: 000 eqs. 27-35 (with corrections.md 8), 002.
//
// One variable z a contact row holds impulse and velocity at once: the impulse is F(z), the velocity v(z) = F(z) + z,
// and for every z the two obey Coulomb's law. What remains to be solved is that W turns the one into the other. With
// the impulses p of the bilateral rows, unknown x = (p, z):
//   phi_b = A_bb p + A_bu F(z) + b_b           = 0      A_bb = rho R, A_bu = rho V^T, b_b = s
//   phi_u = A_ub p + (A_uu - I) F(z) - z + b_u = 0      A_ub = rho V, A_uu = rho W,   b_u = q
// The impulse r = rho F makes the sum F + z one of velocities; rho = 1 is the paper's. Contacts are held in the units
// of their friction ellipsoid (r_t/e, e u_t), where the cone is round. Matrices are dense: the solvers that use this
// are for small problems, and the cost of an iteration is a factorization of `size` rows.
#ifndef TS_COMPLEMENTARITY_FRICTION_MNCP_H
#define TS_COMPLEMENTARITY_FRICTION_MNCP_H

#include "touchstone/problem.h"

#include "base/arena.h"

enum { TS_MNCP_MAX_DIMENSION = 4 };

typedef enum ts_mncp_mode { TS_MNCP_OPEN, TS_MNCP_STICK, TS_MNCP_SLIP } ts_mncp_mode;

typedef struct ts_mncp {
  int dimension, contacts, bilaterals;
  int size;                 // bilaterals + dimension*contacts
  double rho;               // impulse that counts as much as a velocity of 1
  const double *mu;         // contacts, the problem's
  double *axes;             // semi-axis of every contact row, 1 in normal rows
  double *A, *b;            // size x size column after column, and size
  double *force;            // scratch of ts_mncp_residual(): p, F(z)
  double *scale;            // of each contact, then of each bilateral row: what the measure multiplies velocities with
  double data, scaled_data; // size of b in round variables, and scaled: what the measure divides by
} ts_mncp;

// `impulse_scale`: rho, or 0 for 1 / mean diagonal of W.
void ts_mncp_init(ts_mncp *mncp, const ts_friction *problem, double impulse_scale, ts_arena *arena);

// ---- one contact, `d` components, normal first

ts_mncp_mode ts_mncp_mode_of(const double *z, double mu, int d);

// F(z), by the formula of `mode` whether or not z is in it: the pieces of F are smooth beyond their edges.
void ts_mncp_contact_force(ts_mncp_mode mode, const double *z, double mu, int d, double *F);

// dF/dz (d x d, column after column) by the formula of `mode`.
void ts_mncp_contact_derivative(ts_mncp_mode mode, const double *z, double mu, int d, double *dF);

// ---- the system

void ts_mncp_force(const ts_mncp *mncp, const double *x, double *force); // (p, F(z))
void ts_mncp_residual(const ts_mncp *mncp, const double *x, double *phi);
void ts_mncp_jacobian(const ts_mncp *mncp, const double *x, double *J); // one element of the generalized Jacobian
int ts_mncp_active(const ts_mncp *mncp, const double *x);               // contacts that are not open

// How far the point of x is from a solution, given phi = phi(x): the larger of the natural map of the problem scaled
// contact by contact, and of the unscaled one, each relative to its data. The definition of the certificate, by other
// code and without a product with W, since u = v(z) + phi.
double ts_mncp_measure(const ts_mncp *mncp, const double *x, const double *phi);

// ---- starting points, and back

void ts_mncp_start_free(const ts_mncp *mncp, double *x);                   // p = 0, z = q: the velocity without contact
void ts_mncp_start_stick(const ts_mncp *mncp, double *x, ts_arena *arena); // the impulses that stop every contact
void ts_mncp_start_at(const ts_mncp *mncp, const double *solution, double *x); // solution: r, l as ts_friction has them
void ts_mncp_recover(const ts_mncp *mncp, const double *x, double *solution);

#endif
