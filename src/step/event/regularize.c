
#include "step/event/regularize.h"

#include "step/event/situation.h"
#include "step/joint_loads.h"

#include "contact/contact_sum.h"

#include <string.h>

// Shortest fixed step, of those that are as long as they may be: what meets within it is let overlap.
static const double SHORTEST_SHARE = 1.0 / 16.0;

// Of the work at once, what is allowed for every TS_REGULAR_TIME beside it.
static const double SHARE = 0.1;

static void allow(ts_pace *pace, ts_smooth *smooth, double work)
{
  pace->work = fmax(TS_LEAST_WORK, fmin(TS_MOST_WORK, work));
  pace->time = smooth->work_time = smooth->sim->state.time;
  smooth->work_limit = smooth->work + pace->work;
  smooth->work_rate = SHARE * pace->work / TS_REGULAR_TIME;
}

void ts_pace_begin(ts_pace *pace, ts_smooth *smooth)
{
  allow(pace, smooth, TS_MOST_WORK);
}

void ts_pace_keep(ts_pace *pace, ts_smooth *smooth)
{
  if (smooth->sim->state.time - pace->time >= TS_REGULAR_TIME) allow(pace, smooth, 1.25 * pace->work);
}

// All that is closed is the fixed step's business.
static void hold_closed(ts_smooth *smooth, double h)
{
  ts_situation now;
  const ts_arena_mark mark = ts_look_anew(smooth, h, &now);
  for (int i = 0; i < now.contacts.count; ++i)
    if (ts_contact_is_closed(&now.contacts.contacts[i]))
      ts_active_set_add_contact(&smooth->active, smooth->sim, &now.contacts, i);
  ts_arena_restore(smooth->arena, mark);
}

// How much of a fixed step from y, which has been taken with its new rates all the way, is clear of what was open.
static double clear_part(ts_smooth *smooth, double h)
{
  ts_sim *sim = smooth->sim;
  const double time = sim->state.time - h;
  ts_place_kinematic_bodies(sim, time);
  ts_tree_update(sim->mechanics.tree, smooth->y, sim->state.rates, &sim->state, &sim->kinematics);
  ts_advancement_start(&smooth->advancement, sim, time);
  ts_place_kinematic_bodies(sim, time + h);
  ts_mechanics_follow(&sim->mechanics);
  return ts_advancement_clear(&smooth->advancement, sim, &smooth->active, h, smooth->arena);
}

// A fixed step of at most h, shorter where something that is open would be passed. Returns its length, or 0.
static double step_fixed(ts_smooth *smooth, double h, double shortest)
{
  ts_sim *sim = smooth->sim;
  const double time = sim->state.time;
  smooth->before = sim->report;
  const ts_joint_load *loads = ts_loads_save(sim, smooth->arena);
  for (;;) {
    const ts_contact_set earlier = sim->contacts;
    memcpy(sim->old_velocity, sim->state.velocity, (size_t)sim->model->body_count * sizeof *sim->old_velocity);
    ++smooth->work;
    if (!ts_stepper_velocity.step(sim, h, smooth->arena)) return 0.0;
    sim->state.time = time + h;
    ts_mechanics_follow(&sim->mechanics);
    ts_loads_close_balance(sim);
    const double clear = clear_part(smooth, h);
    if (clear >= h || h <= shortest) {
      if (earlier.count > 0)
        sim->contacts = ts_contact_sum(&earlier, &sim->contacts, sim->state.velocity, smooth->arena);
      sim->report.contacts = sim->contacts.count;
      return h;
    }
    sim->contacts = earlier;
    ts_loads_restore(sim, loads);
    sim->state.time = time;
    ts_smooth_give_up(smooth);
    h = fmax(shortest, clear);
  }
}

bool ts_regularize(ts_pace *pace, ts_smooth *smooth, double end)
{
  ts_sim *sim = smooth->sim;
  const double to = fmin(end, sim->state.time + TS_REGULAR_TIME), size = fmin(TS_REGULAR_STEP, sim->options.size);
  ts_smooth_give_up(smooth);
  while (sim->state.time < to) {
    const double time = sim->state.time, left = to - time;
    hold_closed(smooth, size);
    const double h = step_fixed(smooth, left < 1.5 * size ? left : size, size * SHORTEST_SHARE);
    if (h == 0.0) return false;
    if (h == left) sim->state.time = to;
    sim->report.regularized += h;
    sim->report.regularized_size = fmax(sim->report.regularized_size, h);
    ts_smooth_take_velocity(smooth);
  }
  allow(pace, smooth, 0.5 * pace->work);
  return true;
}
