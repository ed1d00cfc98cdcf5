#include "dynamics/tree_momentum.h"

#include "dynamics/joint_rows.h"
#include "dynamics/tree_inside.h"
#include "math/small_dense.h"

#include <math.h>

enum { TS_FREE_COORDINATES = 7 }; // of a body in space

// ---- free trees ----------------------------------------------------------------------------------------------------

static int floating_of_body(const ts_tree *tree, int body)
{
  const int node = body < 0 ? -1 : tree->node_of_body[body];
  return node < 0 ? -1 : tree->floating_of[node];
}

static void mark_given(ts_tree *tree, const ts_joint *joint)
{
  const int sides[] = {floating_of_body(tree, joint->parent), floating_of_body(tree, joint->child)};
  for (int side = 0; side < 2; ++side)
    if (sides[side] >= 0) tree->floating[sides[side]].rates_given = true;
}

static bool hangs_on_motion(const ts_model *model, const ts_joint *joint)
{
  const int sides[] = {joint->parent, joint->child};
  for (int side = 0; side < 2; ++side)
    if (sides[side] >= 0 && model->bodies[sides[side]].kind == TS_KINEMATIC) return true;
  return false;
}

// Rates that drives give must not be scaled: of joints with a drive or on a body with a motion of its own, and of those
// in gears between two trees, which may carry such a rate over.
static void find_given_rates(ts_tree *tree)
{
  const ts_model *model = tree->model;
  for (int j = 0; j < model->joint_count; ++j)
    if (ts_joint_is_driven(&model->joints[j], 1.0) || hangs_on_motion(model, &model->joints[j]))
      mark_given(tree, &model->joints[j]);
  for (int g = 0; g < model->gear_count; ++g) {
    const ts_gear *gear = &model->gears[g];
    const int own = floating_of_body(tree, model->joints[gear->joint].child);
    for (int k = 0; k < gear->term_count; ++k) {
      const ts_joint *other = &model->joints[gear->terms[k].joint];
      if (floating_of_body(tree, other->child) == own) continue;
      mark_given(tree, &model->joints[gear->joint]);
      mark_given(tree, other);
    }
  }
}

void ts_tree_list_floating(ts_tree *tree, ts_arena *arena)
{
  const size_t nodes = (size_t)tree->sizes.nodes;
  tree->floating = ts_arena_bytes(arena, nodes, sizeof *tree->floating);
  tree->floating_of = ts_arena_ints(arena, nodes);
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    const ts_tree_node *node = &tree->nodes[i];
    const bool starts = node->parent < 0 && node->joint < 0;
    tree->floating_of[i] = node->parent >= 0 ? tree->floating_of[node->parent] : starts ? tree->floating_count : -1;
    if (starts) tree->floating[tree->floating_count++] = (ts_floating){.node = i};
  }
  find_given_rates(tree);
}

bool ts_tree_floats(const ts_tree *tree)
{
  return tree->floating_count > 0;
}

bool ts_tree_floats_with(const ts_tree *tree, int body, int other)
{
  const int floating = floating_of_body(tree, body);
  return floating >= 0 && floating == floating_of_body(tree, other);
}

// ---- momentum and energy -------------------------------------------------------------------------------------------

TS_INLINE void begin_sum(ts_floating *sum, ts_wide at)
{
  sum->at = at;
  sum->momentum = ts_spatial_zero();
  sum->energy = sum->mass = 0.0;
  sum->first_moment = sum->moments[0] = sum->moments[1] = sum->moments[2] = ts_wide_zero();
}

// Mass, momentum and energy of a body away by r.
TS_INLINE void add_motion(ts_floating *sum, double mass, ts_wide r, ts_spatial momentum, double energy)
{
  sum->mass += mass;
  sum->first_moment += mass * r;
  sum->momentum.linear += momentum.linear;
  sum->momentum.angular += momentum.angular + ts_wide_cross(r, momentum.linear);
  sum->energy += energy;
}

static ts_wide centre_of(const ts_floating *floating)
{
  return floating->at + floating->first_moment / floating->mass;
}

