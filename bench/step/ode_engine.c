#include "engine.h"

#include "math/vec3.h"

#include <ode/ode.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNED, PYRAMID, QUICK };

enum { MAX_POINTS = 8 }; // of a pair: ODE finds at most 8 between boxes

typedef struct ode_world {
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  int variant;
  double step_size, friction, restitution;
  int body_count, contact_count;
  dBodyID *bodies;
  int complaints;
  const scene_body *described; // the scene outlives the world
} ode_world;

// The world that is stepping: ODE hands its messages ("LCP internal error") to a function that is told nothing else.
static ode_world *stepping;

static void count_message(int number, const char *format, va_list arguments)
{
  (void)number;
  (void)format;
  (void)arguments;
  if (stepping) ++stepping->complaints;
}

static ts_vec3 from_ode(const dReal *v)
{
  return ts_vec3_make(v[0], v[1], v[2]);
}

static ts_vec3 velocity_at(dBodyID body, const dReal *point)
{
  dVector3 v = {0.0, 0.0, 0.0};
  if (body) dBodyGetPointVel(body, point[0], point[1], point[2], v);
  return from_ode(v);
}

// ODE's friction pyramid is right along its axes: turn the first one into the slip, where there is any to speak of.
static void align(dContact *contact, dBodyID first, dBodyID second)
{
  const ts_vec3 n = from_ode(contact->geom.normal);
  const ts_vec3 v = ts_sub(velocity_at(first, contact->geom.pos), velocity_at(second, contact->geom.pos));
  const ts_vec3 slip = ts_add_scaled(v, -ts_dot(v, n), n);
  if (ts_length(slip) < 1e-9) return;
  const ts_vec3 t = ts_normalize(slip, n);
  contact->surface.mode |= dContactFDir1;
  contact->fdir1[0] = t.x;
  contact->fdir1[1] = t.y;
  contact->fdir1[2] = t.z;
}

static void touch(void *data, dGeomID first, dGeomID second)
{
  ode_world *w = data;
  const dBodyID body_1 = dGeomGetBody(first), body_2 = dGeomGetBody(second);
  if (!body_1 && !body_2) return;
  if (body_1 && body_2 && dAreConnectedExcluding(body_1, body_2, dJointTypeContact)) return;
  dContact contacts[MAX_POINTS];
  const int count = dCollide(first, second, MAX_POINTS, &contacts[0].geom, sizeof *contacts);
  for (int i = 0; i < count; ++i) {
    contacts[i].surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = w->friction};
    if (w->restitution > 0.0) {
      contacts[i].surface.mode |= dContactBounce;
      contacts[i].surface.bounce = w->restitution;
      contacts[i].surface.bounce_vel = 0.05;
    }
    if (w->variant == ALIGNED) align(&contacts[i], body_1, body_2);
    dJointAttach(dJointCreateContact(w->world, w->contacts, &contacts[i]), body_1, body_2);
  }
  w->contact_count += count;
}

static dGeomID shape_of(const scene_body *body, dSpaceID space)
{
  switch (body->shape) {
  case BODY_BOX:
    return dCreateBox(space, body->size.x, body->size.y, body->size.z);
  case BODY_CAPSULE:
    return dCreateCapsule(space, body->radius, body->length);
  default:
    return dCreateSphere(space, body->radius);
  }
}

static dBodyID add_body(ode_world *w, const scene_body *body)
{
  const dBodyID added = dBodyCreate(w->world);
  const ts_vec3 inertia = scene_body_inertia(body), p = body->pose.position;
  const ts_quat q = body->pose.orientation;
  dMass mass;
  dMassSetParameters(&mass, body->mass, 0.0, 0.0, 0.0, inertia.x, inertia.y, inertia.z, 0.0, 0.0, 0.0);
  dBodySetMass(added, &mass);
  dBodySetPosition(added, p.x, p.y, p.z);
  dBodySetQuaternion(added, (dQuaternion){q.w, q.x, q.y, q.z});
  dBodySetLinearVel(added, body->velocity.x, body->velocity.y, body->velocity.z);
  dBodySetAngularVel(added, body->turning.x, body->turning.y, body->turning.z);
  dGeomSetBody(shape_of(body, w->space), added);
  if (body->guided) {
    const dJointID guide = dJointCreateSlider(w->world, 0);
    dJointAttach(guide, added, 0);
    dJointSetSliderAxis(guide, body->guide.x, body->guide.y, body->guide.z);
  }
  return added;
}

