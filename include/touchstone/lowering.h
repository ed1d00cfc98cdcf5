/// Turning a friction problem into another type, and its solution back. A lowered problem owns its data.
#ifndef TOUCHSTONE_LOWERING_H
#define TOUCHSTONE_LOWERING_H

#include "touchstone/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A lowered problem together with what is needed to translate solutions. Independent of the original. Serves one
/// thread at a time, the callbacks of a lowered MCP included.
typedef struct ts_lowering ts_lowering;

/// Friction ellipsoid as a quadratic cone (thesis eq. 2.77): an MCP in l (free), then r_n, r_t (free) and sigma of
/// each contact: 0 <= r_n _|_ u_n >= 0; D^2 mu r_n u_t + r_t sigma = 0; 0 <= sigma _|_ (mu r_n)^2 - |D^-1 r_t|^2 >= 0.
/// Local friction problems only. On failure *lowering is NULL. Release with ts_lowering_destroy().
TS_API ts_status ts_lower_to_mcp(const ts_friction *problem, ts_lowering **lowering, ts_error *error);

/// Friction polygon with `directions` directions a contact (000 eq. 22): an MLCP in l (free), then per contact r_n and
/// the direction impulses beta, then all sigma. Directions are evenly spread over the ellipse, the first along +t1;
/// in the plane they are +t and -t whatever `directions` says; with spin two more along +-spin are added.
/// `slip` (dimension*contacts velocities, may be NULL): the first direction is turned against the slip of each contact
/// whose tangential part is not zero. `directions` is even and at least 4.
TS_API ts_status ts_lower_to_mlcp(const ts_friction *problem, int directions, const double *slip,
                                  ts_lowering **lowering, ts_error *error);

/// The same with the bilateral rows eliminated: an LCP ordered per contact (r_n, beta, sigma), of size
/// contacts*(directions+2). TS_UNSUPPORTED when R is singular.
TS_API ts_status ts_lower_to_lcp(const ts_friction *problem, int directions, const double *slip, ts_lowering **lowering,
                                 ts_error *error);

/// The lowered problem; valid as long as the lowering.
TS_API const ts_problem *ts_lowering_problem(const ts_lowering *lowering);

/// Translate a solution of the lowered problem into r and l of the original.
TS_API void ts_lowering_recover(const ts_lowering *lowering, const double *lowered, double *original);

/// Translate a point of the original into a starting point of the lowered problem.
TS_API void ts_lowering_start(const ts_lowering *lowering, const double *original, double *lowered);

/// Release a lowering and its problem. Accepts NULL.
TS_API void ts_lowering_destroy(ts_lowering *lowering);

/// A global problem condensed to W = H^T M^-1 H, q = H^T M^-1 f + w (and V, R, s with bilateral rows). Owns its data:
/// independent of the original. Serves one thread at a time.
typedef struct ts_condensed ts_condensed;

/// TS_INVALID when M is not symmetric positive definite. On failure *condensed is NULL. Release with
/// ts_condensed_destroy(), which accepts NULL.
TS_API ts_status ts_condense(const ts_global_friction *problem, ts_condensed **condensed, ts_error *error);

/// The condensed problem; valid as long as `condensed`.
TS_API const ts_problem *ts_condensed_problem(const ts_condensed *condensed);

/// Translate a solution (r, l) of the condensed problem into (r, l, v) of the global one.
TS_API void ts_condensed_recover(const ts_condensed *condensed, const double *local, double *global);

/// Release a condensed problem. Accepts NULL.
TS_API void ts_condensed_destroy(ts_condensed *condensed);

#ifdef __cplusplus
}
#endif

#endif
