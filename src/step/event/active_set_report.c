// What constrained motion reports of its contacts.
#include "step/event/active_set.h"

#include "step/joint_loads.h"
#include "step/works.h"

#include "contact/contact_sum.h"
#include "contact/law.h"
#include "contact/self_stress.h"

#include <math.h>
#include <string.h>

// Sums of the k-th contact that is active.
static const double *sums_of(const double *sums, int k)
{
  return sums + TS_ACTIVE_WORKS + TS_ACTIVE_IMPULSES * (size_t)k;
}

// The mean of the points of substeps by normal impulse; false: nothing has pushed.
static bool mean_point(const double *sum, ts_vec3 *point)
{
  if (!(sum[7] > 0.0)) return false;
  *point = ts_scale(1.0 / sum[7], (ts_vec3){sum[4], sum[5], sum[6]});
  return true;
}

// The point of a contact moves over surfaces that are nearly flat faster than bodies do, and all of its way counts for
// the moment of its impulse. Extrapolation of impulses that are not unique may lead away from that way: then the mean
// of the last row, whose impulses all push, is good enough.
static void take_point(ts_contact *contact, const double *sum, const double *row)
{
  ts_vec3 mean, of_row;
  if (!mean_point(row, &of_row)) return;
  const double way = ts_distance_of(of_row, contact->point);
  if (!mean_point(sum, &mean) || !(ts_distance_of(mean, of_row) <= way)) mean = of_row;
  const ts_vec3 shift = ts_sub(mean, contact->point);
  contact->point = mean;
  contact->arm_1 = ts_add(contact->arm_1, shift);
  contact->arm_2 = ts_add(contact->arm_2, shift);
}

static void take_impulse(ts_contact *contact, const double *sum)
{
  const ts_vec3 impulse = {sum[0], sum[1], sum[2]};
  contact->impulse[0] = ts_dot(impulse, contact->normal);
  contact->impulse[1] = ts_dot(impulse, contact->tangent);
  contact->impulse[2] = ts_dot(impulse, contact->other);
  contact->impulse[3] = sum[3];
}

// Impulses of the contacts from the sums of a step, in the frames that they have at its end.
static void take_impulses(const ts_active_set *active, const double *sums)
{
  for (int i = 0; i < active->last.count; ++i) take_impulse(&active->last.contacts[i], sums_of(sums, active->index[i]));
}

static bool are_in_their_cones(const ts_contact_set *set)
{
  static const double NEARLY = 1e-8; // frames turn within a step
  for (int i = 0; i < set->count; ++i)
    if (ts_contact_cone_violation(&set->contacts[i], set->laws[i]) > NEARLY * (1.0 + fabs(set->contacts[i].impulse[0])))
      return false;
  return true;
}

// Where the impulses of a problem are not unique, as those of a box that is braced between its own corners, every
// substep may have others, each within its cone, and extrapolation, whose weights have both signs, magnifies what
// differs. The wrenches that they bring together are unique and extrapolated well. Then the impulses are those of the
// last row, which are sums of substeps, changed as little as brings the same wrenches. Frames that turn within the step
// may leave such sums outside the cone at its end: the momentum that they bring counts.
static void take_out_self_stress(const ts_active_set *active, const ts_sim *sim, const double *row, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  ts_contact_set set = active->last;
  const size_t n = (size_t)set.count;
  double *extrapolated = ts_arena_doubles(arena, 4 * n), *target = ts_arena_doubles(arena, 4 * n);
  for (size_t i = 0; i < n; ++i) memcpy(extrapolated + 4 * i, set.contacts[i].impulse, sizeof set.contacts[i].impulse);
  take_impulses(active, row);
  for (size_t i = 0; i < n; ++i) {
    memcpy(target + 4 * i, set.contacts[i].impulse, sizeof set.contacts[i].impulse);
    memcpy(set.contacts[i].impulse, extrapolated + 4 * i, sizeof set.contacts[i].impulse);
  }
  ts_contact_set_unstress(&set, sim->model, target, arena);
  ts_arena_restore(arena, mark);
}

// Contacts that have pushed in the step and are no longer found at its end, in the frames that they were found in last.
static ts_contact_set lost_contacts(const ts_active_set *active, const ts_active_course *course, ts_arena *arena)
{
  const size_t most = (size_t)active->contact_count;
  ts_contact_set lost = {.capacity = active->contact_count,
                         .contacts = ts_arena_bytes(arena, most, sizeof *lost.contacts),
                         .laws = ts_arena_bytes(arena, most, sizeof *lost.laws),
                         .parts = ts_arena_bytes(arena, most, sizeof *lost.parts)};
  for (int k = 0; k < active->contact_count; ++k) {
    const ts_active_contact *contact = &active->contacts[k];
    const double *sum = sums_of(course->sums, k);
    const bool pushed = sum[0] != 0.0 || sum[1] != 0.0 || sum[2] != 0.0 || sum[3] != 0.0;
    if (!pushed || ts_active_set_is_matched(active->index, active->last.count, k)) continue;
    ts_contact *own = &lost.contacts[lost.count];
    *own = contact->seen;
    own->gap = contact->gap;
    own->summed = course->substeps;
    take_impulse(own, sum);
    take_point(own, sum, sums_of(course->row, k));
    lost.laws[lost.count] = contact->law;
    lost.parts[lost.count++] = contact->parts;
  }
  return lost;
}

void ts_active_set_report(const ts_active_set *active, ts_sim *sim, const ts_active_course *course, ts_arena *arena)
{
  const double *sums = course->sums, *work_sum = sums;
#define TS_REPORT_WORK(work) sim->report.work += *work_sum++;
  TS_WORK_LIST(TS_REPORT_WORK)
#undef TS_REPORT_WORK
  ts_loads_add(sim, sums + ts_active_set_first_load(active));
  take_impulses(active, sums);
  if (!are_in_their_cones(&active->last)) take_out_self_stress(active, sim, course->row, arena);
  for (int i = 0; i < active->last.count; ++i) {
    ts_contact *contact = &active->last.contacts[i];
    contact->gap = active->contacts[active->index[i]].gap;
    contact->summed = course->substeps;
    take_point(contact, sums_of(sums, active->index[i]), sums_of(course->row, active->index[i]));
    sim->report.penetration = fmax(sim->report.penetration, -contact->gap);
    sim->report.cone_violation =
        fmax(sim->report.cone_violation, ts_contact_cone_violation(contact, active->last.laws[i]));
  }
  const ts_contact_set lost = lost_contacts(active, course, arena);
  if (lost.count > 0) sim->contacts = ts_contact_sum(&sim->contacts, &lost, sim->state.velocity, arena);
  sim->contacts = ts_contact_sum(&sim->contacts, &active->last, sim->state.velocity, arena);
  sim->report.contacts = sim->contacts.count;
}