// To the body before it, or to the world.
static void add_hinge(ode_world *w, int number)
{
  const scene_body *body = &w->described[number];
  const dJointID hinge = dJointCreateHinge(w->world, 0);
  dJointAttach(hinge, w->bodies[number], number > 0 ? w->bodies[number - 1] : 0);
  dJointSetHingeAnchor(hinge, body->hinge.x, body->hinge.y, body->hinge.z);
  dJointSetHingeAxis(hinge, body->axis.x, body->axis.y, body->axis.z);
}

static void *create(const scene *s, int variant)
{
  dInitODE2(0); // may be called again; stays until the program ends, for other worlds' sake
  dSetMessageHandler(count_message);
  ode_world *w = calloc(1, sizeof *w);
  *w = (ode_world){.world = dWorldCreate(),
                   .space = s->body_count > 20 ? dSweepAndPruneSpaceCreate(0, dSAP_AXES_XYZ) : dSimpleSpaceCreate(0),
                   .contacts = dJointGroupCreate(0),
                   .variant = variant,
                   .step_size = s->step_size,
                   .friction = s->friction,
                   .restitution = s->restitution,
                   .body_count = s->body_count,
                   .bodies = calloc((size_t)s->body_count, sizeof *w->bodies),
                   .described = s->bodies};
  dWorldSetGravity(w->world, 0.0, 0.0, -s->gravity);
  for (int i = 0; i < s->plane_count; ++i) {
    const ts_vec3 n = s->planes[i].normal;
    dCreatePlane(w->space, n.x, n.y, n.z, s->planes[i].offset);
  }
  for (int i = 0; i < s->body_count; ++i) {
    w->bodies[i] = add_body(w, &s->bodies[i]);
    if (s->bodies[i].hinged) add_hinge(w, i);
  }
  return w;
}

static void step(void *opaque)
{
  ode_world *w = opaque;
  stepping = w;
  w->contact_count = 0;
  dSpaceCollide(w->space, w, touch);
  for (int i = 0; i < w->body_count; ++i) {
    const ts_vec3 f = w->described[i].force;
    dBodyAddForce(w->bodies[i], f.x, f.y, f.z);
  }
  if (w->variant == QUICK)
    dWorldQuickStep(w->world, w->step_size);
  else
    dWorldStep(w->world, w->step_size);
  dJointGroupEmpty(w->contacts);
}

static void state(void *opaque, int body, ts_pose *pose, ts_twist *velocity)
{
  const ode_world *w = opaque;
  const dReal *q = dBodyGetQuaternion(w->bodies[body]);
  *pose = (ts_pose){from_ode(dBodyGetPosition(w->bodies[body])), {q[0], q[1], q[2], q[3]}};
  *velocity = (ts_twist){from_ode(dBodyGetLinearVel(w->bodies[body])), from_ode(dBodyGetAngularVel(w->bodies[body]))};
}

static int contact_count(void *opaque)
{
  const ode_world *w = opaque;
  return w->contact_count;
}

static int failed_steps(void *opaque)
{
  const ode_world *w = opaque;
  return w->complaints;
}

static void destroy(void *opaque)
{
  ode_world *w = opaque;
  dJointGroupDestroy(w->contacts);
  dSpaceDestroy(w->space);
  dWorldDestroy(w->world);
  free(w->bodies);
  free(w);
}

#define ODE_FUNCTIONS                                                                                                  \
  .create = create, .step = step, .state = state, .contact_count = contact_count, .failed_steps = failed_steps,        \
  .destroy = destroy

const engine *ode_engine(int i)
{
  static const engine settings[] = {
      {.name = "ode aligned",
       .settings = "ODE, double: dWorldStep, friction pyramid proportional to the load, first axis along the slip",
       .variant = ALIGNED,
       .max_bodies = 20,
       ODE_FUNCTIONS},
      {.name = "ode exact",
       .settings = "ODE, double: dWorldStep, friction pyramid proportional to the load, ODE's own axes",
       .variant = PYRAMID,
       .max_bodies = 20,
       ODE_FUNCTIONS},
      {.name = "ode quick",
       .settings = "ODE, double: dWorldQuickStep, 20 iterations, friction pyramid proportional to the load",
       .variant = QUICK,
       ODE_FUNCTIONS}};
  return i < (int)(sizeof settings / sizeof *settings) ? &settings[i] : NULL;
}

const engine *ode_chain_engine(int i)
{
  static const engine settings[] = {
      {.name = "ode exact",
       .settings = "ODE, double: dWorldStep, redundant coordinates, friction pyramid, bounce e",
       .variant = PYRAMID,
       .max_bodies = 100,
       ODE_FUNCTIONS},
      {.name = "ode quick",
       .settings = "ODE, double: dWorldQuickStep, 20 iterations, else the same",
       .variant = QUICK,
       .max_bodies = 400,
       ODE_FUNCTIONS}};
  return i < (int)(sizeof settings / sizeof *settings) ? &settings[i] : NULL;
}
