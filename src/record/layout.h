// What a run on disk holds, whatever the format: tables of named columns. States, contacts and steps are always there,
// joints where they are measured, impacts where steps locate them. In memory every value is a double; in a column of
// names it is the number of one.
#ifndef TS_RECORD_LAYOUT_H
#define TS_RECORD_LAYOUT_H

#include "record/vocabulary.h"

#include "touchstone/sim.h"

// A body as a run describes it.
typedef struct ts_run_body {
  const char *name;
  ts_body_kind kind;
  ts_pose pose; // when the run began; of fixed bodies always
} ts_run_body;

// A joint as a run describes it.
typedef struct ts_run_joint {
  const char *name;
  ts_joint_measure measure;
  bool is_unknown; // whether an angle or a length: the format does not tell
} ts_run_joint;

// What is said about a run once.
typedef struct ts_run_setup {
  bool planar;
  double step_size, tolerance;
  const char *method, *solver; // as the options name them
  const char *scene;           // text, or NULL
  int body_count;
  const ts_run_body *bodies;
  int joint_count; // that are recorded
  const ts_run_joint *joints;
  bool locates_impacts;
} ts_run_setup;

// What a column holds: numbers, whole numbers, or names of bodies, contact modes, solvers or joints (-1: none).
typedef enum ts_column_kind {
  TS_COLUMN_REAL,
  TS_COLUMN_WHOLE,
  TS_COLUMN_BODY,
  TS_COLUMN_MODE,
  TS_COLUMN_SOLVER,
  TS_COLUMN_JOINT,
  TS_COLUMN_KIND_COUNT
} ts_column_kind;

typedef struct ts_column {
  const char *name;
  ts_column_kind kind;
  const char *unit; // or ""
} ts_column;

// name, kind, unit, value: of contact c in the step of length h that ended at time t; mean and max of what the bodies
// did since the last recorded state
#define TS_CONTACT_COLUMN_LIST(X)                                                                                      \
  X(t, REAL, "s", t)                                                                                                   \
  X(body1, BODY, "", c->body_1)                                                                                        \
  X(body2, BODY, "", c->body_2 == TS_WORLD ? c->body_1 : c->body_2)                                                    \
  X(px, REAL, "m", c->point.x)                                                                                         \
  X(py, REAL, "m", c->point.y)                                                                                         \
  X(pz, REAL, "m", c->point.z)                                                                                         \
  X(nx, REAL, "", c->normal.x)                                                                                         \
  X(ny, REAL, "", c->normal.y)                                                                                         \
  X(nz, REAL, "", c->normal.z)                                                                                         \
  X(tx, REAL, "", c->tangent.x)                                                                                        \
  X(ty, REAL, "", c->tangent.y)                                                                                        \
  X(tz, REAL, "", c->tangent.z)                                                                                        \
  X(gap, REAL, "m", c->gap)                                                                                            \
  X(pn, REAL, "N s", c->impulse[0])                                                                                    \
  X(pt, REAL, "N s", c->impulse[1])                                                                                    \
  X(po, REAL, "N s", c->impulse[2])                                                                                    \
  X(pr, REAL, "N m s", c->impulse[3])                                                                                  \
  X(fn, REAL, "N", c->impulse[0] / h)                                                                                  \
  X(ft, REAL, "N", c->impulse[1] / h)                                                                                  \
  X(fo, REAL, "N", c->impulse[2] / h)                                                                                  \
  X(fr, REAL, "N m", c->impulse[3] / h)                                                                                \
  X(slip, REAL, "m/s", hypot(c->velocity[1], c->velocity[2]))                                                          \
  X(mode, MODE, "", c->mode)                                                                                           \
  X(patch, WHOLE, "", c->patch)                                                                                        \
  X(dn, REAL, "m", c->deflection[0])                                                                                   \
  X(dt, REAL, "m", c->deflection[1])                                                                                   \
  X(do, REAL, "m", c->deflection[2])                                                                                   \
  X(core, REAL, "N s", c->core)                                                                                        \
  X(summed, WHOLE, "", c->summed)                                                                                      \
  X(fn_mean, REAL, "N", mean)                                                                                          \
  X(fn_max, REAL, "N", max)

