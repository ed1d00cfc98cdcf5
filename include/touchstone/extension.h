/// Solvers, steppers, controllers and shapes of your own, beside those of the library and used by name as they are:
/// from a program with these headers alone, or from a shared library that `touchstone run --plugin FILE` loads.
/// docs/plugins.md has an example of each.
///
/// A set of extensions holds their definitions. It is filled first and only read from then on; models, simulations and
/// scenes that were made with it refer to it, and it must outlive them. Definitions are copied, but the texts, lists
/// and functions that they point to are not: they have to stay, as static ones do.
#ifndef TOUCHSTONE_EXTENSION_H
#define TOUCHSTONE_EXTENSION_H

#include "touchstone/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Of what a plug-in and the library have to agree on. It changes with everything below that changes.
#define TS_EXTENSION_INTERFACE 2

enum { TS_MOST_PARAMETERS = 16 }; ///< of one extension

/// A number that scenes may give: `parameters: {stiffness: 1e4}`.
typedef struct ts_parameter {
  const char *name;
  double fallback;    ///< value where it is left out
  double least, most; ///< both 0: anything finite
  const char *unit;   ///< "N/m", or ""
  const char *help;   ///< one line
} ts_parameter;

// ---- solvers -------------------------------------------------------------------------------------------------------

/// One run of a solver.
typedef struct ts_solver_run ts_solver_run;

/// A solver. It improves z (ts_problem_size() numbers): the starting point where options say `warm_start`, else
/// anything; and leaves the best point in it. What it returns is what it believes. The library measures the
/// certificate, and falls back to others where a step needs more.
typedef struct ts_solver_def {
  const char *name;    ///< in scenes and `--solver`: lower case letters, digits and -, not that of another solver
  const char *summary; ///< one line for `touchstone list solvers`
  unsigned takes;      ///< problem types: a sum of ts_problem_type
  int limit;           ///< iterations where options say 0, >= 1
  ts_outcome (*solve)(void *user, const ts_problem *problem, ts_solver_run *run, double *z);
  void *user; ///< handed to `solve`
} ts_solver_def;

/// What the caller asks for.
TS_API const ts_solve_options *ts_solver_run_options(const ts_solver_run *run);
/// Iterations that it may take.
TS_API int ts_solver_run_limit(const ts_solver_run *run);
/// Count an iteration. `residual` is what the solver believes at this point, `step` the length of its step or 0.
TS_API void ts_solver_run_record(ts_solver_run *run, double residual, double step);
/// Whether its time is over: it then returns TS_TIME_LIMIT with the best point.
TS_API bool ts_solver_run_is_over(const ts_solver_run *run);
/// Zeros for the length of the run. Where memory runs out the run is given up, without coming back.
TS_API double *ts_solver_run_numbers(ts_solver_run *run, size_t count);

// ---- steppers ------------------------------------------------------------------------------------------------------

/// A step in the making.
typedef struct ts_stepping ts_stepping;

/// A time-stepper. When `step` is called joints and drives, the velocities that bodies would reach untouched, and
/// contacts are there. It finds the impulses of all blocks; the library applies them, moves the bodies, reports works,
/// watches the energy, cuts steps that are not certified, and saves and restores what the stepper keeps.
typedef struct ts_stepper_def {
  const char
      *name; ///< in scenes: `step: {method: NAME}`; lower case letters, digits and -, not that of another stepper
  const char *summary;            ///< one line for `touchstone list steppers`
  const ts_parameter *parameters; ///< `step: {parameters: {...}}` (parameter_count), or NULL
  int parameter_count;            ///< at most TS_MOST_PARAMETERS
  int number_count;               ///< numbers that it keeps from step to step, 0 at first; checkpoints have them
  /// Refuse a model with a sentence, by ts_fail(); NULL: takes all.
  ts_status (*check)(void *user, const ts_model *model, const double *parameters, ts_error *error);
  /// False: numbers that are not finite came up.
  bool (*step)(void *user, ts_stepping *stepping);
  void *user; ///< handed to both
} ts_stepper_def;

