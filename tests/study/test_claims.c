// Counters of chunks: every trial is handed out once, whoever asks.
#define _POSIX_C_SOURCE 200809L
#include "study/claims.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <cmocka.h>

enum { TRIALS = 10000, THREADS = 8 };

typedef struct crew {
  ts_claims *claims;
  atomic_int done[TRIALS];
} crew;

static void *work(void *argument)
{
  crew *c = argument;
  uint64_t first, count;
  while (ts_claims_next(c->claims, &first, &count, NULL) == TS_OK && count > 0) {
    for (uint64_t trial = first; trial < first + count; ++trial) atomic_fetch_add(&c->done[trial], 1);
    if (ts_claims_refresh(c->claims, NULL) != TS_OK) break;
  }
  return NULL;
}

static void assert_done_once_by_threads(ts_claims *claims)
{
  static crew c;
  pthread_t threads[THREADS];
  c.claims = claims;
  for (int k = 0; k < TRIALS; ++k) atomic_store(&c.done[k], 0);
  for (int k = 0; k < THREADS; ++k) assert_int_equal(pthread_create(&threads[k], NULL, work, &c), 0);
  for (int k = 0; k < THREADS; ++k) pthread_join(threads[k], NULL);
  for (int k = 0; k < TRIALS; ++k) assert_int_equal(atomic_load(&c.done[k]), 1);
  assert_int_equal(ts_claims_pending(claims), 0);
}

// Not under a lock of its own: calls come one at a time.
static ts_status take_ticket(void *user, uint64_t *ticket, ts_error *error)
{
  uint64_t *taken = user;
  (void)error;
  *ticket = (*taken)++;
  return TS_OK;
}

static void threads_share_a_counter(void **state)
{
  static const uint64_t chunks[] = {1, 3, 16, 9999, 10000, 10001, UINT64_MAX};
  (void)state;
  for (size_t k = 0; k < sizeof chunks / sizeof *chunks; ++k) {
    ts_claims *claims;
    uint64_t taken = 0;
    assert_int_equal(ts_claims_create_counter(TRIALS, chunks[k], &claims, NULL), TS_OK);
    assert_done_once_by_threads(claims);
    ts_claims_destroy(claims);
    assert_int_equal(ts_claims_create_shared(TRIALS, chunks[k], take_ticket, &taken, &claims, NULL), TS_OK);
    assert_done_once_by_threads(claims);
    ts_claims_destroy(claims);
  }
}

static void the_ends_are_where_they_belong(void **state)
{
  static const uint64_t cases[][3] = {{0, 1, 0},
                                      {1, 1, 1},
                                      {1, 7, 1},
                                      {7, 7, 1},
                                      {8, 7, 2},
                                      {14, 7, 2},
                                      {UINT64_MAX, UINT64_MAX / 2, 3}}; // trials, chunk, chunks
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    ts_claims *claims;
    uint64_t first, count, next = 0, chunks = 0;
    assert_int_equal(ts_claims_create_counter(cases[k][0], cases[k][1], &claims, NULL), TS_OK);
    while (ts_claims_next(claims, &first, &count, NULL) == TS_OK && count > 0) {
      assert_int_equal(first, next);
      next = first + count;
      ++chunks;
    }
    assert_int_equal(next, cases[k][0]);
    assert_int_equal(chunks, cases[k][2]);
    for (int again = 0; again < 3; ++again) {
      assert_int_equal(ts_claims_next(claims, &first, &count, NULL), TS_OK);
      assert_int_equal(count, 0);
    }
    ts_claims_destroy(claims);
  }
  ts_claims_destroy(NULL);
}

static ts_status refuse_ticket(void *user, uint64_t *ticket, ts_error *error)
{
  (void)user, (void)ticket;
  return ts_fail(error, TS_IO, "the counter is out of reach");
}

static void trouble_is_told(void **state)
{
  (void)state;
  ts_claims *claims;
  uint64_t first, count;
  ts_error error = {0};
  assert_int_equal(ts_claims_create_counter(10, 0, &claims, &error), TS_INVALID);
  assert_true(!claims && strstr(error.text, "chunk > 0"));
  assert_int_equal(ts_claims_create_shared(10, 0, refuse_ticket, NULL, &claims, &error), TS_INVALID);
  assert_null(claims);
  assert_int_equal(ts_claims_create_shared(10, 1, refuse_ticket, NULL, &claims, &error), TS_OK);
  assert_int_equal(ts_claims_next(claims, &first, &count, &error), TS_IO);
  assert_string_equal(error.text, "the counter is out of reach");
  assert_int_equal(count, 0);
  ts_claims_destroy(claims);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_share_a_counter),
      cmocka_unit_test(the_ends_are_where_they_belong),
      cmocka_unit_test(trouble_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
