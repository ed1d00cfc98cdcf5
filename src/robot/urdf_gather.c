#include "robot/urdf_gather.h"

#include "robot/urdf_settings.h"
#include "robot/urdf_write.h"
#include "document/common_keys.h"
#include "document/validate.h"
#include "document/values.h"

#include "math/vec3.h"

#include <string.h>

static const uint32_t OPTIONS_COOKIE = 0x75726466;
static const double CLEARANCE = 1e-3; // [m] between a robot and the floor it is dropped on

// ---- options -------------------------------------------------------------------------------------------------------

ts_urdf_options ts_urdf_options_default(void)
{
  return (ts_urdf_options){.base = TS_BASE_FIXED,
                           .inertia = TS_INERTIA_AUTO,
                           .missing_meshes = TS_MESHES_REFUSE,
                           .density = 1000.0,
                           .pose = ts_pose_identity(),
                           .cookie = OPTIONS_COOKIE};
}

static ts_status check_starts(const ts_urdf_options *options, ts_error *error)
{
  if (options->start_count < 0 || (options->start_count > 0 && !options->starts))
    return ts_fail(error, TS_INVALID, "the starts of joints are %d, but there is no list", options->start_count);
  for (int i = 0; i < options->start_count; ++i) {
    const ts_urdf_start *start = &options->starts[i];
    if (!start->joint) return ts_fail(error, TS_INVALID, "start %d of a joint has no name", i);
    if (!ts_range_holds(TS_RANGE_PLACE, start->position))
      return ts_fail(error, TS_INVALID, "joint '%.60s': where it starts must be %s, not %g", start->joint,
                     ts_range_text(TS_RANGE_PLACE), start->position);
  }
  return TS_OK;
}

ts_status ts_urdf_options_check(const ts_urdf_options *options, ts_error *error)
{
  if (options->cookie != OPTIONS_COOKIE)
    return ts_fail(error, TS_INVALID, "options of a robot must come from ts_urdf_options_default()");
  if (options->base != TS_BASE_FIXED && options->base != TS_BASE_FREE)
    return ts_fail(error, TS_INVALID, "the base %d of a robot is unknown", (int)options->base);
  if ((int)options->inertia < 0 || options->inertia >= TS_INERTIA_COUNT)
    return ts_fail(error, TS_INVALID, "the way %d to treat inertias of a robot is unknown", (int)options->inertia);
  if ((int)options->missing_meshes < 0 || options->missing_meshes >= TS_MESHES_COUNT)
    return ts_fail(error, TS_INVALID, "the way %d to treat missing meshes of a robot is unknown",
                   (int)options->missing_meshes);
  if (!(options->density >= 0.0 && isfinite(options->density)))
    return ts_fail(error, TS_INVALID, "the density must be a finite number of at least 0, not %g", options->density);
  if (!ts_vec3_is_finite(options->pose.position) || !(fabs(ts_quat_length(options->pose.orientation) - 1.0) < 1e-3))
    return ts_fail(error, TS_INVALID, "the pose of a robot must be finite, with a quaternion of length 1");
  return check_starts(options, error);
}

