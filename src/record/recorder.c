#define _POSIX_C_SOURCE 200809L
#include "touchstone/record.h"

#include "record/contact_interval.h"
#include "record/outcome.h"
#include "record/table_rows.h"
#include "record/run_format.h"

#include "step/stepper.h"

#include "base/require.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

struct ts_recorder {
  const ts_model *model; // whose simulations it records
  ts_run_layout layout;
  ts_sink *sink;
  double *row;    // of the widest table
  char *path;     // where the run goes
  size_t numbers; // added
  ts_contact_interval interval;
  ts_run_ending ending;
};

static ts_status out_of_memory(ts_error *error)
{
  return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
}

// ---- creating ------------------------------------------------------------------------------------------------------

// Impacts at stops name joints, measured or not.
static ts_status name_joints(const ts_model *model, ts_run_layout *layout, ts_error *error)
{
  for (int j = 0; j < ts_model_joint_count(model); ++j) {
    const char *name = ts_model_joint(model, j).name;
    if (ts_vocabulary_add(&layout->words[TS_COLUMN_JOINT], name, strlen(name)) < 0) return out_of_memory(error);
  }
  return TS_OK;
}

// `like`: the run that is resumed, or NULL. One of an older version has no tables of joints and impacts, and gets none.
static ts_status describe_run(const ts_sim *sim, const char *scene, const ts_run_layout *like, ts_run_layout *layout,
                              ts_error *error)
{
  const ts_model *model = ts_sim_model(sim);
  const ts_step_options *options = ts_sim_options(sim);
  const int count = ts_model_body_count(model);
  const bool measures = ts_sim_measures_joints(sim) && (!like || like->joint_count > 0);
  const int joints = measures ? ts_model_joint_count(model) : 0;
  ts_run_body *bodies = calloc((size_t)count + 1, sizeof *bodies);
  ts_run_joint *measured = calloc((size_t)joints + 1, sizeof *measured);
  ts_status status = bodies && measured ? TS_OK : out_of_memory(error);
  for (int j = 0; j < joints && status == TS_OK; ++j) {
    const ts_joint_def joint = ts_model_joint(model, j);
    measured[j] = (ts_run_joint){joint.name, ts_joint_kind_traits(joint.kind)->measure, false};
  }
  for (int b = 0; b < count && status == TS_OK; ++b)
    bodies[b] = (ts_run_body){ts_model_body_name(model, b), ts_model_body_kind(model, b), ts_sim_pose(sim, b)};
  const ts_run_setup setup = {.planar = ts_space_is_planar(ts_model_space(model)),
                              .step_size = options->size,
                              .tolerance = options->tolerance,
                              .method = ts_stepper_name(options->method),
                              .solver = ts_solver_name(options->solver),
                              .scene = scene,
                              .body_count = count,
                              .bodies = bodies,
                              .joint_count = joints,
                              .joints = measured,
                              .locates_impacts =
                                  options->method->is_smooth && (!like || like->column_count[TS_IMPACTS] > 0)};
  if (status == TS_OK) status = ts_run_layout_init(layout, &setup, error);
  free(bodies);
  free(measured);
  if (status == TS_OK && setup.locates_impacts) status = name_joints(model, layout, error);
  return status;
}

static ts_status open_sink(const char *path, ts_recorder *recorder, ts_error *error)
{
  const ts_run_store *store = ts_run_store_for(path, error);
  return store ? store->create(path, &recorder->layout, &recorder->sink, error) : TS_INVALID;
}

static int widest(const ts_run_layout *layout)
{
  int columns = 0;
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table)
    if (layout->column_count[table] > columns) columns = layout->column_count[table];
  return columns;
}

// The layout stands already.
static ts_status fill_recorder(const char *path, ts_recorder *recorder, ts_error *error)
{
  recorder->row = malloc((size_t)widest(&recorder->layout) * sizeof *recorder->row);
  recorder->path = strdup(path);
  if (!recorder->row || !recorder->path) return out_of_memory(error);
  return open_sink(path, recorder, error);
}

static void release(ts_recorder *recorder)
{
  ts_run_layout_release(&recorder->layout);
  ts_run_ending_release(&recorder->ending);
  ts_contact_interval_release(&recorder->interval);
  free(recorder->row);
  free(recorder->path);
  free(recorder);
}

static ts_status start(const char *path, const ts_sim *sim, const char *scene, ts_recorder *recorder, ts_error *error)
{
  TS_TRY(describe_run(sim, scene, NULL, &recorder->layout, error));
  return fill_recorder(path, recorder, error);
}

