#include "phase.h"

#include <math.h>

static const double IMPACT_SPEED = 0.1, CREEP_SPEED = 0.01; // over sqrt(g r)

const char *phase_name(phase p)
{
  static const char *const names[PHASE_COUNT] = {"fall", "impact", "creep", "rest"};
  return names[p];
}

static double mass_of(const scene *s)
{
  double mass = 0.0;
  for (int i = 0; i < s->body_count; ++i) mass += s->bodies[i].mass;
  return mass;
}

void phase_watch_init(phase_watch *w, const scene *s)
{
  *w = (phase_watch){0};
  const double mass = mass_of(s);
  for (int i = 0; i < s->body_count; ++i) w->sinking -= s->bodies[i].mass * s->bodies[i].velocity.z / mass;
}

phase phase_watch_step(phase_watch *w, const scene *s, const ts_twist *twists, double kinetic_energy)
{
  const double mass = mass_of(s), before = w->sinking;
  w->sinking = 0.0;
  for (int i = 0; i < s->body_count; ++i) w->sinking -= s->bodies[i].mass * twists[i].linear.z / mass;
  if (w->sinking - before <= 0.5 * s->gravity * s->step_size) w->landed = true;
  if (!w->landed) return PHASE_FALL;
  const double speed = sqrt(2.0 * kinetic_energy / mass) / sqrt(s->gravity * PILE_RADIUS);
  return speed >= IMPACT_SPEED ? PHASE_IMPACT : speed >= CREEP_SPEED ? PHASE_CREEP : PHASE_REST;
}
