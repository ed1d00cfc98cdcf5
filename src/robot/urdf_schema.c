#include "robot/urdf_schema.h"

#include "touchstone/suggest.h"

#include "math/vec3.h"
#include "text/number_text.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

#define ATTRIBUTES(array) .attributes = array, .attribute_count = (int)(sizeof(array) / sizeof(array)[0])
#define CHILDREN(array)   .children = array

// ---- shapes --------------------------------------------------------------------------------------------------------

static const ts_urdf_attribute origin_attributes[] = {
    {"xyz", TS_URDF_VECTOR, TS_RANGE_PLACE, .fallback = "0 0 0", .unit = "m",
     .help = "position in the frame around it"},
    {"rpy", TS_URDF_VECTOR, TS_RANGE_PLACE, .fallback = "0 0 0", .unit = "rad",
     .help = "turns about the fixed axes x, then y, then z"},
};
static const ts_urdf_element origin_element = {"origin", ATTRIBUTES(origin_attributes), .help = "where it is"};

static const ts_urdf_attribute box_attributes[] = {
    {"size", TS_URDF_VECTOR, TS_RANGE_NOT_NEGATIVE, true, .unit = "m", .help = "edge lengths; 0: it is left out"},
};
static const ts_urdf_attribute round_attributes[] = {
    {"radius", TS_URDF_NUMBER, TS_RANGE_NOT_NEGATIVE, true, .unit = "m", .help = "radius; 0: it is left out"},
    {"length", TS_URDF_NUMBER, TS_RANGE_NOT_NEGATIVE, true, .unit = "m",
     .help = "along z; of a capsule between the centres of its caps; 0: it is left out, or a capsule a ball"},
};
static const ts_urdf_attribute sphere_attributes[] = {
    {"radius", TS_URDF_NUMBER, TS_RANGE_NOT_NEGATIVE, true, .unit = "m", .help = "radius; 0: a point"},
};
static const ts_urdf_attribute mesh_attributes[] = {
    {"filename", TS_URDF_NAME, .required = true, .help = "OBJ, STL or COLLADA file, of which the convex hull is taken"},
    {"scale", TS_URDF_VECTOR, TS_RANGE_PLACE, .fallback = "1 1 1", .help = "factors on the coordinates"},
};
static const ts_urdf_element box_element = {"box", ATTRIBUTES(box_attributes), .help = "cuboid about its origin"};
static const ts_urdf_element cylinder_element = {"cylinder", ATTRIBUTES(round_attributes), .help = "cylinder along z"};
static const ts_urdf_element capsule_element = {"capsule", ATTRIBUTES(round_attributes), .help = "capsule along z"};
static const ts_urdf_element sphere_element = {"sphere", ATTRIBUTES(sphere_attributes), .help = "ball"};
static const ts_urdf_element mesh_element = {"mesh", ATTRIBUTES(mesh_attributes), .help = "convex hull of a mesh"};

static const ts_urdf_element *const geometry_children[] = {&box_element,     &cylinder_element, &sphere_element,
                                                           &capsule_element, &mesh_element,     NULL};
static const ts_urdf_element geometry_element = {"geometry", CHILDREN(geometry_children), .required = true,
                                                 .one_child = true, .help = "one shape"};

static const ts_urdf_element *const collision_children[] = {&origin_element, &geometry_element, NULL};
static const ts_urdf_element collision_element = {"collision", CHILDREN(collision_children), .repeated = true,
                                                  .help = "a shape that touches others"};

// ---- links ---------------------------------------------------------------------------------------------------------

static const ts_urdf_attribute mass_attributes[] = {
    {"value", TS_URDF_NUMBER, TS_RANGE_NOT_NEGATIVE, true, .unit = "kg", .help = "mass; 0: none, whatever the inertia"},
};
static const ts_urdf_element mass_element = {"mass", ATTRIBUTES(mass_attributes), .required = true,
                                             .help = "mass of the link"};

