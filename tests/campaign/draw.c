// Random scenes: bodies placed apart by the spheres around them, joined, driven and pushed such that a motion exists.
#include "draw_joint.h"
#include "draw_shape.h"
#include "scene.h"

#include "math/vec3.h"

#include <math.h>

static bool chance(ts_random *random, double probability)
{
  return ts_random_uniform(random, 0.0, 1.0) < probability;
}

static double between(ts_random *random, double low, double high)
{
  return ts_random_uniform(random, low, high);
}

static ts_vec3 up_of(const campaign_scene *s)
{
  return s->space == TS_SPACE_2D ? ts_vec3_make(0.0, 1.0, 0.0) : ts_vec3_make(0.0, 0.0, 1.0);
}

// ---- options -------------------------------------------------------------------------------------------------------

static ts_space draw_space(campaign_stepper stepper, ts_random *random)
{
  const double x = between(random, 0.0, 1.0);
  const bool on_table =
      stepper != CAMPAIGN_EVENT_DRIVEN && stepper != CAMPAIGN_COMPLIANT && stepper != CAMPAIGN_IMPLICIT_COMPLIANT;
  if (on_table && x < (stepper == CAMPAIGN_QUASISTATIC ? 0.6 : 0.1)) return TS_SPACE_2_5D;
  return x < 0.4 ? TS_SPACE_2D : TS_SPACE_3D;
}

static void draw_options(campaign_scene *s, ts_random *random)
{
  static const double sizes[] = {5e-4, 1e-3, 1e-3, 2e-3, 5e-3};
  const bool fixed_points = s->stepper == CAMPAIGN_STEWART_TRINKLE || s->stepper == CAMPAIGN_VELOCITY;
  const bool takes_trees = fixed_points || s->stepper == CAMPAIGN_EVENT_DRIVEN || s->stepper == CAMPAIGN_COMPLIANT;
  s->step_size = sizes[ts_random_below(random, 5)];
  s->steps = 60 + ts_random_below(random, 180);
  s->tolerance = 1e-8;
  s->theta = 1.0;
  s->minimal = chance(random, 0.35) && takes_trees;
  s->polyhedral = chance(random, 0.12) && fixed_points;
  s->whole_impacts = chance(random, 0.15) && s->stepper == CAMPAIGN_STEWART_TRINKLE;
  s->activates_early = chance(random, 0.3) && s->stepper == CAMPAIGN_VELOCITY;
  s->gyroscopic = chance(random, 0.15) ? "implicit" : "midpoint";
  const bool rebounds = fixed_points || s->stepper == CAMPAIGN_EVENT_DRIVEN;
  s->restitution = chance(random, 0.25) && rebounds ? between(random, 0.1, 0.9) : 0.0;
  s->spin = chance(random, 0.2) && s->space == TS_SPACE_3D && !s->polyhedral ? between(random, 0.002, 0.02) : 0.0;
  for (int k = 0; k < CAMPAIGN_MATERIALS; ++k) s->friction[k] = chance(random, 0.15) ? 0.0 : between(random, 0.05, 1.0);
  s->support_friction = between(random, 0.1, 0.7);
  if (s->stepper == CAMPAIGN_EVENT_DRIVEN) s->steps = 30 + ts_random_below(random, 60);
}

// ---- bodies --------------------------------------------------------------------------------------------------------

static bool place_is_free(const campaign_scene *s, ts_vec3 position, double reach)
{
  for (int k = 0; k < s->body_count; ++k) {
    const campaign_body *other = &s->bodies[k];
    if (!isfinite(other->reach)) {
      const ts_shape *plane = &other->parts[0].shape;
      if (ts_dot(plane->normal, position) < reach + plane->offset) return false;
    } else if (ts_distance_of(other->pose.position, position) < reach + other->reach) {
      return false;
    }
  }
  return true;
}

