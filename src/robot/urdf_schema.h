// What is read of URDF, as data: the elements, and what each attribute may hold. The reader, the manual and the tests
// of bad files all work from these tables.
#ifndef TS_ROBOT_URDF_SCHEMA_H
#define TS_ROBOT_URDF_SCHEMA_H

#include "touchstone/vector.h"

#include "document/xml.h"
#include "schema/schema.h"

typedef enum ts_urdf_type {
  TS_URDF_TEXT,   // anything
  TS_URDF_NAME,   // anything but nothing
  TS_URDF_CHOICE, // one of some words
  TS_URDF_NUMBER,
  TS_URDF_VECTOR // three numbers with blanks between
} ts_urdf_type;

typedef struct ts_urdf_attribute {
  const char *name;
  ts_urdf_type type;
  ts_range range; // of each number
  bool required;
  const char *fallback;       // default as text, or NULL
  const char *const *choices; // ended by NULL
  const char *unit;           // or NULL
  const char *help;
} ts_urdf_attribute;

typedef struct ts_urdf_element ts_urdf_element;
struct ts_urdf_element {
  const char *name;
  const ts_urdf_attribute *attributes;
  int attribute_count;
  const ts_urdf_element *const *children; // ended by NULL; or NULL
  bool required;                          // its parent cannot do without
  bool repeated;                          // there may be several
  bool one_child;                         // of its children there is exactly one
  const char *help;
};

// Joint types in the order of `choices` of the attribute `type`: name, degrees of freedom.
#define TS_URDF_JOINT_LIST(X)                                                                                          \
  X(FIXED, "fixed", 0)                                                                                                 \
  X(REVOLUTE, "revolute", 1)                                                                                           \
  X(CONTINUOUS, "continuous", 1)                                                                                       \
  X(PRISMATIC, "prismatic", 1)                                                                                         \
  X(PLANAR, "planar", 3)                                                                                               \
  X(FLOATING, "floating", 6)                                                                                           \
  X(SPHERICAL, "spherical", 3)
#define TS_URDF_JOINT_ENUM(name, text, dof) TS_URDF_##name,
typedef enum ts_urdf_joint_type { TS_URDF_JOINT_LIST(TS_URDF_JOINT_ENUM) TS_URDF_JOINT_TYPES } ts_urdf_joint_type;
#undef TS_URDF_JOINT_ENUM

extern const ts_urdf_element ts_urdf_robot_element;

// Everything below `element` is as its row says. Elements and attributes without a row are extensions and passed over,
// unless their name is nearly that of a row that is not there: then it is a slip.
ts_status ts_urdf_check(ts_document_input *in, const ts_xml_element *element, const ts_urdf_element *row);

// Values of a checked element, which may be NULL: then all is as the fallback says.
double ts_urdf_number(const ts_xml_element *element, const char *name, double fallback);
ts_vec3 ts_urdf_vector(const ts_xml_element *element, const char *name, ts_vec3 fallback);
const char *ts_urdf_text(const ts_xml_element *element, const char *name); // of a required attribute
ts_pose ts_urdf_origin(const ts_xml_element *parent);                      // its `origin`; the identity without one

#endif
