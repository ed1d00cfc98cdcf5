// Soft skins in the problem of patches (thesis 3.5.2). A patch bears on one massless plate that the skins carry: its
// deflection delta is what its impulse p = (p_n, f) makes of it, and its points touch where the plate is,
//   delta = S (p - e_n p_r) + D delta_old,   0 <= p_n _|_ psi + delta_n >= 0,   slip = u_t + (delta_t - delta_t,old) /
//   h, 0 <= p_r _|_ thickness - delta_n >= 0.
// So S/h is added to the rows of all points of the patch, and the rigid core is one more block whose normal is p_r.
#ifndef TS_STEP_IMPLICIT_SOFTENING_H
#define TS_STEP_IMPLICIT_SOFTENING_H

#include "step/implicit/patches.h"

#include "complementarity/friction/patch_problem.h"

// The skin of one side of a patch, in the frame of the contact.
typedef struct ts_soft_side {
  const ts_soft_skin *skin; // NULL: rigid
  double turn[4];           // tangents: components in the skin's frame from those in the contact's, by columns
  double S[9];
  double old[3], relaxed[3]; // delta_old and D delta_old
  bool has_core;             // the core is in the problem
  int core;                  // its block
  double core_impulse;
} ts_soft_side;

typedef struct ts_soft_patch {
  int patch;
  ts_part_pair parts;
  ts_vec3 tangent; // carried along
  ts_soft_side sides[2];
} ts_soft_patch;

// Patches with skins at a guess.
typedef struct ts_softening {
  int count;
  ts_soft_patch *patches;
  int cores; // blocks of cores in the problem
} ts_softening;

// Look at the patches of a set in a configuration. Deflections come from the memory; which cores are in the problem is
// as it was `before` (of the guess before, or none).
ts_softening ts_soften(const ts_patch_set *set, const ts_sim *sim, const ts_kinematics *kinematics, double h,
                       const ts_softening *before, ts_arena *arena);

// Gaps that the plates have at the start of the step, instead of those of cores, into the biases of normals and into q.
void ts_softening_ask_for_gaps(const ts_softening *soft, const ts_patch_set *set, ts_step *step);

// The problem of the step with skins and cores. `r` receives a start: the impulses of the set and those of the cores.
ts_patch_problem ts_softening_problem(ts_softening *soft, const ts_patch_set *set, const ts_step *step, double **r);

// After a solve: impulses of cores are taken over. True where a skin without its core in the problem is pressed in
// farther than it is thick: the core is in the next one.
bool ts_softening_meets_cores(ts_softening *soft, const ts_patch_set *set, const ts_step *step, const double *r);

// Deflections at the end of the step: the memory that the next one begins with. Contacts (one a patch) get theirs.
ts_skin_memory ts_softening_remember(const ts_softening *soft, const ts_sim *sim, double h, const double *wrench,
                                     int dimension, ts_contact_set *contacts, ts_arena *arena);

#endif
