#include "report.h"

#include <math.h>
#include <string.h>

void report_engines(FILE *out, const engine *const *engines, int count)
{
  for (int i = 0; i < count; ++i) fprintf(out, "%-18s %s\n", engines[i]->name, engines[i]->settings);
}

static void print_figure(FILE *out, double value)
{
  if (isnan(value))
    fprintf(out, " %10s", "-");
  else
    fprintf(out, " %10.2g", value);
}

// A run that was stopped says nothing about what a step of the whole costs: no ratio or target is taken from it.
static bool finished(const measurement *m)
{
  return m->ran && m->stopped_after == 0;
}

static void print_row(FILE *out, const measurement *m, const measurement *own)
{
  fprintf(out, "%-18s", m->engine->name);
  if (!m->ran) {
    fprintf(out, " %10s\n", m->engine->create ? "left out" : "not installed");
    return;
  }
  if (m->stopped_after) {
    fprintf(out, " %10.2f  mean of %d steps, then stopped: too slow\n", m->median, m->stopped_after);
    return;
  }
  fprintf(out, " %10.2f %10.2f", m->median, m->best);
  if (finished(own))
    fprintf(out, " %8.2f", own->median / m->median);
  else
    fprintf(out, " %8s", "-");
  fprintf(out, " %9.1f", m->contacts);
  print_figure(out, m->quality.penetration);
  print_figure(out, m->quality.drift);
  print_figure(out, m->quality.sinking);
  print_figure(out, m->quality.yaw);
  print_figure(out, m->quality.friction_error);
  if (m->failed_steps > 0) fprintf(out, "  %d steps it calls unsolved", m->failed_steps);
  fprintf(out, "\n");
}

void report_scene(FILE *out, const scene *s, const measurement *results, int count)
{
  fprintf(out, "\n%s: %s\n", s->name, s->title);
  if (s->drift) fprintf(out, "drift: %s\n", s->drift);
  fprintf(out, "%-18s %10s %10s %8s %9s %10s %10s %10s %10s %10s\n", "engine", "us/step", "best", "ours is", "contacts",
          "overlap m", "drift", "sinking m", "yaw rad", "friction");
  for (int i = 0; i < count; ++i) print_row(out, &results[i], &results[0]);
  fflush(out);
}

static const measurement *find(const measurement *results, int count, const char *name)
{
  for (int i = 0; i < count; ++i)
    if (finished(&results[i]) && strcmp(results[i].engine->name, name) == 0) return &results[i];
  return NULL;
}

static const measurement *fastest_peer(const measurement *results, int count)
{
  const measurement *fastest = NULL;
  for (int i = 1; i < count; ++i)
    if (finished(&results[i]) && (!fastest || results[i].median < fastest->median)) fastest = &results[i];
  return fastest;
}

static void print_target(FILE *out, const char *what, double value, double limit)
{
  fprintf(out, "%-56s %9.3g  at most %.3g: %s\n", what, value, limit, value <= limit ? "met" : "missed");
}

static void print_ratio(FILE *out, const char *scene_name, const measurement *own, const measurement *peer,
                        double limit)
{
  if (!finished(own) || !peer) return;
  char what[80];
  snprintf(what, sizeof what, "%s: time of touchstone / %s", scene_name, peer->engine->name);
  print_target(out, what, own->median / peer->median, limit);
}

static void print_pile(FILE *out, const char *scene_name, const measurement *results, int count)
{
  if (!finished(&results[0])) return;
  char what[80];
  snprintf(what, sizeof what, "%s: overlap / radius", scene_name);
  print_target(out, what, results[0].quality.penetration / PILE_RADIUS, 1e-6);
  const measurement *quick = find(results, count, "ode quick");
  if (!quick) return;
  snprintf(what, sizeof what, "%s: time of touchstone / ode quick", scene_name);
  fprintf(out, "%-56s %9.3g\n", what, results[0].median / quick->median);
}

// The exponent p of cost ~ N^p between the smallest and the largest pile
static void print_growth(FILE *out, const measurement *small, const measurement *large)
{
  if (!finished(small) || !finished(large)) return;
  char what[80];
  snprintf(what, sizeof what, "piles: growth exponent of %s", small->engine->name);
  const double exponent = log(large->median / small->median) / log(1000.0 / 100.0);
  if (small->engine == touchstone_engine(0))
    print_target(out, what, exponent, 1.3);
  else
    fprintf(out, "%-56s %9.3g\n", what, exponent);
}

void report_targets(FILE *out, const measurement *results, int count)
{
  const measurement *sphere = &results[SCENE_SPHERE * count], *cube = &results[SCENE_CUBE * count];
  const measurement *tower = &results[SCENE_TOWER * count];
  fprintf(out, "\nTargets (only of scenes that were finished)\n");
  print_ratio(out, "sphere", sphere, fastest_peer(sphere, count), 0.7);
  print_ratio(out, "cube", cube, find(cube, count, "ode aligned"), 0.5);
  print_ratio(out, "tower", tower, find(tower, count, "ode exact"), 0.2);
  if (finished(tower)) print_target(out, "tower: drift of the top cube [m]", tower->quality.drift, 1e-6);
  print_pile(out, "pile-100", &results[SCENE_PILE_100 * count], count);
  print_pile(out, "pile-300", &results[SCENE_PILE_300 * count], count);
  print_pile(out, "pile-1000", &results[SCENE_PILE_1000 * count], count);
  for (int i = 0; i < count; ++i)
    print_growth(out, &results[SCENE_PILE_100 * count + i], &results[SCENE_PILE_1000 * count + i]);
}
