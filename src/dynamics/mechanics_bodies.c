// Bodies with six numbers each; joints are rows that hold.
#include "dynamics/constrained_gyroscopic.h"

#include <math.h>
#include <string.h>

static void follow(ts_mechanics *mechanics)
{
  ts_kinematics_update(mechanics->model, mechanics->state, mechanics->kinematics);
  ts_state_follow_joints(mechanics->model, mechanics->kinematics, NULL, mechanics->state);
}

static void update(ts_mechanics *mechanics)
{
  ts_kinematics_update(mechanics->model, mechanics->state, mechanics->kinematics);
}

static void move(ts_mechanics *mechanics, double h, const ts_twist *old_velocity)
{
  ts_state_advance(mechanics->model, h, 1.0, old_velocity, mechanics->state);
}

// Twists stay as they are while bodies move on.
static ts_energies energies(const ts_mechanics *mechanics, double known_kinetic)
{
  const ts_state *state = mechanics->state;
  return (ts_energies){.kinetic = isnan(known_kinetic)
                                      ? ts_kinetic_energy(mechanics->model, mechanics->kinematics, state->velocity)
                                      : known_kinetic,
                       .potential = ts_potential_energy(mechanics->model, state)};
}

static bool factor(ts_mobility *mobility)
{
  if (mobility->count == 0) return true;
  const ts_mechanics *mechanics = mobility->mechanics;
  ts_bilateral_factor(mechanics->model, mechanics->kinematics, mobility->rows, mobility->count, mobility->arena,
                      &mobility->bilateral);
  mobility->depends = mobility->bilateral.depends;
  return true;
}

static void fall(ts_mobility *mobility, const ts_wrench *pushes, const bool *turned_apart, ts_twist *free_velocity)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  const ts_turning turning = ts_mobility_turning(mobility, pushes, turned_apart);
  ts_free_velocity(mechanics->model, mechanics->state, mechanics->kinematics, mobility->h, turning, pushes,
                   free_velocity);
}

static void project(const ts_mobility *mobility, ts_twist *velocity, double *impulse)
{
  ts_bilateral_project(&mobility->bilateral, velocity, impulse, mobility->arena);
}

static void free_velocity(ts_mobility *mobility, const ts_wrench *pushes, bool resisted, ts_twist *velocity)
{
  (void)resisted;
  const bool *turned = ts_constrained_gyroscopic_bodies(mobility);
  fall(mobility, pushes, turned, velocity);
  if (turned && !ts_constrained_gyroscopic_add(mobility, turned, velocity))
    fall(mobility, pushes, NULL, velocity); // as if free
  if (mobility->count > 0) project(mobility, velocity, mobility->impulse);
}

static void push(const ts_mobility *mobility, const ts_body_push *pushes, int count, ts_twist *velocity,
                 double *impulse)
{
  const ts_mechanics *mechanics = mobility->mechanics;
  const ts_arena_mark mark = ts_arena_save(mobility->arena);
  const size_t bodies = (size_t)mechanics->model->body_count;
  ts_twist *change = ts_arena_bytes(mobility->arena, bodies, sizeof *change);
  double *reaction = ts_arena_doubles(mobility->arena, (size_t)mobility->count);
  memset(change, 0, bodies * sizeof *change);
  for (int k = 0; k < count; ++k) {
    ts_twist *own = &change[pushes[k].body];
    *own = ts_twist_add_scaled(*own, 1.0,
                               ts_respond(mechanics->model, mechanics->kinematics, pushes[k].body, pushes[k].wrench));
  }
  ts_bilateral_correct(&mobility->bilateral, change, reaction, mobility->arena);
  for (size_t b = 0; b < bodies; ++b) velocity[b] = ts_twist_add_scaled(velocity[b], 1.0, change[b]);
  for (int k = 0; k < mobility->count; ++k) impulse[k] += reaction[k];
  ts_arena_restore(mobility->arena, mark);
}

static int groups(const ts_mobility *mobility, int *group)
{
  return ts_bilateral_components(&mobility->bilateral, group, mobility->arena);
}

static void compliance(const ts_mobility *mobility, const ts_block_list *blocks, double *C, ts_arena *arena)
{
  ts_bilateral_delassus(&mobility->bilateral, ts_rows_of_blocks(blocks, arena), blocks->count * blocks->dimension, C,
                        arena);
}

static bool advance(ts_mobility *mobility, bool flew, const ts_twist *old_velocity, double *damping_work)
{
  (void)flew;
  (void)damping_work;
  const ts_mechanics *mechanics = mobility->mechanics;
  ts_state_advance(mechanics->model, mobility->h, mobility->theta, old_velocity, mechanics->state);
  return true;
}

const ts_mechanics_kind ts_mechanics_of_bodies = {
    .follow = follow,
    .update = update,
    .move = move,
    .energies = energies,
    .factor = factor,
    .free_velocity = free_velocity,
    .project = project,
    .push = push,
    .groups = groups,
    .compliance = compliance,
    .advance = advance,
};
