#include "watch/body_quantity.h"

#include "touchstone/wildcard.h"

#include "math/vec3.h"
#include "model/model.h"
#include "step/sim.h"

#include <math.h>
#include <string.h>

struct ts_body_motion {
  ts_pose pose;
  ts_twist velocity; // of the origin
  double angle;
};

// ---- the rows ------------------------------------------------------------------------------------------------------

#define COMPONENT(name, member)                                                                                        \
  static double name(const ts_body_motion *motion)                                                                     \
  {                                                                                                                    \
    return motion->member;                                                                                             \
  }
COMPONENT(x, pose.position.x)
COMPONENT(y, pose.position.y)
COMPONENT(z, pose.position.z)
COMPONENT(qw, pose.orientation.w)
COMPONENT(qx, pose.orientation.x)
COMPONENT(qy, pose.orientation.y)
COMPONENT(qz, pose.orientation.z)
COMPONENT(theta, angle)
COMPONENT(vx, velocity.linear.x)
COMPONENT(vy, velocity.linear.y)
COMPONENT(vz, velocity.linear.z)
COMPONENT(wx, velocity.angular.x)
COMPONENT(wy, velocity.angular.y)
COMPONENT(wz, velocity.angular.z)
#undef COMPONENT

static double speed(const ts_body_motion *motion)
{
  return ts_length(motion->velocity.linear);
}

static double spin(const ts_body_motion *motion)
{
  return ts_length(motion->velocity.angular);
}

// The names of records, and two more.
static const ts_body_quantity rows[] = {
    {"x", "m", "position of its origin", true, true, false, x},
    {"y", "m", "position of its origin", true, true, false, y},
    {"z", "m", "position of its origin", true, false, false, z},
    {"qw", "", "orientation: real part of the quaternion", true, false, false, qw},
    {"qx", "", "orientation", true, false, false, qx},
    {"qy", "", "orientation", true, false, false, qy},
    {"qz", "", "orientation", true, false, false, qz},
    {"theta", "rad", "angle, without jumps", false, true, false, theta},
    {"vx", "m/s", "velocity of its origin", true, true, false, vx},
    {"vy", "m/s", "velocity of its origin", true, true, false, vy},
    {"vz", "m/s", "velocity of its origin", true, false, false, vz},
    {"wx", "rad/s", "angular velocity", true, false, false, wx},
    {"wy", "rad/s", "angular velocity", true, false, false, wy},
    {"wz", "rad/s", "angular velocity", true, false, false, wz},
    {"w", "rad/s", "angular velocity", false, true, false, wz},
    {"speed", "m/s", "of its origin, whatever the direction", true, true, true, speed},
    {"spin", "rad/s", "angular speed, whatever the axis", true, true, true, spin}};
enum { ROWS = sizeof rows / sizeof rows[0] };

const ts_body_quantity *ts_body_quantity_row(int i)
{
  return i < ROWS ? &rows[i] : NULL;
}

// Beside the largest of what has no direction: for lists, and for sentences.
static const struct {
  const char *name, *help;
} names_of_several[] = {{"min_QUANTITY", "the least of any quantity of theirs, as min_z"},
                        {"max_QUANTITY", "the largest, as max_vx"},
                        {"count", "how many dynamic bodies of these names there are"}};
enum { NAMES_OF_SEVERAL = sizeof names_of_several / sizeof names_of_several[0] };

const char *ts_bodies_quantity_name(int i, const char **help)
{
  if (i >= NAMES_OF_SEVERAL) return NULL;
  *help = names_of_several[i].help;
  return names_of_several[i].name;
}

// ---- names ---------------------------------------------------------------------------------------------------------

char *ts_cut_at_last_point(char *text)
{
  char *point = strrchr(text, '.');
  if (!point || !point[1]) return NULL;
  *point = '\0';
  return point + 1;
}

char *ts_without_quotes(char *text)
{
  const size_t length = strlen(text);
  if (length < 2 || (text[0] != '\'' && text[0] != '"') || text[length - 1] != text[0]) return text;
  text[length - 1] = '\0';
  return text + 1;
}

// Which rows there are to choose from.
typedef struct choice {
  bool planar, of_several;
} choice;

static const char *row_name(int i, const void *user)
{
  const choice *from = user;
  if (i >= ROWS) return names_of_several[i - ROWS].name;
  const bool exists =
      (from->planar ? rows[i].in_plane : rows[i].in_space) && (rows[i].has_no_direction || !from->of_several);
  return exists ? rows[i].name : "";
}

static const ts_body_quantity *find_row(const ts_model *model, bool of_several, const char *name,
                                        ts_name_trouble *trouble)
{
  const choice from = {ts_is_flat(model->freedoms), of_several};
  for (int i = 0; i < ROWS; ++i)
    if (*name && strcmp(row_name(i, &from), name) == 0) return &rows[i];
  ts_name_refuse_quantity(trouble, of_several ? "of several bodies there is" : "a body has", name,
                          of_several ? ROWS + NAMES_OF_SEVERAL : ROWS, row_name, &from);
  return NULL;
}

// Whether a body's name ends at the last point before `at` (NULL: the end), and a frame's begins behind it.
static bool is_before_frame(const ts_model *model, char *text, char *at)
{
  if (at && ts_model_find_body(model, at + 1) < 0) return false;
  if (at) *at = '\0';
  char *point = strrchr(text, '.');
  bool known = point && !strchr(point, '@');
  if (known) {
    *point = '\0';
    known = ts_model_find_body(model, text) >= 0;
    *point = '.';
  }
  if (at) *at = '@';
  return known;
}

