// Rows of joints in maximal coordinates. All directions are carried by the parent, which makes the jacobians exact
// derivatives of the errors however far a joint is open:
//   slide along d:    Phi = d.(o2 - o1)
//   axes aligned:     Phi = X1.(Z1 x Z2), Y1.(Z1 x Z2)       [sine of the angle between the axes]
//   no turning:       Phi = 2 sgn(s) u, where (s, u) is the quaternion of frame 2 in frame 1
//   axes normal:      Phi = Z1.X2                            [universal]
// In the plane the same without the parts that vanish there.
//
// How the rates of these rows change by motion alone: Phi'' = G^T V' + bias, V' the derivatives of the twists. With d a
// row's direction, w1 and w2 the angular velocities of parent and child, r1 and r2 from their centres of mass to the
// child's origin o2, and u the velocity of o2 against the parent's matter,
//   slide along d:   bias = d'.u + d.(w2 x (w2 x r2) - w1 x (w1 x r1) - w1 x u)
//   turn about d:    bias = d'.(w2 - w1)
// The last cross product is there because the point o2 moves over the parent. Rows that hold all turns have w2 = w1 and
// so no bias; a joint whose rates are violated keeps the violation.
#include "dynamics/joint/holds.h"

static const ts_vec3 PLANE_NORMAL = {0.0, 0.0, 1.0}, NONE = {0.0, 0.0, 0.0};

// ---- parts ---------------------------------------------------------------------------------------------------------

double ts_slide_along(const ts_joint_frames *at, ts_vec3 d)
{
  return ts_dot(d, ts_sub(at->frame[1].origin, at->frame[0].origin));
}

static void hold_along(ts_row_writer *w, ts_vec3 d)
{
  ts_put_row(w, ts_slide_row(w->at, d), ts_slide_along(w->at, d));
}

static double slide_bias(const ts_bias_writer *w, ts_vec3 d, ts_vec3 change)
{
  return ts_dot(change, w->relative) + ts_dot(d, w->centripetal);
}

double ts_slide_bias(const ts_bias_writer *w, ts_vec3 d)
{
  return slide_bias(w, d, ts_cross(w->spin[0], d));
}

static void put_turn_bias(ts_bias_writer *w, ts_vec3 change)
{
  *w->next++ = ts_dot(change, ts_sub(w->spin[1], w->spin[0]));
}

ts_vec3 ts_product_change(const ts_bias_writer *w, ts_vec3 a, ts_vec3 b)
{
  return ts_add(ts_cross(ts_cross(w->spin[0], a), b), ts_cross(a, ts_cross(w->spin[1], b)));
}

// ---- slides --------------------------------------------------------------------------------------------------------

static void write_across(ts_row_writer *w)
{
  hold_along(w, w->at->frame[0].axes.x);
  hold_along(w, w->at->frame[0].axes.y);
}

static void bias_across(ts_bias_writer *w)
{
  *w->next++ = ts_slide_bias(w, w->at->frame[0].axes.x);
  *w->next++ = ts_slide_bias(w, w->at->frame[0].axes.y);
}

const ts_hold ts_hold_across = {write_across, bias_across};

static void write_along(ts_row_writer *w)
{
  hold_along(w, w->at->frame[0].axes.z);
}

static void bias_along(ts_bias_writer *w)
{
  *w->next++ = ts_slide_bias(w, w->at->frame[0].axes.z);
}

const ts_hold ts_hold_along = {write_along, bias_along};

// Pins hold along the world's x and y, as in thesis 2.7.
static void write_point_in_plane(ts_row_writer *w)
{
  hold_along(w, (ts_vec3){1.0, 0.0, 0.0});
  hold_along(w, (ts_vec3){0.0, 1.0, 0.0});
}

static void bias_point_in_plane(ts_bias_writer *w)
{
  *w->next++ = slide_bias(w, (ts_vec3){1.0, 0.0, 0.0}, NONE);
  *w->next++ = slide_bias(w, (ts_vec3){0.0, 1.0, 0.0}, NONE);
}

