// What is wrong in a robot's file and can be helped: counted kind by kind, so that one line tells of all links with the
// same trouble.
#ifndef TS_ROBOT_URDF_REPAIRS_H
#define TS_ROBOT_URDF_REPAIRS_H

#include "document/input.h"

// Kind; what has it; several of them; what is wrong; what was done about it, the unit of the number that ends this
// sentence, or NULL; and whether `strict` refuses it instead.
#define TS_URDF_REPAIR_LIST(X)                                                                                         \
  X(NEAREST_INERTIA, "link", "links", "an inertia that no body has", "changed to the nearest possible one, by", "%",   \
    true)                                                                                                              \
  X(SHAPE_INERTIA, "link", "links", "an inertia that no body has", "taken from the shapes instead", NULL, true)        \
  X(BALL_INERTIA, "link", "links", "a mass without inertia and shapes", "taken for a ball of 1000 kg/m^3", NULL, true) \
  X(SHAPE_MASS, "link", "links", "no mass where one is needed", "taken from the shapes", NULL, true)                   \
  X(SMALL_MASS, "link", "links", "no mass where one is needed", "given", "kg", true)                                   \
  X(EMPTY_SHAPE, "shape of link", "shapes of links", "a size of 0", "left out", NULL, true)                            \
  X(NEGATIVE_LIMIT, "joint", "joints", "an effort or velocity below 0", "taken as not given", NULL, true)              \
  X(EMPTY_AXIS, "joint", "joints", "an axis without xyz", "taken as 1 0 0", NULL, true)                                \
  X(FOLLOWER_LIMITS, "joint", "joints", "limits that contradict the joint it follows",                                 \
    "the limits of that joint hold instead", NULL, true)                                                               \
  X(MISSING_MESH, "mesh", "meshes", "no such file", "left out", NULL, true)                                            \
  X(HOLLOW_MESH, "mesh", "meshes", "not convex", "filled up to the hull, which has", "times the volume", false)        \
  X(OPEN_MESH, "mesh", "meshes", "not closed, so that the volume is not known", "the hull is taken", NULL, false)      \
  X(TURNED_MESH, "mesh", "meshes", "faces not turned alike, so that the volume is not known", "the hull is taken",     \
    NULL, false)
#define TS_URDF_REPAIR_ENUM(name, one, several, trouble, help, unit, strict) TS_URDF_##name,
typedef enum ts_urdf_repair_kind { TS_URDF_REPAIR_LIST(TS_URDF_REPAIR_ENUM) TS_URDF_REPAIR_KINDS } ts_urdf_repair_kind;
#undef TS_URDF_REPAIR_ENUM

enum { TS_URDF_REPAIR_NAMES = 3 };

typedef struct ts_urdf_repair {
  int count;
  const char *names[TS_URDF_REPAIR_NAMES]; // the first different ones
  int name_count;
  ts_place place;     // of the first
  double least, most; // numbers
} ts_urdf_repair;

#endif
