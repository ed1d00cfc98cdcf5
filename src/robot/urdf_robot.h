// A robot as its file describes it, put in order: a tree of links, each with its mass, its place and the body it
// becomes part of.
#ifndef TS_ROBOT_URDF_ROBOT_H
#define TS_ROBOT_URDF_ROBOT_H

#include "touchstone/urdf.h"

#include "robot/urdf_repairs.h"
#include "robot/urdf_schema.h"

#include "document/node.h"
#include "model/names.h"
#include "shape/convex.h"

enum { TS_URDF_NONE = -1 };

// A shape of a link.
typedef struct ts_urdf_shape {
  const ts_xml_element *element; // its `collision`
  int link;
  ts_shape shape;
  ts_pose pose;            // in the link's frame
  const ts_convex *convex; // the same, ready for distances
} ts_urdf_shape;

typedef struct ts_urdf_node {
  const ts_xml_element *element;
  int joint; // that carries it; TS_URDF_NONE: the root
  int first_shape, shape_count;
  ts_mass_properties inertial; // in the link's frame, with the mass in the place of the volume
  bool derived;                // the mass comes from the shapes
  ts_pose pose;                // in the world at time 0
  ts_pose written;             // where joints are at 0: there the scene has it, and moves it by their positions
  ts_node *settings;           // what the scene says of it; NULL: nothing
  int body;                    // that it is part of
  ts_pose in_body;
} ts_urdf_node;

// Limits beyond this are none: files write 1e16.
#define TS_URDF_FARTHEST_LIMIT 1e9

typedef struct ts_urdf_edge {
  const ts_xml_element *element;
  ts_urdf_joint_type type;
  int parent, child; // links
  ts_pose origin;    // in the parent link's frame
  ts_vec3 axis;      // unit, in the joint's frame
  bool limited;
  double lower, upper, start; // in the file, as scenes have it
  double least, greatest;     // that it reaches with the limits of what it follows
  double effort, velocity;    // infinite when not given
  double damping, friction;
  int mimics; // joint that it follows, or TS_URDF_NONE
  double multiplier, offset;
  bool follows;      // some joint, as `mimics` or the scene says
  ts_node *settings; // what the scene says of it, joints by their names in the scene; NULL: nothing
} ts_urdf_edge;

// Whether joints of the type have one coordinate.
static inline bool ts_urdf_has_coordinate(ts_urdf_joint_type type)
{
  return type == TS_URDF_REVOLUTE || type == TS_URDF_CONTINUOUS || type == TS_URDF_PRISMATIC;
}

// Links fixed to one another. Its frame is that of the link nearest to the root.
typedef struct ts_urdf_body {
  int link;         // nearest to the root
  const char *name; // in the scene; NULL: it is the world, without shapes
  bool fixed;
  bool on_world;               // hangs on a root link `world` that stays where it is, or is it
  ts_mass_properties inertial; // in its frame
} ts_urdf_body;

typedef struct ts_urdf_robot {
  ts_document_input *in;
  const ts_urdf_options *options;
  const char *prefix;                            // of the names of bodies and joints in the scene, may be empty
  const ts_node *joint_settings, *link_settings; // by names in the file (urdf_settings.h), or NULL
  bool positioned, oriented;                     // by the scene; without a position a joint of it may place the robot
  const ts_xml_element *element;
  int link_count, joint_count, shape_count, body_count;
  ts_names link_names, joint_names;
  ts_urdf_node *links;
  ts_urdf_edge *joints;
  ts_urdf_shape *shapes; // by link
  ts_urdf_body *bodies;
  ts_mass_properties *body_shapes; // of each body together, for density 1; NULL until they are asked for
  int *order;                      // links, parents before children
  double floor;                    // its height, where it is wanted [m]
  struct {
    int count;
    const char *name, *path; // of the first
    ts_place place;
  } guesses; // meshes that were found by the end of their names
  ts_urdf_repair repairs[TS_URDF_REPAIR_KINDS];
} ts_urdf_robot;

// The steps of reading, in their order.
ts_status ts_urdf_read_links(ts_urdf_robot *robot);  // links and joints by name
ts_status ts_urdf_read_shapes(ts_urdf_robot *robot); // collision shapes, meshes read
ts_status ts_urdf_order_links(ts_urdf_robot *robot); // one tree
void ts_urdf_place_links(ts_urdf_robot *robot);
void ts_urdf_join_links(ts_urdf_robot *robot);         // bodies
ts_status ts_urdf_read_masses(ts_urdf_robot *robot);   // of links and bodies
ts_status ts_urdf_supply_masses(ts_urdf_robot *robot); // where bodies move without one and cannot (urdf_massless.c)

bool ts_urdf_body_is_massless(const ts_urdf_robot *robot, int body); // and moves

// Masses of links (urdf_masses.c). A link that says nothing of its mass weighs what its shapes do, at the density of
// the options; a body what its links do.
void ts_urdf_derive_mass(ts_urdf_robot *robot, int link);
void ts_urdf_weigh_bodies(ts_urdf_robot *robot);

// Something is repaired or left out; with `strict`, refused. `number` is what the kind's sentence tells of it. One
// warning a kind tells of all.
ts_status ts_urdf_note_repair(ts_urdf_robot *robot, ts_urdf_repair_kind kind, const char *name, ts_place place,
                              double number);
void ts_urdf_tell_repairs(const ts_urdf_robot *robot);

// The mesh file that a URDF calls `name`, as a path; refused at `place` when it is in several places, and when it is
// nowhere, unless such meshes are left out: then *path is NULL.
ts_status ts_urdf_find_mesh(ts_urdf_robot *robot, const char *name, ts_place place, const char **path);
const char *ts_urdf_file_name(const char *name);       // without the folders
void ts_urdf_tell_guesses(const ts_urdf_robot *robot); // one warning about all that had to be guessed at

const char *ts_urdf_link_name(const ts_urdf_robot *robot, int link);
const char *ts_urdf_joint_name(const ts_urdf_robot *robot, int joint);
const char *ts_urdf_fresh_name(ts_urdf_robot *robot, const char *name); // the same or longer, that no link has
const char *ts_urdf_scene_name(ts_urdf_robot *robot, const char *name); // with the prefix

#endif
