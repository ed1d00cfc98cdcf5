// Contacts are looked for before a step is solved, with velocities that it would reach untouched. Impulses may set
// bodies moving that stood still, or swing them round a joint: then the step looks again, with the velocities that it
// has reached. What would be run into joins the problem, which is solved anew; and what passes through another part all
// the same is told.
#include "step/look_again.h"

#include "step/corners.h"

#include "contact/passage.h"

#include <string.h>

// A pea between hammers may reach farther with every look; a shorter step reaches less far.
enum { LOOKS = 8 };

// The first pair is kept.
void ts_report_tunnel(ts_sim *sim, const ts_contact *between)
{
  ts_step_report *report = &sim->report;
  report->certified = false;
  if (report->tunnelled) return;
  report->tunnelled = true;
  report->tunnelled_bodies[0] = between->body_1;
  report->tunnelled_bodies[1] = between->body_2;
}

// Longer by `more`, and no shorter than `least`; where it has no direction any will do.
static ts_vec3 lengthened(ts_vec3 v, double more, double least)
{
  static const ts_vec3 x_axis = {1.0, 0.0, 0.0};
  const double length = ts_length(v);
  return ts_scale(fmax(least, length + more), ts_normalize(v, x_axis));
}

// Contacts within the way that bodies make at the faster of two velocities while others come to meet them with
// `more`; where a margin was asked for, within that at least.
static void find_contacts(ts_step *step, const ts_twist *before, double more, bool uncovered, ts_contact_set *set)
{
  ts_sim *sim = step->sim;
  const size_t bodies = (size_t)sim->model->body_count;
  const double least = 0.25 * sim->options.margin / step->h; // a part has half of a pair's margin, and twice its way
  ts_twist *fast = ts_arena_bytes(step->arena, bodies, sizeof *fast);
  for (size_t b = 0; b < bodies; ++b) {
    const ts_twist *old = &before[b], *now = &sim->state.velocity[b];
    const bool faster = ts_length(now->linear) > ts_length(old->linear);
    fast[b].linear = lengthened(faster ? now->linear : old->linear, more, least);
    fast[b].angular = ts_length(now->angular) > ts_length(old->angular) ? now->angular : old->angular;
  }
  const ts_course course = {.kinematics = &sim->kinematics,
                            .velocity = fast,
                            .h = step->h,
                            .heading = sim->old_velocity, // as they are, not as fast as this
                            .arrived = step->gaps_at_end,
                            .uncovered = uncovered,
                            .alternatives = step->corners != NULL};
  if (!ts_find_contacts_on(&sim->finder, &course, step->arena, set)) longjmp(*step->arena->recovery, 1);
}

double ts_step_gap_after(const ts_step *step, const ts_contact *contact, const ts_twist *velocity)
{
  ts_vec3 v = ts_twist_at(velocity[contact->body_1], contact->arm_1);
  if (step->sim->model->bodies[contact->body_2].kind == TS_DYNAMIC)
    v = ts_sub(v, ts_twist_at(velocity[contact->body_2], contact->arm_2));
  return contact->gap + step->h * ts_dot(contact->normal, v);
}

// Whether the gap of contact i is negative at the end of the step; where there are several directions, along all.
static bool closes(const ts_step *step, const ts_contact_set *set, int i)
{
  const double gap = ts_contact_is_alternative(set, i)
                         ? ts_corner_gap_at_end(step, set, i)
                         : ts_step_gap_after(step, &set->contacts[i], step->sim->state.velocity);
  return gap < 0.0;
}

static bool is_same(const ts_contact_set *a, int i, const ts_contact_set *b, int j)
{
  return a->contacts[i].feature == b->contacts[j].feature && a->parts[i].first == b->parts[j].first &&
         a->parts[i].second == b->parts[j].second;
}

// Of `found`, which has all contacts of the step in the same order, one that is new and closes; -1: there is none.
static int new_contact(const ts_step *step, const ts_contact_set *found)
{
  int known = 0;
  for (int i = 0; i < found->count; ++i) {
    while (known < step->contacts.count &&
           ts_part_pair_key(step->contacts.parts[known]) < ts_part_pair_key(found->parts[i]))
      ++known; // farther away there may be other directions for the same parts
    if (known < step->contacts.count && is_same(found, i, &step->contacts, known))
      ++known;
    else if (closes(step, found, i))
      return i;
  }
  return -1;
}

static double fastest_kinematic(const ts_sim *sim)
{
  const ts_model *model = sim->model;
  double fastest = 0.0;
  for (int i = 0; i < model->part_count; ++i) {
    if (model->bodies[model->parts[i].body].kind != TS_KINEMATIC) continue;
    const ts_twist *v = &sim->state.velocity[model->parts[i].body];
    const double turning = ts_length(v->angular);
    fastest = fmax(fastest, ts_length(v->linear) + (turning > 0.0 ? turning * sim->finder.swings[i] : 0.0));
  }
  return fastest;
}

