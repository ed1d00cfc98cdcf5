// The equations phi(z) = 0 that a complementarity problem becomes under the Fischer-Burmeister function (000 eqs. 24
// and 25), with the point at which they were last evaluated. Shared by fb-rlm and fb-plm.
#ifndef TS_COMPLEMENTARITY_FB_SYSTEM_H
#define TS_COMPLEMENTARITY_FB_SYSTEM_H

#include "complementarity/damped_step.h"
#include "complementarity/mcp_view.h"
#include "complementarity/solver.h"

typedef struct ts_fb_system {
  ts_mcp_view view;
  ts_damped_step step;
  double *z, *F, *phi; // the current point, F and phi there
  double psi;          // |phi|^2 / 2, 000 eq. 25
  double residual;     // ts_mcp_view_residual() there, as of the last ts_fb_linearize()
  double data;         // 1 + |q|, q = F - J z
  double *trial_z, *trial_F, *trial_phi;
  double trial_psi;
  double *d;      // step
  double *best_z; // point of the smallest psi that was seen
  double best_psi, best_residual;
  ts_matrix J;    // of phi: storage of the view's Jacobian
  double *values; // J.value
} ts_fb_system;

// Set up and evaluate at the start (z as given when warm, else the cold start). False when F is not defined there.
bool ts_fb_init(ts_fb_system *system, const ts_problem *problem, ts_damped_method method, const ts_run *run,
                const double *start);

// Evaluate phi and psi at trial_z. False where F is not defined.
bool ts_fb_try(ts_fb_system *system);

// Make the trial point the current one.
void ts_fb_accept(ts_fb_system *system);

// Jacobian of phi, gradient of psi and the residual at the current point; keeps it when it is the best so far. False
// when the Jacobian is not defined.
bool ts_fb_linearize(ts_fb_system *system);

// psi < 1e-30 as in the paper, or the floor that rounding sets to |phi| (ERRATA A11), and a residual well within the
// tolerance.
bool ts_fb_converged(const ts_fb_system *system, double tolerance);

// |d| is below what changes z.
bool ts_fb_step_vanishes(const ts_fb_system *system, double length);

double ts_fb_slope(const ts_fb_system *system); // gradient . d

// Put the best point, moved into the box where that does no harm, into z, and what we believe of it into the report.
void ts_fb_finish(ts_fb_system *system, ts_run *run, double *z);

#endif
