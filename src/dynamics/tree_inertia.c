// Articulated-body inertias, tips to base (001 eqs. 40-42; ERRATA II C2):
//   P = M + sum over children phi P+ phi^T,  D = S^T P S + softness,  G = P S D^-1,  P+ = P - G (P S)^T.
#include "dynamics/tree_inside.h"

// A joint-space inertia counts as zero within rounding of the terms that it is the sum of.
static const double ROUNDING = 1.8e-15; // 8 eps

TS_INLINE double largest_terms(const ts_spatial_inertia *P, ts_twist S)
{
  return ts_dot(S.linear, S.linear) * (P->A.xx + P->A.yy + P->A.zz) +
         ts_dot(S.angular, S.angular) * (P->C.xx + P->C.yy + P->C.zz);
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

// A joint of several freedoms: fills D^-1 and G; P becomes P+.
static bool eliminate_block(int n, const ts_twist *S, const double *softness, ts_spatial_inertia *P, double *inverse,
                            ts_wrench *G)
{
  ts_wrench U[TS_MOST_FREEDOMS];
  double terms[TS_MOST_FREEDOMS];
  for (int i = 0; i < n; ++i) {
    U[i] = ts_spatial_mul(P, S[i]);
    for (int j = 0; j <= i; ++j) inverse[i * n + j] = ts_power(U[i], S[j]);
    if (softness) inverse[i * n + i] += softness[i];
    terms[i] = largest_terms(P, S[i]);
  }
  if (!cholesky(n, inverse, terms)) return false;
  invert_from_cholesky(n, inverse);
  for (int i = 0; i < n; ++i) {
    G[i] = (ts_wrench){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int j = 0; j < n; ++j) G[i] = ts_wrench_add_scaled(G[i], inverse[i * n + j], U[j]);
  }
  for (int i = 0; i < n; ++i) ts_spatial_subtract(P, G[i], U[i]);
  return true;
}

// The same for one freedom.
TS_INLINE bool eliminate_axis(ts_twist S, double softness, ts_spatial_inertia *P, double *inverse, ts_wrench *G)
{
  const ts_wrench U = ts_spatial_mul(P, S);
  const double D = ts_power(U, S) + softness;
  if (!is_positive(D, largest_terms(P, S))) return false;
  const double d = 1.0 / D;
  *inverse = d;
  *G = (ts_wrench){ts_scale(d, U.force), ts_scale(d, U.moment)};
  ts_spatial_subtract(P, *G, U);
  return true;
}

TS_HOT bool ts_tree_factor(ts_tree *tree, const double *softness, int *node)
{
  ts_spatial_inertia *inertia = tree->inertia;
  for (int i = 0; i < tree->sizes.nodes; ++i)
    inertia[i] = ts_spatial_inertia_of(tree->sweep[i].mass, &tree->sweep[i].inertia);
  for (int i = tree->sizes.nodes - 1; i >= 0; --i) {
    const ts_sweep *sweep = &tree->sweep[i];
    ts_spatial_inertia P = inertia[i];
    double *inverse = tree->inverse + sweep->block;
    const double *soft = softness ? softness + sweep->v : NULL;
    const bool positive =
        sweep->v_count == 1
            ? eliminate_axis(tree->axes[sweep->v], soft ? *soft : 0.0, &P, inverse, &tree->gain[sweep->v])
            : eliminate_block(sweep->v_count, &tree->axes[sweep->v], soft, &P, inverse, &tree->gain[sweep->v]);
    if (!positive) {
      if (node) *node = i;
      return false;
    }
    if (sweep->parent < 0) continue;
    const ts_spatial_inertia shifted = ts_spatial_shift(&P, sweep->l);
    ts_spatial_add(&inertia[sweep->parent], &shifted);
  }
  return true;
}
