// Steppers by name, and the options of a step.
#include "step/stepper.h"

#include "base/require.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

enum { COOKIE = 0x57e9 };

static const ts_stepper *const steppers[] = {&ts_stepper_stewart_trinkle, &ts_stepper_velocity,
                                             &ts_stepper_event_driven};

int ts_stepper_count(void)
{
  return (int)(sizeof steppers / sizeof steppers[0]);
}

const ts_stepper *ts_stepper_at(int i)
{
  TS_REQUIRE(i >= 0 && i < ts_stepper_count());
  return steppers[i];
}

const ts_stepper *ts_stepper_find(const char *name)
{
  TS_REQUIRE(name);
  for (int i = 0; i < ts_stepper_count(); ++i)
    if (strcmp(steppers[i]->name, name) == 0) return steppers[i];
  return NULL;
}

const char *ts_stepper_name(const ts_stepper *stepper)
{
  TS_REQUIRE(stepper);
  return stepper->name;
}

const char *ts_stepper_summary(const ts_stepper *stepper)
{
  TS_REQUIRE(stepper);
  return stepper->summary;
}

// How the list's defaults become values of each type.
#define VALUE_stepper(name)        ts_stepper_find(name)
#define VALUE_solver(name)         ts_solver_find(name)
#define VALUE_double(value)        value
#define VALUE_int(value)           value
#define VALUE_bool(value)          value
#define VALUE_cone(value)          value
#define VALUE_impacts(value)       value
#define VALUE_closing(value)       value
#define VALUE_start(value)         value
#define VALUE_stabilization(value) value
#define VALUE_activation(value)    value
#define VALUE_gyroscopic(value)    value
#define VALUE_coordinates(value)   value
#define VALUE_arms(value)          value
#define VALUE_line_search(value)   value

const char *ts_impact_law_name(ts_impact_law law)
{
  static const char *const names[] = {"default", "inelastic", "newton", "poisson"};
  return (unsigned)law < sizeof names / sizeof names[0] ? names[law] : "unknown";
}

ts_step_options ts_step_options_default(void)
{
#define TS_OPTION_DEFAULT(field, type, value, unit, help) .field = VALUE_##type(value),
  return (ts_step_options){TS_STEP_OPTION_LIST(TS_OPTION_DEFAULT).cookie = COOKIE};
#undef TS_OPTION_DEFAULT
}

static bool is_power_of_two(int n)
{
  return n > 0 && (n & (n - 1)) == 0;
}

static bool is_positive(double x)
{
  return x > 0.0 && isfinite(x);
}

static ts_status check_numbers(const ts_step_options *o, ts_error *error)
{
  if (!is_positive(o->size)) return ts_fail(error, TS_INVALID, "step size is %g s, it must be positive", o->size);
  if (!(o->tolerance > 0.0 && o->tolerance < 1.0))
    return ts_fail(error, TS_INVALID, "tolerance is %g, it must lie between 0 and 1", o->tolerance);
  if (o->max_iterations < 0)
    return ts_fail(error, TS_INVALID, "max_iterations is %d, it cannot be negative", o->max_iterations);
  if (!(o->impulse_scale >= 0.0 && isfinite(o->impulse_scale)))
    return ts_fail(error, TS_INVALID, "impulse_scale is %g, it must be a finite number of at least 0",
                   o->impulse_scale);
  if (o->directions < 4 || o->directions % 2 != 0)
    return ts_fail(error, TS_INVALID, "directions is %d, it must be even and at least 4", o->directions);
  if (!isfinite(o->direction_angle))
    return ts_fail(error, TS_INVALID, "direction_angle must be a finite number of radians");
  if (!(o->rest_speed >= 0.0 && isfinite(o->rest_speed)))
    return ts_fail(error, TS_INVALID, "rest_speed is %g m/s, it must be a finite number of at least 0", o->rest_speed);
  if (!is_positive(o->recovery_speed))
    return ts_fail(error, TS_INVALID, "recovery_speed is %g m/s, it must be positive", o->recovery_speed);
  if (!(o->theta >= 0.5 && o->theta <= 1.0))
    return ts_fail(error, TS_INVALID, "theta is %g, it must lie between 0.5 and 1", o->theta);
  if (!(o->margin >= 0.0 && isfinite(o->margin)))
    return ts_fail(error, TS_INVALID, "margin is %g m, it must be a finite number of at least 0", o->margin);
  if (!is_power_of_two(o->max_substeps) || o->max_substeps > 1024)
    return ts_fail(error, TS_INVALID, "max_substeps is %d, it must be a power of 2 up to 1024", o->max_substeps);
  return TS_OK;
}

