#include "scene/scene_schema.h"

#include "scene/watch_plan.h"
#include "robot/urdf_gather.h"
#include "document/common_keys.h"
#include "document/joint_keys.h"
#include "document/parameter_set.h"
#include "document/repeat.h"
#include "document/validate.h"
#include "step/options.h"
#include "schema/key_list.h"
#include "schema/parameters.h"
#include "shape/shape_type.h"

#include "base/require.h"

#include <string.h>

// ---- contact -------------------------------------------------------------------------------------------------------

#define LAW_NUMBER(name, value, bounds, rule, about)                                                                   \
  {#name, TS_VALUE_NUMBER, .range = TS_RANGE_##bounds, .fallback = #value, .help = about},
static const ts_key law_keys[] = {
    TS_LAW_NUMBER_LIST(LAW_NUMBER) // with their commas
    {"ellipsoid", TS_VALUE_NUMBERS, .range = TS_RANGE_NOT_NEGATIVE, .least = 3, .most = 3, .fallback = "[1, 1, 0]",
     .spaces = "3d",
     .help = "semi-axes e_t, e_o and e_r (m) of the friction ellipsoid; e_r = 0: no torsional friction"},
    {"direction", TS_VALUE_VECTOR, .spaces = "3d",
     .help = "world direction that tangent t follows where e_t and e_o differ; left out: any"},
};
#undef LAW_NUMBER
const ts_section ts_law_section = {"a contact law", "LAW", TS_KEYS(law_keys)};

static const char *const combinations[] = {[TS_GEOMETRIC_MEAN] = "geometric", [TS_ARITHMETIC_MEAN] = "arithmetic",
                                           [TS_MINIMUM] = "minimum",          [TS_MAXIMUM] = "maximum",
                                           [TS_PRODUCT] = "product",          NULL};
static const ts_key combine_keys[] = {
    {"friction", TS_VALUE_CHOICE, .choices = combinations, .fallback = "geometric",
     .help = "mean or other rule that makes one coefficient of two materials'"},
    {"restitution", TS_VALUE_CHOICE, .choices = combinations, .fallback = "geometric", .help = "likewise"},
};
static const ts_section combine_section = {"the rule of combination", TS_KEYS(combine_keys)};

static const ts_key material_keys[] = {
    {"name", TS_VALUE_TEXT, .required = true, .above_zero = true, .help = "unique among materials"},
};
static const ts_section material_section = {"a material", TS_KEYS(material_keys), .base = &ts_law_section};

static const ts_key pair_keys[] = {
    {"bodies", TS_VALUE_BODIES, .least = 2, .most = 2, .help = "two bodies; wins over a pair of materials"},
    {"materials", TS_VALUE_MATERIALS, .least = 2, .most = 2, .help = "two materials, or one of them twice"},
    {"group", TS_VALUE_TEXTS, .least = 1, .most = TS_ANY_NUMBER, .above_zero = true,
     .help = "names of bodies, with `*` and `?`: each of them with each of `with`"},
    {"with", TS_VALUE_TEXTS, .least = 1, .most = TS_ANY_NUMBER, .above_zero = true,
     .help = "likewise; left out: the bodies of `group` among themselves"},
    {"collide", TS_VALUE_BOOLEAN, .fallback = "true", .help = "false: the bodies pass through each other"},
};
static const ts_rule pair_rules[] = {{TS_RULE_EXACTLY_ONE, {"bodies", "materials", "group"}},
                                     {TS_RULE_NEEDS, {"with", "group"}}};
static const ts_section pair_section = {"a pair", TS_KEYS(pair_keys), TS_RULES(pair_rules), .base = &ts_law_section};

// ---- shapes --------------------------------------------------------------------------------------------------------

// Every kind has its key and the keys below it in a table of its own.
static const ts_rule shape_rules[] = {{TS_RULE_EXACTLY_ONE, {NULL}}};
static const ts_section shape_section = {"a shape", "SHAPE", .key_at = ts_shape_key_at, .key_count = TS_SHAPE_KINDS,
                                         TS_RULES(shape_rules)};

// Matrices in two forms, in both spaces.
#define SKIN_MATRIX(key, units, needed, value, about)                                                                  \
  {key,                                                                                                                \
   TS_VALUE_NUMBER,                                                                                                    \
   units,                                                                                                              \
   .range = TS_RANGE_NOT_NEGATIVE,                                                                                     \
   .required = needed,                                                                                                 \
   .fallback = value,                                                                                                  \
   .help = about " in all directions"},                                                                                \
      {key,                                                                                                            \
       TS_VALUE_NUMBERS,                                                                                               \
       units,                                                                                                          \
       .least = 3,                                                                                                     \
       .most = 6,                                                                                                      \
       .spaces = "3d",                                                                                                 \
       .required = needed,                                                                                             \
       .help = "nn, tt, oo, or these and nt, no, to: a matrix, n outwards, o = n x t; positive semidefinite"},         \
  {                                                                                                                    \
    key, TS_VALUE_NUMBERS, units,                                                                                      \
        .least = 2, .most = 3, .spaces = TS_PLANE, .required = needed,                                                 \
        .help = "nn, tt, or these and nt: a matrix, n outwards, t is n turned clockwise; positive semidefinite"        \
  }
static const ts_key skin_keys[] = {
    {"thickness", TS_VALUE_NUMBER, "m", .range = TS_RANGE_POSITIVE, .required = true,
     .help = "how far it can be pressed in before its rigid core is reached"},
    SKIN_MATRIX("stiffness", "N/m", true, NULL, "force per deflection"),
    SKIN_MATRIX("damping", "N s/m", false, "0", "force per rate of deflection"),
    {"direction", TS_VALUE_VECTOR, .spaces = "3d", .fallback = "x",
     .help = "what t follows, in the body's frame, where the matrices are not the same along all tangents"},
};
#undef SKIN_MATRIX
static const ts_section skin_section = {"a skin", "SKIN", TS_KEYS(skin_keys)};

static const ts_key part_keys[] = {
    {"position", TS_VALUE_VECTOR, "m", .fallback = "0", .help = "of the shape in the body's frame"},
    TS_ORIENTATION_ROWS,
    {"angle", TS_VALUE_NUMBER, "rad", .spaces = TS_PLANE, .fallback = "0", .help = "orientation in the body's frame"},
    {"material", TS_VALUE_MATERIAL, .help = "instead of the body's"},
    {"massless", TS_VALUE_BOOLEAN, .fallback = "false", .help = "does not count for mass and inertia"},
    {"skin", TS_VALUE_MAP, .section = &skin_section, .help = "instead of the body's"},
};
const ts_section ts_part_section = {"a shape of a compound", TS_KEYS(part_keys), .base = &shape_section};

// ---- joints --------------------------------------------------------------------------------------------------------

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
    {"limits", TS_VALUE_MAP, .section = &ts_limit_section, .help = "the same, or a stop on one side only"},
    {"restitution", TS_VALUE_NUMBER, .range = TS_RANGE_FRACTION, .fallback = "0", .help = "of the stops"},
    TS_JOINT_NUMBER_LIST(JOINT_NUMBER) // with their commas
    {"motor", TS_VALUE_MAP, .section = &ts_motor_section, .help = "one freedom: what drives it"},
    {"gear", TS_VALUE_MAP, .section = &ts_gear_section,
     .help = "one freedom: its coordinate is `ratio` times that of another joint, and `offset`"},
    {"gear", TS_VALUE_MAPS, .section = &ts_gear_section, .least = 1, .most = TS_MOST_GEAR_TERMS,
     .help = "the sum of several: a differential"},
    {"closes_loop", TS_VALUE_BOOLEAN, .fallback = "false",
     .help = "true: never a minimal coordinate, always a bilateral row; states where a loop is cut"},
};
static const ts_rule joint_rules[] = {{TS_RULE_NEEDS, {"restitution", "limits"}}};
static const ts_section joint_section = {"a joint", "JOINT", TS_KEYS(joint_keys), TS_RULES(joint_rules)};

