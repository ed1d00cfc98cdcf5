#include "linkage.h"

#include "dynamics/gear_rows.h"

#include <string.h>

void linkage_init(linkage *l, ts_space space)
{
  *l = (linkage){.model = {.freedoms = ts_freedoms_of(space)}};
  ts_arena_init(&l->arena, NULL);
  l->model.bodies = ts_arena_bytes(&l->arena, LINKAGE_CAPACITY, sizeof *l->model.bodies);
  l->model.joints = ts_arena_bytes(&l->arena, LINKAGE_CAPACITY, sizeof *l->model.joints);
  l->model.springs = ts_arena_bytes(&l->arena, LINKAGE_CAPACITY, sizeof *l->model.springs);
  l->state.pose = ts_arena_bytes(&l->arena, LINKAGE_CAPACITY, sizeof *l->state.pose);
  l->state.angle = ts_arena_zeros(&l->arena, LINKAGE_CAPACITY);
  l->state.velocity = ts_arena_bytes(&l->arena, LINKAGE_CAPACITY, sizeof *l->state.velocity);
  l->state.turned = ts_arena_zeros(&l->arena, LINKAGE_CAPACITY);
  l->kinematics.frame = ts_arena_bytes(&l->arena, LINKAGE_CAPACITY, sizeof *l->kinematics.frame);
  l->kinematics.inverse_inertia = ts_arena_bytes(&l->arena, LINKAGE_CAPACITY, sizeof *l->kinematics.inverse_inertia);
}

void linkage_release(linkage *l)
{
  ts_arena_release(&l->arena);
}

ts_vec3 random_in_cube(ts_random *random, double size)
{
  return (ts_vec3){ts_random_uniform(random, -size, size), ts_random_uniform(random, -size, size),
                   ts_random_uniform(random, -size, size)};
}

static ts_mat3 diagonal(ts_vec3 d)
{
  return (ts_mat3){{d.x, 0.0, 0.0}, {0.0, d.y, 0.0}, {0.0, 0.0, d.z}};
}

static double inverse(double x)
{
  return x > 0.0 ? 1.0 / x : 0.0;
}

int linkage_body(linkage *l, ts_body_kind kind, double mass, ts_vec3 moments, ts_pose pose, double angle)
{
  const bool plane = ts_is_flat(l->model.freedoms);
  ts_body body = {.name = "", .kind = kind, .freedoms = l->model.freedoms, .pose = pose, .angle = angle, .motion = -1};
  if (plane) {
    moments.x = moments.y = 0.0;
    body.pose.orientation = ts_quat_about_z(angle);
  }
  if (kind == TS_DYNAMIC) {
    body.mass = mass;
    body.inverse_mass = inverse(mass);
    body.inertia = diagonal(moments);
    body.inverse_inertia = diagonal((ts_vec3){inverse(moments.x), inverse(moments.y), inverse(moments.z)});
  }
  l->model.bodies[l->model.body_count] = body;
  return l->model.body_count++;
}

int linkage_random_body(linkage *l, ts_body_kind kind, ts_random *random)
{
  const bool plane = ts_is_flat(l->model.freedoms);
  ts_pose pose = {random_in_cube(random, 2.0), random_rotation(random)};
  if (plane) pose.position.z = 0.0;
  const ts_vec3 moments = {ts_random_uniform(random, 0.5, 2.0), ts_random_uniform(random, 0.5, 2.0),
                           ts_random_uniform(random, 0.5, 2.0)};
  return linkage_body(l, kind, ts_random_uniform(random, 0.5, 2.0), moments, pose,
                      ts_random_uniform(random, -3.0, 3.0));
}

// A rotation from its columns, by the half-angle formula of its largest component.
static ts_quat quat_of(const ts_mat3 *R)
{
  const double t[4] = {R->x.x + R->y.y + R->z.z, R->x.x - R->y.y - R->z.z, R->y.y - R->x.x - R->z.z,
                       R->z.z - R->x.x - R->y.y};
  int best = 0;
  for (int i = 1; i < 4; ++i)
    if (t[i] > t[best]) best = i;
  const ts_quat all[4] = {{1.0 + t[0], R->y.z - R->z.y, R->z.x - R->x.z, R->x.y - R->y.x},
                          {R->y.z - R->z.y, 1.0 + t[1], R->x.y + R->y.x, R->z.x + R->x.z},
                          {R->z.x - R->x.z, R->x.y + R->y.x, 1.0 + t[2], R->y.z + R->z.y},
                          {R->x.y - R->y.x, R->z.x + R->x.z, R->y.z + R->z.y, 1.0 + t[3]}};
  return ts_quat_normalize(all[best]);
}

