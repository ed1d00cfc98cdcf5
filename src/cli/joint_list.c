#include "cli/joint_list.h"

#include "cli/table.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char *const motor_names[] = {
    [TS_MOTOR_NONE] = "-", [TS_MOTOR_FORCE] = "force", [TS_MOTOR_VELOCITY] = "velocity", [TS_MOTOR_SERVO] = "servo"};

static const char *side_name(const ts_model *model, int body)
{
  return body == TS_WORLD ? "world" : ts_model_body_name(model, body);
}

static void cell_of_point(cli_table *table, const ts_model *model, ts_vec3 point)
{
  if (ts_space_is_planar(ts_model_space(model)))
    cli_table_cell(table, "%.6g, %.6g", point.x, point.y);
  else
    cli_table_cell(table, "%.6g, %.6g, %.6g", point.x, point.y, point.z);
}

static bool is_along_a_length(const ts_joint_def *joint)
{
  return ts_joint_kind_traits(joint->kind)->measure == TS_MEASURE_LENGTH;
}

static void cell_of_limits(cli_table *table, const ts_joint_def *joint)
{
  const char *unit = is_along_a_length(joint) ? "m" : "rad";
  if (!joint->limited)
    cli_table_cell(table, "-");
  else if (isinf(joint->lower) && isinf(joint->upper))
    cli_table_cell(table, "none");
  else if (isinf(joint->lower))
    cli_table_cell(table, "up to %.6g %s", joint->upper, unit);
  else if (isinf(joint->upper))
    cli_table_cell(table, "from %.6g %s", joint->lower, unit);
  else
    cli_table_cell(table, "%.6g to %.6g %s", joint->lower, joint->upper, unit);
}

static void cell_of_motor(cli_table *table, const ts_joint_def *joint)
{
  const char *unit = is_along_a_length(joint) ? "N" : "N m";
  if (joint->motor.kind != TS_MOTOR_NONE && !isinf(joint->motor.max_force))
    cli_table_cell(table, "%s, at most %.6g %s", motor_names[joint->motor.kind], joint->motor.max_force, unit);
  else
    cli_table_cell(table, "%s", motor_names[joint->motor.kind]);
}

// Numbers that few joints have: a column each, where one has it at all.
typedef struct rare_number {
  const char *key; // and heading
  size_t offset;   // in ts_joint_def
  const char *units;
} rare_number;

#define RARE_NUMBER(name, range, units, help) {#name, offsetof(ts_joint_def, name), units},
static const rare_number rare_numbers[] = {TS_JOINT_NUMBER_LIST(RARE_NUMBER)};
enum { RARE_NUMBERS = sizeof rare_numbers / sizeof rare_numbers[0] };

static double rare_number_of(const ts_joint_def *joint, int k)
{
  return *(const double *)(const void *)((const char *)joint + rare_numbers[k].offset);
}

// Of "m, rad" the one that holds; what has no comma holds always.
static void cell_of_rare_number(cli_table *table, const ts_joint_def *joint, int k)
{
  const double number = rare_number_of(joint, k);
  const char *units = rare_numbers[k].units, *comma = strchr(units, ',');
  if (number == 0.0)
    cli_table_cell(table, "-");
  else if (comma && is_along_a_length(joint))
    cli_table_cell(table, "%.6g %.*s", number, (int)(comma - units), units);
  else
    cli_table_cell(table, "%.6g %s", number, comma ? comma + 2 : units);
}

static bool is_used(const ts_model *model, int k)
{
  for (int i = 0; i < ts_model_joint_count(model); ++i) {
    const ts_joint_def joint = ts_model_joint(model, i);
    if (rare_number_of(&joint, k) != 0.0) return true;
  }
  return false;
}

static bool has_stated_closures(const ts_model *model)
{
  for (int i = 0; i < ts_model_joint_count(model); ++i)
    if (ts_model_joint(model, i).closes_loop) return true;
  return false;
}

