// Forward and inverse dynamics: the sweeps of corrections.md 10.3 and 10.4. Forces that the motion takes at constant
// rates are in ts_sweep_node.bias_force already, so that M^-1 of a force is all there is to forward dynamics.
#include "dynamics/tree_inside.h"

#include "math/quad.h"

TS_INLINE ts_spatial momentum_of(const ts_sweep_node *sweep, ts_spatial V)
{
  return ts_body_momentum(sweep->mass, sweep->inertia, V);
}

// What a sweep gathers: external forces, and what bodies need to move as they do.
typedef struct loading {
  const ts_wrench *wrench; // of bodies, or NULL: none
  const double *force;     // of joints, or NULL: none
  bool at_rates;           // the forces that the motion takes at constant rates
  bool carried;            // and those that the accelerations in tree->motion take
} loading;

TS_INLINE ts_spatial load_of(const ts_tree *tree, int node, const loading *on)
{
  const ts_sweep_node *sweep = &tree->sweep[node];
  ts_spatial load = on->at_rates ? sweep->bias_force : ts_spatial_zero();
  if (on->wrench) load = ts_spatial_sub(load, ts_spatial_of_wrench(on->wrench[sweep->body]));
  if (on->carried) load = ts_spatial_add(load, momentum_of(sweep, tree->motion[node]));
  return sweep->gathers ? ts_spatial_add(load, tree->load[node]) : load;
}

// One node of the sweep below, which has n rates.
TS_INLINE void gather_node(ts_tree *tree, int node, int n, const loading *on)
{
  const ts_sweep_node *sweep = &tree->sweep[node];
  const ts_spatial *S = &tree->axes[sweep->v], *G = &tree->gain[sweep->v], z = load_of(tree, node, on);
  const double *f = on->force ? on->force + sweep->v : NULL;
  double *e = tree->push + sweep->v;
  for (int j = 0; j < n; ++j) e[j] = (f ? f[j] : 0.0) - ts_spatial_dot(z, S[j]);
  if (sweep->parent < 0) return;
  ts_spatial up = ts_carry_wrench(z, sweep->l);
  for (int j = 0; j < n; ++j) up = ts_spatial_add_scaled(up, e[j], G[j]);
  tree->load[sweep->parent] = sweep->first ? up : ts_spatial_add(tree->load[sweep->parent], up);
}

// Tips to base: z = load + sum over children of what they pass on,  e = force - S^T z, and phi z + G e is passed on.
// Leaves e in tree->push. A joint of one freedom has its own copy of the code, without loops.
TS_INLINE void gather_forces(ts_tree *tree, const loading on)
{
  for (int i = tree->sizes.nodes - 1; i >= 0; --i)
    if (tree->sweep[i].v_count == 1)
      gather_node(tree, i, 1, &on);
    else
      gather_node(tree, i, tree->sweep[i].v_count, &on);
}

// One node of the sweep below, which has n rates.
TS_INLINE void spread_node(ts_tree *tree, int node, int n, double *rates)
{
  const ts_sweep_node *sweep = &tree->sweep[node];
  const ts_spatial *S = &tree->axes[sweep->v], *G = &tree->gain[sweep->v];
  const double *e = tree->push + sweep->v, *inverse = tree->inverse + sweep->block;
  double *rate = rates + sweep->v;
  const ts_spatial up = sweep->parent < 0 ? ts_spatial_zero() : tree->motion[sweep->parent];
  ts_spatial alpha = ts_carry_twist(up, sweep->l);
  for (int j = 0; j < n; ++j) {
    double weighted = inverse[j * n] * e[0];
    for (int k = 1; k < n; ++k) weighted += inverse[j * n + k] * e[k];
    rate[j] = weighted - ts_spatial_dot(G[j], up);
    alpha = ts_spatial_add_scaled(alpha, rate[j], S[j]);
  }
  tree->motion[node] = alpha;
}

// Base to tips: rate = D^-1 e - G^T alpha of the parent,  alpha = phi^T alpha of the parent + S rate.
TS_INLINE void spread_rates(ts_tree *tree, double *rates)
{
  for (int i = 0; i < tree->sizes.nodes; ++i)
    if (tree->sweep[i].v_count == 1)
      spread_node(tree, i, 1, rates);
    else
      spread_node(tree, i, tree->sweep[i].v_count, rates);
}

// tree->motion of all nodes from tree->base_motion and `rates` (or NULL: none).
static void carry(ts_tree *tree, const double *rates)
{
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_sweep_node *sweep = &tree->sweep[i];
    const ts_spatial up = sweep->parent < 0 ? tree->base_motion[tree->hinges[i].up] : tree->motion[sweep->parent];
    ts_spatial V = ts_carry_twist(up, sweep->l);
    if (rates)
      for (int j = sweep->v; j < sweep->v + sweep->v_count; ++j) V = ts_spatial_add_scaled(V, rates[j], tree->axes[j]);
    tree->motion[i] = V;
  }
}

static void accelerate_bases(ts_tree *tree, const ts_twist *acceleration)
{
  for (int i = 0; i < tree->base_count; ++i) {
    const int body = tree->bases[i];
    const bool moves = acceleration && body >= 0 && tree->model->bodies[body].kind == TS_KINEMATIC;
    tree->base_motion[i] = moves ? ts_spatial_of_twist(acceleration[body]) : ts_spatial_zero();
  }
}

