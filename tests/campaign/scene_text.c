// Scene files of the campaign: flow maps, one entry per line, numbers with all their digits.
#include "scene.h"

#include "math/vec3.h"

#include <math.h>

static const char *const STEPPERS[CAMPAIGN_STEPPERS] = {"stewart-trinkle",    "velocity",    "event-driven", "implicit",
                                                        "implicit-compliant", "quasistatic", "compliant"};

const char *campaign_stepper_name(campaign_stepper stepper)
{
  return STEPPERS[stepper];
}

double campaign_friction(const campaign_scene *scene, int first, int second)
{
  return sqrt(scene->friction[scene->bodies[first].material] * scene->friction[scene->bodies[second].material]);
}

bool campaign_collides(const campaign_scene *scene, int first, int second)
{
  const campaign_body *a = &scene->bodies[first], *b = &scene->bodies[second];
  if (a->kind != TS_DYNAMIC && b->kind != TS_DYNAMIC) return false;
  return !scene->ghosts && a->linkage != b->linkage;
}

// ---- numbers -------------------------------------------------------------------------------------------------------

static void write_vector(FILE *file, const char *key, ts_vec3 v, bool planar)
{
  if (planar)
    fprintf(file, ", %s: [%.17g, %.17g]", key, v.x, v.y);
  else
    fprintf(file, ", %s: [%.17g, %.17g, %.17g]", key, v.x, v.y, v.z);
}

static void write_number(FILE *file, const char *key, double value)
{
  if (value != 0.0) fprintf(file, ", %s: %.17g", key, value);
}

static void write_quaternion(FILE *file, ts_quat q)
{
  fprintf(file, ", orientation: [%.17g, %.17g, %.17g, %.17g]", q.w, q.x, q.y, q.z);
}

static void write_name(FILE *file, int body)
{
  if (body == TS_WORLD)
    fprintf(file, "world");
  else
    fprintf(file, "b%d", body);
}

// ---- bodies --------------------------------------------------------------------------------------------------------

static void write_corners(FILE *file, const ts_shape *shape, bool planar)
{
  fprintf(file, "vertices: [");
  for (int i = 0; i < shape->vertex_count; ++i) {
    const ts_vec3 v = shape->vertices[i];
    fprintf(file, planar ? "%s[%.17g, %.17g]" : "%s[%.17g, %.17g, %.17g]", i > 0 ? ", " : "", v.x, v.y, v.z);
  }
  fprintf(file, "]");
}

static void write_axes(FILE *file, const char *key, ts_vec3 v, bool planar)
{
  fprintf(file, planar ? "%s: [%.17g, %.17g]" : "%s: [%.17g, %.17g, %.17g]", key, v.x, v.y, v.z);
}

static void write_shape(FILE *file, const ts_shape *s, bool planar)
{
  switch (s->kind) {
  case TS_SHAPE_PLANE:
    fprintf(file, "plane: {");
    write_axes(file, "normal", s->normal, planar);
    fprintf(file, ", offset: %.17g}", s->offset);
    break;
  case TS_SHAPE_SPHERE:
    fprintf(file, "sphere: {radius: %.17g}", s->radius);
    break;
  case TS_SHAPE_DISC:
    fprintf(file, "disc: {radius: %.17g}", s->radius);
    break;
  case TS_SHAPE_CAPSULE:
    fprintf(file, "capsule: {radius: %.17g, length: %.17g}", s->radius, s->length);
    break;
  case TS_SHAPE_CYLINDER:
    fprintf(file, "cylinder: {radius: %.17g, length: %.17g}", s->radius, s->length);
    break;
  case TS_SHAPE_CONE:
    fprintf(file, "cone: {radius: %.17g, top_radius: %.17g, length: %.17g}", s->radius, s->top_radius, s->length);
    break;
  case TS_SHAPE_BOX:
    fprintf(file, "box: {");
    write_axes(file, "size", s->size, planar);
    fprintf(file, "}");
    break;
  case TS_SHAPE_ELLIPSOID:
    fprintf(file, "ellipsoid: {");
    write_axes(file, "semi_axes", s->size, false);
    fprintf(file, "}");
    break;
  case TS_SHAPE_SUPERELLIPSOID:
  case TS_SHAPE_SUPERELLIPSE:
    fprintf(file, "%s: {", planar ? "superellipse" : "superellipsoid");
    write_axes(file, "semi_axes", s->size, planar);
    fprintf(file, ", ");
    write_axes(file, "exponents", s->exponents, planar);
    fprintf(file, "}");
    break;
  default:
    fprintf(file, planar ? "polygon: {" : "polytope: {");
    write_corners(file, s, planar);
    fprintf(file, "}");
    break;
  }
}

