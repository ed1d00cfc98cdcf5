// The mass matrix by composite bodies: C = M + sum over children phi C phi^T is the inertia of everything that a joint
// carries, and C S the momentum that its rate gives; ancestors feel that momentum about their own axes.
#include "dynamics/tree_inside.h"

#include <string.h>

static void gather_composites(ts_tree *tree)
{
  for (int i = tree->sizes.nodes - 1; i >= 0; --i) {
    ts_wide Bt[3];
    tree->inertia[i] = ts_inertia_gathered(tree, i, Bt);
    if (tree->sweep[i].parent < 0) continue;
    const ts_spatial_inertia carried = ts_inertia_carry(&tree->inertia[i], Bt, tree->sweep[i].l);
    ts_inertia_pass(tree, &tree->sweep[i], &carried);
  }
}

TS_INLINE ts_spatial momentum_along(const ts_spatial_inertia *P, const ts_spatial *V)
{
  ts_wide Bt[3];
  ts_wide_transpose(P->B, Bt);
  return ts_inertia_mul(P, Bt, V);
}

void ts_tree_mass_matrix(ts_tree *tree, double *M)
{
  const int n = tree->sizes.v;
  memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
  gather_composites(tree);
  for (int i = 0; i < tree->sizes.nodes; ++i)
    for (int j = tree->sweep[i].v; j < tree->sweep[i].v + tree->sweep[i].v_count; ++j) {
      ts_spatial momentum = momentum_along(&tree->inertia[i], &tree->axes[j]);
      for (int up = i; up >= 0; up = tree->sweep[up].parent) {
        for (int k = tree->sweep[up].v; k < tree->sweep[up].v + tree->sweep[up].v_count; ++k)
          M[j * n + k] = M[k * n + j] = ts_spatial_dot(momentum, tree->axes[k]);
        momentum = ts_carry_wrench(momentum, tree->sweep[up].l);
      }
    }
}
