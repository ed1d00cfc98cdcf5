#define _POSIX_C_SOURCE 200809L // strdup
#include "record/layout.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ts_run_table_names[TS_RUN_TABLE_COUNT] = {"states", "contacts", "steps", "joints", "impacts"};

#define COLUMN(name, kind, unit, value) {#name, TS_COLUMN_##kind, unit},
static const ts_column contact_columns[] = {TS_CONTACT_COLUMN_LIST(COLUMN)};
static const ts_column step_columns[] = {TS_STEP_COLUMN_LIST(COLUMN)};
static const ts_column impact_columns[] = {TS_IMPACT_COLUMN_LIST(COLUMN)};
#undef COLUMN

// ---- quantities of a body ------------------------------------------------------------------------------------------

typedef struct quantity {
  const char *name, *unit;
} quantity;

static const quantity spatial[] = {{"x", "m"},      {"y", "m"},      {"z", "m"},     {"qw", ""},    {"qx", ""},
                                   {"qy", ""},      {"qz", ""},      {"vx", "m/s"},  {"vy", "m/s"}, {"vz", "m/s"},
                                   {"wx", "rad/s"}, {"wy", "rad/s"}, {"wz", "rad/s"}};
static const quantity flat[] = {{"x", "m"}, {"y", "m"}, {"theta", "rad"}, {"vx", "m/s"}, {"vy", "m/s"}, {"w", "rad/s"}};

int ts_run_quantity_count(bool planar)
{
  return planar ? (int)(sizeof flat / sizeof *flat) : (int)(sizeof spatial / sizeof *spatial);
}

const char *ts_run_quantity(bool planar, int i)
{
  return planar ? flat[i].name : spatial[i].name;
}

// Units where the coordinate is an angle, a length, or it is not known which.
typedef struct joint_quantity {
  const char *name, *unit[3];
} joint_quantity;

static const joint_quantity joint_spatial[] = {{"position", {"rad", "m", "m, rad"}},
                                               {"rate", {"rad/s", "m/s", "m/s, rad/s"}},
                                               {"motor", {"N m", "N", "N, N m"}},
                                               {"fx", {"N", "N", "N"}},
                                               {"fy", {"N", "N", "N"}},
                                               {"fz", {"N", "N", "N"}},
                                               {"mx", {"N m", "N m", "N m"}},
                                               {"my", {"N m", "N m", "N m"}},
                                               {"mz", {"N m", "N m", "N m"}}};
static const joint_quantity joint_flat[] = {{"position", {"rad", "m", "m, rad"}},
                                            {"rate", {"rad/s", "m/s", "m/s, rad/s"}},
                                            {"motor", {"N m", "N", "N, N m"}},
                                            {"fx", {"N", "N", "N"}},
                                            {"fy", {"N", "N", "N"}},
                                            {"m", {"N m", "N m", "N m"}}};

int ts_run_joint_quantity_count(bool planar)
{
  return (int)(planar ? sizeof joint_flat / sizeof *joint_flat : sizeof joint_spatial / sizeof *joint_spatial);
}

const char *ts_run_joint_quantity(bool planar, int i)
{
  return planar ? joint_flat[i].name : joint_spatial[i].name;
}

bool ts_column_is_whole(const ts_column *column)
{
  return column->kind != TS_COLUMN_REAL;
}

int ts_run_body_count(const ts_run_layout *layout)
{
  return layout->words[TS_COLUMN_BODY].count;
}

// ---- making the tables ---------------------------------------------------------------------------------------------

static ts_status out_of_memory(ts_error *error)
{
  return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
}

static bool copy_text(const char *text, char **copy)
{
  *copy = text ? strdup(text) : NULL;
  return !text || *copy;
}

static ts_status name_bodies(ts_run_layout *layout, const ts_run_setup *setup, ts_error *error)
{
  for (int b = 0; b < setup->body_count; ++b) {
    const ts_run_body *body = &setup->bodies[b];
    const int number = ts_vocabulary_add(&layout->words[TS_COLUMN_BODY], body->name, strlen(body->name));
    if (number < 0) return out_of_memory(error);
    if (number != b) return ts_fail(error, TS_INVALID, "two bodies are called '%s'", body->name);
    layout->kinds[b] = body->kind;
    layout->poses[b] = body->pose;
  }
  return TS_OK;
}