// name, kind, unit, value: from report r of the step that ended at time t. Wall time is left out on purpose: the same
// run gives the same file.
#define TS_STEP_COLUMN_LIST(X)                                                                                         \
  X(t, REAL, "s", t)                                                                                                   \
  X(solver, SOLVER, "", solver)                                                                                        \
  X(iterations, WHOLE, "", r->iterations)                                                                              \
  X(residual, REAL, "", r->residual)                                                                                   \
  X(contacts, WHOLE, "", r->contacts)                                                                                  \
  X(penetration, REAL, "m", r->penetration)                                                                            \
  X(energy, REAL, "J", r->kinetic_energy + r->potential_energy)                                                        \
  X(kinetic, REAL, "J", r->kinetic_energy)                                                                             \
  X(potential, REAL, "J", r->potential_energy)                                                                         \
  X(contact_work, REAL, "J", r->contact_work)                                                                          \
  X(damping_work, REAL, "J", r->damping_work)                                                                          \
  X(drive_work, REAL, "J", r->drive_work)                                                                              \
  X(applied_work, REAL, "J", r->applied_work)                                                                          \
  X(stabilization_work, REAL, "J", r->stabilization_work)                                                              \
  X(correction_work, REAL, "J", r->correction_work)                                                                    \
  X(taken_out, REAL, "m, rad", r->taken_out)                                                                           \
  X(stagger_work, REAL, "J", r->stagger_work)                                                                          \
  X(integration_work, REAL, "J", r->integration_work)                                                                  \
  X(rebound_scale, REAL, "", r->energy_scaled_back)                                                                    \
  X(regularized, REAL, "s", r->regularized)                                                                            \
  X(regularized_size, REAL, "s", r->regularized_size)                                                                  \
  X(certified, WHOLE, "", r->certified)                                                                                \
  X(jammed, WHOLE, "", r->jammed)                                                                                      \
  X(wedged, WHOLE, "", r->wedged)                                                                                      \
  X(tunnelled, WHOLE, "", r->tunnelled)                                                                                \
  X(gained, WHOLE, "", r->gained)                                                                                      \
  X(unique, WHOLE, "", r->unique)                                                                                      \
  X(no_equilibrium, WHOLE, "", r->no_equilibrium)                                                                      \
  X(stayed, WHOLE, "", r->stayed)                                                                                      \
  X(tipping, WHOLE, "", r->tipping)                                                                                    \
  X(impulses_unique, WHOLE, "", r->impulses_unique)                                                                    \
  X(substeps, WHOLE, "", r->substeps)                                                                                  \
  X(fallbacks, WHOLE, "", r->fallbacks)                                                                                \
  X(factorizations, WHOLE, "", r->factorizations)                                                                      \
  X(problem_size, WHOLE, "", r->problem_size)                                                                          \
  X(cone_violation, REAL, "N s", r->cone_violation)                                                                    \
  X(joint_error, REAL, "m, rad", r->joint_error)                                                                       \
  X(joint_residual, REAL, "m/s, rad/s", r->joint_residual)                                                             \
  X(within_length, WHOLE, "", r->within_length)                                                                        \
  X(velocity_error, REAL, "m/s", r->velocity_error)                                                                    \
  X(length_error, REAL, "m", r->length_error)

// name, kind, unit, value: of impact i, which happened at time t
#define TS_IMPACT_COLUMN_LIST(X)                                                                                       \
  X(t, REAL, "s", i->time)                                                                                             \
  X(body1, BODY, "", i->body_1)                                                                                        \
  X(body2, BODY, "", i->body_2 == TS_WORLD ? i->body_1 : i->body_2)                                                    \
  X(joint, JOINT, "", i->joint)                                                                                        \
  X(approach, REAL, "m/s, rad/s", i->approach)                                                                         \
  X(pn, REAL, "N s, N m s", i->impulse)

