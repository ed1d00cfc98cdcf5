#include "engine.h"

#include "math/vec3.h"

#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT, ACCURATE };

enum { LARGEST_FOR_NEWTON = 20 }; // bodies
enum { LONGEST_CHAIN = 90 };      // MuJoCo's reader of XML goes no deeper

typedef struct mujoco_world {
  mjModel *model;
  mjData *data;
} mujoco_world;

// Text that grows: MuJoCo takes its models as XML only.
typedef struct text {
  char *bytes;
  size_t length, room;
} text;

static void append(text *t, const char *format, ...)
{
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (t->length + (size_t)length + 1 > t->room) {
    t->room = 2 * t->room + sizeof line;
    t->bytes = realloc(t->bytes, t->room);
  }
  memcpy(t->bytes + t->length, line, (size_t)length + 1);
  t->length += (size_t)length;
}

static void append_shape(text *t, const scene_body *body)
{
  const ts_vec3 d = ts_scale(0.5, body->size);
  switch (body->shape) {
  case BODY_BOX:
    append(t, "<geom type='box' size='%.17g %.17g %.17g'", d.x, d.y, d.z);
    break;
  case BODY_CAPSULE:
    append(t, "<geom type='capsule' size='%.17g %.17g'", body->radius, 0.5 * body->length);
    break;
  case BODY_CYLINDER:
    append(t, "<geom type='cylinder' size='%.17g %.17g'", body->radius, 0.5 * body->length);
    break;
  default:
    append(t, "<geom type='sphere' size='%.17g'", body->radius);
    break;
  }
  append(t, " mass='%.17g'/>\n", body->mass);
}

// Position relative to `origin`, that of the body it hangs on. The element stays open.
static void append_body(text *t, const scene_body *body, ts_vec3 origin)
{
  const ts_vec3 p = ts_sub(body->pose.position, origin), at = ts_sub(body->hinge, body->pose.position);
  const ts_vec3 axis = body->hinged ? body->axis : body->guide;
  const ts_quat q = body->pose.orientation;
  append(t, "<body pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>\n", p.x, p.y, p.z, q.w, q.x, q.y, q.z);
  if (body->hinged)
    append(t, "<joint type='hinge' pos='%.17g %.17g %.17g' axis='%.17g %.17g %.17g'/>\n", at.x, at.y, at.z, axis.x,
           axis.y, axis.z);
  else if (body->guided)
    append(t, "<joint type='slide' axis='%.17g %.17g %.17g'/>\n", axis.x, axis.y, axis.z);
  else
    append(t, "<freejoint/>\n");
  append_shape(t, body);
}

// Hinged bodies lie inside the one before them. Bodies of chains begin with the orientation of the world.
static void append_bodies(text *t, const scene *s)
{
  int open = 0;
  for (int i = 0; i < s->body_count; ++i) {
    const scene_body *body = &s->bodies[i];
    const bool inside = body->hinged && i > 0;
    for (; open > 0 && !inside; --open) append(t, "</body>\n");
    append_body(t, body, inside ? s->bodies[i - 1].pose.position : ts_vec3_make(0.0, 0.0, 0.0));
    ++open;
  }
  for (; open > 0; --open) append(t, "</body>\n");
}

static bool is_chain(const scene *s)
{
  return s->bodies[0].hinged;
}

static void append_options(text *t, const scene *s, int variant)
{
  const double h = s->step_size;
  append(t, "<option timestep='%.17g' gravity='0 0 %.17g'", h, -s->gravity);
  // MuJoCo's Newton solver factors a dense Hessian; conjugate gradients are its own advice for large scenes.
  append(t, s->body_count <= LARGEST_FOR_NEWTON || is_chain(s) ? "" : " solver='CG'");
  if (variant == ACCURATE && is_chain(s)) append(t, " integrator='RK4'");
  if (variant == ACCURATE) append(t, " cone='elliptic' impratio='10' iterations='200' tolerance='1e-14'");
  append(t, "/>\n<default><geom condim='3' friction='%.17g 0 0'", s->friction);
  // The stiffest contact that MuJoCo lets through, a time constant of two steps; damped twice as much as critically,
  // and of an impedance at which the tower still stands (at 0.999 it falls)
  if (variant == ACCURATE) append(t, " solref='%.17g 2' solimp='0.99 0.99 0.001'", 2.0 * h);
  append(t, "/></default>\n");
}

static text describe(const scene *s, int variant)
{
  text t = {0};
  const int crowd = is_chain(s) ? 0 : s->body_count; // few spheres of a chain touch at a time
  append(&t, "<mujoco>\n<size njmax='%d' nconmax='%d'/>\n", 16 * crowd + 500, 5 * crowd + 100);
  append_options(&t, s, variant);
  append(&t, "<worldbody>\n");
  for (int i = 0; i < s->plane_count; ++i) {
    const ts_vec3 n = s->planes[i].normal, p = ts_scale(s->planes[i].offset, n);
    append(&t, "<geom type='plane' size='0 0 1' pos='%.17g %.17g %.17g' zaxis='%.17g %.17g %.17g'/>\n", p.x, p.y, p.z,
           n.x, n.y, n.z);
  }
  append_bodies(&t, s);
  append(&t, "</worldbody>\n</mujoco>\n");
  return t;
}

