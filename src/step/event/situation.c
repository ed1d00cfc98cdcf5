#include "step/event/situation.h"

#include "step/impact.h"

#include <math.h>

// Steps this short are not looked at for gaps that close and open again [s].
static const double SHORTEST_DIP = 1e-9;

static double slowest_slip(const ts_smooth *smooth)
{
  const ts_sim *sim = smooth->sim;
  double slowest = INFINITY;
  for (int j = 0; j < sim->model->joint_count; ++j) {
    if (sim->model->joints[j].friction == 0.0) continue;
    double rate;
    ts_joint_position(sim->model, &sim->state, &sim->kinematics, j, &rate);
    slowest = fmin(slowest, smooth->slip[j] * rate);
  }
  return slowest;
}

static int stops_alone(ts_bounded_row *rows, int count)
{
  int kept = 0;
  for (int k = 0; k < count; ++k)
    if (rows[k].lower >= 0.0) rows[kept++] = rows[k];
  return kept;
}

void ts_look(ts_smooth *smooth, double h, ts_situation *now)
{
  ts_sim *sim = smooth->sim;
  now->stops = ts_arena_bytes(smooth->arena, (size_t)ts_bounded_row_limit(sim->model), sizeof *now->stops);
  now->stop_count = stops_alone(now->stops, ts_bounded_rows(sim->model, &sim->state, &sim->kinematics, h, now->stops));
  now->slip = slowest_slip(smooth);
  if (!ts_find_contacts(&sim->finder, &sim->kinematics, sim->state.velocity, fmax(h, TS_ACTIVE_REACH),
                        sim->options.margin, smooth->arena, &now->contacts))
    longjmp(*smooth->arena->recovery, 1);
  now->match = ts_arena_ints(smooth->arena, (size_t)now->contacts.count);
  ts_active_set_match(&smooth->active, sim, &now->contacts, now->match);
  now->speed = ts_arena_doubles(smooth->arena, (size_t)now->contacts.count);
  for (int i = 0; i < now->contacts.count; ++i) now->speed[i] = ts_normal_speed(sim, &now->contacts.contacts[i]);
  now->stop_speed = ts_arena_doubles(smooth->arena, (size_t)now->stop_count);
  for (int k = 0; k < now->stop_count; ++k)
    now->stop_speed[k] = ts_row_rate(&now->stops[k].row, sim->state.velocity) + now->stops[k].drift;
}

ts_arena_mark ts_look_anew(ts_smooth *smooth, double h, ts_situation *now)
{
  ts_smooth_set_free(smooth);
  ts_arena_mark mark = ts_arena_save(smooth->arena);
  ts_look(smooth, h, now);
  if (now->contacts.count <= smooth->active.contact_capacity) return mark;
  const int room = 2 * now->contacts.count;
  ts_arena_restore(smooth->arena, mark);
  ts_active_set_make_room(&smooth->active, room, smooth->arena);
  mark = ts_arena_save(smooth->arena);
  ts_look(smooth, h, now);
  return mark;
}

double ts_closed_gap(const ts_contact *contact)
{
  return ts_touching_gap(contact->arm_1, contact->point);
}

bool ts_contact_is_closed(const ts_contact *contact)
{
  return contact->gap <= ts_closed_gap(contact);
}

static bool contact_is_closed(const ts_situation *now, int i)
{
  return ts_contact_is_closed(&now->contacts.contacts[i]);
}

static bool stop_is_closed(const ts_situation *now, int k)
{
  return now->stops[k].gap <= TS_TOUCHING;
}

bool ts_contact_rests(const ts_situation *now, int i, double slow)
{
  return contact_is_closed(now, i) && fabs(now->speed[i]) <= slow;
}

bool ts_stop_rests(const ts_situation *now, int k, double slow)
{
  return stop_is_closed(now, k) && fabs(now->stop_speed[k]) <= slow;
}

static bool same_pair(const ts_situation *a, int i, const ts_situation *b, int j)
{
  return ts_part_pair_key(a->contacts.parts[i]) == ts_part_pair_key(b->contacts.parts[j]);
}

// Whether contact i of `now` was open before; where it has no predecessor, whether all contacts of its pair were.
static bool contact_was_open(const ts_situation *before, const ts_situation *now, int i)
{
  bool open = true;
  for (int j = 0; j < before->contacts.count; ++j) {
    if (!same_pair(before, j, now, i)) continue;
    const bool closed = contact_is_closed(before, j);
    if (before->contacts.contacts[j].feature == now->contacts.contacts[i].feature) return !closed;
    open = open && !closed;
  }
  return open;
}

