// Predict recorded tosses of a cube from their first rows, and compare with the rest.
// usage: tosses SCENE [KEY=VALUE ...] -o ERRORS.csv TOSS.csv ...
// SCENE has a body `cube` and says how to step; KEY=VALUE replaces a value of it, such as contact.friction=0.15. A toss
// is a table with the columns t, qw qx qy qz, x y z, wx wy wz, vx vy vz. The error of a toss is the mean over its
// frames after the first of the distance between predicted and recorded position, in % of the cube's edge; beside it
// the mean angle between the orientations. Prints a line a toss and a summary; returns 0 when every step was certified.
#include <touchstone/touchstone.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 14, MAX_FRAMES = 10000, MAX_OVERRIDES = 32 };

typedef struct frame {
  double t;
  ts_pose pose;
  ts_twist velocity;
} frame;

typedef struct toss {
  int frames;
  frame at[MAX_FRAMES];
} toss;

typedef struct prediction {
  double position_error; // mean over the frames [% of the edge]
  double rotation_error; // mean over the frames [degrees]
  double final_error;    // position in the last frame [% of the edge]
  double residual;
  int steps, uncertified;
} prediction;

static bool parse_frame(const char *line, frame *f)
{
  double v[COLUMNS];
  for (int k = 0; k < COLUMNS; ++k) {
    char *end;
    v[k] = strtod(line, &end);
    if (end == line || !isfinite(v[k]) || (k + 1 < COLUMNS && *end != ',')) return false;
    line = end + 1;
  }
  const double norm = sqrt(v[1] * v[1] + v[2] * v[2] + v[3] * v[3] + v[4] * v[4]);
  if (fabs(norm - 1.0) > 1e-3) return false;
  *f = (frame){
      .t = v[0],
      .pose = {.position = {v[5], v[6], v[7]}, .orientation = {v[1] / norm, v[2] / norm, v[3] / norm, v[4] / norm}},
      .velocity = {.linear = {v[11], v[12], v[13]}, .angular = {v[8], v[9], v[10]}}};
  return true;
}

// The frames of a file; says what is wrong with it.
static bool read_toss(const char *path, toss *result)
{
  FILE *file = fopen(path, "r");
  if (!file) {
    fprintf(stderr, "tosses: %s cannot be opened\n", path);
    return false;
  }
  char line[1024];
  int row = 0;
  bool good = true;
  result->frames = 0;
  while (good && fgets(line, sizeof line, file)) {
    if (++row == 1) continue; // names of the columns
    good = result->frames < MAX_FRAMES && parse_frame(line, &result->at[result->frames]) &&
           (result->frames == 0 || result->at[result->frames].t > result->at[result->frames - 1].t);
    result->frames += good;
  }
  fclose(file);
  if (!good || result->frames < 2)
    fprintf(stderr, "tosses: %s:%d: this is not a row of a toss: 14 numbers, times that increase\n", path, row);
  return good && result->frames >= 2;
}

static double distance(ts_vec3 a, ts_vec3 b)
{
  return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

// Angle of the rotation from one orientation to the other [degrees]; q and -q are the same orientation.
static double angle_between(ts_quat a, ts_quat b)
{
  const double cosine = fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z);
  return 2.0 * acos(fmin(cosine, 1.0)) * 180.0 / TS_PI;
}

static ts_status step_until(ts_sim *sim, double t, prediction *p, ts_error *error)
{
  while (ts_sim_time(sim) < t - 0.5 * ts_sim_options(sim)->size) {
    const ts_status status = ts_sim_step(sim, error);
    if (status != TS_OK) return status;
    p->steps += 1;
    p->uncertified += !ts_sim_report(sim)->certified;
    p->residual = fmax(p->residual, ts_sim_report(sim)->residual);
  }
  return TS_OK;
}

static ts_status follow(ts_sim *sim, int cube, double edge, const toss *recorded, prediction *p, ts_error *error)
{
  const frame *first = &recorded->at[0];
  ts_status status = ts_sim_set_pose(sim, cube, &first->pose, error);
  if (status == TS_OK) status = ts_sim_set_velocity(sim, cube, &first->velocity, error);
  for (int k = 1; status == TS_OK && k < recorded->frames; ++k) {
    const frame *f = &recorded->at[k];
    status = step_until(sim, f->t - first->t, p, error);
    const ts_pose pose = ts_sim_pose(sim, cube);
    p->final_error = 100.0 * distance(pose.position, f->pose.position) / edge;
    p->position_error += p->final_error / (recorded->frames - 1);
    p->rotation_error += angle_between(pose.orientation, f->pose.orientation) / (recorded->frames - 1);
  }
  return status;
}

static ts_status predict(const ts_scene *scene, int cube, double edge, const toss *recorded, prediction *p,
                         ts_error *error)
{
  *p = (prediction){0};
  ts_sim *sim;
  ts_status status = ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, error);
  if (status == TS_OK) status = follow(sim, cube, edge, recorded, p, error);
  ts_sim_destroy(sim);
  return status;
}

