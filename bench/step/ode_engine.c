#include "engine.h"

#include "math/vec3.h"

#include <ode/ode.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNED, PYRAMID, QUICK };

enum { MAX_POINTS = 8 }; // of a pair: ODE finds at most 8 between boxes

// A contact whose force is asked for
typedef struct watched_contact {
  dJointID joint;
  dJointFeedback feedback; // on the bodies of the joint [N, N m]
  engine_contact contact;  // all but the impulse
  bool second;             // body_1 is the second one of the joint: one that is joined to the world alone comes first
} watched_contact;

typedef struct ode_world {
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  int variant;
  double step_size, friction, restitution;
  int body_count, contact_count;
  dBodyID *bodies;
  int complaints;
  const scene *described;           // outlives the world
  dBodyID obstacles[MAX_OBSTACLES]; // those that move
  int steps;                        // taken
  bool watching;                    // the contacts of this step are kept
  int watched_count, watched_room;
  watched_contact *watched;
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

// The number that a geometry carries: of a body, or as engine_contact has it
static int number_of(dGeomID geometry)
{
  return (int)(intptr_t)dGeomGetData(geometry);
}

static void set_number(dGeomID geometry, int number)
{
  dGeomSetData(geometry, (void *)(intptr_t)number);
}

static ts_vec3 arm_of(const ode_world *w, int number, ts_vec3 point)
{
  if (number == ENGINE_PLANE) return (ts_vec3){0.0, 0.0, 0.0};
  const ts_vec3 from = number >= 0 ? from_ode(dBodyGetPosition(w->bodies[number]))
                                   : w->described->obstacles[ENGINE_OBSTACLE - number].pivot;
  return ts_sub(point, from);
}

// ODE's normals point into the first geometry.
static void keep(ode_world *w, dJointID joint, const dContactGeom *geometry)
{
  if (w->watched_count == w->watched_room) {
    w->watched_room = 2 * w->watched_room + 256;
    w->watched = realloc(w->watched, (size_t)w->watched_room * sizeof *w->watched);
    if (!w->watched) {
      fprintf(stderr, "bench: out of memory\n");
      exit(EXIT_FAILURE);
    }
  }
  const int first = number_of(geometry->g1), second = number_of(geometry->g2);
  const bool turned = first < 0;
  const ts_vec3 normal = from_ode(geometry->normal), point = from_ode(geometry->pos);
  engine_contact contact = {.body_1 = turned ? second : first,
                            .body_2 = turned ? first : second,
                            .normal = turned ? ts_negate(normal) : normal,
                            .gap = -geometry->depth};
  contact.arm_1 = arm_of(w, contact.body_1, point);
  contact.arm_2 = arm_of(w, contact.body_2, point);
  w->watched[w->watched_count++] =
      (watched_contact){.joint = joint, .contact = contact, .second = turned && dGeomGetBody(geometry->g1)};
}

static void touch(void *data, dGeomID first, dGeomID second)
{
  ode_world *w = data;
  const dBodyID body_1 = dGeomGetBody(first), body_2 = dGeomGetBody(second);
  if (number_of(first) < 0 && number_of(second) < 0) return;
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
    const dJointID joint = dJointCreateContact(w->world, w->contacts, &contacts[i]);
    dJointAttach(joint, body_1, body_2);
    if (w->watching) keep(w, joint, &contacts[i].geom);
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
  case BODY_CYLINDER:
    return dCreateCylinder(space, body->radius, body->length);
  default:
    return dCreateSphere(space, body->radius);
  }
}

static dBodyID add_body(ode_world *w, int number)
{
  const scene_body *body = &w->described->bodies[number];
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
  const dGeomID shape = shape_of(body, w->space);
  dGeomSetBody(shape, added);
  set_number(shape, number);
  if (body->guided) {
    const dJointID guide = dJointCreateSlider(w->world, 0);
    dJointAttach(guide, added, 0);
    dJointSetSliderAxis(guide, body->guide.x, body->guide.y, body->guide.z);
  }
  return added;
}

// To the body before it
static void add_link(ode_world *w, int number)
{
  const ts_vec3 at = w->described->bodies[number].hinge;
  const dJointID link = dJointCreateBall(w->world, 0);
  dJointAttach(link, w->bodies[number], w->bodies[number - 1]);
  dJointSetBallAnchor(link, at.x, at.y, at.z);
}

