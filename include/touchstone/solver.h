/// Solvers: a list of them, one call that runs any of them, and the report they all fill in.
#ifndef TOUCHSTONE_SOLVER_H
#define TOUCHSTONE_SOLVER_H

#include "touchstone/certificate.h"
#include "touchstone/problem.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How a run ended. Only SOLVED means that the certificate, measured afterwards, is within the tolerance; ACCURATE that
/// the measured velocity error of the worst contact is within what the options are content with; NO_SOLUTION that none
/// exists with impulses of less than 1e6 times what the data ask for, which was proven.
#define TS_OUTCOME_LIST(X)                                                                                             \
  X(SOLVED, "solved")                                                                                                  \
  X(ITERATION_LIMIT, "iteration-limit")                                                                                \
  X(TIME_LIMIT, "time-limit")                                                                                          \
  X(STALLED, "stalled")                                                                                                \
  X(RAY, "ray")                                                                                                        \
  X(BROKE_DOWN, "broke-down")                                                                                          \
  X(NO_SOLUTION, "no-solution")                                                                                        \
  X(ACCURATE, "accurate")

#define TS_OUTCOME_ENUM(name, text) TS_##name,
typedef enum ts_outcome { TS_OUTCOME_LIST(TS_OUTCOME_ENUM) TS_OUTCOME_COUNT } ts_outcome;
#undef TS_OUTCOME_ENUM

/// "solved", "iteration-limit", ... (static text).
TS_API const char *ts_outcome_name(ts_outcome outcome);

/// Line searches of the damped Newton solvers.
typedef enum ts_line_search { TS_NONMONOTONE, TS_MONOTONE } ts_line_search;

/// What a solver may be told. Start from ts_solve_options_default(); a zeroed struct is refused.
typedef struct ts_solve_options {
  double tolerance;           ///< scaled residual to reach, in (0, 1)
  int max_iterations;         ///< iterations, sweeps or pivots, all stages together; 0: the solver's own limit
  double time_limit;          ///< [s], > 0, may be INFINITY
  bool warm_start;            ///< use z as given; otherwise the solver starts from its own cold point
  double relaxation;          ///< over-relaxation of psor and nsgs, in (0, 2); 0: the solver's own
  double damping;             ///< initial Levenberg-Marquardt parameter, >= 0; 0: the solver's own
  double impulse_scale;       ///< rho of v = F/rho + z in the ncp solvers, > 0; 0: 1/mean diag(W); 1: paper 000
  ts_line_search line_search; ///< of fb-plm and ncp-plm
  double velocity_error; ///< [m/s] >= 0 friction: worst contact's error to be content with (certificate.h) after some
                         ///< effort; 0: the residual alone counts
  uint64_t seed;         ///< of the random perturbations of restarts
  uint32_t cookie;       ///< set by ts_solve_options_default()
} ts_solve_options;

/// field, type, default, unit, one line of help: --help and the manual's table come from here.
#define TS_SOLVE_OPTION_LIST(X)                                                                                        \
  X(tolerance, double, 1e-10, "", "scaled residual to reach")                                                          \
  X(max_iterations, int, 0, "", "iterations, sweeps or pivots (0: the solver's own limit)")                            \
  X(time_limit, double, INFINITY, "s", "time after which a solver stops with its best point")                          \
  X(warm_start, bool, false, "", "start from the given point instead of the solver's cold start")                      \
  X(relaxation, double, 0.0, "", "over-relaxation of psor and nsgs (0: the solver's own)")                             \
  X(damping, double, 0.0, "", "initial Levenberg-Marquardt parameter (0: the solver's own)")                           \
  X(impulse_scale, double, 0.0, "", "impulse scale of the ncp solvers (0: from W; 1: paper 000)")                      \
  X(line_search, ts_line_search, TS_NONMONOTONE, "", "line search of fb-plm and ncp-plm")                              \
  X(velocity_error, double, 0.0, "m/s", "friction: worst contact's error to be content with (0: the residual counts)") \
  X(seed, uint64_t, 1, "", "seed of the perturbations of restarts")

/// The defaults that the struct above states.
TS_API ts_solve_options ts_solve_options_default(void);

/// The one place that knows every range.
TS_API ts_status ts_solve_options_check(const ts_solve_options *options, ts_error *error);

