#define _POSIX_C_SOURCE 200809L
#include "study/claims.h"

#include "base/require.h"
#include "base/status.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

ts_status ts_claims_next(ts_claims *claims, uint64_t *first, uint64_t *count, ts_error *error)
{
  *first = *count = 0;
  return claims->kind->next(claims, first, count, error);
}

ts_status ts_claims_refresh(ts_claims *claims, ts_error *error)
{
  return claims->kind->refresh(claims, error);
}

uint64_t ts_claims_pending(ts_claims *claims)
{
  return claims->kind->pending(claims);
}

void ts_claims_destroy(ts_claims *claims)
{
  if (claims) claims->kind->destroy(claims);
}

// Chunk number `ticket`; none where there are fewer.
static void hand_out(const ts_claims *claims, uint64_t ticket, uint64_t *first, uint64_t *count)
{
  if (ticket > claims->trials / claims->chunk) return;
  const uint64_t begin = ticket * claims->chunk, left = claims->trials - begin;
  *first = begin;
  *count = left < claims->chunk ? left : claims->chunk;
}

static ts_status refresh_nothing(ts_claims *claims, ts_error *error)
{
  (void)claims, (void)error;
  return TS_OK;
}

static uint64_t none_pending(ts_claims *claims)
{
  (void)claims;
  return 0;
}

// ---- a counter of the process --------------------------------------------------------------------------------------

typedef struct counter {
  ts_claims claims;
  _Atomic uint64_t taken; // chunks
} counter;

static ts_status counter_next(ts_claims *claims, uint64_t *first, uint64_t *count, ts_error *error)
{
  (void)error;
  hand_out(claims, atomic_fetch_add_explicit(&((counter *)claims)->taken, 1, memory_order_relaxed), first, count);
  return TS_OK;
}

static void counter_destroy(ts_claims *claims)
{
  free(claims);
}

ts_status ts_claims_create_counter(uint64_t trials, uint64_t chunk, ts_claims **claims, ts_error *error)
{
  static const ts_claims_kind kind = {counter_next, refresh_nothing, none_pending, counter_destroy};
  *claims = NULL;
  TS_REFUSE_UNLESS(chunk > 0, error);
  counter *made = malloc(sizeof *made);
  if (!made) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  made->claims = (ts_claims){&kind, trials, chunk};
  atomic_init(&made->taken, 0);
  *claims = &made->claims;
  return TS_OK;
}

// ---- a counter of several processes --------------------------------------------------------------------------------

typedef struct shared {
  ts_claims claims;
  ts_claims_ticket *ticket;
  void *user;
  pthread_mutex_t mutex;
} shared;

static ts_status shared_next(ts_claims *claims, uint64_t *first, uint64_t *count, ts_error *error)
{
  shared *s = (shared *)claims;
  uint64_t ticket;
  pthread_mutex_lock(&s->mutex);
  const ts_status status = s->ticket(s->user, &ticket, error);
  pthread_mutex_unlock(&s->mutex);
  if (status == TS_OK) hand_out(claims, ticket, first, count);
  return status;
}

static void shared_destroy(ts_claims *claims)
{
  pthread_mutex_destroy(&((shared *)claims)->mutex);
  free(claims);
}

ts_status ts_claims_create_shared(uint64_t trials, uint64_t chunk, ts_claims_ticket *ticket, void *user,
                                  ts_claims **claims, ts_error *error)
{
  static const ts_claims_kind kind = {shared_next, refresh_nothing, none_pending, shared_destroy};
  *claims = NULL;
  TS_REFUSE_UNLESS(chunk > 0, error);
  shared *made = malloc(sizeof *made);
  if (!made) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  *made = (shared){{&kind, trials, chunk}, ticket, user, PTHREAD_MUTEX_INITIALIZER};
  *claims = &made->claims;
  return TS_OK;
}