static void draw_mass(campaign_body *body, ts_random *random, bool planar, double size)
{
  const double density = exp(between(random, 5.0, 9.0));
  body->mass = density * size * size * (planar ? 0.1 : size);
  // Radii of gyration such that any two moments exceed the third
  const double r = 0.15 * size * size * body->mass;
  body->inertia =
      ts_vec3_make(r * between(random, 1.0, 1.9), r * between(random, 1.0, 1.9), r * between(random, 1.0, 1.9));
  if (chance(random, 0.2)) body->centre = campaign_random_vector(random, planar, 0.2 * size);
}

static void draw_parts(campaign_scene *s, campaign_body *body, ts_random *random, double size, bool plain)
{
  const bool planar = campaign_is_planar(s);
  body->part_count = chance(random, 0.15) ? 2 : 1;
  for (int k = 0; k < body->part_count; ++k) {
    campaign_draw_shape(&body->parts[k], random, planar, plain || body->part_count == 2, size);
    if (k == 0) continue;
    body->parts[k].pose.position = campaign_random_vector(random, planar, 0.8 * size);
    if (!planar) body->parts[k].pose.orientation = campaign_random_rotation(random);
  }
  for (int k = 0; k < body->part_count; ++k) {
    campaign_part *part = &body->parts[k];
    if (part->shape.vertex_count > 0) part->shape.vertices = part->corners;
    body->reach = fmax(body->reach, ts_length(part->pose.position) + part->reach);
  }
  const bool has_depth =
      body->parts[0].shape.kind != TS_SHAPE_POLYTOPE && body->parts[0].shape.kind != TS_SHAPE_POLYGON;
  if (s->stepper == CAMPAIGN_IMPLICIT_COMPLIANT && has_depth && chance(random, 0.8)) {
    body->skin = 0.03 * size;
    body->skin_stiffness =
        10.0 * body->mass / body->skin * exp(between(random, 0.0, 3.0)); // bears its weight, and twenty times
    body->skin_damping = body->skin_stiffness * between(random, 0.0, 5e-3);
  }
}

static void turn_body(campaign_scene *s, campaign_body *body, ts_random *random)
{
  body->pose.orientation = ts_quat_identity();
  if (campaign_is_planar(s)) {
    body->angle = between(random, -3.0, 3.0);
    body->pose.orientation = ts_quat_about_z(body->angle);
  } else if (chance(random, 0.8)) {
    body->pose.orientation = campaign_random_rotation(random);
  }
}

static ts_vec3 draw_place(const campaign_scene *s, ts_random *random, double reach, int attempt)
{
  const double spread = 0.2 + 0.02 * attempt;
  ts_vec3 p = campaign_random_vector(random, campaign_is_planar(s), spread);
  if (s->space == TS_SPACE_2D) p.y = 1.02 * reach + fabs(p.y);
  if (s->space == TS_SPACE_3D) p.z = 1.02 * reach + fabs(p.z);
  return p;
}

// A dynamic body apart from all others; false: there is no room
static bool add_body(campaign_scene *s, ts_random *random, double speed)
{
  enum { ATTEMPTS = 40 };
  if (s->body_count == CAMPAIGN_BODIES) return false;
  const bool planar = campaign_is_planar(s);
  const double size = exp(between(random, log(0.08), log(0.4)));
  campaign_body *body = &s->bodies[s->body_count];
  *body = (campaign_body){.kind = TS_DYNAMIC, .rotates = true, .linkage = s->body_count};
  body->material = ts_random_below(random, CAMPAIGN_MATERIALS);
  draw_mass(body, random, planar, size);
  draw_parts(s, body, random, size, s->stepper == CAMPAIGN_EVENT_DRIVEN && chance(random, 0.5));
  turn_body(s, body, random);
  body->supported = s->space == TS_SPACE_2_5D && chance(random, 0.8);
  if (body->supported) body->centre = ts_vec3_make(0.0, 0.0, 0.0);
  body->velocity.linear = campaign_random_vector(random, planar, speed);
  const ts_vec3 spin = campaign_random_vector(random, false, 4.0 * speed);
  body->velocity.angular = planar ? ts_vec3_make(0.0, 0.0, spin.z) : spin;
  for (int k = 0; k < ATTEMPTS; ++k) {
    const ts_vec3 place = draw_place(s, random, body->reach, k);
    if (!place_is_free(s, place, body->reach)) continue;
    body->pose.position = place;
    ++s->body_count;
    return true;
  }
  return false;
}

