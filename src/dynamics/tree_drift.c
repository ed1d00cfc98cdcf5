// Motion of a tree by inertia alone, M v' = -c(q, v): it keeps the kinetic energy, which tells how good a step is.
//
// Runge and Kutta's method of order four. Where coordinates are quaternions q' = q w does not commute, and increments
// u, q = q_0 exp(u), take the corrections of Munthe-Kaas: with k_i = h w_i, of four stages,
//   u_2 = k_1/2,   u_3 = k_2/2 - k_1 x k_2/8,   u_4 = k_3,   u = (k_1 + 2 k_2 + 2 k_3 + k_4)/6 + k_1 x k_4/12
// (Hairer, Lubich, Wanner, Geometric Numerical Integration, IV.8; signs for rates along the moving axes). A body that
// spins about a fixed axis is met exactly, however fast it is.
#include "dynamics/tree_inside.h"

#include <math.h>
#include <string.h>

// Stages of the method, and where the next one is looked for (v each).
typedef struct drift {
  ts_tree *tree;
  ts_state *state;
  ts_kinematics *kinematics;
  double *rate[4], *change[4]; // v and v' of the stages
  double *first;               // v' at the start
  double *q, *way;             // a stage's coordinates, and the increment that leads there
} drift;

static drift begin(ts_tree *tree, ts_state *state, ts_kinematics *kinematics, ts_arena *arena)
{
  const size_t v = (size_t)tree->sizes.v;
  drift d = {.tree = tree, .state = state, .kinematics = kinematics};
  double *room = ts_arena_doubles(arena, 10 * v + (size_t)tree->sizes.q);
  for (int i = 0; i < 4; ++i, room += 2 * v) {
    d.rate[i] = room;
    d.change[i] = room + v;
  }
  d.first = room;
  d.way = room + v;
  d.q = room + 2 * v;
  return d;
}

// way += scale a x b where rates are those of a quaternion.
static void add_commutators(const drift *d, double scale, const double *a, const double *b)
{
  for (int i = 0; !d->tree->straight && i < d->tree->sizes.nodes; ++i) {
    const ts_tree_node *node = &d->tree->nodes[i];
    if (node->q_count == node->v_count) continue;
    const double *x = a + node->v, *y = b + node->v;
    double *way = d->way + node->v;
    way[0] += scale * (x[1] * y[2] - x[2] * y[1]);
    way[1] += scale * (x[2] * y[0] - x[0] * y[2]);
    way[2] += scale * (x[0] * y[1] - x[1] * y[0]);
  }
}

static bool accelerate(const drift *d, const double *q, int stage)
{
  ts_tree_update(d->tree, q, d->rate[stage], d->state, d->kinematics);
  if (!ts_tree_factor(d->tree, NULL, NULL)) return false;
  ts_tree_accelerate(d->tree, NULL, NULL, NULL, d->change[stage]);
  return true;
}

// Stages 2 to 4: `share` of the step away, by what the stage before has found.
static bool take_stage(const drift *d, double h, double share, int stage, const double *q, const double *v)
{
  const struct ts_tree_sizes n = d->tree->sizes;
  for (int k = 0; k < n.v; ++k) {
    d->rate[stage][k] = v[k] + share * h * d->change[stage - 1][k];
    d->way[k] = share * h * d->rate[stage - 1][k];
  }
  if (stage == 2) add_commutators(d, -0.125 * h * h, d->rate[0], d->rate[1]);
  memcpy(d->q, q, (size_t)n.q * sizeof *q);
  ts_tree_advance(d->tree, 1.0, d->way, d->q);
  return accelerate(d, d->q, stage);
}

// One step from q and v, whose first stage is there.
static bool take_step(const drift *d, double h, double *q, double *v)
{
  static const double shares[] = {0.0, 0.5, 0.5, 1.0};
  double *const *r = d->rate, *const *c = d->change;
  for (int stage = 1; stage < 4; ++stage)
    if (!take_stage(d, h, shares[stage], stage, q, v)) return false;
  for (int k = 0; k < d->tree->sizes.v; ++k) {
    d->way[k] = h / 6.0 * (r[0][k] + 2.0 * (r[1][k] + r[2][k]) + r[3][k]);
    v[k] += h / 6.0 * (c[0][k] + 2.0 * (c[1][k] + c[2][k]) + c[3][k]);
  }
  add_commutators(d, h * h / 12.0, r[0], r[3]);
  ts_tree_advance(d->tree, 1.0, d->way, q);
  return true;
}

