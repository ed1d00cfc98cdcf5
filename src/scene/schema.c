#include "scene/schema.h"

#include "touchstone/urdf.h"

#include "base/assert.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define KEYS(array)     .keys = array, .key_count = COUNT_OF(array)
#define RULES(array)    .rules = array, .rule_count = COUNT_OF(array)

// Texts that other lists know already: help of shapes and signals; unit, default and help of step options. Arrays in a
// struct, so that their addresses are constants.
#define SHAPE_FIELD(name, text, spaces, line) char name[sizeof line];
#define SHAPE_HELP(name, text, spaces, line)  line,
static const struct {
  TS_SHAPE_LIST(SHAPE_FIELD)
} shape_help = {TS_SHAPE_LIST(SHAPE_HELP)};

#define SIGNAL_FIELD(name, text, line) char name[sizeof line];
#define SIGNAL_HELP(name, text, line)  line,
static const struct {
  TS_SIGNAL_LIST(SIGNAL_FIELD)
} signal_help = {TS_SIGNAL_LIST(SIGNAL_HELP)};

#define STEP_FIELD(field, type, value, symbol, line)                                                                   \
  struct {                                                                                                             \
    char unit[sizeof symbol], fallback[sizeof #value], help[sizeof line];                                              \
  } field;
#define STEP_TEXTS(field, type, value, symbol, line) {symbol, #value, line},
static const struct {
  TS_STEP_OPTION_LIST(STEP_FIELD)
} step_text = {TS_STEP_OPTION_LIST(STEP_TEXTS)};

// ---- signals -------------------------------------------------------------------------------------------------------

static const ts_key sine_keys[] = {
    {"offset", TS_VALUE_NUMBER, .fallback = "0", .help = "mean value"},
    {"amplitude", TS_VALUE_NUMBER, .required = true, .help = "largest deviation from `offset`"},
    {"frequency", TS_VALUE_NUMBER, "rad/s", .required = true, .help = "angular frequency"},
    {"phase", TS_VALUE_NUMBER, "rad", .fallback = "0", .help = "angle at time 0"},
};
static const ts_section sine_section = {"a sine", KEYS(sine_keys)};

static const ts_key piece_keys[] = {
    {"from", TS_VALUE_NUMBER, "s", .required = true, .help = "time when the piece begins; ascending"},
};
static const ts_section piece_section = {"a piece", KEYS(piece_keys), .base = &ts_signal_section};

static const ts_key table_keys[] = {
    {"times", TS_VALUE_NUMBERS, "s", .least = 1, .most = TS_ANY_NUMBER, .required = true, .help = "ascending times"},
    {"values", TS_VALUE_NUMBERS, .least = 1, .most = TS_ANY_NUMBER, .required = true, .help = "as many values"},
};
static const ts_rule table_rules[] = {{TS_RULE_SAME_LENGTH, {"times", "values"}}};
static const ts_section table_section = {"a table", KEYS(table_keys), RULES(table_rules)};

static const ts_key signal_keys[] = {
    {"constant", TS_VALUE_NUMBER, .help = "the same number always"},
    {"sine", TS_VALUE_MAP, .section = &sine_section, .help = signal_help.SINE},
    {"polynomial", TS_VALUE_NUMBERS, .least = 1, .most = TS_ANY_NUMBER, .help = signal_help.POLYNOMIAL},
    {"piecewise", TS_VALUE_MAPS, .section = &piece_section, .least = 1, .most = TS_ANY_NUMBER,
     .help = signal_help.PIECEWISE},
    {"table", TS_VALUE_MAP, .section = &table_section, .help = signal_help.TABLE},
};
static const ts_rule signal_rules[] = {
    {TS_RULE_EXACTLY_ONE, {"constant", "sine", "polynomial", "piecewise", "table"}},
};
const ts_section ts_signal_section = {"a signal", "SIGNAL", KEYS(signal_keys), RULES(signal_rules)};

// ---- contact -------------------------------------------------------------------------------------------------------

static const ts_key law_keys[] = {
    {"friction", TS_VALUE_NUMBER, .range = TS_RANGE_NOT_NEGATIVE, .fallback = "0.5", .help = "coefficient of friction"},
    {"restitution", TS_VALUE_NUMBER, .range = TS_RANGE_FRACTION, .fallback = "0",
     .help = "coefficient of restitution, used by the impact laws `newton` and `poisson`"},
    {"ellipsoid", TS_VALUE_NUMBERS, .range = TS_RANGE_NOT_NEGATIVE, .least = 3, .most = 3, .fallback = "[1, 1, 0]",
     .spaces = "3d",
     .help = "semi-axes e_t, e_o and e_r (m) of the friction ellipsoid; e_r = 0: no torsional friction"},
    {"direction", TS_VALUE_VECTOR, .spaces = "3d",
     .help = "world direction that tangent t follows where e_t and e_o differ; left out: any"},
};
static const ts_section law_section = {"a contact law", "LAW", KEYS(law_keys)};

static const char *const combinations[] = {[TS_GEOMETRIC_MEAN] = "geometric", [TS_ARITHMETIC_MEAN] = "arithmetic",
                                           [TS_MINIMUM] = "minimum",          [TS_MAXIMUM] = "maximum",
                                           [TS_PRODUCT] = "product",          NULL};
static const ts_key combine_keys[] = {
    {"friction", TS_VALUE_CHOICE, .choices = combinations, .fallback = "geometric",
     .help = "mean or other rule that makes one coefficient of two materials'"},
    {"restitution", TS_VALUE_CHOICE, .choices = combinations, .fallback = "geometric", .help = "likewise"},
};
static const ts_section combine_section = {"the rule of combination", KEYS(combine_keys)};

static const ts_key material_keys[] = {
    {"name", TS_VALUE_TEXT, .required = true, .above_zero = true, .help = "unique among materials"},
};
static const ts_section material_section = {"a material", KEYS(material_keys), .base = &law_section};

static const ts_key pair_keys[] = {
    {"bodies", TS_VALUE_BODIES, .least = 2, .most = 2, .help = "two bodies; wins over a pair of materials"},
    {"materials", TS_VALUE_MATERIALS, .least = 2, .most = 2, .help = "two materials, or one of them twice"},
    {"collide", TS_VALUE_BOOLEAN, .fallback = "true", .help = "false: the two bodies pass through each other"},
};
static const ts_rule pair_rules[] = {{TS_RULE_EXACTLY_ONE, {"bodies", "materials"}}};
static const ts_section pair_section = {"a pair", KEYS(pair_keys), RULES(pair_rules), .base = &law_section};

// ---- shapes --------------------------------------------------------------------------------------------------------

static const ts_key plane_keys[] = {
    {"normal", TS_VALUE_VECTOR, .required = true, .above_zero = true, .help = "points out of the solid; of any length"},
    {"offset", TS_VALUE_NUMBER, "m", .fallback = "0",
     .help = "distance of the boundary from the origin along `normal`"},
};
static const ts_key radius_keys[] = {
    {"radius", TS_VALUE_NUMBER, "m", .range = TS_RANGE_POSITIVE, .required = true, .help = "radius"},
};
static const ts_key size_keys[] = {
    {"size", TS_VALUE_VECTOR, "m", .range = TS_RANGE_POSITIVE, .required = true, .help = "full edge lengths"},
};
static const ts_key capsule_keys[] = {
    {"radius", TS_VALUE_NUMBER, "m", .range = TS_RANGE_POSITIVE, .required = true, .help = "radius"},
    {"length", TS_VALUE_NUMBER, "m", .range = TS_RANGE_POSITIVE, .required = true,
     .help = "between the centres of the caps"},
};
static const ts_key cylinder_keys[] = {
    {"radius", TS_VALUE_NUMBER, "m", .range = TS_RANGE_POSITIVE, .required = true, .help = "radius"},
    {"length", TS_VALUE_NUMBER, "m", .range = TS_RANGE_POSITIVE, .required = true, .help = "height"},
};
static const ts_key ellipsoid_keys[] = {
    {"semi_axes", TS_VALUE_VECTOR, "m", .range = TS_RANGE_POSITIVE, .required = true, .help = "half the extents"},
};
static const char *const convexities[] = {"hull", "parts", NULL};
static const ts_key polytope_keys[] = {
    {"vertices", TS_VALUE_VECTORS, "m", .least = 4, .most = TS_ANY_NUMBER, .help = "points, not all in a plane"},
    {"file", TS_VALUE_TEXT, .above_zero = true, .help = "OBJ or STL file with the points, beside the scene file"},
    {"scale", TS_VALUE_NUMBER, .range = TS_RANGE_POSITIVE, .fallback = "1", .help = "factor on the file's coordinates"},
    {"convex", TS_VALUE_CHOICE, .choices = convexities, .fallback = "hull",
     .help = "hull: of all points of the file; parts: of each of its connected pieces, a compound"},
};
static const ts_rule polytope_rules[] = {
    {TS_RULE_EXACTLY_ONE, {"vertices", "file"}},
    {TS_RULE_NEEDS, {"scale", "file"}},
    {TS_RULE_NEEDS, {"convex", "file"}},
};
static const ts_key polygon_keys[] = {
    {"vertices", TS_VALUE_VECTORS, "m", .least = 3, .most = TS_ANY_NUMBER, .required = true,
     .help = "corners in order, either way round; the outline must not cross itself"},
};
static const ts_section plane_section = {"a plane", KEYS(plane_keys)};
static const ts_section point_section = {"a point", .key_count = 0};
static const ts_section sphere_section = {"a sphere", KEYS(radius_keys)};
static const ts_section box_section = {"a box", KEYS(size_keys)};
static const ts_section capsule_section = {"a capsule", KEYS(capsule_keys)};
static const ts_section cylinder_section = {"a cylinder", KEYS(cylinder_keys)};
static const ts_section ellipsoid_section = {"an ellipsoid", KEYS(ellipsoid_keys)};
static const ts_section polytope_section = {"a polytope", KEYS(polytope_keys), RULES(polytope_rules)};
static const ts_section disc_section = {"a disc", KEYS(radius_keys)};
static const ts_section polygon_section = {"a polygon", KEYS(polygon_keys)};

#define SHAPE_NAME(name, text, spaces, help) text,
static const ts_key shape_keys[] = {
    {"plane", TS_VALUE_MAP, .section = &plane_section, .help = shape_help.PLANE},
    {"point", TS_VALUE_MAP, .section = &point_section, .help = shape_help.POINT},
    {"sphere", TS_VALUE_MAP, .section = &sphere_section, .spaces = "3d", .help = shape_help.SPHERE},
    {"box", TS_VALUE_MAP, .section = &box_section, .help = "cuboid; in the plane a rectangle"},
    {"capsule", TS_VALUE_MAP, .section = &capsule_section, .spaces = "3d", .help = shape_help.CAPSULE},
    {"cylinder", TS_VALUE_MAP, .section = &cylinder_section, .spaces = "3d", .help = shape_help.CYLINDER},
    {"ellipsoid", TS_VALUE_MAP, .section = &ellipsoid_section, .spaces = "3d", .help = shape_help.ELLIPSOID},
    {"polytope", TS_VALUE_MAP, .section = &polytope_section, .spaces = "3d", .help = shape_help.POLYTOPE},
    {"disc", TS_VALUE_MAP, .section = &disc_section, .spaces = "2d", .help = shape_help.DISC},
    {"polygon", TS_VALUE_MAP, .section = &polygon_section, .spaces = "2d", .help = shape_help.POLYGON},
};
static const ts_rule shape_rules[] = {{TS_RULE_EXACTLY_ONE, {TS_SHAPE_LIST(SHAPE_NAME)}}};
static const ts_section shape_section = {"a shape", "SHAPE", KEYS(shape_keys), RULES(shape_rules)};

static const ts_key orientation_keys[] = {
    {"axis", TS_VALUE_VECTOR, .above_zero = true, .help = "axis of a rotation, of any length"},
    {"angle", TS_VALUE_NUMBER, "rad", .help = "angle of the rotation about `axis`"},
    {"rotation_vector", TS_VALUE_VECTOR, "rad", .help = "axis times angle"},
    {"roll_pitch_yaw", TS_VALUE_NUMBERS, "rad", .least = 3, .most = 3,
     .help = "rotations about the fixed axes x, then y, then z"},
};
static const ts_rule orientation_rules[] = {
    {TS_RULE_EXACTLY_ONE, {"axis", "rotation_vector", "roll_pitch_yaw"}},
    {TS_RULE_NEEDS, {"axis", "angle"}},
    {TS_RULE_NEEDS, {"angle", "axis"}},
};
static const ts_section orientation_section = {"an orientation", "ORIENTATION", KEYS(orientation_keys),
                                               RULES(orientation_rules)};

#define ORIENTATION_ROWS                                                                                               \
  {"orientation",                                                                                                      \
   TS_VALUE_NUMBERS,                                                                                                   \
   .least = 4,                                                                                                         \
   .most = 4,                                                                                                          \
   .spaces = "3d",                                                                                                     \
   .above_zero = true,                                                                                                 \
   .fallback = "[1, 0, 0, 0]",                                                                                         \
   .help = "quaternion w, x, y, z, of any length"},                                                                    \
  {                                                                                                                    \
    "orientation", TS_VALUE_MAP, .section = &orientation_section, .spaces = "3d", .help = "the same in other words"    \
  }

static const ts_key part_keys[] = {
    {"position", TS_VALUE_VECTOR, "m", .fallback = "0", .help = "of the shape in the body's frame"},
    ORIENTATION_ROWS,
    {"angle", TS_VALUE_NUMBER, "rad", .spaces = "2d", .fallback = "0", .help = "orientation in the body's frame"},
    {"material", TS_VALUE_MATERIAL, .help = "instead of the body's"},
    {"massless", TS_VALUE_BOOLEAN, .fallback = "false", .help = "does not count for mass and inertia"},
};
const ts_section ts_part_section = {"a shape of a compound", KEYS(part_keys), .base = &shape_section};

// ---- joints --------------------------------------------------------------------------------------------------------

static const ts_key velocity_motor_keys[] = {
    {"target", TS_VALUE_SIGNAL, "m/s, rad/s", .required = true, .help = "rate to keep"},
    {"max_force", TS_VALUE_NUMBER, "N, N m", .range = TS_RANGE_POSITIVE, .help = "at most so much; left out: no limit"},
};
static const ts_section velocity_motor_section = {"a velocity motor", KEYS(velocity_motor_keys)};

static const ts_key servo_keys[] = {
    {"target", TS_VALUE_SIGNAL, "m, rad", .required = true, .help = "position to keep"},
    {"stiffness", TS_VALUE_NUMBER, "N/m, N m/rad", .range = TS_RANGE_NOT_NEGATIVE, .required = true,
     .help = "force per position error"},
    {"damping", TS_VALUE_NUMBER, "N s/m, N m s/rad", .range = TS_RANGE_NOT_NEGATIVE, .fallback = "0",
     .help = "force per rate error"},
    {"max_force", TS_VALUE_NUMBER, "N, N m", .range = TS_RANGE_POSITIVE, .help = "at most so much; left out: no limit"},
};
static const ts_section servo_section = {"a servo", KEYS(servo_keys)};

static const ts_key motor_keys[] = {
    {"force", TS_VALUE_SIGNAL, "N, N m", .help = "a given force or torque along the joint's axis"},
    {"velocity", TS_VALUE_MAP, .section = &velocity_motor_section, .help = "keeps a rate"},
    {"servo", TS_VALUE_MAP, .section = &servo_section,
     .help = "spring and damper towards a position, taken implicitly"},
};
static const ts_rule motor_rules[] = {{TS_RULE_EXACTLY_ONE, {"force", "velocity", "servo"}}};
static const ts_section motor_section = {"a motor", KEYS(motor_keys), RULES(motor_rules)};

static const ts_key limit_keys[] = {
    {"lower", TS_VALUE_NUMBER, "m, rad", .help = "least coordinate; left out: no stop on this side"},
    {"upper", TS_VALUE_NUMBER, "m, rad", .help = "largest coordinate; left out: no stop on this side"},
};
static const ts_rule limit_rules[] = {{TS_RULE_AT_LEAST_ONE, {"lower", "upper"}}};
static const ts_section limit_section = {"a map of limits", KEYS(limit_keys), RULES(limit_rules)};

#define JOINT_NAME(enumerator, name) #name,
#define JOINT_NUMBER(name, bounds, units, about)                                                                       \
  {#name, TS_VALUE_NUMBER, units, .range = TS_RANGE_##bounds, .fallback = "0", .help = about},
static const char *const joint_types[] = {TS_JOINT_LIST(JOINT_NAME) NULL};
static const ts_key joint_keys[] = {
    {"name", TS_VALUE_TEXT, .above_zero = true, .help = "unique among joints"},
    {"type", TS_VALUE_CHOICE, .choices = joint_types, .required = true, .help = "see `touchstone list joints`"},
    {"parent", TS_VALUE_BODY, .fallback = "world", .help = "body that the child hangs on"},
    {"at", TS_VALUE_VECTOR, "m", .fallback = "0", .help = "the joint's point in the parent's frame"},
    {"axis", TS_VALUE_VECTOR, .above_zero = true, .fallback = "z",
     .help = "in the parent's frame, of any length; in the plane a prismatic joint's only"},
    {"axis2", TS_VALUE_VECTOR, .spaces = "3d", .above_zero = true, .fallback = "x",
     .help = "universal: the child's axis, in the parent's frame as the bodies are written, normal to `axis`"},
    {"limits", TS_VALUE_NUMBERS, "m, rad", .least = 2, .most = 2,
     .help =
         "one freedom: least and largest coordinate; it is 0 where the bodies stand as written, angles count turns"},
    {"limits", TS_VALUE_MAP, .section = &limit_section, .help = "the same, or a stop on one side only"},
    {"restitution", TS_VALUE_NUMBER, .range = TS_RANGE_FRACTION, .fallback = "0", .help = "of the stops"},
    TS_JOINT_NUMBER_LIST(JOINT_NUMBER) // with their commas
    {"motor", TS_VALUE_MAP, .section = &motor_section, .help = "one freedom: what drives it"},
    {"closes_loop", TS_VALUE_BOOLEAN, .fallback = "false",
     .help = "true: never a minimal coordinate, always a bilateral row; states where a loop is cut"},
};
static const ts_rule joint_rules[] = {{TS_RULE_NEEDS, {"restitution", "limits"}}};
static const ts_section joint_section = {"a joint", "JOINT", KEYS(joint_keys), RULES(joint_rules)};

static const ts_key joints_keys[] = {
    {"child", TS_VALUE_BODY, .required = true, .help = "body that is held by the joint"},
};
static const ts_section joints_section = {"a joint", KEYS(joints_keys), .base = &joint_section};

// ---- bodies --------------------------------------------------------------------------------------------------------

static const char *const orientation_rule_names[] = {
    [TS_ORIENTATION_EXPONENTIAL] = "exponential", [TS_ORIENTATION_INTEGRATED] = "integrated", NULL};
static const ts_key acceleration_keys[] = {
    {"amplitude", TS_VALUE_NUMBERS, "m/s^2, rad/s^2", .least = 6, .most = 6, .spaces = "3d", .required = true,
     .help = "along x, y, z, then about x, y, z"},
    {"amplitude", TS_VALUE_NUMBERS, "m/s^2, rad/s^2", .least = 3, .most = 3, .spaces = "2d", .required = true,
     .help = "along x, y, then about z"},
    {"phase", TS_VALUE_NUMBERS, "rad", .least = 6, .most = 6, .spaces = "3d", .fallback = "0", .help = "likewise"},
    {"phase", TS_VALUE_NUMBERS, "rad", .least = 3, .most = 3, .spaces = "2d", .fallback = "0", .help = "likewise"},
    {"frequency", TS_VALUE_NUMBER, "rad/s", .range = TS_RANGE_POSITIVE, .required = true, .help = "of all axes"},
    {"orientation", TS_VALUE_CHOICE, .choices = orientation_rule_names, .fallback = "exponential",
     .help = "how angular accelerations become an orientation"},
};
static const ts_section acceleration_section = {"an acceleration", KEYS(acceleration_keys)};

static const ts_key motion_keys[] = {
    {"displacement", TS_VALUE_SIGNALS, "m", .fallback = "0", .help = "added to `position`"},
    {"rotation", TS_VALUE_SIGNALS, "rad", .spaces = "3d", .fallback = "0",
     .help = "rotation vector along world axes, about the body's origin"},
    {"rotation", TS_VALUE_SIGNAL, "rad", .spaces = "2d", .fallback = "0", .help = "added to `angle`"},
    {"acceleration", TS_VALUE_MAP, .section = &acceleration_section,
     .help = "amplitude sin(frequency t + phase) on every axis; velocity and place have no drift"},
};
static const ts_rule motion_rules[] = {
    {TS_RULE_AT_MOST_ONE, {"displacement", "acceleration"}},
    {TS_RULE_AT_MOST_ONE, {"rotation", "acceleration"}},
};
static const ts_section motion_section = {"a motion", KEYS(motion_keys), RULES(motion_rules)};

#define BODY_KIND_NAME(name, text, help) text,
static const char *const body_kinds[] = {TS_BODY_KIND_LIST(BODY_KIND_NAME) NULL};
static const ts_key body_keys[] = {
    {"name", TS_VALUE_TEXT, .required = true, .above_zero = true, .help = "unique among bodies; not `world`"},
    {"kind", TS_VALUE_CHOICE, .choices = body_kinds, .fallback = "dynamic",
     .help = "fixed: does not move; kinematic: moves as `motion` says; dynamic: moves by Newton's laws"},
    {"shape", TS_VALUE_MAP, .section = &shape_section, .help = "its only shape, at the body's origin"},
    {"shapes", TS_VALUE_MAPS, .section = &ts_part_section, .least = 1, .most = TS_ANY_NUMBER, .help = "compound"},
    {"material", TS_VALUE_MATERIAL, .help = "of its shapes; left out: the scene's `contact` holds"},
    {"mass", TS_VALUE_NUMBER, "kg", .range = TS_RANGE_NOT_NEGATIVE,
     .help = "left out: `density` times volume; 0: none, a link between joints (minimal coordinates)"},
    {"density", TS_VALUE_NUMBER, "kg/m^3, 2d kg/m^2", .range = TS_RANGE_POSITIVE, .fallback = "1000",
     .help = "of its shapes"},
    {"inertia", TS_VALUE_NUMBERS, "kg m^2", .least = 3, .most = 6, .spaces = "3d",
     .help = "xx, yy, zz, or these and xy, xz, yz, about the centre of mass; left out: from the shapes"},
    {"inertia", TS_VALUE_NUMBER, "kg m^2", .range = TS_RANGE_POSITIVE, .spaces = "2d",
     .help = "about the centre of mass; left out: from the shapes"},
    {"centre", TS_VALUE_VECTOR, "m", .help = "centre of mass in the body's frame; left out: from the shapes"},
    {"rotates", TS_VALUE_BOOLEAN, .fallback = "true", .help = "false: a particle without rotation"},
    {"position", TS_VALUE_VECTOR, "m", .fallback = "0", .help = "of the origin at time 0; with a `joint`: its point"},
    ORIENTATION_ROWS,
    {"angle", TS_VALUE_NUMBER, "rad", .spaces = "2d", .fallback = "0",
     .help = "orientation at time 0; with a `joint`: the parent's"},
    {"velocity", TS_VALUE_VECTOR, "m/s", .fallback = "0", .help = "of the origin at time 0"},
    {"angular_velocity", TS_VALUE_VECTOR, "rad/s", .spaces = "3d", .fallback = "0", .help = "along world axes"},
    {"angular_velocity", TS_VALUE_NUMBER, "rad/s", .spaces = "2d", .fallback = "0", .help = "at time 0"},
    {"gravity_scale", TS_VALUE_VECTOR, .fallback = "1", .help = "factors on the components of gravity"},
    {"motion", TS_VALUE_MAP, .section = &motion_section, .help = "kinematic: how it moves"},
    {"force", TS_VALUE_SIGNALS, "N", .fallback = "0", .help = "at the centre of mass, along world axes"},
    {"torque", TS_VALUE_SIGNALS, "N m", .spaces = "3d", .fallback = "0", .help = "along world axes"},
    {"torque", TS_VALUE_SIGNAL, "N m", .spaces = "2d", .fallback = "0", .help = "about z"},
    {"joint", TS_VALUE_MAP, .section = &joint_section, .help = "joint of which this body is the child"},
};
static const ts_rule body_rules[] = {
    {TS_RULE_AT_MOST_ONE, {"shape", "shapes"}},
};
static const ts_section body_section = {"a body", KEYS(body_keys), RULES(body_rules)};

// ---- robots --------------------------------------------------------------------------------------------------------

static const char *const urdf_bases[] = {[TS_BASE_FIXED] = "fixed", [TS_BASE_FREE] = "free", NULL};
static const ts_key urdf_keys[] = {
    {"file", TS_VALUE_TEXT, .required = true, .above_zero = true, .help = "URDF file, beside the scene file"},
    {"name", TS_VALUE_TEXT, .above_zero = true, .help = "goes before the names of its bodies and joints, with a `/`"},
    {"base", TS_VALUE_CHOICE, .choices = urdf_bases, .fallback = "fixed", .help = "what holds the root link"},
    {"position", TS_VALUE_VECTOR, "m", .fallback = "0", .help = "of the root link at time 0"},
    ORIENTATION_ROWS,
    {"hold", TS_VALUE_BOOLEAN, .fallback = "false", .help = "true: a brake on every joint, with at most its effort"},
    {"density", TS_VALUE_NUMBER, "kg/m^3", .range = TS_RANGE_NOT_NEGATIVE, .fallback = "1000",
     .help = "of the shapes of links without `inertial`; 0: they weigh nothing"},
    {"packages", TS_VALUE_TEXTS, .least = 1, .most = TS_ANY_NUMBER, .above_zero = true,
     .help = "folders to look for meshes in, beside the scene file"},
};
const ts_section ts_urdf_section = {"a robot", KEYS(urdf_keys)};

// ---- springs and forces --------------------------------------------------------------------------------------------

static const ts_key spring_keys[] = {
    {"name", TS_VALUE_TEXT, .above_zero = true, .help = "for overrides"},
    {"bodies", TS_VALUE_BODIES, .least = 2, .most = 2, .required = true, .help = "two bodies, one may be `world`"},
    {"at", TS_VALUE_VECTORS, "m", .least = 2, .most = 2, .fallback = "0", .help = "its ends, in each body's frame"},
    {"stiffness", TS_VALUE_NUMBER, "N/m", .range = TS_RANGE_NOT_NEGATIVE, .fallback = "0", .help = "force per stretch"},
    {"damping", TS_VALUE_NUMBER, "N s/m", .range = TS_RANGE_NOT_NEGATIVE, .fallback = "0", .help = "force per rate"},
    {"length", TS_VALUE_NUMBER, "m", .range = TS_RANGE_NOT_NEGATIVE,
     .help = "at rest; left out: the distance at time 0"},
    {"damps_across", TS_VALUE_BOOLEAN, .fallback = "false",
     .help = "the damper resists velocity across the line between its ends too"},
    {"implicit", TS_VALUE_BOOLEAN, .fallback = "true",
     .help = "taken at the end of the step, stable however stiff; false: at its start"},
};
static const ts_section spring_section = {"a spring", KEYS(spring_keys)};

static const ts_key force_keys[] = {
    {"name", TS_VALUE_TEXT, .above_zero = true, .help = "for overrides"},
    {"body", TS_VALUE_BODY, .required = true, .help = "dynamic body that it acts on"},
    {"at", TS_VALUE_VECTOR, "m", .help = "where, in the body's frame; left out: at the centre of mass"},
    {"force", TS_VALUE_SIGNALS, "N", .fallback = "0", .help = "force"},
    {"torque", TS_VALUE_SIGNALS, "N m", .spaces = "3d", .fallback = "0", .help = "torque"},
    {"torque", TS_VALUE_SIGNAL, "N m", .spaces = "2d", .fallback = "0", .help = "torque about z"},
    {"follows", TS_VALUE_BOOLEAN, .fallback = "false", .help = "components along the body's axes, not the world's"},
};
static const ts_section force_section = {"a force", KEYS(force_keys)};

// ---- step ----------------------------------------------------------------------------------------------------------

static const char *stepper_at(int i)
{
  return i < ts_stepper_count() ? ts_stepper_name(ts_stepper_at(i)) : NULL;
}

static const char *solver_at(int i)
{
  return i < ts_solver_count() ? ts_solver_name(ts_solver_at(i)) : NULL;
}

#define STEP_KEY(field, key_type) #field, key_type, step_text.field.unit, .help = step_text.field.help
#define STEP_NUMBER(field)        STEP_KEY(field, TS_VALUE_NUMBER), .fallback = step_text.field.fallback
#define STEP_INTEGER(field)       STEP_KEY(field, TS_VALUE_INTEGER), .fallback = step_text.field.fallback
// Words stand where their enumerators say, so that neither can be moved without the other.
static const char *const alignments[] = {[false] = "fixed", [true] = "slip", NULL};
static const char *const cones[] = {[TS_CONE_QUADRATIC] = "quadratic", [TS_CONE_POLYHEDRAL] = "polyhedral", NULL};
static const char *const impact_laws[] = {[TS_IMPACT_DEFAULT] = "default",
                                          [TS_IMPACT_INELASTIC] = "inelastic",
                                          [TS_IMPACT_NEWTON] = "newton",
                                          [TS_IMPACT_POISSON] = "poisson",
                                          NULL};
static const char *const closings[] = {
    [TS_CLOSING_DEFAULT] = "default", [TS_CLOSING_GAP] = "gap", [TS_CLOSING_IMPACT] = "impact", NULL};
static const char *const starts[] = {[TS_START_CORRECTED] = "corrected", [TS_START_AS_GIVEN] = "as_given", NULL};
static const char *const stabilizations[] = {[TS_STABILIZATION_DEFAULT] = "default",   [TS_STABILIZATION_FULL] = "full",
                                             [TS_STABILIZATION_CAPPED] = "capped",     [TS_STABILIZATION_NONE] = "none",
                                             [TS_STABILIZATION_POSITION] = "position", NULL};
static const char *const activations[] = {
    [TS_ACTIVATE_CURRENT] = "current", [TS_ACTIVATE_MIDPOINT] = "midpoint", [TS_ACTIVATE_END] = "end", NULL};
static const char *const gyroscopics[] = {[TS_GYROSCOPIC_EXPLICIT] = "explicit",
                                          [TS_GYROSCOPIC_IMPLICIT] = "implicit",
                                          [TS_GYROSCOPIC_MIDPOINT] = "midpoint",
                                          NULL};

static const char *const line_searches[] = {[TS_NONMONOTONE] = "nonmonotone", [TS_MONOTONE] = "monotone", NULL};
static const char *const arm_kinds[] = {[TS_ARMS_COMMON] = "common", [TS_ARMS_SURFACE] = "surface", NULL};
static const char *const coordinate_kinds[] = {
    [TS_COORDINATES_REDUNDANT] = "redundant", [TS_COORDINATES_MINIMAL] = "minimal", NULL};

static const ts_key polyhedral_keys[] = {
    {STEP_INTEGER(directions), .range = TS_RANGE_EVEN_FROM_4},
    {"align", TS_VALUE_CHOICE, .choices = alignments, .fallback = "slip", .help = step_text.align.help},
    {"angle", TS_VALUE_NUMBER, step_text.direction_angle.unit, .fallback = step_text.direction_angle.fallback,
     .help = step_text.direction_angle.help},
};
static const ts_section polyhedral_section = {"a polyhedral cone", KEYS(polyhedral_keys)};
static const ts_key cone_keys[] = {
    {"polyhedral", TS_VALUE_MAP, .section = &polyhedral_section, .required = true, .help = "the pyramid's details"},
};
static const ts_section cone_section = {"a cone", KEYS(cone_keys)};

static const ts_key step_keys[] = {
    {STEP_KEY(method, TS_VALUE_CHOICE), .choice_at = stepper_at, .fallback = "stewart-trinkle"},
    {STEP_NUMBER(size), .range = TS_RANGE_POSITIVE},
    {STEP_KEY(cone, TS_VALUE_CHOICE), .choices = cones, .fallback = "quadratic"},
    {"cone", TS_VALUE_MAP, .section = &cone_section, .help = "a polyhedral cone that is not the default one"},
    {STEP_KEY(solver, TS_VALUE_CHOICE), .choice_at = solver_at, .fallback = "auto"},
    {STEP_NUMBER(tolerance), .range = TS_RANGE_OPEN_FRACTION},
    {STEP_INTEGER(max_iterations), .range = TS_RANGE_NOT_NEGATIVE},
    {STEP_KEY(warm_start, TS_VALUE_BOOLEAN), .fallback = "true"},
    {STEP_KEY(line_search, TS_VALUE_CHOICE), .choices = line_searches, .fallback = "nonmonotone"},
    {STEP_NUMBER(impulse_scale), .range = TS_RANGE_NOT_NEGATIVE},
    {STEP_KEY(impacts, TS_VALUE_CHOICE), .choices = impact_laws, .fallback = "default"},
    {STEP_KEY(closing, TS_VALUE_CHOICE), .choices = closings, .fallback = "default"},
    {STEP_NUMBER(rest_speed), .range = TS_RANGE_NOT_NEGATIVE},
    {STEP_KEY(start, TS_VALUE_CHOICE), .choices = starts, .fallback = "corrected"},
    {STEP_KEY(stabilization, TS_VALUE_CHOICE), .choices = stabilizations, .fallback = "default"},
    {STEP_NUMBER(recovery_speed), .range = TS_RANGE_POSITIVE},
    {STEP_NUMBER(theta), .range = TS_RANGE_UPPER_HALF},
    {STEP_KEY(activate, TS_VALUE_CHOICE), .choices = activations, .fallback = "current"},
    {STEP_KEY(gyroscopic, TS_VALUE_CHOICE), .choices = gyroscopics, .fallback = "midpoint"},
    {STEP_KEY(coordinates, TS_VALUE_CHOICE), .choices = coordinate_kinds, .fallback = "redundant"},
    {STEP_KEY(arms, TS_VALUE_CHOICE), .choices = arm_kinds, .fallback = "common"},
    {STEP_NUMBER(margin), .range = TS_RANGE_NOT_NEGATIVE},
    {STEP_INTEGER(max_substeps), .range = TS_RANGE_POWER_OF_2},
};
static const ts_section step_section = {"the step", KEYS(step_keys)};

// ---- scene ---------------------------------------------------------------------------------------------------------

static const ts_key output_keys[] = {
    {"interval", TS_VALUE_NUMBER, "s", .range = TS_RANGE_NOT_NEGATIVE, .fallback = "0",
     .help = "time between recorded states; 0: every step"},
};
static const ts_section output_section = {"the output", KEYS(output_keys)};

static const char *const spaces[] = {[TS_SPACE_3D] = "3d", [TS_SPACE_2D] = "2d", NULL};
static const ts_key scene_keys[] = {
    {"touchstone", TS_VALUE_INTEGER, .range = TS_RANGE_ONE, .required = true, .help = "version of the format"},
    {"name", TS_VALUE_TEXT, .help = "for titles"},
    {"include", TS_VALUE_TEXT, .above_zero = true, .help = "another scene file, beside this one, that is merged in"},
    {"include", TS_VALUE_TEXTS, .least = 1, .most = TS_ANY_NUMBER, .above_zero = true, .help = "several of them"},
    {"urdf", TS_VALUE_MAP, .section = &ts_urdf_section, .spaces = "3d",
     .help = "a robot, whose bodies and joints are added"},
    {"urdf", TS_VALUE_MAPS, .section = &ts_urdf_section, .least = 1, .most = TS_ANY_NUMBER, .spaces = "3d",
     .help = "several of them"},
    {"space", TS_VALUE_CHOICE, .choices = spaces, .fallback = "3d", .help = "2d: a vertical plane, x right and y up"},
    {"gravity", TS_VALUE_VECTOR, "m/s^2", .fallback = "9.81 downwards", .help = "acceleration; down is -z, in 2d -y"},
    {"contact", TS_VALUE_MAP, .section = &law_section, .help = "how bodies without a material touch"},
    {"combine", TS_VALUE_MAP, .section = &combine_section, .help = "how two materials' laws become one"},
    {"materials", TS_VALUE_MAPS, .section = &material_section, .most = TS_ANY_NUMBER,
     .help = "laws by name; what a material leaves out is as in `contact`"},
    {"pairs", TS_VALUE_MAPS, .section = &pair_section, .most = TS_ANY_NUMBER,
     .help = "laws between two bodies or materials; what a pair leaves out is as in `contact`"},
    {"bodies", TS_VALUE_MAPS, .section = &body_section, .least = 1, .most = TS_ANY_NUMBER, .required = true,
     .help = "bodies"},
    {"joints", TS_VALUE_MAPS, .section = &joints_section, .most = TS_ANY_NUMBER, .help = "joints, loop closures too"},
    {"springs", TS_VALUE_MAPS, .section = &spring_section, .most = TS_ANY_NUMBER, .help = "springs and dampers"},
    {"forces", TS_VALUE_MAPS, .section = &force_section, .most = TS_ANY_NUMBER, .help = "applied forces and torques"},
    {"step", TS_VALUE_MAP, .section = &step_section, .help = "how to step through time"},
    {"duration", TS_VALUE_NUMBER, "s", .range = TS_RANGE_POSITIVE, .fallback = "1", .help = "length of the run"},
    {"output", TS_VALUE_MAP, .section = &output_section, .help = "what is recorded"},
    {"allow_overlap", TS_VALUE_BOOLEAN, .fallback = "false",
     .help = "true: bodies may overlap at the start by more than a tenth of their size"},
};
const ts_section ts_scene_section = {"a scene", KEYS(scene_keys)};

const ts_section *const ts_titled_sections[] = {&law_section, &shape_section, &orientation_section, &joint_section,
                                                &ts_signal_section};
const int ts_titled_section_count = COUNT_OF(ts_titled_sections);

// ---- queries -------------------------------------------------------------------------------------------------------

bool ts_range_holds(ts_range range, double value)
{
  switch (range) {
  case TS_RANGE_POSITIVE:
    return value > 0.0;
  case TS_RANGE_NOT_NEGATIVE:
    return value >= 0.0;
  case TS_RANGE_FRACTION:
    return value >= 0.0 && value <= 1.0;
  case TS_RANGE_OPEN_FRACTION:
    return value > 0.0 && value < 1.0;
  case TS_RANGE_UPPER_HALF:
    return value >= 0.5 && value <= 1.0;
  case TS_RANGE_EVEN_FROM_4:
    return value >= 4.0 && fmod(value, 2.0) == 0.0;
  case TS_RANGE_POWER_OF_2:
    return value >= 1.0 && exp2(round(log2(value))) == value;
  case TS_RANGE_ONE:
    return value == 1.0;
  case TS_RANGE_PLACE:
    return fabs(value) <= 1e9;
  default:
    return true;
  }
}

const char *ts_range_text(ts_range range)
{
  static const char *const texts[TS_RANGE_COUNT] = {
      [TS_RANGE_ANY] = "",
      [TS_RANGE_POSITIVE] = "> 0",
      [TS_RANGE_NOT_NEGATIVE] = ">= 0",
      [TS_RANGE_FRACTION] = "0 to 1",
      [TS_RANGE_OPEN_FRACTION] = "> 0 and < 1",
      [TS_RANGE_UPPER_HALF] = "0.5 to 1",
      [TS_RANGE_EVEN_FROM_4] = "even, >= 4",
      [TS_RANGE_POWER_OF_2] = "a power of 2",
      [TS_RANGE_ONE] = "1",
      [TS_RANGE_PLACE] = "-1e9 to 1e9",
  };
  return texts[range];
}

int ts_section_key_count(const ts_section *section)
{
  return section->key_count + (section->base ? ts_section_key_count(section->base) : 0);
}

const ts_key *ts_section_key_at(const ts_section *section, int i)
{
  TS_ASSERT(i >= 0 && i < ts_section_key_count(section));
  return i < section->key_count ? &section->keys[i] : ts_section_key_at(section->base, i - section->key_count);
}

bool ts_key_is_in(const ts_key *key, ts_space space)
{
  return !key->spaces || strcmp(key->spaces, space == TS_SPACE_2D ? "2d" : "3d") == 0;
}

const char *ts_key_choice(const ts_key *key, int i)
{
  return key->choice_at ? key->choice_at(i) : key->choices[i];
}

static void list_choices(const ts_key *key, char *text, size_t size)
{
  int used = snprintf(text, size, "one of: ");
  const char *word;
  for (int i = 0; (word = ts_key_choice(key, i)) != NULL && (size_t)used < size; ++i)
    used += snprintf(text + used, size - (size_t)used, "%s%s", i > 0 ? ", " : "", word);
}

static void count_text(const ts_key *key, const char *many, char *text, size_t size)
{
  if (key->least == key->most)
    snprintf(text, size, "%d %s", key->least, many);
  else if (key->most < TS_ANY_NUMBER)
    snprintf(text, size, "%d to %d %s", key->least, key->most, many);
  else if (key->least > 1)
    snprintf(text, size, "a list of at least %d %s", key->least, many);
  else
    snprintf(text, size, "a list of %s", many);
}

void ts_key_type_text(const ts_key *key, int dimensions, char *text, size_t size)
{
  static const char *const simple[] = {
      [TS_VALUE_NUMBER] = "a number",         [TS_VALUE_INTEGER] = "a whole number",
      [TS_VALUE_BOOLEAN] = "true or false",   [TS_VALUE_TEXT] = "a text",
      [TS_VALUE_BODY] = "the name of a body", [TS_VALUE_MATERIAL] = "the name of a material",
      [TS_VALUE_SIGNAL] = "a signal"};
  const char *title = key->section ? key->section->title : NULL;
  const char *base = key->section && key->section->base ? key->section->base->title : NULL;
  switch (key->type) {
  case TS_VALUE_CHOICE:
    list_choices(key, text, size);
    break;
  case TS_VALUE_NUMBERS:
    count_text(key, "numbers", text, size);
    break;
  case TS_VALUE_VECTORS:
    count_text(key, "vectors", text, size);
    break;
  case TS_VALUE_TEXTS:
    count_text(key, "texts", text, size);
    break;
  case TS_VALUE_BODIES:
    count_text(key, "names of bodies", text, size);
    break;
  case TS_VALUE_MATERIALS:
    count_text(key, "names of materials", text, size);
    break;
  case TS_VALUE_MAPS:
    snprintf(text, size, "a list of maps%s%s%s", base ? " (keys below and of " : "", base ? base : "", base ? ")" : "");
    break;
  case TS_VALUE_MAP:
    snprintf(text, size, "a map%s%s", title ? ": " : "", title ? title : "");
    break;
  case TS_VALUE_VECTOR:
  case TS_VALUE_SIGNALS:
    if (dimensions > 0)
      snprintf(text, size, "a list of %d %s", dimensions, key->type == TS_VALUE_VECTOR ? "numbers" : "signals");
    else
      snprintf(text, size, "a %s", key->type == TS_VALUE_VECTOR ? "vector" : "vector of signals");
    break;
  default:
    snprintf(text, size, "%s", simple[key->type]);
  }
}
