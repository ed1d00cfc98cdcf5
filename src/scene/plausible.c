#include "scene/plausible.h"

#include "document/notes.h"
#include "document/values.h"

#include "math/vec3.h"
#include "model/model.h"
#include "step/stepper.h"

#include <math.h>
#include <string.h>

typedef struct question {
  ts_document_input *in;
  const ts_scene_plan *plan;
  const ts_model *model;
  const ts_step_options *options;
} question;

// ---- degrees -------------------------------------------------------------------------------------------------------

static const double TURNS = 2.0; // wrists of robots turn so far; beyond it nobody writes an angle in radians

// True: it was questioned.
static bool question_angle(const question *q, const ts_node *node, const char *key)
{
  static const double NONE = 1e9; // limits beyond this are none
  if (fabs(node->number) > NONE) return false;
  if (!node->is_number || !(fabs(node->number) > 2.0 * TS_PI * TURNS * (1.0 + 1e-3))) return false;
  ts_document_warn(q->in, node->place, "'%s' holds an angle of %.6g rad, %.3g turns; if degrees are meant, it is %.6g",
                   key, node->number, fabs(node->number) / (2.0 * TS_PI), node->number * TS_PI / 180.0);
  return true;
}

// A number, or the first of a list or map of numbers that is too large: two limits are one mistake.
static void question_angles(const question *q, const ts_node *map, const char *key)
{
  const ts_node *node = ts_node_find(map, key);
  if (!node) return;
  if (node->kind == TS_NODE_SCALAR) question_angle(q, node, key);
  for (const ts_node *item = node->first; item; item = item->next)
    if (question_angle(q, item, key)) return;
}

static void question_joint(const question *q, const ts_node *joint)
{
  if (strcmp(ts_node_word(joint, "type", ""), "revolute") != 0) return;
  question_angles(q, joint, "limits");
  question_angles(q, joint, "position");
  const ts_node *motor = ts_node_get(joint, "motor"), *servo = motor ? ts_node_get(motor, "servo") : NULL;
  if (servo) question_angles(q, servo, "target");
}

// Of a body, or a shape of a compound.
static void question_orientation(const question *q, const ts_node *placed)
{
  const ts_node *orientation = ts_node_find(placed, "orientation");
  question_angles(q, placed, "angle");
  if (!orientation || orientation->kind != TS_NODE_MAP) return;
  question_angles(q, orientation, "angle");
  question_angles(q, orientation, "rotation_vector");
  question_angles(q, orientation, "roll_pitch_yaw");
}

static void question_all_angles(const question *q)
{
  for (int i = 0; i < q->plan->bodies.count; ++i) {
    const ts_node *body = q->plan->body_nodes[i];
    question_orientation(q, body);
    for (const ts_node *part = ts_scene_items(body, "shapes"); part; part = part->next) question_orientation(q, part);
  }
  for (int i = 0; i < q->plan->joint_count; ++i) question_joint(q, q->plan->joint_nodes[i]);
}

// ---- gravity and sizes ---------------------------------------------------------------------------------------------

static void question_gravity(const question *q)
{
  static const double MOSTLY = 0.9;
  const ts_node *node = ts_node_get(q->plan->root, "gravity");
  const ts_vec3 g = q->model->gravity;
  if (node && !ts_is_flat(q->model->freedoms) && fabs(g.y) > MOSTLY * ts_length(g))
    ts_document_warn(q->in, node->place, "gravity points along y; scenes in space have z upwards, as in [0, 0, %.4g]",
                     -fabs(g.y));
}

typedef struct extents {
  double least, largest; // along the own axes of its parts [m]
} extents;

// Over the parts of a body that have a size; largest is 0 where none has.
static extents extents_of(const ts_model *model, int body)
{
  const ts_frame own = {{0.0, 0.0, 0.0}, ts_mat3_identity()};
  extents e = {INFINITY, 0.0};
  for (int k = 0; k < model->bodies[body].part_count; ++k) {
    const ts_convex *convex = &model->parts[model->bodies[body].first_part + k].convex;
    if (convex->kind == TS_SHAPE_PLANE || convex->kind == TS_SHAPE_POINT) continue;
    const ts_bounds box = ts_convex_bounds(convex, &own);
    const ts_vec3 size = ts_sub(box.high, box.low);
    const double flat = fmin(size.x, size.y), wide = fmax(size.x, size.y);
    const bool planar = ts_is_flat(model->freedoms);
    e.least = fmin(e.least, planar ? flat : fmin(flat, size.z));
    e.largest = fmax(e.largest, planar ? wide : fmax(wide, size.z));
  }
  return e;
}

// Where a body's shape stands.
static ts_place place_of_shape(const question *q, int body)
{
  const ts_node *node = q->plan->body_nodes[body], *shape = ts_node_get(node, "shape");
  return shape ? shape->place : node->place;
}

static bool is_of_earth(ts_vec3 gravity)
{
  const double g = ts_length(gravity);
  return g > 9.0 && g < 11.0;
}