// A pose of the world in the frame of a body at its start
static ts_pose in_body(const linkage *l, int body, const ts_pose *world)
{
  if (body < 0) return *world;
  const ts_pose *outer = &l->model.bodies[body].pose;
  return (ts_pose){ts_pose_unapply(outer, world->position),
                   ts_quat_product(ts_quat_conjugate(outer->orientation), world->orientation)};
}

int linkage_joint(linkage *l, ts_joint_kind kind, int parent, int child, ts_vec3 at, ts_vec3 axis, ts_vec3 axis2)
{
  ts_mat3 R = {.z = ts_normalize(axis, (ts_vec3){0.0, 0.0, 1.0})};
  R.x = ts_normalize(axis2, ts_tangent_of(R.z));
  R.y = ts_cross(R.z, R.x);
  const ts_pose world = {at, quat_of(&R)};
  l->model.joints[l->model.joint_count] = (ts_joint){.name = "",
                                                     .kind = kind,
                                                     .parent = parent,
                                                     .child = child,
                                                     .pitch = kind == TS_JOINT_SCREW ? LINKAGE_PITCH : 0.0,
                                                     .frame = {in_body(l, parent, &world), in_body(l, child, &world)}};
  return l->model.joint_count++;
}

int linkage_spring(linkage *l, int first, ts_vec3 at_1, int second, ts_vec3 at_2, double stiffness, double damping,
                   double length)
{
  l->model.springs[l->model.spring_count] = (ts_spring){.name = "",
                                                        .body = {first, second},
                                                        .at = {at_1, at_2},
                                                        .stiffness = stiffness,
                                                        .damping = damping,
                                                        .length = length,
                                                        .implicit = true};
  return l->model.spring_count++;
}

// A gear of joint j on some of `others`.
static void random_gear(linkage *l, int j, const int *others, int count, double error, ts_random *random)
{
  ts_gear_term *terms = ts_arena_bytes(&l->arena, 3, sizeof *terms);
  const int first = ts_random_below(random, count), most = 1 + ts_random_below(random, 3);
  ts_gear gear = {.joint = j, .terms = terms};
  for (int k = 0; k < most && first + k < count; ++k) {
    const double ratio = ts_random_uniform(random, 0.3, 3.0);
    terms[gear.term_count++] = (ts_gear_term){others[first + k], ts_random_below(random, 2) ? ratio : -ratio};
  }
  l->model.gears[l->model.gear_count++] = gear;
  l->model.gears[l->model.gear_count - 1].offset =
      ts_gear_error(&l->model, &l->state, &l->kinematics, l->model.gear_count - 1) -
      ts_random_uniform(random, -error, error);
}

void linkage_random_gears(linkage *l, const bool *of, double error, ts_random *random)
{
  int count = 0, *others = ts_arena_ints(&l->arena, (size_t)l->model.joint_count);
  l->model.gears = ts_arena_bytes(&l->arena, (size_t)l->model.joint_count, sizeof *l->model.gears);
  for (int j = 0; j < l->model.joint_count; ++j) {
    if (!ts_joint_has_coordinate(l->model.joints[j].kind) || (of && !of[j])) continue;
    if (count > 0 && ts_random_below(random, 2)) random_gear(l, j, others, count, error, random);
    others[count++] = j;
  }
}

void linkage_start(linkage *l)
{
  ts_state_init(&l->model, &l->state);
  linkage_refresh(l);
}

void linkage_refresh(linkage *l)
{
  ts_kinematics_update(&l->model, &l->state, &l->kinematics);
  ts_state_follow_joints(&l->model, &l->kinematics, NULL, &l->state);
}

