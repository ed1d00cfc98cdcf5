/// Runs on disk: states, contacts and step statistics as HDF5 or CSV, written while a simulation runs and read back
/// for figures. docs/formats/run.md describes the files.
#ifndef TOUCHSTONE_RECORD_H
#define TOUCHSTONE_RECORD_H

#include "touchstone/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A format of runs on disk. docs/cli.md lists them.
typedef struct ts_run_format {
  const char *name;            ///< "HDF5"
  const char *const *suffixes; ///< endings of files' names that choose the format: ".h5", ".hdf5"; then NULL
  const char *beside;          ///< which other files there are, as "with ... beside it"; or ""
  const char *summary;         ///< one line
  bool resumable;              ///< it keeps what is needed to resume a run, and the scene
} ts_run_format;

/// How many formats there are.
TS_API int ts_run_format_count(void);
/// The format of that number.
TS_API const ts_run_format *ts_run_format_at(int i);
/// The format in which a run of that name is written; NULL: no format has names that end so.
TS_API const ts_run_format *ts_run_format_of(const char *path);
/// Whether a file begins as a run in one of the formats, or is called like one (in capitals, too).
TS_API bool ts_record_recognizes(const char *path);

/// Writes a run, in the format that its name chooses. The files appear under their names when the recorder is closed;
/// until then they are called NAME.xxxxxxxx.part and locked; what a program that died has left under such a name is
/// removed when NAME is recorded again.
typedef struct ts_recorder ts_recorder;

/// A run read back.
typedef struct ts_record ts_record;

/// `scene` is the scene's text, kept in the file so that it can be drawn and resumed from it alone; may be NULL. On
/// failure *recorder is NULL.
TS_API ts_status ts_recorder_create(const char *path, const ts_sim *sim, const char *scene, ts_recorder **recorder,
                                    ts_error *error);
/// Continue a run: everything that `from` holds is written again, under `path` (which may be the file it was read
/// from), and what is added follows. Model and options of `sim`, and `scene`, must be those of the run. A simulation
/// that has taken ts_record_checkpoint() by ts_sim_load() then leaves the file that it would have left without the
/// interruption.
TS_API ts_status ts_recorder_resume(const char *path, const ts_record *from, const ts_sim *sim, const char *scene,
                                    ts_recorder **recorder, ts_error *error);
/// Append the present state, and the contacts and the report of the step that led to it (none before the first step).
/// `with_state` false: the statistics of the step only. `sim` must be one of the model that the recorder was created
/// for. TS_IO: the disk is full, or fails; ts_recorder_close() keeps what came before.
TS_API ts_status ts_recorder_add(ts_recorder *recorder, const ts_sim *sim, bool with_state, ts_error *error);
/// A number of a run that has a name.
typedef struct ts_record_number {
  const char *name;
  const char *unit; ///< or ""
  double value;     ///< NAN: it has none
} ts_record_number;
/// What a run is about, and what came of it. Names are unique in their list.
typedef struct ts_run_outcome {
  const ts_record_number *parameters, *results;
  int parameter_count, result_count;
  const double *watched; ///< what ts_watch_save() wrote, to go on from when the run is resumed; kept where checkpoints
  size_t watched_size;   ///< are. 0: nothing
} ts_run_outcome;
/// Have it written beside the tables, in the place of what was set before, by the next ts_recorder_checkpoint() or
/// ts_recorder_close(). Everything is copied.
TS_API ts_status ts_recorder_set_outcome(ts_recorder *recorder, const ts_run_outcome *outcome, ts_error *error);
/// Write what is needed to resume (where the format can), close the files and put them in place. The recorder is gone
/// after it, whatever is returned. TS_IO: there was no room for all of it. The sentence says whether what fits is kept:
/// a complete file, with the rows that came first, but nothing to resume from.
TS_API ts_status ts_recorder_close(ts_recorder *recorder, const ts_sim *sim, ts_error *error);
/// Put a complete run, as far as it has come, in place at `path` (in a resumable format, in the same folder as the
/// recorder's own), and go on recording: for programs that may be ended at any time. All that was recorded is read and
/// written again. The file that the recorder leaves at last is the same as without. On failure *recorder is NULL; what
/// was recorded is at `path` where the sentence does not say otherwise. A mistake in the call, as a simulation of
/// another model, leaves the recorder as it is.
TS_API ts_status ts_recorder_checkpoint(ts_recorder **recorder, const char *path, const ts_sim *sim, ts_error *error);
/// Bytes of all numbers that were added: the room that reading them takes, and more than they take on the disk.
TS_API size_t ts_recorder_size(const ts_recorder *recorder);
/// Close and remove what was written. Accepts NULL.
TS_API void ts_recorder_discard(ts_recorder *recorder);

/// Read a run. On failure *record is NULL. Release with ts_record_close().
TS_API ts_status ts_record_open(const char *path, ts_record **record, ts_error *error);
TS_API void ts_record_close(ts_record *record); ///< accepts NULL