// A scene in which all that moves is as large as a house, with gravity in metres; or a single body as large as a ship.
static void question_sizes(const question *q)
{
  static const double HOUSE = 10.0, SHIP = 200.0;
  int smallest = -1;
  double size = INFINITY;
  if (!is_of_earth(q->model->gravity)) return;
  for (int i = 0; i < q->model->body_count; ++i) {
    const extents e = extents_of(q->model, i);
    if (q->model->bodies[i].kind != TS_DYNAMIC || !(e.largest > 0.0)) continue;
    if (e.largest < size) smallest = i;
    size = fmin(size, e.largest);
    if (e.largest > SHIP)
      ts_document_warn(
          q->in, place_of_shape(q, i),
          "body '%.60s' spans %.4g m and weighs %.4g kg; lengths are in metres, and 'scale' is for mesh files "
          "in other units",
          q->model->bodies[i].name, e.largest, q->model->bodies[i].mass);
  }
  if (smallest >= 0 && size > HOUSE && size <= SHIP)
    ts_document_warn(
        q->in, place_of_shape(q, smallest),
        "the smallest body that moves, '%.60s', spans %.4g m; if the scene is in millimetres, gravity is %.4g "
        "and a density of 1000 is 1e-6",
        q->model->bodies[smallest].name, size, 1e3 * ts_length(q->model->gravity));
}

// ---- step size -----------------------------------------------------------------------------------------------------

// `size` where it is written, else the body that it is too long for.
static ts_place place_of_size(const question *q, int body)
{
  const ts_node *step = ts_node_get(q->plan->root, "step"), *size = step ? ts_node_get(step, "size") : NULL;
  return size ? size->place : q->plan->body_nodes[body]->place;
}

// How far a body goes in a step from its velocity at the start, and how far it turns.
static void question_motion(const question *q, int body)
{
  const ts_body *b = &q->model->bodies[body];
  const double h = q->options->size, width = extents_of(q->model, body).least;
  const double way = h * ts_length(b->velocity.linear) + h * h * ts_length(b->gravity);
  const double turn = h * ts_length(b->velocity.angular);
  if (b->kind != TS_DYNAMIC) return;
  if (way > width)
    ts_document_warn(
        q->in, place_of_size(q, body),
        "in a step of %.4g s body '%.60s' moves by %.3g m, but is only %.3g m wide: it can pass through others; "
        "shorten 'step: {size: ...}'",
        h, b->name, way, width);
  else if (turn > 1.0)
    ts_document_warn(q->in, place_of_size(q, body),
                     "in a step of %.4g s body '%.60s' turns by %.3g rad; shorten 'step: {size: ...}'", h, b->name,
                     turn);
}

// Events are located whatever the size.
static void question_step(const question *q)
{
  static const double LONG = 0.1; // [s]
  const double h = q->options->size;
  if (q->options->method->is_smooth) return;
  if (h >= LONG) {
    ts_document_warn(q->in, place_of_size(q, 0), "a step of %.4g s is long; usual are 1e-4 to 1e-2 s", h);
    return;
  }
  for (int i = 0; i < q->model->body_count; ++i) question_motion(q, i);
}

// ---- restitution ---------------------------------------------------------------------------------------------------

typedef enum rebound { TOUCHES_NOTHING, DOES_NOT_REBOUND, REBOUNDS } rebound;

// Of one part from all others.
static rebound rebound_of_part(const ts_model *model, int part)
{
  rebound found = TOUCHES_NOTHING;
  for (int other = 0; other < model->part_count; ++other) {
    const ts_contact_law *law = ts_model_law(model, part, other);
    if (law && law->restitution > 0.0) return REBOUNDS;
    if (law) found = DOES_NOT_REBOUND;
  }
  return found;
}

static rebound rebound_of_material(const ts_model *model, int material)
{
  rebound found = TOUCHES_NOTHING;
  for (int part = 0; part < model->part_count && found != REBOUNDS; ++part) {
    if (model->parts[part].material != material) continue;
    const rebound own = rebound_of_part(model, part);
    if (own > found) found = own;
  }
  return found;
}

// A restitution that the other side's 0 makes nothing of, by the mean.
static void question_restitutions(const question *q)
{
  int material = 0;
  if (q->options->impacts == TS_IMPACT_INELASTIC) return; // as it is told
  for (const ts_node *node = ts_scene_items(q->plan->root, "materials"); node; node = node->next, ++material) {
    const ts_node *restitution = ts_node_get(node, "restitution");
    if (!restitution || !(restitution->number > 0.0)) continue;
    if (rebound_of_material(q->model, material) != DOES_NOT_REBOUND) continue;
    ts_document_warn(
        q->in, restitution->place,
        "material '%.60s' has a restitution of %.4g, but what it can touch has 0, and so has every pair that "
        "it is part of: nothing rebounds; give the others one too ('contact: {restitution: ...}' is for all "
        "without), or write 'combine: {restitution: maximum}'",
        q->model->material_names[material], restitution->number);
  }
}

void ts_scene_question_numbers(ts_document_input *in, const ts_scene_plan *plan, const ts_model *model,
                               const ts_step_options *options)
{
  const question q = {in, plan, model, options};
  question_all_angles(&q);
  question_gravity(&q);
  question_sizes(&q);
  question_step(&q);
  question_restitutions(&q);
}