void linkage_drift(linkage *l, double h)
{
  for (int i = 0; i < l->model.body_count; ++i) {
    const ts_twist v = l->state.velocity[i];
    ts_pose *pose = &l->state.pose[i];
    pose->position = ts_add_scaled(pose->position, h, v.linear);
    pose->orientation = ts_quat_normalize(ts_quat_product(ts_quat_exp(ts_scale(h, v.angular)), pose->orientation));
    l->state.angle[i] += h * v.angular.z;
    if (ts_is_flat(l->model.freedoms)) pose->orientation = ts_quat_about_z(l->state.angle[i]);
  }
  linkage_refresh(l);
}

double linkage_step(linkage *l, double h)
{
  const ts_arena_mark mark = ts_arena_save(&l->arena);
  ts_bilateral_row *rows =
      ts_arena_bytes(&l->arena, (size_t)ts_bilateral_row_limit(&l->model), sizeof(ts_bilateral_row));
  const int count = ts_bilateral_rows(&l->model, &l->state, &l->kinematics, h, NULL, rows);
  ts_bilateral bilateral;
  ts_bilateral_factor(&l->model, &l->kinematics, rows, count, &l->arena, &bilateral);
  ts_twist *v = ts_arena_bytes(&l->arena, (size_t)l->model.body_count, sizeof *v);
  ts_free_velocity(&l->model, &l->state, &l->kinematics, h, (ts_turning){.rule = TS_GYROSCOPIC_EXPLICIT, .weight = 1.0},
                   NULL, v);
  ts_bilateral_project(&bilateral, v, ts_arena_doubles(&l->arena, (size_t)count), &l->arena);
  double error = 0.0;
  for (int i = 0; i < count; ++i) error = fmax(error, fabs(rows[i].error));
  for (int i = 0; i < l->model.body_count; ++i)
    if (l->model.bodies[i].kind == TS_DYNAMIC) l->state.velocity[i] = v[i];
  ts_state_advance(&l->model, h, 1.0, v, &l->state);
  l->state.time += h;
  linkage_refresh(l);
  ts_arena_restore(&l->arena, mark);
  return error;
}

static void copy_twist(ts_twist t, double *to)
{
  const double all[6] = {t.linear.x, t.linear.y, t.linear.z, t.angular.x, t.angular.y, t.angular.z};
  memcpy(to, all, sizeof all);
}

double *linkage_dense_rows(const linkage *l, const ts_row *rows, int count, size_t stride, ts_arena *arena)
{
  const size_t n = 6 * (size_t)l->model.body_count;
  double *G = ts_arena_zeros(arena, n * (size_t)count);
  for (int i = 0; i < count; ++i) {
    const ts_row *row = (const ts_row *)(const void *)((const char *)rows + (size_t)i * stride);
    for (int side = 0; side < 2; ++side)
      if (row->body[side] >= 0) copy_twist(row->jacobian[side], G + (size_t)i * n + 6 * (size_t)row->body[side]);
  }
  return G;
}

double *linkage_dense_bilateral_rows(const linkage *l, const ts_bilateral_row *rows, int count, ts_arena *arena)
{
  const size_t n = 6 * (size_t)l->model.body_count;
  double *G = linkage_dense_rows(l, &rows[0].row, count, sizeof *rows, arena);
  for (int i = 0; i < count; ++i)
    for (int side = 2; side < ts_side_count(&rows[i]); ++side)
      if (ts_side_body(&rows[i], side) >= 0)
        copy_twist(*ts_side_jacobian(&rows[i], side), G + (size_t)i * n + 6 * (size_t)ts_side_body(&rows[i], side));
  return G;
}

double *linkage_dense_inverse_mass(const linkage *l, ts_arena *arena)
{
  const size_t n = 6 * (size_t)l->model.body_count;
  double *W = ts_arena_zeros(arena, n * n);
  for (size_t body = 0; body < (size_t)l->model.body_count; ++body) {
    const ts_mat3 *I = &l->kinematics.inverse_inertia[body];
    const ts_vec3 columns[3] = {I->x, I->y, I->z};
    for (size_t k = 0; k < 3; ++k) {
      W[(6 * body + k) * n + 6 * body + k] = l->model.bodies[body].inverse_mass;
      double *column = W + (6 * body + 3 + k) * n + 6 * body + 3;
      column[0] = columns[k].x;
      column[1] = columns[k].y;
      column[2] = columns[k].z;
    }
  }
  return W;
}
