// Run a scene of the benchmark and measure, after every step, how far it is from what is right:
//   rolling-y, rolling-diagonal   velocities of box and balls against the closed form, squared
//   bouncing, elastic-666         energy against that at the start, squared
//   666                           penetration of balls and ground, squared and summed over the pairs
// all from positions and velocities alone, not from what the simulation says of itself.
// usage: measure TEST SCENE [RUN.h5 [DURATION]]
// Prints one line. Returns 0 when every step was certified.
#include <touchstone/touchstone.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double GRAVITY = 9.81;

static double square_of_difference(ts_vec3 a, ts_vec3 b)
{
  const double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return x * x + y * y + z * z;
}

// |v_box - a_box t|^2 + |v_ball - a_ball t|^2 along (x, y), the balls' share averaged: README.md derives the
// accelerations.
static double velocity_error(const ts_sim *sim, double x, double y)
{
  const double push = 150.0, box_mass = 10.0, balls = 25.0, ball_mass = 1.0, mu = 0.4;
  const double acceleration =
      (push - mu * (box_mass + balls * ball_mass) * GRAVITY) / (box_mass + balls * ball_mass * 2.0 / 7.0);
  const double box_speed = acceleration * ts_sim_time(sim), ball_speed = 2.0 / 7.0 * box_speed;
  const ts_model *model = ts_sim_model(sim);
  const int box = ts_model_find_body(model, "box");
  double error = square_of_difference(ts_sim_velocity(sim, box).linear, (ts_vec3){box_speed * x, box_speed * y, 0.0});
  for (int body = 0; body < ts_model_body_count(model); ++body)
    if (body != box && ts_model_body_kind(model, body) == TS_DYNAMIC)
      error += square_of_difference(ts_sim_velocity(sim, body).linear, (ts_vec3){ball_speed * x, ball_speed * y, 0.0}) /
               balls;
  return error;
}

static double velocity_error_y(const ts_sim *sim, double first_energy)
{
  (void)first_energy;
  return velocity_error(sim, 0.0, 1.0);
}

static double velocity_error_diagonal(const ts_sim *sim, double first_energy)
{
  (void)first_energy;
  return velocity_error(sim, 0.5, sqrt(0.75));
}

// Energy from positions and velocities of balls that do not turn.
static double total_energy(const ts_sim *sim)
{
  const ts_model *model = ts_sim_model(sim);
  double energy = 0.0;
  for (int body = 0; body < ts_model_body_count(model); ++body) {
    const ts_vec3 v = ts_sim_velocity(sim, body).linear;
    energy += ts_model_body_mass(model, body) *
              (0.5 * (v.x * v.x + v.y * v.y + v.z * v.z) + GRAVITY * ts_sim_pose(sim, body).position.z);
  }
  return energy;
}

static double energy_error(const ts_sim *sim, double first_energy)
{
  const double error = total_energy(sim) - first_energy;
  return error * error;
}

static double overlap_squared(double gap)
{
  return gap < 0.0 ? gap * gap : 0.0;
}

static double penetration_error(const ts_sim *sim, double first_energy)
{
  (void)first_energy;
  const double radius = 0.1;
  const ts_model *model = ts_sim_model(sim);
  double sum = 0.0;
  for (int i = 0; i < ts_model_body_count(model); ++i) {
    if (ts_model_body_kind(model, i) != TS_DYNAMIC) continue;
    const ts_vec3 at = ts_sim_pose(sim, i).position;
    sum += overlap_squared(at.z - radius);
    for (int j = 0; j < i; ++j)
      if (ts_model_body_kind(model, j) == TS_DYNAMIC)
        sum += overlap_squared(sqrt(square_of_difference(at, ts_sim_pose(sim, j).position)) - 2.0 * radius);
  }
  return sum;
}

typedef struct benchmark_test {
  const char *name, *measure;
  double (*error)(const ts_sim *sim, double first_energy);
} benchmark_test;

