// The mass matrix by composite bodies: C = M + sum over children phi C phi^T is the inertia of everything that a joint
// carries, and C S the momentum that its rate gives; ancestors feel that momentum about their own axes.
#include "dynamics/tree_inside.h"

#include <string.h>

static void gather_composites(ts_tree *tree)
{
  for (int i = 0; i < tree->sizes.nodes; ++i)
    tree->inertia[i] = ts_spatial_inertia_of(tree->sweep[i].mass, &tree->sweep[i].inertia);
  for (int i = tree->sizes.nodes - 1; i >= 0; --i) {
    if (tree->sweep[i].parent < 0) continue;
    const ts_spatial_inertia shifted = ts_spatial_shift(&tree->inertia[i], tree->sweep[i].l);
    ts_spatial_add(&tree->inertia[tree->sweep[i].parent], &shifted);
  }
}

void ts_tree_mass_matrix(ts_tree *tree, double *M)
{
  const int n = tree->sizes.v;
  memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
  gather_composites(tree);
  for (int i = 0; i < tree->sizes.nodes; ++i)
    for (int j = tree->sweep[i].v; j < tree->sweep[i].v + tree->sweep[i].v_count; ++j) {
      ts_wrench momentum = ts_spatial_mul(&tree->inertia[i], tree->axes[j]);
      for (int up = i; up >= 0; up = tree->sweep[up].parent) {
        for (int k = tree->sweep[up].v; k < tree->sweep[up].v + tree->sweep[up].v_count; ++k)
          M[j * n + k] = M[k * n + j] = ts_power(momentum, tree->axes[k]);
        momentum = ts_wrench_shift(momentum, tree->sweep[up].l);
      }
    }
}