void cli_print_joints(const ts_model *model)
{
  if (ts_model_joint_count(model) == 0) return;
  cli_table table;
  cli_table_init(&table);
  const char *const headings[] = {"joint", "type", "parent", "child", "at [m]", "limits", "motor"};
  enum { HEADINGS = sizeof headings / sizeof headings[0] };
  _Static_assert(HEADINGS + RARE_NUMBERS + 1 <= CLI_TABLE_COLUMNS, "all columns at once");
  for (size_t i = 0; i < HEADINGS; ++i) cli_table_column(&table, headings[i], 'l');
  bool used[RARE_NUMBERS];
  for (int k = 0; k < RARE_NUMBERS; ++k) {
    used[k] = is_used(model, k);
    if (used[k]) cli_table_column(&table, rare_numbers[k].key, 'l');
  }
  const bool stated = has_stated_closures(model);
  if (stated) cli_table_column(&table, "closes loop", 'l');
  for (int i = 0; i < ts_model_joint_count(model); ++i) {
    const ts_joint_def joint = ts_model_joint(model, i);
    cli_table_row(&table);
    cli_table_cell(&table, "%s", joint.name);
    cli_table_cell(&table, "%s", ts_joint_kind_name(joint.kind));
    cli_table_cell(&table, "%s", side_name(model, joint.parent));
    cli_table_cell(&table, "%s", side_name(model, joint.child));
    cell_of_point(&table, model, joint.at);
    cell_of_limits(&table, &joint);
    cell_of_motor(&table, &joint);
    for (int k = 0; k < RARE_NUMBERS; ++k)
      if (used[k]) cell_of_rare_number(&table, &joint, k);
    if (stated) cli_table_cell(&table, "%s", joint.closes_loop ? "yes" : "-");
  }
  putchar('\n');
  cli_table_print(&table, 0, stdout);
  cli_table_destroy(&table);
}

static const char *unit_of(const ts_model *model, int joint)
{
  const ts_joint_def def = ts_model_joint(model, joint);
  return is_along_a_length(&def) ? "m" : "rad";
}

// A line a joint that is followed; the offset once.
static void print_gear(cli_table *table, const ts_model *model, const ts_gear_def *gear)
{
  const char *unit = unit_of(model, gear->joint);
  for (int k = 0; k < gear->term_count; ++k) {
    const ts_gear_term *term = &gear->terms[k];
    cli_table_row(table);
    cli_table_cell(table, "%s", k == 0 ? ts_model_joint(model, gear->joint).name : "");
    cli_table_cell(table, "%s", ts_model_joint(model, term->joint).name);
    cli_table_cell(table, "%.6g %s/%s", term->ratio, unit, unit_of(model, term->joint));
    if (k == 0) cli_table_cell(table, "%.6g %s", gear->offset, unit);
  }
}

void cli_print_gears(const ts_model *model)
{
  if (ts_model_gear_count(model) == 0) return;
  cli_table table;
  cli_table_init(&table);
  const char *const headings[] = {"geared joint", "follows", "ratio", "offset"};
  for (size_t i = 0; i < sizeof headings / sizeof headings[0]; ++i) cli_table_column(&table, headings[i], 'l');
  for (int i = 0; i < ts_model_gear_count(model); ++i) {
    const ts_gear_def gear = ts_model_gear(model, i);
    print_gear(&table, model, &gear);
  }
  putchar('\n');
  cli_table_print(&table, 0, stdout);
  cli_table_destroy(&table);
}

void cli_print_springs(const ts_model *model)
{
  if (ts_model_spring_count(model) == 0) return;
  cli_table table;
  cli_table_init(&table);
  const char *const words[] = {"spring", "from", "at [m]", "to", "at [m]"};
  const char *const numbers[] = {"stiffness [N/m]", "damping [N s/m]", "length [m]"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) cli_table_column(&table, words[i], 'l');
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) cli_table_column(&table, numbers[i], 'r');
  for (int i = 0; i < ts_model_spring_count(model); ++i) {
    const ts_spring_def spring = ts_model_spring(model, i);
    cli_table_row(&table);
    cli_table_cell(&table, "%s", spring.name);
    for (int side = 0; side < 2; ++side) {
      cli_table_cell(&table, "%s", side_name(model, spring.body[side]));
      cell_of_point(&table, model, spring.at[side]);
    }
    cli_table_cell(&table, "%.6g", spring.stiffness);
    cli_table_cell(&table, "%.6g", spring.damping);
    cli_table_cell(&table, "%.6g", spring.length);
  }
  putchar('\n');
  cli_table_print(&table, 0, stdout);
  cli_table_destroy(&table);
}

static void cell_of_axes(cli_table *table, ts_vec3 v)
{
  cli_table_cell(table, "%.4g %.4g %.4g", v.x, v.y, v.z);
}

void cli_print_bushings(const ts_model *model)
{
  if (ts_model_bushing_count(model) == 0) return;
  cli_table table;
  cli_table_init(&table);
  const char *const words[] = {"bushing", "from", "at [m]", "to"};
  const char *const numbers[] = {"stiffness [N/m]", "[N m/rad]", "damping [N s/m]", "[N m s/rad]"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) cli_table_column(&table, words[i], 'l');
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) cli_table_column(&table, numbers[i], 'r');
  for (int i = 0; i < ts_model_bushing_count(model); ++i) {
    const ts_bushing_def bushing = ts_model_bushing(model, i);
    cli_table_row(&table);
    cli_table_cell(&table, "%s", bushing.name);
    cli_table_cell(&table, "%s", side_name(model, bushing.body[0]));
    cell_of_point(&table, model, bushing.at);
    cli_table_cell(&table, "%s", side_name(model, bushing.body[1]));
    cell_of_axes(&table, bushing.stiffness);
    cell_of_axes(&table, bushing.angular_stiffness);
    cell_of_axes(&table, bushing.damping);
    cell_of_axes(&table, bushing.angular_damping);
  }
  putchar('\n');
  cli_table_print(&table, 0, stdout);
  cli_table_destroy(&table);
}

