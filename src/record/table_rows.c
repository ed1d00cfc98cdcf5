#include "record/table_rows.h"

#include <math.h>
#include <string.h>

static void spatial_state(const ts_sim *sim, int body, double *row)
{
  const ts_pose pose = ts_sim_pose(sim, body);
  const ts_twist velocity = ts_sim_velocity(sim, body);
  const double values[] = {pose.position.x,    pose.position.y,    pose.position.z,    pose.orientation.w,
                           pose.orientation.x, pose.orientation.y, pose.orientation.z, velocity.linear.x,
                           velocity.linear.y,  velocity.linear.z,  velocity.angular.x, velocity.angular.y,
                           velocity.angular.z};
  memcpy(row, values, sizeof values);
}

static void planar_state(const ts_sim *sim, int body, double *row)
{
  const ts_pose pose = ts_sim_pose(sim, body);
  const ts_twist velocity = ts_sim_velocity(sim, body);
  const double values[] = {pose.position.x,   pose.position.y,   ts_sim_angle(sim, body),
                           velocity.linear.x, velocity.linear.y, velocity.angular.z};
  memcpy(row, values, sizeof values);
}

void ts_run_state_row(const ts_run_layout *layout, const ts_sim *sim, double *row)
{
  row[0] = ts_sim_time(sim);
  for (int b = 0; b < ts_run_body_count(layout); ++b) {
    if (layout->first_column[b] < 0) continue;
    (layout->planar ? planar_state : spatial_state)(sim, b, row + layout->first_column[b]);
  }
}

void ts_run_joint_row(const ts_run_layout *layout, const ts_sim *sim, double *row)
{
  *row++ = ts_sim_time(sim);
  for (int j = 0; j < layout->joint_count; ++j) {
    const ts_joint_forces forces = ts_sim_joint_forces(sim, j);
    const ts_vec3 f = forces.reaction.force, m = forces.reaction.moment;
    if (layout->measures[j] != TS_MEASURE_NONE) {
      row[0] = ts_sim_joint_position(sim, j, &row[1]);
      row[2] = forces.motor;
      row += TS_JOINT_COORDINATE_QUANTITIES;
    }
    const double spatial[] = {f.x, f.y, f.z, m.x, m.y, m.z}, flat[] = {f.x, f.y, m.z};
    const size_t count = layout->planar ? 3 : 6;
    memcpy(row, layout->planar ? flat : spatial, count * sizeof *row);
    row += count;
  }
}

#define VALUE(name, kind, unit, value) *row++ = (double)(value);
void ts_run_contact_row(double t, double h, const ts_contact *c, double mean, double max, double *row)
{
  TS_CONTACT_COLUMN_LIST(VALUE)
}

void ts_run_impact_row(const ts_located_impact *i, double *row)
{
  TS_IMPACT_COLUMN_LIST(VALUE)
}

void ts_run_step_row(double t, int solver, const ts_step_report *r, double *row)
{
  TS_STEP_COLUMN_LIST(VALUE)
}
#undef VALUE