static const ts_key joints_keys[] = {
    {"child", TS_VALUE_BODY, .required = true, .help = "body that is held by the joint"},
};
static const ts_section joints_section = {"a joint", TS_KEYS(joints_keys), .base = &joint_section};

// ---- bodies --------------------------------------------------------------------------------------------------------

static const char *const orientation_rule_names[] = {
    [TS_ORIENTATION_EXPONENTIAL] = "exponential", [TS_ORIENTATION_INTEGRATED] = "integrated", NULL};
static const ts_key acceleration_keys[] = {
    {"amplitude", TS_VALUE_NUMBERS, "m/s^2, rad/s^2", .least = 6, .most = 6, .spaces = "3d", .required = true,
     .help = "along x, y, z, then about x, y, z"},
    {"amplitude", TS_VALUE_NUMBERS, "m/s^2, rad/s^2", .least = 3, .most = 3, .spaces = TS_PLANE, .required = true,
     .help = "along x, y, then about z"},
    {"phase", TS_VALUE_NUMBERS, "rad", .least = 6, .most = 6, .spaces = "3d", .fallback = "0", .help = "likewise"},
    {"phase", TS_VALUE_NUMBERS, "rad", .least = 3, .most = 3, .spaces = TS_PLANE, .fallback = "0", .help = "likewise"},
    {"frequency", TS_VALUE_NUMBER, "rad/s", .range = TS_RANGE_POSITIVE, .required = true, .help = "of all axes"},
    {"orientation", TS_VALUE_CHOICE, .choices = orientation_rule_names, .fallback = "exponential",
     .help = "how angular accelerations become an orientation"},
};
static const ts_section acceleration_section = {"an acceleration", TS_KEYS(acceleration_keys)};

