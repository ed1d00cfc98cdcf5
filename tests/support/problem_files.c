#include "problem_files.h"

#include "math/matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

ts_problem_file *parse_text(const char *text)
{
  ts_problem_file *file;
  ts_error error = {0};
  if (ts_problem_file_parse(text, strlen(text), &file, &error) != TS_OK)
    fail_msg("%d:%d: %s\n%s", error.line, error.column, error.text, text);
  return file;
}

ts_problem_file *read_problem(const char *path)
{
  ts_problem_file *file;
  ts_error error = {0};
  if (ts_problem_file_read(path, &file, &error) != TS_OK)
    fail_msg("%s:%d:%d: %s", path, error.line, error.column, error.text);
  return file;
}

void assert_refused(const refusal *expected)
{
  ts_problem_file *file;
  ts_error error = {0};
  const ts_status status = ts_problem_file_parse(expected->text, strlen(expected->text), &file, &error);
  if (status != TS_INVALID || error.status != TS_INVALID || file || error.line != expected->line ||
      error.column != expected->column || !strstr(error.text, expected->fragment))
    fail_msg("got status %d at %d:%d \"%s\",\nwanted %d:%d \"%s\" of\n%s", (int)status, error.line, error.column,
             error.text, expected->line, expected->column, expected->fragment, expected->text);
}

double *dense_of_matrix(const ts_matrix *A)
{
  double *dense = calloc((size_t)A->rows * (size_t)A->columns + 1, sizeof *dense);
  ts_matrix_to_dense(A, dense, (size_t)A->rows);
  return dense;
}

double *dense_of_blocks(const ts_block_matrix *W)
{
  const size_t d = (size_t)W->block, n = d * (size_t)W->rows;
  double *dense = calloc(n * n + 1, sizeof *dense);
  for (size_t I = 0; I < (size_t)W->rows; ++I)
    for (int k = W->start[I]; k < W->start[I + 1]; ++k)
      for (size_t j = 0; j < d; ++j)
        for (size_t i = 0; i < d; ++i)
          dense[((size_t)W->index[k] * d + j) * n + I * d + i] = W->value[(size_t)k * d * d + j * d + i];
  return dense;
}

static void assert_same_doubles(const double *a, const double *b, size_t count)
{
  if (count > 0) assert_memory_equal(a, b, count * sizeof *a);
}

static void assert_same_matrix(const ts_matrix *a, const ts_matrix *b)
{
  assert_int_equal(a->rows, b->rows);
  assert_int_equal(a->columns, b->columns);
  assert_int_equal(!a->start, !b->start);
  assert_int_equal(ts_matrix_entries(a), ts_matrix_entries(b));
  if (a->start) {
    assert_memory_equal(a->start, b->start, ((size_t)a->columns + 1) * sizeof *a->start);
    if (a->start[a->columns] > 0) assert_memory_equal(a->index, b->index, ts_matrix_entries(a) * sizeof *a->index);
  }
  assert_same_doubles(a->value, b->value, ts_matrix_entries(a));
}

static void assert_same_blocks(const ts_block_matrix *a, const ts_block_matrix *b)
{
  assert_int_equal(a->rows, b->rows);
  assert_int_equal(a->block, b->block);
  if (a->rows == 0) return;
  const size_t blocks = (size_t)a->start[a->rows];
  assert_memory_equal(a->start, b->start, ((size_t)a->rows + 1) * sizeof *a->start);
  assert_memory_equal(a->index, b->index, blocks * sizeof *a->index);
  assert_same_doubles(a->value, b->value, blocks * (size_t)(a->block * a->block));
}

static void assert_same_ellipsoid(const double *a, const double *b, int dimension, int contacts)
{
  assert_int_equal(!a, !b);
  if (a) assert_same_doubles(a, b, (size_t)((dimension - 1) * contacts));
}

static void assert_same_friction(const ts_friction *a, const ts_friction *b)
{
  assert_int_equal(a->dimension, b->dimension);
  assert_int_equal(a->contacts, b->contacts);
  assert_int_equal(a->bilaterals, b->bilaterals);
  assert_same_blocks(&a->W, &b->W);
  assert_same_doubles(a->q, b->q, (size_t)(a->dimension * a->contacts));
  assert_same_doubles(a->mu, b->mu, (size_t)a->contacts);
  assert_same_ellipsoid(a->ellipsoid, b->ellipsoid, a->dimension, a->contacts);
  if (a->bilaterals > 0) {
    assert_same_matrix(&a->V, &b->V);
    assert_same_matrix(&a->R, &b->R);
    assert_same_doubles(a->s, b->s, (size_t)a->bilaterals);
  }
  assert_int_equal(!a->bodies, !b->bodies);
  if (!a->bodies) return;
  assert_same_matrix(&a->bodies->M, &b->bodies->M);
  assert_same_matrix(&a->bodies->H, &b->bodies->H);
}

static void assert_same_global(const ts_global_friction *a, const ts_global_friction *b)
{
  assert_int_equal(a->dimension, b->dimension);
  assert_int_equal(a->contacts, b->contacts);
  assert_int_equal(a->bilaterals, b->bilaterals);
  assert_same_matrix(&a->M, &b->M);
  assert_same_matrix(&a->H, &b->H);
  assert_same_doubles(a->f, b->f, (size_t)a->M.rows);
  assert_same_doubles(a->w, b->w, (size_t)a->H.columns);
  assert_same_doubles(a->mu, b->mu, (size_t)a->contacts);
  assert_same_ellipsoid(a->ellipsoid, b->ellipsoid, a->dimension, a->contacts);
  if (a->bilaterals == 0) return;
  assert_same_matrix(&a->G, &b->G);
  assert_same_doubles(a->b, b->b, (size_t)a->bilaterals);
}

void assert_same_problem(const ts_problem *a, const ts_problem *b)
{
  assert_int_equal(a->type, b->type);
  assert_int_equal(ts_problem_size(a), ts_problem_size(b));
  const size_t n = ts_problem_size(a);
  switch (a->type) {
  case TS_LCP:
    assert_same_matrix(&a->lcp.M, &b->lcp.M);
    assert_same_doubles(a->lcp.q, b->lcp.q, n);
    break;
  case TS_MLCP:
    assert_same_matrix(&a->mlcp.M, &b->mlcp.M);
    assert_same_doubles(a->mlcp.q, b->mlcp.q, n);
    assert_same_doubles(a->mlcp.lower, b->mlcp.lower, n);
    assert_same_doubles(a->mlcp.upper, b->mlcp.upper, n);
    break;
  case TS_FRICTION:
    assert_same_friction(&a->friction, &b->friction);
    break;
  case TS_GLOBAL_FRICTION:
    assert_same_global(&a->global, &b->global);
    break;
  case TS_MCP:
    fail_msg("a file holds no MCP");
    break;
  }
}
