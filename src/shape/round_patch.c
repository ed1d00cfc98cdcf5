#include "shape/round_patch.h"

void ts_patch_round_line(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, ts_patch *patch)
{
  const ts_vec3 axis = frame->axes.z;
  const double slope = ts_dot(axis, outward);
  if (fabs(slope) > TS_STANDING) {
    ts_patch_point(patch);
    return;
  }
  const ts_vec3 across = ts_normalize(ts_add_scaled(outward, -slope, axis), frame->axes.x);
  const ts_vec3 middle = ts_add_scaled(frame->origin, part->radius, across);
  ts_patch_segment(ts_add_scaled(middle, -part->half_length, axis), ts_add_scaled(middle, part->half_length, axis),
                   outward, patch);
  patch->radii[0] = patch->radii[1] = part->radius;
  patch->round = part;
  patch->frame = frame;
}

void ts_patch_round_end(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, double radius, ts_patch *patch)
{
  const bool upper = ts_dot(frame->axes.z, outward) > 0.0;
  patch->kind = TS_PATCH_DISC;
  patch->outward = outward;
  patch->normal = upper ? frame->axes.z : ts_negate(frame->axes.z);
  patch->base = ts_add_scaled(frame->origin, part->half_length, patch->normal);
  patch->radius = radius;
  patch->axes[0] = frame->axes.x;
  patch->axes[1] = frame->axes.y;
  patch->cap = upper;
  patch->feature = ts_feature_id(TS_FEATURE_ID_FACE, upper);
}

ts_vec3 ts_round_end_normal(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing)
{
  (void)part, (void)facing;
  return ts_dot(frame->axes.z, outward) > 0.0 ? frame->axes.z : ts_negate(frame->axes.z);
}

bool ts_far_side(ts_vec3 d, ts_vec3 m, double radius, double *h)
{
  const double mm = ts_dot(m, m), dm = ts_dot(d, m);
  const double square = dm * dm - mm * (ts_dot(d, d) - radius * radius);
  if (!(square >= 0.0)) return false;
  *h = (sqrt(square) - dm) / mm;
  return true;
}

ts_vec3 ts_round_beyond_end(const ts_patch *line, ts_vec3 y)
{
  const ts_vec3 axis = line->frame->axes.z;
  const double half = line->round->half_length, z = ts_dot(axis, ts_sub(y, line->frame->origin));
  return ts_scale(z - fmax(-half, fmin(half, z)), axis);
}
