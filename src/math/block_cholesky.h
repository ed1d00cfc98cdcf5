// Cholesky factor P A P^T = L L^T of a sparse symmetric positive semidefinite matrix made of small dense blocks, nodes
// ordered by minimum degree. A pivot that elimination has taken (nearly) all of is dropped: its row adds nothing to
// those before it, and solutions are zero there. What is left is A^-1 of the rows that remain, a generalized inverse
// that solves every consistent system.
//
// Cost: that of the fill; linear in the number of nodes for graphs that are chains, or trees of cliques of bounded
// size. All memory comes from the arena.
#ifndef TS_MATH_BLOCK_CHOLESKY_H
#define TS_MATH_BLOCK_CHOLESKY_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct ts_block_cholesky {
  int nodes, scalars;
  const int *position; // of a node in the order of elimination. Everything below is in that order
  const int *order;    // the node
  const int *parent;   // elimination tree, -1 at a root
  const int *size;     // scalars of a node
  const int *first;    // its first scalar (nodes + 1)
  const int *origin;   // the same as the caller numbers scalars
  const int *start;    // its blocks below the diagonal (nodes + 1)
  const int *row;      // of a block, ascending in a column
  const int *offset;   // of a block: its first row in the panel of the column
  const int *height;   // rows of the panel, the diagonal block included
  double **panel;      // height x size, column after column; of the diagonal block the lower triangle counts. Factored,
                       // the diagonal itself is inverted: 1/L_ii, 0 where the pivot was dropped
} ts_block_cholesky;

// Analyze a pattern: `nodes` nodes of size[i] scalars, neighbours of node i in index[start[i]..start[i+1]), both
// directions present, no self loops, none twice. The matrix is zero.
ts_block_cholesky ts_block_cholesky_analyze(int nodes, const int *size, const int *start, const int *index,
                                            ts_arena *arena);

// Add to the block of nodes i and j, neighbours or equal: size[i] x size[j] numbers, column after column. Blocks (i, j)
// and (j, i) are one: add either.
void ts_block_cholesky_add(const ts_block_cholesky *factor, int i, int j, const double *block);

void ts_block_cholesky_clear(const ts_block_cholesky *factor);

// Factor what was added. A pivot not above relative[node] times the entry that it began as is dropped. dropped[scalar]
// (by nodes, as the caller numbered them) says before which to drop in any case, and afterwards which were.
void ts_block_cholesky_factor(const ts_block_cholesky *factor, const double *relative, bool *dropped, ts_arena *arena);

// x (by nodes, as the caller numbered them): right-hand side in, solution out.
void ts_block_cholesky_solve(const ts_block_cholesky *factor, double *x, ts_arena *arena);

// A set of positions that ascends and is closed (it holds the parents of its members), and where the scalars of each
// member begin in a vector over the set.
typedef struct ts_block_reach {
  int count, scalars;
  int *position, *first;
} ts_block_reach;

// The positions that L^-1 fills from right-hand sides on some nodes: the paths from them to the roots. Also writes
// where they begin to place[position]; `place` has `nodes` numbers.
ts_block_reach ts_block_cholesky_reach(const ts_block_cholesky *factor, int count, const int *nodes, int *place,
                                       ts_arena *arena);

// X becomes L^-1 X, where X has `columns` columns over the reach, one after another, and `place` is that of the reach.
void ts_block_cholesky_half_solve(const ts_block_cholesky *factor, const ts_block_reach *reach, const int *place,
                                  int columns, double *X);

#endif
