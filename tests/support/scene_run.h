// A scene file, read and simulated. Every call stops the test when something is refused.
#ifndef TS_TESTS_SCENE_RUN_H
#define TS_TESTS_SCENE_RUN_H

#include "touchstone/scene.h"
#include "touchstone/sim.h"

typedef struct scene_run {
  ts_scene *scene;
  ts_sim *sim;
} scene_run;

// `overrides` as ts_scene_read() takes them.
scene_run scene_run_start(const char *path, const char *const *overrides, int count);
scene_run scene_run_text(const char *text); // of the scene itself
void scene_run_end(scene_run *run);

// Step until t; fails the test where a step is not certified.
void scene_run_to(scene_run *run, double t);

int scene_run_body(const scene_run *run, const char *name);
ts_vec3 scene_run_position(const scene_run *run, const char *body);

#endif
