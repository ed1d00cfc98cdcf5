// Between rates and twists at the configuration of the last update.
#include "dynamics/tree.h"

#include "dynamics/tree_inside.h"

static ts_spatial twist_of_parent(const ts_tree *tree, int node, const ts_twist *twists)
{
  const ts_tree_node *n = &tree->nodes[node];
  const int body = n->parent >= 0 ? tree->nodes[n->parent].body : n->base;
  return body < 0 ? ts_spatial_zero() : ts_spatial_of_twist(twists[body]);
}

TS_HOT void ts_tree_twists(const ts_tree *tree, const double *v, const ts_twist *bases, ts_twist *twists)
{
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_sweep_node *sweep = &tree->sweep[i];
    ts_spatial twist = ts_carry_twist(twist_of_parent(tree, i, sweep->parent >= 0 ? twists : bases), sweep->l);
    for (int k = sweep->v; k < sweep->v + sweep->v_count; ++k)
      twist = ts_spatial_add_scaled(twist, v[k], tree->axes[k]);
    twists[sweep->body] = ts_twist_of_spatial(twist);
  }
}

// Axes turn about or slide along orthonormal vectors at the joint's origin: rates are components of the relative twist.
// Of one that is an angular velocity, what the origin does is not asked.
TS_HOT void ts_tree_rates(const ts_tree *tree, const ts_twist *twists, double *v)
{
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_sweep_node *sweep = &tree->sweep[i];
    const ts_spatial up = twist_of_parent(tree, i, twists), twist = ts_spatial_of_twist(twists[sweep->body]);
    if (tree->hinges[i].rate_is_spin) {
      v[sweep->v] = ts_wide_sum(tree->axes[sweep->v].angular * (twist.angular - up.angular));
      continue;
    }
    const ts_wide to_origin = -ts_tree_link(tree, i)->arm;
    const ts_spatial own = ts_carry_twist(ts_spatial_sub(twist, ts_carry_twist(up, sweep->l)), to_origin);
    for (int k = sweep->v; k < sweep->v + sweep->v_count; ++k)
      v[k] = ts_spatial_dot(ts_carry_twist(tree->axes[k], to_origin), own);
  }
}
