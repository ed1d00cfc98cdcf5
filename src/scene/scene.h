// The inside of a scene.
#ifndef TS_SCENE_SCENE_H
#define TS_SCENE_SCENE_H

#include "touchstone/scene.h"

#include "scene/build.h"
#include "scene/places.h"
#include "scene/watch_plan.h"

#include "robot/urdf_gather.h"

struct ts_scene {
  char *name, *text;
  ts_model *model;
  ts_step_options options;
  double duration, interval;
  ts_urdf_facts robot;
  ts_arena memory; // of what follows
  ts_scene_places places;
  ts_scene_note *notes;
  int note_count;
  // What parameters, conditions and results need; `in` is NULL where there are none.
  ts_document_input *in;
  ts_node *root;
  ts_watch_plan watch;
  ts_scene_parameter *parameters; // as they are now
  int parameter_count;
  // What setting parameters again needs (scene/vary.c).
  ts_space space;
  ts_urdf_facts robot_again; // those of callers stay as they were
  int override_count;
  const ts_node *raw;                   // the tree before anything was evaluated
  ts_document_mark raw_mark, tree_mark; // when there was that, and the complete tree
  ts_model *first;                      // whose pieces of shapes the model shares; may be the model itself
  ts_model *before, *first_before;      // the last ones, for simulations that may still be there, or NULL
  bool is_stale;                        // setting failed: tree and model may differ
  bool watch_is_stale;                  // watches that were made before the last setting do not fit any more
};

// The complete tree from one in which nothing has been evaluated. `given`: as for ts_parameters_read().
ts_status ts_scene_complete(ts_document_input *in, ts_scene *scene, ts_node *root, const double *given,
                            ts_urdf_facts *robot);

// What all parameters are, into `all`, where some have these `values` (NAN: the scene's own). The model is left as it is.
ts_status ts_scene_evaluate_parameters(ts_scene *scene, const double *values, double *all, ts_error *error);

// What callers see of the parameters.
void ts_scene_list_parameters(ts_scene *scene);

// Destroy the model before.
void ts_scene_release_before(ts_scene *scene);

// Duration, and interval of what is recorded.
void ts_scene_read_times(ts_scene *scene);

// What follows from the complete tree. `shapes_of`: as for ts_scene_build().
ts_status ts_scene_fill(ts_document_input *in, ts_scene *scene, const ts_model *shapes_of, ts_scene_plan *plan);

#endif
