// Rows of joints, springs and motors: linear functions of the twists of two bodies.
#ifndef TS_DYNAMICS_ROWS_H
#define TS_DYNAMICS_ROWS_H

#include "dynamics/state.h"

// Rate of the row: jacobian[0].V(body[0]) + jacobian[1].V(body[1]), twists at centres of mass. A body of -1 is the
// world. As an impulse p the row acts with p jacobian (linear: force, angular: moment) on each body.
typedef struct ts_row {
  int body[2];
  ts_twist jacobian[2];
} ts_row;

// A row that holds always: rate + softness impulse + bias = 0.
typedef struct ts_bilateral_row {
  ts_row row;
  double bias;     // Phi/h of a joint; what a spring, servo or motor wants otherwise [m/s, rad/s]
  double softness; // 0 for a joint; 1/(h (damping + h stiffness)) for an implicit spring or servo
  double error;    // Phi of a joint [m, rad], else 0
} ts_bilateral_row;

// A row with a bounded impulse: a limit (lower 0, upper INFINITY), or a motor or servo of limited force. In between its
// bounds rate + softness impulse + bias = 0; at the lower bound it may be positive, at the upper one negative.
typedef struct ts_bounded_row {
  ts_row row;
  double bias, softness;
  double lower, upper; // [N s, N m s]; lower is 0 or -upper
  double restitution;  // of a limit
  double gap;          // of a limit: distance left [m, rad]
  int joint;
  uint32_t feature; // tells the rows of a joint apart: lower stop, upper stop, motor
} ts_bounded_row;

// Upper bounds for a model.
int ts_bilateral_row_limit(const ts_model *model);
int ts_bounded_row_limit(const ts_model *model);

// The rows at the present state for a step of length h; kinematic bodies (and the world) enter with the twist that the
// state gives them: their part of the rate is moved into the bias, and their jacobian is left in place with body -1.
// Targets of motors are those at the end of the step, time + h. Return how many were written.
int ts_bilateral_rows(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, double h,
                      ts_bilateral_row *rows);
int ts_bounded_rows(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, double h,
                    ts_bounded_row *rows);

// Coordinate of a revolute or prismatic joint and its rate.
double ts_joint_position(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, int joint,
                         double *rate);

static inline double ts_row_rate(const ts_row *row, const ts_twist *velocity)
{
  double rate = 0.0;
  for (int side = 0; side < 2; ++side)
    if (row->body[side] >= 0) rate += ts_twist_dot(row->jacobian[side], velocity[row->body[side]]);
  return rate;
}

#endif
