#include "contact/block_groups.h"

#include <string.h>

ts_block_groups ts_group_blocks(const ts_system *system, ts_arena *arena)
{
  const ts_model *model = system->model;
  int *group = ts_arena_ints(arena, (size_t)model->body_count);
  int groups = model->body_count;
  if (system->mobility)
    groups = ts_mobility_groups(system->mobility, group);
  else
    for (int b = 0; b < model->body_count; ++b) group[b] = b;
  int *start = ts_arena_ints(arena, (size_t)groups + 2);
  int *member = ts_arena_ints(arena, 2 * (size_t)system->count);
  memset(start, 0, ((size_t)groups + 2) * sizeof *start);
  const ts_block_groups g = {group, start, member, groups};
  for (int i = 0; i < system->count; ++i) {
    const int first = ts_group_of(&g, &system->blocks[i], 0), second = ts_group_of(&g, &system->blocks[i], 1);
    if (first >= 0) ++start[first + 2];
    if (second >= 0 && second != first) ++start[second + 2];
  }
  for (int k = 0; k < groups; ++k) start[k + 2] += start[k + 1];
  for (int i = 0; i < system->count; ++i) { // start[k+1] runs from the beginning of group k to its end
    const int first = ts_group_of(&g, &system->blocks[i], 0), second = ts_group_of(&g, &system->blocks[i], 1);
    if (first >= 0) member[start[first + 1]++] = i;
    if (second >= 0 && second != first) member[start[second + 1]++] = i;
  }
  return g;
}