static const ts_key motion_keys[] = {
    {"displacement", TS_VALUE_SIGNALS, "m", .fallback = "0", .help = "added to `position`"},
    {"rotation", TS_VALUE_SIGNALS, "rad", .spaces = "3d", .fallback = "0",
     .help = "rotation vector along world axes, about the body's origin"},
    {"rotation", TS_VALUE_SIGNAL, "rad", .spaces = TS_PLANE, .fallback = "0", .help = "added to `angle`"},
    {"acceleration", TS_VALUE_MAP, .section = &acceleration_section,
     .help = "amplitude sin(frequency t + phase) on every axis; velocity and place have no drift"},
};
static const ts_rule motion_rules[] = {
    {TS_RULE_AT_MOST_ONE, {"displacement", "acceleration"}},
    {TS_RULE_AT_MOST_ONE, {"rotation", "acceleration"}},
};
static const ts_section motion_section = {"a motion", TS_KEYS(motion_keys), TS_RULES(motion_rules)};

static const char *const load_rules[] = {[TS_LOADS_AT_REST] = "rest", [TS_LOADS_BY_STATICS] = "statics", NULL};
static const ts_key support_keys[] = {
    {"points", TS_VALUE_VECTORS, "m", .least = 1, .most = TS_ANY_NUMBER,
     .help = "in the body's frame: one, or three and more; left out: a tripod at the radius of gyration"},
    {"loads", TS_VALUE_NUMBERS, .range = TS_RANGE_POSITIVE, .least = 1, .most = TS_ANY_NUMBER,
     .help = "relative to each other, made to balance the weight; left out: by statics, of at most three points"},
    {"friction", TS_VALUE_NUMBER, .range = TS_RANGE_NOT_NEGATIVE, .help = "of the plane; left out: as in `contact`"},
    {"ellipsoid", TS_VALUE_NUMBERS, .range = TS_RANGE_NOT_NEGATIVE, .least = 3, .most = 3, .fallback = "[1, 1, 0]",
     .help = "semi-axes e_t along x, e_o along y and e_r (m) for spin; one point with e_r is a limit surface"},
    {"on", TS_VALUE_BODY, .fallback = "world", .help = "fixed or kinematic body that the plane moves with"},
    {"update", TS_VALUE_CHOICE, .choices = load_rules, .fallback = "rest",
     .help = "statics: loads follow the moments of what pushes the body above the plane"},
    {"height", TS_VALUE_NUMBER, "m", .range = TS_RANGE_NOT_NEGATIVE, .fallback = "0",
     .help = "of what pushes the body, above the plane"},
    {"centre_height", TS_VALUE_NUMBER, "m", .range = TS_RANGE_NOT_NEGATIVE, .fallback = "0",
     .help = "of its centre of mass, above the plane"},
};
static const ts_rule support_rules[] = {{TS_RULE_NEEDS, {"loads", "points"}},
                                        {TS_RULE_SAME_LENGTH, {"points", "loads"}}};