static ts_status check_enum(const char *field, unsigned value, unsigned count, ts_error *error)
{
  if (value < count) return TS_OK;
  return ts_fail(error, TS_INVALID, "%s has the unknown value %u", field, value);
}

static ts_status check_enums(const ts_step_options *o, ts_error *error)
{
  TS_TRY(check_enum("cone", (unsigned)o->cone, TS_CONE_POLYHEDRAL + 1, error));
  TS_TRY(check_enum("impacts", (unsigned)o->impacts, TS_IMPACT_POISSON + 1, error));
  TS_TRY(check_enum("closing", (unsigned)o->closing, TS_CLOSING_IMPACT + 1, error));
  TS_TRY(check_enum("start", (unsigned)o->start, TS_START_AS_GIVEN + 1, error));
  TS_TRY(check_enum("stabilization", (unsigned)o->stabilization, TS_STABILIZATION_POSITION + 1, error));
  TS_TRY(check_enum("activate", (unsigned)o->activate, TS_ACTIVATE_END + 1, error));
  TS_TRY(check_enum("line_search", (unsigned)o->line_search, TS_MONOTONE + 1, error));
  TS_TRY(check_enum("arms", (unsigned)o->arms, TS_ARMS_SURFACE + 1, error));
  TS_TRY(check_enum("coordinates", (unsigned)o->coordinates, TS_COORDINATES_MINIMAL + 1, error));
  return check_enum("gyroscopic", (unsigned)o->gyroscopic, TS_GYROSCOPIC_MIDPOINT + 1, error);
}

// A quadratic cone needs a solver of friction problems or of MCPs, a polyhedral one a solver of LCPs.
static ts_status check_solver(const ts_step_options *o, ts_error *error)
{
  const unsigned takes = ts_solver_takes(o->solver);
  if (o->cone == TS_CONE_QUADRATIC && !(takes & (TS_FRICTION | TS_MCP)))
    return ts_fail(error, TS_UNSUPPORTED,
                   "solver %s solves linear problems only, which a quadratic cone does not give; "
                   "use cone: polyhedral or another solver",
                   ts_solver_name(o->solver));
  if (o->cone == TS_CONE_POLYHEDRAL && !(takes & TS_LCP))
    return ts_fail(error, TS_UNSUPPORTED, "solver %s does not take the linear problem of a polyhedral cone",
                   ts_solver_name(o->solver));
  return TS_OK;
}

// Other steppers find contacts only once they have closed: every impact would be overlap.
static ts_status check_overlap_rule(const ts_step_options *o, ts_error *error)
{
  if (o->stabilization != TS_STABILIZATION_POSITION || o->method == &ts_stepper_stewart_trinkle) return TS_OK;
  return ts_fail(error, TS_UNSUPPORTED, "stabilization: position goes with method: stewart-trinkle");
}

ts_status ts_step_options_check(const ts_step_options *options, ts_error *error)
{
  TS_REFUSE_UNLESS(options, error);
  const ts_step_options *o = options;
  if (o->cookie != COOKIE) return ts_fail(error, TS_INVALID, "the options were not made by ts_step_options_default()");
  if (!o->method) return ts_fail(error, TS_INVALID, "the stepper is missing");
  if (!o->solver) return ts_fail(error, TS_INVALID, "the solver is missing");
  TS_TRY(check_numbers(o, error));
  TS_TRY(check_enums(o, error));
  TS_TRY(check_solver(o, error));
  TS_TRY(check_overlap_rule(o, error));
  return o->method->check ? o->method->check(o, error) : TS_OK;
}
