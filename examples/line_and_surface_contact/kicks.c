// 003 scenario 2: the cylinder is given an angular impulse of 3 N m s about the vertical whenever it has stopped
// turning. When that is depends on its state, which no signal of a scene file knows: here the program looks, step by
// step. usage: kicks SCENE.yaml FILE.csv     a row a step: time, w_z, and where on its line the equivalent contact
// point is
#include <touchstone/touchstone.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

// For a program that has nothing better to do about an error than to say so.
static void need(ts_status status, const ts_error *error)
{
  if (status == TS_OK) return;
  fprintf(stderr, "kicks: %s\n", error->text);
  exit(1);
}

// The axis of the cylinder, z of its body, in the world: horizontal, as long as it lies on its line.
static ts_vec3 axis_of(ts_quat q)
{
  return (ts_vec3){2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y)};
}

// Along the line, and across it [m].
static void contact_point(const ts_sim *sim, int body, double *along, double *across)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(sim, &count);
  const ts_pose pose = ts_sim_pose(sim, body);
  const ts_vec3 axis = axis_of(pose.orientation);
  *along = *across = 0.0;
  if (count == 0) return;
  const double x = contacts[0].point.x - pose.position.x, y = contacts[0].point.y - pose.position.y;
  *along = axis.x * x + axis.y * y;
  *across = axis.y * x - axis.x * y;
}

static bool kick_if_still(ts_sim *sim, int body)
{
  ts_error error;
  const ts_wrench kick = {.moment = {0.0, 0.0, 3.0 / ts_sim_options(sim)->size}}; // for one step
  if (fabs(ts_sim_velocity(sim, body).angular.z) >= 1e-6) return false;
  need(ts_sim_push(sim, body, &kick, &error), &error);
  return true;
}

static void run(ts_sim *sim, double duration, FILE *file)
{
  ts_error error;
  const int body = ts_model_find_body(ts_sim_model(sim), "cylinder"),
            steps = (int)(duration / ts_sim_options(sim)->size + 0.5);
  int kicks = 0, uncertified = 0;
  double farthest = 0.0, off = 0.0;
  fprintf(file, "t,wz,along,across\n");
  for (int k = 0; k < steps; ++k) {
    const double t = ts_sim_time(sim);
    if (kick_if_still(sim, body) && ++kicks <= 3) printf("kick %d in the step that begins at %.2f s\n", kicks, t);
    need(ts_sim_step(sim, &error), &error);
    uncertified += !ts_sim_report(sim)->certified;
    double along, across;
    contact_point(sim, body, &along, &across);
    farthest = fmax(farthest, fabs(along));
    off = fmax(off, fabs(across));
    fprintf(file, "%.17g,%.17g,%.17g,%.17g\n", ts_sim_time(sim), ts_sim_velocity(sim, body).angular.z, along, across);
  }
  const ts_vec3 at = ts_sim_pose(sim, body).position;
  printf("%d kicks, uncertified steps %d; contact point %.5f m from the middle at most, %.0e m off the line\n", kicks,
         uncertified, farthest, off);
  printf("centre at (%.5f, %.5f, %.9f) m\n", at.x, at.y, at.z);
}

int main(int argc, char **argv)
{
  ts_error error = {0};
  ts_scene *scene;
  ts_sim *sim;
  if (argc != 3) {
    fprintf(stderr, "usage: kicks SCENE.yaml FILE.csv\n");
    return 2;
  }
  need(ts_scene_read(argv[1], NULL, 0, &scene, &error), &error);
  need(ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error), &error);
  FILE *file = fopen(argv[2], "w");
  if (!file) {
    perror(argv[2]);
    return 1;
  }
  run(sim, ts_scene_duration(scene), file);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
  return fclose(file) == 0 ? 0 : 1;
}
