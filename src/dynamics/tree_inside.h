// The inside of a tree: what each sweep reads lies together, in the order of nodes.
//
// Letters as in ERRATA II C, but at centres of mass: l from the parent's centre of mass to the child's, S the motion
// axes at the child's, G = P S D^-1 with the articulated inertia P and D = S^T P S + softness.
#ifndef TS_DYNAMICS_TREE_INSIDE_H
#define TS_DYNAMICS_TREE_INSIDE_H

#include "dynamics/spatial_inertia.h"
#include "dynamics/tree.h"

enum { TS_MOST_FREEDOMS = 6 };

// What is constant about how a node moves its body. A joint that is walked in reverse has its frames exchanged and
// turned (tree.c), so that nothing else knows about it.
typedef struct ts_hinge {
  int kind, body, q, v;
  int up;           // link that it hangs on
  bool turns_alike; // inertia is the same in all orientations that the body can have
  double mass;      // of the body
  ts_vec3 at;       // the joint's origin from the parent's centre of mass, in the parent's axes
  ts_vec3 arm;      // the child's centre of mass from the joint's origin, in the child's axes
  ts_mat3 side[2];  // axes of the joint's frame in those of the parent; of the child
  ts_quat turn[2];  // of the joint's frame in the parent; of the child in the joint's frame
  ts_quat
      about_z[2];  // turn about the joint's z by an angle a: cos(a/2) about_z[0] + sin(a/2) about_z[1], child in parent
  ts_sym3 inertia; // of the body in its axes
  double angle;    // plane: of the child against the parent at coordinate 0
} ts_hinge;

// Where a body is and how it moves: of the bases first, then of the nodes.
typedef struct ts_link {
  ts_quat turn;
  ts_mat3 axes;
  ts_vec3 centre;
  ts_vec3 arm; // as in ts_hinge, world axes
  ts_twist velocity;
  ts_twist bias; // acceleration at constant rates, bases not accelerated
  double angle;  // plane
} ts_link;

// What the sweeps through the tree read of a node.
typedef struct ts_sweep {
  int parent; // node, or -1
  int body;
  int v, v_count;
  int block; // where its v_count x v_count numbers of D^-1 begin
  double mass;
  ts_vec3 l;
  ts_sym3 inertia;      // about the centre of mass, world axes
  ts_wrench bias_force; // M bias + gyroscopic moment
} ts_sweep;

struct ts_tree {
  const ts_model *model;
  struct ts_tree_sizes sizes;
  int base_count;
  ts_node *nodes;
  int *node_of_body; // body_count
  int *node_of_rate; // v
  int *closures;
  int *bases;                  // bodies; bases[0] is TS_WORLD
  ts_hinge *hinges;            // nodes
  ts_link *links;              // base_count + nodes
  ts_sweep *sweep;             // nodes
  ts_twist *axes;              // S (v)
  ts_wrench *gain;             // G (v)
  double *inverse;             // D^-1 by nodes
  ts_spatial_inertia *inertia; // scratch of factorization and mass matrix (nodes)
  ts_wrench *load;             // scratch of sweeps (nodes)
  ts_twist *motion;            // scratch of sweeps (nodes)
  ts_twist *base_motion;       // scratch of sweeps (base_count)
  double *push;                // scratch of sweeps (v)
};

// Motion axes of a node at the joint's origin, along world axes: each turns about or slides along a unit vector, and
// they are orthonormal among those that turn and among those that slide. Returns how many. `up` and `axes` are those of
// the parent and of the child.
int ts_hinge_axes(const ts_hinge *hinge, const ts_mat3 *up, const ts_mat3 *axes, ts_twist *motion);

static inline const ts_link *ts_tree_link(const ts_tree *tree, int node)
{
  return &tree->links[tree->base_count + node];
}

// The link of a body, or of the world: pose and twist as they are in `state`, no bias.
ts_link ts_link_of_body(int body, const ts_state *state);

#endif
