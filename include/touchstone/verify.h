/// Verifying designs level by level: cheap tests first, and each level only on what passed the one before (thesis 4.1,
/// 4.3.1). docs/studies.md tells how such a file is written.
#ifndef TOUCHSTONE_VERIFY_H
#define TOUCHSTONE_VERIFY_H

#include "touchstone/study.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ts_verification ts_verification;

/// Read a file. `request` (may be NULL) has overrides for the scenes of all levels. On failure *verification is NULL.
/// Release with ts_verification_destroy().
TS_API ts_status ts_verification_read(const char *path, const ts_scene_request *request, ts_verification **verification,
                                      ts_error *error);
TS_API void ts_verification_destroy(ts_verification *verification); ///< accepts NULL

TS_API const char *ts_verification_name(const ts_verification *verification);      ///< "" where it has none
TS_API uint64_t ts_verification_design_count(const ts_verification *verification); ///< designs
TS_API uint64_t ts_verification_run_count(const ts_verification *verification);    ///< runs of a design at a level
TS_API int ts_verification_level_count(const ts_verification *verification);       ///< levels
TS_API const char *ts_verification_level_name(const ts_verification *verification, int i); ///< as long as it exists
/// As ts_study_check_steps(), for the first run of the first design at every level that simulates.
TS_API ts_status ts_verification_check_steps(const ts_verification *verification, ts_error *error);
TS_API void ts_verification_allow_steps(ts_verification *verification); ///< runs may take any number of steps

/// What came of a level.
typedef struct ts_level_report {
  const char *name;         ///< valid as long as the verification
  bool simulates;           ///< false: it is an expression
  uint64_t designs, passed; ///< that came to it, and that passed it
  uint64_t runs;            ///< simulations
  uint64_t uncertified;     ///< designs with steps that are not certified
  uint64_t broken;          ///< runs that broke off, as where the scene does not take a parameter
  char why[480];            ///< sentence about the first of them; "" where there is none
  double seconds;           ///< that all its designs took, one after another [s]
  uint64_t sampled;         ///< designs, of all, on which it was measured without what comes before; 0: it was not
  double naive_seconds;     ///< that all designs would take at this level, from those [s]
} ts_level_report;

/// Run all levels; what is done already, in OUTPUT without its ending and the level's name behind it, is taken over.
/// Tables of the levels that simulate are NAME.LEVEL.h5 where `output` is NAME.h5, and NAME.LEVEL.naive.h5 of what they
/// were measured on. Of the options `jobs`, `fresh`, `progress` and `interrupt` count; those for several processes, or
/// for a part of the trials, are refused. `reports` has room for all levels. `passed` (may be NULL): called with the
/// number and the parameters of each design that passed all.
TS_API ts_status ts_verification_run(const ts_verification *verification, const char *output,
                                     const ts_sweep_options *options, ts_level_report *reports,
                                     void (*passed)(void *user, uint64_t design, const double *parameters), void *user,
                                     ts_error *error);
TS_API int ts_verification_parameter_count(const ts_verification *verification); ///< of a design
/// Valid as long as the verification.
TS_API const char *ts_verification_parameter_name(const ts_verification *verification, int i);
/// The parameters of a design. TS_INVALID: an expression cannot be evaluated for it.
TS_API ts_status ts_verification_parameters(const ts_verification *verification, uint64_t design, double *values,
                                            ts_error *error);

TS_API int ts_verify_key_count(void);        ///< keys of the format, for manuals and editors
TS_API ts_scene_key ts_verify_key_at(int i); ///< 0 <= i < ts_verify_key_count()

#ifdef __cplusplus
}
#endif

#endif