static const ts_urdf_attribute inertia_attributes[] = {
    {"ixx", TS_URDF_NUMBER, .required = true, .unit = "kg m^2", .help = "moment about the centre of mass"},
    {"iyy", TS_URDF_NUMBER, .required = true, .unit = "kg m^2", .help = "likewise"},
    {"izz", TS_URDF_NUMBER, .required = true, .unit = "kg m^2", .help = "likewise"},
    {"ixy", TS_URDF_NUMBER, .fallback = "0", .unit = "kg m^2", .help = "off the diagonal of the matrix"},
    {"ixz", TS_URDF_NUMBER, .fallback = "0", .unit = "kg m^2", .help = "likewise"},
    {"iyz", TS_URDF_NUMBER, .fallback = "0", .unit = "kg m^2", .help = "likewise"},
};
static const ts_urdf_element inertia_element = {"inertia", ATTRIBUTES(inertia_attributes), .required = true,
                                                .help = "inertia along the axes of `origin`"};

static const ts_urdf_element *const inertial_children[] = {&origin_element, &mass_element, &inertia_element, NULL};
static const ts_urdf_element inertial_element = {"inertial", CHILDREN(inertial_children),
                                                 .help = "what it weighs; its `origin` is the centre of mass"};

static const ts_urdf_attribute link_attributes[] = {
    {"name", TS_URDF_NAME, .required = true, .help = "unique among links"},
};
static const ts_urdf_element *const link_children[] = {&inertial_element, &collision_element, NULL};
static const ts_urdf_element link_element = {
    "link",           ATTRIBUTES(link_attributes), CHILDREN(link_children), .required = true,
    .repeated = true, .help = "a rigid body"};

// ---- joints --------------------------------------------------------------------------------------------------------

static const ts_urdf_attribute end_attributes[] = {
    {"link", TS_URDF_NAME, .required = true, .help = "name of a link"},
};
static const ts_urdf_element parent_element = {"parent", ATTRIBUTES(end_attributes), .required = true,
                                               .help = "the link that the joint sits on"};
static const ts_urdf_element child_element = {"child", ATTRIBUTES(end_attributes), .required = true,
                                              .help = "the link that it carries"};

static const ts_urdf_attribute axis_attributes[] = {
    {"xyz", TS_URDF_VECTOR, TS_RANGE_PLACE, .fallback = "1 0 0",
     .help = "direction in the joint's frame, of any length"},
};
static const ts_urdf_element axis_element = {"axis", ATTRIBUTES(axis_attributes),
                                             .help = "axis of a turn or slide, normal of a planar joint"};

static const ts_urdf_attribute limit_attributes[] = {
    {"lower", TS_URDF_NUMBER, .fallback = "0", .unit = "rad, m", .help = "least coordinate"},
    {"upper", TS_URDF_NUMBER, .fallback = "0", .unit = "rad, m", .help = "largest coordinate"},
    {"effort", TS_URDF_NUMBER, .unit = "N m, N",
     .help = "most that the brake of `--hold` may do; below 0: as if not given"},
    {"velocity", TS_URDF_NUMBER, .unit = "rad/s, m/s", .help = "kept, not enforced; below 0: as if not given"},
};
static const ts_urdf_element limit_element = {"limit", ATTRIBUTES(limit_attributes),
                                              .help = "needed by revolute and prismatic joints"};

static const ts_urdf_attribute dynamics_attributes[] = {
    {"damping", TS_URDF_NUMBER, TS_RANGE_NOT_NEGATIVE, .fallback = "0", .unit = "N m s/rad, N s/m",
     .help = "force against the rate of a revolute, continuous or prismatic joint"},
    {"friction", TS_URDF_NUMBER, TS_RANGE_NOT_NEGATIVE, .fallback = "0", .unit = "N m, N",
     .help = "largest dry friction of a revolute, continuous or prismatic joint"},
};
static const ts_urdf_element dynamics_element = {"dynamics", ATTRIBUTES(dynamics_attributes),
                                                 .help = "resistance of the joint"};