#define TS_CONTACT_COLUMN_ENUM(name, kind, unit, value) TS_CONTACT_COLUMN_##name,
enum { TS_CONTACT_COLUMN_LIST(TS_CONTACT_COLUMN_ENUM) TS_CONTACT_COLUMN_COUNT };
#undef TS_CONTACT_COLUMN_ENUM
#define TS_STEP_COLUMN_ENUM(name, kind, unit, value) TS_STEP_COLUMN_##name,
enum { TS_STEP_COLUMN_LIST(TS_STEP_COLUMN_ENUM) TS_STEP_COLUMN_COUNT };
#undef TS_STEP_COLUMN_ENUM
#define TS_IMPACT_COLUMN_ENUM(name, kind, unit, value) TS_IMPACT_COLUMN_##name,
enum { TS_IMPACT_COLUMN_LIST(TS_IMPACT_COLUMN_ENUM) TS_IMPACT_COLUMN_COUNT };
#undef TS_IMPACT_COLUMN_ENUM

typedef enum ts_run_table { TS_STATES, TS_CONTACTS, TS_STEPS, TS_JOINTS, TS_IMPACTS, TS_RUN_TABLE_COUNT } ts_run_table;
extern const char *const ts_run_table_names[TS_RUN_TABLE_COUNT]; // "states", "contacts", "steps", "joints", "impacts"

// The tables of one run. Copies what it is made from.
typedef struct ts_run_layout {
  bool planar;
  double step_size, tolerance;
  char *method, *solver, *scene;
  ts_vocabulary words[TS_COLUMN_KIND_COUNT]; // bodies and joints in the order of the model, modes, solvers as they are
                                             // met
  ts_body_kind *kinds;                       // of the bodies
  ts_pose *poses;
  int *first_column;                    // of a body in the states, -1: it is fixed and has none
  int joint_count;                      // that are recorded
  ts_joint_measure *measures;           // of these
  ts_vocabulary joint_names;            // of these
  int column_count[TS_RUN_TABLE_COUNT]; // 0: the run has no such table
  const ts_column *columns[TS_RUN_TABLE_COUNT];
  ts_column *state_columns;  // "t", then body.quantity; the names are in state_words
  ts_vocabulary state_words; // so that a column is found by name
  ts_column *joint_columns;  // "t", then joint.quantity; the names are in joint_words
  ts_vocabulary joint_words; // with "joints." before them, as series are named
} ts_run_layout;

// TS_INVALID when two bodies share a name.
ts_status ts_run_layout_init(ts_run_layout *layout, const ts_run_setup *setup, ts_error *error);
void ts_run_layout_release(ts_run_layout *layout); // accepts a zeroed struct

int ts_run_body_count(const ts_run_layout *layout);
bool ts_column_is_whole(const ts_column *column); // the values are whole numbers: counts, or numbers of names

// Quantities of a body in the states, in their order: 13 in space, 6 in the plane.
int ts_run_quantity_count(bool planar);
const char *ts_run_quantity(bool planar, int i);

// Quantities of a joint, in their order: those of its coordinate first, which joints without one lack.
int ts_run_joint_quantity_count(bool planar);
const char *ts_run_joint_quantity(bool planar, int i);
enum { TS_JOINT_COORDINATE_QUANTITIES = 3 }; // position, rate, motor

// Whether a table is a matrix behind its times: its columns are as many as bodies or joints make them.
static inline bool ts_run_table_is_wide(ts_run_table table)
{
  return table == TS_STATES || table == TS_JOINTS;
}

// The pose of a body in a state whose column k is values[k * stride].
ts_pose ts_run_pose(const ts_run_layout *layout, int body, const double *values, size_t stride);

#endif
