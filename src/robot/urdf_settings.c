#include "robot/urdf_settings.h"

#include "document/joint_keys.h"

#include "touchstone/suggest.h"
#include "touchstone/wildcard.h"

#include <math.h>
#include <string.h>

// ---- keys ----------------------------------------------------------------------------------------------------------

static const ts_key joint_keys[] = {
    {"position", TS_VALUE_NUMBER, "m, rad", .range = TS_RANGE_PLACE,
     .help = "coordinate at time 0; left out: 0, or the limit nearest to it"},
    {"velocity", TS_VALUE_NUMBER, "m/s, rad/s", .range = TS_RANGE_PLACE, .fallback = "0", .help = "its rate at time 0"},
    {"motor", TS_VALUE_MAP, .section = &ts_motor_section, .help = "what drives it, instead of the brake of `hold`"},
    {"limits", TS_VALUE_NUMBERS, "m, rad", .least = 2, .most = 2,
     .help = "least and largest coordinate, instead of the file's"},
    {"limits", TS_VALUE_MAP, .section = &ts_limit_section, .help = "the same, or a stop on one side only"},
    {"restitution", TS_VALUE_NUMBER, .range = TS_RANGE_FRACTION, .fallback = "0", .help = "of the stops"},
    {"friction", TS_VALUE_NUMBER, "N, N m", .range = TS_RANGE_NOT_NEGATIVE,
     .help = "largest dry friction, instead of the file's"},
    {"damping", TS_VALUE_NUMBER, "N s/m, N m s/rad", .range = TS_RANGE_NOT_NEGATIVE,
     .help = "viscous friction, instead of the file's"},
    {"gear", TS_VALUE_MAP, .section = &ts_gear_section,
     .help = "another joint of the robot that it follows, instead of the file's `mimic`"},
    {"gear", TS_VALUE_MAPS, .section = &ts_gear_section, .least = 1, .most = TS_MOST_GEAR_TERMS,
     .help = "the sum of several: a differential"},
};
static const ts_section joint_section = {"a joint of a robot", TS_KEYS(joint_keys)};
static const ts_key joint_row = {"a joint", TS_VALUE_MAP, .section = &joint_section};
const ts_section ts_urdf_joints_section = {"the joints of a robot", .each = &joint_row};

static const ts_key link_keys[] = {
    {"material", TS_VALUE_MATERIAL, .help = "of its shapes; left out: the scene's `contact` holds"},
    {"collide", TS_VALUE_BOOLEAN, .fallback = "true", .help = "false: its shapes are left out and touch nothing"},
    {"mass", TS_VALUE_NUMBER, "kg", .range = TS_RANGE_POSITIVE,
     .help = "instead of the file's; its inertia grows or shrinks with it"},
};
static const ts_section link_section = {"a link of a robot", TS_KEYS(link_keys)};
static const ts_key link_row = {"a link", TS_VALUE_MAP, .section = &link_section};
const ts_section ts_urdf_links_section = {"the links of a robot", .each = &link_row};

// ---- names ---------------------------------------------------------------------------------------------------------

// What can be set: the joints, or the links.
typedef struct named_things {
  const char *what;
  const ts_names *names;
  ts_node **(*settings_of)(ts_urdf_robot *robot, int i);
  const char *(*refusal)(const ts_urdf_robot *robot, int i, const char *key); // why it has no such key, or NULL
} named_things;

static const char *name_at(int i, const void *names)
{
  return ((const ts_names *)names)->names[i];
}

static ts_status refuse_name(ts_urdf_robot *robot, const named_things *all, const char *name, ts_place place)
{
  const char *nearest = ts_suggest(name, all->names->count, name_at, all->names);
  if (nearest)
    return ts_document_fail(robot->in, place, "the robot has no %s '%.60s'; did you mean '%.60s'?", all->what, name,
                            nearest);
  return ts_document_fail(robot->in, place, "the robot has no %s '%.60s'", all->what, name);
}

// A name that a gear of the scene mentions becomes that of the joint in the scene.
static ts_status rename_followed(ts_urdf_robot *robot, const named_things *all, ts_node *map)
{
  ts_node *name = ts_node_find(map, "joint");
  const int number = ts_names_find(all->names, name->text);
  if (number < 0) return refuse_name(robot, all, name->text, name->place);
  if (!ts_urdf_has_coordinate(robot->joints[number].type))
    return ts_document_fail(robot->in, name->place,
                            "joint '%.60s' cannot be followed: it is not revolute, continuous or prismatic",
                            name->text);
  name->text = ts_urdf_scene_name(robot, name->text);
  return TS_OK;
}

