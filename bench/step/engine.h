// The engines that are compared, behind one table of functions.
#ifndef BENCH_STEP_ENGINE_H
#define BENCH_STEP_ENGINE_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// An engine with its settings. Whatever goes wrong ends the program with a message: there is nothing to compare then.
typedef struct engine {
  const char *name;
  const char *settings; // one line
  int variant;          // handed to `create`: which settings
  int max_bodies;       // scenes of more are left out: they would take hours, or too much memory; 0: none are
  void *(*create)(const scene *s, int variant); // NULL: the engine is not installed
  void (*step)(void *world);
  void (*state)(void *world, int body, ts_pose *pose, ts_twist *velocity);
  int (*contact_count)(void *world); // of the last step
  int (*failed_steps)(void *world);  // that the engine itself says are not solved; NULL: it does not say
  void (*destroy)(void *world);
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

// The same for chains of hinged bodies
const engine *touchstone_chain_engine(int i);
const engine *ode_chain_engine(int i);
const engine *mujoco_chain_engine(int i);
const engine *bullet_chain_engine(int i);

#ifdef __cplusplus
}
#endif

#endif