static campaign_body *add_plane(campaign_scene *s, ts_vec3 normal)
{
  campaign_body *body = &s->bodies[s->body_count];
  *body = (campaign_body){.kind = TS_FIXED, .pose = ts_pose_identity(), .reach = INFINITY, .part_count = 1};
  body->linkage = s->body_count++;
  body->parts[0] = (campaign_part){.pose = ts_pose_identity(), .has_support = true, .reach = INFINITY};
  body->parts[0].shape = (ts_shape){.kind = TS_SHAPE_PLANE, .normal = normal};
  return body;
}

// A plate that vibrates, or carries along, below everything
static void add_plate(campaign_scene *s, ts_random *random)
{
  const bool planar = s->space == TS_SPACE_2D;
  campaign_body *body = &s->bodies[s->body_count];
  *body = (campaign_body){.kind = TS_KINEMATIC, .pose = ts_pose_identity(), .part_count = 1};
  body->linkage = s->body_count++;
  body->parts[0] = (campaign_part){.pose = ts_pose_identity(), .has_support = true};
  body->parts[0].shape = (ts_shape){.kind = TS_SHAPE_BOX, .size = ts_vec3_make(20.0, planar ? 1.0 : 20.0, 1.0)};
  if (planar) body->parts[0].shape.size.z = 0.0;
  body->pose.position = ts_scale(-0.6, up_of(s)); // 0.1 m lower than bodies begin: vibration stays below them
  body->frequency = between(random, 5.0, 60.0);
  body->sway = ts_scale(between(random, 0.1, 5.0) / (body->frequency * body->frequency),
                        campaign_random_direction(random, planar));
  body->drift = ts_sub(campaign_random_vector(random, planar, 0.3), ts_vec3_make(0.0, 0.0, 0.0));
  body->drift = ts_sub(body->drift, ts_scale(ts_dot(body->drift, up_of(s)), up_of(s)));
}

static void add_ground(campaign_scene *s, ts_random *random)
{
  const double kind = between(random, 0.0, 1.0);
  const ts_vec3 up = up_of(s);
  if (s->space == TS_SPACE_2_5D || kind < 0.15) return;
  if (kind < 0.3) {
    add_plate(s, random);
    return;
  }
  const ts_vec3 tilt =
      chance(random, 0.5) ? campaign_random_vector(random, campaign_is_planar(s), 0.15) : ts_vec3_make(0.0, 0.0, 0.0);
  campaign_body *floor = add_plane(s, ts_normalize(ts_add(up, tilt), up));
  floor->material = ts_random_below(random, CAMPAIGN_MATERIALS);
  if (chance(random, 0.25))
    add_plane(s, ts_normalize(ts_vec3_make(1.0, up.y * 0.2, up.z * 0.2), up))->parts[0].shape.offset = -0.6;
}

// ---- loads ---------------------------------------------------------------------------------------------------------

