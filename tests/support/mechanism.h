// Bodies without shapes and the joints between them, in a world.
#ifndef TS_TESTS_MECHANISM_H
#define TS_TESTS_MECHANISM_H

#include "world.h"

// A dynamic body with the centre of mass at its origin and principal moments of inertia along its axes.
int mechanism_body(world *w, const char *name, double mass, ts_vec3 moments, ts_vec3 position);
int mechanism_kinematic(world *w, const char *name, ts_vec3 position);

// The inertia of a body whose principal axes are turned, as ts_body_def has it.
void mechanism_turned_inertia(ts_quat turn, ts_vec3 moments, double inertia[6]);

// A joint of this kind, its point given in the parent's frame, a screw with a pitch of 0.3; change the rest, then mechanism_add().
ts_joint_def mechanism_joint(ts_joint_kind kind, int parent, int child, ts_vec3 at, ts_vec3 axis);
int mechanism_add(world *w, const ts_joint_def *def);
int mechanism_hinge(world *w, int parent, int child, ts_vec3 at, ts_vec3 axis); // both at once

// Builds the model; fails the test unless that is refused with a sentence that holds `words`.
void mechanism_refuse(world *w, const char *words);

#endif