static int find_stop(const ts_situation *in, const ts_bounded_row *stop) // or -1
{
  for (int k = 0; k < in->stop_count; ++k)
    if (in->stops[k].joint == stop->joint && in->stops[k].feature == stop->feature) return k;
  return -1;
}

static bool stop_was_open(const ts_situation *before, const ts_bounded_row *stop)
{
  const int k = find_stop(before, stop);
  return k < 0 || !stop_is_closed(before, k);
}

double ts_smallest_gap(const ts_smooth *smooth, const ts_situation *before, const ts_situation *now)
{
  double smallest = smooth->is_constrained ? INFINITY : now->slip;
  for (int i = 0; i < now->contacts.count; ++i) {
    const ts_contact *contact = &now->contacts.contacts[i];
    if (now->match[i] >= 0) continue;
    if (contact_is_closed(now, i) && now->speed[i] > 0.0 && !contact_was_open(before, now, i)) continue;
    if (smooth->is_constrained && contact->gap > -ts_closed_gap(contact) &&
        ts_contact_rests(now, i, TS_SLOWEST_APPROACH))
      continue;
    smallest = fmin(smallest, contact->gap);
  }
  for (int k = 0; k < now->stop_count; ++k) {
    const ts_bounded_row *stop = &now->stops[k];
    if (ts_active_set_find_row(&smooth->active, stop)) continue;
    if (stop_is_closed(now, k) && now->stop_speed[k] > 0.0 && !stop_was_open(before, stop)) continue;
    if (smooth->is_constrained && stop->gap > -TS_TOUCHING && ts_stop_rests(now, k, TS_SLOWEST_APPROACH)) continue;
    smallest = fmin(smallest, stop->gap);
  }
  return smallest;
}

bool ts_has_let_go(const ts_smooth *smooth, const ts_situation *now)
{
  if (!smooth->is_constrained) return false;
  for (int i = 0; i < now->contacts.count; ++i)
    if (now->match[i] >= 0 && ts_active_contact_is_open(&now->contacts.contacts[i])) return true;
  for (int k = 0; k < now->stop_count; ++k)
    if (ts_active_stop_is_open(&now->stops[k]) && ts_active_set_find_row(&smooth->active, &now->stops[k])) return true;
  return false;
}

bool ts_is_approached(const ts_situation *now, double slow)
{
  for (int i = 0; i < now->contacts.count; ++i)
    if (contact_is_closed(now, i) && now->speed[i] < -slow) return true;
  for (int k = 0; k < now->stop_count; ++k)
    if (stop_is_closed(now, k) && now->stop_speed[k] < -slow) return true;
  return false;
}

// A gap with its rate at the start of a step of length h and at its end, which may have been below zero in between:
// it approaches first and parts then, and the cubic through these falls to half of what is left at the ends, or below.
// That leaves room for what the cubic is wrong by. Where it is not that low a step a quarter as long will tell.
static bool may_dip(double gap_0, double rate_0, double gap_1, double rate_1, double h)
{
  if (rate_0 >= 0.0 || rate_1 <= 0.0) return false;
  const double b = h * rate_0, d = h * rate_1; // gap_0 + b s + e s^2 + f s^3
  const double e = 3.0 * (gap_1 - gap_0) - 2.0 * b - d, f = 2.0 * (gap_0 - gap_1) + b + d;
  const double root = e + sqrt(fmax(0.0, e * e - 3.0 * f * b)); // > 0: the slope is b < 0 first and d > 0 then
  const double s = root > 0.0 ? fmin(1.0, -b / root) : 1.0;
  return gap_0 + s * (b + s * (e + s * f)) < 0.5 * fmin(gap_0, gap_1);
}

bool ts_stop_dips(const ts_smooth *smooth, const ts_situation *before, const ts_situation *after, double h)
{
  if (h <= SHORTEST_DIP) return false;
  for (int k = 0; k < after->stop_count; ++k) {
    const ts_bounded_row *stop = &after->stops[k];
    const int early = find_stop(before, stop);
    if (early < 0 || ts_active_set_find_row(&smooth->active, stop) || stop_is_closed(after, k)) continue;
    if (!stop_is_closed(before, early) &&
        may_dip(before->stops[early].gap, before->stop_speed[early], stop->gap, after->stop_speed[k], h))
      return true;
  }
  return false;
}
