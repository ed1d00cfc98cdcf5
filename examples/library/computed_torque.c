// An arm of two rods is driven from hanging to a pose by computed torques: inverse dynamics make the nonlinear arm
// behave as two independent springs with critical damping, whose motion is known.
#include <touchstone/touchstone.h>

#include <math.h>
#include <stdio.h>

static const double GOAL[2] = {2.0, -1.0}, STIFFNESS = 25.0, DAMPING = 10.0; // of the errors: roots at -5/s

static ts_status add_rod(ts_builder *builder, const char *name, int parent, double hinge, ts_error *error)
{
  ts_body_def body = ts_body_def_default();
  int rod, joint;
  body.name = name;
  body.mass = 1.0;
  body.inertia[0] = 0.0;
  body.inertia[2] = 1.0 / 12.0; // a slender rod of 1 m
  body.centre = (ts_vec3){0.0, -0.5, 0.0};
  body.pose.position.y = hinge; // hanging from its hinge
  if (ts_builder_add_body(builder, &body, &rod, error) != TS_OK) return error->status;
  ts_joint_def def = ts_joint_def_default();
  def.kind = TS_JOINT_REVOLUTE;
  def.name = name;
  def.parent = parent;
  def.child = rod;
  def.at.y = parent == TS_WORLD ? 0.0 : -1.0;
  return ts_builder_add_joint(builder, &def, &joint, error);
}

// Called at the start of every step: a torque about every hinge, and its reaction on the rod before.
static void drive(void *user, ts_sim *sim, double t)
{
  ts_dynamics *dynamics = user;
  double a[2], f[2];
  (void)t;
  ts_dynamics_from_sim(dynamics, sim, NULL);
  const double *q = ts_dynamics_coordinates(dynamics), *v = ts_dynamics_rates(dynamics);
  for (int i = 0; i < 2; ++i) a[i] = STIFFNESS * (GOAL[i] - q[i]) - DAMPING * v[i];
  ts_dynamics_inverse(dynamics, a, NULL, f, NULL);
  for (int i = 0; i < 2; ++i) {
    const ts_dynamics_node node = ts_dynamics_node_at(dynamics, i);
    const ts_wrench action = {.moment.z = f[node.rate]}, reaction = {.moment.z = -f[node.rate]};
    ts_sim_push(sim, node.body, &action, NULL);
    if (node.parent != TS_WORLD) ts_sim_push(sim, node.parent, &reaction, NULL);
  }
}

int main(void)
{
  ts_error error = {0};
  ts_model *model = NULL;
  ts_sim *sim = NULL;
  ts_dynamics *dynamics = NULL;
  ts_step_options options = ts_step_options_default();
  options.coordinates = TS_COORDINATES_MINIMAL;
  ts_builder *builder = ts_builder_create(TS_SPACE_2D);
  if (!builder || add_rod(builder, "shoulder", TS_WORLD, 0.0, &error) != TS_OK ||
      add_rod(builder, "elbow", 0, -1.0, &error) != TS_OK || ts_builder_finish(builder, &model, &error) != TS_OK ||
      ts_sim_create(model, &options, NULL, &sim, &error) != TS_OK ||
      ts_dynamics_create(model, NULL, &dynamics, &error) != TS_OK) {
    fprintf(stderr, "%s\n", builder ? error.text : "memory ran out");
    return 1;
  }
  ts_sim_set_callback(sim, drive, dynamics);

  double worst = 0.0;
  while (ts_sim_time(sim) < 1.5) {
    if (ts_sim_step(sim, &error) != TS_OK) return 1;
    const double t = ts_sim_time(sim), left = (1.0 + 5.0 * t) * exp(-5.0 * t); // share of the way that is left
    for (int i = 0; i < 2; ++i) worst = fmax(worst, fabs(ts_sim_joint_position(sim, i, NULL) - GOAL[i] * (1.0 - left)));
  }
  printf("after %g s: shoulder %.4f, elbow %.4f rad; at most %.1e rad from what was computed\n", ts_sim_time(sim),
         ts_sim_joint_position(sim, 0, NULL), ts_sim_joint_position(sim, 1, NULL), worst);

  ts_dynamics_destroy(dynamics);
  ts_sim_destroy(sim);
  ts_model_destroy(model);
  ts_builder_destroy(builder);
  return worst < 20.0 * options.size ? 0 : 1; // first order in the step
}
