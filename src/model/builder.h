// The inside of a builder: lists of definitions that have been checked one by one. Their texts and arrays are copies.
#ifndef TS_MODEL_BUILDER_H
#define TS_MODEL_BUILDER_H

#include "model/model.h"
#include "model/names.h"

// Which kind of definition a cookie stands for.
enum {
  TS_BODY_COOKIE = 0x7b0d7,
  TS_PART_COOKIE = 0x79a27,
  TS_JOINT_COOKIE = 0x77017,
  TS_GEAR_COOKIE = 0x76ea2,
  TS_SPRING_COOKIE = 0x75921,
  TS_FORCE_COOKIE = 0x7f02c,
  TS_MOTION_COOKIE = 0x7307e,
  TS_GROUP_COOKIE = 0x76209,
  TS_BUSHING_COOKIE = 0x7b511,
  TS_SUPPORT_COOKIE = 0x75099
};

typedef struct ts_material_pair {
  int first, second;
  ts_contact_law law;
} ts_material_pair;

struct ts_builder {
  ts_arena memory; // of all lists
  const ts_freedoms *freedoms;
  ts_vec3 gravity;
  ts_contact_law default_law;
  ts_combination friction_rule, restitution_rule;
  int body_count, part_count, joint_count, gear_count, spring_count, bushing_count, force_count, motion_count;
  int material_count, material_pair_count, body_pair_count, group_count, controller_count, support_count;
  ts_body_def *bodies; // orientations are unit; in the plane they follow from the angle
  ts_part_def *parts;  // likewise; normals of planes are unit
  ts_joint_def *joints;
  bool *follows; // of joints: by a gear
  ts_gear_def *gears;
  ts_spring_def *springs;
  ts_bushing_def *bushings; // orientations are unit; in the plane they follow from the angle
  ts_force_def *forces;
  ts_motion_def *motions;
  bool *has_motion;         // of bodies
  ts_support_def *supports; // one a body at most, in the order they came
  ts_contact_law *materials;
  ts_material_pair *material_pairs;
  ts_body_pair *body_pairs; // in the order they came
  ts_group_def *groups;     // likewise
  ts_controller *controllers;
  ts_names body_names, joint_names, spring_names, bushing_names, material_names;
};

// ts_builder_create() with memory from an allocator (NULL: malloc and free), which the models of the builder use too.
ts_builder *ts_builder_create_with(ts_space space, const ts_allocator *allocator);

// ts_builder_finish(), with the convex pieces of a model that was finished from the same shapes: they take most of the
// time. `shapes_of` must outlive the new model. NULL: make them.
ts_status ts_builder_finish_with(const ts_builder *builder, const ts_model *shapes_of, ts_model **model,
                                 ts_error *error);

// Whether a definition may be added: one sentence says why not.
ts_status ts_check_material(const ts_builder *builder, const char *name, const ts_contact_law *law, ts_error *error);
ts_status ts_check_body(const ts_builder *builder, const ts_body_def *def, ts_error *error);
ts_status ts_check_part(const ts_builder *builder, const ts_part_def *def, ts_error *error);
ts_status ts_check_joint(const ts_builder *builder, const ts_joint_def *def, ts_error *error);
ts_status ts_check_gear(const ts_builder *builder, const ts_gear_def *def, ts_error *error);
ts_status ts_check_spring(const ts_builder *builder, const ts_spring_def *def, ts_error *error);
ts_status ts_check_bushing(const ts_builder *builder, const ts_bushing_def *def, ts_error *error);
ts_status ts_check_force(const ts_builder *builder, const ts_force_def *def, ts_error *error);
ts_status ts_check_motion(const ts_builder *builder, const ts_motion_def *def, ts_error *error);
ts_status ts_check_support(const ts_builder *builder, const ts_support_def *def, ts_error *error);
// `parameters` may be NULL: those of the definition.
ts_status ts_check_controller(const ts_controller_def *def, const double *parameters, ts_error *error);
ts_status ts_check_law(const ts_builder *builder, const ts_contact_law *law, const char *whose, ts_error *error);
ts_status ts_check_material_pair(const ts_builder *builder, int first, int second, const ts_contact_law *law,
                                 ts_error *error);
ts_status ts_check_group(const ts_builder *builder, const ts_group_def *def, ts_error *error);
ts_status ts_check_body_pair(const ts_builder *builder, int first, int second, const ts_contact_law *law,
                             ts_error *error);

ts_controller ts_controller_make(const ts_controller_def *def, const double *parameters);
ts_status ts_model_make_controllers(const ts_builder *builder, ts_model *model, ts_error *error);

// Refuses shapes of extensions that may meet one that they know nothing of.
ts_status ts_model_check_own_pairs(const ts_model *model, ts_error *error);

// Does the definition give an inertia, or is it that of the shapes?
bool ts_inertia_is_given(const ts_freedoms *freedoms, const ts_body_def *def);

// Symmetric positive definite, and the sum of two principal moments at least the third (which all real bodies have)?
bool ts_inertia_is_possible(const double inertia[6]);

#endif
