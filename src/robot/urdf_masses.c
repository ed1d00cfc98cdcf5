// Masses of links, and of the bodies that they form.
#include "robot/urdf_robot.h"

#include "robot/urdf_inertia.h"

#include "model/builder.h"
#include "shape/mass.h"

#include <string.h>

static const double MOST_CHANGE = 0.1; // of an inertia that is repaired unasked

// The sum of two masses of which either may be none.
static ts_mass_properties add_mass(const ts_mass_properties *a, const ts_mass_properties *b)
{
  return !(b->volume > 0.0) ? *a : !(a->volume > 0.0) ? *b : ts_mass_sum(a, b);
}

// ---- shapes --------------------------------------------------------------------------------------------------------

// What the shapes of a link weigh, in its frame.
static ts_mass_properties mass_of_shapes(const ts_urdf_robot *robot, int i, double density)
{
  const ts_urdf_node *link = &robot->links[i];
  ts_mass_properties sum = {0};
  for (int k = 0; k < link->shape_count; ++k) {
    const ts_urdf_shape *shape = &robot->shapes[link->first_shape + k];
    const ts_mass_properties own = ts_pieces_mass(shape->convex, 1);
    ts_mass_properties moved = ts_mass_moved(&own, &shape->pose);
    moved.volume *= density;
    for (int c = 0; c < 6; ++c) moved.inertia[c] *= density;
    sum = add_mass(&sum, &moved);
  }
  return sum;
}

void ts_urdf_derive_mass(ts_urdf_robot *robot, int link)
{
  robot->links[link].inertial = mass_of_shapes(robot, link, robot->options->density);
  robot->links[link].derived = true;
}

// Of the shapes of every body together, in its frame, for density 1. Few robots need it.
static const ts_mass_properties *weigh_body_shapes(ts_urdf_robot *robot)
{
  if (robot->body_shapes) return robot->body_shapes;
  const size_t count = (size_t)robot->body_count;
  robot->body_shapes = ts_arena_bytes(&robot->in->arena, count, sizeof *robot->body_shapes);
  memset(robot->body_shapes, 0, count * sizeof *robot->body_shapes);
  for (int i = 0; i < robot->link_count; ++i) {
    const ts_urdf_node *link = &robot->links[i];
    const ts_mass_properties own = mass_of_shapes(robot, i, 1.0), moved = ts_mass_moved(&own, &link->in_body);
    robot->body_shapes[link->body] = add_mass(&robot->body_shapes[link->body], &moved);
  }
  return robot->body_shapes;
}

// Of the shapes of a link, in its frame; where it has none, of all shapes of its body.
static ts_mass_properties mass_of_extent(ts_urdf_robot *robot, int i)
{
  const ts_urdf_node *link = &robot->links[i];
  const ts_mass_properties own = mass_of_shapes(robot, i, 1.0);
  if (own.volume > 0.0) return own;
  const ts_pose body_in_link = ts_pose_inverse(&link->in_body);
  return ts_mass_moved(&weigh_body_shapes(robot)[link->body], &body_in_link);
}

// ---- inertias that no body has -------------------------------------------------------------------------------------

static ts_status refuse_inertia(ts_urdf_robot *robot, ts_place place, const char *name)
{
  return ts_document_fail(robot->in, place,
                          "link '%.60s': its inertia must be positive definite with no principal moment above the "
                          "sum of the others",
                          name);
}

static ts_status refuse_without_shapes(ts_urdf_robot *robot, ts_place place, const char *name, double change)
{
  return ts_document_fail(robot->in, place,
                          "link '%.60s' has an inertia that no body has, the nearest possible one is %.3g %% away, and "
                          "there are no shapes to take it from; --inertia repair takes the nearest (in scenes: "
                          "'inertia: repair')",
                          name, 100.0 * change);
}

static bool is_zero(const double A[6])
{
  bool zero = true;
  for (int i = 0; i < 6; ++i) zero = zero && A[i] == 0.0;
  return zero;
}

// An inertia that no body has, along the axes of `origin`.
typedef struct bad_inertia {
  int link;
  ts_place place;
  ts_pose origin;
  ts_mass_properties nearest; // possible one, along the same axes
  double change;              // by which it differs
  bool zero;                  // none was given
} bad_inertia;