// Edge of the box that is the shape of a body; 0 when there is none.
static double edge_of(const ts_model *model, int body)
{
  for (int part = 0; part < ts_model_part_count(model); ++part)
    if (ts_model_part_body(model, part) == body && ts_model_part_shape(model, part)->kind == TS_SHAPE_BOX)
      return ts_model_part_shape(model, part)->size.x;
  return 0.0;
}

typedef struct summary {
  int tosses, steps, uncertified;
  double sum, square_sum, rotation_sum, final_sum, worst, residual;
} summary;

static void add_to_summary(summary *s, const prediction *p)
{
  s->tosses += 1;
  s->steps += p->steps;
  s->uncertified += p->uncertified;
  s->sum += p->position_error;
  s->square_sum += p->position_error * p->position_error;
  s->rotation_sum += p->rotation_error;
  s->final_sum += p->final_error;
  s->worst = fmax(s->worst, p->position_error);
  s->residual = fmax(s->residual, p->residual);
}

static void print_summary(const summary *s)
{
  const double n = s->tosses, mean = s->sum / n;
  const double deviation = s->tosses > 1 ? sqrt(fmax(s->square_sum - n * mean * mean, 0.0) / (n - 1.0)) : 0.0;
  printf("%d tosses: mean position error %.2f %% of the edge (standard deviation %.2f, worst %.2f), in the last frame "
         "%.2f %%, mean rotation error %.2f degrees\n",
         s->tosses, mean, deviation, s->worst, s->final_sum / n, s->rotation_sum / n);
  printf("%d steps, %d uncertified, worst residual %.1e\n", s->steps, s->uncertified, s->residual);
}

// Every toss in turn, a row each in `table`. The tosses are read into `recorded`.
static bool predict_all(const ts_scene *scene, int count, char **paths, FILE *table, toss *recorded, summary *s)
{
  const ts_model *model = ts_scene_model(scene);
  const int cube = ts_model_find_body(model, "cube");
  const double edge = cube < 0 ? 0.0 : edge_of(model, cube);
  if (edge <= 0.0) {
    fprintf(stderr, "tosses: the scene has no body 'cube' that is a box\n");
    return false;
  }
  fprintf(table, "toss,position_error,rotation_error,final_error,uncertified\n");
  for (int i = 0; i < count; ++i) {
    prediction p;
    ts_error error;
    if (!read_toss(paths[i], recorded)) return false;
    if (predict(scene, cube, edge, recorded, &p, &error) != TS_OK) {
      fprintf(stderr, "tosses: %s: %s\n", paths[i], error.text);
      return false;
    }
    const char *slash = strrchr(paths[i], '/'), *name = slash ? slash + 1 : paths[i];
    printf("%-16s %6.2f %%  %6.2f deg  last frame %6.2f %%\n", name, p.position_error, p.rotation_error, p.final_error);
    fprintf(table, "%s,%.6g,%.6g,%.6g,%d\n", name, p.position_error, p.rotation_error, p.final_error, p.uncertified);
    add_to_summary(s, &p);
  }
  return true;
}

static bool run(const char *scene_path, const char *const *overrides, int override_count, const char *output, int count,
                char **paths, summary *s)
{
  ts_error error;
  ts_scene *scene;
  if (ts_scene_read(scene_path, overrides, override_count, &scene, &error) != TS_OK) {
    if (error.line > 0)
      fprintf(stderr, "tosses: %s:%d:%d: %s\n", scene_path, error.line, error.column, error.text);
    else
      fprintf(stderr, "tosses: %s: %s\n", scene_path, error.text);
    return false;
  }
  toss *recorded = malloc(sizeof *recorded);
  FILE *table = fopen(output, "w");
  if (!table) fprintf(stderr, "tosses: %s cannot be written\n", output);
  bool good = recorded && table && predict_all(scene, count, paths, table, recorded, s);
  if (table && fclose(table) != 0) good = false;
  free(recorded);
  ts_scene_destroy(scene);
  return good;
}

int main(int count, char **arguments)
{
  const char *overrides[MAX_OVERRIDES];
  int k = 2, override_count = 0;
  while (k < count && strcmp(arguments[k], "-o") != 0 && override_count < MAX_OVERRIDES)
    overrides[override_count++] = arguments[k++];
  if (k + 2 >= count || strcmp(arguments[k], "-o") != 0) {
    fprintf(stderr, "usage: tosses SCENE [KEY=VALUE ...] -o ERRORS.csv TOSS.csv ...\n");
    return 2;
  }
  summary s = {0};
  if (!run(arguments[1], overrides, override_count, arguments[k + 1], count - k - 2, arguments + k + 2, &s)) return 2;
  print_summary(&s);
  return s.uncertified == 0 ? 0 : 1;
}
