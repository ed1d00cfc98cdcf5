// Disjoint sets over 0 .. n-1: parent[i] == i marks a representative. Initialize with parent[i] = i.
#ifndef TS_MATH_DISJOINT_SETS_H
#define TS_MATH_DISJOINT_SETS_H

// The representative of i's set; shortens the path to it.
static inline int ts_find_set(int *parent, int i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

// Returns by how many sets there are fewer: 1, or 0 if they were one.
static inline int ts_join_sets(int *parent, int i, int j)
{
  const int from = ts_find_set(parent, i), to = ts_find_set(parent, j);
  parent[from] = to;
  return from != to;
}

#endif
