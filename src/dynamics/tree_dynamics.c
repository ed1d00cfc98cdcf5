// Forward and inverse dynamics: the sweeps of ERRATA II C3 and C4. Forces that the motion takes at constant rates are
// in ts_sweep.bias_force already, so that M^-1 of a force is all there is to forward dynamics.
#include "dynamics/tree_inside.h"

static const ts_wrench NO_LOAD = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
static const ts_twist NO_MOTION = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};

TS_INLINE ts_wrench sum(ts_wrench a, ts_wrench b)
{
  return (ts_wrench){ts_add(a.force, b.force), ts_add(a.moment, b.moment)};
}

TS_INLINE ts_wrench difference(ts_wrench a, ts_wrench b)
{
  return (ts_wrench){ts_sub(a.force, b.force), ts_sub(a.moment, b.moment)};
}

TS_INLINE ts_wrench momentum(const ts_sweep *sweep, ts_twist V)
{
  return (ts_wrench){ts_scale(sweep->mass, V.linear), ts_sym3_mul(&sweep->inertia, V.angular)};
}

// Tips to base: z = load + sum over children phi z+,  e = force - S^T z,  z+ = z + G e. Leaves e in tree->push.
TS_INLINE void gather_forces(ts_tree *tree, const double *force)
{
  ts_wrench *load = tree->load;
  double *e = tree->push;
  for (int i = tree->sizes.nodes - 1; i >= 0; --i) {
    const ts_sweep *sweep = &tree->sweep[i];
    const int first = sweep->v, end = first + sweep->v_count;
    ts_wrench z = load[i];
    for (int j = first; j < end; ++j) e[j] = (force ? force[j] : 0.0) - ts_power(z, tree->axes[j]);
    if (sweep->parent < 0) continue;
    for (int j = first; j < end; ++j) z = ts_wrench_add_scaled(z, e[j], tree->gain[j]);
    load[sweep->parent] = sum(load[sweep->parent], ts_wrench_shift(z, sweep->l));
  }
}

// Row i of D^-1 times e.
TS_INLINE double weighted(const double *row, const double *e, int n)
{
  double s = row[0] * e[0];
  for (int j = 1; j < n; ++j) s += row[j] * e[j];
  return s;
}

// Base to tips: rate = D^-1 e - G^T alpha+,  alpha = alpha+ + S rate, where alpha+ comes from the parent.
TS_INLINE void spread_rates(ts_tree *tree, double *rates)
{
  const double *e = tree->push;
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_sweep *sweep = &tree->sweep[i];
    const int first = sweep->v, n = sweep->v_count;
    const ts_twist carried = sweep->parent < 0 ? NO_MOTION : ts_twist_shift(tree->motion[sweep->parent], sweep->l);
    ts_twist alpha = carried;
    for (int j = 0; j < n; ++j) {
      rates[first + j] =
          weighted(tree->inverse + sweep->block + j * n, e + first, n) - ts_power(tree->gain[first + j], carried);
      alpha = ts_twist_add_scaled(alpha, rates[first + j], tree->axes[first + j]);
    }
    tree->motion[i] = alpha;
  }
}

// tree->motion of all nodes from tree->base_motion and `rates` (or NULL: none).
static void carry(ts_tree *tree, const double *rates)
{
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_sweep *sweep = &tree->sweep[i];
    const ts_twist up = sweep->parent < 0 ? tree->base_motion[tree->hinges[i].up] : tree->motion[sweep->parent];
    ts_twist V = ts_twist_shift(up, sweep->l);
    if (rates)
      for (int j = sweep->v; j < sweep->v + sweep->v_count; ++j) V = ts_twist_add_scaled(V, rates[j], tree->axes[j]);
    tree->motion[i] = V;
  }
}

static void accelerate_bases(ts_tree *tree, const ts_twist *acceleration)
{
  for (int i = 0; i < tree->base_count; ++i) {
    const int body = tree->bases[i];
    const bool moves = acceleration && body >= 0 && tree->model->bodies[body].kind == TS_KINEMATIC;
    tree->base_motion[i] = moves ? acceleration[body] : NO_MOTION;
  }
}

TS_HOT void ts_tree_accelerate(ts_tree *tree, const ts_wrench *wrench, const double *force,
                               const ts_twist *base_acceleration, double *acceleration)
{
  for (int i = 0; i < tree->sizes.nodes; ++i)
    tree->load[i] = difference(tree->sweep[i].bias_force, wrench[tree->sweep[i].body]);
  if (base_acceleration) {
    accelerate_bases(tree, base_acceleration);
    carry(tree, NULL);
    for (int i = 0; i < tree->sizes.nodes; ++i)
      tree->load[i] = sum(tree->load[i], momentum(&tree->sweep[i], tree->motion[i]));
  }
  gather_forces(tree, force);
  spread_rates(tree, acceleration);
}

TS_HOT void ts_tree_respond(ts_tree *tree, const ts_wrench *wrench, const double *force, double *change,
                            ts_twist *twists)
{
  for (int i = 0; i < tree->sizes.nodes; ++i)
    tree->load[i] = wrench ? difference(NO_LOAD, wrench[tree->sweep[i].body]) : NO_LOAD;
  gather_forces(tree, force);
  spread_rates(tree, change);
  if (twists)
    for (int i = 0; i < tree->sizes.nodes; ++i) twists[tree->sweep[i].body] = tree->motion[i];
}

void ts_tree_inverse_dynamics(ts_tree *tree, const ts_wrench *wrench, const ts_twist *base_acceleration,
                              const double *acceleration, double *force)
{
  accelerate_bases(tree, base_acceleration);
  carry(tree, acceleration);
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_sweep *sweep = &tree->sweep[i];
    tree->load[i] = difference(sum(sweep->bias_force, momentum(sweep, tree->motion[i])), wrench[sweep->body]);
  }
  for (int i = tree->sizes.nodes - 1; i >= 0; --i) {
    const ts_sweep *sweep = &tree->sweep[i];
    for (int j = sweep->v; j < sweep->v + sweep->v_count; ++j) force[j] = ts_power(tree->load[i], tree->axes[j]);
    if (sweep->parent >= 0)
      tree->load[sweep->parent] = sum(tree->load[sweep->parent], ts_wrench_shift(tree->load[i], sweep->l));
  }
}

void ts_tree_body_accelerations(ts_tree *tree, const ts_twist *base_acceleration, const double *acceleration,
                                ts_twist *body_acceleration)
{
  accelerate_bases(tree, base_acceleration);
  carry(tree, acceleration);
  for (int i = 0; i < tree->sizes.nodes; ++i)
    body_acceleration[tree->sweep[i].body] = ts_twist_add_scaled(tree->motion[i], 1.0, ts_tree_link(tree, i)->bias);
}

double ts_tree_kinetic_energy(ts_tree *tree, const double *v)
{
  double energy = 0.0;
  for (int i = 0; i < tree->base_count; ++i) tree->base_motion[i] = tree->links[i].velocity;
  carry(tree, v);
  for (int i = 0; i < tree->sizes.nodes; ++i)
    energy += 0.5 * ts_power(momentum(&tree->sweep[i], tree->motion[i]), tree->motion[i]);
  return energy;
}
