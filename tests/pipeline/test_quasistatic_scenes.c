// Random scenes of pushers, parts on supports and fixed pegs, quasi-static: every step is certified, or
// known not to be unique, or known to be jammed; and forces balance in what is recorded.
#include "base/random.h"

#include "touchstone/record.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "effort.h"
#include "scene_run.h"
#include "scratch_folder.h"

enum { STEPS = 12, MOST_BODIES = 16, TEXT_SIZE = 16384 };

// ---- scenes ----

typedef struct writer {
  char *text;
  size_t used;
  ts_random random;
} writer;

static void say(writer *w, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  w->used += (size_t)vsnprintf(w->text + w->used, TEXT_SIZE - w->used, format, arguments);
  va_end(arguments);
  assert_true(w->used < TEXT_SIZE);
}

static double uniform(writer *w, double low, double high)
{
  return ts_random_uniform(&w->random, low, high);
}

static bool heads(writer *w)
{
  return uniform(w, 0.0, 1.0) < 0.5;
}

// Boxes, discs and triangles of about 40 mm.
static void say_shape(writer *w)
{
  const double a = uniform(w, 0.03, 0.06), b = uniform(w, 0.02, 0.05), kind = uniform(w, 0.0, 3.0);
  if (kind < 1.0)
    say(w, "shape: {box: {size: [%.6f, %.6f]}}", a, b);
  else if (kind < 2.0)
    say(w, "shape: {disc: {radius: %.6f}}", 0.5 * b);
  else
    say(w, "shape: {polygon: {vertices: [[%.6f, 0], [%.6f, %.6f], [%.6f, %.6f]]}}", 0.7 * a, -0.4 * a, 0.5 * b,
        -0.3 * a, -0.6 * b);
}

// A tripod about the centre of mass, a ring of five, a limit surface, or what there is by itself.
static void say_support(writer *w)
{
  const double friction = uniform(w, 0.1, 0.6), radius = uniform(w, 0.005, 0.02), kind = uniform(w, 0.0, 4.0);
  if (kind < 1.0) {
    say(w, ", support: {friction: %.4f}", friction);
  } else if (kind < 2.0) {
    say(w, ", centre: [0, 0], support: {friction: %.4f, points: [[%.6f, 0], [%.6f, %.6f], [%.6f, %.6f]]}", friction,
        radius, -0.4 * radius, 0.8 * radius, -0.6 * radius, -0.7 * radius);
  } else if (kind < 3.0) {
    say(w, ", centre: [0, 0], support: {friction: %.4f, loads: [1, 1, 1, 1, 1], points: [", friction);
    for (int k = 0; k < 5; ++k)
      say(w, "%s[%.9f, %.9f]", k > 0 ? ", " : "", radius * cos(0.4 * TS_PI * k), radius * sin(0.4 * TS_PI * k));
    say(w, "]}");
  } else {
    say(w, ", support: {friction: %.4f, ellipsoid: [1, 1, %.6f]}", friction, 0.6 * radius);
  }
}

// Things stand on a grid of 70 mm, so that nothing overlaps; pushers come from below and from the left.
static void write_scene(writer *w)
{
  const int parts = 1 + (int)uniform(w, 0.0, 4.0), pegs = (int)uniform(w, 0.0, 3.0);
  const bool smooth = uniform(w, 0.0, 1.0) < 0.03; // nothing rubs: motion is not unique
  say(w, "{touchstone: 1, space: 2.5d, contact: {friction: %.4f}, bodies: [", smooth ? 0.0 : uniform(w, 0.0, 0.8));
  for (int k = 0; k < parts; ++k) {
    say(w, "{name: part%d, mass: %.4f, ", k, uniform(w, 0.05, 2.0));
    say_shape(w);
    say(w, ", position: [%.6f, %.6f], angle: %.4f", 0.07 * (k % 2), 0.07 * (k / 2), uniform(w, -3.0, 3.0));
    if (smooth)
      say(w, ", support: none");
    else
      say_support(w);
    say(w, "},\n");
  }
  for (int k = 0; k < pegs; ++k)
    say(w, "{name: peg%d, kind: fixed, shape: {disc: {radius: 0.008}}, position: [%.6f, %.6f]},\n", k,
        0.07 * (k + 1) + uniform(w, -0.02, 0.02), 0.15 + uniform(w, 0.0, 0.02));
  say(w,
      "{name: left, kind: kinematic, shape: {%s}, position: [-0.07, %.6f], angle: %.4f,"
      " motion: {displacement: [{polynomial: [0, %.6f]}, {polynomial: [0, %.6f]}], rotation: {polynomial: [0, %.4f]}}}",
      heads(w) ? "disc: {radius: 0.01}" : "box: {size: [0.02, 0.05]}", uniform(w, -0.01, 0.06), uniform(w, -0.3, 0.3),
      uniform(w, 0.01, 0.1), uniform(w, -0.03, 0.03), uniform(w, -1.0, 1.0));
  if (heads(w))
    say(w,
        ",{name: below, kind: kinematic, shape: {disc: {radius: 0.01}}, position: [%.6f, -0.06],"
        " motion: {displacement: [{polynomial: [0, %.6f]}, {polynomial: [0, %.6f]}]}}",
        uniform(w, -0.01, 0.07), uniform(w, -0.02, 0.02), uniform(w, 0.01, 0.1));
  say(w, "], step: {method: quasistatic, size: 0.1}}");
}

