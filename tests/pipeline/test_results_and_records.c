// What a run yields is what its record says: results of random scenes against numbers made of the recorded series.
#include "scene_generator.h"
#include "scratch_folder.h"

#include "touchstone/record.h"
#include "touchstone/watch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

enum { SCENES = 24, STEPS = 60 };

static const char *const in_space[] = {"x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz", NULL};
static const char *const in_plane[] = {"x", "y", "theta", "vx", "vy", "w", NULL};

static void must(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

// ---- what is asked for ---------------------------------------------------------------------------------------------

static void add(ts_watch *watch, const char *name, ts_result_kind kind, const char *expression)
{
  ts_error error;
  must(ts_watch_add_result(watch, &(ts_result_def){.name = name, .kind = kind, .expression = expression}, &error),
       &error);
}

// Do something for every quantity of all bodies that a record has a series of.
typedef void quantity_function(ts_watch *watch, const ts_record *record, const char *body, const char *quantity);

static void for_each_quantity(ts_watch *watch, const ts_record *record, const ts_model *model, quantity_function *act)
{
  for (int b = 0; b < ts_model_body_count(model); ++b) {
    if (ts_model_body_kind(model, b) == TS_FIXED) continue; // records have its place once
    const bool planar = ts_space_is_planar(ts_model_space(model));
    for (const char *const *q = planar ? in_plane : in_space; *q; ++q)
      act(watch, record, ts_model_body_name(model, b), *q);
  }
}

static const char *name_of(const char *body, const char *quantity, ts_result_kind kind, char name[static 96])
{
  snprintf(name, 96, "%s_%s_%s", body, quantity, ts_result_kind_name(kind));
  return name;
}

// All kinds of numbers: "body3_vx_mean".
static void watch_quantity(ts_watch *watch, const ts_record *record, const char *body, const char *quantity)
{
  char name[96], expression[96];
  snprintf(expression, sizeof expression, "%s.%s", body, quantity);
  for (ts_result_kind kind = TS_RESULT_FINAL; kind <= TS_RESULT_INTEGRAL; ++kind)
    add(watch, name_of(body, quantity, kind, name), kind, expression);
  (void)record;
}

static void watch_steps(ts_watch *watch)
{
  add(watch, "steps_energy_final", TS_RESULT_FINAL, "steps.energy");
  add(watch, "steps_contact_work_min", TS_RESULT_MIN, "steps.contact_work");
  add(watch, "impulses", TS_RESULT_MAX, "contacts(*, *).pn");
  add(watch, "pushing", TS_RESULT_MAX, "contacts(*, *).count");
}

// ---- the same from the record --------------------------------------------------------------------------------------

static double from_series(const double *t, const double *y, int count, ts_result_kind kind)
{
  double least = y[0], most = y[0], area = 0.0;
  for (int i = 1; i < count; ++i) {
    least = fmin(least, y[i]);
    most = fmax(most, y[i]);
    area += 0.5 * (y[i - 1] + y[i]) * (t[i] - t[i - 1]);
  }
  switch (kind) {
  case TS_RESULT_FINAL:
    return y[count - 1];
  case TS_RESULT_FIRST:
    return y[0];
  case TS_RESULT_MIN:
    return least;
  case TS_RESULT_MAX:
    return most;
  case TS_RESULT_MEAN:
    return area / (t[count - 1] - t[0]);
  default:
    return area;
  }
}

static double result(const ts_watch *watch, const char *name)
{
  const int found = ts_watch_find_result(watch, name);
  assert_true(found >= 0);
  return ts_watch_result(watch, found);
}

// Sums are rounded in another order.
static void check_quantity(ts_watch *watch, const ts_record *record, const char *body, const char *quantity)
{
  char name[96], series[96];
  int times, count;
  snprintf(series, sizeof series, "%s.%s", body, quantity);
  const double *t = ts_record_series(record, "t", &times), *y = ts_record_series(record, series, &count);
  assert_int_equal(times, STEPS + 1);
  assert_int_equal(count, STEPS + 1);
  const double size = fabs(from_series(t, y, count, TS_RESULT_MIN)) + fabs(from_series(t, y, count, TS_RESULT_MAX));
  for (ts_result_kind kind = TS_RESULT_FINAL; kind <= TS_RESULT_INTEGRAL; ++kind) {
    const double got = result(watch, name_of(body, quantity, kind, name)), expected = from_series(t, y, count, kind);
    const bool is_sum = kind == TS_RESULT_MEAN || kind == TS_RESULT_INTEGRAL;
    if (!(fabs(got - expected) <= (is_sum ? 1e-13 * size : 0.0)))
      fail_msg("%s is %.17g, by the record %.17g", name, got, expected);
  }
}

// Contacts that push in a step, and their normal impulses: the largest of all steps.
static void check_contacts(const ts_watch *watch, const ts_record *record)
{
  double impulses = 0.0, pushing = 0.0, sum = 0.0, number = 0.0, time = NAN;
  for (int i = 0; i < ts_record_contact_count(record); ++i) {
    const ts_recorded_contact contact = ts_record_contact(record, i);
    if (contact.t != time) sum = number = 0.0;
    time = contact.t;
    sum += contact.pn;
    number += contact.pn > 0.0;
    impulses = fmax(impulses, sum);
    pushing = fmax(pushing, number);
  }
  assert_near(result(watch, "impulses"), impulses, 1e-13 * impulses);
  assert_near(result(watch, "pushing"), pushing, 0.0);
}

static void check_steps(const ts_watch *watch, const ts_record *record)
{
  int count;
  const double *energy = ts_record_series(record, "steps.energy", &count);
  assert_true(result(watch, "steps_energy_final") == energy[count - 1]);
  const double *work = ts_record_series(record, "steps.contact_work", &count);
  double least = work[0];
  for (int i = 1; i < count; ++i) least = fmin(least, work[i]);
  assert_true(result(watch, "steps_contact_work_min") == least);
}

// ---- runs ----------------------------------------------------------------------------------------------------------

static void run_scene(scratch_folder *folder, uint64_t seed, const char *file)
{
  scene_recipe recipe = scene_recipe_random(seed);
  recipe.bodies = recipe.bodies > 6 ? 6 : recipe.bodies;
  ts_model *model = scene_generate(&recipe, seed, (scene_variant){.turn = {1.0, 0.0, 0.0, 0.0}});
  ts_step_options options = ts_step_options_default();
  ts_sim *sim;
  ts_watch *watch;
  ts_recorder *recorder;
  ts_record *record;
  ts_error error;
  options.size = 2e-3;
  const char *path = scratch_path(folder, file);
  must(ts_sim_create(model, &options, NULL, &sim, &error), &error);
  must(ts_watch_create(model, &watch, &error), &error);
  for_each_quantity(watch, NULL, model, watch_quantity);
  watch_steps(watch);
  must(ts_recorder_create(path, sim, NULL, &recorder, &error), &error);
  must(ts_recorder_add(recorder, sim, true, &error), &error);
  must(ts_watch_begin(watch, sim, &error), &error);
  for (int k = 0; k < STEPS; ++k) {
    must(ts_sim_step(sim, &error), &error);
    must(ts_watch_step(watch, sim, &error), &error);
    must(ts_recorder_add(recorder, sim, true, &error), &error);
  }
  must(ts_watch_end(watch, sim, &error), &error);
  must(ts_recorder_close(recorder, sim, &error), &error);
  must(ts_record_open(path, &record, &error), &error);
  for_each_quantity(watch, record, model, check_quantity);
  check_contacts(watch, record);
  check_steps(watch, record);
  ts_record_close(record);
  ts_watch_destroy(watch);
  ts_sim_destroy(sim);
  ts_model_destroy(model);
}

static void results_are_what_records_say(void **state)
{
  for (uint64_t seed = 1; seed <= SCENES; ++seed) run_scene(*state, seed, seed % 2 ? "run.h5" : "run.csv");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(results_are_what_records_say)};
  return cmocka_run_group_tests(tests, scratch_folder_set_up, scratch_folder_tear_down);
}
