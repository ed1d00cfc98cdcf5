// Overlap, and how fast contacts and stops are asked to take it back.
#ifndef TS_STEP_REPAIR_H
#define TS_STEP_REPAIR_H

#include "step/step.h"
#include "math/larger.h"

#include <math.h>

// How fast a contact is asked to open because of its gap, as options say: gap/h, capped, or not at all where negative.
static inline double ts_stabilizing_speed(const ts_sim *sim, double gap, double h)
{
  if (gap >= 0.0 || sim->stabilization == TS_STABILIZATION_POSITION) return gap / h;
  if (sim->stabilization == TS_STABILIZATION_NONE) return 0.0;
  const double capped = sim->stabilization == TS_STABILIZATION_CAPPED ? -sim->options.recovery_speed : -INFINITY;
  return ts_larger(gap / h, capped);
}

// Slower repairs are nothing [m/s, rad/s].
static const double TS_SLOW_REPAIR = 1e-6;

// Whether something overlaps, or is beyond a stop, at all: quickly told.
static inline bool ts_step_overlaps(const ts_step *step)
{
  const double deep = -TS_SLOW_REPAIR * step->h;
  for (int i = 0; i < step->contacts.count; ++i)
    if (step->contacts.contacts[i].gap < deep && !ts_contact_is_alternative(&step->contacts, i)) return true;
  for (int k = 0; k < step->bounded_count; ++k)
    if (step->bounded[k].gap < deep) return true;
  return false;
}

// The same by more than steps themselves leave. At the free velocity.
bool ts_step_is_sunk(const ts_step *step);

// Of the overlap of the contacts, the largest share that is beyond the length that steps may take out of positions
// without being held to account for its energy: 2 % of the arm of the smaller body.
double ts_step_share_beyond(const ts_step *step);

// Whether contact i overlaps and no impulse of its own can open it: joints leave its point one direction to move in,
// and friction holds whatever pushes against that. To ask for the overlap back then asks for what does not exist. W is
// assembled, and joints couple bodies.
bool ts_step_is_wedged(const ts_step *step, int i);

// ts_stabilizing_speed() of block i, a contact or a stop; what is kept sunk stays as deep as it is, and so does what is
// wedged. One of several directions is asked for gap/h, whatever its sign: along another the parts are apart
// (corners.h). The first function is for stops and for contacts that overlap.
double ts_step_repairing_gap_speed(const ts_step *step, int i);
static inline double ts_step_gap_speed(const ts_step *step, int i)
{
  const double gap = i < step->contacts.count ? step->contacts.contacts[i].gap : -INFINITY;
  if (i < step->contacts.count && ts_contact_is_alternative(&step->contacts, i)) return gap / step->h;
  if (gap < 0.0 && ts_mobility_couples(&step->mobility) && i < step->contacts.count && ts_step_is_wedged(step, i))
    return step->surface[(size_t)i * (size_t)step->system.dimension];
  return gap >= -TS_SLOW_REPAIR * step->h ? ts_stabilizing_speed(step->sim, gap, step->h)
                                          : ts_step_repairing_gap_speed(step, i);
}

// Measure the deepest overlap at the present poses, the end of a part of the step, into the report. `earlier`: the
// deepest one of the parts before. Gaps of the problem do not show it: they have kinematic bodies at the end of the
// step and all others at its start.
void ts_report_overlap_at_end(ts_sim *sim, double earlier, ts_arena *arena);

#endif