static void add_elastic(campaign_scene *s, ts_random *random, int b)
{
  const bool planar = campaign_is_planar(s);
  campaign_elastic *e = &s->elastics[s->elastic_count++];
  const campaign_body *own = &s->bodies[b];
  int other = chance(random, 0.5) ? TS_WORLD : ts_random_below(random, s->body_count);
  if (other == b || (other >= 0 && s->bodies[other].kind == TS_FIXED)) other = TS_WORLD;
  *e = (campaign_elastic){.is_bushing = chance(random, 0.5), .implicit = true, .body = {other, b}};
  const ts_pose here = ts_pose_identity(), *first = other >= 0 ? &s->bodies[other].pose : &here;
  const double k = own->mass * exp(between(random, 2.0, 6.0)), r = 0.05 * own->reach * own->reach;
  const ts_vec3 point = ts_pose_apply(&own->pose, campaign_random_vector(random, planar, 0.5 * own->reach));
  e->at[1] = ts_pose_unapply(&own->pose, point);
  e->at[0] = ts_pose_unapply(
      first, e->is_bushing ? point : ts_add(point, ts_scale(0.3, campaign_random_direction(random, planar))));
  e->length = 0.3;
  e->stiffness = ts_vec3_make(k, e->is_bushing ? 0.5 * k : 0.0, planar || !e->is_bushing ? 0.0 : 2.0 * k);
  e->damping = ts_scale(between(random, 0.0, 0.05), e->stiffness);
  if (!e->is_bushing) return;
  e->angular_stiffness = planar ? ts_vec3_make(0.0, 0.0, k * r) : ts_vec3_make(k * r, 0.7 * k * r, 1.5 * k * r);
  e->angular_damping = ts_scale(between(random, 0.0, 0.05), e->angular_stiffness);
  e->frame[0] = planar ? ts_quat_identity() : campaign_random_rotation(random);
  const ts_quat world = ts_quat_product(first->orientation, e->frame[0]);
  e->frame[1] = ts_quat_product(ts_quat_conjugate(own->pose.orientation), world);
}

static void add_force(campaign_scene *s, ts_random *random, int b)
{
  const bool planar = campaign_is_planar(s);
  campaign_force *f = &s->forces[s->force_count++];
  const campaign_body *own = &s->bodies[b];
  *f = (campaign_force){.body = b, .impulse_time = -1.0, .follows = chance(random, 0.3)};
  f->at = campaign_random_vector(random, planar, 0.3 * own->reach);
  const ts_vec3 torque = campaign_random_vector(random, false, own->mass * own->reach);
  f->force = campaign_random_vector(random, planar, 5.0 * own->mass);
  f->torque = planar ? ts_vec3_make(0.0, 0.0, torque.z) : torque;
  if (s->stepper == CAMPAIGN_QUASISTATIC || !chance(random, 0.4)) return;
  f->follows = false;
  f->impulse_time = s->step_size * s->steps * between(random, 0.05, 0.9);
  f->force = campaign_random_vector(random, planar, own->mass);
  f->torque = ts_vec3_make(0.0, 0.0, 0.0);
}

static void add_loads(campaign_scene *s, ts_random *random)
{
  const bool elastic = chance(random, 0.25), forced = chance(random, 0.3);
  for (int b = 0; b < s->body_count; ++b) {
    if (s->bodies[b].kind != TS_DYNAMIC) continue;
    if (elastic && chance(random, 0.4)) add_elastic(s, random, b);
    if (forced && chance(random, 0.4)) add_force(s, random, b);
  }
}

// ---- quasi-static scenes -------------------------------------------------------------------------------------------

static void add_pusher(campaign_scene *s, ts_random *random)
{
  campaign_body *body = &s->bodies[s->body_count];
  *body = (campaign_body){.kind = TS_KINEMATIC, .pose = ts_pose_identity(), .part_count = 1};
  body->linkage = s->body_count;
  const bool solid = s->space == TS_SPACE_3D;
  body->parts[0] = (campaign_part){.pose = ts_pose_identity(), .has_support = true, .reach = 0.03};
  body->parts[0].shape = (ts_shape){.kind = solid ? TS_SHAPE_SPHERE : TS_SHAPE_DISC, .radius = 0.03};
  body->reach = 0.03;
  body->material = ts_random_below(random, CAMPAIGN_MATERIALS);
  body->pose.position =
      ts_vec3_make(-0.5, s->space == TS_SPACE_2D ? 0.04 : between(random, -0.05, 0.05), solid ? 0.04 : 0.0);
  body->drift = ts_vec3_make(between(random, 0.05, 0.5), 0.0, 0.0);
  ++s->body_count;
}

