// Drop robots on a floor and say how well every step was solved.
// usage: drops [KEY=VALUE ...] ROBOT.urdf ...     values of the scene to replace, such as step.coordinates=minimal
// Each falls by about half its size. Prints a table with one line for each robot, or the
// sentence with which its file is refused. Returns 0 when every step was certified, 1 when some were not or a run broke
// off, 2 for bad usage.
#define _POSIX_C_SOURCE 200809L // isatty
#include <touchstone/touchstone.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_OVERRIDES = 64 };

// What replaces values of every scene. The last one is the robot's own floor.
typedef struct overrides {
  const char *texts[MOST_OVERRIDES];
  int count;
} overrides;

typedef struct result {
  double fall; // [m]
  long steps;
  int contacts, uncertified;
  double residual, penetration; // the largest
} result;

static ts_status read_robot(const char *path, const overrides *o, ts_scene **scene, ts_error *error)
{
  ts_urdf_options options = ts_urdf_options_default();
  options.base = TS_BASE_FREE;
  options.floor = true;
  return ts_urdf_read(path, &options, o->texts, o->count, scene, error);
}

// ---- size ----------------------------------------------------------------------------------------------------------

static ts_vec3 cross(ts_vec3 a, ts_vec3 b)
{
  return (ts_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// A point of a frame in the frame around it: p + c + 2 u x (u x c + w c), with the quaternion w, u.
static ts_vec3 outside(ts_pose pose, ts_vec3 c)
{
  const ts_vec3 p = pose.position, u = {pose.orientation.x, pose.orientation.y, pose.orientation.z}, once = cross(u, c);
  const double w = pose.orientation.w;
  const ts_vec3 turn = cross(u, (ts_vec3){once.x + w * c.x, once.y + w * c.y, once.z + w * c.z});
  return (ts_vec3){p.x + c.x + 2.0 * turn.x, p.y + c.y + 2.0 * turn.y, p.z + c.z + 2.0 * turn.z};
}

// A shape of the robot as a ball: its centre in the world, and its radius of gyration. The trace of an inertia is twice
// the second moment.
typedef struct ball {
  ts_vec3 centre;
  double radius;
} ball;

static ts_status ball_of(const ts_sim *sim, int part, ball *b, ts_error *error)
{
  const ts_model *model = ts_sim_model(sim);
  const ts_pose body = ts_sim_pose(sim, ts_model_part_body(model, part)), own = ts_model_part_pose(model, part);
  ts_mass_properties shape;
  const ts_status status = ts_shape_mass_properties(ts_model_part_shape(model, part), &shape, error);
  if (status != TS_OK) return status;
  const double trace = shape.inertia[0] + shape.inertia[1] + shape.inertia[2];
  b->centre = outside(body, outside(own, shape.centre));
  b->radius = shape.volume > 0.0 ? sqrt(0.5 * trace / shape.volume) : 0.0; // a point has none
  return TS_OK;
}

// How far the robot reaches from its middle.
static ts_status half_size(const ts_sim *sim, double *size, ts_error *error)
{
  const ts_model *model = ts_sim_model(sim);
  ts_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
  for (int part = 0; part < ts_model_part_count(model); ++part) {
    ball b;
    if (ts_model_body_kind(model, ts_model_part_body(model, part)) != TS_DYNAMIC) continue;
    const ts_status status = ball_of(sim, part, &b, error);
    if (status != TS_OK) return status;
    const ts_vec3 c = b.centre;
    low = (ts_vec3){fmin(low.x, c.x - b.radius), fmin(low.y, c.y - b.radius), fmin(low.z, c.z - b.radius)};
    high = (ts_vec3){fmax(high.x, c.x + b.radius), fmax(high.y, c.y + b.radius), fmax(high.z, c.z + b.radius)};
  }
  *size = 0.5 * fmax(fmax(high.x - low.x, high.y - low.y), high.z - low.z);
  return TS_OK;
}

static ts_status refuse_shapeless(ts_error *error)
{
  snprintf(error->text, sizeof error->text, "it has no shapes that move");
  return TS_INVALID;
}

static ts_status find_fall(const ts_scene *scene, double *fall, ts_error *error)
{
  ts_sim *sim;
  ts_status status = ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, error);
  if (status == TS_OK) status = half_size(sim, fall, error);
  if (status == TS_OK && !(*fall > 0.0)) status = refuse_shapeless(error);
  ts_sim_destroy(sim);
  return status;
}

// ---- drop ----------------------------------------------------------------------------------------------------------

static void show_progress(const char *name, long done, long steps)
{
  if (isatty(STDERR_FILENO) && done % 100 == 0) fprintf(stderr, "\r\033[K%s: %ld %%", name, 100 * done / steps);
}

static void hide_progress(void)
{
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
}

static ts_status drop(const ts_scene *scene, const char *name, result *r, ts_error *error)
{
  ts_sim *sim;
  const long steps = lround(ts_scene_duration(scene) / ts_scene_options(scene)->size);
  ts_status status = ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, error);
  while (status == TS_OK && r->steps < steps) {
    show_progress(name, r->steps, steps);
    status = ts_sim_step(sim, error);
    if (status != TS_OK) break;
    const ts_step_report *report = ts_sim_report(sim);
    r->steps += 1;
    r->uncertified += !report->certified;
    r->contacts = report->contacts > r->contacts ? report->contacts : r->contacts;
    r->residual = fmax(r->residual, report->residual);
    r->penetration = fmax(r->penetration, report->penetration);
  }
  hide_progress();
  ts_sim_destroy(sim);
  return status;
}