static void write_parts(FILE *file, const campaign_body *body, bool planar, const char *mesh_folder)
{
  fprintf(file, ", shapes: [");
  for (int k = 0; k < body->part_count; ++k) {
    const campaign_part *part = &body->parts[k];
    fprintf(file, k > 0 ? ", {" : "{");
    if (part->mesh)
      fprintf(file, "polytope: {file: \"%s/%s\", scale: %.17g, convex: parts}", mesh_folder, part->mesh,
              part->shape.length);
    else
      write_shape(file, &part->shape, planar);
    write_vector(file, "position", part->pose.position, planar);
    if (!planar) write_quaternion(file, part->pose.orientation);
    fprintf(file, "}");
  }
  fprintf(file, "]");
}

static void write_motion(FILE *file, const campaign_body *body, bool planar)
{
  const double sway[3] = {body->sway.x, body->sway.y, body->sway.z};
  const double drift[3] = {body->drift.x, body->drift.y, body->drift.z};
  fprintf(file, ", motion: {displacement: [");
  for (int k = 0; k < (planar ? 2 : 3); ++k)
    fprintf(file, "%s{sum: [{sine: {amplitude: %.17g, frequency: %.17g}}, {polynomial: [0, %.17g]}]}",
            k > 0 ? ", " : "", sway[k], body->frequency > 0.0 ? body->frequency : 1.0, drift[k]);
  fprintf(file, "]}");
}

static void write_dynamics(FILE *file, const campaign_scene *s, const campaign_body *body)
{
  const bool planar = campaign_is_planar(s);
  fprintf(file, ", mass: %.17g", body->mass);
  if (planar)
    fprintf(file, ", inertia: %.17g, angular_velocity: %.17g", body->inertia.z, body->velocity.angular.z);
  else
    write_vector(file, "inertia", body->inertia, false);
  write_vector(file, "centre", body->centre, planar);
  write_vector(file, "velocity", body->velocity.linear, planar);
  if (!planar) write_vector(file, "angular_velocity", body->velocity.angular, false);
  if (s->space != TS_SPACE_2_5D) return;
  const double r = 0.5 * body->reach;
  if (body->supported)
    fprintf(file, ", support: {points: [[%.17g, 0], [%.17g, %.17g], [%.17g, %.17g]], friction: %.17g}", r, -0.5 * r,
            0.8 * r, -0.5 * r, -0.8 * r, s->support_friction);
  else
    fprintf(file, ", support: none");
}

static void write_body(FILE *file, const campaign_scene *s, int b, const char *mesh_folder)
{
  static const char *const kinds[] = {"fixed", "kinematic", "dynamic"};
  const campaign_body *body = &s->bodies[b];
  const bool planar = campaign_is_planar(s);
  fprintf(file, "  - {name: b%d, kind: %s, material: m%d", b, kinds[body->kind], body->material);
  write_vector(file, "position", body->pose.position, planar);
  if (planar)
    write_number(file, "angle", body->angle);
  else
    write_quaternion(file, body->pose.orientation);
  write_parts(file, body, planar, mesh_folder);
  if (body->skin > 0.0)
    fprintf(file, ", skin: {thickness: %.17g, stiffness: %.17g, damping: %.17g}", body->skin, body->skin_stiffness,
            body->skin_damping);
  if (body->kind == TS_KINEMATIC) write_motion(file, body, planar);
  if (body->kind == TS_DYNAMIC) write_dynamics(file, s, body);
  fprintf(file, "}\n");
}

// ---- joints and loads ----------------------------------------------------------------------------------------------