static const benchmark_test tests[] = {
    {"rolling-y", "velocity error squared [m^2/s^2]", velocity_error_y},
    {"rolling-diagonal", "velocity error squared [m^2/s^2]", velocity_error_diagonal},
    {"bouncing", "energy error squared [J^2]", energy_error},
    {"666", "sum of penetrations squared [m^2]", penetration_error},
    {"elastic-666", "energy error squared [J^2]", energy_error},
};

static const benchmark_test *find_test(const char *name)
{
  for (size_t i = 0; i < sizeof tests / sizeof *tests; ++i)
    if (strcmp(tests[i].name, name) == 0) return &tests[i];
  return NULL;
}

typedef struct result {
  double mean, largest; // of the measure over the steps
  double residual, seconds;
  int steps, uncertified;
} result;

// Take all steps of the scene; `recorder` may be NULL.
static ts_status run(const ts_scene *scene, ts_sim *sim, double duration, const benchmark_test *test,
                     ts_recorder *recorder, result *r, ts_error *error)
{
  const double first_energy = total_energy(sim), step = ts_scene_options(scene)->size;
  const long steps = lround(duration / step), every = lround(fmax(ts_scene_output_interval(scene) / step, 1.0));
  for (long k = 1; k <= steps; ++k) {
    ts_status status = ts_sim_step(sim, error);
    if (status == TS_OK && recorder) status = ts_recorder_add(recorder, sim, k % every == 0, error);
    if (status != TS_OK) return status;
    const double value = test->error(sim, first_energy);
    const ts_step_report *report = ts_sim_report(sim);
    r->mean += value / (double)steps;
    r->largest = fmax(r->largest, value);
    r->residual = fmax(r->residual, report->residual);
    r->seconds += report->seconds;
    r->steps += 1;
    r->uncertified += !report->certified;
  }
  return TS_OK;
}

// The run with its recorder, which is closed or thrown away.
static ts_status run_recorded(const ts_scene *scene, ts_sim *sim, double duration, const benchmark_test *test,
                              const char *path, result *r, ts_error *error)
{
  ts_recorder *recorder = NULL;
  ts_status status = TS_OK;
  if (path) status = ts_recorder_create(path, sim, ts_scene_text(scene), &recorder, error);
  if (status == TS_OK && recorder) status = ts_recorder_add(recorder, sim, true, error);
  if (status == TS_OK) status = run(scene, sim, duration, test, recorder, r, error);
  if (status == TS_OK && recorder) return ts_recorder_close(recorder, sim, error);
  ts_recorder_discard(recorder);
  return status;
}

int main(int count, char **arguments)
{
  const benchmark_test *test = count >= 3 ? find_test(arguments[1]) : NULL;
  if (!test) {
    fprintf(stderr, "usage: measure rolling-y|rolling-diagonal|bouncing|666|elastic-666 SCENE [RUN.h5 [DURATION]]\n");
    return 2;
  }
  const char *path = count > 3 && arguments[3][0] ? arguments[3] : NULL;
  ts_error error;
  ts_scene *scene = NULL;
  ts_sim *sim = NULL;
  result r = {0};
  ts_status status = ts_scene_read(arguments[2], NULL, 0, &scene, &error);
  if (status == TS_OK) status = ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error);
  if (status == TS_OK) {
    ts_sim_set_timing(sim, true);
    const double duration = count > 4 ? strtod(arguments[4], NULL) : ts_scene_duration(scene);
    status = run_recorded(scene, sim, duration, test, path, &r, &error);
  }
  if (status != TS_OK)
    fprintf(stderr, "measure: %s: %s\n", arguments[2], error.text);
  else
    printf("%s: %s mean %.3g, largest %.3g; %d steps, %d uncertified, worst residual %.1e, %.1f s\n", test->name,
           test->measure, r.mean, r.largest, r.steps, r.uncertified, r.residual, r.seconds);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
  return status == TS_OK && r.uncertified == 0 ? 0 : 1;
}
