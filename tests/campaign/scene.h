// Random feasible scenes of the campaign: a description that the checks read, and the scene file that the library
// reads. One seed and one stepper give one scene.
#ifndef TS_CAMPAIGN_SCENE_H
#define TS_CAMPAIGN_SCENE_H

#include "touchstone/model.h"

#include <stdint.h>
#include <stdio.h>

enum {
  CAMPAIGN_BODIES = 16,
  CAMPAIGN_PARTS = 2,
  CAMPAIGN_CORNERS = 12,
  CAMPAIGN_JOINTS = 16,
  CAMPAIGN_TERMS = 2,
  CAMPAIGN_MATERIALS = 3
};

typedef enum campaign_stepper {
  CAMPAIGN_STEWART_TRINKLE,
  CAMPAIGN_VELOCITY,
  CAMPAIGN_EVENT_DRIVEN,
  CAMPAIGN_IMPLICIT,
  CAMPAIGN_IMPLICIT_COMPLIANT,
  CAMPAIGN_QUASISTATIC,
  CAMPAIGN_COMPLIANT,
  CAMPAIGN_STEPPERS
} campaign_stepper;

const char *campaign_stepper_name(campaign_stepper stepper); // as in scene files

typedef struct campaign_part {
  ts_shape shape; // vertices point to `corners`
  ts_vec3 corners[CAMPAIGN_CORNERS];
  ts_pose pose;     // in the body's frame
  bool has_support; // its support function is a closed form; false: overlap is not checked
  const char *mesh; // file of a mesh instead of the shape, or NULL
  double reach;     // largest distance of a point from the part's origin [m]
} campaign_part;

typedef struct campaign_body {
  ts_body_kind kind;
  int part_count, material;
  campaign_part parts[CAMPAIGN_PARTS];
  double mass;             // [kg]; 0 unless dynamic
  ts_vec3 inertia, centre; // principal moments along the body's axes [kg m^2], centre of mass in its frame [m]
  bool rotates, supported; // supported: on three points of the plane of a 2.5D world
  ts_pose pose;
  double angle; // in the plane, instead of the orientation [rad]
  ts_twist velocity;
  double reach;                              // from the origin [m]; infinite: a plane
  ts_vec3 sway, drift;                       // kinematic: displacement sway sin(frequency t) + drift t [m, m/s]
  double frequency;                          // [rad/s]
  double skin, skin_stiffness, skin_damping; // thickness 0: rigid
  int linkage;                               // bodies that joints and gears connect have the same number
} campaign_body;

typedef struct campaign_joint {
  ts_joint_kind kind;
  int parent, child;                         // parent may be TS_WORLD
  ts_vec3 at, axis, axis2;                   // in the parent's frame
  ts_vec3 at_child, axis_child, axis2_child; // the same point and axes in the child's frame
  ts_quat turn;                              // of the child in the parent's frame at time 0
  double lower, upper;                       // infinite: no stop
  double friction, damping, pitch;
  ts_motor_kind motor;
  double target, sway, frequency;             // target + sway sin(frequency t)
  double stiffness, motor_damping, max_force; // infinite: no limit
  bool closes_loop;
  int term_count, followed[CAMPAIGN_TERMS]; // gear
  double ratio[CAMPAIGN_TERMS];
} campaign_joint;

// A spring (line) or a bushing (frames) between two bodies
typedef struct campaign_elastic {
  bool is_bushing, implicit;
  int body[2]; // the first may be TS_WORLD
  ts_vec3 at[2];
  double length;
  ts_vec3 stiffness, damping, angular_stiffness, angular_damping;
  ts_quat frame[2]; // of a bushing, in each body's frame
} campaign_elastic;

typedef struct campaign_force {
  int body;
  ts_vec3 at, force, torque; // at a point of the body, or a torque
  bool follows;
  double impulse_time; // below 0: a constant force; else `force` is an impulse [N s]
} campaign_force;

typedef struct campaign_scene {
  uint64_t seed;
  campaign_stepper stepper;
  ts_space space;
  ts_vec3 gravity;
  int body_count, joint_count, elastic_count, force_count, steps;
  campaign_body bodies[CAMPAIGN_BODIES];
  campaign_joint joints[CAMPAIGN_JOINTS];
  campaign_elastic elastics[CAMPAIGN_BODIES];
  campaign_force forces[CAMPAIGN_BODIES];
  double friction[CAMPAIGN_MATERIALS], restitution, spin, support_friction;
  double contact_stiffness, contact_damping; // of `compliant`
  double step_size, theta, tolerance;
  bool minimal, polyhedral, whole_impacts, activates_early, ghosts; // ghosts: nothing collides
  const char *gyroscopic;
} campaign_scene;

// Draw the scene of a seed.
void campaign_scene_draw(campaign_scene *scene, campaign_stepper stepper, uint64_t seed);

// Write the scene file; `mesh_folder` holds the meshes that scenes name.
void campaign_scene_write(const campaign_scene *scene, const char *mesh_folder, FILE *file);

// Coefficient of friction of two bodies: the geometric mean of their materials.
double campaign_friction(const campaign_scene *scene, int first, int second);

// False: the two never touch. They are one linkage, or neither can move, or nothing collides.
bool campaign_collides(const campaign_scene *scene, int first, int second);

static inline bool campaign_is_planar(const campaign_scene *scene)
{
  return scene->space != TS_SPACE_3D;
}

#endif
