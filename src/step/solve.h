// The certified solve of a problem of a step.
#ifndef TS_STEP_SOLVE_H
#define TS_STEP_SOLVE_H

#include "step/step.h"

// A solve that is done again leaves nothing but its effort in the report, which is else as it was before.
void ts_forget_attempt(ts_sim *sim, const ts_step_report *before);

// Solve any complementarity problem of a step, built here and not checked again: by the solver that was asked for and,
// where that fails or does not take it, by `auto`. z: starting point where `warm`, and the best point found. True when
// it is certified to the tolerance. The effort goes into the report, nothing else: ts_sim_take_solve() is next.
bool ts_sim_solve(ts_sim *sim, const ts_problem *problem, bool warm, double *z, ts_report *solve);

// Run one solver, with options of the caller's. True when the problem is certified to the tolerance of the step. The
// effort goes into the report.
bool ts_sim_run_solver(ts_sim *sim, const ts_solver *solver, const ts_problem *problem, const ts_solve_options *options,
                       double *z, ts_report *solve);

// What a problem of `size` unknowns was solved to counts for the step: its certificate and the worst residual.
void ts_sim_take_solve(ts_sim *sim, int size, bool solved, const ts_report *solve);

// The velocity error that the options are content with in a problem of so many blocks [m/s]; 0: the residual counts.
double ts_step_velocity_error(const ts_step *step, int blocks);

// Velocity error of the worst contact up to which bodies count as resting where many contacts are solved within a
// length [m/s]; 0: they are not, or a solver is to run.
double ts_resting_velocity_error(const ts_step *step);

// Solve the friction problem of a system whose q is set. r: starting point where `warm`, and the solution.
void ts_step_solve(ts_step *step, const ts_system *system, bool warm, double *r);

#endif
