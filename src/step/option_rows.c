// Options of a step, a row each. A new one is a member of ts_step_options and a row here; one that a single stepper
// takes has its row in that stepper's file.
#include "step/options.h"

#include "step/sim.h"

// ---- words ---------------------------------------------------------------------------------------------------------

// Words stand where their enumerators say, so that neither can be moved without the other.
static const char *const cones[] = {[TS_CONE_QUADRATIC] = "quadratic", [TS_CONE_POLYHEDRAL] = "polyhedral", NULL};
static const char *const alignments[] = {
    [TS_ALIGN_FIXED] = "fixed", [TS_ALIGN_SLIP] = "slip", [TS_ALIGN_BODY] = "body", NULL};
static const char *const line_searches[] = {[TS_NONMONOTONE] = "nonmonotone", [TS_MONOTONE] = "monotone", NULL};
static const char *const impact_laws[] = {[TS_IMPACT_DEFAULT] = "default",
                                          [TS_IMPACT_INELASTIC] = "inelastic",
                                          [TS_IMPACT_NEWTON] = "newton",
                                          [TS_IMPACT_POISSON] = "poisson",
                                          NULL};
static const char *const starts[] = {[TS_START_CORRECTED] = "corrected", [TS_START_AS_GIVEN] = "as_given", NULL};
static const char *const stabilizations[] = {[TS_STABILIZATION_DEFAULT] = "default",   [TS_STABILIZATION_FULL] = "full",
                                             [TS_STABILIZATION_CAPPED] = "capped",     [TS_STABILIZATION_NONE] = "none",
                                             [TS_STABILIZATION_POSITION] = "position", NULL};
static const char *const gyroscopics[] = {[TS_GYROSCOPIC_EXPLICIT] = "explicit",
                                          [TS_GYROSCOPIC_IMPLICIT] = "implicit",
                                          [TS_GYROSCOPIC_MIDPOINT] = "midpoint",
                                          NULL};
static const char *const coordinate_kinds[] = {
    [TS_COORDINATES_REDUNDANT] = "redundant", [TS_COORDINATES_MINIMAL] = "minimal", NULL};
static const char *const arm_kinds[] = {[TS_ARMS_COMMON] = "common", [TS_ARMS_SURFACE] = "surface", NULL};
static const char *const surface_rules[] = {[TS_SURFACES_END] = "end", [TS_SURFACES_SECANT] = "secant", NULL};
static const char *const corner_rules[] = {
    [TS_CORNERS_NEAREST] = "nearest", [TS_CORNERS_EXACT] = "exact", [TS_CORNERS_CONJUNCTION] = "conjunction", NULL};

const char *ts_impact_law_name(ts_impact_law law)
{
  return (unsigned)law <= TS_IMPACT_POISSON ? impact_laws[law] : "unknown";
}

static const char *stepper_name_at(int i)
{
  return i < ts_stepper_count() ? ts_stepper_name(ts_stepper_at(i)) : NULL;
}

static const void *stepper_at(int i)
{
  return ts_stepper_at(i);
}

static const char *solver_name_at(int i)
{
  return i < ts_solver_count() ? ts_solver_name(ts_solver_at(i)) : NULL;
}

static const void *solver_at(int i)
{
  return ts_solver_at(i);
}

static const char *stepper_name(const void *stepper)
{
  return ts_stepper_name(stepper);
}

static const char *solver_name(const void *solver)
{
  return ts_solver_name(solver);
}

static const void *find_stepper(const ts_extensions *extensions, const char *name)
{
  return ts_extensions_stepper(extensions, name);
}