static const ts_section support_section = {"a support", "SUPPORT", TS_KEYS(support_keys), TS_RULES(support_rules)};
static const char *const no_support[] = {"none", NULL};

#define BODY_KIND_NAME(name, text, help) text,
static const char *const body_kinds[] = {TS_BODY_KIND_LIST(BODY_KIND_NAME) NULL};
static const ts_key body_keys[] = {
    {"name", TS_VALUE_TEXT, .required = true, .above_zero = true, .help = "unique among bodies; not `world`"},
    {"kind", TS_VALUE_CHOICE, .choices = body_kinds, .fallback = "dynamic",
     .help = "fixed: does not move; kinematic: moves as `motion` says; dynamic: moves by Newton's laws"},
    {"shape", TS_VALUE_MAP, .section = &shape_section, .help = "its only shape, at the body's origin"},
    {"shapes", TS_VALUE_MAPS, .section = &ts_part_section, .least = 1, .most = TS_ANY_NUMBER, .help = "compound"},
    {"material", TS_VALUE_MATERIAL, .help = "of its shapes; left out: the scene's `contact` holds"},
    {"skin", TS_VALUE_MAP, .section = &skin_section,
     .help = "of its shapes: a soft layer over a rigid core (implicit-compliant); left out: they are rigid"},
    {"mass", TS_VALUE_NUMBER, "kg", .range = TS_RANGE_NOT_NEGATIVE,
     .help = "left out: `density` times volume; 0: none, a link between joints (minimal coordinates)"},
    {"density", TS_VALUE_NUMBER, "kg/m^3, 2d kg/m^2", .range = TS_RANGE_POSITIVE, .fallback = "1000",
     .help = "of its shapes"},
    {"inertia", TS_VALUE_NUMBERS, "kg m^2", .least = 3, .most = 6, .spaces = "3d",
     .help = "xx, yy, zz, or these and xy, xz, yz, about the centre of mass; left out: from the shapes"},
    {"inertia", TS_VALUE_NUMBER, "kg m^2", .range = TS_RANGE_POSITIVE, .spaces = TS_PLANE,
     .help = "about the centre of mass; left out: from the shapes"},
    {"centre", TS_VALUE_VECTOR, "m", .help = "centre of mass in the body's frame; left out: from the shapes"},
    {"rotates", TS_VALUE_BOOLEAN, .fallback = "true", .help = "false: a particle without rotation"},
    {"position", TS_VALUE_VECTOR, "m", .fallback = "0", .help = "of the origin at time 0; with a `joint`: its point"},
    TS_ORIENTATION_ROWS,
    {"angle", TS_VALUE_NUMBER, "rad", .spaces = TS_PLANE, .fallback = "0",
     .help = "orientation at time 0; with a `joint`: the parent's"},
    {"velocity", TS_VALUE_VECTOR, "m/s", .fallback = "0", .help = "of the origin at time 0"},
    {"angular_velocity", TS_VALUE_VECTOR, "rad/s", .spaces = "3d", .fallback = "0", .help = "along world axes"},
    {"angular_velocity", TS_VALUE_NUMBER, "rad/s", .spaces = TS_PLANE, .fallback = "0", .help = "at time 0"},
    {"gravity_scale", TS_VALUE_VECTOR, .spaces = "3d 2d", .fallback = "1",
     .help = "factors on the components of gravity"},
    {"gravity_scale", TS_VALUE_NUMBERS, .least = 3, .most = 3, .spaces = "2.5d", .fallback = "[1, 1, 1]",
     .help = "factors on the components of gravity; z is the one that loads supports"},
    {"motion", TS_VALUE_MAP, .section = &motion_section, .help = "kinematic: how it moves"},
    {"force", TS_VALUE_SIGNALS, "N", .fallback = "0", .help = "at the centre of mass, along world axes"},
    {"torque", TS_VALUE_SIGNALS, "N m", .spaces = "3d", .fallback = "0", .help = "along world axes"},
    {"torque", TS_VALUE_SIGNAL, "N m", .spaces = TS_PLANE, .fallback = "0", .help = "about z"},
    {"support", TS_VALUE_CHOICE, .choices = no_support, .spaces = "2.5d",
     .help = "none: something else carries it, and the plane does not rub it"},
    {"support", TS_VALUE_MAP, .section = &support_section, .spaces = "2.5d",
     .help = "points that it stands on; left out: a tripod about its centre of mass"},
    {"joint", TS_VALUE_MAP, .section = &joint_section, .help = "joint of which this body is the child"},
};
static const ts_rule body_rules[] = {
    {TS_RULE_AT_MOST_ONE, {"shape", "shapes"}},
};
static const ts_section body_section = {"a body", TS_KEYS(body_keys), TS_RULES(body_rules)};