// ---- JSON ----------------------------------------------------------------------------------------------------------

static void write_vector(cli_json *json, const char *key, ts_vec3 v)
{
  cli_json_numbers(json, key, (const double[]){v.x, v.y, v.z}, 3);
}

// Limits that are infinite become null.
void cli_write_joints(cli_json *json, const ts_model *model)
{
  cli_json_open_array(json, "joints");
  for (int i = 0; i < ts_model_joint_count(model); ++i) {
    const ts_joint_def joint = ts_model_joint(model, i);
    cli_json_open_object(json, NULL);
    cli_json_text(json, "name", joint.name);
    cli_json_text(json, "type", ts_joint_kind_name(joint.kind));
    cli_json_text(json, "parent", side_name(model, joint.parent));
    cli_json_text(json, "child", side_name(model, joint.child));
    write_vector(json, "at", joint.at);
    write_vector(json, "axis", joint.axis);
    if (joint.limited) cli_json_numbers(json, "limits", (const double[]){joint.lower, joint.upper}, 2);
    for (int k = 0; k < RARE_NUMBERS; ++k)
      if (rare_number_of(&joint, k) != 0.0) cli_json_number(json, rare_numbers[k].key, rare_number_of(&joint, k));
    if (joint.motor.kind != TS_MOTOR_NONE) cli_json_text(json, "motor", motor_names[joint.motor.kind]);
    if (joint.closes_loop) cli_json_boolean(json, "closes_loop", true);
    cli_json_close(json);
  }
  cli_json_close(json);
}

void cli_write_gears(cli_json *json, const ts_model *model)
{
  cli_json_open_array(json, "gears");
  for (int i = 0; i < ts_model_gear_count(model); ++i) {
    const ts_gear_def gear = ts_model_gear(model, i);
    cli_json_open_object(json, NULL);
    cli_json_text(json, "joint", ts_model_joint(model, gear.joint).name);
    cli_json_open_array(json, "follows");
    for (int k = 0; k < gear.term_count; ++k) {
      cli_json_open_object(json, NULL);
      cli_json_text(json, "joint", ts_model_joint(model, gear.terms[k].joint).name);
      cli_json_number(json, "ratio", gear.terms[k].ratio);
      cli_json_close(json);
    }
    cli_json_close(json);
    cli_json_number(json, "offset", gear.offset);
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void write_sides(cli_json *json, const ts_model *model, const int body[2])
{
  cli_json_open_array(json, "bodies");
  for (int side = 0; side < 2; ++side) cli_json_text(json, NULL, side_name(model, body[side]));
  cli_json_close(json);
}

void cli_write_springs(cli_json *json, const ts_model *model)
{
  cli_json_open_array(json, "springs");
  for (int i = 0; i < ts_model_spring_count(model); ++i) {
    const ts_spring_def spring = ts_model_spring(model, i);
    cli_json_open_object(json, NULL);
    cli_json_text(json, "name", spring.name);
    write_sides(json, model, spring.body);
    cli_json_open_array(json, "at");
    for (int side = 0; side < 2; ++side) write_vector(json, NULL, spring.at[side]);
    cli_json_close(json);
    cli_json_number(json, "stiffness", spring.stiffness);
    cli_json_number(json, "damping", spring.damping);
    cli_json_number(json, "length", spring.length);
    cli_json_close(json);
  }
  cli_json_close(json);
}

void cli_write_bushings(cli_json *json, const ts_model *model)
{
  cli_json_open_array(json, "bushings");
  for (int i = 0; i < ts_model_bushing_count(model); ++i) {
    const ts_bushing_def bushing = ts_model_bushing(model, i);
    cli_json_open_object(json, NULL);
    cli_json_text(json, "name", bushing.name);
    write_sides(json, model, bushing.body);
    write_vector(json, "at", bushing.at);
    write_vector(json, "stiffness", bushing.stiffness);
    write_vector(json, "damping", bushing.damping);
    write_vector(json, "angular_stiffness", bushing.angular_stiffness);
    write_vector(json, "angular_damping", bushing.angular_damping);
    cli_json_close(json);
  }
  cli_json_close(json);
}
