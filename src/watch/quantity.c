#include "watch/quantity.h"

#include "watch/pair_quantity.h"

#include "touchstone/wildcard.h"

#include "math/vec3.h"
#include "model/model.h"
#include "record/layout.h"
#include "step/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct body_motion {
  ts_pose pose;
  ts_twist velocity; // of the origin
  double angle;
} body_motion;

typedef struct body_quantity {
  const char *name;
  bool in_space, in_plane;
  double (*value)(const body_motion *motion);
} body_quantity;

struct ts_quantity {
  double (*value)(const ts_quantity *quantity, const ts_sim *sim);
  const body_quantity *of_body;
  int body, frame;                 // frame: or TS_WORLD
  int joint;                       // or -1
  double (*of_step)(const ts_sim *sim);
  const bool *chosen;              // bodies (body_count)
  ts_pair_quantity *pair;
  bool is_joint_force;
};

// ---- bodies --------------------------------------------------------------------------------------------------------

#define POSITION(c)                                                                                                    \
  static double position_##c(const body_motion *motion)                                                                \
  {                                                                                                                    \
    return motion->pose.position.c;                                                                                    \
  }
#define ORIENTATION(c)                                                                                                 \
  static double orientation_##c(const body_motion *motion)                                                             \
  {                                                                                                                    \
    return motion->pose.orientation.c;                                                                                 \
  }
#define VELOCITY(c)                                                                                                    \
  static double velocity_##c(const body_motion *motion)                                                                \
  {                                                                                                                    \
    return motion->velocity.linear.c;                                                                                  \
  }
#define ANGULAR(c)                                                                                                     \
  static double angular_##c(const body_motion *motion)                                                                 \
  {                                                                                                                    \
    return motion->velocity.angular.c;                                                                                 \
  }
POSITION(x)
POSITION(y)
POSITION(z)
ORIENTATION(w)
ORIENTATION(x)
ORIENTATION(y)
ORIENTATION(z)
VELOCITY(x)
VELOCITY(y)
VELOCITY(z)
ANGULAR(x)
ANGULAR(y)
ANGULAR(z)

static double angle(const body_motion *motion)
{
  return motion->angle;
}

static double speed(const body_motion *motion)
{
  return ts_length(motion->velocity.linear);
}

static double spin(const body_motion *motion)
{
  return ts_length(motion->velocity.angular);
}

// The names of records, and two more.
static const body_quantity body_quantities[] = {
    {"x", true, true, position_x},     {"y", true, true, position_y},     {"z", true, false, position_z},
    {"qw", true, false, orientation_w}, {"qx", true, false, orientation_x}, {"qy", true, false, orientation_y},
    {"qz", true, false, orientation_z}, {"theta", false, true, angle},     {"vx", true, true, velocity_x},
    {"vy", true, true, velocity_y},    {"vz", true, false, velocity_z},   {"wx", true, false, angular_x},
    {"wy", true, false, angular_y},    {"wz", true, false, angular_z},    {"w", false, true, angular_z},
    {"speed", true, true, speed},      {"spin", true, true, spin}};
enum { BODY_QUANTITIES = sizeof body_quantities / sizeof body_quantities[0] };

static const body_quantity *find_body_quantity(const ts_model *model, const char *name)
{
  const bool planar = ts_is_flat(model->freedoms);
  for (int i = 0; i < BODY_QUANTITIES; ++i) {
    const body_quantity *row = &body_quantities[i];
    if ((planar ? row->in_plane : row->in_space) && strcmp(row->name, name) == 0) return row;
  }
  return NULL;
}

static body_motion motion_of(const ts_sim *sim, int body)
{
  return (body_motion){ts_sim_pose(sim, body), ts_sim_velocity(sim, body), sim->state.angle[body]};
}

// Coordinates in the frame of a body, and their rates: what somebody sees who moves with it.
static body_motion as_seen_from(const body_motion *motion, const body_motion *frame)
{
  const ts_pose back = ts_pose_inverse(&frame->pose);
  const ts_vec3 arm = ts_sub(motion->pose.position, frame->pose.position);
  const ts_vec3 carried = ts_add(frame->velocity.linear, ts_cross(frame->velocity.angular, arm));
  body_motion seen = {.pose = ts_pose_compose(&back, &motion->pose), .angle = motion->angle - frame->angle};
  seen.velocity.linear = ts_quat_rotate(back.orientation, ts_sub(motion->velocity.linear, carried));
  seen.velocity.angular =
      ts_quat_rotate(back.orientation, ts_sub(motion->velocity.angular, frame->velocity.angular));
  return seen;
}