static const void *find_solver(const ts_extensions *extensions, const char *name)
{
  return ts_extensions_solver(extensions, name);
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static const ts_key polyhedral_rows[] = {
    {"directions", TS_VALUE_INTEGER, TS_STEP_MEMBER(directions), .range = TS_RANGE_EVEN_FROM_4, .fallback = "8",
     .help = "directions of the polyhedral cone, even, at least 4"},
    {"align", TS_VALUE_CHOICE, TS_STEP_MEMBER(align), .choices = alignments, .fallback = "slip",
     .help = "polyhedral cone: first direction against the slip, along tangent t (fixed), or along the x axis of the "
             "second body (body); quasistatic: slip is fixed"},
    {"angle", TS_VALUE_NUMBER, "rad", TS_STEP_MEMBER(direction_angle), .fallback = "0",
     .help = "polyhedral cone, fixed or body: that the first direction is turned by"},
};
static const ts_section polyhedral_section = {"a polyhedral cone", TS_KEYS(polyhedral_rows)};
static const ts_key cone_rows[] = {
    {"polyhedral", TS_VALUE_MAP, .section = &polyhedral_section, .required = true, .help = "the pyramid's details"},
};
static const ts_section cone_section = {"a cone", TS_KEYS(cone_rows)};

static const ts_key rows[] = {
    {"method", TS_VALUE_CHOICE, TS_STEP_MEMBER(method), .choice_at = stepper_name_at, .entry_at = stepper_at,
     .entry_name = stepper_name, .find = find_stepper, .fallback = "stewart-trinkle",
     .help = "time-stepper, see `touchstone list steppers`"},
    {"size", TS_VALUE_NUMBER, "s", TS_STEP_MEMBER(size), .range = TS_RANGE_POSITIVE, .fallback = "1e-3",
     .help = "length of one step"},
    {"cone", TS_VALUE_CHOICE, TS_STEP_MEMBER(cone), .choices = cones, .fallback = "quadratic",
     .help = "friction cone: quadratic or polyhedral"},
    {"cone", TS_VALUE_MAP, TS_STEP_MEMBER(cone), .choices = cones, .section = &cone_section,
     .help = "a polyhedral cone that is not the default one"},
    {"solver", TS_VALUE_CHOICE, TS_STEP_MEMBER(solver), .choice_at = solver_name_at, .entry_at = solver_at,
     .entry_name = solver_name, .find = find_solver, .fallback = "auto",
     .help = "complementarity solver, see `touchstone list solvers`"},
    {"tolerance", TS_VALUE_NUMBER, TS_STEP_MEMBER(tolerance), .range = TS_RANGE_BELOW_1, .fallback = "0",
     .help = "certificate that a step has to reach; 0: 1e-8"},
    {"accuracy", TS_VALUE_NUMBER, "m", TS_STEP_MEMBER(accuracy), .range = TS_RANGE_NOT_NEGATIVE_OR_RULE,
     .fallback = "-2",
     .help = "certify steps with gap errors up to this; 0: off; -1: automatic, 1e-5 of half the least width of the "
             "smallest body with more than 60 contacts; -2: 0 if a tolerance is given, otherwise -1"},
    {"max_iterations", TS_VALUE_INTEGER, TS_STEP_MEMBER(max_iterations), .range = TS_RANGE_NOT_NEGATIVE,
     .fallback = "0", .help = "limit of the solver (0: its own)"},
    {"warm_start", TS_VALUE_BOOLEAN, TS_STEP_MEMBER(warm_start), .fallback = "true",
     .help = "solvers begin with the impulses of the last steps"},
    {"line_search", TS_VALUE_CHOICE, TS_STEP_MEMBER(line_search), .choices = line_searches, .fallback = "nonmonotone",
     .help = "line search of fb-plm and ncp-plm: nonmonotone or monotone"},
    {"impulse_scale", TS_VALUE_NUMBER, TS_STEP_MEMBER(impulse_scale), .range = TS_RANGE_NOT_NEGATIVE, .fallback = "0",
     .help = "impulse scale of the ncp solvers (0: from W; 1: paper 000)"},
    {"impacts", TS_VALUE_CHOICE, TS_STEP_MEMBER(impacts), .choices = impact_laws, .fallback = "default",
     .help = "impact law: inelastic, newton, poisson, or default (inelastic without restitution, else newton; "
             "event-driven: poisson; implicit and compliant: inelastic alone)"},
    {"rest_speed", TS_VALUE_NUMBER, "m/s", TS_STEP_MEMBER(rest_speed), .range = TS_RANGE_NOT_NEGATIVE, .fallback = "0",
     .help = "slower approaches do not rebound"},
    {"start", TS_VALUE_CHOICE, TS_STEP_MEMBER(start), .choices = starts, .fallback = "corrected",
     .help = "overlap and broken limits at the start: corrected (taken out without velocity) or as_given"},
    {"stabilization", TS_VALUE_CHOICE, TS_STEP_MEMBER(stabilization), .choices = stabilizations, .fallback = "default",
     .help = "correction of penetration: full, capped, none, position, or default (position; velocity, event-driven: "
             "none; implicit and compliant: position alone)"},
    {"recovery_speed", TS_VALUE_NUMBER, "m/s", TS_STEP_MEMBER(recovery_speed), .range = TS_RANGE_POSITIVE,
     .fallback = "1", .help = "fastest correction of penetration when capped"},
    {"gyroscopic", TS_VALUE_CHOICE, TS_STEP_MEMBER(gyroscopic), .choices = gyroscopics, .fallback = "midpoint",
     .help = "gyroscopic term and velocity products of trees: explicit, implicit or midpoint"},
    {"coordinates", TS_VALUE_CHOICE, TS_STEP_MEMBER(coordinates), .choices = coordinate_kinds, .fallback = "redundant",
     .help = "of bodies that joints hold: redundant (joints are rows) or minimal (joints never open)"},
    {"arms", TS_VALUE_CHOICE, TS_STEP_MEMBER(arms), .choices = arm_kinds, .fallback = "common",
     .help = "contacts of overlapping bodies act at a common point midway, or at each one's surface, which a kinematic "
             "body "
             "then moves with"},
    {"surfaces", TS_VALUE_CHOICE, TS_STEP_MEMBER(surfaces), .choices = surface_rules, .fallback = "end",
     .help = "velocity of kinematic bodies' surfaces that friction sees: at the end of the step, or their way through "
             "it over its length (secant; stewart-trinkle, quasistatic)"},
    {"corners", TS_VALUE_CHOICE, TS_STEP_MEMBER(corners), .choices = corner_rules, .fallback = "nearest",
     .help = "where polygons or polyhedra may be apart along several directions: the nearest as the step begins, the "
             "one that holds at its end (exact), or all of them (conjunction, for comparison only)"},
    {"margin", TS_VALUE_NUMBER, "m", TS_STEP_MEMBER(margin), .range = TS_RANGE_NOT_NEGATIVE, .fallback = "0",
     .help = "gaps up to this are contacts (0: from speeds and step size)"},
    {"max_substeps", TS_VALUE_INTEGER, TS_STEP_MEMBER(max_substeps), .range = TS_RANGE_POWER_OF_2, .fallback = "16",
     .help = "parts that a step which is not certified may be cut into"},
    {"threads", TS_VALUE_INTEGER, TS_STEP_MEMBER(threads), .range = TS_RANGE_THREADS, .fallback = "1",
     .help = "threads that share the steps of large scenes; the results are the same to the bit"},
    {"parameters", TS_VALUE_MAP, .section = &ts_parameters_section,
     .help = "numbers by name, of a stepper from a plug-in"},
};

// Steppers with options of their own.
static const ts_section *stepper_section_at(int i)
{
  for (int k = 0; ts_steppers[k]; ++k)
    if (ts_steppers[k]->options && i-- == 0) return ts_steppers[k]->options;
  return NULL;
}

const ts_section ts_step_section = {"the step", TS_KEYS(rows), .extension_at = stepper_section_at};
