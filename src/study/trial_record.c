// Records of trials, made by repeating them: they are the same to the last bit, and sweeps need not wait for files.
#define _POSIX_C_SOURCE 200809L // mkdir
#include "study/best_rows.h"
#include "study/work_folder.h"

#include "touchstone/record.h"

#include "base/require.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

// ---- one trial -----------------------------------------------------------------------------------------------------

typedef struct recording {
  ts_scene *scene;
  ts_sim *sim;
  ts_watch *watch;
  ts_recorder *recorder;
} recording;

static ts_status record_steps(recording *r, int64_t last, ts_error *error)
{
  const double spacing = ts_scene_output_interval(r->scene) / ts_sim_options(r->sim)->size;
  const int64_t interval = spacing < 1.5 ? 1 : llround(spacing);
  TS_TRY(ts_watch_begin(r->watch, r->sim, error));
  TS_TRY(ts_recorder_add(r->recorder, r->sim, true, error));
  for (int64_t step = 1; step <= last && ts_watch_stopped(r->watch) < 0; ++step) {
    if (ts_sim_step(r->sim, error) != TS_OK) return TS_OK; // as far as it came
    TS_TRY(ts_recorder_add(r->recorder, r->sim, step % interval == 0, error));
    if (ts_watch_step(r->watch, r->sim, error) != TS_OK) return TS_OK;
  }
  return TS_OK;
}

static ts_status record_scene(recording *r, int64_t limit, bool any_steps, const char *path, ts_error *error)
{
  ts_step_options options = *ts_scene_options(r->scene);
  options.threads = 1;
  const double duration = ts_scene_duration(r->scene);
  int64_t last = ts_step_count(duration, options.size);
  if (limit == 0 && !any_steps) TS_TRY(ts_step_count_check(duration, options.size, error));
  if (limit > 0 && last > limit) last = limit;
  TS_TRY(ts_sim_create(ts_scene_model(r->scene), &options, NULL, &r->sim, error));
  if (ts_model_joint_count(ts_scene_model(r->scene)) > 0) TS_TRY(ts_sim_measure_joints(r->sim, true, error));
  TS_TRY(ts_scene_create_watch(r->scene, &r->watch, error));
  TS_TRY(ts_recorder_create(path, r->sim, ts_scene_text(r->scene), &r->recorder, error));
  TS_TRY(record_steps(r, last, error));
  ts_recorder *recorder = r->recorder;
  r->recorder = NULL;
  return ts_recorder_close(recorder, r->sim, error);
}

ts_status ts_study_record_trial(const ts_study *study, uint64_t trial, int attempt, const char *path, ts_error *error)
{
  TS_REFUSE_UNLESS(study, error);
  TS_REFUSE_UNLESS(path, error);
  recording r = {0};
  TS_TRY(ts_study_read_scene(study, trial, attempt, &r.scene, error));
  const ts_status status = record_scene(&r, ts_study_step_limit(study), ts_study_any_steps(study), path, error);
  ts_recorder_discard(r.recorder);
  ts_watch_destroy(r.watch);
  ts_sim_destroy(r.sim);
  ts_scene_destroy(r.scene);
  return status;
}

// ---- those of a sweep ----------------------------------------------------------------------------------------------

typedef struct keeping {
  const ts_study *study;
  ts_keep which;
  uint64_t first;
  const char *folder;
  ts_interrupt_callback *interrupt;
  void *interrupt_user;
  uint64_t kept;
} keeping;

static bool is_wanted(const keeping *k, const ts_trial_row *row)
{
  switch (k->which) {
  case TS_KEEP_ALL:
    return true;
  case TS_KEEP_FAILED:
    return ts_row_has_failed(row);
  default:
    return row->trial < k->first;
  }
}

// A trial whose scene cannot be made has no run to record. What there is stays: whoever runs a trial again removes it.
static ts_status keep_row(void *user, const ts_trial_row *row, ts_error *error)
{
  keeping *k = user;
  char path[PATH_SIZE];
  if (!is_wanted(k, row)) return TS_OK;
  if (k->interrupt && k->interrupt(k->interrupt_user)) return ts_fail(error, TS_INTERRUPTED, "interrupted");
  snprintf(path, sizeof path, "%.3900s/" TS_RECORD_OF_TRIAL, k->folder, (unsigned long long)row->trial);
  ts_error why = {0};
  const bool is_there = access(path, F_OK) == 0;
  const ts_status status =
      is_there ? TS_OK : ts_study_record_trial(k->study, row->trial, (int)row->attempt, path, &why);
  if (status == TS_IO && error) *error = why;
  if (status == TS_IO) return status;
  k->kept += status == TS_OK;
  return TS_OK;
}

static ts_status keep_rows(keeping *k, const char *work, ts_error *error)
{
  TS_TRY(ts_work_folder_make(k->folder, error));
  return ts_best_rows_visit(k->study, work, keep_row, k, error);
}

ts_status ts_study_keep(const ts_study *study, const char *output, ts_keep which, uint64_t first,
                        const ts_sweep_options *options, uint64_t *kept, ts_error *error)
{
  TS_REFUSE_UNLESS(study, error);
  TS_REFUSE_UNLESS(output, error);
  TS_REFUSE_UNLESS(options, error);
  char *folder = ts_study_records(output), *work = ts_study_folder(output);
  keeping k = {.study = study,
               .which = which,
               .first = first,
               .folder = folder,
               .interrupt = options->interrupt,
               .interrupt_user = options->interrupt_user};
  const ts_status status =
      folder && work ? keep_rows(&k, work, error) : ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  if (kept) *kept = k.kept;
  free(folder);
  free(work);
  return status;
}
