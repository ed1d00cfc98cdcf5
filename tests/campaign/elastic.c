#include "elastic.h"

#include "checks.h"

#include "math/vec3.h"

#include <math.h>

// The second body as the first one sees it
typedef struct view {
  ts_vec3 point[2], velocity[2]; // of the two points, in the world
  ts_quat axes;                  // of the first frame, in the world
  ts_vec3 d, rate;               // of the second point, along these axes
  ts_vec3 r, turning;            // rotation vector and its rate, along these axes
} view;

// x + share r x x + c r x (r x x): with share -1/2 the rate of the rotation vector r at the angular velocity x, with
// 1/2 the torque of the generalized forces x (docs/theory/joints.md, "Drives, stops, springs").
static ts_vec3 of_rotation(ts_vec3 r, double share, ts_vec3 x)
{
  const double a = ts_length(r);
  const double c = a < 1e-3 ? 1.0 / 12.0 : (1.0 - 0.5 * a / tan(0.5 * a)) / (a * a);
  const ts_vec3 across = ts_cross(r, x);
  return ts_add_scaled(ts_add_scaled(x, share, across), c, ts_cross(r, across));
}

static view view_of(const campaign_elastic *e, const ts_pose *poses, const ts_twist *twists)
{
  view v;
  ts_pose pose[2];
  const ts_twist still = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  ts_twist twist[2] = {still, still};
  for (int k = 0; k < 2; ++k) {
    pose[k] = check_pose_of(poses, e->body[k]);
    if (twists) twist[k] = check_twist_of(twists, e->body[k]);
    v.point[k] = ts_pose_apply(&pose[k], e->at[k]);
    v.velocity[k] = ts_twist_at(twist[k], ts_sub(v.point[k], pose[k].position));
  }
  v.axes = ts_quat_product(pose[0].orientation, e->frame[0]);
  const ts_quat back = ts_quat_conjugate(v.axes), second = ts_quat_product(pose[1].orientation, e->frame[1]);
  const ts_vec3 apart = ts_sub(v.point[1], v.point[0]);
  const ts_vec3 carried = ts_add(v.velocity[0], ts_cross(twist[0].angular, apart));
  v.d = ts_quat_rotate(back, apart);
  v.rate = ts_quat_rotate(back, ts_sub(v.velocity[1], carried));
  v.r = ts_quat_rotation_vector(ts_quat_product(back, second));
  v.turning = of_rotation(v.r, -0.5, ts_quat_rotate(back, ts_sub(twist[1].angular, twist[0].angular)));
  return v;
}

static ts_vec3 times(ts_vec3 a, ts_vec3 b)
{
  return ts_vec3_make(a.x * b.x, a.y * b.y, a.z * b.z);
}

static elastic_load load_of(const campaign_elastic *e, const ts_pose *poses, const ts_twist *twists, double h)
{
  view v = view_of(e, poses, twists);
  v.d = ts_add_scaled(v.d, h, v.rate);
  const ts_vec3 r = ts_add_scaled(v.r, h, v.turning);
  const ts_vec3 apart = ts_sub(v.point[1], v.point[0]), passing = ts_sub(v.velocity[1], v.velocity[0]);
  const ts_vec3 along = ts_normalize(apart, ts_vec3_make(1.0, 0.0, 0.0));
  const double rate = ts_dot(along, passing);
  elastic_load load = {.point = v.point[1],
                       .length = ts_length(apart),
                       .speed = ts_length(passing),
                       .across = ts_length(ts_add_scaled(passing, -rate, along))};
  if (e->is_bushing) {
    load.force = ts_quat_rotate(v.axes, ts_negate(ts_add(times(e->stiffness, v.d), times(e->damping, v.rate))));
    const ts_vec3 pull = ts_add(times(e->angular_stiffness, r), times(e->angular_damping, v.turning));
    load.moment = ts_quat_rotate(v.axes, ts_negate(of_rotation(v.r, 0.5, pull)));
    load.offset = load.length;
    return load;
  }
  load.force = ts_scale(-e->stiffness.x * (load.length + h * rate - e->length) - e->damping.x * rate, along);
  return load;
}

elastic_load elastic_load_of(const campaign_elastic *elastic, const ts_pose *poses, const ts_twist *twists)
{
  return load_of(elastic, poses, twists, 0.0);
}

elastic_load elastic_implicit_load(const campaign_elastic *elastic, const ts_pose *start, const ts_twist *end, double h)
{
  return load_of(elastic, start, end, h);
}

double elastic_energy_of(const campaign_elastic *e, const ts_pose *poses)
{
  const view v = view_of(e, poses, NULL);
  if (e->is_bushing)
    return 0.5 * ts_dot(v.d, times(e->stiffness, v.d)) + 0.5 * ts_dot(v.r, times(e->angular_stiffness, v.r));
  const double stretch = ts_distance_of(v.point[0], v.point[1]) - e->length;
  return 0.5 * e->stiffness.x * stretch * stretch;
}
