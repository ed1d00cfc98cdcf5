// Small scenes built in C, for tests and benchmarks. Every call stops the test when something is refused.
#ifndef TS_TESTS_WORLD_H
#define TS_TESTS_WORLD_H

#include "touchstone/sim.h"

#include "math/vec3.h"

typedef struct world {
  ts_space space;
  ts_builder *builder;
  ts_step_options options; // change them before world_start()
  ts_model *model;
  ts_sim *sim;
} world;

// The steppers of fixed steps, k = 0 and 1.
const ts_stepper *fixed_stepper(int k);

void world_init(world *w, ts_space space);
void world_release(world *w);

ts_shape shape_plane(ts_vec3 normal, double offset);
ts_shape shape_sphere(double radius);
ts_shape shape_box(double x, double y, double z); // full edges
ts_shape shape_capsule(double radius, double length);
ts_shape shape_cylinder(double radius, double length);
ts_shape shape_disc(double radius);
ts_shape shape_polygon(const ts_vec3 *vertices, int count);
ts_shape shape_rectangle(ts_vec3 room[4], double x0, double y0, double x1, double y1); // corners go into `room`

void world_friction(world *w, double friction, double restitution); // the default law
int world_floor(world *w);                                          // fixed half-space z <= 0 (plane: y <= 0)
// A body with one shape; mass 0 for bodies that are not dynamic.
int world_add(world *w, const char *name, ts_body_kind kind, double mass, ts_shape shape, ts_vec3 position);
int world_add_def(world *w, const ts_body_def *def, ts_shape shape);
void world_force(world *w, int body, ts_vec3 force, ts_vec3 torque); // constant, at the centre of mass

void world_start(world *w); // model and simulation
// A simulation anew with the options as they are now; the one before is not released.
void world_simulate(world *w);

// Saved states, of any simulation of the model.
enum { WORLD_STATE_CAPACITY = 2048 };
typedef struct world_state {
  double time;
  size_t size;
  double numbers[WORLD_STATE_CAPACITY];
} world_state;
void world_save(const world *w, world_state *saved);
void world_load(world *w, const world_state *saved);

void world_move(world *w, int body, ts_vec3 velocity, ts_vec3 angular);

// One step; fails the test unless it is certified.
void world_step(world *w);
void world_steps(world *w, int count);

double world_kinetic(const world *w); // of all dynamic bodies, from public figures [J]

#endif
