// Bodies without a mass: links of a joint with several axes.
//
// One between bodies that have a mass. Its articulated inertia is the sum of what its children pass on,
// P+ = P - P S (S^T P S)^-1 S^T P of each (tree_inertia.c). P of a child with a mass is positive definite, so that
// P+ v = 0 for v along S alone. The rate of the body's own joint, axis S_0, is then determined unless S_0 lies along
// the axes of all its children. These axes are fixed in the massless body where each joint has one, so this is as true
// at all times as it is at the start, where ts_tree_factor() finds out.
//
// Several in a row. What lies between the outer axes turns; they line up sooner or later (gimbal lock), and an angle d
// away from that the inertia about them is I d^2 and rates are w/d where the bodies turn at w. With damping c, taken
// implicitly, the matrix of a step of h is M + h c: positive definite in all positions. Damping rules where
// I d^2 < h c. Rates are resolved there, h w/d < 1/2, if c > 4 h w^2 I: so much is asked for, with w = 10 rad/s.
#include "dynamics/tree_inside.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>

static const double EXPECTED_TURN = 10.0; // w [rad/s]
static const double ROUND_OFF = 1e-9;     // of carried_inertia()

static bool is_massless(const ts_model *model, int body)
{
  return body >= 0 && model->bodies[body].kind == TS_DYNAMIC && model->bodies[body].mass == 0.0;
}

static bool has_one_axis(const ts_tree_node *node)
{
  return node->joint >= 0 && node->v_count == 1;
}

// A massless body is a link between joints with one axis each.
static ts_status check_link(const ts_tree *tree, int node, ts_error *error)
{
  const ts_tree_node *n = &tree->nodes[node];
  const char *name = tree->model->bodies[n->body].name;
  bool carries = false, one_axis = has_one_axis(n);
  for (int k = node + 1; k < tree->sizes.nodes; ++k) { // children come behind their parents
    if (tree->nodes[k].parent != node) continue;
    carries = true;
    one_axis = one_axis && has_one_axis(&tree->nodes[k]);
  }
  if (n->joint < 0 || !carries)
    return ts_fail(error, TS_INVALID, "body '%s' has no mass, and is no link between two joints", name);
  if (!one_axis)
    return ts_fail(error, TS_INVALID, "body '%s' has no mass: the joints about it must have one freedom each", name);
  return TS_OK;
}

// Inertia of all that a joint carries, about its axis: the second difference of the kinetic energy, to which moving
// bases add what is linear in the rate. `unit` (v) is zero, and is again.
static double carried_inertia(ts_tree *tree, int rate, double *unit)
{
  double sum = -2.0 * ts_tree_kinetic_energy(tree, unit);
  for (int sign = -1; sign <= 1; sign += 2) {
    unit[rate] = sign;
    sum += ts_tree_kinetic_energy(tree, unit);
  }
  unit[rate] = 0.0;
  return sum;
}

// A number of two digits that is not below x > 0: what a sentence asks for must be enough.
static const char *at_least(double x, char *text, size_t size)
{
  const double unit = pow(10.0, floor(log10(x)) - 1.0);
  snprintf(text, size, "%.2g", x);
  if (strtod(text, NULL) < x) snprintf(text, size, "%.2g", x + 0.6 * unit);
  return text;
}

// The joint of a node next to two massless bodies is damped enough. The inertia is a difference of energies, so that
// the bound is not known to the last digits.
static ts_status check_damping(ts_tree *tree, int node, double h, double *unit, ts_error *error)
{
  const ts_tree_node *n = &tree->nodes[node];
  const ts_joint *joint = &tree->model->joints[n->joint];
  const double bound = 4.0 * h * EXPECTED_TURN * EXPECTED_TURN * carried_inertia(tree, n->v, unit);
  const double least = bound * (1.0 - ROUND_OFF);
  char wanted[32];
  if (joint->damping >= least) return TS_OK;
  return ts_fail(error, TS_INVALID,
                 "joint '%s' is next to two bodies without a mass, where axes may line up: it needs a damping of at "
                 "least %s",
                 joint->name, at_least(least, wanted, sizeof wanted));
}

// A massless body that hangs on another.
static ts_status check_run(ts_tree *tree, int node, double h, double *unit, ts_error *error)
{
  const ts_model *model = tree->model;
  const int parent = tree->nodes[node].parent;
  if (parent < 0 || !is_massless(model, tree->nodes[parent].body)) return TS_OK;
  if (!(h > 0.0))
    return ts_fail(error, TS_INVALID, "bodies '%s' and '%s' both have no mass, which steps of fixed length alone take",
                   model->bodies[tree->nodes[parent].body].name, model->bodies[tree->nodes[node].body].name);
  TS_TRY(check_damping(tree, parent, h, unit, error));
  TS_TRY(check_damping(tree, node, h, unit, error));
  for (int k = node + 1; k < tree->sizes.nodes; ++k)
    if (tree->nodes[k].parent == node) TS_TRY(check_damping(tree, k, h, unit, error));
  return TS_OK;
}

static ts_status check_closures(const ts_tree *tree, ts_error *error)
{
  for (int i = 0; i < tree->sizes.closures; ++i) {
    const ts_joint *joint = &tree->model->joints[tree->closures[i]];
    const int body = is_massless(tree->model, joint->child) ? joint->child : joint->parent;
    if (is_massless(tree->model, body))
      return ts_fail(error, TS_INVALID, "joint '%s' closes a loop at body '%s', which has no mass", joint->name,
                     tree->model->bodies[body].name);
  }
  return TS_OK;
}

// The first massless body from `body` on, or body_count.
static int next_massless(const ts_model *model, int body)
{
  while (body < model->body_count && !is_massless(model, body)) ++body;
  return body;
}

static bool has_joint(const ts_model *model, int body)
{
  for (int j = 0; j < model->joint_count; ++j)
    if (model->joints[j].parent == body || model->joints[j].child == body) return true;
  return false;
}

static ts_status refuse_jointless(const ts_model *model, int body, ts_error *error)
{
  return ts_fail(error, TS_INVALID,
                 "body '%s' has no mass, and no joint: it must be a link between two, or have a mass",
                 model->bodies[body].name);
}

ts_status ts_massless_check(const ts_model *model, ts_tree *tree, double h, ts_arena *arena, ts_error *error)
{
  const int count = model->body_count, first = next_massless(model, 0);
  if (first == count) return TS_OK;
  if (!tree && !has_joint(model, first)) return refuse_jointless(model, first, error);
  if (!tree)
    return ts_fail(error, TS_INVALID, "body '%s' has no mass: only minimal coordinates can move it",
                   model->bodies[first].name);
  double *unit = ts_arena_zeros(arena, (size_t)tree->sizes.v);
  for (int body = first; body < count; body = next_massless(model, body + 1)) {
    const int node = ts_tree_node_of_body(tree, body);
    if (node < 0) return refuse_jointless(model, body, error);
    TS_TRY(check_link(tree, node, error));
    TS_TRY(check_run(tree, node, h, unit, error));
  }
  return check_closures(tree, error);
}
