#include "contact/joint_compliance.h"

#include "contact/block_groups.h"

// Blocks, ascending, as they act on the bodies of one group.
typedef struct coupled {
  const int *member;
  int count;
  ts_block_rows *rows;
} coupled;

// All blocks as they act on all bodies.
static coupled all_coupled(const ts_system *system, ts_arena *arena)
{
  int *member = ts_arena_ints(arena, (size_t)system->count);
  coupled all = {member, system->count, ts_arena_bytes(arena, (size_t)system->count, sizeof *all.rows)};
  for (int i = 0; i < system->count; ++i) {
    const ts_block *block = &system->blocks[i];
    member[i] = i;
    all.rows[i] = (ts_block_rows){{block->body[0], block->body[1]}, block->active, &system->jacobian[2 * i]};
  }
  return all;
}

static coupled coupled_in_group(const ts_system *system, const ts_block_groups *g, int group, ts_arena *arena)
{
  coupled own = {.member = g->member + g->start[group], .count = g->start[group + 1] - g->start[group]};
  own.rows = ts_arena_bytes(arena, (size_t)own.count, sizeof *own.rows);
  for (int k = 0; k < own.count; ++k) {
    const int i = own.member[k];
    const ts_block *block = &system->blocks[i];
    ts_block_rows *rows = &own.rows[k];
    *rows = (ts_block_rows){{-1, -1}, block->active, &system->jacobian[2 * i]};
    for (int side = 0; side < 2; ++side)
      if (ts_group_of(g, block, side) == group) rows->body[side] = block->body[side];
  }
  return own;
}

TS_INLINE void add_block(const double *C, size_t rows, const int d, double *block)
{
  for (int c = 0; c < d; ++c)
    for (int r = 0; r < d; ++r) block[c * d + r] += C[(size_t)c * rows + (size_t)r];
}

// W += C of the blocks, which all share a group: each is in the others' rows.
static void add_to_compliance(const ts_system *system, const coupled *own, const double *C)
{
  const ts_block_matrix *W = &system->problem.W;
  double *value = (double *)W->value; // ours, from the arena
  const size_t d = (size_t)system->dimension, rows = (size_t)own->count * d;
  for (int a = 0; a < own->count; ++a)
    for (int b = 0, k = W->start[own->member[a]]; b < own->count; ++b, ++k) {
      while (W->index[k] != own->member[b]) ++k;
      const double *from = C + (size_t)b * d * rows + (size_t)a * d;
      if (d == 3) // a constant dimension lets the compiler unroll
        add_block(from, rows, 3, value + (size_t)k * 9);
      else
        add_block(from, rows, (int)d, value + (size_t)k * d * d);
    }
}

static void add_coupling_of(const ts_system *system, const coupled *own, ts_arena *arena)
{
  const size_t rows = (size_t)own->count * (size_t)system->dimension;
  double *C = ts_arena_doubles(arena, rows * rows);
  const ts_block_list list = {own->count, system->dimension, own->rows};
  ts_mobility_compliance(system->mobility, &list, C, arena);
  add_to_compliance(system, own, C);
}

// Whether every block shares a group with every other one.
static bool is_full(const ts_block_matrix *W)
{
  return (size_t)W->start[W->rows] == (size_t)W->rows * (size_t)W->rows;
}

void ts_add_joint_compliance(ts_system *system, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  if (is_full(&system->problem.W)) {
    const coupled all = all_coupled(system, arena);
    add_coupling_of(system, &all, arena);
  } else {
    const ts_block_groups g = ts_group_blocks(system, arena);
    for (int group = 0; group < g.count; ++group) {
      if (g.start[group] == g.start[group + 1]) continue;
      const ts_arena_mark before = ts_arena_save(arena);
      const coupled own = coupled_in_group(system, &g, group, arena);
      add_coupling_of(system, &own, arena);
      ts_arena_restore(arena, before);
    }
  }
  ts_arena_restore(arena, mark);
}
