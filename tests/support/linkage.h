// Models of bodies without shapes, with joints and springs, filled in directly, and dense matrices of them.
#ifndef LINKAGE_H
#define LINKAGE_H

#include "shapes.h"

#include "base/random.h"
#include "dynamics/bilateral.h"

enum { LINKAGE_CAPACITY = 1200 };

typedef struct linkage {
  ts_arena arena;
  ts_model model;
  ts_state state;
  ts_kinematics kinematics;
} linkage;

void linkage_init(linkage *l, ts_space space);
void linkage_release(linkage *l);

// A body with its centre of mass frame at `pose` (plane: and `angle`), principal moments of inertia along its axes.
int linkage_body(linkage *l, ts_body_kind kind, double mass, ts_vec3 moments, ts_pose pose, double angle);
// At random: pose, mass and moments between 0.5 and 2.
int linkage_random_body(linkage *l, ts_body_kind kind, ts_random *random);

// A joint closed at the present poses; `at`, `axis` and `axis2` (normal to `axis`, or zero: any) in the world.
static const double LINKAGE_PITCH = 0.3; // of screws [m/rad]
int linkage_joint(linkage *l, ts_joint_kind kind, int parent, int child, ts_vec3 at, ts_vec3 axis, ts_vec3 axis2);
int linkage_spring(linkage *l, int first, ts_vec3 at_1, int second, ts_vec3 at_2, double stiffness, double damping,
                   double length);

// Gears at random: joints of one freedom follow up to three others of lower numbers, about every second one of them.
// Offsets are such that the gears are off by up to `error` in the present state. `of` (joint_count, or NULL: all) are
// those that take part.
void linkage_random_gears(linkage *l, const bool *of, double error, ts_random *random);

// Set the state to the bodies' definitions; then, after changes of it, refresh what follows from it.
void linkage_start(linkage *l);
void linkage_refresh(linkage *l);
// Move every body along its own velocity for h, exactly: exp of the rotation.
void linkage_drift(linkage *l, double h);

// A step of length h without contacts and bounds: free velocity, elimination of all bilateral rows, new poses.
// Returns the largest error of a joint at its start.
double linkage_step(linkage *l, double h);

ts_vec3 random_in_cube(ts_random *random, double size); // components between -size and size

// Dense copies by columns: G (6 bodies x rows), M^-1 (6 bodies x 6 bodies); G of rows that hold has all their parts.
double *linkage_dense_bilateral_rows(const linkage *l, const ts_bilateral_row *rows, int count, ts_arena *arena);
double *linkage_dense_rows(const linkage *l, const ts_row *rows, int count, size_t stride, ts_arena *arena);
double *linkage_dense_inverse_mass(const linkage *l, ts_arena *arena);

#endif
