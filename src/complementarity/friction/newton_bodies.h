// A Newton system in the space of the bodies: M + H K H^T, for the nodes that contacts touch. Any grouping of rows of M
// into nodes is right; a good one makes dense blocks.
#ifndef TS_COMPLEMENTARITY_FRICTION_NEWTON_BODIES_H
#define TS_COMPLEMENTARITY_FRICTION_NEWTON_BODIES_H

#include "complementarity/friction/cone_problem.h"

#include "math/block_lu.h"

// Rows of a node at most, and of one that is a rigid body: rows are put together up to that where M is diagonal.
enum { TS_LARGEST_BODY = 12, TS_RIGID_BODY = 6 };

// The part of a contact's directions that acts on one node of the mass matrix.
typedef struct ts_body_touch {
  int node;
  const double *H; // node size x d, column-major, scaled as the cone problem
} ts_body_touch;

typedef struct ts_newton_bodies {
  int nodes, rows;             // rows of M that belong to a node
  bool bodies_taken;           // nodes are the bodies of the problem, rows in their order
  int *size, *first, *node_of; // of each node; node of each row of M, -1: none
  int *touch_start;            // contacts + 1
  ts_body_touch *touches;
  ts_block_lu *lu;
  ts_block_place *places; // for each contact, its touches squared
  int *place_start;
  double *y;   // right-hand side over rows of M, in node order
  int *row_at; // position of row i of M in node order
} ts_newton_bodies;

// Nodes, touches, and the analysis of the matrix; in the arena.
ts_newton_bodies *ts_newton_bodies_create(const ts_cone_problem *p, ts_arena *arena);

// Where each contact is added to the matrix.
void ts_newton_bodies_place(ts_newton_bodies *s, const ts_cone_problem *p, ts_arena *arena);

#endif
