// Joints eliminated by a block-sparse factorization. With rows G (ts_bilateral_row) and A = G^T M^-1 G + softness, the
// motion that respects the joints is v - M^-1 G A^-1 (G^T v + bias), and the inverse mass that contacts feel is
// M^-1 - M^-1 G A^-1 G^T M^-1. A may be singular (redundant joints, closed planar loops in space): rows that add
// nothing get no impulse. Cost: linear in the number of joints for trees of any shape.
#ifndef TS_DYNAMICS_BILATERAL_H
#define TS_DYNAMICS_BILATERAL_H

#include "dynamics/anchor.h"

typedef struct ts_bilateral {
  const ts_model *model;
  int count;
  const ts_bilateral_row *rows;
  int dropped;                    // rows that add nothing
  const bool *depends;            // which (count)
  ts_body_anchors anchored;       // where every row holds a body for itself, else empty
  struct ts_joint_blocks *blocks; // else; inside of bilateral.c
} ts_bilateral;

// Factor; memory from the arena, rows are borrowed. Nothing is done when there are no rows.
void ts_bilateral_factor(const ts_model *model, const ts_kinematics *kinematics, const ts_bilateral_row *rows,
                         int count, ts_arena *arena, ts_bilateral *bilateral);

// impulse (count) = -A^-1 (G^T v + bias), refined once; v (body_count) becomes v + M^-1 G impulse.
void ts_bilateral_project(const ts_bilateral *bilateral, ts_twist *velocity, double *impulse, ts_arena *arena);

// The same without bias: what the joints make of a change of velocity.
void ts_bilateral_correct(const ts_bilateral *bilateral, ts_twist *change, double *impulse, ts_arena *arena);

// C = - K^T A^-1 K for `columns` sparse columns K = G^T M^-1 h_j of rows h_j: the correction of the Delassus matrix.
// `C` is columns x columns, column after column. Where no path of joints joins two rows their entry is exactly 0. Rows
// between the same two bodies are best neighbours.
void ts_bilateral_delassus(const ts_bilateral *bilateral, const ts_row *rows, int columns, double *C, ts_arena *arena);

// Connected components of bodies joined by bilateral rows: component[body], bodies that are not dynamic -1. Returns a
// bound that all are below.
int ts_bilateral_components(const ts_bilateral *bilateral, int *component, ts_arena *arena);

#endif
