#include "complementarity/problem/problem_copy.h"

#include "math/sparse.h"

#include <string.h>

static const double *copy_doubles(const double *from, size_t count, ts_arena *arena)
{
  if (!from) return NULL;
  double *to = ts_arena_doubles(arena, count);
  if (count) memcpy(to, from, count * sizeof *to);
  return to;
}

static const int *copy_ints(const int *from, size_t count, ts_arena *arena)
{
  int *to = ts_arena_ints(arena, count);
  if (count) memcpy(to, from, count * sizeof *to);
  return to;
}

static ts_block_matrix copy_blocks(const ts_block_matrix *A, ts_arena *arena)
{
  if (A->rows == 0) return (ts_block_matrix){.block = A->block};
  const size_t blocks = (size_t)A->start[A->rows], block = (size_t)(A->block * A->block);
  return (ts_block_matrix){A->rows, A->block, copy_ints(A->start, (size_t)A->rows + 1, arena),
                           copy_ints(A->index, blocks, arena), copy_doubles(A->value, blocks * block, arena)};
}

ts_friction ts_friction_copy(const ts_friction *problem, ts_arena *arena)
{
  ts_friction copy = *problem;
  const size_t contacts = (size_t)problem->contacts, d = (size_t)problem->dimension;
  copy.W = copy_blocks(&problem->W, arena);
  copy.q = copy_doubles(problem->q, d * contacts, arena);
  copy.mu = copy_doubles(problem->mu, contacts, arena);
  copy.ellipsoid = copy_doubles(problem->ellipsoid, (d - 1) * contacts, arena);
  copy.bodies = NULL;
  if (problem->bilaterals == 0) return copy;
  copy.V = ts_matrix_copy(&problem->V, arena);
  copy.R = ts_matrix_copy(&problem->R, arena);
  copy.s = copy_doubles(problem->s, (size_t)problem->bilaterals, arena);
  return copy;
}

ts_global_friction ts_global_friction_copy(const ts_global_friction *problem, ts_arena *arena)
{
  ts_global_friction copy = *problem;
  const size_t contacts = (size_t)problem->contacts, d = (size_t)problem->dimension;
  copy.M = ts_matrix_copy(&problem->M, arena);
  copy.H = ts_matrix_copy(&problem->H, arena);
  copy.f = copy_doubles(problem->f, (size_t)problem->M.rows, arena);
  copy.w = copy_doubles(problem->w, d * contacts, arena);
  copy.mu = copy_doubles(problem->mu, contacts, arena);
  copy.ellipsoid = copy_doubles(problem->ellipsoid, (d - 1) * contacts, arena);
  if (problem->bilaterals == 0) return copy;
  copy.G = ts_matrix_copy(&problem->G, arena);
  copy.b = copy_doubles(problem->b, (size_t)problem->bilaterals, arena);
  return copy;
}
