// Articulated-body inertias, tips to base (001 eqs. 40-42; corrections.md 10.2):
//   P = M + sum over children phi P+ phi^T,  D = S^T P S + softness,  P+ = P - P S D^-1 (P S)^T.
// Here U = phi P S is carried to the parent before D is there, and so is P: phi P+ phi^T = phi P phi^T - U D^-1 U^T and
// G = U D^-1. Along a chain every joint waits for the one before it, and this is the shortest way.
#include "dynamics/tree_inside.h"

// A joint-space inertia counts as zero within rounding of the terms that it is the sum of. P is positive semidefinite,
// so those on the diagonal bound the others.
static const double ROUNDING = 1e-14;

TS_INLINE ts_wide diagonal(const ts_wide *A)
{
  const ts_wide xy = __builtin_shufflevector(A[0], A[1], 0, 5, 2, 7);
  return __builtin_shufflevector(xy, A[2], 0, 1, 6, 7);
}

TS_INLINE double largest_terms(const ts_spatial_inertia *P, ts_spatial S)
{
  return ts_wide_sum(diagonal(P->A) * (S.linear * S.linear) + diagonal(P->C) * (S.angular * S.angular));
}

// Written so that NaN is refused too.
TS_INLINE bool is_positive(double D, double terms)
{
  return D > ROUNDING * terms && D <= 1.7e308;
}

// The lower triangle of D (n x n by rows, symmetric) becomes its Cholesky factor, with reciprocals on the diagonal.
static bool cholesky(int n, double *D, const double *terms)
{
  for (int j = 0; j < n; ++j) {
    double *Lj = D + j * n;
    for (int k = 0; k < j; ++k) Lj[j] -= Lj[k] * Lj[k];
    if (!is_positive(Lj[j], terms[j])) return false;
    Lj[j] = 1.0 / sqrt(Lj[j]);
    for (int i = j + 1; i < n; ++i) {
      double *Li = D + i * n;
      for (int k = 0; k < j; ++k) Li[j] -= Li[k] * Lj[k];
      Li[j] *= Lj[j];
    }
  }
  return true;
}

// Replace L of cholesky() by (L L^T)^-1, both triangles.
static void invert_from_cholesky(int n, double *L)
{
  double X[TS_MOST_FREEDOMS][TS_MOST_FREEDOMS] = {{0.0}}; // L^-1
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) {
      double sum = i == j ? 1.0 : 0.0;
      for (int k = j; k < i; ++k) sum -= L[i * n + k] * X[k][j];
      X[i][j] = sum * L[i * n + i];
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (int k = i; k < n; ++k) sum += X[k][i] * X[k][j];
      L[i * n + j] = L[j * n + i] = sum;
    }
}

// A node whose joint has several freedoms: fills D^-1 and G, and passes on what the joint does not let go of.
static bool factor_block(ts_tree *tree, int node, const double *softness)
{
  const ts_sweep_node *sweep = &tree->sweep[node];
  const int n = sweep->v_count;
  const ts_spatial *S = &tree->axes[sweep->v];
  double *inverse = tree->inverse + sweep->block, terms[TS_MOST_FREEDOMS];
  ts_spatial *G = &tree->gain[sweep->v], U[TS_MOST_FREEDOMS];
  ts_wide Bt[3];
  const ts_spatial_inertia P = ts_inertia_gathered(tree, node, Bt);
  ts_spatial_inertia Q = ts_inertia_carry(&P, Bt, sweep->l);
  for (int i = 0; i < n; ++i) {
    U[i] = ts_inertia_mul(&P, Bt, &S[i]);
    for (int j = 0; j <= i; ++j) inverse[i * n + j] = ts_spatial_dot(U[i], S[j]);
    if (softness) inverse[i * n + i] += softness[i];
    terms[i] = largest_terms(&P, S[i]);
    U[i] = ts_carry_wrench(U[i], sweep->l);
  }
  if (!cholesky(n, inverse, terms)) return false;
  invert_from_cholesky(n, inverse);
  for (int i = 0; i < n; ++i) {
    G[i] = ts_spatial_zero();
    for (int j = 0; j < n; ++j) G[i] = ts_spatial_add_scaled(G[i], inverse[i * n + j], U[j]);
  }
  for (int i = 0; i < n; ++i) ts_inertia_subtract(&Q, U[i], G[i]);
  if (sweep->parent >= 0) ts_inertia_pass(tree, sweep, &Q);
  return true;
}

// The same for one freedom. Here and there everything is inlined, so that the matrices stay in registers.
TS_INLINE bool factor_axis(ts_tree *tree, int node, const double *softness)
{
  const ts_sweep_node *sweep = &tree->sweep[node];
  const ts_spatial S = tree->axes[sweep->v];
  ts_wide Bt[3];
  const ts_spatial_inertia P = ts_inertia_gathered(tree, node, Bt);
  const ts_spatial PS = ts_inertia_mul(&P, Bt, &S), U = ts_carry_wrench(PS, sweep->l);
  double D = ts_spatial_dot(PS, S);
  if (softness) D += *softness;
  if (!is_positive(D, largest_terms(&P, S))) return false;
  const double d = 1.0 / D;
  tree->inverse[sweep->block] = d;
  tree->gain[sweep->v] = (ts_spatial){d * U.linear, d * U.angular};
  if (sweep->parent < 0) return true;
  ts_spatial_inertia Q = ts_inertia_carry(&P, Bt, sweep->l);
  ts_inertia_subtract_square(&Q, d, U);
  ts_inertia_pass(tree, sweep, &Q);
  return true;
}

TS_HOT bool ts_tree_factor(ts_tree *tree, const double *softness, int *node)
{
  for (int i = tree->sizes.nodes - 1; i >= 0; --i) {
    const ts_sweep_node *sweep = &tree->sweep[i];
    const double *soft = softness ? softness + sweep->v : NULL;
    if (sweep->v_count == 1 ? factor_axis(tree, i, soft) : factor_block(tree, i, soft)) continue;
    if (node) *node = i;
    return false;
  }
  return true;
}

const ts_tree *ts_tree_without_masses(const ts_tree *tree, const double *arm, ts_arena *arena)
{
  const size_t nodes = (size_t)tree->sizes.nodes, v = (size_t)tree->sizes.v;
  ts_tree *alike = ts_arena_bytes(arena, 1, sizeof *alike);
  *alike = *tree;
  alike->sweep = ts_arena_bytes(arena, nodes, sizeof *alike->sweep);
  alike->gain = ts_arena_bytes(arena, v, sizeof *alike->gain);
  alike->inverse = ts_arena_doubles(arena, v * TS_MOST_FREEDOMS);
  alike->inertia = ts_arena_bytes(arena, nodes, sizeof *alike->inertia);
  for (size_t i = 0; i < nodes; ++i) {
    ts_sweep_node *sweep = &alike->sweep[i];
    *sweep = tree->sweep[i];
    const double moment = arm[sweep->body] * arm[sweep->body];
    sweep->mass = 1.0;
    sweep->inertia[0] = ts_wide_of((ts_vec3){moment, 0.0, 0.0});
    sweep->inertia[1] = ts_wide_of((ts_vec3){0.0, moment, 0.0});
    sweep->inertia[2] = ts_wide_of((ts_vec3){0.0, 0.0, moment});
  }
  return ts_tree_factor(alike, NULL, NULL) ? alike : NULL;
}