static double value_of_body(const ts_quantity *quantity, const ts_sim *sim)
{
  const body_motion motion = motion_of(sim, quantity->body);
  if (quantity->frame == TS_WORLD) return quantity->of_body->value(&motion);
  const body_motion frame = motion_of(sim, quantity->frame), seen = as_seen_from(&motion, &frame);
  return quantity->of_body->value(&seen);
}

static double largest_of_bodies(const ts_quantity *quantity, const ts_sim *sim)
{
  double largest = 0.0;
  for (int b = 0; b < sim->model->body_count; ++b) {
    if (!quantity->chosen[b]) continue;
    const body_motion motion = motion_of(sim, b);
    largest = fmax(largest, quantity->of_body->value(&motion));
  }
  return largest;
}

// ---- joints --------------------------------------------------------------------------------------------------------

static double joint_position(const ts_quantity *quantity, const ts_sim *sim)
{
  return ts_sim_joint_position(sim, quantity->joint, NULL);
}

static double joint_rate(const ts_quantity *quantity, const ts_sim *sim)
{
  double rate;
  ts_sim_joint_position(sim, quantity->joint, &rate);
  return rate;
}

static double joint_motor(const ts_quantity *quantity, const ts_sim *sim)
{
  return ts_sim_joint_forces(sim, quantity->joint).motor;
}

static const struct {
  const char *name;
  double (*value)(const ts_quantity *quantity, const ts_sim *sim);
} joint_quantities[] = {{"position", joint_position}, {"rate", joint_rate}, {"motor", joint_motor}};
enum { JOINT_QUANTITIES = sizeof joint_quantities / sizeof joint_quantities[0] };

// ---- steps ---------------------------------------------------------------------------------------------------------

// The columns of records.
#define STEP_FUNCTION(name, kind, unit, what)                                                                          \
  static double step_##name(const ts_sim *sim)                                                                         \
  {                                                                                                                    \
    const ts_step_report *r = ts_sim_report(sim);                                                                      \
    const double t = ts_sim_time(sim), solver = -1.0;                                                                  \
    (void)r, (void)t, (void)solver;                                                                                    \
    return what;                                                                                                       \
  }
TS_STEP_COLUMN_LIST(STEP_FUNCTION)
#undef STEP_FUNCTION

#define STEP_ROW(name, kind, unit, what) {#name, TS_COLUMN_##kind, step_##name},
static const struct {
  const char *name;
  ts_column_kind kind; // those that stand for names are no numbers
  double (*value)(const ts_sim *sim);
} step_quantities[] = {TS_STEP_COLUMN_LIST(STEP_ROW)};
#undef STEP_ROW
enum { STEP_QUANTITIES = sizeof step_quantities / sizeof step_quantities[0] };

static double value_of_step(const ts_quantity *quantity, const ts_sim *sim)
{
  return quantity->of_step(sim);
}

static double value_of_time(const ts_quantity *quantity, const ts_sim *sim)
{
  (void)quantity;
  return ts_sim_time(sim);
}

static double value_of_pair(const ts_quantity *quantity, const ts_sim *sim)
{
  return ts_pair_quantity_value(quantity->pair, sim);
}

// ---- names ---------------------------------------------------------------------------------------------------------

enum { NAME_SIZE = 400 };

// Cut a name at its last point; false: there is none.
static bool split_last(char *name, char **quantity)
{
  char *point = strrchr(name, '.');
  if (!point || !point[1]) return false;
  *point = '\0';
  *quantity = point + 1;
  return true;
}

static bool find_body_value(const ts_model *model, char *name, ts_quantity *found)
{
  char *frame = strchr(name, '@'), *what;
  found->frame = TS_WORLD;
  if (frame) {
    *frame++ = '\0';
    found->frame = ts_model_find_body(model, frame);
    if (found->frame < 0) return false;
  }
  if (!split_last(name, &what)) return false;
  found->value = value_of_body;
  found->body = ts_model_find_body(model, name);
  found->of_body = find_body_quantity(model, what);
  return found->body >= 0 && found->of_body;
}

