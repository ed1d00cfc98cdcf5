// A checked tree to a model: every element goes to the builder, and what the builder refuses is reported at the
// element's place.
#ifndef TS_SCENE_BUILD_H
#define TS_SCENE_BUILD_H

#include "document/node.h"

#include "model/names.h"

#include "touchstone/extension.h"

// What the parts of building share.
typedef struct ts_scene_plan {
  ts_document_input *in;
  ts_builder *builder;
  const ts_node *root;
  ts_space space;
  ts_contact_law contact; // the scene's
  ts_names materials, bodies;
  const ts_node **body_nodes, **joint_nodes; // by number; NULL before they are collected
  int joint_count;
} ts_scene_plan;

// Model of the scene. On TS_OK *model belongs to the caller, and `plan` holds the entries of bodies and joints. The
// convex pieces of shapes are those of a model `shapes_of` the same shapes, which must outlive the new one; NULL: made.
ts_status ts_scene_build(ts_document_input *in, const ts_node *root, ts_space space, const ts_model *shapes_of,
                         ts_scene_plan *plan, ts_model **model);

// `step` of the scene.
ts_status ts_scene_read_step(ts_document_input *in, const ts_node *root, ts_step_options *options);

// Files of polytopes are read, and their vertices put in the place of `file`, `scale` and `convex`: a mesh that is
// taken by its pieces becomes several shapes.
ts_status ts_scene_resolve_files(ts_document_input *in, ts_node *root);

// The parts of ts_scene_build(), in their order.
ts_status ts_scene_build_laws(ts_scene_plan *plan);
ts_status ts_scene_build_bodies(ts_scene_plan *plan);
ts_status ts_scene_build_joints(ts_scene_plan *plan);
ts_status ts_scene_build_pairs(ts_scene_plan *plan);
ts_status ts_scene_build_controllers(ts_scene_plan *plan);

// Parameters of an extension, those that the map (or NULL) leaves out with their defaults. `owner` begins sentences.
ts_status ts_scene_read_parameters(const ts_scene_plan *plan, const ts_node *map, const char *owner,
                                   const ts_parameter *items, int count, double *values);

// A shape that a plug-in brings, from the map below `own`.
ts_status ts_scene_read_own_shape(const ts_scene_plan *plan, const ts_node *node, ts_shape *shape);

// The law of a map with the keys of one: what it leaves out is as in `contact` of the scene.
ts_contact_law ts_scene_law(const ts_scene_plan *plan, const ts_node *map);

// `force` and `torque` of a body, or of an entry of `forces`.
void ts_scene_read_force(const ts_scene_plan *plan, const ts_node *node, ts_force_def *def);

// The shapes of a body.
ts_status ts_scene_build_parts(ts_scene_plan *plan, const ts_node *body_node, int body);

// Refuses a scene with soft skins whose stepper does not know them.
ts_status ts_scene_check_skins(const ts_scene_plan *plan, const ts_model *model, const ts_step_options *options);

// Names to numbers, with a suggestion where there is no such name. A body can be `world` where `world_too`.
ts_status ts_scene_find_body(const ts_scene_plan *plan, const ts_node *name, bool world_too, int *body);
ts_status ts_scene_find_joint(const ts_scene_plan *plan, const ts_node *name, int *joint);
ts_status ts_scene_find_material(const ts_scene_plan *plan, const ts_node *name, int *material);

// There is nothing of that name; what was probably meant.
ts_status ts_scene_refuse_name(const ts_scene_plan *plan, const ts_names *names, const char *what, const ts_node *name);

// Children of a list in the scene, NULL when there is none.
const ts_node *ts_scene_items(const ts_node *root, const char *key);

#endif