static void write_target(FILE *file, const campaign_joint *j)
{
  fprintf(file, "{sine: {offset: %.17g, amplitude: %.17g, frequency: %.17g}}", j->target, j->sway, j->frequency);
}

static void write_motor(FILE *file, const campaign_joint *j)
{
  if (j->motor == TS_MOTOR_NONE) return;
  fprintf(file, ", motor: {%s: ",
          j->motor == TS_MOTOR_FORCE      ? "force"
          : j->motor == TS_MOTOR_VELOCITY ? "velocity"
                                          : "servo");
  if (j->motor != TS_MOTOR_FORCE) fprintf(file, "{target: ");
  write_target(file, j);
  if (j->motor == TS_MOTOR_SERVO) {
    write_number(file, "stiffness", j->stiffness);
    write_number(file, "damping", j->motor_damping);
  }
  if (j->motor != TS_MOTOR_FORCE && isfinite(j->max_force)) write_number(file, "max_force", j->max_force);
  fprintf(file, j->motor == TS_MOTOR_FORCE ? "}" : "}}");
}

static void write_joint(FILE *file, const campaign_scene *s, int k)
{
  const campaign_joint *j = &s->joints[k];
  const bool planar = campaign_is_planar(s), has_axis = j->kind != TS_JOINT_SPHERICAL && j->kind != TS_JOINT_WELD;
  fprintf(file, "  - {name: j%d, type: %s, parent: ", k, ts_joint_kind_name(j->kind));
  write_name(file, j->parent);
  fprintf(file, ", child: b%d", j->child);
  write_vector(file, "at", j->at, planar);
  if (has_axis && (!planar || j->kind == TS_JOINT_PRISMATIC)) write_vector(file, "axis", j->axis, planar);
  if (j->kind == TS_JOINT_UNIVERSAL) write_vector(file, "axis2", j->axis2, false);
  if (isfinite(j->lower)) {
    fprintf(file, ", limits: {lower: %.17g", j->lower);
    if (isfinite(j->upper)) write_number(file, "upper", j->upper);
    fprintf(file, "}");
  }
  write_number(file, "friction", j->friction);
  write_number(file, "damping", j->damping);
  write_number(file, "pitch", j->pitch);
  write_motor(file, j);
  if (j->closes_loop) fprintf(file, ", closes_loop: true");
  for (int t = 0; t < j->term_count; ++t)
    fprintf(file, "%s{joint: j%d, ratio: %.17g}", t > 0 ? ", " : ", gear: [", j->followed[t], j->ratio[t]);
  fprintf(file, j->term_count > 0 ? "]}\n" : "}\n");
}

static void write_elastic(FILE *file, const campaign_scene *s, const campaign_elastic *e)
{
  const bool planar = campaign_is_planar(s);
  fprintf(file, "  - {bodies: [");
  write_name(file, e->body[0]);
  fprintf(file, ", b%d]", e->body[1]);
  if (!e->is_bushing) {
    const ts_vec3 a = e->at[0], b = e->at[1];
    fprintf(file,
            planar ? ", at: [[%.17g, %.17g], [%.17g, %.17g]]" : ", at: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]",
            a.x, a.y, planar ? b.x : a.z, planar ? b.y : b.x, b.y, b.z);
    fprintf(file, ", stiffness: %.17g, damping: %.17g, length: %.17g}\n", e->stiffness.x, e->damping.x, e->length);
    return;
  }
  write_vector(file, "at", e->at[0], planar);
  if (!planar) write_quaternion(file, e->frame[0]);
  write_vector(file, "stiffness", e->stiffness, planar);
  write_vector(file, "damping", e->damping, planar);
  if (planar) {
    fprintf(file, ", angular_stiffness: %.17g, angular_damping: %.17g}\n", e->angular_stiffness.z,
            e->angular_damping.z);
    return;
  }
  write_vector(file, "angular_stiffness", e->angular_stiffness, false);
  write_vector(file, "angular_damping", e->angular_damping, false);
  fprintf(file, "}\n");
}