// ---- balance ----

typedef struct sums {
  double force[2], moment, size; // [N, N m], and of the largest force
} sums;

static void add_force(sums *s, const ts_recorded_contact *c, double sign)
{
  const double rate = c->pn > 0.0 ? c->fn / c->pn : 0.0;
  const double n = sign * rate * c->pn, t = sign * rate * c->pt, o = sign * rate * c->po;
  const double across[2] = {c->normal.y * c->tangent.z - c->normal.z * c->tangent.y,
                            c->normal.z * c->tangent.x - c->normal.x * c->tangent.z};
  const double fx = n * c->normal.x + t * c->tangent.x + o * across[0];
  const double fy = n * c->normal.y + t * c->tangent.y + o * across[1];
  s->force[0] += fx;
  s->force[1] += fy;
  s->moment += c->point.x * fy - c->point.y * fx + sign * rate * c->pr * c->normal.z;
  s->size = fmax(s->size, hypot(n, hypot(t, o)));
}

// Of the contacts of a recorded step from *next on; nothing else acts on bodies. Lengths are about 0.05 m.
static double worst_imbalance(const ts_record *record, double t, int *next, const bool *moves)
{
  sums all[MOST_BODIES];
  memset(all, 0, sizeof all);
  double worst = 0.0;
  for (; *next < ts_record_contact_count(record); ++*next) {
    const ts_recorded_contact c = ts_record_contact(record, *next);
    if (c.t > t + 1e-9) break;
    add_force(&all[c.body_1], &c, 1.0);
    if (c.body_2 != c.body_1) add_force(&all[c.body_2], &c, -1.0);
  }
  for (int b = 0; b < ts_record_body_count(record); ++b)
    if (moves[b] && all[b].size > 1e-6) // where nothing rubs forces are those of rounding
      worst = fmax(worst, fmax(hypot(all[b].force[0], all[b].force[1]), fabs(all[b].moment) / 0.05) / all[b].size);
  return worst;
}

// ---- the test ----

typedef struct tally {
  int certified, not_unique, jammed, unexplained, cut;
  double imbalance;
} tally;

static void take_steps(scene_run *run, const char *path, bool *ok, tally *sum)
{
  ts_recorder *recorder;
  ts_error error;
  assert_int_equal(ts_recorder_create(path, run->sim, "", &recorder, &error), TS_OK);
  for (int k = 0; k < STEPS; ++k) {
    assert_int_equal(ts_sim_step(run->sim, &error), TS_OK);
    const ts_step_report *report = ts_sim_report(run->sim);
    sum->certified += report->certified;
    sum->not_unique += !report->unique;
    sum->jammed += report->jammed;
    sum->unexplained += !report->certified && !report->jammed;
    sum->cut += report->substeps > 1;
    ok[k] = report->certified && report->substeps == 1; // of parts of a step the points of action are means
    assert_int_equal(ts_recorder_add(recorder, run->sim, true, &error), TS_OK);
  }
  assert_int_equal(ts_recorder_close(recorder, run->sim, &error), TS_OK);
}

static void every_step_is_explained_and_balances(void **state)
{
  static char text[TEXT_SIZE];
  writer w = {.text = text};
  tally sum = {0};
  const char *path = scratch_path(*state, "run.h5");
  char kept[256];
  snprintf(kept, sizeof kept, "%s", path);
  const int scenes = effort_part(500, 4, 5);
  for (int i = 0; i < scenes; ++i) {
    w.used = 0;
    ts_random_init(&w.random, 7000u + (unsigned)i);
    write_scene(&w);
    scene_run run = scene_run_text(text);
    const ts_model *model = ts_sim_model(run.sim);
    bool moves[MOST_BODIES], ok[STEPS];
    assert_true(ts_model_body_count(model) <= MOST_BODIES);
    for (int b = 0; b < ts_model_body_count(model); ++b) moves[b] = ts_model_body_kind(model, b) == TS_DYNAMIC;
    const int before = sum.unexplained;
    take_steps(&run, kept, ok, &sum);
    if (sum.unexplained > before) printf("scene %d:\n%s\n", i, text); // longer than cmocka prints
    ts_record *record;
    ts_error error;
    assert_int_equal(ts_record_open(kept, &record, &error), TS_OK);
    for (int k = 0, next = 0; k < STEPS; ++k) {
      const double worst = worst_imbalance(record, 0.1 * (k + 1), &next, moves);
      if (ok[k] && worst > sum.imbalance) sum.imbalance = worst;
    }
    ts_record_close(record);
    scene_run_end(&run);
  }
  print_message("%d steps: %d certified, %d of these not unique; %d jammed, %d cut, %d unexplained; imbalance %.2g\n",
                scenes * STEPS, sum.certified, sum.not_unique, sum.jammed, sum.cut, sum.unexplained, sum.imbalance);
  assert_int_equal(sum.unexplained, 0);
  assert_true(sum.imbalance <= 1e-8);
  assert_true(sum.jammed > 0 && sum.not_unique > 0); // scenes know both
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_step_is_explained_and_balances, scratch_folder_set_up,
                                      scratch_folder_tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
