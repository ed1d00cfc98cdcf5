// What all lowerings share: memory, scratch vectors and the public entry points.
#include "complementarity/problem/lowering.h"

#include "complementarity/problem/problem_copy.h"

#include "base/require.h"
#include "base/status.h"
#include "math/matrix.h"

#include <stdlib.h>
#include <string.h>

void ts_contact_velocity(const ts_friction *problem, const double *r, const double *l, double *u)
{
  if (problem->contacts == 0) return;
  memcpy(u, problem->q, (size_t)problem->dimension * (size_t)problem->contacts * sizeof *u);
  ts_block_multiply_add(&problem->W, r, u);
  if (problem->bilaterals > 0) ts_matrix_multiply_add(&problem->V, 1.0, l, u);
}

void ts_lowering_init(const ts_friction *problem, ts_arena *arena, ts_lowering *lowering)
{
  const size_t rows = (size_t)problem->dimension * (size_t)problem->contacts;
  *lowering = (ts_lowering){
      .original = *problem, .impulse = ts_arena_doubles(arena, rows), .velocity = ts_arena_doubles(arena, rows)};
}

// A lowering on the heap with the memory it lives in.
typedef struct owned_lowering {
  ts_lowering lowering; // first: the caller holds a pointer to it
  ts_arena arena;
} owned_lowering;

ts_status ts_lowering_create(const ts_friction *problem, ts_lower_into *lower,
                             const ts_friction_polygon_options *options, ts_lowering **lowering, ts_error *error)
{
  *lowering = NULL;
  const ts_problem wrapped = ts_problem_friction(*problem);
  TS_TRY(ts_problem_check(&wrapped, error));
  owned_lowering *made = malloc(sizeof *made);
  if (!made) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out while lowering");
  jmp_buf recovery;
  ts_arena_init(&made->arena, NULL);
  made->arena.recovery = &recovery;
  if (setjmp(recovery)) {
    ts_lowering_destroy(&made->lowering);
    return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out while lowering");
  }
  const ts_friction copy = ts_friction_copy(problem, &made->arena);
  const ts_status status = lower(&copy, options, &made->arena, &made->lowering, error);
  made->arena.recovery = NULL;
  if (status != TS_OK) {
    ts_lowering_destroy(&made->lowering);
    return status;
  }
  *lowering = &made->lowering;
  return TS_OK;
}

const ts_problem *ts_lowering_problem(const ts_lowering *lowering)
{
  TS_REQUIRE(lowering);
  return &lowering->problem;
}

static size_t original_size(const ts_lowering *lowering)
{
  const ts_friction *p = &lowering->original;
  return (size_t)p->dimension * (size_t)p->contacts + (size_t)p->bilaterals;
}

void ts_lowering_recover(const ts_lowering *lowering, const double *lowered, double *original)
{
  TS_REQUIRE(lowering);
  TS_REQUIRE(lowered || ts_problem_size(&lowering->problem) == 0);
  TS_REQUIRE(original || original_size(lowering) == 0);
  lowering->recover(lowering, lowered, original);
}

void ts_lowering_start(const ts_lowering *lowering, const double *original, double *lowered)
{
  TS_REQUIRE(lowering);
  TS_REQUIRE(original || original_size(lowering) == 0);
  TS_REQUIRE(lowered || ts_problem_size(&lowering->problem) == 0);
  lowering->start(lowering, original, lowered);
}

void ts_lowering_destroy(ts_lowering *lowering)
{
  if (!lowering) return;
  owned_lowering *owned = (owned_lowering *)lowering;
  ts_arena_release(&owned->arena);
  free(owned);
}
