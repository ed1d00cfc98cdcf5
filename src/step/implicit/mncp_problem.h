// The geometrically implicit step as 003 and thesis 3.5 write it: one mixed nonlinear complementarity problem in the
// velocities of the end of the step, the equivalent contact points on both parts, multipliers of the parts' functions
// f_i and g_j (shape/implicit.h), and impulses. As corrected (docs/theory/corrections.md 15), for every pair of parts:
//   a1 - a2 + l c = 0,   c = grad f_k(a1) + sum_i l_i grad f_i(a1)     i runs over all functions but k   (003 eq. 13)
//   c + sum_j l_j grad g_j(a2) = 0                                                                       (003 eq. 14)
//   f_k(a1) = 0,   0 <= l_i _|_ -f_i(a1) >= 0,   0 <= l_j _|_ -g_j(a2) >= 0                              (003 eqs. 15,
//   16) 0 <= p_n _|_ l >= 0                                                 the gap is l |c|                 (for 003
//   eq. 17) e_t^2 mu p_n v_t + p_t s = 0,  o and r likewise                                                      (003
//   eq. 9) 0 <= s _|_ (mu p_n)^2 - (p_t/e_t)^2 - (p_o/e_o)^2 - (p_r/e_r)^2 >= 0
// and for every body M (v - v_free) = sum W p + sum G l, with normals n = -c/|c|, arms and rows W of the end of the
// step. Rows of joints are linear in v, those of limits and motors have bounds.
//
// Points are in the frames of their parts, where functions know nothing of velocities. Orientations follow from
// q+ = q + h G(q) v, brought back to length 1, which is R+ = S(h w / 2) R with S of Rodrigues' parameters.
#ifndef TS_STEP_IMPLICIT_MNCP_PROBLEM_H
#define TS_STEP_IMPLICIT_MNCP_PROBLEM_H

#include "step/step.h"

typedef struct ts_ecp_body {
  int body;       // of the model
  int first;      // of its unknowns: velocities along the axes it may move along, then about those it may turn about
  ts_frame start; // of the centre of mass, at the start of the step
  double mass;
  ts_mat3 inertia; // at the start of the step, world axes
  bool turns;      // else no moment changes how it does
  ts_twist free;   // without the impulses of the problem
} ts_ecp_body;

// A part of a pair.
typedef struct ts_ecp_side {
  const ts_convex *part;
  int slot;        // of its body in the problem, or -1: it moves as it is told
  ts_frame frame;  // of the centre of mass of a body that moves as it is told, at the end of the step
  ts_twist twist;  // of it
  ts_frame place;  // of the part in the centre of mass frame
  int count;       // functions
  const int *list; // which
} ts_ecp_side;

typedef struct ts_ecp_contact {
  int pair; // of those that the problem was made of
  ts_part_pair parts;
  const ts_contact_law *law;
  ts_ecp_side side[2];
  int face;     // k: place of it in the list of side 0
  ts_vec3 wish; // the tangent t lies along it as far as the normal lets it; not read in the plane
  double friction;
  ts_vec3 semi;  // e_t, e_o, e_r
  int rubs;      // rows of friction; 0: neither these nor s are there
  int first;     // of its unknowns
  double weight; // 1/(1/m_1 + 1/m_2) [kg]
} ts_ecp_contact;

// Where the unknowns of a contact lie, from its first on: a1 at 0, and the numbers below. Row k goes with unknown k.
typedef struct ts_ecp_places {
  int a2, depth, faces_1, faces_2, normal, friction, slip, size; // depth: l; slip: s
} ts_ecp_places;

// A row of a joint, or of a limit or motor: jacobian.v + softness impulse + bias.
typedef struct ts_ecp_row {
  const ts_bilateral_row *joint;
  const ts_bounded_row *bounded; // the other one is NULL
  int source;                    // among the rows of the step
  double bias;
  bool idle; // adds nothing to the others: no impulse
  int first; // unknown
} ts_ecp_row;

// Jacobian by blocks (bodies, rows, contacts, in this order): block I of column block J has its rows from `offset` on.
typedef struct ts_ecp_pattern {
  int count;                    // blocks
  const int *first;             // unknown of block (count+1)
  const int *start;             // of column block J: entries start[J] to start[J+1] - 1
  const int *block, *offset;    // of an entry
  const int *height;            // rows of a column of column block J
  const size_t *value;          // where the values of column block J begin
  const int *column, *row_list; // the same entry by entry, as ts_mcp has it
} ts_ecp_pattern;

