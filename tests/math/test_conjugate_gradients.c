// Conjugate gradients against solutions that are known.
#include "base/random.h"
#include "math/conjugate_gradients.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "near.h"

enum { MOST = 30, MATRICES = 50 };

// M = A A^T + I of a random A, full.
static void random_matrix(ts_random *random, int n, double *M)
{
  double A[MOST * MOST];
  for (int k = 0; k < n * n; ++k) A[k] = ts_random_normal(random);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      M[j * n + i] = i == j ? 1.0 : 0.0;
      for (int k = 0; k < n; ++k) M[j * n + i] += A[i * n + k] * A[j * n + k];
    }
}

static void solutions_are_found(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 7);
  ts_arena arena;
  jmp_buf recovery;
  ts_arena_init(&arena, NULL);
  arena.recovery = &recovery;
  if (setjmp(recovery)) fail_msg("memory ran out");
  for (int turn = 0; turn < MATRICES; ++turn) {
    double M[MOST * MOST], diagonal[MOST], known[MOST], f[MOST] = {0}, x[MOST];
    const int n = 1 + ts_random_below(&random, MOST);
    random_matrix(&random, n, M);
    for (int i = 0; i < n; ++i) known[i] = ts_random_normal(&random);
    for (int i = 0; i < n; ++i) {
      diagonal[i] = M[i * n + i];
      for (int j = 0; j < n; ++j) f[i] += M[j * n + i] * known[j];
    }
    const ts_matrix full = {.rows = n, .columns = n, .value = M};
    ts_conjugate_gradients(&full, diagonal, f, x, &arena);
    for (int i = 0; i < n; ++i) assert_near(x[i], known[i], 1e-9);
  }
  ts_arena_release(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