const ts_hold ts_hold_point_in_plane = {write_point_in_plane, bias_point_in_plane};

static void write_across_in_plane(ts_row_writer *w)
{
  hold_along(w, ts_cross(PLANE_NORMAL, w->at->frame[0].axes.z));
}

static void bias_across_in_plane(ts_bias_writer *w)
{
  *w->next++ = ts_slide_bias(w, ts_cross(PLANE_NORMAL, w->at->frame[0].axes.z));
}

const ts_hold ts_hold_across_in_plane = {write_across_in_plane, bias_across_in_plane};

// ---- turns ---------------------------------------------------------------------------------------------------------

// d/dt d.(Z1 x Z2) with d = X1: X1 x Z1 = -Y1 goes with the parent, so it is that of -Y1.Z2, (w2 - w1).(Y1 x Z2);
// which is X1 when the axes are aligned. In the same way Y1 gives (w2 - w1).(Z2 x X1).
static void write_aligned(ts_row_writer *w)
{
  const ts_mat3 *P = &w->at->frame[0].axes;
  const ts_vec3 axis = w->at->frame[1].axes.z;
  ts_put_row(w, ts_turn_row(w->at, ts_cross(P->y, axis)), -ts_dot(P->y, axis));
  ts_put_row(w, ts_turn_row(w->at, ts_cross(axis, P->x)), ts_dot(P->x, axis));
}

static void bias_aligned(ts_bias_writer *w)
{
  const ts_mat3 *P = &w->at->frame[0].axes, *C = &w->at->frame[1].axes;
  put_turn_bias(w, ts_product_change(w, P->y, C->z));
  put_turn_bias(w, ts_negate(ts_product_change(w, P->x, C->z)));
}

const ts_hold ts_hold_aligned = {write_aligned, bias_aligned};

// d/dt Z1.X2 = (w2 - w1).(X2 x Z1)
static void write_normal(ts_row_writer *w)
{
  const ts_vec3 z = w->at->frame[0].axes.z, x = w->at->frame[1].axes.x;
  ts_put_row(w, ts_turn_row(w->at, ts_cross(x, z)), ts_dot(z, x));
}

static void bias_normal(ts_bias_writer *w)
{
  put_turn_bias(w, ts_negate(ts_product_change(w, w->at->frame[0].axes.z, w->at->frame[1].axes.x)));
}

const ts_hold ts_hold_normal = {write_normal, bias_normal};

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
static void hold_turn_about(ts_row_writer *w, relative_turn turn, ts_vec3 d)
{
  const ts_vec3 direction = ts_add(ts_scale(turn.scalar, d), ts_scale(0.5, ts_cross(turn.twice_vector, d)));
  ts_put_row(w, ts_turn_row(w->at, direction), ts_dot(d, turn.twice_vector));
}

static void write_turns(ts_row_writer *w)
{
  const ts_mat3 *P = &w->at->frame[0].axes;
  const relative_turn turn = turn_between(P, &w->at->frame[1].axes);
  hold_turn_about(w, turn, P->x);
  hold_turn_about(w, turn, P->y);
  hold_turn_about(w, turn, P->z);
}

static void bias_turns(ts_bias_writer *w)
{
  for (int k = 0; k < 3; ++k) put_turn_bias(w, NONE);
}

const ts_hold ts_hold_turns = {write_turns, bias_turns};

static void write_turn_in_plane(ts_row_writer *w)
{
  hold_turn_about(w, turn_between(&w->at->frame[0].axes, &w->at->frame[1].axes), PLANE_NORMAL);
}

static void bias_turn_in_plane(ts_bias_writer *w)
{
  put_turn_bias(w, NONE);
}

const ts_hold ts_hold_turn_in_plane = {write_turn_in_plane, bias_turn_in_plane};