static ts_status rename_all_followed(ts_urdf_robot *robot, const named_things *all, ts_node *gear)
{
  if (gear->kind == TS_NODE_MAP) return rename_followed(robot, all, gear);
  for (ts_node *map = gear->first; map; map = map->next) TS_TRY(rename_followed(robot, all, map));
  return TS_OK;
}

// Of several settings for one key the last holds.
static ts_status set_value(ts_urdf_robot *robot, const named_things *all, int i, const ts_node *entry,
                           const ts_node *value)
{
  ts_node **settings = all->settings_of(robot, i), *copy = ts_node_copy_checked(robot->in, value);
  if (!*settings) *settings = ts_node_create(robot->in, TS_NODE_MAP, entry->key_place);
  if (!copy || !*settings) return robot->in->error->status;
  (*settings)->place = entry->key_place;
  if (strcmp(value->key, "gear") == 0) TS_TRY(rename_all_followed(robot, all, copy));
  ts_node_set(*settings, value->key, value->key_place, copy);
  return TS_OK;
}

// One key of an entry, for all that the entry's name stands for: from `first` to `last`, those that match. Some of them
// can do without it, all cannot.
static ts_status set_values(ts_urdf_robot *robot, const named_things *all, int first, int last, const ts_node *entry,
                            const ts_node *value)
{
  const char *refusal = NULL, *refused = NULL;
  bool is_used = false;
  for (int i = first; i <= last; ++i) {
    if (first != last && !ts_wildcard_matches(entry->key, all->names->names[i])) continue;
    const char *why = all->refusal(robot, i, value->key);
    if (!why) TS_TRY(set_value(robot, all, i, entry, value));
    is_used = is_used || !why;
    refusal = why;
    refused = all->names->names[i];
  }
  if (is_used) return TS_OK;
  return ts_document_fail(robot->in, value->key_place, "%s '%.60s' takes no '%s': %s", all->what, refused, value->key,
                          refusal);
}

// A name, or a pattern that stands for several.
static ts_status set_entry(ts_urdf_robot *robot, const named_things *all, const ts_node *entry)
{
  const int number = ts_names_find(all->names, entry->key);
  int first = number, last = number;
  if (number < 0) {
    bool matches = false;
    for (int i = 0; i < all->names->count; ++i)
      matches = matches || ts_wildcard_matches(entry->key, all->names->names[i]);
    if (!matches) return refuse_name(robot, all, entry->key, entry->key_place);
    first = 0;
    last = all->names->count - 1;
  }
  for (const ts_node *value = entry->first; value; value = value->next)
    TS_TRY(set_values(robot, all, first, last, entry, value));
  return TS_OK;
}

static ts_status set_entries(ts_urdf_robot *robot, const named_things *all, const ts_node *map)
{
  for (const ts_node *entry = map ? map->first : NULL; entry; entry = entry->next) TS_TRY(set_entry(robot, all, entry));
  return TS_OK;
}

// ---- joints --------------------------------------------------------------------------------------------------------

static ts_node **settings_of_joint(ts_urdf_robot *robot, int i)
{
  return &robot->joints[i].settings;
}

static const char *refuse_joint_key(const ts_urdf_robot *robot, int i, const char *key)
{
  (void)key;
  return ts_urdf_has_coordinate(robot->joints[i].type)
             ? NULL
             : "revolute, continuous and prismatic joints alone can be set, which have one coordinate";
}

static const ts_node *setting(const ts_urdf_edge *joint, const char *key)
{
  return joint->settings ? ts_node_find(joint->settings, key) : NULL;
}

double ts_urdf_damping(const ts_urdf_edge *joint)
{
  const ts_node *damping = setting(joint, "damping");
  return damping ? damping->number : joint->damping;
}

typedef struct limits {
  double lower, upper;
} limits;

static double number_or(const ts_node *map, const char *key, double fallback)
{
  const ts_node *node = ts_node_find(map, key);
  return node ? node->number : fallback;
}

static double bound_of(double limit)
{
  return fabs(limit) > TS_URDF_FARTHEST_LIMIT ? copysign(INFINITY, limit) : limit;
}

static limits limits_of(const ts_urdf_edge *joint)
{
  const ts_node *given = setting(joint, "limits");
  if (!given) return (limits){bound_of(joint->lower), bound_of(joint->upper)};
  if (given->kind == TS_NODE_LIST) return (limits){given->first->number, given->last->number};
  return (limits){number_or(given, "lower", -INFINITY), number_or(given, "upper", INFINITY)};
}

