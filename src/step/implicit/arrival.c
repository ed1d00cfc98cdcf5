#include "step/implicit/arrival.h"

#include "step/implicit/judge.h"

#include <math.h>
#include <string.h>

ts_arrival ts_arrival_make(const ts_step *step)
{
  const ts_model *model = step->sim->model;
  const size_t bodies = (size_t)model->body_count;
  ts_arrival arrival = {.end = ts_state_allocate(model, 0, 0, step->arena)};
  arrival.geometry.frame = ts_arena_bytes(step->arena, bodies, sizeof *arrival.geometry.frame);
  arrival.geometry.inverse_inertia = ts_arena_bytes(step->arena, bodies, sizeof *arrival.geometry.inverse_inertia);
  arrival.still = ts_arena_bytes(step->arena, bodies, sizeof *arrival.still);
  memset(arrival.still, 0, bodies * sizeof *arrival.still);
  return arrival;
}

void ts_arrival_move(ts_arrival *arrival, const ts_step *step, const ts_twist *velocity)
{
  const ts_sim *sim = step->sim;
  ts_state_copy_bodies(&sim->state, &arrival->end);
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) arrival->end.velocity[b] = velocity[b];
  ts_state_advance(sim->model, step->h, 1.0, NULL, &arrival->end);
  ts_kinematics_update(sim->model, &arrival->end, &arrival->geometry);
}

// How far apart parts may be that are looked at; skins that are pushed aside may bulge, and bear where they do.
static double margin_of(const ts_step *step)
{
  const ts_sim *sim = step->sim;
  const double bulge = ts_skins_bulge(&sim->skins), usual = sim->options.margin;
  if (!(bulge > 0.0)) return usual;
  return fmax(usual, 4.0 * (bulge + step->h * ts_largest_speed(sim->model, sim->free_velocity)));
}

void ts_arrival_look(ts_arrival *arrival, const ts_step *step, const ts_twist *velocity, ts_contact_set *points)
{
  ts_sim *sim = step->sim;
  ts_arrival_move(arrival, step, velocity);
  const ts_course course = {.kinematics = &arrival->geometry,
                            .velocity = sim->free_velocity,
                            .h = step->h,
                            .margin = margin_of(step),
                            .heading = arrival->still,
                            .arrived = true,
                            .nearest_alone = true}; // guesses turn the bodies themselves
  if (!ts_find_contacts_on(&sim->finder, &course, step->arena, points)) longjmp(*step->arena->recovery, 1);
}
