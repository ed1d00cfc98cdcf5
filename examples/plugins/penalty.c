// A stepper of one's own: semi-implicit Euler with springs and dampers in the place of contact impulses, what most
// simulators did before complementarity. A contact pushes with stiffness times depth and damping times approach, and
// rubs with at most mu times that against its slip. Nothing is solved: contacts give way, and how far depends on
// numbers that somebody has to choose.
#include <touchstone/extension.h>

#include <math.h>

enum { STIFFNESS, DAMPING, SLIP_SPEED, PARAMETERS };

static const ts_parameter parameters[PARAMETERS] = {
    [STIFFNESS] = {"stiffness", 1e5, 1.0, 1e9, "N/m", "force of a contact for every metre of depth"},
    [DAMPING] = {"damping", 1e3, 0.0, 1e7, "N s/m", "force for every metre per second of approach"},
    [SLIP_SPEED] = {"slip_speed", 1e-3, 1e-9, 1.0, "m/s", "slips below this rub with less than all of the friction"},
};

// Drives of limited force and stops would need a solver.
static ts_status check(void *user, const ts_model *model, const double *values, ts_error *error)
{
  (void)user, (void)values;
  for (int j = 0; j < ts_model_joint_count(model); ++j) {
    const ts_joint_def joint = ts_model_joint(model, j);
    if (joint.limited || joint.friction > 0.0 || joint.motor.kind != TS_MOTOR_NONE)
      return ts_fail(error, TS_UNSUPPORTED, "joint '%s': penalty takes no limits, motors or dry friction", joint.name);
  }
  return TS_OK;
}

static bool step(void *user, ts_stepping *stepping)
{
  (void)user;
  int count;
  const ts_contact *contacts = ts_stepping_contacts(stepping, &count);
  const ts_friction *problem = &ts_stepping_problem(stepping)->friction;
  const double h = ts_stepping_size(stepping), *p = ts_stepping_parameters(stepping);
  double *r = ts_stepping_impulses(stepping), *deepest = ts_stepping_numbers(stepping);
  const int d = problem->dimension;
  for (int i = 0; i < count; ++i) {
    const double *u = problem->q + i * d; // relative velocity without contacts: n, t, o
    const double gap = contacts[i].gap + h * u[0], force = -p[STIFFNESS] * gap - p[DAMPING] * u[0];
    if (gap >= 0.0 || force <= 0.0) continue;
    double slip = 0.0;
    for (int k = 1; k < d && k < 3; ++k) slip += u[k] * u[k];
    slip = sqrt(slip);
    const double rub = contacts[i].friction * h * force / fmax(slip, p[SLIP_SPEED]);
    r[i * d] = h * force;
    for (int k = 1; k < d && k < 3; ++k) r[i * d + k] = -rub * u[k];
    deepest[0] = fmax(deepest[0], -gap);
  }
  return true;
}

static ts_status add(ts_extensions *extensions, ts_error *error)
{
  static const ts_stepper_def def = {.name = "penalty",
                                     .summary = "semi-implicit Euler with springs and dampers at contacts",
                                     .parameters = parameters,
                                     .parameter_count = PARAMETERS,
                                     .number_count = 1, // the deepest contact so far
                                     .check = check,
                                     .step = step};
  return ts_extensions_add_stepper(extensions, &def, error);
}

TS_API const ts_plugin touchstone_plugin = {TS_EXTENSION_INTERFACE, "penalty", add};
