#include "contact/system_islands.h"

#include <string.h>

static void copy_block(const ts_system *from, int i, ts_system *to, int k)
{
  to->blocks[k] = from->blocks[i];
  memcpy(&to->jacobian[2 * k], &from->jacobian[2 * i], 2 * sizeof *to->jacobian);
  memcpy(&to->response[2 * k], &from->response[2 * i], 2 * sizeof *to->response);
}

void ts_system_island(const ts_system *system, const ts_islands *islands, int k, ts_arena *arena, ts_system *island)
{
  const ts_island_members *members = &islands->contacts;
  const int first = members->start[k], count = members->start[k + 1] - first;
  *island = *system;
  island->count = count;
  island->origin = members->member + first;
  island->problem = ts_island_problem(&system->problem, islands, k, NULL, arena);
  island->q = (double *)island->problem.q; // ours, from the arena
  island->blocks = ts_arena_bytes(arena, (size_t)count, sizeof *island->blocks);
  island->jacobian = ts_arena_bytes(arena, 2 * (size_t)count, sizeof *island->jacobian);
  island->response = ts_arena_bytes(arena, 2 * (size_t)count, sizeof *island->response);
  for (int i = 0; i < count; ++i) copy_block(system, island->origin[i], island, i);
}
