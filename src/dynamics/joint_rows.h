// The rows of one joint, drive, stop or spring; rows.c puts them together.
#ifndef TS_DYNAMICS_JOINT_ROWS_H
#define TS_DYNAMICS_JOINT_ROWS_H

#include "dynamics/joint_frames.h"

enum { TS_SPRING_ROWS = 3, TS_BUSHING_ROWS = 6 }; // at most

// The rows of a joint, without its drive. Returns their number, ts_joint_row_count().
int ts_write_joint_rows(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, int joint,
                        double h, ts_bilateral_row *rows);

// How the rates of these rows change while the twists are constant, all bodies that move included: d/dt (G^T V) without
// G^T V'. The joint's rates are taken to obey it. Returns the number, likewise.
int ts_write_joint_bias(const ts_model *model, const ts_kinematics *kinematics, const ts_twist *velocity, int joint,
                        double *bias);

// The same of the rate of the coordinate of a joint that has one.
double ts_joint_coordinate_bias(const ts_model *model, const ts_kinematics *kinematics, const ts_twist *velocity,
                                int joint);

// Whether the joint has a velocity motor or servo, that is a row at all, and one without a largest force.
bool ts_joint_is_driven(const ts_joint *joint, double h);
bool ts_joint_is_driven_rigidly(const ts_joint *joint);

// The row of a driven joint; bounds are infinite when the largest force is.
ts_bounded_row ts_drive_row(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, int joint,
                            double h);

// Whether the joint has a row of viscous damping, and one of dry friction.
bool ts_joint_is_damped(const ts_joint *joint, double h);
bool ts_joint_has_dry_friction(const ts_joint *joint, double h);

// These rows: the damping at the end of the step, and the friction that holds the rate at 0 as far as it can.
ts_bilateral_row ts_damper_row(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, int joint,
                               double h);
ts_bounded_row ts_dry_friction_row(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics,
                                   int joint, double h);

// Rows of the stops that may be reached, at most 2. Returns how many.
int ts_write_stop_rows(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, int joint,
                       double h, ts_bounded_row *rows);

// The row of a spring and damper that are taken at the end of the step: k times what is `stretched` now, and d.
ts_bilateral_row ts_soft_row(const ts_row *row, const ts_sides *sides, double k, double d, double stretched,
                             const ts_twist *velocity, double h);

// Rows of a bushing, at most TS_BUSHING_ROWS. Returns how many.
int ts_write_bushing_rows(const ts_model *model, const ts_state *state, int bushing, double h, ts_bilateral_row *rows);

// Rows of an implicit spring, at most TS_SPRING_ROWS. Returns how many.
int ts_write_spring_rows(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, int spring,
                         double h, ts_bilateral_row *rows);

#endif