// Boxes and discs that lie on the ground or on the table, in the way of a pusher
static void draw_pushed(campaign_scene *s, ts_random *random)
{
  const bool on_table = s->space == TS_SPACE_2_5D;
  if (!on_table) add_plane(s, up_of(s))->material = ts_random_below(random, CAMPAIGN_MATERIALS);
  add_pusher(s, random);
  const int count = 1 + ts_random_below(random, 3);
  double x = -0.4;
  for (int k = 0; k < count; ++k) {
    campaign_body *body = &s->bodies[s->body_count];
    const double a = between(random, 0.08, 0.2), b = between(random, 0.08, 0.2), c = between(random, 0.1, 0.2);
    *body = (campaign_body){.kind = TS_DYNAMIC, .rotates = true, .part_count = 1, .pose = ts_pose_identity()};
    body->linkage = s->body_count++;
    body->material = ts_random_below(random, CAMPAIGN_MATERIALS);
    campaign_draw_shape(&body->parts[0], random, campaign_is_planar(s), !on_table, a);
    if (!on_table)
      body->parts[0].shape =
          (ts_shape){.kind = TS_SHAPE_BOX, .size = ts_vec3_make(a, b, s->space == TS_SPACE_2D ? 0.0 : c)};
    if (body->parts[0].shape.vertex_count > 0) body->parts[0].shape.vertices = body->parts[0].corners;
    body->reach = on_table ? body->parts[0].reach : 0.5 * ts_length(body->parts[0].shape.size);
    draw_mass(body, random, campaign_is_planar(s), a);
    body->centre = ts_vec3_make(0.0, 0.0, 0.0);
    body->supported = on_table;
    x += body->reach;
    body->pose.position = ts_vec3_make(x, s->space == TS_SPACE_2D ? 0.5 * b : between(random, -0.05, 0.05),
                                       s->space == TS_SPACE_3D ? 0.5 * c : 0.0);
    x += body->reach + 0.02;
  }
  s->steps = 100 + ts_random_below(random, 100);
}

// ---- scenes --------------------------------------------------------------------------------------------------------

void campaign_scene_draw(campaign_scene *s, campaign_stepper stepper, uint64_t seed)
{
  ts_random random;
  *s = (campaign_scene){.seed = seed, .stepper = stepper};
  ts_random_init(&random, seed * 16 + (uint64_t)stepper);
  s->space = draw_space(stepper, &random);
  draw_options(s, &random);
  s->gravity = ts_scale(-9.81, up_of(s));
  if (stepper == CAMPAIGN_QUASISTATIC) {
    draw_pushed(s, &random);
    return;
  }
  add_ground(s, &random);
  if (s->body_count == 0 && s->space != TS_SPACE_2_5D && chance(&random, 0.5)) s->gravity = ts_vec3_make(0.0, 0.0, 0.0);
  s->ghosts = chance(&random, 0.08);
  const double speed = chance(&random, 0.1) ? 5.0 : 1.0;
  const bool jointed = chance(&random, 0.55);
  const int most = stepper == CAMPAIGN_EVENT_DRIVEN ? 3 : 7;
  const int count = 1 + ts_random_below(&random, most);
  for (int k = 0; k < count; ++k) add_body(s, &random, speed);
  for (int b = 0; b < s->body_count; ++b) s->contact_stiffness += s->bodies[b].mass;
  s->contact_stiffness *= exp(between(&random, 8.0, 11.0)); // sinks by less than 4 mm under the weight of everything
  s->contact_damping = s->contact_stiffness * between(&random, 1e-3, 1e-2);
  if (jointed) campaign_draw_joints(s, &random);
  add_loads(s, &random);
}