// ---- springs, bushings and forces
// --------------------------------------------------------------------------------------------

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
static const ts_section spring_section = {"a spring", TS_KEYS(spring_keys)};

static const ts_key bushing_keys[] = {
    {"name", TS_VALUE_TEXT, .above_zero = true, .help = "for overrides"},
    {"bodies", TS_VALUE_BODIES, .least = 2, .most = 2, .required = true, .help = "two bodies, one may be `world`"},
    {"at", TS_VALUE_VECTOR, "m", .fallback = "0", .help = "its point, in the first body's frame"},
    TS_ORIENTATION_ROWS,
    {"angle", TS_VALUE_NUMBER, "rad", .spaces = TS_PLANE, .fallback = "0",
     .help = "its axes, in the first body's frame"},
    {"stiffness", TS_VALUE_VECTOR, "N/m", .range = TS_RANGE_NOT_NEGATIVE, .fallback = "0", .help = "along its axes"},
    {"damping", TS_VALUE_VECTOR, "N s/m", .range = TS_RANGE_NOT_NEGATIVE, .fallback = "0", .help = "along its axes"},
    {"angular_stiffness", TS_VALUE_VECTOR, "N m/rad", .range = TS_RANGE_NOT_NEGATIVE, .spaces = "3d", .fallback = "0",
     .help = "about its axes, on the rotation vector"},
    {"angular_stiffness", TS_VALUE_NUMBER, "N m/rad", .range = TS_RANGE_NOT_NEGATIVE, .spaces = TS_PLANE,
     .fallback = "0", .help = "about z"},
    {"angular_damping", TS_VALUE_VECTOR, "N m s/rad", .range = TS_RANGE_NOT_NEGATIVE, .spaces = "3d", .fallback = "0",
     .help = "about its axes"},
    {"angular_damping", TS_VALUE_NUMBER, "N m s/rad", .range = TS_RANGE_NOT_NEGATIVE, .spaces = TS_PLANE,
     .fallback = "0", .help = "about z"},
};
static const ts_section bushing_section = {"a bushing", TS_KEYS(bushing_keys)};

