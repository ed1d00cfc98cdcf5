// Arithmetic of three-vectors, 3x3 matrices, rotations and twists, all by value and inline.
#ifndef TS_MATH_VEC3_H
#define TS_MATH_VEC3_H

#include "touchstone/vector.h"

#include "base/hot.h"

#include <math.h>
#include <stdbool.h>

TS_INLINE ts_vec3 ts_vec3_make(double x, double y, double z)
{
  return (ts_vec3){x, y, z};
}

TS_INLINE ts_vec3 ts_add(ts_vec3 a, ts_vec3 b)
{
  return (ts_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

TS_INLINE ts_vec3 ts_sub(ts_vec3 a, ts_vec3 b)
{
  return (ts_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

TS_INLINE ts_vec3 ts_scale(double s, ts_vec3 a)
{
  return (ts_vec3){s * a.x, s * a.y, s * a.z};
}

TS_INLINE ts_vec3 ts_negate(ts_vec3 a)
{
  return (ts_vec3){-a.x, -a.y, -a.z};
}

// a + s b
TS_INLINE ts_vec3 ts_add_scaled(ts_vec3 a, double s, ts_vec3 b)
{
  return (ts_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

TS_INLINE double ts_dot(ts_vec3 a, ts_vec3 b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

TS_INLINE ts_vec3 ts_cross(ts_vec3 a, ts_vec3 b)
{
  return (ts_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

TS_INLINE double ts_length(ts_vec3 a)
{
  return sqrt(ts_dot(a, a));
}

TS_INLINE double ts_distance_of(ts_vec3 a, ts_vec3 b)
{
  return ts_length(ts_sub(a, b));
}

// a / |a|; `fallback` where a is zero
TS_INLINE ts_vec3 ts_normalize(ts_vec3 a, ts_vec3 fallback)
{
  const double length = ts_length(a);
  return length > 0.0 ? ts_scale(1.0 / length, a) : fallback;
}

TS_INLINE bool ts_vec3_is_finite(ts_vec3 a)
{
  return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

// A unit vector normal to the unit vector n (Duff et al. 2017): continuous but at n.z = 0, no branch on size.
TS_INLINE ts_vec3 ts_tangent_of(ts_vec3 n)
{
  const double sign = copysign(1.0, n.z), a = -1.0 / (sign + n.z), b = n.x * n.y * a;
  return (ts_vec3){1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x};
}

// A 3x3 matrix by its columns. Of a rotation, the columns are the body's axes in the world.
typedef struct ts_mat3 {
  ts_vec3 x, y, z;
} ts_mat3;

TS_INLINE ts_mat3 ts_mat3_identity(void)
{
  return (ts_mat3){{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
}

// A v: body components to world components when A is a rotation
TS_INLINE ts_vec3 ts_mul(const ts_mat3 *A, ts_vec3 v)
{
  return (ts_vec3){A->x.x * v.x + A->y.x * v.y + A->z.x * v.z, A->x.y * v.x + A->y.y * v.y + A->z.y * v.z,
                   A->x.z * v.x + A->y.z * v.y + A->z.z * v.z};
}

// A^T v: world components to body components when A is a rotation
TS_INLINE ts_vec3 ts_mul_transposed(const ts_mat3 *A, ts_vec3 v)
{
  return (ts_vec3){ts_dot(A->x, v), ts_dot(A->y, v), ts_dot(A->z, v)};
}

TS_INLINE ts_mat3 ts_mat3_product(const ts_mat3 *A, const ts_mat3 *B)
{
  return (ts_mat3){ts_mul(A, B->x), ts_mul(A, B->y), ts_mul(A, B->z)};
}

TS_INLINE ts_mat3 ts_mat3_transpose(const ts_mat3 *A)
{
  return (ts_mat3){{A->x.x, A->y.x, A->z.x}, {A->x.y, A->y.y, A->z.y}, {A->x.z, A->y.z, A->z.z}};
}

// R A R^T for a symmetric A
TS_INLINE ts_mat3 ts_mat3_rotate(const ts_mat3 *R, const ts_mat3 *A)
{
  const ts_mat3 RA = ts_mat3_product(R, A), Rt = ts_mat3_transpose(R);
  return ts_mat3_product(&RA, &Rt);
}

// The rotation of a unit quaternion
TS_INLINE ts_mat3 ts_quat_matrix(ts_quat q)
{
  const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return (ts_mat3){{1.0 - 2.0 * (yy + zz), 2.0 * (xy + wz), 2.0 * (xz - wy)},
                   {2.0 * (xy - wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz + wx)},
                   {2.0 * (xz + wy), 2.0 * (yz - wx), 1.0 - 2.0 * (xx + yy)}};
}

TS_INLINE ts_quat ts_quat_identity(void)
{
  return (ts_quat){1.0, 0.0, 0.0, 0.0};
}

TS_INLINE ts_quat ts_quat_conjugate(ts_quat q)
{
  return (ts_quat){q.w, -q.x, -q.y, -q.z};
}

TS_INLINE ts_quat ts_quat_product(ts_quat a, ts_quat b)
{
  return (ts_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                   a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

TS_INLINE double ts_quat_length(ts_quat q)
{
  return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

TS_INLINE ts_quat ts_quat_normalize(ts_quat q)
{
  const double s = 1.0 / ts_quat_length(q);
  return (ts_quat){s * q.w, s * q.x, s * q.y, s * q.z};
}

TS_INLINE ts_vec3 ts_quat_rotate(ts_quat q, ts_vec3 v)
{
  const ts_vec3 u = {q.x, q.y, q.z}, t = ts_scale(2.0, ts_cross(u, v));
  return ts_add(ts_add_scaled(v, q.w, t), ts_cross(u, t));
}

TS_INLINE ts_quat ts_quat_about_z(double angle)
{
  return (ts_quat){cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)};
}

// exp of a rotation vector
TS_INLINE ts_quat ts_quat_exp(ts_vec3 rotation)
{
  const double angle = ts_length(rotation), half = 0.5 * angle;
  const double s = half > 1e-4 ? sin(half) / angle : 0.5 - half * half / 12.0; // next term below 1e-18 of 0.5
  return (ts_quat){cos(half), s * rotation.x, s * rotation.y, s * rotation.z};
}

// The rotation vector of a unit quaternion; of the two for a rotation the one of at most half a turn.
TS_INLINE ts_vec3 ts_quat_rotation_vector(ts_quat q)
{
  const double sign = q.w < 0.0 ? -1.0 : 1.0;
  const ts_vec3 axis = {sign * q.x, sign * q.y, sign * q.z};
  const double sine = ts_length(axis), cosine = sign * q.w; // of half the angle
  return ts_scale(sine > 0.0 ? 2.0 * atan2(sine, cosine) / sine : 2.0, axis);
}

// The rotations about the fixed axes x, y and z by three angles: R_z(yaw) R_y(pitch) R_x(roll)
TS_INLINE ts_quat ts_quat_roll_pitch_yaw(ts_vec3 angles)
{
  const ts_quat roll = ts_quat_exp((ts_vec3){angles.x, 0.0, 0.0}), pitch = ts_quat_exp((ts_vec3){0.0, angles.y, 0.0});
  const ts_quat yaw = ts_quat_exp((ts_vec3){0.0, 0.0, angles.z});
  return ts_quat_product(yaw, ts_quat_product(pitch, roll));
}

// A point of the inner frame in the outer one, and back
TS_INLINE ts_vec3 ts_pose_apply(const ts_pose *pose, ts_vec3 point)
{
  return ts_add(pose->position, ts_quat_rotate(pose->orientation, point));
}

TS_INLINE ts_vec3 ts_pose_unapply(const ts_pose *pose, ts_vec3 point)
{
  return ts_quat_rotate(ts_quat_conjugate(pose->orientation), ts_sub(point, pose->position));
}

TS_INLINE ts_pose ts_pose_identity(void)
{
  return (ts_pose){{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
}

// A pose given in the frame `outer`, in the frame around that
TS_INLINE ts_pose ts_pose_compose(const ts_pose *outer, const ts_pose *inner)
{
  return (ts_pose){ts_pose_apply(outer, inner->position), ts_quat_product(outer->orientation, inner->orientation)};
}

TS_INLINE ts_pose ts_pose_inverse(const ts_pose *pose)
{
  const ts_quat back = ts_quat_conjugate(pose->orientation);
  return (ts_pose){ts_negate(ts_quat_rotate(back, pose->position)), back};
}

// A placement ready for use: origin and rotation matrix
typedef struct ts_frame {
  ts_vec3 origin;
  ts_mat3 axes;
} ts_frame;

TS_INLINE ts_frame ts_pose_frame(const ts_pose *pose)
{
  return (ts_frame){pose->position, ts_quat_matrix(pose->orientation)};
}

TS_INLINE ts_vec3 ts_frame_apply(const ts_frame *frame, ts_vec3 point)
{
  return ts_add(frame->origin, ts_mul(&frame->axes, point));
}

TS_INLINE ts_vec3 ts_frame_unapply(const ts_frame *frame, ts_vec3 point)
{
  return ts_mul_transposed(&frame->axes, ts_sub(point, frame->origin));
}

// `inner` as seen from `outer`, both given in the same frame.
TS_INLINE ts_frame ts_frame_in(const ts_frame *inner, const ts_frame *outer)
{
  const ts_mat3 back = ts_mat3_transpose(&outer->axes);
  return (ts_frame){ts_frame_unapply(outer, inner->origin), ts_mat3_product(&back, &inner->axes)};
}

// Power of a wrench row on a twist, and friends
TS_INLINE double ts_twist_dot(ts_twist a, ts_twist b)
{
  return ts_dot(a.linear, b.linear) + ts_dot(a.angular, b.angular);
}

// a + s b
TS_INLINE ts_twist ts_twist_add_scaled(ts_twist a, double s, ts_twist b)
{
  return (ts_twist){ts_add_scaled(a.linear, s, b.linear), ts_add_scaled(a.angular, s, b.angular)};
}

// Velocity of the point at `arm` from the point that the twist's linear part is of
TS_INLINE ts_vec3 ts_twist_at(ts_twist twist, ts_vec3 arm)
{
  return ts_add(twist.linear, ts_cross(twist.angular, arm));
}

#endif
