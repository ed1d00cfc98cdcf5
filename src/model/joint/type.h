// What the model knows of a kind of joint: a table a kind, in a file of its own. What moves it is in dynamics/joint/.
#ifndef TS_MODEL_JOINT_TYPE_H
#define TS_MODEL_JOINT_TYPE_H

#include "model/model.h"

// Numbers of joints by their places in TS_JOINT_NUMBER_LIST, as bits: TS_TAKES_position and so on.
#define TS_NUMBER(name, range, units, help) TS_NUMBER_##name,
enum { TS_JOINT_NUMBER_LIST(TS_NUMBER) TS_JOINT_NUMBERS };
#undef TS_NUMBER
#define TS_NUMBER(name, range, units, help) TS_TAKES_##name = 1 << TS_NUMBER_##name,
enum { TS_JOINT_NUMBER_LIST(TS_NUMBER) };
#undef TS_NUMBER
enum { TS_TAKES_COORDINATE = TS_TAKES_position | TS_TAKES_velocity | TS_TAKES_friction | TS_TAKES_damping };

typedef struct ts_joint_type {
  ts_joint_traits traits;
  unsigned takes; // numbers of a definition that it has; others must be 0

  // What the kind asks of a definition beside an axis that is a direction; NULL: nothing.
  ts_status (*check)(const ts_freedoms *freedoms, const ts_joint_def *def, const char *name, ts_error *error);

  // x of the joint's frames, in the parent's frame, where z is the axis; NULL of kinds without axes.
  ts_vec3 (*x_axis)(const ts_freedoms *freedoms, const ts_joint_def *def, ts_vec3 z);

  // Kinds with a measure: the child's frame in the parent's at the coordinate q; and motion (of the child against the
  // parent, at the child's frame and along the parent's) += that of a rate.
  ts_pose (*pose_at)(const ts_joint *joint, double q);
  void (*add_rate)(const ts_joint *joint, double rate, ts_twist *motion);

  // How much of a displacement of the child, in the parent's frame, the joint does not allow: of a slide, of a turn
  // (rotation vector) and of an angular velocity; a coordinate counts as locked. x: the child's x there.
  double (*locked_slide)(ts_vec3 slide);
  double (*locked_turn)(ts_vec3 turn, ts_vec3 x);
  double (*locked_spin)(ts_vec3 spin, ts_vec3 x);
} ts_joint_type;

extern const ts_joint_type *const ts_joint_types[TS_JOINT_COUNT];

static inline const ts_joint_type *ts_joint_type_of(ts_joint_kind kind)
{
  return ts_joint_types[kind];
}

// Whether joints of the kind have a coordinate: something that limits, motors, friction and damping are of.
static inline bool ts_joint_has_coordinate(ts_joint_kind kind)
{
  return ts_joint_types[kind]->traits.measure != TS_MEASURE_NONE;
}

// Whether that is an angle, which counts turns.
static inline bool ts_joint_has_angle(ts_joint_kind kind)
{
  return ts_joint_types[kind]->traits.measure == TS_MEASURE_ANGLE;
}

// ---- what several kinds share --------------------------------------------------------------------------------------

// Any x normal to z.
ts_vec3 ts_joint_any_x(const ts_freedoms *freedoms, const ts_joint_def *def, ts_vec3 z);

double ts_joint_slide_locked(ts_vec3 slide);        // no sliding at all
double ts_joint_slide_locked_across(ts_vec3 slide); // but along the axis

double ts_joint_turn_locked(ts_vec3 turn, ts_vec3 x);        // no turning at all
double ts_joint_turn_locked_across(ts_vec3 turn, ts_vec3 x); // but about the axis

#endif