TS_API const char *ts_record_scene(const ts_record *record); ///< text of the scene, or NULL
/// Bodies of the run, in the order of its model.
TS_API int ts_record_body_count(const ts_record *record);
/// Name of a body; valid as long as the record.
TS_API const char *ts_record_body_name(const ts_record *record, int body);
/// Whether it is a run in the plane.
TS_API bool ts_record_is_planar(const ts_record *record);

/// Series are named "t" or "body.quantity" (x y z qw qx qy qz vx vy vz wx wy wz; in the plane x y theta vx vy w); of
/// the steps "steps.t", "steps.residual", ...; of the contacts "contacts.t", "contacts.pn", ... (numeric columns); of
/// measured joints "joints.t" and "joints.NAME.quantity" (position rate motor fx fy fz mx my mz; in the plane fx fy m;
/// joints without a coordinate lack the first three), as many numbers as "t"; of impacts "impacts.t",
/// "impacts.approach", ...
TS_API int ts_record_series_count(const ts_record *record);
/// Name of the i-th series; valid as long as the record.
TS_API const char *ts_record_series_name(const ts_record *record, int i);
/// The numbers of a series and how many there are; NULL when there is none of that name. Valid as long as the record.
TS_API const double *ts_record_series(const ts_record *record, const char *name, int *count);
/// The unit of a series: "m/s", "N s"; "" where it has none or there is no such series.
TS_API const char *ts_record_series_unit(const ts_record *record, const char *name);

/// The solver that a number of the series "steps.solver" stands for; NULL when there is none of that number.
TS_API const char *ts_record_solver_name(const ts_record *record, int solver);

/// Recorded states, and the body poses of one of them (ts_record_body_count() poses).
TS_API int ts_record_state_count(const ts_record *record);
/// Time of a recorded state [s].
TS_API double ts_record_state_time(const ts_record *record, int state);
/// Write the pose of every body in a recorded state.
TS_API void ts_record_poses(const ts_record *record, int state, ts_pose *poses);

/// A contact of a run.
typedef struct ts_recorded_contact {
  double t;
  int body_1, body_2;
  ts_vec3 point, normal, tangent;
  double gap, pn, pt, po, pr, fn, slip; ///< [m, N s, N m s], fn = pn/h [N], [m/s]
  ts_contact_mode mode;
  int patch;            ///< dimension of what it stands for, see ts_contact
  double deflection[3]; ///< of soft skins: n, t, o [m]
  double core;          ///< part of pn that their cores bear [N s]
  int summed;     ///< problems that the impulses were summed up from (ts_contact); 0: the bodies have touched since
                  ///< the last recorded state, and no longer in the last step
  double fn_mean; ///< normal force between the two bodies since the last recorded state, all contacts together,
  double fn_max;  ///< its mean over the time and its maximum [N]. In the first row of the two bodies; 0 in others
} ts_recorded_contact;
/// Contacts of all recorded steps together.
TS_API int ts_record_contact_count(const ts_record *record);
/// The i-th of them, in the order in which they were recorded.
TS_API ts_recorded_contact ts_record_contact(const ts_record *record, int i);

/// Joints that the run has measured (ts_sim_measure_joints()), in the order of its model.
TS_API int ts_record_joint_count(const ts_record *record);
/// Name of a joint; valid as long as the record.
TS_API const char *ts_record_joint_name(const ts_record *record, int joint);

/// An impact of a run of event-driven steps (ts_located_impact).
typedef struct ts_recorded_impact {
  double t;
  int body_1, body_2; ///< of a stop the joint's child and parent; the child twice where the parent is the world
  const char *joint;  ///< whose stop it is, valid as long as the record, or NULL
  double approach;    ///< [m/s, rad/s]
  double pn;          ///< [N s, N m s]
} ts_recorded_impact;
/// Impacts of all steps together; 0 where steps locate none.
TS_API int ts_record_impact_count(const ts_record *record);
/// The i-th of them, in the order of time.
TS_API ts_recorded_impact ts_record_impact(const ts_record *record, int i);

/// The state to resume from (ts_sim_load()), or NULL; `size` numbers.
TS_API const double *ts_record_checkpoint(const ts_record *record, size_t *size);

/// What the watch of the run had gathered (ts_watch_load()), or NULL; `size` numbers.
TS_API const double *ts_record_watched(const ts_record *record, size_t *size);

/// Parameters of the run.
TS_API int ts_record_parameter_count(const ts_record *record);
/// The i-th; its texts are valid as long as the record.
TS_API ts_record_number ts_record_parameter(const ts_record *record, int i);
/// Results of the run.
TS_API int ts_record_result_count(const ts_record *record);
/// The i-th; its texts are valid as long as the record.
TS_API ts_record_number ts_record_result(const ts_record *record, int i);

#ifdef __cplusplus
}
#endif

#endif
