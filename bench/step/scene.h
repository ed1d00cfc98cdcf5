// Scenes described once for all engines: what there is, how long it runs, and how a run is judged. Those of bench_step
// are made here, those of bench_pendulum in bench/pendulum/.
#ifndef BENCH_STEP_SCENE_H
#define BENCH_STEP_SCENE_H

#include "touchstone/vector.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum body_shape { BODY_SPHERE, BODY_BOX, BODY_CAPSULE, BODY_CYLINDER } body_shape;

// A dynamic body, its origin the centre of mass
typedef struct scene_body {
  body_shape shape;
  double radius; // sphere, capsule, cylinder [m]
  double length; // capsule: between the centres of its caps; cylinder: between its ends; along local z [m]
  ts_vec3 size;  // box: full edges [m]
  double mass;   // [kg]
  ts_pose pose;
  ts_vec3 velocity; // at time 0 [m/s]
  ts_vec3 turning;  // angular velocity at time 0 [rad/s, world]
  ts_vec3 force;    // constant [N]
  bool guided;      // slides along `guide` without friction and does nothing else
  ts_vec3 guide;    // unit
  // Chains: hinged to the body before it, or where there is none to the world. Such bodies do not touch their
  // neighbours.
  bool hinged;
  ts_vec3 hinge, axis; // point and direction at time 0 (world)
  bool linked;         // ropes: to the body before it by a ball joint at `hinge`. They do not touch each other either
} scene_body;

// A fixed half-space: all x with normal.x <= offset
typedef struct scene_plane {
  ts_vec3 normal; // unit
  double offset;  // [m]
} scene_plane;

// A box that does not care what pushes it: fixed, or turning about an axis through `pivot`
typedef struct scene_obstacle {
  ts_vec3 size;    // full edges [m]
  ts_pose pose;    // at time 0
  ts_vec3 pivot;   // [m]
  ts_vec3 turning; // angular velocity [rad/s]; 0: it is fixed
} scene_obstacle;

// What the motion of a run is worth. NAN: the scene does not ask for it.
typedef struct quality {
  double penetration;    // deepest overlap seen [m]
  double drift;          // how far from where it should be, see the scene [m or m/s]
  double sinking;        // how far down [m]
  double yaw;            // rotation about the vertical that should not be there [rad]
  double friction_error; // relative error of what friction did
  double energy_lost;    // share of the kinetic energy at the start that is gone and should not be
} quality;

// The bodies after step `step` of the observed ones
typedef struct observation {
  int step;
  const ts_pose *start; // before the first observed step
  const ts_pose *poses;
  const ts_twist *twists;
} observation;

typedef struct scene scene;
typedef void scene_judge(const scene *s, const observation *seen, quality *q);

enum { MAX_PLANES = 5, MAX_OBSTACLES = 8 };

#define PILE_RADIUS 0.1 // of the spheres of all piles [m]

struct scene {
  const char *name;
  const char *title; // one line: what it is
  const char *drift; // one line: what the drift column is; NULL: nothing
  double step_size;  // [s]
  double gravity;    // along -z [m/s^2]
  double friction;
  double spin_arm;    // moment about the normal that a whole patch resists with, over friction times load [m]: e_r of
                      // Touchstone's patches; points resist by where they are
  double restitution; // where the engine knows it: in chains
  double tolerance;   // that Touchstone's steps are certified to
  double accuracy;    // Touchstone's option of that name
  int threads;        // that Touchstone may use; 0 is 1
  int plane_count;
  scene_plane planes[MAX_PLANES];
  int obstacle_count;
  scene_obstacle obstacles[MAX_OBSTACLES];
  int body_count;
  scene_body *bodies;
  // A run: `settle` steps, then `observed` ones that are judged, every `observe_every`-th of them looked at.
  int settle, observed, observe_every;
  // Times: blocks of `block` steps. A scene that changes begins anew for every block, one that rests goes on.
  int block;
  bool restarts;
  scene_judge *judge;
};

typedef enum scene_id {
  SCENE_SPHERE,
  SCENE_CUBE,
  SCENE_TOWER,
  SCENE_SLOPE,
  SCENE_CAPSULE,
  SCENE_PILE_100,
  SCENE_PILE_300,
  SCENE_PILE_1000,
  SCENE_COUNT
} scene_id;

// Release with scene_release().
void scene_init(scene *s, scene_id id);
void scene_release(scene *s);

// Moments of inertia about the body's own axes [kg m^2]
ts_vec3 scene_body_inertia(const scene_body *body);

// Rate of a body's hinge at time 0 [rad/s]
double scene_hinge_rate(const scene *s, int body);

// Kinetic energy of all bodies, and the same with that of gravity [J]
double scene_kinetic_energy(const scene *s, const ts_pose *poses, const ts_twist *twists);
double scene_energy(const scene *s, const ts_pose *poses, const ts_twist *twists);

// Where an obstacle is at a time, and how it moves: its centre, and about it
bool scene_obstacle_moves(const scene_obstacle *obstacle);
ts_pose scene_obstacle_pose(const scene_obstacle *obstacle, double time);
ts_twist scene_obstacle_twist(const scene_obstacle *obstacle, double time);

// Has the scene anything but bodies and planes, or joints other than guides and hinges?
bool scene_is_furnished(const scene *s);

// Deepest overlap of any two bodies, or of a body and a plane or an obstacle at that time [m], from the shapes alone:
// the same for every engine. Bodies that are joined do not count.
double scene_penetration(const scene *s, const ts_pose *poses, double time);

#ifdef __cplusplus
}
#endif

#endif
