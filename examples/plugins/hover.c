// A controller of one's own: a proportional-integral-derivative law that holds a body at a height. What it has summed
// up is kept in checkpoints, so that a run that is resumed goes on to the last bit.
#include <touchstone/extension.h>

#include <math.h>

enum { BODY, HEIGHT, PROPORTIONAL, INTEGRAL, DERIVATIVE, LARGEST, PARAMETERS };

static const ts_parameter parameters[PARAMETERS] = {
    [BODY] = {"body", 0.0, 0.0, 1e6, "", "number of the body in the scene, from 0"},
    [HEIGHT] = {"height", 1.0, -1e3, 1e3, "m", "of its frame above z = 0"},
    [PROPORTIONAL] = {"kp", 40.0, 0.0, 1e6, "N/m", "force for every metre that is missing"},
    [INTEGRAL] = {"ki", 30.0, 0.0, 1e6, "N/(m s)", "the same, a second"},
    [DERIVATIVE] = {"kd", 15.0, 0.0, 1e6, "N s/m", "against every metre per second"},
    [LARGEST] = {"largest", 1e3, 0.0, 1e6, "N", "force, either way"},
};

static ts_status check(void *user, const ts_model *model, const double *p, ts_error *error)
{
  (void)user;
  if (p[BODY] == floor(p[BODY]) && p[BODY] < ts_model_body_count(model)) return TS_OK;
  return ts_fail(error, TS_INVALID, "hover: there is no body %g", p[BODY]);
}

static void control(void *user, const ts_control *c)
{
  (void)user;
  const double *p = c->parameters;
  const int body = (int)p[BODY];
  const double missing = p[HEIGHT] - ts_sim_pose(c->sim, body).position.z;
  const double force =
      p[PROPORTIONAL] * missing + p[INTEGRAL] * c->numbers[0] - p[DERIVATIVE] * ts_sim_velocity(c->sim, body).linear.z;
  const bool too_much = fabs(force) > p[LARGEST];
  const ts_wrench push = {.force.z = too_much ? copysign(p[LARGEST], force) : force};
  if (!too_much) c->numbers[0] += c->size * missing; // what cannot act is not summed up
  ts_sim_push(c->sim, body, &push, NULL);
}

static ts_status add(ts_extensions *extensions, ts_error *error)
{
  static const ts_controller_def def = {.name = "hover",
                                        .summary = "holds a body at a height (PID)",
                                        .parameters = parameters,
                                        .parameter_count = PARAMETERS,
                                        .number_count = 1, // the integral
                                        .check = check,
                                        .control = control};
  return ts_extensions_add_controller(extensions, &def, error);
}

TS_API const ts_plugin touchstone_plugin = {TS_EXTENSION_INTERFACE, "hover", add};