TS_API const ts_sim *ts_stepping_sim(const ts_stepping *stepping);        ///< at the start of the step
TS_API double ts_stepping_size(const ts_stepping *stepping);              ///< length of the step, or substep [s]
TS_API const double *ts_stepping_parameters(const ts_stepping *stepping); ///< in the order of the definition
TS_API double *ts_stepping_numbers(ts_stepping *stepping);                ///< that it keeps (number_count)
TS_API double *ts_stepping_scratch(ts_stepping *stepping, size_t count);  ///< zeros for the length of the step
/// Velocities that the bodies reach without contacts, stops and drives of limited force, joints obeyed: linear part at
/// the centre of mass, world axes (ts_model_body_count()).
TS_API const ts_twist *ts_stepping_free_velocities(const ts_stepping *stepping);
/// Contacts that may close within the step, with frames, gaps and laws.
TS_API const ts_contact *ts_stepping_contacts(const ts_stepping *stepping, int *count);
/// The friction problem of the step, u = W r + q with q the relative velocities at the free ones. Blocks are the
/// contacts in their order, then stops and drives of limited force; each has `dimension` rows: n, t (o, and spin where
/// a law has it).
TS_API const ts_problem *ts_stepping_problem(const ts_stepping *stepping);
/// Ask for a normal velocity of a contact, such as -gap/h: complementary to its impulse are then velocities above it
/// [m/s].
TS_API void ts_stepping_ask(ts_stepping *stepping, int contact, double velocity);
/// Solve a problem, the step's own or any other, by the solver of the options and, where that fails, by others. z: as
/// many numbers as the problem has, the start where `warm`. True: certified to the tolerance. The step counts what it
/// was solved to.
TS_API bool ts_stepping_solve(ts_stepping *stepping, const ts_problem *problem, bool warm, double *z);
/// The impulses of all blocks [N s], zeros at first, which the step applies when `step` returns.
TS_API double *ts_stepping_impulses(ts_stepping *stepping);

// ---- controllers ---------------------------------------------------------------------------------------------------

/// What a controller is called with.
typedef struct ts_control {
  ts_sim *sim;              ///< ts_sim_push() and the like act on the step that comes
  double time;              ///< [s]
  double size;              ///< of the step that comes [s]
  const double *parameters; ///< in the order of the definition
  double *numbers;          ///< that it keeps (number_count)
} ts_control;

/// A controller: `controllers: [{type: NAME, parameters: {...}}]`. It is called before every step, and again where a
/// step is cut or taken once more, with its numbers as they were.
typedef struct ts_controller_def {
  const char *name;    ///< lower case letters, digits and -
  const char *summary; ///< one line for `touchstone list controllers`
  const ts_parameter *parameters;
  int parameter_count;
  int number_count; ///< numbers that it keeps from step to step, 0 at first; checkpoints have them
  /// Refuse a model with a sentence, by ts_fail(); NULL: takes all.
  ts_status (*check)(void *user, const ts_model *model, const double *parameters, ts_error *error);
  void (*control)(void *user, const ts_control *control);
  void *user; ///< handed to both
} ts_controller_def;

/// Add a controller to a model. `parameters` in the order of the definition (parameter_count), or NULL: the defaults.
TS_API ts_status ts_builder_add_controller(ts_builder *builder, const ts_controller_def *def, const double *parameters,
                                           ts_error *error);

// ---- shapes --------------------------------------------------------------------------------------------------------

/// The other shape of a pair, seen from the frame of one's own: all that follows is in that frame [m].
typedef struct ts_neighbour ts_neighbour;

/// What it is: kind and numbers; `own` and `parameters`, all of them, of another shape of one's own.
TS_API const ts_shape *ts_neighbour_shape(const ts_neighbour *other);
/// Where a point of its frame is, {0, 0, 0} being its origin; and where a direction along its axes points.
TS_API ts_vec3 ts_neighbour_point(const ts_neighbour *other, ts_vec3 point);
/// Likewise.
TS_API ts_vec3 ts_neighbour_direction(const ts_neighbour *other, ts_vec3 direction);
/// Signed distance of a point from it, negative inside; the normal points from it to the point, which is point_1. Not
/// of a shape of one's own.
TS_API void ts_neighbour_distance(const ts_neighbour *other, ts_vec3 point, ts_separation *separation);
/// Its point that is furthest along a direction. Not of planes, nor of shapes of one's own.
TS_API ts_vec3 ts_neighbour_support(const ts_neighbour *other, ts_vec3 direction);

/// Where a query puts what it finds.
typedef struct ts_touches ts_touches;

/// Report a touch: a point on the surface of one's own shape, the unit normal from the other shape to it, and the
/// signed gap: point - gap normal lies on the other shape. `feature` is a number from 0 to 65535 that tells touches of
/// a pair apart and stays the same from step to step while they touch there: what they bore is then a first guess.
TS_API void ts_touches_add(ts_touches *touches, ts_vec3 point, ts_vec3 normal, double gap, int feature);

enum { TS_MOST_TOUCHES = 4096 }; ///< that a query may report

/// How large a shape of one's own is, in its frame.
typedef struct ts_shape_extent {
  ts_vec3 low, high;   ///< corners of a box that holds it [m]
  double inner_radius; ///< nothing of it is thinner than twice this [m], 0: as thin as a sheet. What moves farther than
                       ///< that in a step is watched, lest it pass through
} ts_shape_extent;

