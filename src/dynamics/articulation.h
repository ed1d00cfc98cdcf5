// Bodies that a tree moves, with the rows that are left beside its coordinates: loops that joints close, implicit
// springs, drives without a largest force. With the rows G and A = G^T M^-1 G + softness, M^-1 that of the tree, the
// motion that respects them is v - M^-1 G A^-1 (G^T v + bias), as for dynamics/bilateral.h; but there are as many rows
// as there are loops, not as there are joints (001 eq. 34). Velocities are twists of bodies throughout.
#ifndef TS_DYNAMICS_ARTICULATION_H
#define TS_DYNAMICS_ARTICULATION_H

#include "dynamics/tree.h"

#include "math/block_cholesky.h"

typedef struct ts_articulation {
  const ts_model *model;
  const ts_kinematics *kinematics;
  ts_tree *tree;       // its inertias are factored
  const bool *on_tree; // bodies (body_count)
  int count;
  const ts_bilateral_row *rows;
  int dropped;                // rows that depend on others
  const bool *depends;        // which (count)
  double *scale;              // of each row: 1 over the square root of what it gives way by alone
  ts_block_cholesky cholesky; // of A, scaled
} ts_articulation;

// Factor A; memory from the arena, rows are borrowed. With count 0 there is nothing to factor.
void ts_articulation_factor(const ts_model *model, const ts_kinematics *kinematics, ts_tree *tree, const bool *on_tree,
                            const ts_bilateral_row *rows, int count, ts_arena *arena, ts_articulation *a);

// impulse (count) = -A^-1 (G^T v + bias); v becomes v + M^-1 G impulse.
void ts_articulation_project(const ts_articulation *a, ts_twist *velocity, double *impulse, ts_arena *arena);

// velocity += what impulses `wrench` (about centres of mass, body_count) do, the rows obeyed; `impulse` (count) gets
// theirs added.
void ts_articulation_push(const ts_articulation *a, const ts_wrench *wrench, ts_twist *velocity, double *impulse,
                          ts_arena *arena);

// What the tree and the rows make of W of other rows: J M^-1 J^T - J M^-1 G A^-1 G^T M^-1 J^T, without the share of
// bodies apart from the tree in the first term. columns x columns, column after column.
void ts_articulation_compliance(const ts_articulation *a, const ts_row *rows, int columns, double *W, ts_arena *arena);

// Bodies that impulses pass between: group[body] is one of them, the same for all, or -1 where it is not dynamic.
void ts_articulation_groups(const ts_articulation *a, int *group);

#endif
