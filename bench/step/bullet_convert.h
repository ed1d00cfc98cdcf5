// Vectors and poses between Touchstone and Bullet.
#ifndef BENCH_STEP_BULLET_CONVERT_H
#define BENCH_STEP_BULLET_CONVERT_H

#include "touchstone/vector.h"

#include <LinearMath/btTransform.h>

inline btVector3 to_bullet(const ts_vec3 &v)
{
  return btVector3(v.x, v.y, v.z);
}

inline ts_vec3 from_bullet(const btVector3 &v)
{
  return ts_vec3{v.x(), v.y(), v.z()};
}

inline btTransform to_bullet(const ts_pose &pose)
{
  const ts_quat &q = pose.orientation;
  return btTransform(btQuaternion(q.x, q.y, q.z, q.w), to_bullet(pose.position));
}

inline ts_pose from_bullet(const btTransform &place)
{
  const btQuaternion q = place.getRotation();
  return ts_pose{from_bullet(place.getOrigin()), ts_quat{q.w(), q.x(), q.y(), q.z()}};
}

#endif