/// A kind of shape: `shape: {own: {type: NAME, parameters: {...}}}`, in space. It need not be convex. Its functions are
/// handed the parameters in the order of the definition, may be called by several threads at once, and answer the same
/// to the same question.
struct ts_shape_def {
  const char *name;    ///< lower case letters, digits and -, not that of another shape
  const char *summary; ///< one line for `touchstone list shapes`
  const ts_parameter *parameters;
  int parameter_count;
  unsigned kinds;            ///< of the library that `touch` knows: a sum of 1u << TS_SHAPE_...
  const char *const *others; ///< names of shapes of one's own that it knows, its own where it meets its like; ended by
                             ///< NULL. NULL: none. Of two shapes it is enough that one knows the other
  /// Refuse parameters that do not go together with a sentence, by ts_fail(); NULL: takes all within their ranges.
  ts_status (*check)(void *user, const double *parameters, ts_error *error);
  ts_shape_extent (*measure)(void *user, const double *parameters);
  /// For density 1. NULL: scenes have to give mass and inertia.
  ts_mass_properties (*mass)(void *user, const double *parameters);
  /// Hand its faces to `face` with `drawing`, for pictures; what has no three corners, or no finite ones, is left out.
  /// NULL: its box is drawn.
  void (*draw)(void *user, const double *parameters, ts_shape_face *face, void *drawing);
  /// Where it touches another shape, or would: report the nearest touch, however far it is, and all others whose gap is
  /// at most `margin`, in an order that does not depend on it. Each stands for a constraint of its own: enough of them
  /// to hold the pair apart. No memory should be allocated. False: it cannot tell, and the step fails.
  bool (*touch)(void *user, const double *parameters, const ts_neighbour *other, double margin, ts_touches *touches);
  void *user; ///< handed to all of them
};

// ---- sets of them --------------------------------------------------------------------------------------------------

/// NULL when memory runs out. Release with ts_extensions_destroy(), which accepts NULL.
TS_API ts_extensions *ts_extensions_create(void);
/// Release a set, and the libraries that it has loaded. Accepts NULL.
TS_API void ts_extensions_destroy(ts_extensions *extensions);

/// Add a definition. TS_INVALID where it lacks something, or has a name that is taken.
TS_API ts_status ts_extensions_add_solver(ts_extensions *extensions, const ts_solver_def *def, ts_error *error);
/// Likewise.
TS_API ts_status ts_extensions_add_stepper(ts_extensions *extensions, const ts_stepper_def *def, ts_error *error);
/// Likewise.
TS_API ts_status ts_extensions_add_controller(ts_extensions *extensions, const ts_controller_def *def, ts_error *error);
/// Likewise.
TS_API ts_status ts_extensions_add_shape(ts_extensions *extensions, const ts_shape_def *def, ts_error *error);

/// What has been added, by name; NULL for none. `extensions` may be NULL: none.
TS_API const ts_solver *ts_extensions_solver(const ts_extensions *extensions, const char *name);
/// Likewise.
TS_API const ts_stepper *ts_extensions_stepper(const ts_extensions *extensions, const char *name);
/// Likewise.
TS_API const ts_controller_def *ts_extensions_controller(const ts_extensions *extensions, const char *name);
/// Likewise. `ts_shape.own` takes it.
TS_API const ts_shape_def *ts_extensions_shape(const ts_extensions *extensions, const char *name);

/// The kinds of extensions, and what one is in a list.
typedef enum ts_extension_kind {
  TS_EXTENSION_SOLVER,
  TS_EXTENSION_STEPPER,
  TS_EXTENSION_CONTROLLER,
  TS_EXTENSION_SHAPE
} ts_extension_kind;

typedef struct ts_extension_info {
  const char *name, *summary;
  const ts_parameter *parameters; ///< (parameter_count); solvers have none
  int parameter_count;
} ts_extension_info;

/// The i-th extension of a kind, in the order they were added, from 0. False: there are no more. `extensions` may be
/// NULL.
TS_API bool ts_extensions_at(const ts_extensions *extensions, ts_extension_kind kind, int i, ts_extension_info *info);

// ---- plug-ins ------------------------------------------------------------------------------------------------------

/// What a shared library has under the name `touchstone_plugin`:
///   const ts_plugin touchstone_plugin = {TS_EXTENSION_INTERFACE, "mine", add};
typedef struct ts_plugin {
  int interface;                                                ///< that it was compiled with
  const char *name;                                             ///< for messages
  ts_status (*add)(ts_extensions *extensions, ts_error *error); ///< adds what the library has
} ts_plugin;

/// Load a shared library and add what it has. Nothing is loaded unless a program asks for it: scenes cannot. On failure
/// one sentence says whether it is no library, has no `touchstone_plugin`, or was made for another interface.
TS_API ts_status ts_extensions_load(ts_extensions *extensions, const char *path, ts_error *error);

#ifdef __cplusplus
}
#endif

#endif