static ts_status name_modes(ts_run_layout *layout, ts_error *error)
{
  for (int mode = TS_SEPARATE; mode <= TS_ROLL; ++mode) {
    const char *name = ts_contact_mode_name((ts_contact_mode)mode);
    if (ts_vocabulary_add(&layout->words[TS_COLUMN_MODE], name, strlen(name)) < 0) return out_of_memory(error);
  }
  return TS_OK;
}

// A column whose name begins after the first `prefix` letters of its word.
static bool add_column(ts_vocabulary *words, ts_column *columns, size_t prefix, const char *word, const char *unit)
{
  const int number = ts_vocabulary_add(words, word, strlen(word));
  if (number < 0) return false;
  columns[number] = (ts_column){words->names[number] + prefix, TS_COLUMN_REAL, unit};
  return true;
}

static bool add_state_column(ts_run_layout *layout, const char *name, const char *unit)
{
  return add_column(&layout->state_words, layout->state_columns, 0, name, unit);
}

static bool add_body_columns(ts_run_layout *layout, const char *body)
{
  enum { LONGEST_QUANTITY = 8 };
  const quantity *quantities = layout->planar ? flat : spatial;
  const size_t size = strlen(body) + 1 + LONGEST_QUANTITY;
  char *name = malloc(size);
  bool added = name;
  for (int i = 0; added && i < ts_run_quantity_count(layout->planar); ++i) {
    snprintf(name, size, "%s.%s", body, quantities[i].name);
    added = add_state_column(layout, name, quantities[i].unit);
  }
  free(name);
  return added;
}

// A name decides between body and quantity at its last point, so two columns never have the same name.
static ts_status make_state_columns(ts_run_layout *layout, ts_error *error)
{
  const int bodies = ts_run_body_count(layout);
  const size_t most = 1 + (size_t)bodies * (size_t)ts_run_quantity_count(layout->planar);
  layout->state_columns = calloc(most, sizeof *layout->state_columns);
  if (!layout->state_columns || !add_state_column(layout, "t", "s")) return out_of_memory(error);
  for (int b = 0; b < bodies; ++b) {
    layout->first_column[b] = layout->kinds[b] == TS_FIXED ? -1 : layout->state_words.count;
    if (layout->kinds[b] == TS_FIXED) continue;
    if (!add_body_columns(layout, layout->words[TS_COLUMN_BODY].names[b])) return out_of_memory(error);
  }
  return TS_OK;
}

static const char joint_prefix[] = "joints.";

static bool add_joint_column(ts_run_layout *layout, const char *word, const char *unit)
{
  return add_column(&layout->joint_words, layout->joint_columns, strlen(joint_prefix), word, unit);
}

static bool add_joint_columns(ts_run_layout *layout, const ts_run_joint *joint)
{
  enum { LONGEST_QUANTITY = 16 };
  const joint_quantity *quantities = layout->planar ? joint_flat : joint_spatial;
  const int unit = joint->is_unknown ? 2 : joint->measure == TS_MEASURE_LENGTH ? 1 : 0;
  const size_t size = strlen(joint_prefix) + strlen(joint->name) + 1 + LONGEST_QUANTITY;
  char *word = malloc(size);
  bool added = word;
  for (int i = joint->measure == TS_MEASURE_NONE ? TS_JOINT_COORDINATE_QUANTITIES : 0;
       added && i < ts_run_joint_quantity_count(layout->planar); ++i) {
    snprintf(word, size, "%s%s.%s", joint_prefix, joint->name, quantities[i].name);
    added = add_joint_column(layout, word, quantities[i].unit[unit]);
  }
  free(word);
  return added;
}

