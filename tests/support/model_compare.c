#include "model_compare.h"

#include "model/model.h"

#include <string.h>

// Bits, so that NAN equals NAN and -0 is not 0.
#define SAME(field)                                                                                                    \
  if (memcmp(&a->field, &b->field, sizeof a->field) != 0) return #field
#define SAME_TEXT(field)                                                                                               \
  if (!same_text(a->field, b->field)) return #field
#define SAME_ARRAY(field, count)                                                                                       \
  if ((count) > 0 && memcmp(a->field, b->field, (size_t)(count) * sizeof *a->field) != 0) return #field
#define SAME_ALL(function, field, count)                                                                               \
  for (int i_ = 0; i_ < (count); ++i_) {                                                                               \
    const char *found_ = function(&a->field[i_], &b->field[i_]);                                                       \
    if (found_) return found_;                                                                                         \
  }

static int same_text(const char *a, const char *b)
{
  return a && b ? strcmp(a, b) == 0 : a == b;
}

static const char *compare_signals(const ts_signal *a, const ts_signal *b)
{
  SAME(kind);
  SAME(offset);
  SAME(amplitude);
  SAME(frequency);
  SAME(phase);
  SAME(count);
  if (a->kind == TS_SIGNAL_POLYNOMIAL) SAME_ARRAY(coefficients, a->count);
  if (a->kind == TS_SIGNAL_TABLE || a->kind == TS_SIGNAL_PIECEWISE) SAME_ARRAY(times, a->count);
  if (a->kind == TS_SIGNAL_TABLE) SAME_ARRAY(values, a->count);
  SAME(from);
  SAME(to);
  SAME(start);
  SAME(end);
  SAME(time);
  SAME(impulse);
  SAME(period);
  if (a->kind == TS_SIGNAL_PIECEWISE || a->kind == TS_SIGNAL_SUM || a->kind == TS_SIGNAL_PERIODIC)
    SAME_ALL(compare_signals, pieces, a->count);
  return NULL;
}

static const char *compare_bodies(const ts_body *a, const ts_body *b)
{
  SAME_TEXT(name);
  SAME(kind);
  SAME(mass);
  SAME(inverse_mass);
  SAME(inertia);
  SAME(inverse_inertia);
  SAME(isotropic);
  SAME(centre);
  SAME(gravity);
  SAME(pose);
  SAME(angle);
  SAME(velocity);
  SAME(motion);
  SAME(first_part);
  SAME(part_count);
  return NULL;
}

static const char *compare_hulls(const ts_hull *a, const ts_hull *b)
{
  SAME(vertex_count);
  SAME(face_count);
  SAME(edge_count);
  SAME_ARRAY(vertices, a->vertex_count);
  SAME_ARRAY(normals, a->face_count);
  SAME_ARRAY(offsets, a->face_count);
  return NULL;
}

static const char *compare_parts(const ts_part *a, const ts_part *b)
{
  SAME(body);
  SAME(source);
  SAME(material);
  SAME(pose);
  SAME(frame);
  SAME(at_centre);
  SAME(convex.kind);
  SAME(convex.normal);
  SAME(convex.offset);
  SAME(convex.radius);
  SAME(convex.top_radius);
  SAME(convex.exponents);
  SAME(convex.half_length);
  SAME(convex.half);
  SAME(convex.middle);
  SAME(convex.reach);
  if (!a->convex.hull != !b->convex.hull) return "convex.hull";
  return a->convex.hull ? compare_hulls(a->convex.hull, b->convex.hull) : NULL;
}

static const char *compare_joints(const ts_joint *a, const ts_joint *b)
{
  SAME_TEXT(name);
  SAME(kind);
  SAME(parent);
  SAME(child);
  SAME(frame);
  SAME(limited);
  SAME(lower);
  SAME(upper);
  SAME(restitution);
  SAME(position);
  SAME(velocity);
  SAME(friction);
  SAME(damping);
  SAME(pitch);
  SAME(closes_loop);
  SAME(motor.kind);
  SAME(motor.stiffness);
  SAME(motor.damping);
  SAME(motor.max_force);
  return compare_signals(&a->motor.target, &b->motor.target);
}

static const char *compare_gears(const ts_gear *a, const ts_gear *b)
{
  SAME(joint);
  SAME(term_count);
  SAME(offset);
  for (int k = 0; k < a->term_count; ++k) {
    SAME(terms[k].joint);
    SAME(terms[k].ratio);
  }
  return NULL;
}