static const ts_urdf_attribute mimic_attributes[] = {
    {"joint", TS_URDF_NAME, .required = true, .help = "the joint that this one follows"},
    {"multiplier", TS_URDF_NUMBER, .fallback = "1", .unit = "rad/rad, m/rad, rad/m, m/m",
     .help = "how far this one goes for 1 of that one, other than 0"},
    {"offset", TS_URDF_NUMBER, .fallback = "0", .unit = "rad, m",
     .help = "coordinate of this one where that one's is 0"},
};
static const ts_urdf_element mimic_element = {"mimic", ATTRIBUTES(mimic_attributes),
                                              .help =
                                                  "a gear: revolute, continuous and prismatic joints that go together"};

#define JOINT_TYPE_NAME(name, text, dof) text,
static const char *const joint_types[] = {TS_URDF_JOINT_LIST(JOINT_TYPE_NAME) NULL};
static const ts_urdf_attribute joint_attributes[] = {
    {"name", TS_URDF_NAME, .required = true, .help = "unique among joints"},
    {"type", TS_URDF_CHOICE, .required = true, .choices = joint_types,
     .help = "how it moves; spherical is an extension of Bullet"},
};
static const ts_urdf_element *const joint_children[] = {
    &parent_element, &child_element,    &origin_element, &axis_element,
    &limit_element,  &dynamics_element, &mimic_element,  NULL};
static const ts_urdf_element joint_element = {
    "joint", ATTRIBUTES(joint_attributes), CHILDREN(joint_children), .repeated = true,
    .help = "how a link is carried by another; its `origin` is in the parent"};

// ---- robot ---------------------------------------------------------------------------------------------------------

static const ts_urdf_attribute robot_attributes[] = {
    {"name", TS_URDF_TEXT, .required = true, .help = "for titles"},
};
static const ts_urdf_element *const robot_children[] = {&link_element, &joint_element, NULL};
const ts_urdf_element ts_urdf_robot_element = {"robot", ATTRIBUTES(robot_attributes), CHILDREN(robot_children),
                                               .required = true, .help = "the root of the file"};

// ---- values --------------------------------------------------------------------------------------------------------

// Up to `most` numbers with blanks between; returns how many there are, -1 when something is none.
static int parse_numbers(const char *text, int most, double *numbers)
{
  enum { LONGEST = 64 };
  int count = 0;
  for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
    char word[LONGEST];
    const size_t length = strcspn(text, " ");
    double value;
    if (length >= sizeof word) return -1;
    memcpy(word, text, length);
    word[length] = '\0';
    if (!ts_text_is_number(word, &value)) return -1;
    if (count < most) numbers[count] = value;
    ++count;
    text += length;
  }
  return count;
}

double ts_urdf_number(const ts_xml_element *element, const char *name, double fallback)
{
  const ts_xml_attribute *attribute = element ? ts_xml_attribute_of(element, name) : NULL;
  if (attribute) parse_numbers(attribute->value, 1, &fallback);
  return fallback;
}

ts_vec3 ts_urdf_vector(const ts_xml_element *element, const char *name, ts_vec3 fallback)
{
  const ts_xml_attribute *attribute = element ? ts_xml_attribute_of(element, name) : NULL;
  double v[3];
  if (!attribute) return fallback;
  parse_numbers(attribute->value, 3, v);
  return (ts_vec3){v[0], v[1], v[2]};
}

const char *ts_urdf_text(const ts_xml_element *element, const char *name)
{
  const ts_xml_attribute *attribute = ts_xml_attribute_of(element, name);
  TS_ASSERT(attribute);
  return attribute->value;
}

ts_pose ts_urdf_origin(const ts_xml_element *parent)
{
  const ts_xml_element *origin = ts_xml_child(parent, "origin");
  const ts_vec3 zero = {0.0, 0.0, 0.0};
  return (ts_pose){ts_urdf_vector(origin, "xyz", zero), ts_quat_roll_pitch_yaw(ts_urdf_vector(origin, "rpy", zero))};
}

