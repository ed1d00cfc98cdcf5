#include "plot/joint_panels.h"

#include "plot/contenders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The series of a joint's quantity and its unit, or NULL.
static const double *joint_series(const ts_record *record, int joint, const char *quantity, int count,
                                  const char **unit, ts_heap *heap)
{
  static const char form[] = "joints.%s.%s";
  const char *owner = ts_record_joint_name(record, joint);
  const size_t size = sizeof form + strlen(owner) + strlen(quantity);
  char *name = ts_heap_zeros(heap, size, 1);
  if (!name) return NULL;
  snprintf(name, size, form, owner, quantity);
  int found = 0;
  const double *values = ts_record_series(record, name, &found);
  *unit = ts_record_series_unit(record, name);
  free(name);
  return found == count ? values : NULL;
}

static bool is_something(const double *values, int count)
{
  for (int i = 0; i < count; ++i)
    if (values[i] != 0.0) return true;
  return false;
}

// One quantity of all joints that have it in this unit; what is 0 always is nothing to see.
static void add_quantity(const ts_record *record, const char *quantity, bool of_steps, const char *words,
                         const char *unit, const double *times, int count, ts_figure *figure)
{
  ts_contenders c = {NULL, 0};
  for (int joint = 0; joint < ts_record_joint_count(record); ++joint) {
    const char *own;
    const double *values = joint_series(record, joint, quantity, count, &own, &figure->heap);
    if (!values || strcmp(own, unit) != 0 || !is_something(values, count)) continue;
    double *copy = ts_contender_copy(values, count, &figure->heap);
    if (copy && of_steps) copy[0] = NAN; // no step led to the first state
    ts_contenders_add(&c, ts_record_joint_name(record, joint), copy, count, &figure->heap);
  }
  char label[64];
  snprintf(label, sizeof label, "%s [%s]", words, unit);
  ts_contenders_show(&c, label, times, count, figure);
}

static void add_reactions(const ts_record *record, const double *times, int count, ts_figure *figure)
{
  static const char *const components[] = {"fx", "fy", "fz"};
  ts_contenders c = {NULL, 0};
  for (int joint = 0; joint < ts_record_joint_count(record); ++joint) {
    double *norm = ts_heap_zeros(&figure->heap, (size_t)count, sizeof *norm);
    for (int k = 0; norm && k < (ts_record_is_planar(record) ? 2 : 3); ++k) {
      const char *unit;
      const double *values = joint_series(record, joint, components[k], count, &unit, &figure->heap);
      for (int i = 0; values && i < count; ++i) norm[i] = i == 0 ? NAN : hypot(norm[i], values[i]);
    }
    ts_contenders_add(&c, ts_record_joint_name(record, joint), norm, count, &figure->heap);
  }
  ts_contenders_show(&c, "joint reaction [N]", times, count, figure);
}

void ts_joint_panels(const ts_record *record, const double *times, int count, ts_figure *figure)
{
  static const struct {
    const char *position, *motor;
  } units[] = {{"rad", "N m"}, {"m", "N"}, {"m, rad", "N, N m"}};
  if (ts_record_joint_count(record) == 0) return;
  for (size_t k = 0; k < sizeof units / sizeof *units; ++k)
    add_quantity(record, "position", false, "joint position", units[k].position, times, count, figure);
  for (size_t k = 0; k < sizeof units / sizeof *units; ++k)
    add_quantity(record, "motor", true, "motor force", units[k].motor, times, count, figure);
  add_reactions(record, times, count, figure);
}
