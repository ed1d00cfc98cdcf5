#include "document/foreign.h"

#include <string.h>
#include <strings.h>

#define ROLL_PITCH_YAW "'orientation: {roll_pitch_yaw: [x, y, z]}', in radians"
#define MESH_FILE      "'polytope: {file: NAME.obj}', the convex hull of a mesh"
#define IN_MATERIALS   "it belongs to 'contact' of the scene, to 'materials' or to 'pairs'"

// Of several rows for a word the first one whose key exists holds.
static const ts_foreign_word keys[] = {
    // where a body is
    {"pos", "position", NULL},
    {"xyz", "position", NULL},
    {"translation", "position", NULL},
    {"location", "position", NULL},
    {"pose", "position", "'position' and 'orientation'"},
    {"origin", "position", "'position' and 'orientation'"},
    {"transform", "position", "'position' and 'orientation'"},
    {"quat", "orientation", "'orientation: [w, x, y, z]'"},
    {"quaternion", "orientation", "'orientation: [w, x, y, z]'"},
    {"euler", "orientation", ROLL_PITCH_YAW},
    {"rpy", "orientation", ROLL_PITCH_YAW},
    {"axisangle", "orientation", "'orientation: {axis: [x, y, z], angle: radians}'"},
    {"axis_angle", "orientation", "'orientation: {axis: [x, y, z], angle: radians}'"},
    {"rotation", "orientation", NULL},
    {"rotation", "angle", NULL},
    {"orientation", "angle", NULL},
    {"theta", "angle", NULL},
    {"euler", "roll_pitch_yaw", NULL},
    {"rpy", "roll_pitch_yaw", NULL},
    {"vel", "velocity", NULL},
    {"linvel", "velocity", NULL},
    {"linear_velocity", "velocity", NULL},
    {"angvel", "angular_velocity", NULL},
    {"omega", "angular_velocity", NULL},
    {"spin", "angular_velocity", NULL},
    // what a body is
    {"geom", "shape", NULL},
    {"geometry", "shape", NULL},
    {"collision", "shape", NULL},
    {"visual", "shape", NULL},
    {"geoms", "shapes", NULL},
    {"mesh", "shape", "'shape: {polytope: {file: NAME.obj}}', the convex hull of a mesh"},
    {"type", "kind", NULL},
    {"static", "kind", "'kind: fixed'"},
    {"fixed", "kind", "'kind: fixed'"},
    {"dynamic", "kind", "'kind: dynamic'"},
    {"kinematic", "kind", "'kind: kinematic'"},
    {"com", "centre", NULL},
    {"center", "centre", NULL},
    {"center_of_mass", "centre", NULL},
    {"inertial", "inertia", "'mass', 'inertia' and 'centre'"},
    {"m", "mass", NULL},
    {"rho", "density", NULL},
    {"friction", "material", IN_MATERIALS},
    {"mu", "material", IN_MATERIALS},
    {"restitution", "material", IN_MATERIALS},
    // shapes
    {"mesh", "polytope", MESH_FILE},
    {"trimesh", "polytope", MESH_FILE},
    {"convex", "polytope", NULL},
    {"hull", "polytope", NULL},
    {"polyhedron", "polytope", NULL},
    {"cube", "box", NULL},
    {"cuboid", "box", NULL},
    {"rectangle", "box", NULL},
    {"ball", "sphere", NULL},
    {"sphere", "disc", NULL},
    {"circle", "disc", NULL},
    {"ground", "plane", NULL},
    {"halfspace", "plane", NULL},
    {"half_space", "plane", NULL},
    {"size", "radius", NULL},
    {"r", "radius", NULL},
    {"diameter", "radius", "'radius', which is half of it"},
    {"height", "length", NULL},
    {"h", "length", NULL},
    {"half_height", "length", "'length', which is twice of it"},
    {"half_length", "length", "'length', which is twice of it"},
    {"half_extents", "size", "'size', the full edge lengths"},
    {"half_size", "size", "'size', the full edge lengths"},
    {"extents", "size", NULL},
    {"dimensions", "size", NULL},
    {"edges", "size", NULL},
    {"height", "size", "'size', the full edge lengths"},
    {"radius", "semi_axes", NULL},
    {"radii", "semi_axes", NULL},
    {"size", "semi_axes", NULL},
    {"filename", "file", NULL},
    {"uri", "file", NULL},
    {"path", "file", NULL},
    {"mesh", "file", NULL},
    {"points", "vertices", NULL},
    {"distance", "offset", NULL},
    // contact
    {"mu", "friction", NULL},
    {"friction_coefficient", "friction", NULL},
    {"coefficient_of_friction", "friction", NULL},
    {"static_friction", "friction", NULL},
    {"dynamic_friction", "friction", NULL},
    {"e", "restitution", NULL},
    {"bounce", "restitution", NULL},
    {"bounciness", "restitution", NULL},
    {"elasticity", "restitution", NULL},
    {"mu", "contact", "'contact: {friction: ...}'"},
    {"friction", "contact", "'contact: {friction: ...}'"},
    {"friction_coefficient", "contact", "'contact: {friction: ...}'"},
    {"restitution", "contact", "'contact: {restitution: ...}'"},
    // joints
    {"kind", "type", NULL},
    {"anchor", "at", NULL},
    {"pivot", "at", NULL},
    {"origin", "at", NULL},
    {"point", "at", NULL},
    {"range", "limits", NULL},
    {"limit", "limits", NULL},
    {"lower", "limits", "'limits: {lower: ...}'"},
    {"upper", "limits", "'limits: {upper: ...}'"},
    {"min", "lower", NULL},
    {"max", "upper", NULL},
    {"actuator", "motor", NULL},
    {"drive", "motor", NULL},
    {"servo", "motor", "'motor: {servo: {target: ..., stiffness: ...}}'"},
    {"stiffness", "motor", "'motor: {servo: {target: ..., stiffness: ...}}'"},
    {"torque", "force", NULL},
    {"effort", "max_force", NULL},
    {"max_torque", "max_force", NULL},
    {"kp", "stiffness", NULL},
    {"kd", "damping", NULL},
    {"kv", "damping", NULL},
    {"gain", "stiffness", NULL},
    {"link", "child", NULL},
    {"body", "child", NULL},
    // springs, signals
    {"k", "stiffness", NULL},
    {"c", "damping", NULL},
    {"rest_length", "length", NULL},
    {"l0", "length", NULL},
    {"omega", "frequency", NULL},
    {"freq", "frequency", "'frequency', in rad/s"},
    {"hz", "frequency", "'frequency', in rad/s"},
    {"value", "constant", NULL},
    {"knots", "times", NULL},
    // time
    {"dt", "size", NULL},
    {"h", "size", NULL},
    {"timestep", "size", NULL},
    {"time_step", "size", NULL},
    {"step_size", "size", NULL},
    {"dt", "step", "'step: {size: ...}'"},
    {"h", "step", "'step: {size: ...}'"},
    {"timestep", "step", "'step: {size: ...}'"},
    {"time_step", "step", "'step: {size: ...}'"},
    {"step_size", "step", "'step: {size: ...}'"},
    {"integrator", "method", NULL},
    {"stepper", "method", NULL},
    {"integrator", "step", "'step: {method: ...}'"},
    {"stepper", "step", "'step: {method: ...}'"},
    {"method", "step", "'step: {method: ...}'"},
    {"solver", "step", "'step: {solver: ...}'"},
    {"option", "step", NULL},
    {"options", "step", NULL},
    {"tol", "tolerance", NULL},
    {"iterations", "max_iterations", NULL},
    {"max_iter", "max_iterations", NULL},
    {"restitution", "impacts", "'impacts: newton' or 'impacts: poisson'; the coefficient is in 'contact'"},
    {"time", "duration", NULL},
    {"t_end", "duration", NULL},
    {"end", "duration", NULL},
    {"end_time", "duration", NULL},
    {"tfinal", "duration", NULL},
    {"t_final", "duration", NULL},
    {"sim_time", "duration", NULL},
    {"dt", "interval", NULL},
    {"every", "interval", NULL},
    // the scene
    {"world", "bodies", NULL},
    {"worldbody", "bodies", NULL},
    {"links", "bodies", NULL},
    {"objects", "bodies", NULL},
    {"body", "bodies", NULL},
    {"g", "gravity", NULL},
    {"title", "name", NULL},
    {"id", "name", NULL},
    {"version", "touchstone", NULL},
    {"robot", "urdf", NULL},
    {"robots", "urdf", NULL},
    {"dimension", "space", NULL},
    {"record", "output", NULL},
};

