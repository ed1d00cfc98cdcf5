// Between rates and twists at the configuration of the last update.
#include "dynamics/tree_inside.h"

static ts_twist twist_of_parent(const ts_tree *tree, int node, const ts_twist *twists)
{
  const ts_node *n = &tree->nodes[node];
  const int body = n->parent >= 0 ? tree->nodes[n->parent].body : n->base;
  return body < 0 ? (ts_twist){0} : twists[body];
}

TS_HOT void ts_tree_twists(const ts_tree *tree, const double *v, const ts_twist *bases, ts_twist *twists)
{
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_sweep *sweep = &tree->sweep[i];
    ts_twist twist = ts_twist_shift(twist_of_parent(tree, i, sweep->parent >= 0 ? twists : bases), sweep->l);
    for (int k = sweep->v; k < sweep->v + sweep->v_count; ++k) twist = ts_twist_add_scaled(twist, v[k], tree->axes[k]);
    twists[sweep->body] = twist;
  }
}

// Axes turn about or slide along orthonormal vectors at the joint's origin: rates are components of the relative twist.
// Of one that only turns, what the origin does is not asked.
TS_HOT void ts_tree_rates(const ts_tree *tree, const ts_twist *twists, double *v)
{
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_sweep *sweep = &tree->sweep[i];
    const ts_twist up = twist_of_parent(tree, i, twists);
    if (tree->hinges[i].kind == TS_JOINT_REVOLUTE) {
      v[sweep->v] = ts_dot(tree->axes[sweep->v].angular, ts_sub(twists[sweep->body].angular, up.angular));
      continue;
    }
    const ts_twist carried = ts_twist_shift(up, sweep->l);
    const ts_twist own = ts_twist_add_scaled(twists[sweep->body], -1.0, carried);
    const ts_vec3 to_origin = ts_negate(ts_tree_link(tree, i)->arm), drift = ts_twist_at(own, to_origin);
    for (int k = sweep->v; k < sweep->v + sweep->v_count; ++k)
      v[k] = ts_dot(tree->axes[k].angular, own.angular) + ts_dot(ts_twist_at(tree->axes[k], to_origin), drift);
  }
}