/// One iteration of a run.
typedef struct ts_iteration {
  double residual; ///< what the solver believes at this point (its own measure)
  double step;     ///< step length taken, or 0
  double damping;  ///< Levenberg-Marquardt parameter, smoothing parameter, ..., or 0
  int active;      ///< active contacts or basic variables, or 0
} ts_iteration;

enum { TS_TRAIL_CAPACITY = 32 };

/// One stage of a solver that falls down a chain.
typedef struct ts_trail_entry {
  const char *solver; ///< static text
  ts_outcome outcome;
  int iterations, factorizations;
  double residual; ///< of the best point after this stage
  double seconds;
} ts_trail_entry;

/// What happened. Zero-initialize it, set the caller's buffers if wanted, and hand it to ts_solve().
typedef struct ts_report {
  ts_outcome outcome;
  const char *solver;            ///< the one that produced z (static text)
  int iterations;                ///< of all stages together: iterations, sweeps or pivots
  int factorizations;            ///< of all stages together
  int fallbacks;                 ///< stages that missed before the last one ran
  double residual;               ///< certificate, measured after the fact by ts_problem_residual()'s code
  double claimed;                ///< what the solver believed; far from `residual` means a bug in it
  double seconds;                ///< wall time of the whole call
  ts_friction_measures measures; ///< of friction problems; zero for the others
  ts_iteration *history;         ///< caller's buffer or NULL; filled with the first history_capacity iterations
  int history_capacity;
  int history_count;
  double *ray;    ///< caller's buffer of ts_problem_size() numbers or NULL: direction of a ray
  bool ray_found; ///< outcome TS_RAY and `ray` written
  double *jam; ///< friction: caller's buffer of a number a contact or NULL; after TS_NO_SOLUTION, the contacts' shares
               ///< in the infeasibility certificate, which add up to 1
  ts_trail_entry trail[TS_TRAIL_CAPACITY]; ///< the stages of a chain, in their order; of islands: the hardest one's
  int trail_count;
} ts_report;

/// Memory for solvers. Grows when a larger problem comes along and is kept; once it has reached its size, ts_solve()
/// allocates nothing. One workspace serves one thread at a time.
typedef struct ts_workspace ts_workspace;

/// Where a workspace gets its memory. `allocate` returns NULL on failure; both are handed `user`.
typedef struct ts_allocator {
  void *(*allocate)(void *user, size_t bytes);
  void (*release)(void *user, void *memory);
  void *user;
} ts_allocator;

/// Create a workspace. `allocator` is copied; NULL means malloc and free. NULL when memory runs out. Release with
/// ts_workspace_destroy(), which accepts NULL.
TS_API ts_workspace *ts_workspace_create(const ts_allocator *allocator);
/// Release a workspace. Accepts NULL.
TS_API void ts_workspace_destroy(ts_workspace *workspace);

/// Most bytes that were in use at once.
TS_API size_t ts_workspace_peak(const ts_workspace *workspace);

/// A solver; an entry of the list.
typedef struct ts_solver ts_solver;

/// How many solvers there are.
TS_API int ts_solver_count(void);
/// The i-th solver, 0 <= i < ts_solver_count().
TS_API const ts_solver *ts_solver_at(int i);
/// The solver of that name, or NULL.
TS_API const ts_solver *ts_solver_find(const char *name);
/// The name that ts_solver_find() takes (static text).
TS_API const char *ts_solver_name(const ts_solver *solver);
/// One line: the method and its source.
TS_API const char *ts_solver_summary(const ts_solver *solver);
/// The problem types it takes: a sum of ts_problem_type.
TS_API unsigned ts_solver_takes(const ts_solver *solver);
/// The iteration limit it uses when options say 0.
TS_API int ts_solver_default_limit(const ts_solver *solver);

/// Run a solver. `z` (ts_problem_size() numbers) is the warm start on entry where options say so, and the best point
/// found on return, whatever the outcome. TS_OK means that it ran: how it ended stands in `report`. TS_INVALID: the
/// problem or the options break their contract; TS_UNSUPPORTED: the solver does not take this type;
/// TS_OUT_OF_MEMORY: z is then any point. On the other failures z is untouched. `error` (may be NULL) says why.
TS_API ts_status ts_solve(const ts_solver *solver, const ts_problem *problem, const ts_solve_options *options,
                          ts_workspace *workspace, double *z, ts_report *report, ts_error *error);

#ifdef __cplusplus
}
#endif

#endif
