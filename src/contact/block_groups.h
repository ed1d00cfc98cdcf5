// Blocks on each group of bodies that impulses pass between: single bodies, or all that joints hold together.
#ifndef TS_CONTACT_BLOCK_GROUPS_H
#define TS_CONTACT_BLOCK_GROUPS_H

#include "contact/system.h"

#include "base/hot.h"

// The blocks of group g are member[start[g]] to member[start[g+1]-1], ascending.
typedef struct ts_block_groups {
  const int *group; // of a body; -1 where it is not dynamic
  const int *start, *member;
  int count; // of groups
} ts_block_groups;

TS_INLINE int ts_group_of(const ts_block_groups *g, const ts_block *block, int side)
{
  return block->body[side] < 0 ? -1 : g->group[block->body[side]];
}

// Memory from the arena.
ts_block_groups ts_group_blocks(const ts_system *system, ts_arena *arena);

#endif
