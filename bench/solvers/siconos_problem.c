#include "siconos_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <FrictionContactProblem.h>
#include <LinearComplementarityProblem.h>
#include <MLCP_Solvers.h>
#include <MixedLinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsSparseMatrix.h>
#include <SparseBlockMatrix.h>

struct siconos_problem {
  const ts_problem *source;
  int size;
  int *order; // of an MLCP: the variable of ours behind each of Siconos', which wants the equations first
  FrictionContactProblem *friction;
  LinearComplementarityProblem *lcp;
  MixedLinearComplementarityProblem *mlcp;
  double *z, *w;
};

static void *allocate(size_t count, size_t bytes)
{
  void *memory = calloc(count ? count : 1, bytes);
  if (!memory) {
    perror("bench");
    exit(EXIT_FAILURE);
  }
  return memory;
}

static double *copy_doubles(const double *from, size_t count)
{
  double *to = allocate(count, sizeof *to);
  if (count) memcpy(to, from, count * sizeof *to);
  return to;
}

static bool is_free(const ts_mlcp *p, int i)
{
  return p->lower[i] == -(double)INFINITY && p->upper[i] == (double)INFINITY;
}

static bool mlcp_exists(const ts_mlcp *p)
{
  for (int i = 0; i < p->size; ++i)
    if (!is_free(p, i) && !(p->lower[i] == 0.0 && p->upper[i] == (double)INFINITY)) return false;
  return true;
}

bool siconos_problem_exists(const ts_problem *problem)
{
  switch (problem->type) {
  case TS_LCP:
    return true;
  case TS_MLCP:
    return mlcp_exists(&problem->mlcp);
  case TS_FRICTION: {
    const ts_friction *p = &problem->friction;
    return p->dimension <= 3 && p->contacts > 0 && p->bilaterals == 0 && !p->ellipsoid;
  }
  default:
    return false;
  }
}

// ---- matrices ------------------------------------------------------------------------------------------------------

static void scatter_dense(const ts_matrix *from, const int *position, double *to)
{
  const size_t rows = (size_t)from->rows;
  for (int j = 0; j < from->columns; ++j) {
    double *column = to + (size_t)(position ? position[j] : j) * rows;
    if (from->start)
      for (int k = from->start[j]; k < from->start[j + 1]; ++k)
        column[position ? position[from->index[k]] : from->index[k]] = from->value[k];
    else
      for (size_t i = 0; i < rows; ++i) column[position ? (size_t)position[i] : i] = from->value[(size_t)j * rows + i];
  }
}

// Dense copy; row and column i go to position[i] where that is given.
static NumericsMatrix *dense_matrix(const ts_matrix *from, const int *position)
{
  NumericsMatrix *to = NM_create(NM_DENSE, from->rows, from->columns);
  memset(to->matrix0, 0, (size_t)from->rows * (size_t)from->columns * sizeof *to->matrix0);
  scatter_dense(from, position, to->matrix0);
  return to;
}

static unsigned *cumulated_sizes(int blocks, int size)
{
  unsigned *ends = allocate((size_t)blocks, sizeof *ends);
  for (int i = 0; i < blocks; ++i) ends[i] = (unsigned)((i + 1) * size);
  return ends;
}

static NumericsMatrix *block_matrix_as_blocks(const ts_block_matrix *from)
{
  const size_t blocks = (size_t)from->start[from->rows], entries = (size_t)from->block * (size_t)from->block;
  SparseBlockStructuredMatrix *to = SBM_new();
  to->nbblocks = (unsigned)blocks;
  to->blocknumber0 = to->blocknumber1 = (unsigned)from->rows;
  to->blocksize0 = cumulated_sizes(from->rows, from->block);
  to->blocksize1 = cumulated_sizes(from->rows, from->block);
  to->filled1 = (size_t)from->rows + 1;
  to->filled2 = blocks;
  to->index1_data = allocate(to->filled1, sizeof *to->index1_data);
  to->index2_data = allocate(blocks, sizeof *to->index2_data);
  to->block = allocate(blocks, sizeof *to->block);
  for (int i = 0; i <= from->rows; ++i) to->index1_data[i] = (size_t)from->start[i];
  for (size_t k = 0; k < blocks; ++k) {
    to->index2_data[k] = (size_t)from->index[k];
    to->block[k] = copy_doubles(from->value + k * entries, entries);
  }
  return NM_new_SBM(from->rows * from->block, from->rows * from->block, to);
}

typedef void (*entry_writer)(NumericsMatrix *to, int i, int j, double value);

static void write_dense(NumericsMatrix *to, int i, int j, double value)
{
  to->matrix0[(size_t)j * (size_t)to->size0 + (size_t)i] = value;
}

static void write_sparse(NumericsMatrix *to, int i, int j, double value)
{
  if (value != 0.0) NM_entry(to, i, j, value);
}

static void write_blocks(const ts_block_matrix *from, NumericsMatrix *to, entry_writer write)
{
  const int d = from->block;
  const double *value = from->value;
  for (int row = 0; row < from->rows; ++row)
    for (int k = from->start[row]; k < from->start[row + 1]; ++k)
      for (int j = 0; j < d; ++j)
        for (int i = 0; i < d; ++i) write(to, row * d + i, from->index[k] * d + j, *value++);
}

