// `step` of a scene.
#include "scene/build.h"

#include "scene/values.h"

static void read_cone(const ts_node *step, ts_step_options *options)
{
  const ts_node *cone = ts_scene_get(step, "cone");
  if (!cone) return;
  if (cone->kind == TS_NODE_SCALAR) {
    options->cone = (ts_cone)ts_scene_choice(step, "cone", options->cone);
    return;
  }
  const ts_node *polyhedral = ts_scene_get(cone, "polyhedral");
  options->cone = TS_CONE_POLYHEDRAL;
  options->directions = ts_scene_integer(polyhedral, "directions", options->directions);
  options->align = ts_scene_choice(polyhedral, "align", options->align) != 0; // fixed, slip
  options->direction_angle = ts_scene_number(polyhedral, "angle", options->direction_angle);
}

static void read_options(const ts_node *step, ts_step_options *o)
{
  const ts_node *method = ts_scene_get(step, "method"), *solver = ts_scene_get(step, "solver");
  if (method) o->method = ts_stepper_find(method->text);
  if (solver) o->solver = ts_solver_find(solver->text);
  o->size = ts_scene_number(step, "size", o->size);
  read_cone(step, o);
  o->tolerance = ts_scene_number(step, "tolerance", o->tolerance);
  o->max_iterations = ts_scene_integer(step, "max_iterations", o->max_iterations);
  o->warm_start = ts_scene_boolean(step, "warm_start", o->warm_start);
  o->line_search = (ts_line_search)ts_scene_choice(step, "line_search", (int)o->line_search);
  o->impulse_scale = ts_scene_number(step, "impulse_scale", o->impulse_scale);
  o->impacts = (ts_impact_law)ts_scene_choice(step, "impacts", (int)o->impacts);
  o->closing = (ts_closing)ts_scene_choice(step, "closing", (int)o->closing);
  o->rest_speed = ts_scene_number(step, "rest_speed", o->rest_speed);
  o->start = (ts_start)ts_scene_choice(step, "start", (int)o->start);
  o->stabilization = (ts_stabilization)ts_scene_choice(step, "stabilization", (int)o->stabilization);
  o->recovery_speed = ts_scene_number(step, "recovery_speed", o->recovery_speed);
  o->theta = ts_scene_number(step, "theta", o->theta);
  o->activate = (ts_activation)ts_scene_choice(step, "activate", (int)o->activate);
  o->gyroscopic = (ts_gyroscopic)ts_scene_choice(step, "gyroscopic", (int)o->gyroscopic);
  o->coordinates = (ts_coordinates)ts_scene_choice(step, "coordinates", (int)o->coordinates);
  o->arms = (ts_arms)ts_scene_choice(step, "arms", (int)o->arms);
  o->margin = ts_scene_number(step, "margin", o->margin);
  o->max_substeps = ts_scene_integer(step, "max_substeps", o->max_substeps);
}

ts_status ts_scene_read_step(ts_scene_input *in, const ts_node *root, ts_step_options *options)
{
  const ts_node *step = ts_scene_get(root, "step");
  *options = ts_step_options_default();
  if (!step) return TS_OK;
  read_options(step, options);
  return ts_scene_locate(in, step->place, ts_step_options_check(options, in->error));
}