// What a scene says of a robot.
static const char *const urdf_bases[] = {[TS_BASE_FIXED] = "fixed", [TS_BASE_FREE] = "free", NULL};
#define OPTION_WORD(name, text) text,
static const char *const urdf_inertias[] = {TS_URDF_INERTIA_LIST(OPTION_WORD) NULL};
static const char *const urdf_meshes[] = {TS_URDF_MESHES_LIST(OPTION_WORD) NULL};
#undef OPTION_WORD
static const ts_key urdf_keys[] = {
    {"file", TS_VALUE_TEXT, .required = true, .above_zero = true, .help = "URDF file, beside the scene file"},
    {"name", TS_VALUE_TEXT, .above_zero = true, .help = "goes before the names of its bodies and joints, with a `/`"},
    {"base", TS_VALUE_CHOICE, .choices = urdf_bases, .fallback = "fixed", .help = "what holds the root link"},
    {"position", TS_VALUE_VECTOR, "m", .fallback = "0", .help = "of the root link at time 0"},
    TS_ORIENTATION_ROWS,
    {"hold", TS_VALUE_BOOLEAN, .fallback = "false", .help = "true: a brake on every joint, with at most its effort"},
    {"density", TS_VALUE_NUMBER, "kg/m^3", .range = TS_RANGE_NOT_NEGATIVE, .fallback = "1000",
     .help = "of the shapes of links without `inertial`; 0: they weigh nothing"},
    {"inertia", TS_VALUE_CHOICE, .choices = urdf_inertias, .fallback = "auto",
     .help = "impossible ones: refused, the nearest possible, from the shapes, or which of them fits"},
    {"missing_meshes", TS_VALUE_CHOICE, .choices = urdf_meshes, .fallback = "refuse",
     .help = "skip: shapes whose mesh is nowhere are left out"},
    {"strict", TS_VALUE_BOOLEAN, .fallback = "false", .help = "true: nothing is repaired, guessed at or left out"},
    {"packages", TS_VALUE_TEXTS, .least = 1, .most = TS_ANY_NUMBER, .above_zero = true,
     .help = "folders to look for meshes in, beside the scene file"},
    {"joints", TS_VALUE_MAP, .section = &ts_urdf_joints_section,
     .help = "by their names in the file, where `*` and `?` stand for characters: where they start, what drives them"},
    {"links", TS_VALUE_MAP, .section = &ts_urdf_links_section, .help = "likewise: what they are made of"},
};
const ts_section ts_urdf_section = {"a robot", "ROBOT", TS_KEYS(urdf_keys)};

// ---- facts ---------------------------------------------------------------------------------------------------------

static int degrees_of(ts_urdf_joint_type type)
{
#define TYPE_DEGREES(name, text, dof) dof,
  static const int degrees[] = {TS_URDF_JOINT_LIST(TYPE_DEGREES)};
#undef TYPE_DEGREES
  return degrees[type];
}

// Links and joints of several robots stand one behind the other.
static void *extend(ts_arena *arena, const void *list, int count, int more, size_t size)
{
  void *longer = ts_arena_bytes(arena, (size_t)count + (size_t)more, size);
  if (count > 0) memcpy(longer, list, (size_t)count * size);
  return longer;
}

static void keep_links(ts_urdf_robot *robot, ts_urdf_facts *facts)
{
  ts_urdf_summary *sums = &facts->summary;
  facts->links = extend(&facts->memory, facts->links, sums->links, robot->link_count, sizeof *facts->links);
  for (int i = 0; i < robot->link_count; ++i) {
    const ts_urdf_node *link = &robot->links[i];
    const char *name = ts_urdf_scene_name(robot, ts_urdf_link_name(robot, i)), *body = robot->bodies[link->body].name;
    facts->links[sums->links++] = (ts_urdf_link){.name = ts_copy_text(name, &facts->memory),
                                                 .body = ts_copy_text(body ? body : "world", &facts->memory),
                                                 .pose = body ? link->in_body : link->pose,
                                                 .mass = link->inertial.volume};
    sums->mass += link->inertial.volume;
    if (link->derived) sums->derived_mass += link->inertial.volume;
  }
}

static void keep_joints(ts_urdf_robot *robot, ts_urdf_facts *facts)
{
  ts_urdf_summary *sums = &facts->summary;
  facts->joints = extend(&facts->memory, facts->joints, sums->joints, robot->joint_count, sizeof *facts->joints);
  if (!robot->bodies[0].fixed) sums->velocities += 6;
  for (int i = 0; i < robot->joint_count; ++i) {
    const ts_urdf_edge *joint = &robot->joints[i];
    const char *name = ts_urdf_scene_name(robot, ts_urdf_joint_name(robot, i));
    sums->velocities += degrees_of(joint->type);
    facts->joints[sums->joints++] =
        (ts_urdf_joint){.name = ts_copy_text(name, &facts->memory),
                        .type = ts_copy_text(ts_urdf_text(joint->element, "type"), &facts->memory),
                        .lower = joint->lower,
                        .upper = joint->upper,
                        .start = joint->start,
                        .effort = joint->effort,
                        .velocity = joint->velocity,
                        .damping = joint->damping,
                        .friction = joint->friction,
                        .multiplier = joint->multiplier,
                        .offset = joint->offset};
    if (joint->mimics == TS_URDF_NONE) continue;
    const char *mimics = ts_urdf_scene_name(robot, ts_urdf_joint_name(robot, joint->mimics));
    facts->joints[sums->joints - 1].mimics = ts_copy_text(mimics, &facts->memory);
  }
}

