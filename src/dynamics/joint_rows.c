// Rows of joints in maximal coordinates. Frame 1 is the parent's, frame 2 the child's; X, Y, Z their axes, o their
// origins. All directions are carried by the parent, which makes the jacobians exact derivatives of the errors however
// far a joint is open:
//   slide along d:    Phi = d.(o2 - o1)
//   axes aligned:     Phi = X1.(Z1 x Z2), Y1.(Z1 x Z2)       [sine of the angle between the axes]
//   no turning:       Phi = 2 sgn(s) u, where (s, u) is the quaternion of frame 2 in frame 1
//   axes normal:      Phi = Z1.X2                            [universal]
// In the plane the same without the parts that vanish there.
#include "dynamics/joint_rows.h"

#include "base/assert.h"

static const ts_vec3 PLANE_NORMAL = {0.0, 0.0, 1.0};

// Where the next row of a joint goes.
typedef struct writer {
  const ts_joint_frames *at;
  ts_bilateral_row *next;
  double h;
} writer;

static void put(writer *w, ts_row row, double error)
{
  *w->next++ = (ts_bilateral_row){.row = row, .bias = error / w->h, .error = error};
}

static void hold_along(writer *w, ts_vec3 d)
{
  put(w, ts_slide_row(w->at, d), ts_dot(d, ts_sub(w->at->frame[1].origin, w->at->frame[0].origin)));
}

// d/dt d.(Z1 x Z2) with d = X1: X1 x Z1 = -Y1 goes with the parent, so it is that of -Y1.Z2, (w2 - w1).(Y1 x Z2);
// which is X1 when the axes are aligned. In the same way Y1 gives (w2 - w1).(Z2 x X1).
static void align_axes(writer *w)
{
  const ts_mat3 *P = &w->at->frame[0].axes;
  const ts_vec3 axis = w->at->frame[1].axes.z;
  put(w, ts_turn_row(w->at, ts_cross(P->y, axis)), -ts_dot(P->y, axis));
  put(w, ts_turn_row(w->at, ts_cross(axis, P->x)), ts_dot(P->x, axis));
}

// The quaternion (s, u) of the rotation from P to C, s > 0, u in world components, from the axes: the sum of P_k x C_k
// is 2 sin(angle) times its axis, which is 4 s u, and 1 + trace = 4 s^2.
typedef struct relative_turn {
  ts_vec3 twice_vector;
  double scalar;
} relative_turn;

static relative_turn turn_between(const ts_mat3 *P, const ts_mat3 *C)
{
  const double trace = ts_dot(P->x, C->x) + ts_dot(P->y, C->y) + ts_dot(P->z, C->z);
  const double least = 1e-3; // next to half a turn there is no telling which way; keep numbers finite
  const double scalar = 0.5 * sqrt(fmax(1.0 + trace, 4.0 * least * least));
  const ts_vec3 sum = ts_add(ts_add(ts_cross(P->x, C->x), ts_cross(P->y, C->y)), ts_cross(P->z, C->z));
  return (relative_turn){ts_scale(0.5 / scalar, sum), scalar};
}

// u' = (s w + w x u)/2 for the quaternion (s, u) of a rotation with relative velocity w seen from the parent, so that
// 2 d.u changes with w.(s d + u x d).
static void hold_turn_about(writer *w, relative_turn turn, ts_vec3 d)
{
  const ts_vec3 direction = ts_add(ts_scale(turn.scalar, d), ts_scale(0.5, ts_cross(turn.twice_vector, d)));
  put(w, ts_turn_row(w->at, direction), ts_dot(d, turn.twice_vector));
}

static void hold_all_turns(writer *w)
{
  const ts_mat3 *P = &w->at->frame[0].axes;
  const relative_turn turn = turn_between(P, &w->at->frame[1].axes);
  hold_turn_about(w, turn, P->x);
  hold_turn_about(w, turn, P->y);
  hold_turn_about(w, turn, P->z);
}

// d/dt Z1.X2 = (w2 - w1).(X2 x Z1)
static void keep_axes_normal(writer *w)
{
  const ts_vec3 z = w->at->frame[0].axes.z, x = w->at->frame[1].axes.x;
  put(w, ts_turn_row(w->at, ts_cross(x, z)), ts_dot(z, x));
}

static void write_in_space(writer *w, ts_joint_kind kind)
{
  const ts_mat3 *P = &w->at->frame[0].axes;
  if (kind != TS_JOINT_PLANAR) {
    hold_along(w, P->x);
    hold_along(w, P->y);
  }
  if (kind != TS_JOINT_PRISMATIC && kind != TS_JOINT_CYLINDRICAL) hold_along(w, P->z);
  switch (kind) {
  case TS_JOINT_REVOLUTE:
  case TS_JOINT_CYLINDRICAL:
  case TS_JOINT_PLANAR:
    align_axes(w);
    break;
  case TS_JOINT_PRISMATIC:
  case TS_JOINT_WELD:
    hold_all_turns(w);
    break;
  case TS_JOINT_UNIVERSAL:
    keep_axes_normal(w);
    break;
  case TS_JOINT_SPHERICAL:
  case TS_JOINT_COUNT:
    break;
  }
}

// Pins hold along the world's x and y, as in thesis 2.7; a slide across its axis.
static void write_in_plane(writer *w, ts_joint_kind kind)
{
  if (kind == TS_JOINT_PRISMATIC) {
    hold_along(w, ts_cross(PLANE_NORMAL, w->at->frame[0].axes.z));
  } else {
    hold_along(w, (ts_vec3){1.0, 0.0, 0.0});
    hold_along(w, (ts_vec3){0.0, 1.0, 0.0});
  }
  if (kind != TS_JOINT_REVOLUTE)
    hold_turn_about(w, turn_between(&w->at->frame[0].axes, &w->at->frame[1].axes), PLANE_NORMAL);
}

int ts_write_joint_rows(const ts_model *model, const ts_kinematics *kinematics, int joint, double h,
                        ts_bilateral_row *rows)
{
  const ts_joint_frames at = ts_joint_frames_at(model, kinematics, joint);
  const ts_joint_kind kind = model->joints[joint].kind;
  writer w = {&at, rows, h};
  if (model->space == TS_SPACE_2D)
    write_in_plane(&w, kind);
  else
    write_in_space(&w, kind);
  for (ts_bilateral_row *row = rows; row < w.next; ++row) row->source = joint;
  TS_ASSERT(w.next - rows == ts_joint_row_count(model->space, kind));
  return (int)(w.next - rows);
}
