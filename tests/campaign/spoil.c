#include "spoil.h"

#include "checks.h"

#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>

// Whether a check of this kind fails in a step
static bool is_found(const campaign_scene *scene, const recorded_run *run, int step, check_kind kind)
{
  step_findings *findings = calloc((size_t)run->step_count + 1, sizeof *findings);
  if (!findings) abort();
  check_run(scene, run, findings);
  const bool found = findings[step].ratio[kind] > 1.0;
  free(findings);
  return found;
}

typedef struct spoiling {
  const campaign_scene *scene;
  recorded_run *run;
  int step, *made, *found;
} spoiling;

static void try_change(const spoiling *s, double *number, double value, check_kind kind)
{
  const double kept = *number;
  if (is_found(s->scene, s->run, s->step, kind)) return; // not a good record
  *number = value;
  ++*s->made;
  *s->found += is_found(s->scene, s->run, s->step, kind);
  *number = kept;
}

// The contact of a fixed body that carries the largest load; NULL: there is none
static ts_recorded_contact *loaded_contact(const campaign_scene *scene, recorded_run *run, int *step)
{
  ts_recorded_contact *best = NULL;
  for (int k = 0; k < run->step_count; ++k)
    for (int i = run->first[k]; i < run->first[k + 1]; ++i) {
      ts_recorded_contact *c = &run->contacts[i];
      const bool on_ground = scene->bodies[c->body_2].kind == TS_FIXED && run->steps[k].substeps <= 1.0;
      if (!on_ground || (best && c->pn <= best->pn)) continue;
      best = c;
      *step = k;
    }
  return best;
}

void spoil_run(const campaign_scene *scene, recorded_run *run, int *made, int *found)
{
  int step = 0;
  ts_recorded_contact *c = loaded_contact(scene, run, &step);
  if (!c || scene->elastic_count > 0) return;
  const spoiling s = {scene, run, step, made, found};
  const campaign_body *body = &scene->bodies[c->body_1];
  const double mu = campaign_friction(scene, c->body_1, c->body_2);
  ts_pose *pose = &run->poses[(step + 1) * scene->body_count + c->body_1];
  ts_twist *twist = &run->twists[(step + 1) * scene->body_count + c->body_1];
  const ts_vec3 n = c->normal;
  // one in a thousand of an impulse, of a velocity or of an energy; friction beyond its cone; a body 5 % in the ground
  try_change(&s, &c->pn, 1.001 * c->pn, CHECK_MOMENTUM);
  try_change(&s, &c->pn, -c->pn, CHECK_CONE);
  try_change(&s, &c->pt, 1.01 * mu * c->pn + fabs(c->pt), CHECK_CONE);
  try_change(&s, &twist->linear.x, 1.001 * twist->linear.x + 1e-4, CHECK_MOMENTUM);
  try_change(&s, &run->steps[step].kinetic, 1.001 * run->steps[step].kinetic + 1e-6, CHECK_STATE);
  if (body->parts[0].has_support && fabs(n.z + n.y) > 0.5) {
    double *height = scene->space == TS_SPACE_2D ? &pose->position.y : &pose->position.z;
    try_change(&s, height, *height - 0.5 * body->reach, CHECK_OVERLAP);
  }
}
