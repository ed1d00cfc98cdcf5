#define _XOPEN_SOURCE 700
#include "problem_set.h"

#include "lcp_generator.h"

#include "touchstone/lowering.h"
#include "touchstone/problem_file.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PYRAMID_DIRECTIONS = 4 };

// A set is the files of one folder; "pyramid" reads the piles and lowers them.
typedef struct set_definition {
  const char *name, *pattern;
} set_definition;

static const set_definition sets_known[] = {
    {"lcp", "lcp/*.dat"},      {"mlcp", "mlcp/*.dat"},   {"fc3d", "fc3d/*.dat"},
    {"fclib", "fclib/*.hdf5"}, {"piles", "piles/*.txt"}, {"pyramid", "piles/*.txt"},
};

// ---- lists ---------------------------------------------------------------------------------------------------------

static bool named_in(const char *comma_separated, const char *name)
{
  const size_t length = strlen(name);
  for (const char *at = comma_separated; at; at = strchr(at, ',')) {
    if (*at == ',') ++at;
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return true;
  }
  return false;
}

static void name_after_file(problem_source *source)
{
  const char *slash = strrchr(source->path, '/'), *file = slash ? slash + 1 : source->path;
  const char *dot = strrchr(file, '.');
  snprintf(source->name, sizeof source->name, "%s/%.*s", source->set, dot ? (int)(dot - file) : (int)strlen(file),
           file);
}

static void append(problem_list *list, const problem_source *source, const char *only)
{
  if (only && !strstr(source->name, only)) return;
  problem_source *grown = realloc(list->at, (size_t)(list->count + 1) * sizeof *grown);
  if (!grown) {
    perror("bench");
    exit(EXIT_FAILURE);
  }
  list->at = grown;
  list->at[list->count++] = *source;
}

static void append_file(problem_list *list, const char *set, const char *path, const char *only)
{
  problem_source source = {.seed = 0};
  snprintf(source.set, sizeof source.set, "%s", set);
  snprintf(source.path, sizeof source.path, "%s", path);
  name_after_file(&source);
  append(list, &source, only);
}

static void append_set(problem_list *list, const char *data, const set_definition *set, const char *only)
{
  char pattern[PROBLEM_PATH];
  glob_t found;
  snprintf(pattern, sizeof pattern, "%s/%s", data, set->pattern);
  if (glob(pattern, 0, NULL, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; ++i) append_file(list, set->name, found.gl_pathv[i], only);
  globfree(&found);
}

// Two problems of every class with a solution and of every size.
static void append_random(problem_list *list, const char *only)
{
  static const int sizes[] = {5, 10, 20, 50, 100, 200};
  for (int class = 0; class < LCP_CLASS_COUNT; ++class)
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k)
      for (int seed = 1; seed <= 2; ++seed) {
        problem_source source = {.set = "random", .class = class, .size = sizes[k], .seed = seed};
        snprintf(source.name, sizeof source.name, "random/%s-%d-%d", lcp_class_name((lcp_class) class), sizes[k], seed);
        for (char *space; (space = strchr(source.name, ' '));) *space = '-'; // names are one word
        if (class != LCP_INFEASIBLE) append(list, &source, only);
      }
}

problem_list problem_list_create(const char *data, const char *sets, const char *only)
{
  problem_list list = {0};
  if (only && access(only, R_OK) == 0) {
    append_file(&list, "file", only, NULL);
    return list;
  }
  for (size_t i = 0; i < sizeof sets_known / sizeof sets_known[0]; ++i)
    if (!sets || named_in(sets, sets_known[i].name)) append_set(&list, data, &sets_known[i], only);
  if (!sets || named_in(sets, "random")) append_random(&list, only);
  return list;
}

void problem_list_destroy(problem_list *list)
{
  free(list->at);
}

// ---- problems ------------------------------------------------------------------------------------------------------

struct bench_problem {
  ts_problem_file *file;
  ts_condensed *condensed;
  ts_lowering *lowering;
  lcp_instance generated;
  ts_problem generated_problem;
  const ts_problem *problem; // what is solved: one of the above
};

static ts_status condense(bench_problem *p, ts_error *error)
{
  const ts_status status = ts_condense(&p->problem->global, &p->condensed, error);
  if (status == TS_OK) p->problem = ts_condensed_problem(p->condensed);
  return status;
}

static ts_status lower(bench_problem *p, ts_error *error)
{
  const ts_status status = ts_lower_to_lcp(&p->problem->friction, PYRAMID_DIRECTIONS, NULL, &p->lowering, error);
  if (status == TS_OK) p->problem = ts_lowering_problem(p->lowering);
  return status;
}

static ts_status open_file(bench_problem *p, const problem_source *source, ts_error *error)
{
  ts_status status = ts_problem_file_read(source->path, &p->file, error);
  if (status != TS_OK) return status;
  p->problem = ts_problem_file_problem(p->file);
  if (p->problem->type == TS_GLOBAL_FRICTION && p->problem->global.contacts > 0) status = condense(p, error);
  if (status == TS_OK && strcmp(source->set, "pyramid") == 0) status = lower(p, error);
  return status;
}

static ts_status generate(bench_problem *p, const problem_source *source)
{
  p->generated = lcp_generate((lcp_class)source->class, source->size, (uint64_t)source->seed);
  p->generated_problem = ts_problem_lcp(p->generated.lcp);
  p->problem = &p->generated_problem;
  return TS_OK;
}

static ts_status open_source(bench_problem *p, const problem_source *source, ts_error *error)
{
  return *source->path ? open_file(p, source, error) : generate(p, source);
}

bench_problem *bench_problem_open(const problem_source *source, char *why)
{
  bench_problem *p = calloc(1, sizeof *p);
  ts_error error = {.text = "memory ran out"};
  if (p && open_source(p, source, &error) == TS_OK) {
    if (p->problem->type != TS_GLOBAL_FRICTION) return p;
    snprintf(error.text, sizeof error.text, "it has no contact");
  }
  snprintf(why, sizeof error.text, "%s", error.text);
  bench_problem_close(p);
  return NULL;
}

const ts_problem *bench_problem_get(const bench_problem *problem)
{
  return problem->problem;
}

void bench_problem_close(bench_problem *p)
{
  if (!p) return;
  if (p->lowering) ts_lowering_destroy(p->lowering);
  if (p->condensed) ts_condensed_destroy(p->condensed);
  ts_problem_file_destroy(p->file);
  if (p->problem == &p->generated_problem) lcp_instance_release(&p->generated);
  free(p);
}
