// The inside of a tree: what each sweep reads lies together, in the order of nodes.
//
// Letters as in corrections.md 10, but at centres of mass: l from the parent's centre of mass to the child's, S the
// motion axes at the child's, G = phi P S D^-1 with the articulated inertia P and D = S^T P S + softness. G is the one
// of corrections.md 10 carried on to the parent: of what the sweeps do with phi, only this is then left to wait for in
// each of them.
#ifndef TS_DYNAMICS_TREE_INSIDE_H
#define TS_DYNAMICS_TREE_INSIDE_H

#include "dynamics/spatial_inertia.h"
#include "dynamics/tree.h"

enum { TS_MOST_FREEDOMS = 6 };

// How a node is followed in the innermost loops: kinds that chains and robots are made of in a straight line, for by
// their tables a step of a chain of twelve links in flight takes 85 % more instructions; others as their table says
// (dynamics/joint/joint_mechanics.h).
typedef enum ts_fast_path { TS_FAST_PATH_NONE, TS_FAST_PATH_TURN, TS_FAST_PATH_SLIDE } ts_fast_path;

// What is constant about how a node moves its body. A joint that is walked in reverse has its frames exchanged and
// turned (tree.c), so that nothing else knows about it.
typedef struct ts_hinge {
  // turn about the joint's z by an angle a: cos(a/2) about_z[0] + sin(a/2) about_z[1], child in parent; lanes w x y z
  ts_wide about_z[2];
  ts_wide weight;  // of the body
  ts_wide moments; // of a body that turns alike: the diagonal of its inertia, which has nothing else
  const struct ts_joint_mechanics *mechanics;
  const ts_joint *joint;  // NULL: none
  ts_fast_path fast_path; // these two as in the mechanics
  bool rate_is_spin;
  int body, q, v;
  int up;           // link that it hangs on
  bool turns_alike; // inertia is the same in all orientations that the body can have
  double mass;      // of the body
  ts_vec3 at;       // the joint's origin from the parent's centre of mass, in the parent's axes
  ts_vec3 arm;      // the child's centre of mass from the joint's origin, in the child's axes
  ts_mat3 side[2];  // axes of the joint's frame in those of the parent; of the child
  ts_quat turn[2];  // of the joint's frame in the parent; of the child in the joint's frame
  double angle;     // plane: of the child against the parent at coordinate 0
} ts_hinge;

// Where a body is and how it moves: of the bases first, then of the nodes.
typedef struct ts_link {
  ts_wide turn; // quaternion, lanes w x y z
  ts_wide axes[3];
  ts_wide centre;
  ts_wide arm; // as in ts_hinge, world axes
  ts_spatial velocity;
  ts_spatial bias; // acceleration at constant rates, bases not accelerated
  double angle;    // plane
} ts_link;

// What the sweeps through the tree read of a node.
typedef struct ts_sweep_node {
  ts_wide l;
  ts_wide inertia[3];    // about the centre of mass, world axes
  ts_spatial bias_force; // M bias + gyroscopic moment
  double mass;
  int parent; // node, or -1
  int body;
  int v, v_count;
  int block;           // where its v_count x v_count numbers of D^-1 begin
  bool gathers, first; // has children; is the first of its parent's that a sweep from the tips meets
} ts_sweep_node;

// A free tree, and what it keeps through a step (tree_momentum.h).
typedef struct ts_floating {
  ts_spatial kept, momentum;  // that was noted, and that of the last sum
  ts_wide kept_at, at;        // points that they are about: the first body's centre of mass at the time
  ts_wide kept_centre;        // of mass, of the tree, where momentum was noted
  double kept_energy, energy; // kinetic, of both
  double mass;                // of all bodies
  ts_wide first_moment;       // sum of m r from `at`
  ts_wide moments[3];         // of inertia of the tree as one body, about `at`, world axes
  int node;                   // the first
  bool rates_given;           // drives give rates of its joints
  bool held;                  // something outside of it, a contact or a loop, holds its places in the step
} ts_floating;

struct ts_tree {
  const ts_model *model;
  struct ts_tree_sizes sizes;
  int base_count, driven_count;
  bool straight; // coordinates change by their rates, all of them: there are no quaternions
  ts_tree_node *nodes;
  int *node_of_body; // body_count
  int *node_of_rate; // v
  int *closures;
  int *bases;                  // bodies; bases[0] is TS_WORLD
  int *driven;                 // kinematic bodies
  ts_hinge *hinges;            // nodes
  ts_link *links;              // base_count + nodes
  ts_sweep_node *sweep;        // nodes
  ts_spatial *axes;            // S (v)
  ts_spatial *gain;            // G (v)
  double *inverse;             // D^-1 by nodes
  ts_spatial_inertia *inertia; // scratch of factorization and mass matrix (nodes)
  ts_spatial *load;            // scratch of sweeps (nodes)
  ts_spatial *motion;          // scratch of sweeps (nodes)
  ts_spatial *base_motion;     // scratch of sweeps (base_count)
  double *push, *change;       // scratch of sweeps (v)
  double *sine, *cosine;       // of half the coordinates (q)
  int *floating_of;            // free tree of a node, or -1 (nodes)
  ts_floating *floating;       // free trees, in the order of their first nodes (floating_count)
  int floating_count;
  ts_tree_energy energy; // at the last update
};

// A quaternion in lanes w x y z
TS_INLINE ts_wide ts_wide_quaternion(ts_quat q)
{
  return (ts_wide){q.w, q.x, q.y, q.z};
}

// The link of the world, which never changes.
void ts_tree_place_world(ts_tree *tree);

static inline const ts_link *ts_tree_link(const ts_tree *tree, int node)
{
  return &tree->links[tree->base_count + node];
}

// The inertia that a node's parent has so far of its children += P. Children come from the last to the first.
TS_INLINE void ts_inertia_pass(ts_tree *tree, const ts_sweep_node *sweep, const ts_spatial_inertia *P)
{
  if (sweep->first)
    tree->inertia[sweep->parent] = *P;
  else
    ts_inertia_add(&tree->inertia[sweep->parent], P);
}

// The inertia of a node's body and what came from its children, and the transpose of its B.
TS_INLINE ts_spatial_inertia ts_inertia_gathered(const ts_tree *tree, int node, ts_wide *Bt)
{
  const ts_sweep_node *sweep = &tree->sweep[node];
  ts_spatial_inertia P = sweep->gathers ? tree->inertia[node] : ts_inertia_zero();
  ts_wide_transpose(P.B, Bt);
  ts_inertia_add_body(&P, sweep->mass, sweep->inertia);
  return P;
}

#endif
