#include "predict.h"

#include <touchstone/touchstone.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OVERRIDES = 10, TEXT = 9000, PATH_POINTS = 80 };
static const double LEG = 150.0, ROD = 3.0; // of the triangle; radius of the finger in push.yaml [mm]

// Values of the scene that a push replaces, "key=value" each.
typedef struct overrides {
  int count;
  char text[OVERRIDES][TEXT];
  size_t used;
} overrides;

static void begin(overrides *o)
{
  o->used = 0;
  o->text[o->count++][0] = '\0';
}

static void add(overrides *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(overrides *o, const char *format, ...)
{
  char *text = o->text[o->count - 1];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text + o->used, TEXT - o->used, format, arguments);
  va_end(arguments);
  if (length > 0) o->used += (size_t)length < TEXT - o->used ? (size_t)length : TEXT - o->used - 1;
}

// The rod touches where it is ROD from the outline; that it seems to touch at another distance is taken off the
// outline.
static void add_outline(overrides *o, double offset)
{
  const double out = 1e-3 * (offset - ROD), far = 1e-3 * LEG + (1.0 + sqrt(2.0)) * out;
  begin(o);
  add(o, "triangle.shape={polygon: {vertices: [[%.17g, %.17g], [%.17g, %.17g], [%.17g, %.17g]]}}", -out, -out, far,
      -out, -out, far);
}

static void add_supports(overrides *o, const folder *f)
{
  begin(o);
  add(o, "triangle.support.points=");
  for (int i = 0; i < f->supports; ++i)
    add(o, "%c[%.17g, %.17g]", i == 0 ? '[' : ',', 1e-3 * f->support[i][0], 1e-3 * f->support[i][1]);
  add(o, "]");
  if (!f->is_patch) return;
  begin(o);
  add(o, "triangle.support.loads=");
  for (int i = 0; i < f->supports; ++i) add(o, "%c1", i == 0 ? '[' : ',');
  add(o, "]");
}

// Where the recorded finger is at a time [mm]; after its end it goes on as it came.
static double path_at(const push *p, double t, bool y)
{
  const double end = p->finger[p->samples - 1].t;
  if (t > end) return 2.0 * path_at(p, end, y) - path_at(p, 2.0 * end - t, y);
  int k = 0;
  while (k + 2 < p->samples && p->finger[k + 1].t < t) ++k;
  const double part = (t - p->finger[k].t) / (p->finger[k + 1].t - p->finger[k].t);
  const double a = y ? p->finger[k].y : p->finger[k].x, b = y ? p->finger[k + 1].y : p->finger[k + 1].x;
  return a + part * (b - a);
}

// The path at PATH_POINTS + 1 times, since its digits are tenths of a millimetre and samples are closer than that. One
// of them is after the end, so that the finger has a velocity in the last step.
static void add_path(overrides *o, const push *p)
{
  const double start = p->finger[0].t, duration = p->finger[p->samples - 1].t - start;
  begin(o);
  add(o, "finger.position=[0, 0]");
  begin(o);
  add(o, "finger.motion={displacement: [");
  for (int y = 0; y < 2; ++y) {
    add(o, "{table: {times: [");
    for (int k = 0; k <= PATH_POINTS + 1; ++k) add(o, "%s%.9g", k ? "," : "", duration * k / PATH_POINTS);
    add(o, "], values: [");
    for (int k = 0; k <= PATH_POINTS + 1; ++k)
      add(o, "%s%.9g", k ? "," : "", 1e-3 * path_at(p, start + duration * k / PATH_POINTS, y));
    add(o, "]}}%s", y ? "]}" : ", ");
  }
}

