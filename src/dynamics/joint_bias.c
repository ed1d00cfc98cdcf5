// How the rates of a joint's rows (joint_rows.c) change by motion alone: Phi'' = G^T V' + bias, V' the derivatives of
// the twists. With d a row's direction, w1 and w2 the angular velocities of parent and child, r1 and r2 from their
// centres of mass to the child's origin o2, and u the velocity of o2 against the parent's matter,
//   slide along d:   bias = d'.u + d.(w2 x (w2 x r2) - w1 x (w1 x r1) - w1 x u)
//   turn about d:    bias = d'.(w2 - w1)
// The last cross product is there because the point o2 moves over the parent. Rows that hold all turns have w2 = w1 and
// so no bias; a joint whose rates are violated keeps the violation.
#include "dynamics/joint_rows.h"

#include "base/assert.h"

static const ts_vec3 PLANE_NORMAL = {0.0, 0.0, 1.0}, NONE = {0.0, 0.0, 0.0};

// A joint in motion, and where the next number goes.
typedef struct writer {
  const ts_joint_frames *at;
  ts_vec3 spin[2];     // angular velocities of parent and child
  ts_vec3 relative;    // u
  ts_vec3 centripetal; // what d meets in a slide
  double *next;
} writer;

static ts_vec3 centripetal(ts_vec3 spin, ts_vec3 arm)
{
  return ts_cross(spin, ts_cross(spin, arm));
}

static writer begin(const ts_joint_frames *at, ts_twist parent, ts_twist child, double *bias)
{
  const ts_vec3 point = at->frame[1].origin;
  const ts_vec3 arm[2] = {ts_sub(point, at->centre[0]), ts_sub(point, at->centre[1])};
  writer w = {.at = at, .spin = {parent.angular, child.angular}, .next = bias};
  w.relative = ts_sub(ts_twist_at(child, arm[1]), ts_twist_at(parent, arm[0]));
  w.centripetal = ts_sub(centripetal(child.angular, arm[1]), centripetal(parent.angular, arm[0]));
  w.centripetal = ts_sub(w.centripetal, ts_cross(parent.angular, w.relative));
  return w;
}

static void slide(writer *w, ts_vec3 d, ts_vec3 change)
{
  *w->next++ = ts_dot(change, w->relative) + ts_dot(d, w->centripetal);
}

static void slide_with_parent(writer *w, ts_vec3 d)
{
  slide(w, d, ts_cross(w->spin[0], d));
}

static void turn(writer *w, ts_vec3 change)
{
  *w->next++ = ts_dot(change, ts_sub(w->spin[1], w->spin[0]));
}

// d/dt (a x b), a carried by the parent and b by the child.
static ts_vec3 product_change(const writer *w, ts_vec3 a, ts_vec3 b)
{
  return ts_add(ts_cross(ts_cross(w->spin[0], a), b), ts_cross(a, ts_cross(w->spin[1], b)));
}

static void write_turns(writer *w, ts_joint_kind kind)
{
  const ts_mat3 *P = &w->at->frame[0].axes, *C = &w->at->frame[1].axes;
  switch (kind) {
  case TS_JOINT_REVOLUTE:
  case TS_JOINT_CYLINDRICAL:
  case TS_JOINT_PLANAR: // d = Y1 x Z2 and Z2 x X1
    turn(w, product_change(w, P->y, C->z));
    turn(w, ts_negate(product_change(w, P->x, C->z)));
    break;
  case TS_JOINT_PRISMATIC:
  case TS_JOINT_WELD:
    for (int k = 0; k < 3; ++k) turn(w, NONE);
    break;
  case TS_JOINT_UNIVERSAL: // d = X2 x Z1
    turn(w, ts_negate(product_change(w, P->z, C->x)));
    break;
  case TS_JOINT_SPHERICAL:
  case TS_JOINT_COUNT:
    break;
  }
}

static void write_in_space(writer *w, ts_joint_kind kind)
{
  const ts_mat3 *P = &w->at->frame[0].axes;
  if (kind != TS_JOINT_PLANAR) {
    slide_with_parent(w, P->x);
    slide_with_parent(w, P->y);
  }
  if (kind != TS_JOINT_PRISMATIC && kind != TS_JOINT_CYLINDRICAL) slide_with_parent(w, P->z);
  write_turns(w, kind);
}

static void write_in_plane(writer *w, ts_joint_kind kind)
{
  if (kind == TS_JOINT_PRISMATIC) {
    slide_with_parent(w, ts_cross(PLANE_NORMAL, w->at->frame[0].axes.z));
  } else {
    slide(w, (ts_vec3){1.0, 0.0, 0.0}, NONE);
    slide(w, (ts_vec3){0.0, 1.0, 0.0}, NONE);
  }
  if (kind != TS_JOINT_REVOLUTE) turn(w, NONE);
}

static ts_twist twist_of(const ts_twist *velocity, int body)
{
  return body < 0 ? (ts_twist){NONE, NONE} : velocity[body];
}

int ts_write_joint_bias(const ts_model *model, const ts_kinematics *kinematics, const ts_twist *velocity, int joint,
                        double *bias)
{
  const ts_joint *j = &model->joints[joint];
  const ts_joint_frames at = ts_joint_frames_at(model, kinematics, joint);
  writer w = begin(&at, twist_of(velocity, j->parent), twist_of(velocity, j->child), bias);
  if (model->space == TS_SPACE_2D)
    write_in_plane(&w, j->kind);
  else
    write_in_space(&w, j->kind);
  TS_ASSERT(w.next - bias == ts_joint_row_count(model->space, j->kind));
  return (int)(w.next - bias);
}