static void write_force(FILE *file, const campaign_scene *s, const campaign_force *f)
{
  const bool planar = campaign_is_planar(s);
  const double p[3] = {f->force.x, f->force.y, f->force.z};
  fprintf(file, "  - {body: b%d", f->body);
  write_vector(file, "at", f->at, planar);
  if (f->impulse_time >= 0.0) {
    fprintf(file, ", force: [");
    for (int k = 0; k < (planar ? 2 : 3); ++k)
      fprintf(file, "%s{impulse: {time: %.17g, value: %.17g}}", k > 0 ? ", " : "", f->impulse_time, p[k]);
    fprintf(file, "]}\n");
    return;
  }
  write_vector(file, "force", f->force, planar);
  if (planar)
    fprintf(file, ", torque: %.17g", f->torque.z);
  else
    write_vector(file, "torque", f->torque, false);
  fprintf(file, f->follows ? ", follows: true}\n" : "}\n");
}

// ---- scenes --------------------------------------------------------------------------------------------------------

static void write_laws(FILE *file, const campaign_scene *s)
{
  fprintf(file, "materials:\n");
  for (int k = 0; k < CAMPAIGN_MATERIALS; ++k) {
    fprintf(file, "  - {name: m%d, friction: %.17g, restitution: %.17g", k, s->friction[k], s->restitution);
    if (s->spin > 0.0) fprintf(file, ", ellipsoid: [1, 1, %.17g]", s->spin);
    if (s->stepper == CAMPAIGN_COMPLIANT)
      fprintf(file, ", stiffness: %.17g, damping: %.17g", 2.0 * s->contact_stiffness, 2.0 * s->contact_damping);
    fprintf(file, "}\n");
  }
  bool any = false;
  for (int i = 0; i < s->body_count; ++i)
    for (int j = 0; j < i; ++j) {
      const bool may_move = s->bodies[i].kind == TS_DYNAMIC || s->bodies[j].kind == TS_DYNAMIC;
      if (!may_move || campaign_collides(s, i, j)) continue;
      if (!any) fprintf(file, "pairs:\n");
      any = true;
      fprintf(file, "  - {bodies: [b%d, b%d], collide: false}\n", i, j);
    }
}

static void write_step(FILE *file, const campaign_scene *s)
{
  fprintf(file, "step: {method: %s, size: %.17g", campaign_stepper_name(s->stepper), s->step_size);
  if (s->minimal) fprintf(file, ", coordinates: minimal");
  if (s->polyhedral) fprintf(file, ", cone: polyhedral");
  if (s->whole_impacts) fprintf(file, ", closing: impact");
  if (s->activates_early) fprintf(file, ", activate: end");
  if (s->gyroscopic[0] != 'm') fprintf(file, ", gyroscopic: %s", s->gyroscopic);
  fprintf(file, "}\nduration: %.17g\n", s->step_size * s->steps);
}

void campaign_scene_write(const campaign_scene *s, const char *mesh_folder, FILE *file)
{
  fprintf(file, "# Seed %llu of %s\ntouchstone: 1\nspace: %s\n", (unsigned long long)s->seed,
          campaign_stepper_name(s->stepper), ts_space_name(s->space));
  const ts_vec3 g = s->gravity;
  fprintf(file, s->space == TS_SPACE_2D ? "gravity: [%.17g, %.17g]\n" : "gravity: [%.17g, %.17g, %.17g]\n", g.x, g.y,
          g.z);
  write_laws(file, s);
  fprintf(file, "bodies:\n");
  for (int b = 0; b < s->body_count; ++b) write_body(file, s, b, mesh_folder);
  if (s->joint_count > 0) fprintf(file, "joints:\n");
  for (int k = 0; k < s->joint_count; ++k) write_joint(file, s, k);
  for (int bushings = 0; bushings < 2; ++bushings) {
    bool any = false;
    for (int k = 0; k < s->elastic_count; ++k) {
      if (s->elastics[k].is_bushing != (bushings == 1)) continue;
      if (!any) fprintf(file, bushings ? "bushings:\n" : "springs:\n");
      any = true;
      write_elastic(file, s, &s->elastics[k]);
    }
  }
  if (s->force_count > 0) fprintf(file, "forces:\n");
  for (int k = 0; k < s->force_count; ++k) write_force(file, s, &s->forces[k]);
  write_step(file, s);
}
