// Which blocks of the Jacobian there are. Bodies, rows and contacts are blocks, and a block that may have entries is
// full: a contact depends on its bodies and these on it, on each other, and on their rows.
#include "step/implicit/mncp_problem.h"

#include <string.h>

static int block_of_row(const ts_ecp_problem *problem, int k)
{
  return problem->body_count + k;
}

static int block_of_contact(const ts_ecp_problem *problem, int k)
{
  return problem->body_count + problem->row_count + k;
}

static int row_sides(const ts_ecp_row *row)
{
  return row->joint ? ts_side_count(row->joint) : 2;
}

static int row_slot(const ts_ecp_problem *problem, const ts_ecp_row *row, int side)
{
  const int body = row->joint ? ts_side_body(row->joint, side) : row->bounded->row.body[side];
  return body >= 0 ? problem->slot[body] : -1;
}

static const int *first_unknowns(const ts_ecp_problem *problem, int count, ts_arena *arena)
{
  int *first = ts_arena_ints(arena, (size_t)count + 1), block = 0;
  for (int k = 0; k < problem->body_count; ++k) first[block++] = problem->bodies[k].first;
  for (int k = 0; k < problem->row_count; ++k) first[block++] = problem->rows[k].first;
  for (int k = 0; k < problem->contact_count; ++k) first[block++] = problem->contacts[k].first;
  first[block] = problem->size;
  return first;
}

// Blocks that one has entries with, both ways: marks are a square matrix, column after column.
static bool *mark_blocks(const ts_ecp_problem *problem, int count, ts_arena *arena)
{
  const size_t n = (size_t)count;
  bool *marks = ts_arena_bytes(arena, n * n, sizeof *marks);
  memset(marks, 0, n * n * sizeof *marks);
  for (size_t k = 0; k < n; ++k) marks[k * n + k] = true;
  for (int k = 0; k < problem->row_count; ++k)
    for (int s = 0; s < row_sides(&problem->rows[k]); ++s) {
      const int slot = row_slot(problem, &problem->rows[k], s), own = block_of_row(problem, k);
      if (slot >= 0) marks[(size_t)slot * n + (size_t)own] = marks[(size_t)own * n + (size_t)slot] = true;
    }
  for (int k = 0; k < problem->contact_count; ++k) {
    const ts_ecp_contact *contact = &problem->contacts[k];
    const int members[3] = {contact->side[0].slot, contact->side[1].slot, block_of_contact(problem, k)};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (members[i] >= 0 && members[j] >= 0) marks[(size_t)members[j] * n + (size_t)members[i]] = true;
  }
  return marks;
}

// Row numbers entry by entry.
static void list_rows(const ts_ecp_problem *problem, ts_ecp_pattern *pattern, ts_arena *arena)
{
  int *column = ts_arena_ints(arena, (size_t)problem->size + 1);
  int *list = ts_arena_ints(arena, pattern->value[pattern->count]), at = 0;
  for (int J = 0; J < pattern->count; ++J)
    for (int c = pattern->first[J]; c < pattern->first[J + 1]; ++c) {
      column[c] = at;
      for (int k = pattern->start[J]; k < pattern->start[J + 1]; ++k)
        for (int r = pattern->first[pattern->block[k]]; r < pattern->first[pattern->block[k] + 1]; ++r) list[at++] = r;
    }
  column[problem->size] = at;
  pattern->column = column;
  pattern->row_list = list;
}

void ts_ecp_make_pattern(ts_ecp_problem *problem, ts_arena *arena)
{
  const int count = problem->body_count + problem->row_count + problem->contact_count;
  const size_t n = (size_t)count;
  const bool *marks = mark_blocks(problem, count, arena);
  const int *first = first_unknowns(problem, count, arena);
  int *start = ts_arena_ints(arena, n + 1), *block = ts_arena_ints(arena, n * n);
  int *offset = ts_arena_ints(arena, n * n), *height = ts_arena_ints(arena, n), entries = 0;
  size_t *value = ts_arena_bytes(arena, n + 1, sizeof *value), values = 0;
  for (int J = 0; J < count; ++J) {
    start[J] = entries;
    value[J] = values;
    height[J] = 0;
    for (int I = 0; I < count; ++I) {
      if (!marks[(size_t)J * n + (size_t)I]) continue;
      block[entries] = I;
      offset[entries++] = height[J];
      height[J] += first[I + 1] - first[I];
    }
    values += (size_t)height[J] * (size_t)(first[J + 1] - first[J]);
  }
  start[count] = entries;
  value[count] = values;
  problem->pattern = (ts_ecp_pattern){.count = count,
                                      .first = first,
                                      .start = start,
                                      .block = block,
                                      .offset = offset,
                                      .height = height,
                                      .value = value};
  list_rows(problem, &problem->pattern, arena);
}