TS_HOT void ts_tree_accelerate(ts_tree *tree, const ts_wrench *wrench, const double *force,
                               const ts_twist *base_acceleration, double *acceleration)
{
  if (base_acceleration) {
    accelerate_bases(tree, base_acceleration);
    carry(tree, NULL);
    gather_forces(tree, (loading){wrench, force, .at_rates = true, .carried = true});
  } else {
    gather_forces(tree, (loading){wrench, force, .at_rates = true});
  }
  spread_rates(tree, acceleration);
}

TS_HOT void ts_tree_respond(ts_tree *tree, const ts_wrench *wrench, const double *force, double *change,
                            ts_twist *twists)
{
  gather_forces(tree, (loading){.wrench = wrench, .force = force});
  spread_rates(tree, change);
  if (twists)
    for (int i = 0; i < tree->sizes.nodes; ++i) twists[tree->sweep[i].body] = ts_twist_of_spatial(tree->motion[i]);
}

_Static_assert(sizeof(ts_twist) == 6 * sizeof(double), "a twist is six numbers");

// Four numbers from the first on, and four to the last: two of them twice.
TS_INLINE void add_to_twist(ts_spatial change, ts_twist *twist)
{
  double *at = (double *)twist;
  const ts_quad first = TS_QUAD(at) + __builtin_shufflevector(change.linear, change.angular, 0, 1, 2, 4);
  const ts_quad last = TS_QUAD(at + 2) + __builtin_shufflevector(change.linear, change.angular, 2, 4, 5, 6);
  TS_QUAD(at) = first;
  TS_QUAD(at + 2) = last;
}

TS_HOT void ts_tree_push(ts_tree *tree, const ts_wrench *wrench, ts_twist *velocity)
{
  gather_forces(tree, (loading){.wrench = wrench});
  spread_rates(tree, tree->change);
  for (int i = 0; i < tree->sizes.nodes; ++i) add_to_twist(tree->motion[i], &velocity[tree->sweep[i].body]);
}

// Recursive Newton-Euler: what the body of each node and all that hangs on it need, in tree->load.
static void load_nodes(ts_tree *tree, const ts_tree_course *course)
{
  accelerate_bases(tree, course->base_acceleration);
  carry(tree, course->acceleration);
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_sweep_node *sweep = &tree->sweep[i];
    const ts_spatial at_rates = course->at_once ? ts_spatial_zero() : sweep->bias_force;
    tree->load[i] = ts_spatial_sub(ts_spatial_add(at_rates, momentum_of(sweep, tree->motion[i])),
                                   ts_spatial_of_wrench(course->wrench[sweep->body]));
  }
  for (int i = tree->sizes.nodes - 1; i >= 0; --i) {
    const ts_sweep_node *sweep = &tree->sweep[i];
    if (sweep->parent >= 0)
      tree->load[sweep->parent] = ts_spatial_add(tree->load[sweep->parent], ts_carry_wrench(tree->load[i], sweep->l));
  }
}

void ts_tree_inverse_dynamics(ts_tree *tree, const ts_wrench *wrench, const ts_twist *base_acceleration,
                              const double *acceleration, double *force)
{
  load_nodes(tree, &(ts_tree_course){wrench, acceleration, base_acceleration, false});
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_sweep_node *sweep = &tree->sweep[i];
    for (int j = sweep->v; j < sweep->v + sweep->v_count; ++j) force[j] = ts_spatial_dot(tree->load[i], tree->axes[j]);
  }
}

void ts_tree_transmitted(ts_tree *tree, const ts_tree_course *course, ts_wrench *transmitted)
{
  load_nodes(tree, course);
  for (int i = 0; i < tree->sizes.nodes; ++i)
    transmitted[i] = (ts_wrench){ts_narrow(tree->load[i].linear), ts_narrow(tree->load[i].angular)};
}

int ts_tree_turning_axes(const ts_tree *tree, int node, ts_vec3 axes[3])
{
  const ts_sweep_node *sweep = &tree->sweep[node];
  int count = 0;
  for (int j = sweep->v; j < sweep->v + sweep->v_count && count < 3; ++j) {
    ts_vec3 axis = ts_narrow(tree->axes[j].angular);
    const double length = ts_length(axis);
    for (int k = 0; k < count; ++k) axis = ts_add_scaled(axis, -ts_dot(axes[k], axis), axes[k]);
    const double left = ts_length(axis);
    if (left > 1e-9 * length) axes[count++] = ts_scale(1.0 / left, axis);
  }
  return count;
}

void ts_tree_body_accelerations(ts_tree *tree, const ts_twist *base_acceleration, const double *acceleration,
                                ts_twist *body_acceleration)
{
  accelerate_bases(tree, base_acceleration);
  carry(tree, acceleration);
  for (int i = 0; i < tree->sizes.nodes; ++i)
    body_acceleration[tree->sweep[i].body] =
        ts_twist_of_spatial(ts_spatial_add(tree->motion[i], ts_tree_link(tree, i)->bias));
}

double ts_tree_kinetic_energy(ts_tree *tree, const double *v)
{
  double energy = 0.0;
  for (int i = 0; i < tree->base_count; ++i) tree->base_motion[i] = tree->links[i].velocity;
  carry(tree, v);
  for (int i = 0; i < tree->sizes.nodes; ++i)
    energy += 0.5 * ts_spatial_dot(momentum_of(&tree->sweep[i], tree->motion[i]), tree->motion[i]);
  return energy;
}
