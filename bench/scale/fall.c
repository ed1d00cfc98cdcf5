#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "fall.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// A run as it goes
typedef struct run {
  const scene *scene;
  const engine *engine;
  void *world;
  ts_pose *poses, *start; // now, and at the start of the step that is looked at
  ts_twist *twists;
  int room; // for contacts
  engine_contact *contacts;
  phase_watch watch;
  double energy; // after the last step [J]
  int timed[PHASE_COUNT];
  fall figures;
} run;

static void *checked(void *memory)
{
  if (memory) return memory;
  fprintf(stderr, "bench_scale: out of memory\n");
  exit(EXIT_FAILURE);
}

static double seconds(const scene *s)
{
  struct timespec now;
  clock_gettime(s->threads > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void read_state(const run *r, ts_pose *poses)
{
  for (int i = 0; i < r->scene->body_count; ++i) r->engine->state(r->world, i, &poses[i], &r->twists[i]);
}

static void begin(run *r, const scene *s, const engine *e)
{
  const size_t n = (size_t)s->body_count;
  *r = (run){.scene = s, .engine = e, .world = e->create(s, e->variant)};
  r->poses = checked(calloc(n, sizeof *r->poses));
  r->start = checked(calloc(n, sizeof *r->start));
  r->twists = checked(calloc(n, sizeof *r->twists));
  r->figures = (fall){.failed = -1, .overlap = {NAN, NAN}, .has_reports = e->report != NULL};
  phase_watch_init(&r->watch, s);
  read_state(r, r->poses);
  r->energy = scene_energy(s, r->poses, r->twists);
}

static void end(run *r)
{
  r->engine->destroy(r->world);
  free(r->poses);
  free(r->start);
  free(r->twists);
  free(r->contacts);
}

static double timed_step(const run *r)
{
  const double start = seconds(r->scene);
  r->engine->step(r->world);
  return seconds(r->scene) - start;
}

static void follow_energy(run *r, double kinetic)
{
  const double energy = scene_energy(r->scene, r->poses, r->twists);
  r->figures.kinetic = kinetic;
  r->figures.gained += fmax(energy - r->energy, 0.0);
  r->energy = energy;
}

static void follow_report(run *r, stage at)
{
  const ts_step_report *report = r->engine->report(r->world);
  fall_reports *sum = &r->figures.reports;
  sum->iterations += report->iterations;
  sum->factorizations += report->factorizations;
  sum->to_tolerance += report->certified && report->within_length == 0;
  sum->within_length += report->certified && report->within_length > 0;
  sum->neither += !report->certified;
  sum->residual[at] = fmax(sum->residual[at], report->residual);
  sum->velocity_error[at] = fmax(sum->velocity_error[at], report->velocity_error);
}

// Contacts of a step of Touchstone that was cut are sums over its parts, which obey no law of a single step.
static void look_at_contacts(run *r, stage at)
{
  const engine *e = r->engine;
  if (!e->contacts || (e->report && e->report(r->world)->substeps > 1)) return;
  int count = e->contacts(r->world, r->contacts, r->room);
  if (count > r->room) {
    r->room = 2 * count;
    r->contacts = checked(realloc(r->contacts, (size_t)r->room * sizeof *r->contacts));
    count = e->contacts(r->world, r->contacts, r->room);
  }
  contact_errors_add(&r->figures.errors[at], r->scene, r->contacts, count, r->start, r->twists);
}

static void look(run *r, stage at)
{
  const double deepest = scene_penetration(r->scene, r->poses, r->figures.steps * r->scene->step_size);
  r->figures.overlap[at] = fmax(r->figures.overlap[at], deepest); // NAN is left behind
  look_at_contacts(r, at);
}

// Take a step; returns its time [s].
static double advance(run *r)
{
  fall *f = &r->figures;
  const bool looked_at = (f->steps + 1) % FALL_LOOK_EVERY == 0;
  const bool kept = looked_at && r->engine->watch;
  if (looked_at) read_state(r, r->start);
  if (kept) r->engine->watch(r->world);
  const double took = timed_step(r);
  ++f->steps;
  read_state(r, r->poses);
  const double kinetic = scene_kinetic_energy(r->scene, r->poses, r->twists);
  const phase p = phase_watch_step(&r->watch, r->scene, r->twists, kinetic);
  const stage at = p == PHASE_FALL || p == PHASE_IMPACT ? STAGE_MOVING : STAGE_LATE;
  ++f->phase_steps[p];
  if (!kept) {
    ++r->timed[p];
    f->phase[p] += took;
    f->worst = fmax(f->worst, took);
  }
  f->contacts += r->engine->contact_count(r->world);
  follow_energy(r, kinetic);
  if (f->has_reports) follow_report(r, at);
  if (looked_at) look(r, at);
  return took;
}

// Sums become means.
static void average(run *r)
{
  fall *f = &r->figures;
  double sum = 0.0;
  int timed = 0;
  for (int k = 0; k < PHASE_COUNT; ++k) {
    sum += f->phase[k];
    timed += r->timed[k];
    f->phase[k] = r->timed[k] > 0 ? f->phase[k] / r->timed[k] : NAN;
  }
  f->mean = timed > 0 ? sum / timed : NAN;
  f->contacts /= f->steps;
  f->reports.iterations /= f->steps;
  f->reports.factorizations /= f->steps;
}

static bool is_driven(const scene *s)
{
  for (int k = 0; k < s->obstacle_count; ++k)
    if (scene_obstacle_moves(&s->obstacles[k])) return true;
  return false;
}

fall fall_run(const scene *s, const engine *e, int steps, double limit)
{
  run r;
  begin(&r, s, e);
  for (double used = 0.0; r.figures.steps < steps && used < limit;) used += advance(&r);
  average(&r);
  r.figures.complete = r.figures.steps == steps;
  if (is_driven(s)) r.figures.gained = NAN;
  if (e->failed_steps) r.figures.failed = e->failed_steps(r.world);
  end(&r);
  return r.figures;
}