typedef struct ts_ecp_problem {
  const ts_model *model;
  double h;
  int space; // components of a point: 2 or 3
  int body_count, row_count, contact_count;
  ts_ecp_body *bodies;
  const int *slot; // of a body of the model, or -1
  ts_ecp_row *rows;
  ts_ecp_contact *contacts;
  int size;
  double *lower, *upper;
  double speed;          // that velocities change by, once it is measured
  double *origin, *unit; // an unknown is origin + unit z, z being what solvers see
  double *weight;        // what solvers see of a row, over the row
  ts_ecp_pattern pattern;
  double *point;     // scratch: unknowns in their own units (size)
  double *function;  // scratch: values of the functions of a contact, both sides
  ts_vec3 *gradient; // scratch
} ts_ecp_problem;

// What a problem is made of.
typedef struct ts_ecp_parts {
  ts_step *step;               // with joints, free velocity, and rows of limits and motors with their bias
  const ts_kinematics *end;    // bodies that move as they are told stand where they do at the end of the step
  const int *island;           // of a body, -1: none (body_count)
  int chosen;                  // bodies, rows and contacts of this island make the problem
  const ts_part_pair *pairs;   // pairs that may touch
  const ts_contact_law **laws; // (pair_count)
  int pair_count;
} ts_ecp_parts;

// Memory from the arena. Units, starting point and faces are not set.
void ts_ecp_build(const ts_ecp_parts *parts, ts_arena *arena, ts_ecp_problem *problem);

// Units of a step in which velocities change by `speed`: impulses are of the size m speed, gaps of h speed. That is m g
// h and g h^2 for a body that rests.
void ts_ecp_measure(const ts_ecp_parts *parts, double speed, ts_ecp_problem *problem);

// Units of friction for a contact that slips about so fast.
void ts_ecp_measure_friction(ts_ecp_problem *problem, const ts_ecp_contact *contact, double slip);

ts_ecp_places ts_ecp_places_of(const ts_ecp_problem *problem, const ts_ecp_contact *contact);

void ts_ecp_make_pattern(ts_ecp_problem *problem, ts_arena *arena);

// As solvers take it. The problem must outlive it.
ts_problem ts_ecp_view(ts_ecp_problem *problem);

// ---- a point of it -------------------------------------------------------------------------------------------------

// What is known of a contact at a point.
typedef struct ts_ecp_touch {
  const ts_ecp_contact *contact;
  ts_mat3 axes[2]; // of the parts in the world
  ts_vec3 arm[2];  // from the centres of mass
  ts_vec3 at[2];   // a1, a2 in the world
  ts_mat3 turn[2]; // by which rotations at the end change with angular velocities
  ts_twist twist[2];
  ts_vec3 cone[2]; // c, and the sum of l_j grad g_j, in the world
  ts_mat3 bend[2]; // their derivatives by a1 and a2, in the frames of the parts
  double depth;    // l
  double length;   // |c|
  double along;    // of what the normal leaves of the wish
  ts_vec3 n, t, o;
  double push[4];   // p_n, p_t, p_o, p_r
  double slip;      // s
  ts_vec3 force;    // on the first body, without the moment about n
  ts_vec3 velocity; // of a1 against a2
  ts_vec3 turning;  // of the first body against the second
  const double *function;
  const ts_vec3 *gradient; // in the frames of the parts; those of side 1 behind those of side 0
} ts_ecp_touch;

// Frame of a body at the end of the step if its velocity is v, and what its rotation changes by.
ts_frame ts_ecp_end_frame(const ts_ecp_problem *problem, const ts_ecp_body *body, ts_twist v, ts_mat3 *turn);

// Velocity of a body at a point in its own units.
ts_twist ts_ecp_twist(const ts_ecp_problem *problem, const ts_ecp_body *body, const double *point);

// Everything that follows from a point in its own units. Values and gradients stand in the problem's scratch, until
// the next call.
void ts_ecp_look(ts_ecp_problem *problem, const ts_ecp_contact *contact, const double *point, ts_ecp_touch *touch);

// A change of the unknowns of a contact and of its bodies, and what it changes.
typedef struct ts_ecp_change {
  ts_twist twist[2];
  ts_vec3 x[2]; // of a1 and a2, in the frames of the parts
  ts_vec3 cone[2];
  double depth, push[4], slip;
} ts_ecp_change;

typedef struct ts_ecp_rate {
  ts_vec3 apart, against; // rows 003 eqs. 13 and 14
  ts_vec3 force, moment[2];
  double friction[3], room;
} ts_ecp_rate;

ts_ecp_rate ts_ecp_differentiate(const ts_ecp_problem *problem, const ts_ecp_touch *touch, const ts_ecp_change *change);

#endif
