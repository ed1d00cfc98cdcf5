// Disjoint sets over 0 .. n-1: parent[i] == i marks a representative. Initialize with parent[i] = i.
#ifndef TS_MATH_DISJOINT_SETS_H
#define TS_MATH_DISJOINT_SETS_H

// The representative of i's set; shortens the path to it.
static inline int ts_find_set(int *parent, int i)
{
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static inline void ts_join_sets(int *parent, int i, int j)
{
  parent[ts_find_set(parent, i)] = ts_find_set(parent, j);
}

#endif
