// The scene of one trial, read by itself: for repeating it.
#define _POSIX_C_SOURCE 200809L // locale_t
#include "study/study.h"

#include "study/scene_trial.h"
#include "study/table_format.h"

#include "scene/scene.h"
#include "text/c_locale.h"
#include "text/number_text.h"

#include "base/require.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>

enum { OVERRIDE_SIZE = TS_TABLE_NAME_SIZE + TS_NUMBER_TEXT_SIZE };

static const ts_scene_trials *trials_of(const ts_study *study)
{
  return study->function.run == ts_scene_trial_run ? study->function.user : NULL;
}

const char *ts_study_scene_path(const ts_study *study)
{
  TS_REQUIRE(study);
  const ts_scene_trials *trials = trials_of(study);
  return trials ? trials->scene : NULL;
}

int64_t ts_study_step_limit(const ts_study *study)
{
  TS_REQUIRE(study);
  const ts_scene_trials *trials = trials_of(study);
  return trials ? trials->most_steps : 0;
}

ts_status ts_study_check_steps(const ts_study *study, ts_error *error)
{
  TS_REFUSE_UNLESS(study, error);
  const ts_scene_trials *trials = trials_of(study);
  double values[TS_DESIGN_MOST_COLUMNS];
  if (!trials || ts_design_row(&study->design, 0, values, NULL) != TS_OK) return TS_OK;
  return ts_scene_trials_check_steps(trials, values, error);
}

void ts_study_allow_steps(ts_study *study)
{
  TS_REQUIRE(study);
  if (study->function.run == ts_scene_trial_run) ((ts_scene_trials *)study->function.user)->any_steps = true;
}

bool ts_study_any_steps(const ts_study *study)
{
  const ts_scene_trials *trials = trials_of(study);
  return trials && trials->any_steps;
}

// Overrides of the study, then the trial's parameters with all their digits.
static int list_overrides(const ts_scene_trials *trials, const ts_study *study, const double *values,
                          char (*texts)[OVERRIDE_SIZE], const char **overrides)
{
  int count = 0;
  for (int i = 0; i < trials->override_count; ++i) overrides[count++] = trials->overrides[i];
  for (int c = 0; c < trials->column_count; ++c) {
    if (trials->parameter_of[c] < 0) continue;
    char number[TS_NUMBER_TEXT_SIZE];
    ts_number_text(values[c], number);
    snprintf(texts[c], OVERRIDE_SIZE, "%s=%s", study->design.columns[c].name, number);
    overrides[count++] = texts[c];
  }
  return count;
}

static ts_status read_scene(const ts_scene_trials *trials, const ts_study *study, const double *values,
                            ts_scene **scene, ts_error *error)
{
  const size_t most = (size_t)trials->override_count + (size_t)trials->column_count + 1;
  const char **overrides = malloc(most * sizeof *overrides);
  char(*texts)[OVERRIDE_SIZE] = malloc(((size_t)trials->column_count + 1) * sizeof *texts);
  ts_status status = TS_OUT_OF_MEMORY;
  ts_c_locale locale;
  if (overrides && texts && ts_c_locale_enter(&locale)) {
    const int count = list_overrides(trials, study, values, texts, overrides);
    ts_c_locale_leave(&locale);
    const ts_scene_request request = {overrides, count, trials->extensions};
    status = ts_scene_read_with(trials->scene, &request, scene, error);
  } else {
    ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  }
  free(overrides);
  free(texts);
  return status;
}

ts_status ts_study_read_scene(const ts_study *study, uint64_t trial, int attempt, ts_scene **scene, ts_error *error)
{
  TS_REFUSE_UNLESS(scene, error);
  *scene = NULL;
  TS_REFUSE_UNLESS(study, error);
  const ts_scene_trials *trials = trials_of(study);
  double values[TS_DESIGN_MOST_COLUMNS];
  if (!trials) return ts_fail(error, TS_INVALID, "the trials of this study are no scenes");
  if (trial >= study->design.trials)
    return ts_fail(error, TS_INVALID, "there is no trial %llu, the study has %llu", (unsigned long long)trial,
                   (unsigned long long)study->design.trials);
  if (attempt < 0 || attempt > trials->retry_count)
    return ts_fail(error, TS_INVALID, "there is no attempt %d, the study has %d", attempt, trials->retry_count + 1);
  TS_TRY(ts_design_row(&study->design, trial, values, error));
  TS_TRY(read_scene(trials, study, values, scene, error));
  const ts_status status =
      attempt > 0 ? ts_retry_apply(&trials->retries[attempt - 1], &(*scene)->options, error) : TS_OK;
  if (status == TS_OK) return TS_OK;
  ts_scene_destroy(*scene);
  *scene = NULL;
  return status;
}
