// The inside of a solver: what its table entry holds and what it is handed when it runs.
#ifndef TS_COMPLEMENTARITY_SOLVER_H
#define TS_COMPLEMENTARITY_SOLVER_H

#include "touchstone/solver.h"

#include "base/arena.h"
#include "base/team.h"

// Asked in every iteration; true: stop with the best point.
typedef struct ts_interrupt {
  bool (*ask)(void *user); // NULL: nobody asks
  void *user;
} ts_interrupt;

// All runs with this workspace ask it from now on; they then end as out of time.
void ts_workspace_set_interrupt(ts_workspace *workspace, ts_interrupt interrupt);

// All runs with this workspace may share their work among the team, which must outlive them; NULL: none. Results do not
// depend on it. Interrupts are asked by the caller's thread alone.
void ts_workspace_set_team(ts_workspace *workspace, ts_team *team);

// One run of one solver. Everything a solver allocates comes from the arena and is gone when it returns.
typedef struct ts_run {
  const ts_solve_options *options;
  ts_arena *arena;
  ts_team *team;      // may be NULL
  ts_report *report;  // of the whole call: a stage of a chain adds to its counts
  double started;     // ts_clock_seconds() when the run, or the last stage of it that was entered in the trail, began
  double deadline;    // ts_clock_seconds() at which to stop with the best point
  bool timed;         // else times in the report are 0
  int limit;          // iterations this run may take
  double whole_speed; // of a run on a part of a problem: speed of the whole's data [m/s]; 0: the problem is the whole
  ts_interrupt interrupt;
  const ts_solver *solver; // that runs
} ts_run;

struct ts_solver {
  const char *name;    // what scene files and --solver say: "fb-rlm"
  const char *summary; // one line for `touchstone list solvers`, with its source
  unsigned takes;      // sum of ts_problem_type
  int limit;           // iterations when the options say 0
  // Improve z (warm start where options say so, else overwrite it with the cold start) and leave the best point in it.
  // Returns how it ended; sets report->claimed; adds to report->iterations and ->factorizations.
  ts_outcome (*solve)(const ts_problem *problem, ts_run *run, double *z);
};

// What friction solvers aim at, as a share of the tolerance: well inside it, for the certificate adds in another order.
#define TS_SHARE_OF_TOLERANCE 0.5

// A guess is taken as it is only well inside the target, within this share of it: what it is wrong by the next steps
// would have to put right, which never ends where each of them takes the guess of the one before.
#define TS_SHARE_FOR_A_GUESS 0.02

bool ts_run_out_of_time(const ts_run *run);

// Iterations that the options still allow, all stages of a chain together; INT_MAX where they set no limit.
int ts_run_iterations_left(const ts_run *run);

// Out of time, or out of those iterations.
bool ts_run_is_over(const ts_run *run);

// TS_TIME_LIMIT or TS_ITERATION_LIMIT where that is so, else `otherwise`.
ts_outcome ts_run_ending(const ts_run *run, ts_outcome otherwise);

// Velocity error of the worst contact that the certificate will be content with, the data's root mean square being
// `speed` [m/s]; 0: none will do.
double ts_run_velocity_error(const ts_run *run, double speed);

// Count an iteration, and keep it in the history when the caller asked for one.
void ts_run_record(ts_run *run, double residual, double step, double damping, int active);

// Enter a stage that has just ended in the trail, with the counts that the report had when it began. It is taken to
// have begun where the last one ended; one that solved the problem is taken to be the last, and to go on to the end of
// the run.
void ts_run_enter_stage(ts_run *run, const char *solver, ts_outcome outcome, double residual, int iterations_before,
                        int factorizations_before);

// The run, or its part that has a trail of its own, has ended now: so has a stage that solved the problem.
void ts_run_time_last_stage(const ts_run *run, double now);

// Run `solver` as a stage of a chain: with its own limit or what is left of the parent's, the options' warm start set
// to `warm`, certified, and entered in the trail. Returns the certified outcome.
ts_outcome ts_run_stage(const ts_solver *solver, const ts_problem *problem, ts_run *parent, bool warm, double *z);

// ts_solve() without its checks, for a problem, options and a starting point that are known to keep their contracts. On
// a single contact reading the clock would take a tenth of the time: without a time limit the report's times are 0.
ts_status ts_solve_unchecked(const ts_solver *solver, const ts_problem *problem, const ts_solve_options *options,
                             ts_workspace *workspace, double *z, ts_report *report, ts_error *error);

// Residual by the certificate, scratch from the arena, shared among the team (or NULL); fills report->measures for
// friction problems.
double ts_certify(const ts_problem *problem, const double *z, ts_team *team, ts_arena *arena,
                  ts_friction_measures *measures);

// Whether a certified point counts as solved: the scaled residual, and for friction problems FCLIB's figure as well,
// within the tolerance.
bool ts_certificate_passes(const ts_problem *problem, double residual, const ts_friction_measures *measures,
                           double tolerance);

// Whether a certified point of a friction problem is within the velocity error that the options state, or within
// TS_SHARE_OF_SPEED of the data's speed. Never where they state none.
bool ts_certificate_is_accurate(const ts_problem *problem, const ts_friction_measures *measures, double velocity_error);

#endif