static const char *compare_springs(const ts_spring *a, const ts_spring *b)
{
  SAME_TEXT(name);
  SAME(body);
  SAME(at);
  SAME(stiffness);
  SAME(damps_across);
  SAME(damping);
  SAME(length);
  SAME(damps_across);
  SAME(implicit);
  return NULL;
}

static const char *compare_forces(const ts_force *a, const ts_force *b)
{
  SAME(body);
  SAME(at);
  SAME(follows);
  SAME_ALL(compare_signals, force, 3);
  SAME_ALL(compare_signals, torque, 3);
  return NULL;
}

static const char *compare_motions(const ts_motion_def *a, const ts_motion_def *b)
{
  SAME(body);
  SAME(kind);
  SAME(amplitude);
  SAME(phase);
  SAME(frequency);
  SAME(orientation);
  SAME_ALL(compare_signals, displacement, 3);
  SAME_ALL(compare_signals, rotation, 3);
  return NULL;
}

static const char *compare_shapes(const ts_shape *a, const ts_shape *b)
{
  SAME(kind);
  SAME(normal);
  SAME(offset);
  SAME(radius);
  SAME(top_radius);
  SAME(exponents);
  SAME(length);
  SAME(size);
  SAME(vertex_count);
  SAME_ARRAY(vertices, a->vertex_count);
  SAME(member_count);
  for (int i = 0; i < a->member_count; ++i) {
    const char *other = compare_shapes(&a->members[i].shape, &b->members[i].shape);
    if (other) return other;
    SAME(members[i].pose);
  }
  return NULL;
}

static const char *compare_bushings(const ts_bushing *a, const ts_bushing *b)
{
  SAME_TEXT(name);
  SAME(body);
  SAME(frame);
  SAME(stiffness);
  SAME(damping);
  return NULL;
}

static const char *compare_body_pairs(const ts_body_pair *a, const ts_body_pair *b)
{
  SAME(first);
  SAME(second);
  SAME(collide);
  if (a->collide) SAME(law);
  return NULL;
}

static const char *compare_counts(const ts_model *a, const ts_model *b)
{
  SAME(freedoms);
  SAME(gravity);
  SAME(body_count);
  SAME(part_count);
  SAME(source_count);
  SAME(joint_count);
  SAME(gear_count);
  SAME(spring_count);
  SAME(bushing_count);
  SAME(force_count);
  SAME(motion_count);
  SAME(material_count);
  SAME(body_pair_count);
  SAME(group_count);
  SAME(class_count);
  SAME(dof_count);
  SAME(bilateral_count);
  SAME(spins);
  return NULL;
}

const char *model_difference(const ts_model *a, const ts_model *b)
{
  const char *difference = compare_counts(a, b);
  if (difference) return difference;
  SAME_ALL(compare_bodies, bodies, a->body_count);
  SAME_ALL(compare_parts, parts, a->part_count);
  SAME_ALL(compare_joints, joints, a->joint_count);
  SAME_ALL(compare_gears, gears, a->gear_count);
  SAME_ALL(compare_springs, springs, a->spring_count);
  SAME_ALL(compare_bushings, bushings, a->bushing_count);
  SAME_ALL(compare_forces, forces, a->force_count);
  SAME_ALL(compare_motions, motions, a->motion_count);
  SAME_ALL(compare_shapes, shapes, a->source_count);
  SAME_ALL(compare_body_pairs, body_pairs, a->body_pair_count);
  for (int i = 0; i < a->group_count; ++i) {
    SAME(groups[i].info.collide);
    SAME(groups[i].info.has_law);
    SAME(groups[i].info.pairs);
    SAME(groups[i].law);
  }
  if (a->group_count > 0) SAME_ARRAY(body_class, a->body_count);
  SAME_ARRAY(class_group, a->class_count * a->class_count);
  SAME_ARRAY(shape_poses, a->source_count);
  SAME_ARRAY(shape_bodies, a->source_count);
  SAME_ARRAY(shape_materials, a->source_count);
  SAME_ARRAY(laws, (a->material_count + 1) * (a->material_count + 1));
  for (int i = 0; i < a->material_count; ++i) SAME_TEXT(material_names[i]);
  return NULL;
}
