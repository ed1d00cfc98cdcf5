#include "watch/quantity.h"

#include "watch/body_quantity.h"
#include "watch/pair_quantity.h"

#include "touchstone/suggest.h"

#include "model/model.h"
#include "record/layout.h"
#include "step/sim.h"

#include <stdio.h>
#include <string.h>

struct ts_quantity {
  double (*value)(const ts_quantity *quantity, const ts_sim *sim);
  ts_body_value of_body;
  int joint;
  bool is_joint_force, is_of_step, comes_with_step;
  double (*of_step)(const ts_sim *sim);
  ts_pair_quantity *pair;
};

static double value_of_body(const ts_quantity *quantity, const ts_sim *sim)
{
  return ts_body_value_now(&quantity->of_body, sim);
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

#define JOINT_FORCE(name, member)                                                                                      \
  static double joint_##name(const ts_quantity *quantity, const ts_sim *sim)                                           \
  {                                                                                                                    \
    return ts_sim_joint_forces(sim, quantity->joint).member;                                                           \
  }
JOINT_FORCE(motor, motor)
JOINT_FORCE(fx, reaction.force.x)
JOINT_FORCE(fy, reaction.force.y)
JOINT_FORCE(fz, reaction.force.z)
JOINT_FORCE(mx, reaction.moment.x)
JOINT_FORCE(my, reaction.moment.y)
JOINT_FORCE(mz, reaction.moment.z)
#undef JOINT_FORCE

// The names of records.
static const struct {
  const char *name, *unit, *help;
  bool in_space, in_plane;
  bool of_coordinate; // joints without one lack it
  bool is_force;
  double (*value)(const ts_quantity *quantity, const ts_sim *sim);
} joint_rows[] = {{"position", "rad, m", "its coordinate; angles count turns", true, true, true, false, joint_position},
                  {"rate", "rad/s, m/s", "of its coordinate", true, true, true, false, joint_rate},
                  {"motor", "N m, N", "what its motor exerts", true, true, true, true, joint_motor},
                  {"fx", "N", "force on its child, along world axes", true, true, false, true, joint_fx},
                  {"fy", "N", "likewise", true, true, false, true, joint_fy},
                  {"fz", "N", "likewise", true, false, false, true, joint_fz},
                  {"mx", "N m", "moment on its child, about the joint's point", true, false, false, true, joint_mx},
                  {"my", "N m", "likewise", true, false, false, true, joint_my},
                  {"mz", "N m", "likewise", true, false, false, true, joint_mz},
                  {"m", "N m", "moment on its child, about the joint's point", false, true, false, true, joint_mz}};
enum { JOINT_ROWS = sizeof joint_rows / sizeof joint_rows[0] };

// What the joints of a model, or one of them, have.
typedef struct joint_choice {
  bool planar, has_coordinate;
} joint_choice;

static const char *joint_row_name(int i, const void *user)
{
  const joint_choice *of = user;
  const bool exists = (of->planar ? joint_rows[i].in_plane : joint_rows[i].in_space) &&
                      (of->has_coordinate || !joint_rows[i].of_coordinate);
  return exists ? joint_rows[i].name : "";
}

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

#define STEP_ROW(name, kind, unit, what) {#name, unit, TS_COLUMN_##kind, step_##name},
static const struct {
  const char *name, *unit;
  ts_column_kind kind; // those that stand for names are no numbers
  double (*value)(const ts_sim *sim);
} step_rows[] = {TS_STEP_COLUMN_LIST(STEP_ROW)};
#undef STEP_ROW
enum { STEP_ROWS = sizeof step_rows / sizeof step_rows[0] };

static const char *step_row_name(int i, const void *unused)
{
  (void)unused;
  return step_rows[i].kind <= TS_COLUMN_WHOLE ? step_rows[i].name : "";
}

// Energies are those of the state that the step has led to; all else is of the step.
static bool is_of_state(int row)
{
  static const char *const names[] = {"t", "energy", "kinetic", "potential"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strcmp(step_rows[row].name, names[i]) == 0) return true;
  return false;
}

static double value_of_step(const ts_quantity *quantity, const ts_sim *sim)
{
  return quantity->of_step(sim);
}

// ---- names ---------------------------------------------------------------------------------------------------------

enum { NAME_SIZE = 400 };

static const char *joint_name(int i, const void *model)
{
  return ((const ts_model *)model)->joints[i].name;
}

static bool refuse_joint(const ts_model *model, const char *name, ts_name_trouble *trouble)
{
  const char *nearest = ts_suggest(name, model->joint_count, joint_name, model);
  return ts_name_refuse(trouble, "there is no joint '%.60s'%s%.60s%s", name, nearest ? "; did you mean '" : "",
                        nearest ? nearest : "", nearest ? "'?" : "");
}

static bool find_joint_value(const ts_model *model, char *name, ts_quantity *found, ts_name_trouble *trouble)
{
  const char *what = ts_cut_at_last_point(name);
  if (!what) return ts_name_refuse(trouble, "write joints.JOINT.QUANTITY, a JOINT with signs or blanks in quotes");
  found->joint = ts_model_find_joint(model, name);
  if (found->joint < 0) return refuse_joint(model, name, trouble);
  const ts_joint_traits *traits = ts_joint_kind_traits(model->joints[found->joint].kind);
  const joint_choice of = {ts_is_flat(model->freedoms), traits->measure != TS_MEASURE_NONE};
  for (int i = 0; i < JOINT_ROWS; ++i)
    if (strcmp(joint_row_name(i, &of), what) == 0) {
      found->value = joint_rows[i].value;
      found->is_joint_force = found->is_of_step = found->comes_with_step = joint_rows[i].is_force;
      return true;
    }
  return ts_name_refuse_quantity(trouble, of.has_coordinate ? "a joint has" : "a joint without a coordinate has", what,
                                 JOINT_ROWS, joint_row_name, &of);
}

static bool find_step_value(const char *name, ts_quantity *found, ts_name_trouble *trouble)
{
  found->value = value_of_step;
  for (int i = 0; i < STEP_ROWS; ++i)
    if (strcmp(step_row_name(i, NULL), name) == 0) {
      found->of_step = step_rows[i].value;
      found->is_of_step = !is_of_state(i);
      found->comes_with_step = true;
      return true;
    }
  return ts_name_refuse_quantity(trouble, "a step has", name, STEP_ROWS, step_row_name, NULL);
}

static bool begins_with(const char *name, const char *word)
{
  return strncmp(name, word, strlen(word)) == 0;
}

// A body may be called `steps` or `joints`: none of its quantities is one of theirs.
static bool is_of_body(const ts_model *model, const char *name)
{
  char copy[NAME_SIZE];
  ts_body_value unused;
  ts_name_trouble silent;
  return ts_body_value_find(model, strcpy(copy, name), &unused, &silent);
}

static bool find_value(const ts_model *model, char *name, ts_quantity *found, ts_arena *arena, ts_name_trouble *trouble)
{
  static const char joints[] = "joints.", steps[] = "steps.", bodies[] = "bodies(", contacts[] = "contacts(";
  if (strcmp(name, "t") == 0) {
    found->value = value_of_time;
    return true;
  }
  if (begins_with(name, contacts)) {
    found->value = value_of_pair;
    found->is_of_step = found->comes_with_step = true;
    found->pair = ts_pair_quantity_find(model, name + strlen(contacts), arena, trouble);
    return found->pair != NULL;
  }
  found->value = value_of_body;
  if (begins_with(name, bodies))
    return ts_bodies_value_find(model, name + strlen(bodies), &found->of_body, arena, trouble);
  if (begins_with(name, joints) && !is_of_body(model, name))
    return find_joint_value(model, name + strlen(joints), found, trouble);
  if (begins_with(name, steps) && !is_of_body(model, name))
    return find_step_value(name + strlen(steps), found, trouble);
  return ts_body_value_find(model, name, &found->of_body, trouble);
}

ts_quantity *ts_quantity_find(const ts_model *model, const char *name, ts_arena *arena, ts_name_trouble *trouble)
{
  char copy[NAME_SIZE];
  trouble->text[0] = '\0';
  if (strlen(name) >= sizeof copy) {
    ts_name_refuse(trouble, "a name may have %d characters", NAME_SIZE - 1);
    return NULL;
  }
  strcpy(copy, name);
  ts_quantity found = {.joint = -1};
  if (!find_value(model, copy, &found, arena, trouble)) return NULL;
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

bool ts_quantity_is_of_step(const ts_quantity *quantity)
{
  return quantity->is_of_step;
}

bool ts_quantity_comes_with_step(const ts_quantity *quantity)
{
  return quantity->comes_with_step;
}

// ---- the list ------------------------------------------------------------------------------------------------------

static ts_quantity_info info(const char *before, const char *name, const char *unit, const char *help)
{
  ts_quantity_info made = {.unit = unit, .help = help, .in_space = true, .in_plane = true};
  snprintf(made.name, sizeof made.name, "%s%s", before, name);
  return made;
}

static bool body_info(int *i, ts_quantity_info *found)
{
  const ts_body_quantity *row;
  for (int k = 0; (row = ts_body_quantity_row(k)) != NULL; ++k) {
    if ((*i)-- > 0) continue;
    *found = info("BODY.", row->name, row->unit, row->help);
    found->in_space = row->in_space;
    found->in_plane = row->in_plane;
    return true;
  }
  if ((*i)-- == 0) {
    *found = info("BODY.QUANTITY@FRAME", "", "", "the same as seen from a body: in its frame, relative to its motion");
    return true;
  }
  for (int k = 0; (row = ts_body_quantity_row(k)) != NULL; ++k) {
    if (!row->has_no_direction || (*i)-- > 0) continue;
    *found = info("bodies(NAMES).", row->name, row->unit, "the largest of the dynamic bodies of these names");
    return true;
  }
  const char *name, *help;
  for (int k = 0; (name = ts_bodies_quantity_name(k, &help)) != NULL; ++k) {
    if ((*i)-- > 0) continue;
    *found = info("bodies(NAMES).", name, "", help);
    return true;
  }
  return false;
}

static bool joint_info(int *i, ts_quantity_info *found)
{
  for (int k = 0; k < JOINT_ROWS; ++k) {
    if ((*i)-- > 0) continue;
    *found = info("joints.JOINT.", joint_rows[k].name, joint_rows[k].unit, joint_rows[k].help);
    found->in_space = joint_rows[k].in_space;
    found->in_plane = joint_rows[k].in_plane;
    return true;
  }
  return false;
}

static bool pair_info(int *i, ts_quantity_info *found)
{
  const char *name, *unit, *help;
  for (int k = 0; (name = ts_pair_quantity_row(k, &unit, &help)) != NULL; ++k) {
    if ((*i)-- > 0) continue;
    *found = info("contacts(FIRST, SECOND).", name, unit, help);
    return true;
  }
  return false;
}

bool ts_quantity_info_at(int i, ts_quantity_info *found)
{
  if (i-- == 0) {
    *found = info("t", "", "s", "time");
    return true;
  }
  if (body_info(&i, found) || joint_info(&i, found) || pair_info(&i, found)) return true;
  for (int k = 0; k < STEP_ROWS; ++k) {
    if (!*step_row_name(k, NULL) || i-- > 0) continue;
    *found = info("steps.", step_rows[k].name, step_rows[k].unit, "of the last step, as in records");
    return true;
  }
  return false;
}
