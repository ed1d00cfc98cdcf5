/// Studies: one simulation after another with other parameters, on all cores and on several machines, as a table of
/// what came of each. docs/studies.md tells how to write and run them.
///
/// A study is read from a file that names a scene (ts_study_read()), or made by a program whose own function is a trial
/// (ts_study_create()). Its trials are numbered from 0. What a trial gets depends on the study and on the number alone,
/// so the table is the same whoever runs which trial, and when.
#ifndef TOUCHSTONE_STUDY_H
#define TOUCHSTONE_STUDY_H

#include "touchstone/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ts_study ts_study;

// ---- what varies ---------------------------------------------------------------------------------------------------

/// How random parameters are drawn: name in files, and help.
#define TS_SAMPLING_LIST(X)                                                                                            \
  X(RANDOM, random, "independently of each other (Philox)")                                                            \
  X(LATIN, latin, "a Latin hypercube: each parameter has one value in each of `samples` parts of its distribution")    \
  X(SOBOL, sobol, "a scrambled Sobol sequence, which fills space evenly; best where samples are a power of 2")         \
  X(HALTON, halton, "a Halton sequence with permuted digits")                                                          \
  X(SALTELLI, saltelli, "2 + parameters trials a sample, from which total sensitivities follow (Saltelli)")
#define TS_SAMPLING_ENUM(enumerator, name, help) TS_SAMPLING_##enumerator,
typedef enum ts_sampling { TS_SAMPLING_LIST(TS_SAMPLING_ENUM) TS_SAMPLING_COUNT } ts_sampling;
#undef TS_SAMPLING_ENUM

typedef enum ts_variation_kind {
  TS_VARY_VALUES,      ///< `count` values, one after another: an axis of a grid
  TS_VARY_UNIFORM,     ///< random from low to high
  TS_VARY_LOG_UNIFORM, ///< random, the logarithm from that of low to that of high
  TS_VARY_NORMAL,      ///< random with mean and deviation; between low and high where these differ
  TS_VARY_TRIANGULAR,  ///< random from low to high, most often about mode
  TS_VARY_DISCRETE,    ///< random, one of `count` values with their weights (NULL: alike)
  TS_VARY_EXPRESSION   ///< follows from others
} ts_variation_kind;

/// A parameter and how it varies.
typedef struct ts_variation {
  const char
      *name; ///< letters, digits and _; not a column that all tables have, such as `steps` (docs/formats/table.md)
  const char *unit; ///< or NULL
  ts_variation_kind kind;
  int axis; ///< of values: those with the same number >= 1 go together, as columns of a table; 0: by themselves
  int count;
  const double *values, *weights;
  double low, high, mean, deviation, mode;
  const char *expression;
} ts_variation;

// ---- a trial -------------------------------------------------------------------------------------------------------

/// How a trial ended: name in tables.
#define TS_TRIAL_END_LIST(X)                                                                                           \
  X(FINISHED, "finished")                                                                                              \
  X(STOPPED, "stopped by")                                                                                             \
  X(LIMITED, "limit of")                                                                                               \
  X(FAILED, "failed:")
#define TS_TRIAL_END_ENUM(enumerator, text) TS_TRIAL_##enumerator,
typedef enum ts_trial_end { TS_TRIAL_END_LIST(TS_TRIAL_END_ENUM) TS_TRIAL_END_COUNT } ts_trial_end;
#undef TS_TRIAL_END_ENUM

typedef struct ts_trial {
  uint64_t number;
  const double *parameters;         ///< in the order of the study
  int attempt;                      ///< 0, and 1, 2, ... where it is tried again
  ts_interrupt_callback *interrupt; ///< to be asked now and then, or NULL; where it says so the trial returns
                                    ///< TS_INTERRUPTED
  void *interrupt_user;             ///< handed to it
} ts_trial;

/// What came of a trial. Zeros and NANs when the function is called.
typedef struct ts_trial_outcome {
  ts_trial_end end;
  uint64_t steps, uncertified; ///< steps that were taken, and those of them that are not certified
  double residual;             ///< the worst of all steps
  double *results;             ///< as many as the study has; NAN: there is none
  char text[512];              ///< what it was stopped by, which limit it met, or the sentence why it failed
} ts_trial_outcome;

