// Loads of contacts that slide. Bodies on more supports than they have ways to move share their weight among them in
// many ways. Where supports slide along different directions, each way brings another friction, and so another motion:
// the problem of the step has a family of solutions. One of them is declared. With H the rows that do not move (normals
// of contacts that are closed, tangents of contacts that stick),
//   r_H is normal to the null space of J_H^T:
// of all loads with the same resultant on every body the least ones, spin divided by the semi-axis of its ellipsoid.
// Equal springs below all contacts lead to the same loads in the limit of stiff springs. Friction follows from these
// loads by the law.
#ifndef TS_CONTACT_REDUNDANT_LOADS_H
#define TS_CONTACT_REDUNDANT_LOADS_H

#include "contact/system.h"

// Blocks that are examined together.
typedef struct ts_load_group {
  const ts_system *system; // complete: with W
  const int *blocks;       // of an island
  int count;
  double still; // velocities up to this count as none [m/s]
  bool polygon; // friction keeps the directions that it has: no circle
} ts_load_group;

typedef struct ts_loads ts_loads;

// The closed contacts of the group and the rows that act on them, at the impulses r, which lead to the velocities u
// (both dimension*blocks). Memory from the arena. NULL: no contact slides.
ts_loads *ts_loads_find(const ts_load_group *group, const double *r, const double *u, ts_arena *arena);

// True if loads do not follow from their resultants.
bool ts_loads_are_redundant(const ts_loads *loads);

// The same where every contact sticks: normal loads that do not follow from their resultants allow other friction, with
// which contacts may slide. NULL: a contact slides, or normal loads follow from their resultants.
ts_loads *ts_loads_find_stuck(const ts_load_group *group, const double *r, const double *u, ts_arena *arena);

// Newton's method for the declared loads, every contact sliding or sticking as it does. False: it does not end, or at
// loads at which a contact would pull, or slide where it sticks, or stick where it slides.
bool ts_loads_select(ts_loads *loads);

// True if other loads lead to the same motion, as far as velocities that count as none show: to first order.
bool ts_loads_leave_motion(ts_loads *loads);

// The impulses of the group into r.
void ts_loads_write(const ts_loads *loads, double *r);

// The friction problem of the closed blocks of the group, with what selects loads added to W: of all normal loads with
// the same resultants it has the least ones, where all contacts press. Blocks of its list follow in `blocks`.
ts_friction ts_loads_problem(const ts_loads *loads, const double *r, const double *u, const int **blocks);

#endif