// The scene again with the floor lower by what the robot shall fall: it stands just above the plane z = 0.
static ts_status lower_floor(const char *path, overrides *o, double fall, ts_scene **scene, ts_error *error)
{
  char floor[64];
  snprintf(floor, sizeof floor, "floor.shape.plane.offset=%.6g", -fall);
  o->texts[o->count++] = floor;
  ts_scene_destroy(*scene);
  *scene = NULL;
  const ts_status status = read_robot(path, o, scene, error);
  --o->count;
  return status;
}

static const char *file_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// Whether all went well. That a file cannot be dropped is no fault of the steps.
static bool drop_file(const char *path, overrides *o)
{
  ts_scene *scene = NULL;
  ts_error error;
  result r = {0};
  const char *name = file_name(path);
  ts_status status = read_robot(path, o, &scene, &error);
  if (status == TS_OK) status = find_fall(scene, &r.fall, &error);
  if (status != TS_OK) {
    printf("%-34s refused: %s\n", name, error.text);
    ts_scene_destroy(scene);
    return status == TS_INVALID || status == TS_UNSUPPORTED;
  }
  status = lower_floor(path, o, r.fall, &scene, &error);
  if (status == TS_OK) status = drop(scene, name, &r, &error);
  const ts_urdf_summary robot = ts_scene_urdf_summary(scene);
  if (status == TS_OK)
    printf("%-34s %3d %9.4g %9.3g %7ld %8d %11d %9.1e %12.1e\n", name, robot.velocities, robot.mass, r.fall, r.steps,
           r.contacts, r.uncertified, r.residual, r.penetration);
  else
    printf("%-34s failed after %ld steps: %s\n", name, r.steps, error.text);
  fflush(stdout);
  ts_scene_destroy(scene);
  return status == TS_OK && r.uncertified == 0;
}

int main(int count, char **arguments)
{
  overrides o = {.texts = {"duration=10"}, .count = 1};
  int k = 1;
  for (; k < count && strchr(arguments[k], '=') && o.count < MOST_OVERRIDES - 1; ++k) o.texts[o.count++] = arguments[k];
  if (k == count) {
    fprintf(stderr, "usage: drops [KEY=VALUE ...] ROBOT.urdf ...\n");
    return 2;
  }
  printf("%-34s %3s %9s %9s %7s %8s %11s %9s %12s\n", "file", "nv", "mass [kg]", "fall [m]", "steps", "contacts",
         "uncertified", "residual", "penetr. [m]");
  bool good = true;
  for (; k < count; ++k) good = drop_file(arguments[k], &o) && good;
  return good ? 0 : 1;
}
