#include "math/ordering.h"

#include <amd.h>

void ts_order_minimum_degree(int n, const int *start, const int *index, int *permutation, ts_arena *arena)
{
  if (n == 0) return;
  const ts_arena_mark mark = ts_arena_save(arena);
  const size_t nodes = (size_t)n, edges = (size_t)start[n];
  const size_t room = edges + edges / 5 + nodes + 1; // AMD asks for 1.2 times the edges, and n more
  int *first = ts_arena_ints(arena, nodes), *length = ts_arena_ints(arena, nodes), *list = ts_arena_ints(arena, room);
  int filled = 0;
  for (int i = 0; i < n; ++i) {
    first[i] = filled;
    for (int k = start[i]; k < start[i + 1]; ++k)
      if (index[k] != i) list[filled++] = index[k];
    length[i] = filled - first[i];
  }
  int *work = ts_arena_ints(arena, 6 * nodes); // supervariables, lists, heads, element lengths, degrees, flags
  double control[AMD_CONTROL], info[AMD_INFO];
  amd_defaults(control);
  amd_2(n, first, list, length, (int)room, filled, work, work + n, permutation, work + 2 * n, work + 3 * n,
        work + 4 * n, work + 5 * n, control, info);
  ts_arena_restore(arena, mark);
}
