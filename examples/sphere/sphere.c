// The sphere of sphere.yaml, built in C: it slides, friction turns it, and it rolls on. When, and how fast?
#include <touchstone/touchstone.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// For a program that has nothing better to do about an error than to say so.
static void need(ts_status status, const ts_error *error)
{
  if (status == TS_OK) return;
  fprintf(stderr, "%s\n", error->text);
  exit(1);
}

static int add_body(ts_builder *builder, ts_body_def body, ts_shape shape)
{
  ts_error error;
  ts_part_def part = ts_part_def_default();
  part.shape = shape;
  need(ts_builder_add_body(builder, &body, &part.body, &error), &error);
  int number;
  need(ts_builder_add_part(builder, &part, &number, &error), &error);
  return part.body;
}

int main(void)
{
  ts_error error = {0};
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  if (!builder) return 1;
  ts_contact_law law = ts_contact_law_default();
  law.friction = 0.2;
  need(ts_builder_set_contact(builder, &law, &error), &error);

  ts_body_def floor = ts_body_def_default();
  floor.name = "floor";
  floor.kind = TS_FIXED;
  add_body(builder, floor, (ts_shape){.kind = TS_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}});

  ts_body_def body = ts_body_def_default();
  body.name = "ball";
  body.kind = TS_DYNAMIC;
  body.mass = 1.0;
  body.pose.position = (ts_vec3){0.0, 0.0, 1.0};
  body.velocity.linear = (ts_vec3){2.0, 0.0, 0.0};
  const int ball = add_body(builder, body, (ts_shape){.kind = TS_SHAPE_SPHERE, .radius = 1.0});

  ts_model *model; // constant: any number of simulations and threads may share it
  need(ts_builder_finish(builder, &model, &error), &error);
  ts_builder_destroy(builder);

  ts_sim *sim;
  ts_step_options options = ts_step_options_default();
  options.size = 1e-3;
  need(ts_sim_create(model, &options, NULL, &sim, &error), &error);
  double rolls_from = 0.0, worst = 0.0;
  while (ts_sim_time(sim) < 0.6) {
    need(ts_sim_step(sim, &error), &error);
    worst = fmax(worst, ts_sim_report(sim)->residual);
    int count;
    const ts_contact *contacts = ts_sim_contacts(sim, &count);
    if (rolls_from == 0.0 && count == 1 && contacts[0].mode == TS_ROLL) rolls_from = ts_sim_time(sim);
  }
  const double speed = ts_sim_velocity(sim, ball).linear.x;
  printf("rolls from %.3f s at %.6f m/s, worst residual %.1e\n", rolls_from, speed, worst);
  ts_sim_destroy(sim);
  ts_model_destroy(model);

  // It slides for 4/(7 mu g) = 0.2912 s, and keeps 5/7 of its speed.
  return fabs(rolls_from - 0.292) < 1e-9 && fabs(speed - 10.0 / 7.0) < 1e-6 ? 0 : 1;
}