static NumericsMatrix *block_matrix(const ts_block_matrix *from, NM_types storage)
{
  if (storage == NM_SPARSE_BLOCK) return block_matrix_as_blocks(from);
  const int n = from->rows * from->block;
  NumericsMatrix *to = NM_create(storage, n, n);
  if (storage == NM_DENSE) {
    memset(to->matrix0, 0, (size_t)n * (size_t)n * sizeof *to->matrix0);
    write_blocks(from, to, write_dense);
  } else {
    NM_triplet_alloc(to, from->start[from->rows] * from->block * from->block);
    to->matrix2->origin = NSM_TRIPLET;
    write_blocks(from, to, write_sparse);
  }
  return to;
}

// ---- problems ------------------------------------------------------------------------------------------------------

static void create_friction(siconos_problem *s, const ts_friction *p, NM_types storage)
{
  s->friction = frictionContactProblem_new();
  s->friction->dimension = p->dimension;
  s->friction->numberOfContacts = p->contacts;
  s->friction->M = block_matrix(&p->W, storage);
  s->friction->q = copy_doubles(p->q, (size_t)s->size);
  s->friction->mu = copy_doubles(p->mu, (size_t)p->contacts);
}

static void create_lcp(siconos_problem *s, const ts_lcp *p)
{
  s->lcp = newLCP();
  s->lcp->size = p->size;
  s->lcp->M = dense_matrix(&p->M, NULL);
  s->lcp->q = copy_doubles(p->q, (size_t)p->size);
}

// Copy the rows x columns part of `from` that starts at (row, column).
static double *copy_part(const NumericsMatrix *from, int row, int column, int rows, int columns)
{
  double *to = allocate((size_t)rows * (size_t)columns, sizeof *to);
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i)
      to[(size_t)j * (size_t)rows + (size_t)i] =
          from->matrix0[(size_t)(column + j) * (size_t)from->size0 + (size_t)(row + i)];
  return to;
}

// Siconos' solvers want either M or its four parts (equations first); both are given.
static void create_mlcp(siconos_problem *s, const ts_mlcp *p)
{
  int *position = allocate((size_t)p->size, sizeof *position);
  int equations = 0, placed = 0;
  s->order = allocate((size_t)p->size, sizeof *s->order);
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < p->size; ++i)
      if (is_free(p, i) == (pass == 0)) {
        position[i] = placed;
        s->order[placed++] = i;
      }
    if (pass == 0) equations = placed;
  }
  const int n = equations, m = p->size - equations;
  MixedLinearComplementarityProblem *to = s->mlcp = mixedLinearComplementarity_new();
  to->isStorageType1 = to->isStorageType2 = 1;
  to->n = n;
  to->m = m;
  to->blocksRows = allocate(3, sizeof *to->blocksRows);
  to->blocksIsComp = allocate(2, sizeof *to->blocksIsComp);
  to->blocksRows[1] = n;
  to->blocksRows[2] = n + m;
  to->blocksIsComp[1] = 1;
  to->M = dense_matrix(&p->M, position);
  to->q = allocate((size_t)p->size, sizeof *to->q);
  for (int i = 0; i < p->size; ++i) to->q[i] = p->q[s->order[i]];
  to->A = copy_part(to->M, 0, 0, n, n);
  to->B = copy_part(to->M, n, n, m, m);
  to->C = copy_part(to->M, 0, n, n, m);
  to->D = copy_part(to->M, n, 0, m, n);
  to->a = copy_doubles(to->q, (size_t)n);
  to->b = copy_doubles(to->q + n, (size_t)m);
  free(position);
}

siconos_problem *siconos_problem_create(const ts_problem *problem, NM_types storage)
{
  siconos_problem *s = allocate(1, sizeof *s);
  s->source = problem;
  s->size = (int)ts_problem_size(problem);
  s->z = allocate((size_t)s->size, sizeof *s->z);
  s->w = allocate((size_t)s->size, sizeof *s->w);
  switch (problem->type) {
  case TS_LCP:
    create_lcp(s, &problem->lcp);
    break;
  case TS_MLCP:
    create_mlcp(s, &problem->mlcp);
    break;
  default:
    create_friction(s, &problem->friction, storage);
    break;
  }
  return s;
}

void siconos_problem_destroy(siconos_problem *s)
{
  if (s->friction) frictionContactProblem_free(s->friction);
  if (s->lcp) freeLinearComplementarityProblem(s->lcp);
  if (s->mlcp) mixedLinearComplementarity_free(s->mlcp);
  free(s->order);
  free(s->z);
  free(s->w);
  free(s);
}

void siconos_problem_prepare(siconos_problem *s, SolverOptions *options)
{
  if (s->mlcp) mlcp_driver_init(s->mlcp, options);
}

void siconos_problem_finish(siconos_problem *s, SolverOptions *options)
{
  if (s->mlcp) mlcp_driver_reset(s->mlcp, options);
}

int siconos_problem_drive(siconos_problem *s, SolverOptions *options)
{
  if (s->lcp) return linearComplementarity_driver(s->lcp, s->z, s->w, options);
  if (s->mlcp) return mlcp_driver(s->mlcp, s->z, s->w, options);
  return s->friction->dimension == 2 ? fc2d_driver(s->friction, s->z, s->w, options)
                                     : fc3d_driver(s->friction, s->z, s->w, options);
}

void siconos_problem_solution(const siconos_problem *s, double *z)
{
  for (int i = 0; i < s->size; ++i) z[s->order ? s->order[i] : i] = s->z[i];
}
