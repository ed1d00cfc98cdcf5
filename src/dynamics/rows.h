// Rows of joints, springs and motors: linear functions of the twists of two bodies; of gears, those of more.
//
// Kinematic bodies. The state that rows are taken at has its kinematic bodies where they are at the END of the step,
// and everything else where it is at the start (thesis 5.1.2). An error, gap or distance measured there already holds
// all that kinematic bodies do during the step, so the linearization at the end of the step is
//   Phi(dynamic at the start, kinematic at the end) + h (rate by dynamic bodies) = 0,
// and the rate that kinematic bodies make must not be added once more. Rows that want something of the rate itself
// (velocity motors, and the damping of servos and springs) do add it.
#ifndef TS_DYNAMICS_ROWS_H
#define TS_DYNAMICS_ROWS_H

#include "dynamics/state.h"

// Rate of the row: jacobian[0].V(body[0]) + jacobian[1].V(body[1]), twists at centres of mass. A body of -1 is one that
// is not dynamic, the world included; its jacobian is there but has no part in the rate. Side 0 is the parent of a
// joint, side 1 its child. As an impulse p the row acts with p jacobian (linear: force, angular: moment) on each body:
// both sides push at one common point, so that joints conserve angular momentum even when they are a little open.
typedef struct ts_row {
  int body[2];
  ts_twist jacobian[2];
} ts_row;

// A row that holds always: rate + softness impulse + bias = 0.
typedef struct ts_bilateral_row {
  ts_row row;
  double bias;     // Phi/h of a joint (thesis 2.78); what a spring, servo or motor wants otherwise [m/s, rad/s]
  double softness; // 0 for a joint; 1/(h (damping + h stiffness)) for an implicit spring or servo
  double error;    // Phi of a joint [m, rad], else 0
  double drift;    // the rate that kinematic bodies make; in the bias of soft rows it is counted already
  double damping;  // of dampers and springs [N s/m, N m s]: the impulse -h damping (rate + drift) is theirs
  bool of_joint;   // else of a drive, a damper or a spring
  bool drives;     // of a drive
  bool is_gear;    // holds like a joint (of_joint), but closes no loop
  int source;      // joint; joint_count + spring; behind them bushings, then gears: rows of one source lie together
  // Of a gear: parts on further bodies, all different, that the rate is the sum of and that share the impulse.
  int further_count;
  const ts_row *further;
} ts_bilateral_row;

// Rows of one source at most: a joint has up to 6, one with a coordinate 5, a drive and a damper.
enum { TS_SOURCE_ROWS = 8 };

// Sides of a row: its two, and two of each further part.
static inline int ts_side_count(const ts_bilateral_row *row)
{
  return 2 + 2 * row->further_count;
}

static inline const ts_row *ts_part_of_side(const ts_bilateral_row *row, int side)
{
  return side < 2 ? &row->row : &row->further[(side >> 1) - 1];
}

// Dynamic body of a side, or -1; and what the row is there.
static inline int ts_side_body(const ts_bilateral_row *row, int side)
{
  return ts_part_of_side(row, side)->body[side & 1];
}

static inline const ts_twist *ts_side_jacobian(const ts_bilateral_row *row, int side)
{
  return &ts_part_of_side(row, side)->jacobian[side & 1];
}

typedef enum ts_joint_feature { TS_LOWER_STOP, TS_UPPER_STOP, TS_DRIVE, TS_DRY_FRICTION } ts_joint_feature;

// A row with a bounded impulse: a limit (lower 0, upper INFINITY), a motor or servo of limited force, dry friction of a
// joint, or a support (support_rows.c), which has two rows more. In between its bounds rate + softness impulse + bias
// = 0; at the lower bound it may be positive, at the upper one negative.
typedef struct ts_bounded_row {
  ts_row row;
  double bias;               // of a limit gap/h
  double softness;           // as above
  double lower, upper;       // [N s, N m s]; lower is 0 or -upper
  double restitution;        // of a limit
  double gap;                // of a limit: distance left [m, rad]
  double drift;              // the rate that kinematic bodies make. A limit at velocity level is rate + drift >= 0
  int joint;                 // of a support: joint_count and the number of what its body stands on
  uint32_t feature;          // ts_joint_feature: tells the rows of a joint apart; of a support its points
  const ts_support *support; // or NULL: of a joint. `upper` is then what the load presses with
  ts_vec3 arm;               // of a support: its point as seen from the centre of mass (world axes) [m]
  ts_vec3 plane;             // of a support: slip along x and y, and spin, that the plane's motion makes [m/s, rad/s]
} ts_bounded_row;

