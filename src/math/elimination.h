// What eliminating a sparse symmetric matrix does to its pattern (Davis, Direct Methods for Sparse Linear Systems, ch.
// 4). Patterns are upper triangles by columns, in the order of elimination, rows in any order; entries below the
// diagonal are not allowed, the diagonal may be there or not.
#ifndef TS_MATH_ELIMINATION_H
#define TS_MATH_ELIMINATION_H

#include "base/arena.h"

// The elimination tree by Liu's algorithm with path compression: parent(i) is the first k > i with L_ki not zero, -1 at
// a root.
void ts_elimination_tree(int n, const int *start, const int *index, int *parent, ts_arena *arena);

// Columns i < k with L_ki not zero, written to the end of `stack` (n numbers) in topological order: they are the nodes
// on the tree paths from the entries of column k of the upper triangle to k. Returns where they begin. `mark` has n
// numbers, none of them k or more before the first call; call with ascending k.
int ts_elimination_row(int n, int k, const int *start, const int *index, const int *parent, int *mark, int *stack);

#endif
