#include "recorded_run.h"

#include "math/vec3.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void *table_of(size_t rows, size_t size)
{
  void *memory = calloc(rows + 1, size);
  if (!memory) abort();
  return memory;
}

// Copy a series into every `stride`-th number; false: there is no such series of so many rows
static bool read_series(const ts_record *record, const char *name, int rows, double *values, size_t stride)
{
  int count;
  const double *series = ts_record_series(record, name, &count);
  if (!series || count != rows) return false;
  for (int i = 0; i < rows; ++i) values[(size_t)i * stride] = series[i];
  return true;
}

static int number_of(const ts_record *record, int body)
{
  return atoi(ts_record_body_name(record, body) + 1);
}

static void read_poses(recorded_run *run, const campaign_scene *scene, const ts_record *record)
{
  const int recorded = ts_record_body_count(record), n = scene->body_count;
  ts_pose *poses = table_of((size_t)recorded, sizeof *poses);
  for (int i = 0; i <= run->step_count; ++i) {
    ts_record_poses(record, i, poses);
    for (int b = 0; b < recorded; ++b) run->poses[i * n + number_of(record, b)] = poses[b];
  }
  free(poses);
}

static bool read_twists(recorded_run *run, const campaign_scene *scene, const ts_record *record)
{
  static const char *const solid[] = {"vx", "vy", "vz", "wx", "wy", "wz"}, *const flat[] = {"vx", "vy", "",
                                                                                            "",   "",   "w"};
  const size_t stride = (size_t)scene->body_count * sizeof(ts_twist) / sizeof(double);
  bool whole = true;
  for (int b = 0; b < scene->body_count; ++b)
    for (int k = 0; k < 6 && scene->bodies[b].kind != TS_FIXED; ++k) {
      const char *quantity = campaign_is_planar(scene) ? flat[k] : solid[k];
      char name[32];
      snprintf(name, sizeof name, "b%d.%s", b, quantity);
      if (*quantity)
        whole = read_series(record, name, run->step_count + 1, (double *)&run->twists[b] + k, stride) && whole;
    }
  return whole;
}

static bool read_joints(recorded_run *run, const campaign_scene *scene, const ts_record *record)
{
  static const char *const solid[] = {"position", "rate", "motor", "fx", "fy", "fz", "mx", "my", "mz"};
  static const char *const flat[] = {"position", "rate", "motor", "fx", "fy", "", "", "", "m"};
  const size_t stride = (size_t)scene->joint_count * sizeof(recorded_joint) / sizeof(double);
  bool whole = true;
  for (int j = 0; j < scene->joint_count; ++j)
    for (int k = 0; k < 9; ++k) {
      const char *quantity = campaign_is_planar(scene) ? flat[k] : solid[k];
      char name[40];
      snprintf(name, sizeof name, "joints.j%d.%s", j, quantity);
      if (!*quantity) continue;
      const bool there = read_series(record, name, run->step_count + 1, (double *)&run->joints[j] + k, stride);
      whole = whole && (there || k < 3);
    }
  return whole;
}

static const struct {
  const char *name;
  size_t offset;
} COLUMNS[] = {
#define COLUMN(name)                                                                                                   \
  {                                                                                                                    \
    "steps." #name, offsetof(recorded_step, name)                                                                      \
  }
    COLUMN(t),
    COLUMN(residual),
    COLUMN(penetration),
    COLUMN(taken_out),
    COLUMN(cone_violation),
    COLUMN(joint_error),
    COLUMN(velocity_error),
    COLUMN(length_error),
    COLUMN(kinetic),
    COLUMN(potential),
    COLUMN(contact_work),
    COLUMN(damping_work),
    COLUMN(drive_work),
    COLUMN(applied_work),
    COLUMN(stabilization_work),
    COLUMN(correction_work),
    COLUMN(stagger_work),
    COLUMN(integration_work),
    COLUMN(rebound_scale),
    COLUMN(regularized),
    COLUMN(certified),
    COLUMN(jammed),
    COLUMN(tunnelled),
    COLUMN(gained),
    COLUMN(wedged),
    COLUMN(no_equilibrium),
    COLUMN(tipping),
    COLUMN(substeps),
    COLUMN(fallbacks),
    COLUMN(within_length),
    COLUMN(contacts),
#undef COLUMN
};

static bool read_steps(recorded_run *run, const ts_record *record)
{
  bool whole = true;
  for (size_t k = 0; k < sizeof COLUMNS / sizeof *COLUMNS; ++k) {
    double *first = (double *)((char *)run->steps + COLUMNS[k].offset);
    whole =
        read_series(record, COLUMNS[k].name, run->step_count, first, sizeof(recorded_step) / sizeof(double)) && whole;
  }
  return whole;
}

// Contacts follow each other in time; false: one belongs to no step
static bool read_contacts(recorded_run *run, const ts_record *record)
{
  int i = 0;
  for (int step = 0; step < run->step_count; ++step) {
    run->first[step] = i;
    for (; i < run->contact_count; ++i) {
      ts_recorded_contact c = ts_record_contact(record, i);
      if (c.t != run->steps[step].t) break;
      c.body_1 = number_of(record, c.body_1);
      c.body_2 = number_of(record, c.body_2);
      run->contacts[i] = c;
    }
  }
  run->first[run->step_count] = i;
  return i == run->contact_count;
}

static bool all_finite(const ts_record *record)
{
  for (int i = 0; i < ts_record_series_count(record); ++i) {
    int count;
    const double *values = ts_record_series(record, ts_record_series_name(record, i), &count);
    for (int k = 0; values && k < count; ++k)
      if (!isfinite(values[k])) return false;
  }
  return true;
}

const char *recorded_run_read(recorded_run *run, const campaign_scene *scene, const char *path)
{
  ts_record *record;
  ts_error error;
  *run = (recorded_run){0};
  if (ts_record_open(path, &record, &error) != TS_OK) return "the file cannot be read";
  run->step_count = ts_record_state_count(record) - 1;
  run->contact_count = ts_record_contact_count(record);
  run->finite = all_finite(record);
  const size_t states = (size_t)run->step_count + 1;
  run->poses = table_of(states * (size_t)scene->body_count, sizeof *run->poses);
  run->twists = table_of(states * (size_t)scene->body_count, sizeof *run->twists);
  run->joints = table_of(states * (size_t)scene->joint_count, sizeof *run->joints);
  run->steps = table_of((size_t)run->step_count, sizeof *run->steps);
  run->contacts = table_of((size_t)run->contact_count, sizeof *run->contacts);
  run->first = table_of(states, sizeof *run->first);
  read_poses(run, scene, record);
  const char *missing = !read_twists(run, scene, record)   ? "velocities are missing"
                        : !read_joints(run, scene, record) ? "joints are missing"
                        : !read_steps(run, record)         ? "columns of steps are missing"
                        : !read_contacts(run, record)      ? "a contact belongs to no step"
                                                           : NULL;
  ts_record_close(record);
  return missing;
}

void recorded_run_release(recorded_run *run)
{
  free(run->poses);
  free(run->twists);
  free(run->joints);
  free(run->steps);
  free(run->contacts);
  free(run->first);
}
