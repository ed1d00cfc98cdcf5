// Contacts are looked for before a step is solved, with velocities that it would reach untouched. Impulses may set
// bodies moving that stood still, or swing them round a joint: then the step looks again, with the velocities that it
// has reached. What would be run into joins the problem, which is solved anew; and what passes through another part all
// the same is told.
#include "step/look_again.h"

#include "step/corners.h"

#include "step/repair.h"

#include "contact/passage.h"
#include "shape/distance.h"
#include "shape/shape_type.h"
#include "shape/turned_points.h"

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

// ---- surfaces that are nearly flat ---------------------------------------------------------------------------------

// A part of a pair at the start and at the end of the step.
typedef struct moved_part {
  const ts_convex *convex;
  ts_frame start, end;
} moved_part;

static moved_part moved_part_of(const ts_step *step, int part)
{
  const ts_model *model = step->sim->model;
  const bool stands = model->bodies[model->parts[part].body].kind == TS_KINEMATIC; // there already
  const ts_way way = way_of(step, part);
  const ts_frame end = ts_way_frame(&way, step->h, step->h);
  return (moved_part){&way.part->convex, stands ? end : ts_way_frame(&way, 0.0, step->h), end};
}

// True if the nearest point has moved over a nearly flat part of the surface, from `point` at the start with the
// outward normal m to `nearest` at the end with n.
static bool rolls_over_flat(const moved_part *p, ts_vec3 point, ts_vec3 m, ts_vec3 nearest, ts_vec3 n)
{
  return p->convex->kind != TS_SHAPE_PLANE &&
         ts_is_nearly_flat_between(p->convex, ts_frame_unapply(&p->start, point), ts_mul_transposed(&p->start.axes, m),
                                   ts_frame_unapply(&p->end, nearest), ts_mul_transposed(&p->end.axes, n));
}

// The points of the parts of contact i that are nearest at the end of the step, where they are at its start.
static bool touch_at_end(const ts_step *step, int i, int look, ts_touch *touch)
{
  const ts_part_pair pair = step->contacts.parts[i];
  const ts_contact *c = &step->contacts.contacts[i];
  const moved_part a = moved_part_of(step, pair.first), b = moved_part_of(step, pair.second);
  ts_separation s;
  if (ts_convex_distance(a.convex, &a.end, b.convex, &b.end, &s) != TS_QUERY_FINE) return false;
  if (s.gap >= -TS_SLOW_REPAIR * step->h) return false;
  const ts_vec3 m = c->normal, n = s.normal;
  if (!rolls_over_flat(&a, c->point, ts_negate(m), s.point_1, ts_negate(n)) &&
      !rolls_over_flat(&b, ts_add_scaled(c->point, -c->gap, m), m, s.point_2, n))
    return false;
  const ts_vec3 x = ts_frame_apply(&a.start, ts_frame_unapply(&a.end, s.point_1));
  const ts_vec3 y = ts_frame_apply(&b.start, ts_frame_unapply(&b.end, s.point_2));
  const double gap = ts_dot(n, ts_sub(x, y));
  const uint32_t nearest = ts_feature_id(TS_FEATURE_ID_NEAREST, 0);
  *touch = (ts_touch){x, ts_add_scaled(x, -gap, n), n, gap,
                      ts_feature_pair(ts_feature_id(TS_FEATURE_ID_NEAREST, 32 + look), nearest)};
  return true;
}

// True if the touch, with the bodies of contact i, would be closed by more than round-off at the velocities reached.
static bool sinks_in(const ts_step *step, int i, const ts_touch *touch)
{
  ts_contact end = step->contacts.contacts[i];
  const ts_vec3 beside = ts_sub(touch->point_1, end.point);
  end.arm_1 = ts_add(end.arm_1, beside);
  end.arm_2 = ts_add(end.arm_2, beside);
  end.normal = touch->normal;
  end.gap = touch->gap;
  return ts_step_gap_after(step, &end, step->sim->state.velocity) < -TS_SLOW_REPAIR * step->h;
}

// True if the nearest point of a part may move far in a small turn. A rim that touches in several points is level, or
// the part lies on its side.
static bool may_roll_far(const ts_sim *sim, int part, bool alone)
{
  const ts_shape_type *type = ts_shape_type_of(sim->model->parts[part].convex.kind);
  return type->nearly_flat || (type->has_rim && alone);
}

// True if the problem of the step was proven to have no solution.
static bool is_jammed(const ts_step *step)
{
  for (int i = 0; i < step->system.count; ++i)
    if (step->jam[i] > 0.0) return true;
  return false;
}

// If the problem has no solution, the velocities are those of softened contacts: points that sink in at them say
// nothing about a solution. Each one that is added doubles the nodes of the proof, which is given up after five or so.
bool ts_step_rolls_on(ts_step *step, int look)
{
  ts_sim *sim = step->sim;
  bool added = false;
  if (!sim->finder.may_roll_far || is_jammed(step)) return false;
  for (int i = 0; look < LOOKS && i < step->contacts.count; ++i) {
    const ts_part_pair pair = step->contacts.parts[i];
    if (i > 0 && ts_part_pair_key(pair) == ts_part_pair_key(step->contacts.parts[i - 1])) continue;
    const bool alone = look > 0 || i + 1 == step->contacts.count ||
                       ts_part_pair_key(pair) != ts_part_pair_key(step->contacts.parts[i + 1]);
    ts_touch touch;
    if (!may_roll_far(sim, pair.first, alone) && !may_roll_far(sim, pair.second, alone)) continue;
    if (!touch_at_end(step, i, look, &touch) || !sinks_in(step, i, &touch)) continue;
    ts_contact_set_add(&step->contacts, i, &sim->finder, &sim->kinematics, &touch, step->arena);
    added = true;
  }
  return added;
}