static const ts_key force_keys[] = {
    {"name", TS_VALUE_TEXT, .above_zero = true, .help = "for overrides"},
    {"body", TS_VALUE_BODY, .required = true, .help = "dynamic body that it acts on"},
    {"at", TS_VALUE_VECTOR, "m", .help = "where, in the body's frame; left out: at the centre of mass"},
    {"force", TS_VALUE_SIGNALS, "N", .fallback = "0", .help = "force"},
    {"torque", TS_VALUE_SIGNALS, "N m", .spaces = "3d", .fallback = "0", .help = "torque"},
    {"torque", TS_VALUE_SIGNAL, "N m", .spaces = TS_PLANE, .fallback = "0", .help = "torque about z"},
    {"follows", TS_VALUE_BOOLEAN, .fallback = "false", .help = "components along the body's axes, not the world's"},
};
static const ts_section force_section = {"a force", TS_KEYS(force_keys)};

// ---- scene ---------------------------------------------------------------------------------------------------------

static const ts_key output_keys[] = {
    {"interval", TS_VALUE_NUMBER, "s", .range = TS_RANGE_NOT_NEGATIVE, .fallback = "0",
     .help = "time between recorded states; 0: every step"},
};
static const ts_section output_section = {"the output", TS_KEYS(output_keys)};

static const ts_key controller_keys[] = {
    {"type", TS_VALUE_TEXT, .above_zero = true, .required = true, .help = "its name in the plug-in"},
    {"parameters", TS_VALUE_MAP, .section = &ts_parameters_section, .help = "numbers by name, as it has them"},
};
static const ts_section controller_section = {"a controller", TS_KEYS(controller_keys)};