static bool find_joint_value(const ts_model *model, char *name, ts_quantity *found)
{
  char *what;
  if (!split_last(name, &what)) return false;
  found->joint = ts_model_find_joint(model, name);
  if (found->joint < 0) return false;
  for (int i = 0; i < JOINT_QUANTITIES; ++i)
    if (strcmp(joint_quantities[i].name, what) == 0) {
      found->value = joint_quantities[i].value;
      found->is_joint_force = found->value == joint_motor;
    }
  return found->value != NULL;
}

static bool find_step_value(const char *name, ts_quantity *found)
{
  found->value = value_of_step;
  for (int i = 0; i < STEP_QUANTITIES; ++i)
    if (step_quantities[i].kind <= TS_COLUMN_WHOLE && strcmp(step_quantities[i].name, name) == 0)
      found->of_step = step_quantities[i].value;
  return found->of_step != NULL;
}

// NAMES).speed, or spin. Bodies that are driven do not count.
static bool find_bodies_value(const ts_model *model, char *name, ts_quantity *found, ts_arena *arena)
{
  char *closing = strrchr(name, ')');
  bool any = false;
  if (!closing || closing[1] != '.') return false;
  *closing = '\0';
  found->value = largest_of_bodies;
  found->of_body = find_body_quantity(model, closing + 2);
  if (!found->of_body || (found->of_body->value != speed && found->of_body->value != spin)) return false;
  bool *chosen = ts_arena_bytes(arena, (size_t)model->body_count, sizeof *chosen);
  for (int b = 0; b < model->body_count; ++b) {
    chosen[b] = model->bodies[b].kind == TS_DYNAMIC && ts_wildcard_matches(name, model->bodies[b].name);
    any = any || chosen[b];
  }
  found->chosen = chosen;
  return any;
}

static bool begins_with(const char *name, const char *word)
{
  return strncmp(name, word, strlen(word)) == 0;
}

static bool find_value(const ts_model *model, char *name, ts_quantity *found, ts_arena *arena)
{
  static const char joints[] = "joints.", steps[] = "steps.", bodies[] = "bodies(", contacts[] = "contacts(";
  if (strcmp(name, "t") == 0) {
    found->value = value_of_time;
    return true;
  }
  if (begins_with(name, contacts)) {
    found->value = value_of_pair;
    found->pair = ts_pair_quantity_find(model, name + strlen(contacts), arena);
    return found->pair != NULL;
  }
  if (begins_with(name, bodies)) return find_bodies_value(model, name + strlen(bodies), found, arena);
  if (begins_with(name, joints)) return find_joint_value(model, name + strlen(joints), found);
  if (begins_with(name, steps)) return find_step_value(name + strlen(steps), found);
  return find_body_value(model, name, found);
}

ts_quantity *ts_quantity_find(const ts_model *model, const char *name, ts_arena *arena)
{
  char copy[NAME_SIZE];
  if (strlen(name) >= sizeof copy) return NULL;
  strcpy(copy, name);
  ts_quantity found = {.joint = -1, .frame = TS_WORLD};
  if (!find_value(model, copy, &found, arena)) return NULL;
  ts_quantity *quantity = ts_arena_bytes(arena, 1, sizeof *quantity);
  *quantity = found;
  return quantity;
}

double ts_quantity_value(const ts_quantity *quantity, const ts_sim *sim)
{
  return quantity->value(quantity, sim);
}

bool ts_quantity_is_joint_force(const ts_quantity *quantity)
{
  return quantity->is_joint_force;
}

bool ts_quantity_name(const ts_model *model, int i, char *text, size_t size)
{
  const bool planar = ts_is_flat(model->freedoms);
  const int of_bodies = model->body_count * BODY_QUANTITIES, of_joints = model->joint_count * JOINT_QUANTITIES;
  text[0] = '\0'; // what does not exist in this space is no suggestion
  if (i < of_bodies) {
    const body_quantity *row = &body_quantities[i % BODY_QUANTITIES];
    if (planar ? row->in_plane : row->in_space)
      snprintf(text, size, "%s.%s", model->bodies[i / BODY_QUANTITIES].name, row->name);
    return true;
  }
  i -= of_bodies;
  if (i < of_joints) {
    snprintf(text, size, "joints.%s.%s", model->joints[i / JOINT_QUANTITIES].name,
             joint_quantities[i % JOINT_QUANTITIES].name);
    return true;
  }
  i -= of_joints;
  if (i < STEP_QUANTITIES) snprintf(text, size, "steps.%s", step_quantities[i].name);
  return i < STEP_QUANTITIES;
}
