#include "math/elimination.h"

void ts_elimination_tree(int n, const int *start, const int *index, int *parent, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  int *ancestor = ts_arena_ints(arena, (size_t)n);
  for (int k = 0; k < n; ++k) {
    parent[k] = ancestor[k] = -1;
    for (int p = start[k]; p < start[k + 1]; ++p)
      for (int i = index[p]; i != -1 && i < k;) {
        const int next = ancestor[i];
        ancestor[i] = k;
        if (next == -1) parent[i] = k;
        i = next;
      }
  }
  ts_arena_restore(arena, mark);
}

int ts_elimination_row(int n, int k, const int *start, const int *index, const int *parent, int *mark, int *stack)
{
  int top = n;
  mark[k] = k;
  for (int p = start[k]; p < start[k + 1]; ++p) {
    int length = 0;
    for (int i = index[p]; mark[i] != k; i = parent[i]) {
      stack[length++] = i; // the path fits in front of what earlier paths left at the end
      mark[i] = k;
    }
    while (length > 0) stack[--top] = stack[--length];
  }
  return top;
}