TS_HOT void ts_tree_note_momentum(ts_tree *tree, double h, const ts_twist *twists, const ts_twist *mean)
{
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    if (tree->floating_of[i] < 0) continue;
    ts_floating *floating = &tree->floating[tree->floating_of[i]];
    const ts_sweep_node *sweep = &tree->sweep[i];
    const ts_wide centre = ts_tree_link(tree, i)->centre;
    if (sweep->parent < 0) begin_sum(floating, centre);
    const ts_spatial twist = ts_spatial_of_twist(twists[sweep->body]);
    const ts_spatial own = ts_body_momentum(sweep->mass, sweep->inertia, twist);
    const double work = h * ts_spatial_dot(sweep->bias_force, ts_spatial_of_twist(mean[sweep->body]));
    add_motion(floating, sweep->mass, centre - floating->at, ts_spatial_add_scaled(own, h, sweep->bias_force),
               0.5 * ts_spatial_dot(own, twist) + work);
  }
  for (int k = 0; k < tree->floating_count; ++k) {
    ts_floating *floating = &tree->floating[k];
    floating->kept = floating->momentum;
    floating->kept_at = floating->at;
    floating->kept_centre = centre_of(floating);
    floating->kept_energy = floating->energy;
  }
}

// Moments of inertia of the tree as one body += those of a body away by r.
TS_INLINE void add_inertia(ts_floating *sum, ts_wide r, const ts_sweep_node *sweep)
{
  const double m = sweep->mass, square = ts_wide_sum(r * r);
  for (int j = 0; j < 3; ++j) {
    ts_wide column = sweep->inertia[j] - m * r[j] * r;
    column[j] += m * square;
    sum->moments[j] += column;
  }
}

static TS_HOT void take_stock(ts_tree *tree)
{
  for (int i = 0; i < tree->sizes.nodes; ++i) {
    if (tree->floating_of[i] < 0) continue;
    ts_floating *floating = &tree->floating[tree->floating_of[i]];
    const ts_sweep_node *sweep = &tree->sweep[i];
    const ts_link *link = ts_tree_link(tree, i);
    if (sweep->parent < 0) begin_sum(floating, link->centre);
    const ts_wide r = link->centre - floating->at;
    const ts_spatial own = ts_body_momentum(sweep->mass, sweep->inertia, link->velocity);
    add_motion(floating, sweep->mass, r, own, 0.5 * ts_spatial_dot(own, link->velocity));
    add_inertia(floating, r, sweep);
  }
}

// ---- motion as one body --------------------------------------------------------------------------------------------

// The inertia of a free tree as its first body's rates feel it, factored.
typedef struct one_body {
  int n;
  const ts_spatial *S;
  double L[TS_MOST_FREEDOMS * TS_MOST_FREEDOMS];
} one_body;

// The momentum that the tree has as one body with a twist of its first body.
static ts_spatial momentum_as_one(const ts_floating *floating, ts_spatial V)
{
  const ts_wide m_r = floating->first_moment;
  return (ts_spatial){floating->mass * V.linear + ts_wide_cross(V.angular, m_r),
                      ts_wide_cross(m_r, V.linear) + ts_wide_mul(floating->moments, ts_narrow(V.angular))};
}

static bool factor_as_one(const ts_tree *tree, const ts_floating *floating, one_body *one)
{
  const ts_sweep_node *sweep = &tree->sweep[floating->node];
  one->n = sweep->v_count;
  one->S = &tree->axes[sweep->v];
  for (int j = 0; j < one->n; ++j) {
    const ts_spatial PS = momentum_as_one(floating, one->S[j]);
    for (int i = 0; i < one->n; ++i) one->L[j * one->n + i] = ts_spatial_dot(PS, one->S[i]);
  }
  return ts_small_cholesky_factor(one->n, one->L);
}

// Rates of the first body with a momentum of the tree. Returns the energy of that motion.
static double move_as_one(const one_body *one, ts_spatial momentum, double *rates)
{
  double p[TS_MOST_FREEDOMS], energy = 0.0;
  for (int j = 0; j < one->n; ++j) rates[j] = p[j] = ts_spatial_dot(momentum, one->S[j]);
  ts_small_cholesky_solve(one->n, one->L, rates);
  for (int j = 0; j < one->n; ++j) energy += 0.5 * p[j] * rates[j];
  return energy;
}

// The factor that gives the energy `wanted` to motion with the energy `own`. The difference is an error of all motion,
// first of all of turning. Where joints have less than a SHARE of the energy of `turning`, they take no more of it than
// that share would: a joint that begins to slide would be stopped by errors of the body it sits on.
static double scale_to(double wanted, double own, double turning)
{
  static const double FAR = 0.25, SHARE = 1e-3;
  const double least = fmax(own, SHARE * turning);
  if (!(least > 0.0)) return 1.0;
  const double square = 1.0 + (wanted - own) / least;
  return sqrt(fmin(fmax(square, (1.0 - FAR) * (1.0 - FAR)), (1.0 + FAR) * (1.0 + FAR)));
}

