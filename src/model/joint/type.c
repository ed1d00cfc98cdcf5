#include "model/joint/type.h"

#include "math/vec3.h"

#include <math.h>

#define TYPE(enumerator, name) extern const ts_joint_type ts_joint_##name;
TS_JOINT_LIST(TYPE)
#undef TYPE

#define TYPE(enumerator, name) [TS_JOINT_##enumerator] = &ts_joint_##name,
const ts_joint_type *const ts_joint_types[TS_JOINT_COUNT] = {TS_JOINT_LIST(TYPE)};
#undef TYPE

const ts_joint_traits *ts_joint_kind_traits(ts_joint_kind kind)
{
  return (unsigned)kind < TS_JOINT_COUNT ? &ts_joint_type_of(kind)->traits : NULL;
}

const char *ts_joint_kind_name(ts_joint_kind kind)
{
#define NAME(enumerator, name) #name,
  static const char *const names[] = {TS_JOINT_LIST(NAME)};
#undef NAME
  return (unsigned)kind < TS_JOINT_COUNT ? names[kind] : "unknown";
}

int ts_joint_row_count(const ts_freedoms *freedoms, ts_joint_kind kind)
{
  const int left = ts_joint_type_of(kind)->traits.freedoms[freedoms->joints];
  return left < 0 ? -1 : freedoms->slides + freedoms->turns - left;
}

ts_vec3 ts_joint_any_x(const ts_freedoms *freedoms, const ts_joint_def *def, ts_vec3 z)
{
  (void)freedoms, (void)def;
  return ts_tangent_of(z);
}

double ts_joint_slide_locked(ts_vec3 slide)
{
  return ts_length(slide);
}

double ts_joint_slide_locked_across(ts_vec3 slide)
{
  return hypot(slide.x, slide.y);
}

double ts_joint_turn_locked(ts_vec3 turn, ts_vec3 x)
{
  (void)x;
  return ts_length(turn);
}

double ts_joint_turn_locked_across(ts_vec3 turn, ts_vec3 x)
{
  (void)x;
  return hypot(turn.x, turn.y);
}
