// What is said about a run at its end.
#ifndef TS_CLI_RUN_SUMMARY_H
#define TS_CLI_RUN_SUMMARY_H

#include "cli/json.h"

#include "touchstone/record.h"

typedef struct cli_solver_use {
  char *name;
  long long steps;
} cli_solver_use;

typedef struct cli_run_summary {
  long long steps;         // of the whole run
  long long resumed_steps; // of those, the ones that an earlier run has taken
  double time;             // simulated, at the end [s]
  double wall;             // that the steps of this run took, recording included [s]
  double in_steps;         // the same without what is around the steps [s]
  double worst_residual, tolerance;
  double accuracy; // of the options in force [m]; 0: off, -1: automatic
  long long uncertified;
  double first_uncertified;  // end of that step [s]
  long long within_length;   // certified ones that are not to the tolerance but within the length of the options
  double worst_length_error; // of these [m]
  long long jammed;          // of those, the ones that have no solution
  char jam[240];             // bodies that were jammed in the first of them that this run took
  long long tunnelled;       // of the uncertified ones, those in which bodies passed through each other
  long long gained;          // of the uncertified ones, those in which the method gained energy
  char tunnel[240];          // bodies that did in the first of them that this run took
  long long wedged;          // of those jammed: by friction
  long long unbalanced;      // steps in which nothing balanced what pulls a body
  long long stayed;          // quasi-static steps in which bodies stay because forces do not balance
  char unheld[240];          // such bodies
  long long tipping;         // steps in which a support would have to pull
  char tipped[240];          // bodies of these
  long long not_unique;      // steps that could have moved otherwise
  long long ambiguous;       // steps whose impulses are not the only ones that do the same
  double worst_penetration;  // [m]
  double penetration_bound;  // [m], above which the summary warns; INFINITY: never
  double worst_joint_error;  // [m, rad]
  double first_energy, last_energy;
  double contact_work, damping_work, drive_work, applied_work, stabilization_work; // [J]
  double stagger_work, integration_work;
  long long corrected_steps;     // that began with overlap taken out of positions
  double correction_work;        // [J]
  long long fallbacks, substeps; // substeps: of steps that were cut into parts
  long long cut_steps;
  double regularized, regularized_size; // time by fixed steps between events, and the longest of these [s]
  double contact_sum;
  int most_contacts;
  const char *own_stepper; // name of a stepper from outside, which need not solve anything; NULL: it is the library's
  long long unsolved;      // steps of such a stepper with contacts and without a problem that was solved
  const char *solver;      // that was asked for (static text)
  cli_solver_use *solvers; // in the order in which they came
  int solver_count;
  size_t memory; // of the simulation at most [bytes]
  int growths;
} cli_run_summary;

void cli_run_summary_init(cli_run_summary *summary, const ts_sim *sim); // before the first step
void cli_run_summary_release(cli_run_summary *summary);

void cli_run_summary_add(cli_run_summary *summary, double t, const ts_step_report *report);
// After the step was added: keep the names of the bodies when it is the first that is jammed, or that has bodies pass
// through each other.
void cli_run_summary_name_bodies(cli_run_summary *summary, const ts_sim *sim);
// The steps of an earlier run, as it recorded them.
void cli_run_summary_replay(cli_run_summary *summary, const ts_record *record);
void cli_run_summary_end(cli_run_summary *summary, const ts_sim *sim, double wall);

void cli_run_summary_print(const cli_run_summary *summary, FILE *out);
void cli_run_summary_json(const cli_run_summary *summary, cli_json *json); // members of an open object

#endif