// Choices: joints, kinds of bodies, methods.
static const ts_foreign_word choices[] = {
    {"hinge", "revolute", NULL},
    {"continuous", "revolute", NULL},
    {"pin", "revolute", NULL},
    {"slide", "prismatic", NULL},
    {"slider", "prismatic", NULL},
    {"linear", "prismatic", NULL},
    {"ball", "spherical", NULL},
    {"weld", "fixed", NULL},
    {"rigid", "fixed", NULL},
    {"static", "fixed", NULL},
    {"free", "dynamic", NULL},
    {"movable", "dynamic", NULL},
    {"animated", "kinematic", NULL},
    {"time-stepping", "stewart-trinkle", NULL},
    {"anitescu-potra", "velocity", NULL},
    {"moreau-jean", "velocity", NULL},
    {"elastic", "newton", NULL},
    {"pyramid", "polyhedral", NULL},
    {"pyramidal", "polyhedral", NULL},
    {"linear", "polyhedral", NULL},
    {"elliptic", "quadratic", NULL},
    {"circular", "quadratic", NULL},
    {"generalized", "minimal", NULL},
    {"reduced", "minimal", NULL},
    {"maximal", "redundant", NULL},
};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static bool has_key(const ts_section *section, ts_space space, const char *name)
{
  for (int i = 0; i < ts_section_key_count(section); ++i) {
    const ts_key *key = ts_section_key_at(section, i);
    if (strcmp(key->name, name) == 0 && ts_key_is_in(key, space)) return true;
  }
  return false;
}

const ts_foreign_word *ts_foreign_key(const char *word, const ts_section *section, ts_space space)
{
  for (size_t i = 0; i < COUNT_OF(keys); ++i)
    if (strcasecmp(keys[i].word, word) == 0 && has_key(section, space, keys[i].ours)) return &keys[i];
  return NULL;
}

const char *ts_foreign_choice(const char *word, const ts_key *key)
{
  const char *choice;
  for (size_t i = 0; i < COUNT_OF(choices); ++i) {
    if (strcasecmp(choices[i].word, word) != 0) continue;
    for (int k = 0; (choice = ts_key_choice(key, k)) != NULL; ++k)
      if (strcmp(choice, choices[i].ours) == 0) return choice;
  }
  return NULL;
}