ts_status ts_recorder_create(const char *path, const ts_sim *sim, const char *scene, ts_recorder **recorder,
                             ts_error *error)
{
  TS_REFUSE_UNLESS(recorder, error);
  *recorder = NULL;
  TS_REFUSE_UNLESS(path, error);
  TS_REFUSE_UNLESS(sim, error);
  *recorder = calloc(1, sizeof **recorder);
  if (!*recorder) return out_of_memory(error);
  (*recorder)->model = ts_sim_model(sim);
  const ts_status status = start(path, sim, scene, *recorder, error);
  if (status == TS_OK) return TS_OK;
  release(*recorder);
  *recorder = NULL;
  return status;
}

// The row that lies ready.
static ts_status append(ts_recorder *recorder, ts_run_table table, ts_error *error)
{
  recorder->numbers += (size_t)recorder->layout.column_count[table];
  return recorder->sink->functions->append(recorder->sink, table, recorder->row, error);
}

// ---- continuing ----------------------------------------------------------------------------------------------------

static bool same_text(const char *a, const char *b)
{
  return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_bodies(const ts_run_layout *a, const ts_run_layout *b)
{
  if (ts_run_body_count(a) != ts_run_body_count(b)) return false;
  for (int i = 0; i < ts_run_body_count(a); ++i)
    if (a->kinds[i] != b->kinds[i] || strcmp(a->words[TS_COLUMN_BODY].names[i], b->words[TS_COLUMN_BODY].names[i]) != 0)
      return false;
  return true;
}

static bool same_names(const ts_vocabulary *a, const ts_vocabulary *b)
{
  if (a->count != b->count) return false;
  for (int i = 0; i < a->count; ++i)
    if (strcmp(a->names[i], b->names[i]) != 0) return false;
  return true;
}

// Impacts name joints by numbers, which must mean the same.
static bool same_joints(const ts_run_layout *a, const ts_run_layout *b)
{
  if (!same_names(&a->joint_names, &b->joint_names)) return false;
  for (int i = 0; i < a->joint_count; ++i)
    if (a->measures[i] != b->measures[i]) return false;
  return a->column_count[TS_IMPACTS] == b->column_count[TS_IMPACTS] &&
         same_names(&a->words[TS_COLUMN_JOINT], &b->words[TS_COLUMN_JOINT]);
}

static ts_status check_origin(const ts_run_layout *old, const ts_run_layout *new, ts_error *error)
{
  if (old->planar != new->planar || !same_bodies(old, new))
    return ts_fail(error, TS_INVALID, "the run to be resumed is one of other bodies");
  if (!same_joints(old, new))
    return ts_fail(error, TS_INVALID, "the run to be resumed is one of other joints, or these are not measured");
  if (old->step_size != new->step_size || old->tolerance != new->tolerance || !same_text(old->method, new->method) ||
      !same_text(old->solver, new->solver))
    return ts_fail(error, TS_INVALID, "the run to be resumed was made with other step options");
  if (!same_text(old->scene, new->scene))
    return ts_fail(error, TS_INVALID, "the run to be resumed is one of another scene, or this one has changed since");
  return TS_OK;
}

// The poses are those when the run began, not those to resume from; solvers keep their numbers.
static ts_status adopt(const ts_run_layout *old, ts_run_layout *new, ts_error *error)
{
  const ts_vocabulary *solvers = &old->words[TS_COLUMN_SOLVER];
  for (int i = 0; i < solvers->count; ++i)
    if (ts_vocabulary_add(&new->words[TS_COLUMN_SOLVER], solvers->names[i], strlen(solvers->names[i])) < 0)
      return out_of_memory(error);
  memcpy(new->poses, old->poses, (size_t)ts_run_body_count(old) * sizeof *new->poses);
  return TS_OK;
}

// The table whose next row comes first, or TS_RUN_TABLE_COUNT at the end: by time, and as ts_recorder_add() orders what
// belongs to one step.
static ts_run_table next_table(const ts_record *from, const int next[static TS_RUN_TABLE_COUNT])
{
  static const ts_run_table order[TS_RUN_TABLE_COUNT] = {TS_IMPACTS, TS_STEPS, TS_CONTACTS, TS_JOINTS, TS_STATES};
  ts_run_table first = TS_RUN_TABLE_COUNT;
  double earliest = 0.0;
  for (int k = 0; k < TS_RUN_TABLE_COUNT; ++k) {
    const ts_run_table table = order[k];
    if (next[table] == from->rows[table]) continue;
    const double t = from->values[table][next[table]]; // the first column
    if (first != TS_RUN_TABLE_COUNT && !(t < earliest)) continue;
    first = table;
    earliest = t;
  }
  return first;
}

// Write what was recorded in the order in which it came: then the file is laid out in the same way too.
static ts_status replay(const ts_record *from, ts_recorder *recorder, ts_error *error)
{
  int next[TS_RUN_TABLE_COUNT] = {0};
  for (ts_run_table table; (table = next_table(from, next)) != TS_RUN_TABLE_COUNT; ++next[table]) {
    const size_t rows = (size_t)from->rows[table];
    for (int k = 0; k < from->layout.column_count[table]; ++k)
      recorder->row[k] = from->values[table][(size_t)k * rows + (size_t)next[table]];
    TS_TRY(append(recorder, table, error));
  }
  return TS_OK;
}

static ts_status restart(const char *path, const ts_record *from, const ts_sim *sim, const char *scene,
                         ts_recorder *recorder, ts_error *error)
{
  TS_TRY(describe_run(sim, scene, &from->layout, &recorder->layout, error));
  TS_TRY(check_origin(&from->layout, &recorder->layout, error));
  TS_TRY(adopt(&from->layout, &recorder->layout, error));
  TS_TRY(fill_recorder(path, recorder, error));
  if (!ts_contact_interval_load(&recorder->interval, from->ending.interval, from->ending.interval_size,
                                ts_run_body_count(&recorder->layout)))
    return ts_fail(error, TS_INVALID,
                   "the contacts that the run to be resumed had since its last state cannot be read");
  return replay(from, recorder, error);
}

ts_status ts_recorder_resume(const char *path, const ts_record *from, const ts_sim *sim, const char *scene,
                             ts_recorder **recorder, ts_error *error)
{
  TS_REFUSE_UNLESS(recorder, error);
  *recorder = NULL;
  TS_REFUSE_UNLESS(path, error);
  TS_REFUSE_UNLESS(from, error);
  TS_REFUSE_UNLESS(sim, error);
  *recorder = calloc(1, sizeof **recorder);
  if (!*recorder) return out_of_memory(error);
  (*recorder)->model = ts_sim_model(sim);
  const ts_status status = restart(path, from, sim, scene, *recorder, error);
  if (status == TS_OK) return TS_OK;
  ts_recorder_discard(*recorder);
  *recorder = NULL;
  return status;
}

// ---- adding --------------------------------------------------------------------------------------------------------

static ts_status add_step(ts_recorder *recorder, const ts_sim *sim, const ts_step_report *report, ts_error *error)
{
  const char *name = report->solver ? report->solver : "";
  const int solver = ts_vocabulary_add(&recorder->layout.words[TS_COLUMN_SOLVER], name, strlen(name));
  if (solver < 0) return out_of_memory(error);
  ts_run_step_row(ts_sim_time(sim), solver, report, recorder->row);
  return append(recorder, TS_STEPS, error);
}

// A row with the numbers of its pair, where no other has them.
static ts_status add_contact(ts_recorder *recorder, const ts_sim *sim, const ts_contact *contact,
                             ts_touching_pair *pair, ts_error *error)
{
  const double mean = pair->is_shown ? 0.0 : pair->sum / recorder->interval.steps;
  ts_run_contact_row(ts_sim_time(sim), recorder->layout.step_size, contact, mean, pair->is_shown ? 0.0 : pair->max,
                     recorder->row);
  pair->is_shown = true;
  return append(recorder, TS_CONTACTS, error);
}

// Contacts of the last step, then the pairs that have parted before it.
static ts_status add_contacts(ts_recorder *recorder, const ts_sim *sim, ts_error *error)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(sim, &count);
  ts_contact_interval *interval = &recorder->interval;
  for (int i = 0; i < count; ++i)
    TS_TRY(add_contact(recorder, sim, &contacts[i], ts_contact_interval_pair(interval, &contacts[i]), error));
  for (int i = 0; i < interval->count; ++i) {
    if (interval->pairs[i].is_shown || interval->pairs[i].max == 0.0) continue;
    const ts_contact parted = ts_parted_contact(&interval->pairs[i]);
    TS_TRY(add_contact(recorder, sim, &parted, &interval->pairs[i], error));
  }
  ts_contact_interval_clear(interval);
  return TS_OK;
}

