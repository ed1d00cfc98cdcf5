// What constrained motion reports of its contacts.
#include "step/event/active_set.h"

#include "step/joint_loads.h"
#include "step/works.h"

#include "contact/contact_sum.h"
#include "contact/law.h"
#include "contact/self_stress.h"

#include <math.h>
#include <string.h>

// Impulses of the contacts from the sums of a step, in the frames that they have at its end.
static void take_impulses(const ts_active_set *active, const double *sums)
{
  for (int i = 0; i < active->last.count; ++i) {
    ts_contact *contact = &active->last.contacts[i];
    const double *sum = sums + TS_ACTIVE_WORKS + TS_ACTIVE_IMPULSES * (size_t)active->index[i];
    const ts_vec3 impulse = {sum[0], sum[1], sum[2]};
    contact->impulse[0] = ts_dot(impulse, contact->normal);
    contact->impulse[1] = ts_dot(impulse, contact->tangent);
    contact->impulse[2] = ts_dot(impulse, contact->other);
    contact->impulse[3] = sum[3];
  }
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
// last row, which are sums of substeps and in their cones, changed as little as brings the same wrenches.
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
  for (size_t i = 0; i < n; ++i) ts_contact_enter_cone(&set.contacts[i], set.laws[i]);
  ts_arena_restore(arena, mark);
}

void ts_active_set_report(const ts_active_set *active, ts_sim *sim, const double *sums, const double *row,
                          ts_arena *arena)
{
  const double *work_sum = sums;
#define TS_REPORT_WORK(work) sim->report.work += *work_sum++;
  TS_WORK_LIST(TS_REPORT_WORK)
#undef TS_REPORT_WORK
  ts_loads_add(sim, sums + ts_active_set_first_load(active));
  take_impulses(active, sums);
  if (!are_in_their_cones(&active->last)) take_out_self_stress(active, sim, row, arena);
  for (int i = 0; i < active->last.count; ++i) {
    ts_contact *contact = &active->last.contacts[i];
    contact->gap = active->contacts[active->index[i]].gap;
    sim->report.penetration = fmax(sim->report.penetration, -contact->gap);
    sim->report.cone_violation =
        fmax(sim->report.cone_violation, ts_contact_cone_violation(contact, active->last.laws[i]));
  }
  sim->contacts = ts_contact_sum(&sim->contacts, &active->last, sim->state.velocity, arena);
  sim->report.contacts = sim->contacts.count;
}
