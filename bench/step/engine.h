// The engines that are compared, behind one table of functions.
#ifndef BENCH_STEP_ENGINE_H
#define BENCH_STEP_ENGINE_H

#include "scene.h"

#include "touchstone/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

// A contact of a step as an engine had it
typedef struct engine_contact {
  int body_1;           // of the scene
  int body_2;           // of the scene; ENGINE_PLANE, or ENGINE_OBSTACLE - k: obstacle k
  ts_vec3 arm_1, arm_2; // to where the impulse acts, at the start of the step, from the centre of each body; of an
                        // obstacle from its pivot, of a plane nothing (world axes) [m]
  ts_vec3 normal;       // unit, from body_2 to body_1
  ts_vec3 impulse;      // on body_1 [N s]
  double gap;           // at the start of the step [m]
} engine_contact;

enum { ENGINE_PLANE = -1, ENGINE_OBSTACLE = -2 };

// An engine with its settings. Whatever goes wrong ends the program with a message: there is nothing to compare then.
typedef struct engine {
  const char *name;
  const char *settings; // one line
  int variant;          // handed to `create`: which settings
  int max_bodies;       // scenes of more are left out: they would take hours, or too much memory; 0: none are
  bool furnishes;       // knows obstacles and ball joints
  void *(*create)(const scene *s, int variant); // NULL: the engine is not installed
  void (*step)(void *world);
  void (*state)(void *world, int body, ts_pose *pose, ts_twist *velocity);
  int (*contact_count)(void *world); // of the last step
  int (*failed_steps)(void *world);  // that the engine itself says are not solved; NULL: it does not say
  void (*destroy)(void *world);
  // Contacts with their impulses. Some engines keep impulses only where they are told to before the step, which takes
  // time; NULL: they do anyway.
  void (*watch)(void *world);
  // Of the last step, as many as there is room for; returns how many there are. NULL: the engine does not show them.
  int (*contacts)(void *world, engine_contact *contacts, int room);
  const ts_step_report *(*report)(void *world); // Touchstone's, of the last step; NULL: another engine
} engine;

// Touchstone first; NULL past the last one
const engine *engine_at(int i);
int engine_count(void);
// Is it installed, and does it suit the scene?
bool engine_runs(const engine *e, const scene *s);

// The settings of each engine; NULL past the last one
const engine *touchstone_engine(int i);
const engine *ode_engine(int i);
const engine *mujoco_engine(int i);
const engine *bullet_engine(int i);

// Touchstone with the stepper `implicit`
const engine *touchstone_implicit_engine(int i);

// The same for chains of hinged bodies
const engine *touchstone_chain_engine(int i);
const engine *ode_chain_engine(int i);
const engine *mujoco_chain_engine(int i);
const engine *bullet_chain_engine(int i);

#ifdef __cplusplus
}
#endif

#endif