// Kinetic energy without that of the center of mass.
static double turning_energy(const ts_floating *floating)
{
  const ts_wide p = floating->momentum.linear;
  return fmax(0.0, floating->energy - 0.5 * ts_wide_sum(p * p) / floating->mass);
}

static void scale_joints(const ts_tree *tree, int floating, double factor, double *v)
{
  for (int i = tree->floating[floating].node + 1; i < tree->sizes.nodes; ++i) {
    const ts_sweep_node *sweep = &tree->sweep[i];
    if (tree->floating_of[i] != floating) continue;
    for (int k = sweep->v; k < sweep->v + sweep->v_count; ++k) v[k] *= factor;
  }
}

// Angular momentum is kept about the center of mass: the way of that is of first order where joints turn, and beside it
// a fixed point would have another angular momentum.
static ts_spatial kept_momentum(const ts_floating *floating)
{
  const ts_wide way = centre_of(floating) - floating->kept_centre;
  return ts_carry_wrench(floating->kept, floating->kept_at + way - floating->at);
}

static void keep(const ts_tree *tree, int k, double *v)
{
  const ts_floating *floating = &tree->floating[k];
  const ts_spatial kept = kept_momentum(floating);
  double whole[TS_MOST_FREEDOMS], present[TS_MOST_FREEDOMS], *base = v + tree->sweep[floating->node].v;
  one_body one;
  if (!factor_as_one(tree, floating, &one)) return;
  const double energy = move_as_one(&one, kept, whole), before = move_as_one(&one, floating->momentum, present);
  const double wanted = floating->kept_energy - energy, own = floating->energy - before;
  const double factor = floating->rates_given ? 1.0 : scale_to(wanted, own, turning_energy(floating));
  for (int j = 0; j < one.n; ++j) base[j] = whole[j] + factor * (base[j] - present[j]);
  if (factor != 1.0) scale_joints(tree, k, factor, v);
}

void ts_tree_keep_momentum(ts_tree *tree, double *v)
{
  take_stock(tree);
  for (int k = 0; k < tree->floating_count; ++k) keep(tree, k, v);
}

// ---- center of mass ------------------------------------------------------------------------------------------------

static void hold(ts_tree *tree, int floating)
{
  if (floating >= 0) tree->floating[floating].held = true;
}

// Rows of loops hold two trees together, or a tree to what is no tree.
static void hold_by_row(ts_tree *tree, const ts_bilateral_row *row)
{
  const int first = floating_of_body(tree, ts_side_body(row, 0));
  bool within = true;
  for (int side = 1; side < ts_side_count(row); ++side)
    within = within && floating_of_body(tree, ts_side_body(row, side)) == first;
  for (int side = 0; !within && side < ts_side_count(row); ++side)
    hold(tree, floating_of_body(tree, ts_side_body(row, side)));
}

void ts_tree_note_holds(ts_tree *tree, const bool *touched, const ts_bilateral_row *rows, int count)
{
  for (int k = 0; k < tree->floating_count; ++k) tree->floating[k].held = false;
  for (int b = 0; touched && b < tree->model->body_count; ++b)
    if (touched[b]) hold(tree, floating_of_body(tree, b));
  for (int k = 0; k < count; ++k)
    if (rows[k].of_joint && !rows[k].is_gear) hold_by_row(tree, &rows[k]);
}

void ts_tree_carry_centers(const ts_tree *tree, double h, double *q)
{
  for (int k = 0; k < tree->floating_count; ++k) {
    const ts_floating *floating = &tree->floating[k];
    if (floating->held) continue;
    const ts_tree_node *node = &tree->nodes[floating->node];
    const ts_wide way = h / floating->mass * floating->kept.linear;
    const ts_wide missing = floating->kept_centre + way - centre_of(floating);
    double *place = q + node->q + (node->q_count == TS_FREE_COORDINATES ? 4 : 0); // behind a quaternion
    for (int i = 0; i < (ts_is_flat(tree->model->freedoms) ? 2 : 3); ++i) place[i] += missing[i];
  }
}