// ---- all -----------------------------------------------------------------------------------------------------------

static ts_status check_root(ts_document_input *in, const ts_xml_element *root)
{
  if (strcmp(root->name, ts_urdf_robot_element.name) == 0) return ts_urdf_check(in, root, &ts_urdf_robot_element);
  if (strcmp(root->name, "mujoco") == 0)
    return ts_document_fail(in, root->place, "this is an MJCF file, the format of MuJoCo; only URDF is read");
  return ts_document_fail(in, root->place, "the root of a URDF file is 'robot', not '%.60s'", root->name);
}

static ts_status read_robot(ts_urdf_robot *robot)
{
  TS_TRY(check_root(robot->in, robot->element));
  TS_TRY(ts_urdf_read_links(robot));
  TS_TRY(ts_urdf_set_joints(robot));
  TS_TRY(ts_urdf_order_links(robot));
  TS_TRY(ts_urdf_read_shapes(robot));
  ts_urdf_tell_guesses(robot);
  ts_urdf_place_links(robot);
  ts_urdf_join_links(robot);
  TS_TRY(ts_urdf_read_masses(robot));
  TS_TRY(ts_urdf_supply_masses(robot));
  TS_TRY(ts_urdf_set_links(robot));
  ts_urdf_tell_repairs(robot);
  if (robot->options->floor) ts_urdf_put_on_floor(robot, CLEARANCE);
  return TS_OK;
}

// Into *root, where that is NULL into a scene of its own.
static ts_status add_robot(ts_urdf_robot *robot, const char *text, size_t length, int file, ts_urdf_facts *facts,
                           ts_node **root)
{
  ts_xml_element *element;
  ts_urdf_pair *pairs;
  int pair_count;
  TS_TRY(ts_xml_parse(robot->in, text, length, file, &element));
  robot->element = element;
  TS_TRY(read_robot(robot));
  TS_TRY(ts_urdf_find_overlaps(robot, &pairs, &pair_count));
  TS_TRY(ts_urdf_reserve_values(robot, pair_count));
  if (!*root) *root = ts_urdf_write_settings(robot);
  ts_urdf_write(robot, pairs, pair_count, *root);
  keep_links(robot, facts);
  keep_joints(robot, facts);
  facts->summary.separated += pair_count;
  return TS_OK;
}

// The starts of joints as a scene has them.
static ts_status write_starts(ts_document_input *in, const ts_urdf_options *options, const ts_node **joints)
{
  const ts_place nowhere = {0};
  ts_node *map = options->start_count > 0 ? ts_node_create(in, TS_NODE_MAP, nowhere) : NULL;
  for (int i = 0; i < options->start_count; ++i) {
    const ts_urdf_start *start = &options->starts[i];
    ts_node *entry = ts_node_create(in, TS_NODE_MAP, nowhere);
    ts_node *position = ts_node_create_number(in, start->position, nowhere);
    if (!map || !entry || !position) return in->error->status;
    ts_node_set(entry, "position", nowhere, position);
    entry->key = start->joint;
    ts_node_append(map, entry); // a name may come again
  }
  *joints = map;
  return TS_OK;
}