// The way of a part through the step. What is not dynamic stands where it is at the end already, or not yet.
static ts_way way_of(const ts_step *step, int part)
{
  const ts_sim *sim = step->sim;
  const int body = sim->model->parts[part].body;
  const ts_twist v = sim->state.velocity[body], old = sim->old_velocity[body];
  const bool moves = sim->model->bodies[body].kind == TS_DYNAMIC;
  ts_way way = {&sim->model->parts[part], sim->kinematics.frame[body], v,
                ts_has_angle(sim->model->bodies[body].freedoms)};
  if (!moves && step->gaps_at_end) {
    const ts_mat3 back = ts_quat_matrix(ts_quat_exp(ts_scale(-step->h, v.angular)));
    way.start.origin = ts_add_scaled(way.start.origin, -step->h, v.linear);
    way.start.axes = ts_mat3_product(&back, &way.start.axes);
  }
  if (moves && step->theta < 1.0) way.twist = ts_twist_add_scaled(old, step->theta, ts_twist_add_scaled(v, -1.0, old));
  return way;
}

// Whether parts are so deep in each other that little takes them through.
static bool overlaps_deeply(const ts_step *step)
{
  static const double DEEP = 0.1; // of the thinnest parts
  for (int i = 0; i < step->contacts.count; ++i)
    if (step->contacts.contacts[i].gap < -DEEP * step->sim->finder.thinnest) return true;
  return false;
}

// Parts that pass through each other. `way`: no part of a dynamic body gets farther. Where even the thinnest two parts
// are thicker than that nobody has to look, unless something overlaps deeply already.
static void notice_passages(ts_step *step, const ts_twist *before, double way)
{
  ts_sim *sim = step->sim;
  const double kinematic = sim->model->motion_count > 0 ? fastest_kinematic(sim) : 0.0;
  const bool slow = way + fmax(way, step->h * kinematic) <= sim->finder.thinnest && !overlaps_deeply(step);
  if (slow || !isfinite(way)) return;
  const ts_arena_mark mark = ts_arena_save(step->arena);
  ts_contact_set near;
  find_contacts(step, before, kinematic, true, &near); // what covers a touch does not keep parts from passing
  for (int i = 0; i < near.count; ++i) {
    const ts_part_pair pair = near.parts[i];
    if (i > 0 && ts_part_pair_key(pair) == ts_part_pair_key(near.parts[i - 1])) continue;
    const ts_way a = way_of(step, pair.first), b = way_of(step, pair.second);
    ts_query_fault fault;
    if (ts_parts_pass(&a, &b, step->h, &fault)) ts_report_tunnel(sim, &near.contacts[i]);
    if (fault != TS_QUERY_FINE) ts_refuse_answer(fault, &a.part->convex, &b.part->convex, step->arena);
  }
  ts_arena_restore(step->arena, mark);
}

bool ts_step_is_in_sight(const ts_step *step)
{
  const ts_sim *sim = step->sim;
  if (sim->model->motion_count > 0) return false;
  if (step->system.count == 0 || step->contacts.count == sim->finder.most_contacts) return true; // as free, or all
  return ts_is_in_sight(&sim->finder, sim->state.velocity, step->h, ts_mobility_couples(&step->mobility));
}

bool ts_step_look_again(ts_step *step, int look)
{
  ts_sim *sim = step->sim;
  const bool jointed = ts_mobility_couples(&step->mobility);
  const ts_travel ahead = ts_look_ahead(&sim->finder, &sim->kinematics, sim->state.velocity, step->h, jointed);
  if (!ahead.covered && isfinite(ahead.way)) {
    ts_contact_set found;
    find_contacts(step, sim->free_velocity, 0.0, false, &found);
    const int added = new_contact(step, &found);
    if (added >= 0 && look < LOOKS) {
      step->contacts = found;
      return true;
    }
    if (added >= 0) ts_report_tunnel(sim, &found.contacts[added]);
  }
  notice_passages(step, sim->free_velocity, ahead.way);
  return false;
}

void ts_step_notice_passages(ts_step *step)
{
  ts_sim *sim = step->sim;
  const bool in_sight =
      sim->model->motion_count == 0 && ts_is_in_sight(&sim->finder, sim->state.velocity, step->h, false);
  if (in_sight && !overlaps_deeply(step)) return;
  const ts_travel ahead = ts_look_ahead(&sim->finder, &sim->kinematics, sim->state.velocity, step->h, false);
  notice_passages(step, sim->old_velocity, ahead.way);
}

void ts_step_notice_unseen(ts_step *step)
{
  ts_step_look_again(step, LOOKS);
}