// Where the joint starts that follows no other.
static ts_status take_start(ts_urdf_robot *robot, int i)
{
  ts_urdf_edge *joint = &robot->joints[i];
  const limits range = limits_of(joint);
  joint->least = range.lower;
  joint->greatest = range.upper;
  const ts_node *position = setting(joint, "position");
  joint->start = position ? position->number : fmin(fmax(0.0, range.lower), range.upper);
  if (!position || (position->number >= range.lower && position->number <= range.upper)) return TS_OK;
  return ts_document_fail(robot->in, position->place,
                          "joint '%.60s' cannot start at %.9g: its limits are %.9g and %.9g",
                          ts_urdf_joint_name(robot, i), joint->start, range.lower, range.upper);
}

// ---- joints that follow others -------------------------------------------------------------------------------------

// One of the joints that a joint follows.
typedef struct followed {
  int joint; // TS_URDF_NONE: there are no more
  double ratio, offset;
} followed;

static followed followed_at(const ts_urdf_robot *robot, int i, int k)
{
  const ts_urdf_edge *joint = &robot->joints[i];
  const ts_node *gear = setting(joint, "gear");
  const bool is_list = gear && gear->kind == TS_NODE_LIST;
  if (k >= (is_list ? gear->count : 1)) return (followed){.joint = TS_URDF_NONE};
  if (!gear) return (followed){joint->mimics, joint->multiplier, joint->offset};
  const ts_node *map = is_list ? ts_node_at(gear, k) : gear;
  const char *name = ts_node_find(map, "joint")->text + strlen(robot->prefix);
  return (followed){ts_names_find(&robot->joint_names, name), number_or(map, "ratio", 0.0),
                    number_or(map, "offset", 0.0)};
}

// The range that the joints which joint i follows give it.
static limits range_of_leaders(const ts_urdf_robot *robot, int i)
{
  limits sum = {0.0, 0.0};
  followed other;
  for (int k = 0; (other = followed_at(robot, i, k)).joint != TS_URDF_NONE; ++k) {
    const ts_urdf_edge *leader = &robot->joints[other.joint];
    const bool forward = other.ratio > 0.0;
    sum.lower += other.ratio * (forward ? leader->least : leader->greatest) + other.offset;
    sum.upper += other.ratio * (forward ? leader->greatest : leader->least) + other.offset;
  }
  return sum;
}

// Leaders without any limit have no range that could be cut.
static bool cuts(limits own, limits leaders)
{
  static const double ROUNDING = 1e-6;
  const double below = isfinite(leaders.lower) ? ROUNDING * (1.0 + fabs(leaders.lower)) : 0.0;
  const double above = isfinite(leaders.upper) ? ROUNDING * (1.0 + fabs(leaders.upper)) : 0.0;
  if (!isfinite(leaders.lower) && !isfinite(leaders.upper)) return false;
  return own.lower > leaders.lower + below || own.upper < leaders.upper - above;
}

// Whether both together leave the leaders less than a hundredth of their range.
static bool locks(limits own, limits leaders)
{
  static const double LEFT = 1e-2, ROUNDING = 1e-9;
  const double length = leaders.upper - leaders.lower;
  const double common = fmin(own.upper, leaders.upper) - fmax(own.lower, leaders.lower);
  return isfinite(length) && common + ROUNDING * (1.0 + fabs(leaders.lower)) < LEFT * length;
}

// Limits of a `mimic` joint that cut the range of the leaders contradict them: published grippers have followers that
// turn against their own limits. The file knows nothing of a gear of the scene, so that its limits stop the leaders
// unless they lock them. A follower whose limits contradict has no stops, since the leaders stop it.
static ts_status check_limits_of_follower(ts_urdf_robot *robot, int i)
{
  ts_urdf_edge *joint = &robot->joints[i];
  const limits own = limits_of(joint), leaders = range_of_leaders(robot, i);
  joint->least = fmax(own.lower, leaders.lower);
  joint->greatest = fmin(own.upper, leaders.upper);
  const bool contradicts = setting(joint, "gear") ? locks(own, leaders) : cuts(own, leaders);
  if (!joint->limited || setting(joint, "limits") || !contradicts) return TS_OK;
  joint->limited = false;
  joint->lower = joint->least = leaders.lower;
  joint->upper = joint->greatest = leaders.upper;
  return ts_urdf_note_repair(robot, TS_URDF_FOLLOWER_LIMITS, ts_urdf_joint_name(robot, i), joint->element->place, 0.0);
}

