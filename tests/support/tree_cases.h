// The articulated trees of reference-numbers.md 5: tests/data/tree_cases.txt, whose head says what the lines hold.
#ifndef TREE_CASES_H
#define TREE_CASES_H

#include "math/vec3.h"

#include <stdio.h>

enum { TREE_CASE_BODIES = 16, TREE_CASE_RATES = 64, TREE_CASE_NODES = 3, TREE_CASE_ROWS = 6 * TREE_CASE_NODES };

typedef enum tree_case_joint { CASE_REVOLUTE, CASE_PRISMATIC, CASE_SPHERICAL, CASE_FREE } tree_case_joint;

typedef struct tree_case_body {
  int parent; // -1: the world
  tree_case_joint joint;
  ts_vec3 offset, axis; // in the parent; in the body and, at coordinate 0, in the parent
  double mass;
  ts_vec3 centre;  // in the body's frame, whose origin is the hinge
  ts_mat3 inertia; // about the centre of mass
} tree_case_body;

typedef struct tree_case {
  int bodies, q_count, v_count;
  tree_case_body body[TREE_CASE_BODIES];
  double q[TREE_CASE_RATES], v[TREE_CASE_RATES], tau[TREE_CASE_RATES], qdd[TREE_CASE_RATES], energy;
  ts_vec3 hinge[TREE_CASE_BODIES]; // in the world
  int node_body[TREE_CASE_NODES];
  ts_vec3 node_offset[TREE_CASE_NODES];
  double compliance[TREE_CASE_ROWS * TREE_CASE_ROWS];
} tree_case;

// Read the next case of a file from case_file_open(); false at the end, or when the file is damaged.
bool tree_cases_next(FILE *file, tree_case *c);

#endif