#define SPACE_NAME(name, text) text,
static const char *const spaces[] = {TS_SPACE_LIST(SPACE_NAME) NULL};
#undef SPACE_NAME
static const ts_key scene_keys[] = {
    {"touchstone", TS_VALUE_INTEGER, .range = TS_RANGE_ONE, .required = true, .help = "version of the format"},
    {"name", TS_VALUE_TEXT, .help = "for titles"},
    {"include", TS_VALUE_TEXT, .above_zero = true, .help = "another scene file, beside this one, that is merged in"},
    {"include", TS_VALUE_TEXTS, .least = 1, .most = TS_ANY_NUMBER, .above_zero = true, .help = "several of them"},
    {"parameters", TS_VALUE_MAP, .section = &ts_declared_parameters_section,
     .help = "names for numbers, which expressions may use; a number alone stands for its `value`"},
    {"urdf", TS_VALUE_MAP, .section = &ts_urdf_section, .spaces = "3d",
     .help = "a robot, whose bodies and joints are added"},
    {"urdf", TS_VALUE_MAPS, .section = &ts_urdf_section, .least = 1, .most = TS_ANY_NUMBER, .spaces = "3d",
     .help = "several of them"},
    {"space", TS_VALUE_CHOICE, .choices = spaces, .fallback = "3d",
     .help =
         "2d: a vertical plane, x right and y up; 2.5d: on a horizontal plane, which rubs bodies at their supports"},
    {"gravity", TS_VALUE_VECTOR, "m/s^2", .spaces = "3d 2d", .fallback = "9.81 downwards",
     .help = "acceleration; down is -z, in 2d -y"},
    {"gravity", TS_VALUE_NUMBERS, "m/s^2", .least = 3, .most = 3, .spaces = "2.5d", .fallback = "[0, 0, -9.81]",
     .help = "presses bodies onto the plane: x and y are 0"},
    {"contact", TS_VALUE_MAP, .section = &ts_law_section, .help = "how bodies without a material touch"},
    {"combine", TS_VALUE_MAP, .section = &combine_section, .help = "how two materials' laws become one"},
    {"materials", TS_VALUE_MAPS, .section = &material_section, .most = TS_ANY_NUMBER,
     .help = "laws by name; what a material leaves out is as in `contact`"},
    {"pairs", TS_VALUE_MAPS, .section = &pair_section, .most = TS_ANY_NUMBER,
     .help = "laws between two bodies or materials; what a pair leaves out is as in `contact`"},
    {"bodies", TS_VALUE_MAPS, .section = &body_section, .least = 1, .most = TS_ANY_NUMBER, .required = true,
     .help = "bodies"},
    {"joints", TS_VALUE_MAPS, .section = &joints_section, .most = TS_ANY_NUMBER, .help = "joints, loop closures too"},
    {"springs", TS_VALUE_MAPS, .section = &spring_section, .most = TS_ANY_NUMBER, .help = "springs and dampers"},
    {"bushings", TS_VALUE_MAPS, .section = &bushing_section, .most = TS_ANY_NUMBER,
     .help = "springs and dampers along and about three axes"},
    {"forces", TS_VALUE_MAPS, .section = &force_section, .most = TS_ANY_NUMBER, .help = "applied forces and torques"},
    {"controllers", TS_VALUE_MAPS, .section = &controller_section, .most = TS_ANY_NUMBER,
     .help = "controllers of plug-ins, called before every step"},
    {"step", TS_VALUE_MAP, .section = &ts_step_section, .help = "how to step through time"},
    {"duration", TS_VALUE_NUMBER, "s", .range = TS_RANGE_POSITIVE, .fallback = "1", .help = "length of the run"},
    {"stop", TS_VALUE_MAPS, .section = &ts_stop_section, .most = TS_ANY_NUMBER,
     .help = "conditions that end a run before its time, the first that is met"},
    {"results", TS_VALUE_MAP, .section = &ts_results_section,
     .help = "numbers that a run yields, by name; an expression alone stands for `final`"},
    {"output", TS_VALUE_MAP, .section = &output_section, .help = "what is recorded"},
    {"allow_overlap", TS_VALUE_BOOLEAN, .fallback = "false",
     .help = "true: bodies may overlap at the start by more than a tenth of their size"},
};
const ts_section ts_scene_section = {"a scene", TS_KEYS(scene_keys)};

const ts_section *const ts_titled_sections[] = {&ts_law_section,   &shape_section,          &skin_section,
                                                &support_section,  &ts_orientation_section, &joint_section,
                                                &ts_motor_section, &ts_limit_section,       &ts_gear_section,
                                                &ts_urdf_section,  &ts_signal_section,      &ts_repeat_section};
const int ts_titled_section_count = TS_COUNT_OF(ts_titled_sections);

static const ts_key_list scene_key_list = {&ts_scene_section, ts_titled_sections, TS_COUNT_OF(ts_titled_sections)};

int ts_scene_key_count(void)
{
  return ts_key_list_count(&scene_key_list);
}

ts_scene_key ts_scene_key_at(int i)
{
  TS_REQUIRE(i >= 0 && i < ts_scene_key_count());
  return ts_key_list_at(&scene_key_list, i);
}

// ---- a scene held against it ---------------------------------------------------------------------------------------

ts_space ts_scene_space_of(const ts_node *root)
{
  const ts_node *space = root->kind == TS_NODE_MAP ? ts_node_find(root, "space") : NULL;
  if (space && space->kind == TS_NODE_SCALAR)
    for (int i = 0; i < TS_SPACE_COUNT; ++i)
      if (strcmp(space->text, spaces[i]) == 0) return (ts_space)i;
  return TS_SPACE_3D;
}

ts_status ts_scene_validate(ts_document_input *in, ts_node *root, ts_space space)
{
  return ts_document_validate(in, root, &ts_scene_section, space);
}