static void describe(const assumption *a, const folder *f, const push *p, overrides *o)
{
  o->count = 0;
  add_outline(o, a->offset);
  add_supports(o, f);
  add_path(o, p);
  begin(o);
  add(o, "triangle.position=[%.17g, %.17g]", 1e-3 * p->before.x, 1e-3 * p->before.y);
  begin(o);
  add(o, "triangle.angle=%.17g", p->before.angle);
  begin(o);
  add(o, "contact.friction=%.17g", a->friction);
  begin(o);
  add(o, "triangle.support.friction=%.17g", a->surface);
  begin(o);
  add(o, "step={method: %s, cone: quadratic, size: %.17g}", a->dynamic ? "stewart-trinkle" : "quasistatic",
      (p->finger[p->samples - 1].t - p->finger[0].t) / a->steps);
}

static double finger_force(const ts_sim *sim, int finger)
{
  int count;
  double x = 0.0, y = 0.0;
  const ts_contact *contacts = ts_sim_contacts(sim, &count);
  for (int i = 0; i < count; ++i)
    if (contacts[i].body_2 == finger) {
      const ts_wrench wrench = ts_sim_contact_wrench(sim, i);
      x += wrench.force.x;
      y += wrench.force.y;
    }
  return hypot(x, y) / ts_sim_options(sim)->size;
}

static ts_status follow(ts_sim *sim, const assumption *a, const push *p, prediction *result, ts_error *error)
{
  const double h = ts_sim_options(sim)->size, end = p->finger[p->samples - 1].t - p->finger[0].t;
  const int triangle = ts_model_find_body(ts_sim_model(sim), "triangle");
  const int finger = ts_model_find_body(ts_sim_model(sim), "finger");
  int counted = 0;
  for (int k = 1; k <= a->steps; ++k) {
    const ts_status status = ts_sim_step(sim, error);
    if (status != TS_OK) return status;
    result->uncertified += !ts_sim_report(sim)->certified;
    result->not_unique += !a->dynamic && !ts_sim_report(sim)->unique;
    if (k * h < end - 2.0) continue;
    result->force += finger_force(sim, finger);
    counted += 1;
  }
  if (counted > 0) result->force /= counted;
  const ts_pose pose_now = ts_sim_pose(sim, triangle);
  result->after = (pose){1e3 * pose_now.position.x, 1e3 * pose_now.position.y, ts_sim_angle(sim, triangle)};
  return TS_OK;
}

bool predict(const assumption *a, const folder *f, const push *p, prediction *result)
{
  static const prediction none;
  overrides *o = malloc(sizeof *o);
  const char *texts[OVERRIDES];
  ts_error error = {.text = "memory ran out"};
  ts_scene *scene = NULL;
  ts_sim *sim = NULL;
  *result = none;
  ts_status status = TS_OUT_OF_MEMORY;
  if (o) {
    describe(a, f, p, o);
    for (int k = 0; k < o->count; ++k) texts[k] = o->text[k];
    status = ts_scene_read(a->scene, texts, o->count, &scene, &error);
  }
  if (status == TS_OK) status = ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error);
  if (status == TS_OK) status = follow(sim, a, p, result, &error);
  if (status != TS_OK)
    fprintf(stderr, "pushes: %s, push %d, %s:%d:%d: %s\n", f->name, (int)(p - f->push), a->scene, error.line,
            error.column, error.text);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
  free(o);
  return status == TS_OK;
}

void centre_of(const pose *p, double *x, double *y)
{
  const double c = LEG / 3.0 * cos(p->angle), s = LEG / 3.0 * sin(p->angle);
  *x = p->x + c - s;
  *y = p->y + s + c;
}

difference difference_of(const pose *a, const pose *b)
{
  double ax, ay, bx, by;
  centre_of(a, &ax, &ay);
  centre_of(b, &bx, &by);
  return (difference){.centre = hypot(ax - bx, ay - by),
                      .corner = hypot(a->x - b->x, a->y - b->y),
                      .angle = fabs(remainder(a->angle - b->angle, 2.0 * TS_PI))};
}

double combined(const difference *d)
{
  return d->centre + 70.7 * d->angle;
}
