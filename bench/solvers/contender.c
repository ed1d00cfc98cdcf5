#include "contender.h"

#include "own_contender.h"
#ifdef TOUCHSTONE_HAVE_SICONOS
#include "siconos_contender.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

contender_list contender_list_create(bool siconos)
{
  int others = 0;
#ifdef TOUCHSTONE_HAVE_SICONOS
  if (siconos) others = siconos_contenders(NULL);
#else
  (void)siconos;
#endif
  const int own = own_contenders(NULL);
  contender_list list = {.count = own + others, .at = calloc((size_t)(own + others) + 1, sizeof *list.at)};
  if (!list.at) {
    perror("bench");
    exit(EXIT_FAILURE);
  }
  own_contenders(list.at);
#ifdef TOUCHSTONE_HAVE_SICONOS
  if (siconos) siconos_contenders(list.at + own);
#endif
  return list;
}

void contender_list_destroy(contender_list *list)
{
  free(list->at);
}

const contender *contender_list_find(const contender_list *list, const char *name, const ts_problem *problem)
{
  for (int i = 0; i < list->count; ++i)
    if (strcmp(list->at[i].name, name) == 0 && list->at[i].takes(&list->at[i], problem)) return &list->at[i];
  return NULL;
}

typedef struct job_context {
  const contender *contender;
  const trial *trial;
} job_context;

static void job(const void *context, const publisher *to)
{
  const job_context *c = context;
  c->contender->measure(c->contender, c->trial, to);
}

measurement contender_run(const contender *self, const trial *t)
{
  const job_context context = {self, t};
  return isolated_measure(job, &context, t->limit);
}