// ---- xacro ---------------------------------------------------------------------------------------------------------

// Text with macros is not URDF yet. A robot that came out of xacro may still name its namespace.
static ts_status refuse_xacro(ts_document_input *in, ts_place place)
{
  return ts_document_fail(in, place,
                          "this is a xacro file, whose macros have to be put in first: xacro FILE > robot.urdf");
}

static bool has_macro(const char *value)
{
  return strstr(value, "${") || strstr(value, "$(");
}

// ---- checking ------------------------------------------------------------------------------------------------------

typedef struct position {
  ts_document_input *in;
  const ts_xml_element *element;
  const ts_urdf_element *row;
} position;

static ts_status check_numbers(const position *p, const ts_xml_attribute *attribute, const ts_urdf_attribute *row)
{
  const int wanted = row->type == TS_URDF_VECTOR ? 3 : 1;
  double numbers[3];
  if (parse_numbers(attribute->value, wanted, numbers) != wanted)
    return ts_document_fail(p->in, attribute->value_place, "'%s' of '%s' must be %s, not '%.40s'", row->name,
                            p->row->name, wanted == 3 ? "three numbers with blanks between" : "a number",
                            attribute->value);
  for (int i = 0; i < wanted; ++i)
    if (!ts_range_holds(row->range, numbers[i]))
      return ts_document_fail(p->in, attribute->value_place, "'%s' of '%s' must be %s, not %g", row->name, p->row->name,
                              ts_range_text(row->range), numbers[i]);
  return TS_OK;
}

static const char *choice_name(int i, const void *row)
{
  return ((const ts_urdf_attribute *)row)->choices[i];
}

static ts_status check_choice(const position *p, const ts_xml_attribute *attribute, const ts_urdf_attribute *row)
{
  int count = 0;
  for (; row->choices[count]; ++count)
    if (strcmp(row->choices[count], attribute->value) == 0) return TS_OK;
  const char *nearest = ts_suggest(attribute->value, count, choice_name, row);
  if (nearest)
    return ts_document_fail(p->in, attribute->value_place, "'%s' of '%s' cannot be '%.40s'; did you mean '%s'?",
                            row->name, p->row->name, attribute->value, nearest);
  char words[120];
  int used = 0;
  for (int i = 0; i < count && (size_t)used < sizeof words; ++i)
    used += snprintf(words + used, sizeof words - (size_t)used, "%s%s", i > 0 ? ", " : "", row->choices[i]);
  return ts_document_fail(p->in, attribute->value_place, "'%s' of '%s' must be one of: %s, not '%.40s'", row->name,
                          p->row->name, words, attribute->value);
}

static ts_status check_attribute(const position *p, const ts_urdf_attribute *row)
{
  const ts_xml_attribute *attribute = ts_xml_attribute_of(p->element, row->name);
  if (!attribute)
    return row->required
               ? ts_document_fail(p->in, p->element->place, "'%s' needs the attribute '%s'", p->row->name, row->name)
               : TS_OK;
  if (has_macro(attribute->value)) return refuse_xacro(p->in, attribute->value_place);
  switch (row->type) {
  case TS_URDF_NAME:
    if (attribute->value[0] != '\0') return TS_OK;
    return ts_document_fail(p->in, attribute->value_place, "'%s' of '%s' must not be empty", row->name, p->row->name);
  case TS_URDF_CHOICE:
    return check_choice(p, attribute, row);
  case TS_URDF_NUMBER:
  case TS_URDF_VECTOR:
    return check_numbers(p, attribute, row);
  default:
    return TS_OK;
  }
}

// Names of the rows that a name without one could have been meant for: those that are not there.
typedef struct missing_names {
  const char *names[8];
  int count;
} missing_names;

static const char *missing_name(int i, const void *missing)
{
  return ((const missing_names *)missing)->names[i];
}