static ts_status note_contacts(ts_recorder *recorder, const ts_sim *sim, ts_error *error)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(sim, &count);
  const bool noted = ts_contact_interval_add(&recorder->interval, recorder->layout.step_size, contacts, count);
  return noted ? TS_OK : out_of_memory(error);
}

static ts_status add_impacts(ts_recorder *recorder, const ts_sim *sim, ts_error *error)
{
  int count;
  const ts_located_impact *impacts = ts_sim_impacts(sim, &count);
  if (recorder->layout.column_count[TS_IMPACTS] == 0) return TS_OK;
  for (int i = 0; i < count; ++i) {
    ts_run_impact_row(&impacts[i], recorder->row);
    TS_TRY(append(recorder, TS_IMPACTS, error));
  }
  return TS_OK;
}

ts_status ts_recorder_add(ts_recorder *recorder, const ts_sim *sim, bool with_state, ts_error *error)
{
  TS_REFUSE_UNLESS(recorder, error);
  TS_REFUSE_UNLESS(sim, error);
  TS_REFUSE_UNLESS(ts_sim_model(sim) == recorder->model, error);
  const ts_step_report *report = ts_sim_report(sim);
  const bool stepped = report->substeps > 0;
  if (stepped) TS_TRY(add_impacts(recorder, sim, error));
  if (stepped) TS_TRY(add_step(recorder, sim, report, error));
  if (stepped) TS_TRY(note_contacts(recorder, sim, error));
  if (!with_state) return TS_OK;
  if (stepped) TS_TRY(add_contacts(recorder, sim, error));
  if (recorder->layout.joint_count > 0) {
    ts_run_joint_row(&recorder->layout, sim, recorder->row);
    TS_TRY(append(recorder, TS_JOINTS, error));
  }
  ts_run_state_row(&recorder->layout, sim, recorder->row);
  return append(recorder, TS_STATES, error);
}