// As for bodies, no two columns have the same name. Nor have a series of a joint and one of a body: their quantities
// have other names.
static ts_status make_joint_columns(ts_run_layout *layout, const ts_run_setup *setup, ts_error *error)
{
  if (setup->joint_count == 0) return TS_OK;
  const size_t joints = (size_t)setup->joint_count;
  layout->joint_count = setup->joint_count;
  layout->measures = calloc(joints, sizeof *layout->measures);
  layout->joint_columns =
      calloc(1 + joints * (size_t)ts_run_joint_quantity_count(layout->planar), sizeof *layout->joint_columns);
  if (!layout->measures || !layout->joint_columns || !add_joint_column(layout, "joints.t", "s"))
    return out_of_memory(error);
  for (int j = 0; j < setup->joint_count; ++j) {
    const ts_run_joint *joint = &setup->joints[j];
    const int number = ts_vocabulary_add(&layout->joint_names, joint->name, strlen(joint->name));
    if (number < 0) return out_of_memory(error);
    if (number != j) return ts_fail(error, TS_INVALID, "two joints are called '%s'", joint->name);
    layout->measures[j] = joint->measure;
    if (!add_joint_columns(layout, joint)) return out_of_memory(error);
  }
  return TS_OK;
}

static ts_status fill_layout(ts_run_layout *layout, const ts_run_setup *setup, ts_error *error)
{
  const size_t bodies = (size_t)setup->body_count + 1; // never nothing
  layout->kinds = calloc(bodies, sizeof *layout->kinds);
  layout->poses = calloc(bodies, sizeof *layout->poses);
  layout->first_column = calloc(bodies, sizeof *layout->first_column);
  if (!layout->kinds || !layout->poses || !layout->first_column || !copy_text(setup->method, &layout->method) ||
      !copy_text(setup->solver, &layout->solver) || !copy_text(setup->scene, &layout->scene))
    return out_of_memory(error);
  TS_TRY(name_bodies(layout, setup, error));
  TS_TRY(name_modes(layout, error));
  TS_TRY(make_state_columns(layout, error));
  TS_TRY(make_joint_columns(layout, setup, error));
  const int counts[] = {[TS_STATES] = layout->state_words.count,
                        [TS_CONTACTS] = TS_CONTACT_COLUMN_COUNT,
                        [TS_STEPS] = TS_STEP_COLUMN_COUNT,
                        [TS_JOINTS] = layout->joint_words.count,
                        [TS_IMPACTS] = setup->locates_impacts ? TS_IMPACT_COLUMN_COUNT : 0};
  const ts_column *const columns[] = {[TS_STATES] = layout->state_columns,
                                      [TS_CONTACTS] = contact_columns,
                                      [TS_STEPS] = step_columns,
                                      [TS_JOINTS] = layout->joint_columns,
                                      [TS_IMPACTS] = impact_columns};
  memcpy(layout->column_count, counts, sizeof counts);
  memcpy(layout->columns, columns, sizeof columns);
  return TS_OK;
}

ts_status ts_run_layout_init(ts_run_layout *layout, const ts_run_setup *setup, ts_error *error)
{
  *layout = (ts_run_layout){.planar = setup->planar, .step_size = setup->step_size, .tolerance = setup->tolerance};
  const ts_status status = fill_layout(layout, setup, error);
  if (status != TS_OK) ts_run_layout_release(layout);
  return status;
}

void ts_run_layout_release(ts_run_layout *layout)
{
  free(layout->method);
  free(layout->solver);
  free(layout->scene);
  free(layout->kinds);
  free(layout->poses);
  free(layout->first_column);
  free(layout->state_columns);
  free(layout->joint_columns);
  free(layout->measures);
  for (int k = 0; k < TS_COLUMN_KIND_COUNT; ++k) ts_vocabulary_release(&layout->words[k]);
  ts_vocabulary_release(&layout->state_words);
  ts_vocabulary_release(&layout->joint_words);
  ts_vocabulary_release(&layout->joint_names);
  *layout = (ts_run_layout){0};
}

ts_pose ts_run_pose(const ts_run_layout *layout, int body, const double *values, size_t stride)
{
  if (layout->first_column[body] < 0) return layout->poses[body];
  const double *v = values + (size_t)layout->first_column[body] * stride;
  if (layout->planar) {
    const double half = 0.5 * v[2 * stride];
    return (ts_pose){{v[0], v[stride], 0.0}, {cos(half), 0.0, 0.0, sin(half)}};
  }
  return (ts_pose){{v[0], v[stride], v[2 * stride]}, {v[3 * stride], v[4 * stride], v[5 * stride], v[6 * stride]}};
}