ts_status ts_urdf_gather(ts_document_input *in, const char *text, size_t length, int file,
                         const ts_urdf_options *options, ts_urdf_facts *facts, ts_node **root)
{
  ts_urdf_robot robot = {.in = in, .options = options, .prefix = ""};
  *root = NULL;
  TS_TRY(write_starts(in, options, &robot.joint_settings));
  return add_robot(&robot, text, length, file, facts, root);
}

// ---- robots of a scene ---------------------------------------------------------------------------------------------

static void read_packages(ts_document_input *in, const ts_node *list, ts_urdf_options *options)
{
  if (!list) return;
  const char **packages = ts_arena_bytes(&in->arena, (size_t)list->count, sizeof *packages);
  for (const ts_node *item = list->first; item; item = item->next)
    packages[options->package_count++] = ts_document_beside(in, item->place.file, item->text);
  options->packages = packages;
}

static const char *prefix_of(ts_document_input *in, const char *name)
{
  char *prefix = ts_document_take(in, strlen(name) + 2);
  return *name ? strcat(strcpy(prefix, name), "/") : prefix;
}

static ts_status include_robot(ts_document_input *in, ts_node *root, ts_node *map, ts_urdf_facts *facts)
{
  TS_TRY(ts_document_validate(in, map, &ts_urdf_section, TS_SPACE_3D));
  ts_urdf_options options = ts_urdf_options_default();
  const ts_node *file = ts_node_get(map, "file");
  const char *path = ts_document_beside(in, file->place.file, file->text);
  options.base = (ts_urdf_base)ts_node_choice(map, "base", (int)options.base);
  options.hold = ts_node_boolean(map, "hold", options.hold);
  options.density = ts_node_number(map, "density", options.density);
  options.inertia = (ts_urdf_inertia)ts_node_choice(map, "inertia", (int)options.inertia);
  options.missing_meshes = (ts_urdf_meshes)ts_node_choice(map, "missing_meshes", (int)options.missing_meshes);
  options.strict = ts_node_boolean(map, "strict", options.strict);
  options.pose.position = ts_node_vector(map, "position", options.pose.position);
  options.pose.orientation = ts_node_orientation(map, options.pose.orientation);
  read_packages(in, ts_node_get(map, "packages"), &options);
  ts_urdf_robot robot = {.in = in,
                         .options = &options,
                         .prefix = prefix_of(in, ts_node_word(map, "name", "")),
                         .positioned = ts_node_get(map, "position") != NULL,
                         .oriented = ts_node_get(map, "orientation") != NULL,
                         .joint_settings = ts_node_get(map, "joints"),
                         .link_settings = ts_node_get(map, "links")};
  size_t length;
  TS_TRY(ts_document_load(in, path, file->place, &length));
  return add_robot(&robot, in->content, length, ts_document_add_file(in, path), facts, &root);
}

// What is no map, or no list, where one is wanted, the check of the whole scene refuses.
static bool can_include(const ts_node *root, const ts_node *robots, ts_space space)
{
  static const char *const keys[] = {"bodies", "joints", "pairs"};
  bool takes = !ts_space_is_planar(space) && (robots->kind == TS_NODE_MAP || robots->count > 0);
  if (robots->kind == TS_NODE_LIST)
    for (const ts_node *map = robots->first; map; map = map->next) takes = takes && map->kind == TS_NODE_MAP;
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
    const ts_node *list = ts_node_find(root, keys[i]);
    takes = takes && (!list || list->kind == TS_NODE_LIST);
  }
  return takes;
}

ts_status ts_urdf_include(ts_document_input *in, ts_node *root, ts_space space, ts_urdf_facts *facts)
{
  ts_node *robots = root->kind == TS_NODE_MAP ? ts_node_find(root, "urdf") : NULL;
  if (!robots || !can_include(root, robots, space)) return TS_OK;
  if (robots->kind == TS_NODE_LIST)
    for (ts_node *map = robots->first; map; map = map->next) TS_TRY(include_robot(in, root, map, facts));
  else
    TS_TRY(include_robot(in, root, robots, facts));
  ts_node_remove(root, robots);
  return TS_OK;
}