// ---- the end -------------------------------------------------------------------------------------------------------

ts_status ts_recorder_set_outcome(ts_recorder *recorder, const ts_run_outcome *outcome, ts_error *error)
{
  TS_REFUSE_UNLESS(recorder, error);
  TS_REFUSE_UNLESS(outcome, error);
  TS_REFUSE_UNLESS(outcome->parameter_count == 0 || (outcome->parameter_count > 0 && outcome->parameters), error);
  TS_REFUSE_UNLESS(outcome->result_count == 0 || (outcome->result_count > 0 && outcome->results), error);
  TS_REFUSE_UNLESS(outcome->watched_size == 0 || outcome->watched, error);
  ts_run_ending ending;
  TS_TRY(ts_run_ending_copy(outcome, &ending, error));
  ts_run_ending_release(&recorder->ending);
  recorder->ending = ending;
  return TS_OK;
}

static ts_status finish(const ts_recorder *recorder, const ts_sim *sim, ts_error *error)
{
  size_t size;
  double *checkpoint;
  ts_run_ending ending = recorder->ending;
  ending.interval_size = ts_contact_interval_size(&recorder->interval);
  ending.interval = malloc((ending.interval_size + 1) * sizeof *ending.interval);
  const ts_status saved = ending.interval ? ts_sim_snapshot(sim, &checkpoint, &size, error) : out_of_memory(error);
  if (saved != TS_OK) {
    free(ending.interval);
    recorder->sink->functions->discard(recorder->sink);
    return saved;
  }
  ts_contact_interval_save(&recorder->interval, ending.interval);
  const ts_run_rest rest = {checkpoint, size, &ending};
  const ts_status status = recorder->sink->functions->finish(recorder->sink, &rest, error);
  free(checkpoint);
  free(ending.interval);
  return status;
}

ts_status ts_recorder_close(ts_recorder *recorder, const ts_sim *sim, ts_error *error)
{
  TS_REFUSE_UNLESS(recorder, error);
  if (!sim || ts_sim_model(sim) != recorder->model) {
    ts_recorder_discard(recorder);
    return ts_fail(error, TS_INVALID, "ts_recorder_close() requires a simulation of the model that was recorded");
  }
  const ts_status status = finish(recorder, sim, error);
  release(recorder);
  return status;
}

size_t ts_recorder_size(const ts_recorder *recorder)
{
  TS_REQUIRE(recorder);
  return recorder->numbers * sizeof(double);
}

// The file, complete, under another name; then a new one with all that is in it.
static ts_status part_and_resume(const ts_recorder *old, const char *path, const ts_sim *sim, ts_recorder **recorder,
                                 ts_error *error)
{
  ts_record *record;
  TS_TRY(finish(old, sim, error));
  TS_TRY(ts_record_open(path, &record, error));
  const ts_status status = ts_recorder_resume(old->path, record, sim, old->layout.scene, recorder, error);
  ts_record_close(record);
  return status;
}

ts_status ts_recorder_checkpoint(ts_recorder **recorder, const char *path, const ts_sim *sim, ts_error *error)
{
  TS_REFUSE_UNLESS(recorder && *recorder, error);
  TS_REFUSE_UNLESS(path, error);
  TS_REFUSE_UNLESS(sim, error);
  TS_REFUSE_UNLESS(ts_sim_model(sim) == (*recorder)->model, error);
  ts_recorder *old = *recorder;
  *recorder = NULL;
  const ts_sink_functions *functions = old->sink->functions;
  ts_status status = functions->redirect ? functions->redirect(old->sink, path, error) : ts_run_refuse_resuming(error);
  if (status == TS_OK)
    status = part_and_resume(old, path, sim, recorder, error);
  else
    functions->discard(old->sink);
  release(old);
  return status;
}

void ts_recorder_discard(ts_recorder *recorder)
{
  if (!recorder) return;
  if (recorder->sink) recorder->sink->functions->discard(recorder->sink);
  release(recorder);
}