static double kinetic_after(const drift *d, const double *q, const double *v)
{
  ts_tree_update(d->tree, q, v, d->state, d->kinematics);
  return ts_tree_present_energy(d->tree).kinetic;
}

// The first stage of a substep. That of the first substep is known.
static bool take_first_stage(const drift *d, int substep, const double *q, const double *v)
{
  const size_t size = (size_t)d->tree->sizes.v * sizeof *v;
  memcpy(d->rate[0], v, size);
  if (substep > 0) return accelerate(d, q, 0);
  memcpy(d->change[0], d->first, size);
  return true;
}

// That many substeps. Returns the kinetic energy at their end; NAN where the inertias have no factor.
static double take_substeps(const drift *d, double h, int substeps, double *q, double *v)
{
  for (int substep = 0; substep < substeps; ++substep)
    if (!take_first_stage(d, substep, q, v) || !take_step(d, h / substeps, q, v)) return NAN;
  return kinetic_after(d, q, v);
}

// The first stage of all, and the kinetic energy there. Returns by how many radians, about, velocities turn in h: those
// that change at all; NAN where there is no factor.
static double look(const drift *d, double h, const double *q, const double *v, double *kinetic)
{
  const size_t size = (size_t)d->tree->sizes.v * sizeof *v;
  memcpy(d->rate[0], v, size);
  const bool factored = accelerate(d, q, 0);
  *kinetic = ts_tree_present_energy(d->tree).kinetic;
  memcpy(d->first, d->change[0], size);
  return factored ? h * sqrt(ts_tree_kinetic_energy(d->tree, d->first) / *kinetic) : NAN;
}

static bool is_kept(double kinetic, double end, double h)
{
  static const double TOLERANCE = 1e-4; // of the energy, a second
  return fabs(end - kinetic) <= fmax(1e-12, TOLERANCE * h) * kinetic;
}

// Rates stay: what is left for bodies that turn by radians a substep. A top that turns about a fixed point keeps its
// energy so; of others rates are made slower until they do. Returns whether they need not.
static bool turn_on(const drift *d, double h, double kinetic, double *q, double *v)
{
  ts_tree_advance(d->tree, h, v, q);
  const double end = kinetic_after(d, q, v);
  for (int k = 0; end > kinetic && k < d->tree->sizes.v; ++k) v[k] *= sqrt(kinetic / end);
  if (end > kinetic) kinetic_after(d, q, v);
  return is_kept(kinetic, end, h);
}

bool ts_tree_drift(ts_tree *tree, double h, double *q, double *v, ts_state *state, ts_kinematics *kinematics,
                   ts_arena *arena)
{
  enum { MOST_SUBSTEPS = 128 };
  static const double TURN = 0.15; // [rad] a substep, to begin with
  const size_t n_q = (size_t)tree->sizes.q, n_v = (size_t)tree->sizes.v;
  const drift d = begin(tree, state, kinematics, arena);
  double *end_q = ts_arena_doubles(arena, n_q), *end_v = ts_arena_doubles(arena, n_v);
  double kinetic;
  const double turn = look(&d, h, q, v, &kinetic);
  if (kinetic == 0.0) return true;
  for (int substeps = 1; turn <= TURN * MOST_SUBSTEPS && substeps <= MOST_SUBSTEPS; substeps *= 2) {
    if (turn > TURN * substeps) continue;
    memcpy(end_q, q, n_q * sizeof *q);
    memcpy(end_v, v, n_v * sizeof *v);
    if (!is_kept(kinetic, take_substeps(&d, h, substeps, end_q, end_v), h)) continue;
    memcpy(q, end_q, n_q * sizeof *q);
    memcpy(v, end_v, n_v * sizeof *v);
    return true;
  }
  return turn_on(&d, h, kinetic, q, v);
}
