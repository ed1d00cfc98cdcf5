// The built-in problems with quadratic F, x >= 0. Data tables of kojshin and josephy: MCPLIB (Dirkse and Ferris 1995)
// as kept in github Pyomo/pyomo-model-libraries, folder mcplib, commit 04a2b999, BSD-3-Clause, Copyright (c)
// 2008-2025 National Technology and Engineering Solutions of Sandia, LLC.
#include "complementarity/problem/builtin_family.h"

#include <math.h>
#include <string.h>

enum { MAX_SIZE = 4, MAX_STARTS = 8 };

// coefficient x_j x_k in F_i.
typedef struct quadratic_term {
  int i, j, k;
  double coefficient;
} quadratic_term;

// F_i = c_i + sum_j B_ij x_j + sum of the terms.
typedef struct quadratic {
  int size, terms;
  double c[MAX_SIZE], B[MAX_SIZE][MAX_SIZE];
  quadratic_term term[16];
  double start[MAX_STARTS][MAX_SIZE];
} quadratic;

#define STARTS_OF_KOJIMA_AND_SHINDO                                                                                    \
  {                                                                                                                    \
    {0, 0, 0, 0}, {1, 1, 1, 1}, {100, 100, 100, 100}, {1, 0, 1, 0}, {1, 0, 0, 0}, {0, 1, 1, 0}, {0, 1, 0, 1},          \
    {                                                                                                                  \
      1.25, 0, 0, 0.5                                                                                                  \
    }                                                                                                                  \
  }

// Josephy's problem differs in the linear part alone.
#define TERMS_OF_KOJIMA_AND_SHINDO                                                                                     \
  {                                                                                                                    \
    {0, 0, 0, 3}, {0, 0, 1, 2}, {0, 1, 1, 2}, {1, 0, 0, 2}, {1, 1, 1, 1}, {2, 0, 0, 3}, {2, 0, 1, 1}, {2, 1, 1, 2},    \
        {3, 0, 0, 1},                                                                                                  \
    {                                                                                                                  \
      3, 1, 1, 3                                                                                                       \
    }                                                                                                                  \
  }

static const quadratic kojshin = {.size = 4,
                                  .terms = 10,
                                  .c = {-6, -2, -9, -3},
                                  .B = {{0, 0, 1, 3}, {1, 0, 10, 2}, {0, 0, 2, 9}, {0, 0, 2, 3}},
                                  .term = TERMS_OF_KOJIMA_AND_SHINDO,
                                  .start = STARTS_OF_KOJIMA_AND_SHINDO};

static const quadratic josephy = {.size = 4,
                                  .terms = 10,
                                  .c = {-6, -2, -1, -3},
                                  .B = {{0, 0, 1, 3}, {1, 0, 3, 2}, {0, 0, 2, 3}, {0, 0, 2, 3}},
                                  .term = TERMS_OF_KOJIMA_AND_SHINDO,
                                  .start = STARTS_OF_KOJIMA_AND_SHINDO};

// (x - 1)^2 - 1.01: |F| has a local minimum at 0, from which Newton's method does not get away.
static const quadratic billups = {
    .size = 1, .terms = 1, .c = {1.0 - 1.01}, .B = {{-2}}, .term = {{0, 0, 0, 1}}, .start = {{0}, {1}, {2.5}}};

static const quadratic munson1 = {
    .size = 3, .c = {-1, 1, 1}, .B = {{1, 2, 3}, {0, 1, -1}, {1, 1, 0}}, .start = {{0, 0, 0}, {1, 1, 1}, {10, 0, 10}}};

static int evaluate(void *user, const double *x, double *F)
{
  const quadratic *p = user;
  for (int i = 0; i < p->size; ++i) {
    F[i] = p->c[i];
    for (int j = 0; j < p->size; ++j) F[i] += p->B[i][j] * x[j];
  }
  for (int t = 0; t < p->terms; ++t) {
    const quadratic_term *q = &p->term[t];
    F[q->i] += q->coefficient * x[q->j] * x[q->k];
  }
  return 0;
}

static int jacobian(void *user, const double *x, double *values)
{
  const quadratic *p = user;
  const int n = p->size;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) values[j * n + i] = p->B[i][j];
  for (int t = 0; t < p->terms; ++t) {
    const quadratic_term *q = &p->term[t];
    values[q->j * n + q->i] += q->coefficient * x[q->k];
    values[q->k * n + q->i] += q->coefficient * x[q->j];
  }
  return 0;
}

static void build(const quadratic *p, ts_mcp *mcp, ts_arena *arena)
{
  const size_t n = (size_t)p->size;
  quadratic *data = ts_arena_bytes(arena, 1, sizeof *data);
  double *upper = ts_arena_doubles(arena, n);
  *data = *p;
  for (size_t i = 0; i < n; ++i) upper[i] = INFINITY;
  *mcp = (ts_mcp){.size = p->size,
                  .lower = ts_arena_zeros(arena, n),
                  .upper = upper,
                  .evaluate = evaluate,
                  .jacobian = jacobian,
                  .user = data};
}

static void start(const ts_mcp *mcp, int k, double *z)
{
  const quadratic *p = mcp->user;
  memcpy(z, p->start[k], (size_t)p->size * sizeof *z);
}

#define DEFINE_FAMILY(id, starts, text)                                                                                \
  static void build_##id(ts_mcp *mcp, int grid, ts_arena *arena)                                                       \
  {                                                                                                                    \
    (void)grid;                                                                                                        \
    build(&id, mcp, arena);                                                                                            \
  }                                                                                                                    \
  const ts_builtin_family ts_builtin_##id = {#id, text, starts, build_##id, start};

DEFINE_FAMILY(kojshin, 8, "Kojima and Shindo: two solutions, one of them degenerate (n = 4)")
DEFINE_FAMILY(josephy, 8, "Josephy: one degenerate solution (n = 4)")
DEFINE_FAMILY(billups, 3, "Billups: a local minimum of every merit function at the first start (n = 1)")
DEFINE_FAMILY(munson1, 3, "Munson: linear, not monotone (n = 3)")