/// What runs trials, on any number of threads. What is not TS_OK is a trial that failed with the sentence in `error`,
/// but for TS_INTERRUPTED: that trial leaves no trace.
typedef struct ts_trial_function {
  /// What a thread needs for itself; may be NULL. Calls do not overlap.
  ts_status (*create_worker)(void *user, void **worker, ts_error *error);
  void (*destroy_worker)(void *worker);
  ts_status (*run)(void *user, void *worker, const ts_trial *trial, ts_trial_outcome *outcome, ts_error *error);
  void *user;
} ts_trial_function;

/// A study of a program's own. All of it is copied but `function.user`.
typedef struct ts_study_def {
  const char *name;
  const ts_variation *variations;
  int variation_count;
  ts_sampling sampling;
  uint64_t samples; ///< draws for every point of the grid, >= 1
  uint64_t seed;
  const char *const *results; ///< names of the numbers that a trial yields (result_count); none that all tables have
  const char *const *units;   ///< theirs, or NULL
  int result_count;
  const char *version; ///< text that changes when trials would give other results; NULL: none
  int most_attempts;   ///< a trial that fails is tried so often, >= 1
  ts_trial_function function;
} ts_study_def;

enum { TS_MOST_TRIALS = 1000000000 };

/// On failure *study is NULL. Release with ts_study_destroy().
TS_API ts_status ts_study_create(const ts_study_def *def, ts_study **study, ts_error *error);
/// From a file. `request` (may be NULL) has overrides of the study's scene. Errors have file, line and column.
TS_API ts_status ts_study_read(const char *path, const ts_scene_request *request, ts_study **study, ts_error *error);
TS_API void ts_study_destroy(ts_study *study); ///< accepts NULL

TS_API const char *ts_study_name(const ts_study *study);     ///< "" where it has none
TS_API uint64_t ts_study_trial_count(const ts_study *study); ///< trials 0 to count - 1
TS_API uint64_t ts_study_cell_count(const ts_study *study);  ///< points of the grid; 1 where nothing is one
TS_API int ts_study_parameter_count(const ts_study *study);  ///< that vary, derived ones included
TS_API const char *ts_study_parameter_name(const ts_study *study, int i); ///< valid as long as the study
TS_API const char *ts_study_parameter_unit(const ts_study *study, int i); ///< "" where there is none
TS_API int ts_study_result_count(const ts_study *study);                  ///< numbers that a trial yields
TS_API const char *ts_study_result_name(const ts_study *study, int i);    ///< valid as long as the study
TS_API const char *ts_study_result_unit(const ts_study *study, int i);    ///< "" where there is none
/// The parameters of a trial. TS_INVALID: an expression cannot be evaluated for it.
TS_API ts_status ts_study_parameters(const ts_study *study, uint64_t trial, double *values, ts_error *error);
/// Run a trial here and now, as a sweep would. `outcome->results` has room for ts_study_result_count() numbers.
TS_API ts_status ts_study_run_trial(const ts_study *study, uint64_t trial, int attempt, ts_trial_outcome *outcome,
                                    ts_error *error);

/// The scene file of a study that was read, or NULL: its trials are a program's own. Valid as long as the study.
TS_API const char *ts_study_scene_path(const ts_study *study);
TS_API int64_t ts_study_step_limit(const ts_study *study); ///< steps that a trial may take; 0: no limit
/// TS_INVALID, with the count, if the first trial has more than 1e9 steps (ts_step_count_check()), and neither steps
/// nor seconds of trials are limited. Such trials fail unless ts_study_allow_steps() lets them run.
TS_API ts_status ts_study_check_steps(const ts_study *study, ts_error *error);
TS_API void ts_study_allow_steps(ts_study *study); ///< trials of a scene may take any number of steps
/// The scene of one trial, read by itself: its run is the trial, to the last bit. `attempt`: as ts_trial has it. On
/// failure *scene is NULL; release with ts_scene_destroy().
TS_API ts_status ts_study_read_scene(const ts_study *study, uint64_t trial, int attempt, ts_scene **scene,
                                     ts_error *error);

// ---- sweeps --------------------------------------------------------------------------------------------------------

enum { TS_SWEEP_NOTE_SIZE = 400 };