static ts_status refuse_slip(const position *p, const char *what, const char *name, ts_place place,
                             const missing_names *missing)
{
  const char *meant = strchr(name, ':') ? NULL : ts_suggest(name, missing->count, missing_name, missing);
  if (!meant) return TS_OK;
  return ts_document_fail(p->in, place, "'%s' has no %s '%.40s'; did you mean '%s'?", p->row->name, what, name, meant);
}

static ts_status check_attributes(const position *p)
{
  missing_names missing = {.count = 0};
  for (int i = 0; i < p->row->attribute_count; ++i)
    if (!ts_xml_attribute_of(p->element, p->row->attributes[i].name))
      missing.names[missing.count++] = p->row->attributes[i].name;
  for (const ts_xml_attribute *a = p->element->first_attribute; a; a = a->next) {
    bool known = false;
    for (int i = 0; i < p->row->attribute_count; ++i) known = known || strcmp(a->name, p->row->attributes[i].name) == 0;
    if (!known) TS_TRY(refuse_slip(p, "attribute", a->name, a->place, &missing));
  }
  for (int i = 0; i < p->row->attribute_count; ++i) TS_TRY(check_attribute(p, &p->row->attributes[i]));
  return TS_OK;
}

// "'box', 'cylinder' or 'mesh'": for messages.
static void join_children(const ts_urdf_element *row, char *text, size_t size)
{
  int used = 0;
  for (int i = 0; row->children[i] && (size_t)used < size; ++i)
    used += snprintf(text + used, size - (size_t)used, "%s'%s'",
                     i == 0                 ? ""
                     : row->children[i + 1] ? ", "
                                            : " or ",
                     row->children[i]->name);
}

static ts_status check_child_counts(const position *p)
{
  const ts_xml_element *single = NULL;
  for (int i = 0; p->row->children[i]; ++i) {
    const ts_urdf_element *row = p->row->children[i];
    const ts_xml_element *first = ts_xml_child(p->element, row->name);
    if (!first && row->required)
      return ts_document_fail(p->in, p->element->place, "'%s' needs a '%s' in it", p->row->name, row->name);
    for (const ts_xml_element *other = first ? first->next : NULL; other && !row->repeated; other = other->next)
      if (strcmp(other->name, row->name) == 0)
        return ts_document_fail(p->in, other->place, "'%s' has a second '%s'", p->row->name, row->name);
    if (p->row->one_child && first && single)
      return ts_document_fail(p->in, first->place, "'%s' has both '%s' and '%s'", p->row->name, single->name,
                              row->name);
    if (first) single = first;
  }
  if (!p->row->one_child || single) return TS_OK;
  char names[100];
  join_children(p->row, names, sizeof names);
  return ts_document_fail(p->in, p->element->place, "'%s' needs one of %s", p->row->name, names);
}

// Rows are nested five deep, so recursion is.
static ts_status check_children(const position *p)
{
  missing_names missing = {.count = 0};
  for (int i = 0; p->row->children[i]; ++i)
    if (!ts_xml_child(p->element, p->row->children[i]->name))
      missing.names[missing.count++] = p->row->children[i]->name;
  for (const ts_xml_element *child = p->element->first; child; child = child->next) {
    const ts_urdf_element *row = NULL;
    for (int i = 0; p->row->children[i]; ++i)
      if (strcmp(child->name, p->row->children[i]->name) == 0) row = p->row->children[i];
    TS_TRY(row ? ts_urdf_check(p->in, child, row) : refuse_slip(p, "element", child->name, child->place, &missing));
  }
  return check_child_counts(p);
}

ts_status ts_urdf_check(ts_document_input *in, const ts_xml_element *element, const ts_urdf_element *row)
{
  const position p = {in, element, row};
  for (const ts_xml_element *child = element->first; child && row->children; child = child->next)
    if (strncmp(child->name, "xacro:", 6) == 0) return refuse_xacro(in, child->place); // it may lack a name, too
  TS_TRY(check_attributes(&p));
  return row->children ? check_children(&p) : TS_OK;
}
