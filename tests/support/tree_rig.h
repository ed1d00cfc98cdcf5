// Linkages with a tree, its coordinates, and what tests of trees compare with.
#ifndef TREE_RIG_H
#define TREE_RIG_H

#include "linkage.h"

#include "dynamics/tree.h"

typedef struct tree_rig {
  linkage l;
  ts_tree *tree;
  struct ts_tree_sizes n;
  double *q, *v;
} tree_rig;

// Make the tree of a linkage that is filled in, with the coordinates of its start, and bring everything up to date.
// `closes_loop` (joint_count, or NULL: none) are joints to be kept out of it.
void tree_rig_start(tree_rig *rig, const bool *closes_loop);

// A random linkage: a moving base, bodies that hang on earlier ones, the base or the world by joints of all kinds
// walked either way, free ones, particles; `loops` joints more. At random coordinates and rates.
void tree_rig_random(tree_rig *rig, ts_space space, int bodies, int loops, ts_random *random);

// Random coordinates and rates.
void tree_rig_scatter(tree_rig *rig, ts_random *random);

// After a change of q or v.
void tree_rig_update(tree_rig *rig);

void tree_rig_release(tree_rig *rig);

// J of rows, count x v by rows, from the jacobians of bodies: no path through the tree's forces.
double *tree_rig_row_jacobian(const tree_rig *rig, const ts_tree_row *rows, int count, ts_arena *arena);

// A row on a random point of a body, or between two.
ts_tree_row tree_rig_random_row(const tree_rig *rig, ts_random *random);

// Rows of the velocity of a point of a body: x, y, z of the world.
void tree_rig_point_rows(const tree_rig *rig, int body, ts_vec3 point, ts_tree_row rows[3]);

// A chain of n equal revolute links in the x-z plane hanging on the world at the origin: link length 1, axes along y,
// mass 1, the centre of mass at the far end, inertia of a ball of radius 0.25 (reference-numbers.md 6).
void tree_rig_chain(tree_rig *rig, int links);

double largest_of(const double *x, int count);

#endif