/// How far a sweep has come.
typedef struct ts_sweep_progress {
  uint64_t trials;                   ///< of the study
  uint64_t before, now;              ///< that were done when it began, and that it has done
  uint64_t ends[TS_TRIAL_END_COUNT]; ///< of all that are done, how they ended
  uint64_t uncertified;              ///< of these, with steps that are not certified
  double seconds;                    ///< that it has taken [s]
  bool others_work;                  ///< at the end: what has no row yet is what other workers are at
  char note[TS_SWEEP_NOTE_SIZE];     ///< sentence about a journal that is damaged, or ""
} ts_sweep_progress;

typedef struct ts_sweep_options {
  int jobs;             ///< threads, >= 1
  int worker, workers;  ///< of several processes that share the folder: 0 <= worker < workers; 0, 0: it is alone
  double stale;         ///< silence after which a worker of another machine counts as dead [s]
  bool fresh;           ///< throw away what is there
  bool extend;          ///< the study may have more samples than what is there
  bool retry_failed;    ///< try trials again that failed
  uint64_t trial_limit; ///< end after so many trials; 0: when all are done
  /// A counter that processes have in common (MPI), or NULL: tickets 0, 1, 2, ... over all of them.
  ts_status (*ticket)(void *user, uint64_t *ticket, ts_error *error);
  int processes; ///< that have it in common; 0: nobody knows
  /// Called about fifty times a second by the thread that called ts_study_sweep(), or NULL.
  void (*meanwhile)(void *user);
  /// Called about ten times a second by the thread that called ts_study_sweep(), or NULL.
  void (*progress)(void *user, const ts_sweep_progress *progress);
  void *user;                       ///< of all three
  ts_interrupt_callback *interrupt; ///< asked by all threads, or NULL: ends the sweep, trials under way are given up
  void *interrupt_user;             ///< handed to it
  uint32_t cookie;                  ///< set by ts_sweep_options_default()
} ts_sweep_options;
TS_API ts_sweep_options ts_sweep_options_default(void); ///< one thread, alone, going on with what is there

/// Make ready what ts_study_sweep() works in, as it does itself: `fresh` and `extend` are done then. For one of several
/// processes, before the others begin without these.
TS_API ts_status ts_study_prepare(const ts_study *study, const char *output, const ts_sweep_options *options,
                                  ts_error *error);
/// How a study stands by the rows that there are: `before` are done. Where nothing has been run nothing is made.
TS_API ts_status ts_study_stand(const ts_study *study, const char *output, ts_sweep_progress *progress,
                                ts_error *error);
/// Run the trials that have no row yet. Rows go to journals in OUTPUT.work, where they outlive this process whatever
/// becomes of it. TS_INVALID: what is there is of another study, and the sentence has the key that differs.
/// TS_INTERRUPTED: it was ended before its time. A name that no table can have is refused before the first trial.
/// `progress` (may be NULL) is how it stands at the end.
TS_API ts_status ts_study_sweep(const ts_study *study, const char *output, const ts_sweep_options *options,
                                ts_sweep_progress *progress, ts_error *error);
/// Make the table of all rows in the journals: `output` itself, HDF5 (.h5) or CSV (.csv), the same bytes whatever the
/// history; and beside it, in NAME.times.h5 or .csv, the seconds of every trial, which are not.
TS_API ts_status ts_study_pack(const ts_study *study, const char *output, ts_error *error);

/// Record a trial of a study that was read, by repeating it, as ts_recorder_create() writes runs.
TS_API ts_status ts_study_record_trial(const ts_study *study, uint64_t trial, int attempt, const char *path,
                                       ts_error *error);
/// Which trials to record.
typedef enum ts_keep {
  TS_KEEP_ALL,
  TS_KEEP_FAILED, ///< that failed, or have steps that are not certified
  TS_KEEP_FIRST   ///< a number of them
} ts_keep;
/// Record trials that have rows as OUTPUT.records/trial_N.h5; those that are there stay. `first`: how many, of
/// TS_KEEP_FIRST; `kept` (may be NULL): how many there are. Of the options `interrupt` counts.
TS_API ts_status ts_study_keep(const ts_study *study, const char *output, ts_keep which, uint64_t first,
                               const ts_sweep_options *options, uint64_t *kept, ts_error *error);

TS_API int ts_study_key_count(void);        ///< keys of the format of studies, for manuals and editors
TS_API ts_scene_key ts_study_key_at(int i); ///< 0 <= i < ts_study_key_count()

#ifdef __cplusplus
}
#endif

#endif
