// Points that carried loads at earlier guesses of a step. The lowest point of a rim runs around it as its body tilts by
// next to nothing: a rim that rests on one point of a guess sinks with the others, and guesses go round and round. A
// point that has carried load stays where it was on its body, and is kept from going through the face, too.
#ifndef TS_STEP_IMPLICIT_KEPT_POINTS_H
#define TS_STEP_IMPLICIT_KEPT_POINTS_H

#include "step/implicit/patches.h"

enum { TS_MOST_KEPT_POINTS = 24 };

typedef struct ts_kept_point {
  ts_part_pair parts;
  ts_vec3 point[2];  // on the surfaces of body_1 and body_2, in the frame of each
  ts_vec3 normal[2]; // in the frame of each
} ts_kept_point;

typedef struct ts_kept_points {
  int count;
  ts_kept_point kept[TS_MOST_KEPT_POINTS];
} ts_kept_points;

// Hold the points of faces of the set that carry load, `dimension` impulses each, of `any_patch` those of points and lines,
// too; bodies are placed by `kinematics`.
void ts_kept_points_take(ts_kept_points *kept, const ts_patch_set *set, const ts_model *model,
                         const ts_kinematics *kinematics, int dimension, bool any_patch);

// Add the kept points to those that were found for bodies placed by `kinematics`, where they are on a face that was
// found. Memory from the arena.
void ts_kept_points_add(const ts_kept_points *kept, const ts_model *model, const ts_kinematics *kinematics,
                        ts_arena *arena, ts_contact_set *points);

#endif