// The '@' before a frame, or NULL. Names may have this sign, too.
static char *frame_sign(const ts_model *model, char *text)
{
  if (is_before_frame(model, text, NULL)) return NULL;
  for (char *at = strchr(text, '@'); at; at = strchr(at + 1, '@'))
    if (is_before_frame(model, text, at)) return at;
  return strchr(text, '@');
}

static bool find_frame(const ts_model *model, char *at, int *frame, ts_name_trouble *trouble)
{
  *frame = TS_WORLD;
  if (!at) return true;
  *at = '\0';
  *frame = ts_model_find_body(model, at + 1);
  return *frame >= 0 || ts_name_refuse_body(trouble, model, "body to look from,", at + 1);
}

bool ts_body_value_find(const ts_model *model, char *text, ts_body_value *found, ts_name_trouble *trouble)
{
  char *at = frame_sign(model, text);
  const char *closing = strrchr(text, ')');
  if (closing && !closing[1]) return false; // f(x) is no name, and expressions know which functions there are
  if (!find_frame(model, at, &found->frame, trouble)) return false;
  const char *what = ts_cut_at_last_point(text);
  if (!what) return false;
  found->body = ts_model_find_body(model, text);
  if (found->body < 0 && strchr(text, '('))
    return ts_name_refuse(trouble, "there are contacts(BODY, BODY) and bodies(NAMES), but no '%.60s'", text);
  if (found->body < 0) return ts_name_refuse_body(trouble, model, "body", text);
  found->what = find_row(model, false, what, trouble);
  return found->what != NULL;
}

// What is asked of several bodies.
static bool find_choice(const ts_model *model, const char *name, ts_body_value *found, ts_name_trouble *trouble)
{
  const bool least = strncmp(name, "min_", 4) == 0, largest = strncmp(name, "max_", 4) == 0;
  found->choice = least ? TS_BODY_LEAST : TS_BODY_LARGEST;
  if (strcmp(name, "count") == 0) {
    found->choice = TS_BODY_COUNT;
    return true;
  }
  const bool of_any = least || largest;
  found->what = find_row(model, !of_any, of_any ? name + 4 : name, trouble);
  return found->what != NULL;
}

bool ts_bodies_value_find(const ts_model *model, char *text, ts_body_value *found, ts_arena *arena,
                          ts_name_trouble *trouble)
{
  char *closing = strrchr(text, ')');
  bool any = false;
  if (!closing || closing[1] != '.') return ts_name_refuse(trouble, "write bodies(NAMES).QUANTITY");
  *closing = '\0';
  if (!find_choice(model, closing + 2, found, trouble)) return false;
  const char *names = ts_without_quotes(text);
  bool *chosen = ts_arena_bytes(arena, (size_t)model->body_count + 1, sizeof *chosen);
  for (int b = 0; b < model->body_count; ++b) {
    chosen[b] = model->bodies[b].kind == TS_DYNAMIC && ts_wildcard_matches(names, model->bodies[b].name);
    any = any || chosen[b];
  }
  found->chosen = chosen;
  return any || ts_name_refuse_body(trouble, model, "dynamic body", names);
}

// ---- values --------------------------------------------------------------------------------------------------------

static ts_body_motion motion_of(const ts_sim *sim, int body)
{
  return (ts_body_motion){ts_sim_pose(sim, body), ts_sim_velocity(sim, body), sim->state.angle[body]};
}

// Coordinates in the frame of a body, and their rates: what somebody sees who moves with it.
static ts_body_motion as_seen_from(const ts_body_motion *motion, const ts_body_motion *frame)
{
  const ts_pose back = ts_pose_inverse(&frame->pose);
  const ts_vec3 arm = ts_sub(motion->pose.position, frame->pose.position);
  const ts_vec3 carried = ts_add(frame->velocity.linear, ts_cross(frame->velocity.angular, arm));
  ts_body_motion seen = {.pose = ts_pose_compose(&back, &motion->pose), .angle = motion->angle - frame->angle};
  seen.velocity.linear = ts_quat_rotate(back.orientation, ts_sub(motion->velocity.linear, carried));
  seen.velocity.angular = ts_quat_rotate(back.orientation, ts_sub(motion->velocity.angular, frame->velocity.angular));
  return seen;
}

static double value_of_several(const ts_body_value *value, const ts_sim *sim)
{
  double found = value->choice == TS_BODY_COUNT ? 0.0 : value->choice == TS_BODY_LEAST ? INFINITY : -INFINITY;
  for (int b = 0; b < sim->model->body_count; ++b) {
    if (!value->chosen[b]) continue;
    if (value->choice == TS_BODY_COUNT) {
      ++found;
      continue;
    }
    const ts_body_motion motion = motion_of(sim, b);
    found = (value->choice == TS_BODY_LEAST ? fmin : fmax)(found, value->what->value(&motion));
  }
  return found;
}

double ts_body_value_now(const ts_body_value *value, const ts_sim *sim)
{
  if (value->chosen) return value_of_several(value, sim);
  const ts_body_motion motion = motion_of(sim, value->body);
  if (value->frame == TS_WORLD) return value->what->value(&motion);
  const ts_body_motion frame = motion_of(sim, value->frame), seen = as_seen_from(&motion, &frame);
  return value->what->value(&seen);
}
