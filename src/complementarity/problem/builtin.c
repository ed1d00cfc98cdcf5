// The list of built-in problems, and the memory they live in.
#include "touchstone/builtin.h"

#include "complementarity/problem/builtin_family.h"

#include "base/require.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_GRID = 50, LARGEST_GRID = 10000 };

static const ts_builtin_family *const families[] = {&ts_builtin_kojshin, &ts_builtin_josephy, &ts_builtin_billups,
                                                    &ts_builtin_munson1, &ts_builtin_nash,    &ts_builtin_obstacle};

struct ts_builtin {
  const ts_builtin_family *family;
  ts_problem problem;
  ts_arena arena;
};

int ts_builtin_count(void)
{
  return (int)(sizeof families / sizeof families[0]);
}

const char *ts_builtin_name(int i)
{
  TS_REQUIRE(i >= 0 && i < ts_builtin_count());
  return families[i]->name;
}

const char *ts_builtin_summary(int i)
{
  TS_REQUIRE(i >= 0 && i < ts_builtin_count());
  return families[i]->summary;
}

static const ts_builtin_family *find_family(const char *name)
{
  for (int i = 0; i < ts_builtin_count(); ++i)
    if (strcmp(families[i]->name, name) == 0) return families[i];
  return NULL;
}

// False when memory ran out.
static bool build(ts_builtin *builtin, int grid)
{
  jmp_buf recovery;
  ts_arena_init(&builtin->arena, NULL);
  builtin->arena.recovery = &recovery;
  if (setjmp(recovery)) return false;
  ts_mcp mcp = {0};
  builtin->family->build(&mcp, grid, &builtin->arena);
  builtin->problem = ts_problem_mcp(mcp);
  builtin->arena.recovery = NULL;
  return true;
}

ts_status ts_builtin_create(const char *name, int grid, ts_builtin **builtin, ts_error *error)
{
  TS_REFUSE_UNLESS(builtin, error);
  *builtin = NULL;
  TS_REFUSE_UNLESS(name, error);
  const ts_builtin_family *family = find_family(name);
  if (!family) return ts_fail(error, TS_INVALID, "there is no built-in problem named \"%s\"", name);
  if (grid < 0 || grid > LARGEST_GRID)
    return ts_fail(error, TS_INVALID, "a grid of %d points a side is not between 0 and %d", grid, (int)LARGEST_GRID);
  ts_builtin *made = malloc(sizeof *made);
  if (!made) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  *made = (ts_builtin){.family = family};
  if (!build(made, grid ? grid : DEFAULT_GRID)) {
    ts_builtin_destroy(made);
    return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out for a grid of %d points a side", grid);
  }
  *builtin = made;
  return TS_OK;
}

const ts_problem *ts_builtin_problem(const ts_builtin *builtin)
{
  TS_REQUIRE(builtin);
  return &builtin->problem;
}

int ts_builtin_start_count(const ts_builtin *builtin)
{
  TS_REQUIRE(builtin);
  return builtin->family->start_count;
}

void ts_builtin_start(const ts_builtin *builtin, int k, double *z)
{
  TS_REQUIRE(builtin);
  TS_REQUIRE(k >= 0 && k < ts_builtin_start_count(builtin));
  TS_REQUIRE(z);
  builtin->family->start(&builtin->problem.mcp, k, z);
}

void ts_builtin_destroy(ts_builtin *builtin)
{
  if (!builtin) return;
  ts_arena_release(&builtin->arena);
  free(builtin);
}
