// Siconos MLCP files: which of two storages there are, the numbers n of free and m of complementary unknowns, blocks of
// unknowns with a flag each, M and q; then, for the second storage, A, B, C, D, a, b with
//   A u + C v + a = 0,  0 <= v _|_ D u + B v + b >= 0,
// which repeats M and q and is checked against them. Numbers after that, a solution of the writer's, are passed over.
#include "problemfile/siconos_matrix.h"

#include "base/status.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

typedef struct mlcp_layout {
  int repeated;   // the second storage follows the first
  int n, m;       // free and complementary unknowns
  int *block_end; // end of each block of unknowns
  int blocks;
  int *place; // n free unknowns, then m complementary ones: where each stands in z
  double *lower, *upper;
} mlcp_layout;

static ts_status scan_sizes(ts_reading *reading, mlcp_layout *layout)
{
  ts_scanner *scan = &reading->scan;
  int first;
  TS_TRY(ts_scan_int(scan, "the flag of the first storage", 0, 1, &first));
  TS_TRY(ts_scan_int(scan, "the flag of the second storage", 0, 1, &layout->repeated));
  TS_TRY(ts_scan_count(scan, "the number of free unknowns", 2, &layout->n)); // an entry of q and one of a each
  TS_TRY(ts_scan_count(scan, "the number of complementary unknowns", 2, &layout->m));
  const size_t size = (size_t)layout->n + (size_t)layout->m;
  TS_TRY(ts_pool_ints(reading->scratch, size, &layout->block_end));
  TS_TRY(ts_pool_ints(reading->scratch, size, &layout->place));
  TS_TRY(ts_pool_doubles(reading->keep, size, &layout->lower));
  return ts_pool_doubles(reading->keep, size, &layout->upper);
}

static ts_status scan_block_ends(ts_scanner *scan, mlcp_layout *layout)
{
  int end;
  const int size = layout->n + layout->m;
  TS_TRY(ts_scan_int(scan, "the start of the first block of unknowns", 0, 0, &end));
  for (layout->blocks = 0; end < size; ++layout->blocks) {
    TS_TRY(ts_scan_int(scan, "the end of a block of unknowns", end + 1, size, &end));
    layout->block_end[layout->blocks] = end;
  }
  return TS_OK;
}

// Flags of the blocks: 0 free, 1 complementary.
static ts_status scan_flags(ts_scanner *scan, mlcp_layout *layout)
{
  int free_count = 0, complementary_count = 0;
  for (int k = 0, i = 0; k < layout->blocks; ++k) {
    int flag;
    ts_scan_space(scan);
    const char *at = scan->at;
    TS_TRY(ts_scan_int(scan, "the flag of a block of unknowns", 0, 1, &flag));
    for (; i < layout->block_end[k]; ++i) {
      if (flag ? complementary_count == layout->m : free_count == layout->n)
        return ts_scan_fail(scan, at, TS_INVALID, "the blocks hold more %s unknowns than the %d announced",
                            flag ? "complementary" : "free", flag ? layout->m : layout->n);
      layout->place[flag ? layout->n + complementary_count++ : free_count++] = i;
      layout->lower[i] = flag ? 0.0 : -(double)INFINITY;
      layout->upper[i] = (double)INFINITY;
    }
  }
  return TS_OK;
}

static ts_status scan_system(ts_reading *reading, const mlcp_layout *layout, ts_mlcp *mlcp)
{
  ts_scanner *scan = &reading->scan;
  const int size = layout->n + layout->m;
  ts_scan_space(scan);
  const char *at = scan->at;
  TS_TRY(ts_scan_siconos_matrix(reading, "M", -1, size, &mlcp->M));
  if (mlcp->M.rows != size)
    return ts_scan_fail(scan, at, TS_UNSUPPORTED,
                        "this mixed LCP is rectangular, %d rows for %d unknowns: only square ones can be solved",
                        mlcp->M.rows, size);
  double *q;
  TS_TRY(ts_pool_doubles(reading->keep, (size_t)size, &q));
  TS_TRY(ts_scan_numbers(scan, "q", (size_t)size, q));
  *mlcp = (ts_mlcp){size, mlcp->M, q, layout->lower, layout->upper};
  return TS_OK;
}

static double matrix_entry(const ts_matrix *A, int i, int j)
{
  if (!A->start) return A->value[(size_t)j * (size_t)A->rows + (size_t)i];
  for (int k = A->start[j]; k < A->start[j + 1]; ++k)
    if (A->index[k] == i) return A->value[k];
  return 0.0;
}

static ts_status scan_repeated(ts_scanner *scan, const char *name, double expected)
{
  double value;
  ts_scan_space(scan);
  const char *at = scan->at;
  TS_TRY(ts_scan_number(scan, name, &value));
  if (value == expected) return TS_OK;
  return ts_scan_fail(scan, at, TS_INVALID, "%s has %.17g where the first storage has %.17g", name, value, expected);
}

// One of A, B, C, D, row by row: the rows of M at row_place and the columns at column_place.
static ts_status scan_part(ts_scanner *scan, const char *name, const ts_matrix *M, const int *row_place, int rows,
                           const int *column_place, int columns)
{
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) TS_TRY(scan_repeated(scan, name, matrix_entry(M, row_place[i], column_place[j])));
  return TS_OK;
}

static ts_status scan_second_storage(ts_scanner *scan, const mlcp_layout *layout, const ts_mlcp *mlcp)
{
  const int n = layout->n, m = layout->m;
  const int *u = layout->place, *v = u + n;
  TS_TRY(scan_part(scan, "A", &mlcp->M, u, n, u, n));
  TS_TRY(scan_part(scan, "B", &mlcp->M, v, m, v, m));
  TS_TRY(scan_part(scan, "C", &mlcp->M, u, n, v, m));
  TS_TRY(scan_part(scan, "D", &mlcp->M, v, m, u, n));
  for (int i = 0; i < n; ++i) TS_TRY(scan_repeated(scan, "a", mlcp->q[u[i]]));
  for (int i = 0; i < m; ++i) TS_TRY(scan_repeated(scan, "b", mlcp->q[v[i]]));
  return TS_OK;
}

ts_status ts_read_siconos_mlcp(ts_reading *reading)
{
  ts_scanner *scan = &reading->scan;
  mlcp_layout layout;
  ts_mlcp mlcp;
  TS_TRY(scan_sizes(reading, &layout));
  TS_TRY(scan_block_ends(scan, &layout));
  TS_TRY(scan_flags(scan, &layout));
  TS_TRY(scan_system(reading, &layout, &mlcp));
  if (layout.repeated) TS_TRY(scan_second_storage(scan, &layout, &mlcp));
  while (!ts_scan_at_end(scan)) {
    double passed_over;
    TS_TRY(ts_scan_number(scan, "the solution at the end", &passed_over));
  }
  reading->problem = ts_problem_mlcp(mlcp);
  reading->format = "Siconos text, MLCP";
  return TS_OK;
}