static mjModel *load(const text *description)
{
  static const char file[] = "scene.xml";
  char message[500] = "no reason given";
  mjVFS *files = malloc(sizeof *files);
  mj_defaultVFS(files);
  mj_makeEmptyFileVFS(files, file, (int)description->length);
  memcpy(files->filedata[mj_findFileVFS(files, file)], description->bytes, description->length);
  mjModel *model = mj_loadXML(file, files, message, sizeof message);
  mj_deleteVFS(files);
  free(files);
  if (!model) {
    fprintf(stderr, "bench_step: MuJoCo: %s\n", message);
    exit(EXIT_FAILURE);
  }
  return model;
}

static void *create(const scene *s, int variant)
{
  mujoco_world *world = malloc(sizeof *world);
  text description = describe(s, variant);
  world->model = load(&description);
  free(description.bytes);
  world->data = mj_makeData(world->model);
  for (int i = 0; i < s->body_count; ++i) {
    const scene_body *body = &s->bodies[i];
    const double f[3] = {body->force.x, body->force.y, body->force.z};
    const ts_vec3 w = ts_quat_rotate(ts_quat_conjugate(body->pose.orientation), body->turning); // along its own axes
    const double v[6] = {body->velocity.x, body->velocity.y, body->velocity.z, w.x, w.y, w.z};
    memcpy(world->data->xfrc_applied + 6 * (i + 1), f, sizeof f); // body 0 is the world
    double *rates = world->data->qvel + world->model->body_dofadr[i + 1];
    if (body->hinged)
      rates[0] = scene_hinge_rate(s, i);
    else if (!body->guided)
      memcpy(rates, v, sizeof v);
  }
  return world;
}

static void step(void *opaque)
{
  mujoco_world *world = opaque;
  mj_step(world->model, world->data);
}

// Positions of bodies are those at the start of the step until kinematics are computed again.
static void state(void *opaque, int body, ts_pose *pose, ts_twist *velocity)
{
  const mujoco_world *world = opaque;
  const mjData *d = world->data;
  if (body == 0) {
    mj_kinematics(world->model, world->data);
    mj_comPos(world->model, world->data);
    mj_comVel(world->model, world->data);
  }
  const double *p = d->xpos + 3 * (body + 1), *q = d->xquat + 4 * (body + 1);
  double v[6]; // angular, then linear, world axes
  mj_objectVelocity(world->model, d, mjOBJ_BODY, body + 1, v, 0);
  *pose = (ts_pose){{p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}};
  *velocity = (ts_twist){{v[3], v[4], v[5]}, {v[0], v[1], v[2]}};
}

static int contact_count(void *opaque)
{
  const mujoco_world *world = opaque;
  return world->data->ncon;
}

static void destroy(void *opaque)
{
  mujoco_world *world = opaque;
  mj_deleteData(world->data);
  mj_deleteModel(world->model);
  free(world);
}

#define MUJOCO_FUNCTIONS                                                                                               \
  .create = create, .step = step, .state = state, .contact_count = contact_count, .destroy = destroy

const engine *mujoco_engine(int i)
{
  static const engine settings[] = {
      {.name = "mujoco default",
       .settings = "MuJoCo, double: its defaults, Newton, pyramidal cone (piles: CG)",
       .variant = DEFAULT,
       .max_bodies = 300,
       MUJOCO_FUNCTIONS},
      {.name = "mujoco accurate",
       .settings = "MuJoCo, double: elliptic cone, Newton to 1e-14, impratio 10, solref 2h 2, solimp 0.99",
       .variant = ACCURATE,
       .max_bodies = LARGEST_FOR_NEWTON,
       MUJOCO_FUNCTIONS}};
  return i < (int)(sizeof settings / sizeof *settings) ? &settings[i] : NULL;
}

const engine *mujoco_chain_engine(int i)
{
  static const engine settings[] = {
      {.name = "mujoco default",
       .settings = "MuJoCo, double: its defaults, Newton, pyramidal cone, Euler, no restitution",
       .variant = DEFAULT,
       .max_bodies = LONGEST_CHAIN,
       MUJOCO_FUNCTIONS},
      {.name = "mujoco accurate",
       .settings = "MuJoCo, double: elliptic cone, Newton to 1e-14, impratio 10, solref 2h 2, solimp 0.99, RK4",
       .variant = ACCURATE,
       .max_bodies = LONGEST_CHAIN,
       MUJOCO_FUNCTIONS}};
  return i < (int)(sizeof settings / sizeof *settings) ? &settings[i] : NULL;
}