// A joint follows as its gear says; what the scene says of its start must be the same.
static ts_status follow(ts_urdf_robot *robot, int i)
{
  static const double SAME = 1e-9, FARTHEST = 1e9;
  ts_urdf_edge *joint = &robot->joints[i];
  double start = 0.0;
  if (followed_at(robot, i, 0).joint == TS_URDF_NONE) return TS_OK;
  joint->follows = true;
  followed other;
  for (int k = 0; (other = followed_at(robot, i, k)).joint != TS_URDF_NONE; ++k)
    start += other.ratio * robot->joints[other.joint].start + other.offset;
  const ts_node *position = setting(joint, "position");
  if (position && !(fabs(position->number - start) <= SAME * (1.0 + fabs(start))))
    return ts_document_fail(robot->in, position->place,
                            "joint '%.60s' follows '%.60s' and starts at %.9g with it, not at %.9g",
                            ts_urdf_joint_name(robot, i), ts_urdf_joint_name(robot, followed_at(robot, i, 0).joint),
                            start, position->number);
  if (!(fabs(start) <= FARTHEST))
    return ts_document_fail(robot->in, joint->element->place, "joint '%.60s' follows '%.60s' and would start at %g",
                            ts_urdf_joint_name(robot, i), ts_urdf_joint_name(robot, followed_at(robot, i, 0).joint),
                            start);
  joint->start = start;
  return check_limits_of_follower(robot, i);
}

// A joint that i follows and that no one has come to, or TS_URDF_NONE.
static int find_unreached(const ts_urdf_robot *robot, int i, const bool *reached)
{
  followed other;
  for (int k = 0; (other = followed_at(robot, i, k)).joint != TS_URDF_NONE; ++k)
    if (!reached[other.joint]) return other.joint;
  return TS_URDF_NONE;
}

// Depth first, so that those that are followed come before those that follow. Circles end here too; the model refuses
// them.
static ts_status follow_all(ts_urdf_robot *robot)
{
  const size_t count = (size_t)robot->joint_count;
  bool *reached = ts_arena_bytes(&robot->in->arena, count, sizeof *reached);
  int *path = ts_arena_ints(&robot->in->arena, count);
  if (count > 0) memset(reached, 0, count * sizeof *reached);
  for (int i = 0; i < robot->joint_count; ++i) {
    int length = 0;
    if (!reached[i]) path[length++] = i;
    while (length > 0) {
      const int last = path[length - 1], next = find_unreached(robot, last, reached);
      reached[last] = true;
      if (next != TS_URDF_NONE && !reached[next])
        path[length++] = next;
      else
        TS_TRY(follow(robot, path[--length]));
    }
  }
  return TS_OK;
}

ts_status ts_urdf_set_joints(ts_urdf_robot *robot)
{
  const named_things all = {"joint", &robot->joint_names, settings_of_joint, refuse_joint_key};
  TS_TRY(set_entries(robot, &all, robot->joint_settings));
  for (int i = 0; i < robot->joint_count; ++i) TS_TRY(take_start(robot, i));
  return follow_all(robot);
}

// ---- links ---------------------------------------------------------------------------------------------------------

static ts_node **settings_of_link(ts_urdf_robot *robot, int i)
{
  return &robot->links[i].settings;
}

static const char *refuse_link_key(const ts_urdf_robot *robot, int i, const char *key)
{
  const ts_urdf_node *link = &robot->links[i];
  if (strcmp(key, "mass") == 0) return link->inertial.volume > 0.0 ? NULL : "it has no mass that could be another";
  return link->shape_count > 0 ? NULL : "it has no shapes";
}

static void set_mass(ts_urdf_node *link)
{
  const ts_node *mass = link->settings ? ts_node_find(link->settings, "mass") : NULL;
  if (!mass) return;
  const double factor = mass->number / link->inertial.volume;
  link->inertial.volume = mass->number;
  for (int k = 0; k < 6; ++k) link->inertial.inertia[k] *= factor;
  link->derived = false;
}

static bool touches(const ts_urdf_node *link)
{
  const ts_node *collide = link->settings ? ts_node_find(link->settings, "collide") : NULL;
  return !collide || collide->text[0] == 't';
}

// Shapes lie by link, one behind the other.
static void drop_shapes(ts_urdf_robot *robot)
{
  int kept = 0;
  for (int i = 0; i < robot->link_count; ++i) {
    ts_urdf_node *link = &robot->links[i];
    const int first = link->first_shape, count = touches(link) ? link->shape_count : 0;
    link->first_shape = kept;
    link->shape_count = count;
    for (int k = 0; k < count; ++k) robot->shapes[kept++] = robot->shapes[first + k];
  }
  robot->shape_count = kept;
}

ts_status ts_urdf_set_links(ts_urdf_robot *robot)
{
  const named_things all = {"link", &robot->link_names, settings_of_link, refuse_link_key};
  if (!robot->link_settings) return TS_OK;
  TS_TRY(set_entries(robot, &all, robot->link_settings));
  for (int i = 0; i < robot->link_count; ++i) set_mass(&robot->links[i]);
  ts_urdf_weigh_bodies(robot);
  drop_shapes(robot);
  return TS_OK;
}