static ts_status take_nearest(ts_urdf_robot *robot, const bad_inertia *bad)
{
  const char *name = ts_urdf_link_name(robot, bad->link);
  if (!ts_inertia_is_possible(bad->nearest.inertia)) return refuse_inertia(robot, bad->place, name);
  robot->links[bad->link].inertial = ts_mass_moved(&bad->nearest, &bad->origin);
  return ts_urdf_note_repair(robot, bad->zero ? TS_URDF_BALL_INERTIA : TS_URDF_NEAREST_INERTIA, name, bad->place,
                             100.0 * bad->change);
}

// Mass and centre stay what the file says; the inertia is that of the link's shapes about their own centre. Where it
// has none, the shapes of links that are fixed to it tell the extent of the body.
static ts_status take_from_shapes(ts_urdf_robot *robot, const bad_inertia *bad)
{
  const char *name = ts_urdf_link_name(robot, bad->link);
  const double mass = bad->nearest.volume;
  ts_mass_properties shapes = mass_of_extent(robot, bad->link);
  if (!(shapes.volume > 0.0))
    return bad->zero && robot->options->inertia == TS_INERTIA_AUTO
               ? take_nearest(robot, bad)
               : refuse_without_shapes(robot, bad->place, name, bad->change);
  for (int i = 0; i < 6; ++i) shapes.inertia[i] *= mass / shapes.volume;
  shapes.volume = mass;
  shapes.centre = bad->origin.position;
  if (!ts_inertia_is_possible(shapes.inertia)) return refuse_inertia(robot, bad->place, name);
  robot->links[bad->link].inertial = shapes;
  return ts_urdf_note_repair(robot, TS_URDF_SHAPE_INERTIA, name, bad->place, 0.0);
}

static ts_status treat_inertia(ts_urdf_robot *robot, const bad_inertia *bad)
{
  const ts_urdf_inertia way = robot->options->strict ? TS_INERTIA_STRICT : robot->options->inertia;
  const char *name = ts_urdf_link_name(robot, bad->link);
  if (way == TS_INERTIA_STRICT)
    return bad->zero ? ts_document_fail(robot->in, bad->place, "link '%.60s' has a mass, but its inertia is zero", name)
                     : refuse_inertia(robot, bad->place, name);
  if (way == TS_INERTIA_REPAIR || (way == TS_INERTIA_AUTO && bad->change <= MOST_CHANGE))
    return take_nearest(robot, bad);
  return take_from_shapes(robot, bad);
}

// ---- links ---------------------------------------------------------------------------------------------------------

// The least roundings of possible inertias are mended without a word.
static ts_status read_inertial(ts_urdf_robot *robot, int i)
{
  ts_urdf_node *link = &robot->links[i];
  const ts_xml_element *inertial = ts_xml_child(link->element, "inertial"),
                       *inertia = ts_xml_child(inertial, "inertia");
  static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  ts_mass_properties own = {.volume = ts_urdf_number(ts_xml_child(inertial, "mass"), "value", 0.0)};
  if (own.volume == 0.0) return TS_OK;
  for (int c = 0; c < 6; ++c) own.inertia[c] = ts_urdf_number(inertia, names[c], 0.0);
  if (!ts_inertia_is_finite(own.inertia)) return refuse_inertia(robot, inertia->place, ts_urdf_link_name(robot, i));
  const bool possible = ts_inertia_is_possible(own.inertia), zero = is_zero(own.inertia);
  const double change = ts_inertia_make_possible(own.inertia, own.volume);
  const ts_pose origin = ts_urdf_origin(inertial);
  link->inertial = ts_mass_moved(&own, &origin);
  if (possible) return TS_OK;
  return treat_inertia(robot, &(bad_inertia){i, inertia->place, origin, own, change, zero});
}

// ---- bodies --------------------------------------------------------------------------------------------------------

// Links are added in the order of the tree.
void ts_urdf_weigh_bodies(ts_urdf_robot *robot)
{
  for (int i = 0; i < robot->body_count; ++i) robot->bodies[i].inertial = (ts_mass_properties){0};
  for (int k = 0; k < robot->link_count; ++k) {
    const ts_urdf_node *link = &robot->links[robot->order[k]];
    const ts_mass_properties moved = ts_mass_moved(&link->inertial, &link->in_body);
    robot->bodies[link->body].inertial = add_mass(&robot->bodies[link->body].inertial, &moved);
  }
}

ts_status ts_urdf_read_masses(ts_urdf_robot *robot)
{
  for (int i = 0; i < robot->link_count; ++i) {
    if (ts_xml_child(robot->links[i].element, "inertial"))
      TS_TRY(read_inertial(robot, i));
    else
      ts_urdf_derive_mass(robot, i);
  }
  ts_urdf_weigh_bodies(robot);
  return TS_OK;
}