// Upper bounds for a model.
int ts_bilateral_row_limit(const ts_model *model);

// Sources of bilateral rows: what others number behind them begins here.
static inline int ts_row_source_count(const ts_model *model)
{
  return model->joint_count + model->spring_count + model->bushing_count + model->gear_count;
}
int ts_bounded_row_limit(const ts_model *model);

// Whether a model can have rows at all, joints of `in_tree` (as below) not counted.
bool ts_rows_are_possible(const ts_model *model, const bool *in_tree);

// The rows at the present state for a step of length h. Targets of motors are those at the end of the step, time + h.
// Return how many were written.
//
// Bilateral are the joints, their damping, motors and servos without a largest force, implicit springs (none while the
// ends of one coincide), and bushings. A velocity motor without a largest force drives up to the stop of a limited
// joint and no further.
//
// Bounded are motors and servos of limited force, dry friction (none of a joint whose rate a motor without a largest
// force dictates), and the stops of limited joints that may be reached: those nearer
// than a tenth of the range, or than twice the way that the two bodies make in a step each for itself (both stops where
// the range is 0). The range of an angle counts as a turn at most; a slide with one stop has no range, its stop
// may always be reached. A joint at rest that is hit so hard that it crosses a tenth of its range in one step runs over
// the stop by one step's way.
//
// `in_tree` (joint_count, or NULL: none) are joints that hold by the choice of coordinates: of these only the drives.
// Their damping belongs to the inertia of the tree (ts_tree_factor()).
int ts_bilateral_rows(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, double h,
                      const bool *in_tree, ts_bilateral_row *rows);
int ts_bounded_rows(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, double h,
                    ts_bounded_row *rows);

// The supports of a 2.5D world, one a point, pressed by `loads` (support_point_count) [N]. Returns how many.
int ts_support_rows(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, const double *loads,
                    double h, ts_bounded_row *rows);

// Rows of the gears, which hold whatever the coordinates are; further parts from the arena. Returns how many.
int ts_gear_rows(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, double h,
                 ts_bilateral_row *rows, ts_arena *arena);

// The gear of a row that is of one; and the joint of a row, of a gear the one that follows, of a spring -1.
const ts_gear *ts_row_gear(const ts_model *model, const ts_bilateral_row *row);
int ts_row_joint(const ts_model *model, const ts_bilateral_row *row);

// Coordinate of a joint of one freedom and its rate (may be NULL), all bodies included; 0 of other joints.
// Angles count turns.
double ts_joint_position(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, int joint,
                         double *rate);

// Angles of joints in space up to date: of the angles that the poses allow, the nearest to the last one. To be
// called whenever poses have changed: a body turns by 2 atan(h w/2) in a step, less than half a turn, so that a joint
// between a dynamic body and one at rest never loses count.
void ts_state_follow_joints(const ts_model *model, const ts_kinematics *kinematics, const bool *in_tree,
                            ts_state *state);

static inline double ts_row_rate(const ts_row *row, const ts_twist *velocity)
{
  double rate = 0.0;
  for (int side = 0; side < 2; ++side)
    if (row->body[side] >= 0) rate += ts_twist_dot(row->jacobian[side], velocity[row->body[side]]);
  return rate;
}

static inline double ts_bilateral_rate(const ts_bilateral_row *row, const ts_twist *velocity)
{
  double rate = ts_row_rate(&row->row, velocity);
  for (int k = 0; k < row->further_count; ++k) rate += ts_row_rate(&row->further[k], velocity);
  return rate;
}

// Join the sets (math/disjoint_sets.h, body_count) of all dynamic bodies of a row.
void ts_join_bodies(const ts_bilateral_row *row, int *parent);

// Largest |rate + softness impulse + bias| [m/s, rad/s].
double ts_bilateral_rows_residual(const ts_bilateral_row *rows, int count, const ts_twist *velocity,
                                  const double *impulse);

#endif