// To the body before it, or to the world.
static void add_hinge(ode_world *w, int number)
{
  const scene_body *body = &w->described->bodies[number];
  const dJointID hinge = dJointCreateHinge(w->world, 0);
  dJointAttach(hinge, w->bodies[number], number > 0 ? w->bodies[number - 1] : 0);
  dJointSetHingeAnchor(hinge, body->hinge.x, body->hinge.y, body->hinge.z);
  dJointSetHingeAxis(hinge, body->axis.x, body->axis.y, body->axis.z);
}

static void add_obstacle(ode_world *w, int number)
{
  const scene_obstacle *o = &w->described->obstacles[number];
  const ts_quat q = o->pose.orientation;
  const dGeomID shape = dCreateBox(w->space, o->size.x, o->size.y, o->size.z);
  set_number(shape, ENGINE_OBSTACLE - number);
  if (scene_obstacle_moves(o)) {
    w->obstacles[number] = dBodyCreate(w->world);
    dBodySetKinematic(w->obstacles[number]);
    dGeomSetBody(shape, w->obstacles[number]);
  } else {
    dGeomSetPosition(shape, o->pose.position.x, o->pose.position.y, o->pose.position.z);
    dGeomSetQuaternion(shape, (dQuaternion){q.w, q.x, q.y, q.z});
  }
}

// To where they are at the start of the step
static void move_obstacles(ode_world *w)
{
  for (int i = 0; i < w->described->obstacle_count; ++i) {
    const dBodyID body = w->obstacles[i];
    if (!body) continue;
    const double time = w->steps * w->step_size;
    const ts_pose pose = scene_obstacle_pose(&w->described->obstacles[i], time);
    const ts_twist twist = scene_obstacle_twist(&w->described->obstacles[i], time);
    const ts_quat q = pose.orientation;
    dBodySetPosition(body, pose.position.x, pose.position.y, pose.position.z);
    dBodySetQuaternion(body, (dQuaternion){q.w, q.x, q.y, q.z});
    dBodySetLinearVel(body, twist.linear.x, twist.linear.y, twist.linear.z);
    dBodySetAngularVel(body, twist.angular.x, twist.angular.y, twist.angular.z);
  }
}

static void *create(const scene *s, int variant)
{
  dInitODE2(0); // may be called again; stays until the program ends, for other worlds' sake
  dSetMessageHandler(count_message);
  dRandSetSeed(1); // of the order in which quick steps go through rows: a run does not depend on those before it
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
                   .described = s};
  dWorldSetGravity(w->world, 0.0, 0.0, -s->gravity);
  for (int i = 0; i < s->plane_count; ++i) {
    const ts_vec3 n = s->planes[i].normal;
    set_number(dCreatePlane(w->space, n.x, n.y, n.z, s->planes[i].offset), ENGINE_PLANE);
  }
  for (int i = 0; i < s->obstacle_count; ++i) add_obstacle(w, i);
  for (int i = 0; i < s->body_count; ++i) {
    w->bodies[i] = add_body(w, i);
    if (s->bodies[i].hinged) add_hinge(w, i);
    if (s->bodies[i].linked) add_link(w, i);
  }
  return w;
}

static void step(void *opaque)
{
  ode_world *w = opaque;
  stepping = w;
  w->contact_count = w->watched_count = 0;
  move_obstacles(w);
  dSpaceCollide(w->space, w, touch);
  for (int i = 0; i < w->watched_count; ++i) dJointSetFeedback(w->watched[i].joint, &w->watched[i].feedback);
  for (int i = 0; i < w->body_count; ++i) {
    const ts_vec3 f = w->described->bodies[i].force;
    dBodyAddForce(w->bodies[i], f.x, f.y, f.z);
  }
  if (w->variant == QUICK)
    dWorldQuickStep(w->world, w->step_size);
  else
    dWorldStep(w->world, w->step_size);
  dJointGroupEmpty(w->contacts);
  w->watching = false;
  ++w->steps;
}

static void watch(void *opaque)
{
  ode_world *w = opaque;
  w->watching = true;
}

static int contacts(void *opaque, engine_contact *list, int room)
{
  const ode_world *w = opaque;
  for (int i = 0; i < w->watched_count && i < room; ++i) {
    const watched_contact *c = &w->watched[i];
    list[i] = c->contact;
    list[i].impulse = ts_scale(w->step_size, from_ode(c->second ? c->feedback.f2 : c->feedback.f1));
  }
  return w->watched_count;
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
  free(w->watched);
  free(w->bodies);
  free(w);
}

#define ODE_FUNCTIONS                                                                                                  \
  .furnishes = true, .create = create, .step = step, .state = state, .contact_count = contact_count,                   \
  .failed_steps = failed_steps, .destroy = destroy, .watch = watch, .contacts = contacts

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
