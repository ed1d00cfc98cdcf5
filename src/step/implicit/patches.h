// Patches of contact: the points at which two parts touch with one normal, and the equivalent contact point (003 IV)
// that stands for all of them.
#ifndef TS_STEP_IMPLICIT_PATCHES_H
#define TS_STEP_IMPLICIT_PATCHES_H

#include "step/step.h"

// ts_contact.patch of points that were not found in a configuration but kept from another one (kept_points.h): they
// carry loads, and say nothing of what touches.
#define TS_KEPT_POINT (-1)

// Points of a configuration and their impulses, patch by patch; rows of limits and motors behind them, one a patch.
typedef struct ts_patch_set {
  ts_contact_set points;
  int bounded;
  int patches; // of which the first `touching` are contacts
  int touching;
  int *start; // of patch p: blocks start[p] to start[p+1] - 1
  double *r;  // impulses, `dimension` a block
} ts_patch_set;

// Divide points and bounded rows into patches.
void ts_patches_find(ts_patch_set *set, ts_arena *arena);

// Take over the impulses of those points and bounded rows that another set has too.
void ts_patches_recall(ts_patch_set *set, const ts_patch_set *before, int dimension);

// One contact a patch, at its equivalent contact point, with the dimension of the patch; `wrench` receives its
// impulses, `dimension` each. Where nothing pushes it stands at the nearest point.
ts_contact_set ts_patches_contacts(const ts_patch_set *set, const ts_model *model, int dimension, double *wrench,
                                   ts_arena *arena);

// The dimension of what two parts touch with in the configuration of a set: 0 also where they do not.
int ts_patches_dimension(const ts_patch_set *set, const ts_model *model, ts_part_pair pair);

// The deepest overlap of the pairs of a set in a configuration, of their cores where skins are soft, by distances that
// know nothing of its points, over the size of the smaller part.
double ts_pairs_overlap(const ts_contact_set *points, const ts_model *model, const ts_kinematics *kinematics);

#endif
