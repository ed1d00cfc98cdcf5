#define _POSIX_C_SOURCE 200809L // strdup
#include "record/layout.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ts_run_table_names[TS_RUN_TABLE_COUNT] = {"states", "contacts", "steps"};

#define COLUMN(name, kind, unit, value) {#name, TS_COLUMN_##kind, unit},
static const ts_column contact_columns[] = {TS_CONTACT_COLUMN_LIST(COLUMN)};
static const ts_column step_columns[] = {TS_STEP_COLUMN_LIST(COLUMN)};
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

static bool add_state_column(ts_run_layout *layout, const char *name, const char *unit)
{
  ts_vocabulary *words = &layout->state_words;
  const int number = ts_vocabulary_add(words, name, strlen(name));
  if (number < 0) return false;
  layout->state_columns[number] = (ts_column){words->names[number], TS_COLUMN_REAL, unit};
  return true;
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
  const int counts[] = {layout->state_words.count, TS_CONTACT_COLUMN_COUNT, TS_STEP_COLUMN_COUNT};
  const ts_column *const columns[] = {layout->state_columns, contact_columns, step_columns};
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
  for (int k = 0; k < TS_COLUMN_KIND_COUNT; ++k) ts_vocabulary_release(&layout->words[k]);
  ts_vocabulary_release(&layout->state_words);
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
