#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "measure.h"

#include "touchstone/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PATH_SIZE = 1024, H_SIZE = 64, NEIGHBOURS = 5 };

// A scene that is read, and a simulation at its start. Either may be NULL.
typedef struct run {
  ts_scene *scene;
  ts_sim *sim;
  int steps;
} run;

static void end(run *r)
{
  ts_sim_destroy(r->sim);
  ts_scene_destroy(r->scene);
}

static int list_overrides(const suite_scene *scene, const suite_stepper *stepper, double h, char size[H_SIZE],
                          const char **texts)
{
  int count = 0;
  for (size_t i = 0; i < sizeof scene->overrides / sizeof *scene->overrides && scene->overrides[i]; ++i)
    texts[count++] = scene->overrides[i];
  for (int i = 0; i < MOST_OVERRIDES && stepper->overrides[i]; ++i) texts[count++] = stepper->overrides[i];
  snprintf(size, H_SIZE, "h=%.17g", h);
  texts[count++] = size;
  return count;
}

static ts_status begin(const suite_scene *scene, const suite_stepper *stepper, double h, run *r, ts_error *error)
{
  char path[PATH_SIZE], size[H_SIZE];
  const char *overrides[MOST_OVERRIDES + 4];
  const int count = list_overrides(scene, stepper, h, size, overrides);
  *r = (run){NULL, NULL, 0};
  snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene->file);
  ts_status status = ts_scene_read(path, overrides, count, &r->scene, error);
  if (status == TS_OK)
    status = ts_sim_create(ts_scene_model(r->scene), ts_scene_options(r->scene), NULL, &r->sim, error);
  if (status == TS_OK) r->steps = (int)(ts_scene_duration(r->scene) / h + 0.5);
  return status;
}

static double cpu_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static ts_status watch_steps(run *r, ts_watch *watch, measured_size *m, ts_error *error)
{
  ts_status status = ts_watch_begin(watch, r->sim, error);
  for (int k = 0; k < r->steps && status == TS_OK; ++k) {
    status = ts_sim_step(r->sim, error);
    if (status == TS_OK) status = ts_watch_step(watch, r->sim, error);
    m->uncertified += !ts_sim_report(r->sim)->certified;
  }
  return status == TS_OK ? ts_watch_end(watch, r->sim, error) : status;
}

// A run that yields an error. Its time includes the watching; it is only good for guessing.
static ts_status watch_run(const suite_scene *scene, const suite_stepper *stepper, measured_size *m, ts_error *error)
{
  run r;
  ts_watch *watch = NULL;
  const double start = cpu_seconds();
  ts_status status = begin(scene, stepper, m->h, &r, error);
  if (status == TS_OK) status = ts_scene_create_watch(r.scene, &watch, error);
  if (status == TS_OK) status = watch_steps(&r, watch, m, error);
  if (status == TS_OK) m->duration = ts_scene_duration(r.scene);
  if (status == TS_OK) m->error = ts_watch_result(watch, ts_watch_find_result(watch, "relative_error"));
  m->seconds = cpu_seconds() - start;
  ts_watch_destroy(watch);
  end(&r);
  return status;
}

// Errors at events depend on where in a step they fall, at one size by luck: the worst of neighbours counts, with h, n
// steps, and with n + 1, n + 2, ... of them.
static ts_status find_error(const suite_scene *scene, const suite_stepper *stepper, measured_size *m, double *seconds,
                            ts_error *error)
{
  measured_size one = {.h = m->h};
  ts_status status = watch_run(scene, stepper, &one, error);
  const double steps = one.duration / one.h;
  *m = one;
  *seconds = one.seconds;
  for (int k = 1; k < NEIGHBOURS && status == TS_OK; ++k) {
    one = (measured_size){.h = m->h * steps / (steps + k)};
    status = watch_run(scene, stepper, &one, error);
    m->error = fmax(m->error, one.error);
    m->uncertified += one.uncertified;
    *seconds = fmax(*seconds, one.seconds);
  }
  return status;
}

static double time_steps(const suite_scene *scene, const suite_stepper *stepper, double h)
{
  run r;
  ts_error error;
  ts_status status = begin(scene, stepper, h, &r, &error);
  const double start = cpu_seconds();
  for (int k = 0; k < r.steps && status == TS_OK; ++k) status = ts_sim_step(r.sim, &error);
  const double seconds = cpu_seconds() - start;
  end(&r);
  return status == TS_OK ? seconds : NAN;
}

static void take_times(const measure_options *options, measurement *m)
{
  for (int i = 0; i < m->count; ++i) m->at[i].seconds = NAN;
  for (int k = 0; k < options->runs; ++k)
    for (int i = 0; i < m->count; ++i)
      m->at[i].seconds = fmin(m->at[i].seconds, time_steps(m->scene, m->stepper, m->at[i].h));
}

// Without the override that a sentence is about.
static void take_refusal(measurement *m, const char *text)
{
  const char *sentence = strstr(text, "': ");
  snprintf(m->refusal, sizeof m->refusal, "%s", text[0] == '\'' && sentence ? sentence + 3 : text);
}

void measure(const suite_scene *scene, const suite_stepper *stepper, const measure_options *options, measurement *m)
{
  double before = 0.0; // CPU time of the size before
  *m = (measurement){.scene = scene, .stepper = stepper};
  if (!(stepper->models & scene->model)) {
    snprintf(m->refusal, sizeof m->refusal, "not asked: the scene is of %s", suite_model_name(scene->model));
    return;
  }
  for (int i = 0; i < suite_size_count(scene) && i < options->most_sizes; ++i) {
    ts_error error;
    measured_size *size = &m->at[m->count];
    *size = (measured_size){.h = ldexp(scene->largest, -i)};
    if (2.0 * before > options->time_limit) {
      snprintf(m->refusal, sizeof m->refusal, "smaller steps take more than %g s", options->time_limit);
      break;
    }
    if (find_error(scene, stepper, size, &before, &error) != TS_OK) {
      take_refusal(m, error.text);
      break;
    }
    ++m->count;
  }
  take_times(options, m);
}
