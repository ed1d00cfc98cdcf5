// Sets of extensions: filled by a program or by what it loads, asked by name.
#include "extension/extensions.h"

#include "shape/own_shape.h"

#include "base/require.h"
#include "base/status.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dlfcn.h>

ts_extensions *ts_extensions_create(void)
{
  return calloc(1, sizeof(ts_extensions));
}

#define RELEASE_ALL(list)                                                                                              \
  while (list) {                                                                                                       \
    void *first = list;                                                                                                \
    list = (list)->next;                                                                                               \
    free(first);                                                                                                       \
  }

void ts_extensions_destroy(ts_extensions *extensions)
{
  if (!extensions) return;
  RELEASE_ALL(extensions->solvers)
  RELEASE_ALL(extensions->steppers)
  RELEASE_ALL(extensions->controllers)
  RELEASE_ALL(extensions->shapes)
  for (const ts_loaded_library *library = extensions->libraries; library; library = library->next)
    dlclose(library->handle);
  RELEASE_ALL(extensions->libraries)
  free(extensions);
}

// ---- by name -------------------------------------------------------------------------------------------------------

#define FIND(list, name_of_entry, result)                                                                              \
  TS_REQUIRE(name);                                                                                                    \
  if (!extensions) return NULL;                                                                                        \
  for (entry = extensions->list; entry; entry = entry->next)                                                           \
    if (strcmp(name_of_entry, name) == 0) return result;                                                               \
  return NULL

const ts_solver *ts_extensions_solver(const ts_extensions *extensions, const char *name)
{
  const ts_own_solver *entry;
  FIND(solvers, entry->def.name, &entry->solver);
}

const ts_stepper *ts_extensions_stepper(const ts_extensions *extensions, const char *name)
{
  const ts_own_stepper *entry;
  FIND(steppers, entry->def.name, &entry->stepper);
}

const ts_controller_def *ts_extensions_controller(const ts_extensions *extensions, const char *name)
{
  const ts_own_controller *entry;
  FIND(controllers, entry->def.name, &entry->def);
}

const ts_shape_def *ts_extensions_shape(const ts_extensions *extensions, const char *name)
{
  const ts_own_shape *entry;
  FIND(shapes, entry->def.name, &entry->def);
}

// ---- in order ------------------------------------------------------------------------------------------------------

// Lists have the last one first: the entry that has i behind it.
#define AT(list, ...)                                                                                                  \
  do {                                                                                                                 \
    int count = 0;                                                                                                     \
    for (entry = extensions->list; entry; entry = entry->next) ++count;                                                \
    if (i < 0 || i >= count) return false;                                                                             \
    for (entry = extensions->list; count - 1 > i; --count) entry = entry->next;                                        \
    *info = (ts_extension_info){entry->def.name, entry->def.summary, __VA_ARGS__};                                     \
    return true;                                                                                                       \
  } while (0)
#define ITS_PARAMETERS entry->def.parameters, entry->def.parameter_count

static bool solver_at(const ts_extensions *extensions, int i, ts_extension_info *info)
{
  const ts_own_solver *entry;
  AT(solvers, NULL, 0);
}

static bool stepper_at(const ts_extensions *extensions, int i, ts_extension_info *info)
{
  const ts_own_stepper *entry;
  AT(steppers, ITS_PARAMETERS);
}

static bool controller_at(const ts_extensions *extensions, int i, ts_extension_info *info)
{
  const ts_own_controller *entry;
  AT(controllers, ITS_PARAMETERS);
}

static bool shape_at(const ts_extensions *extensions, int i, ts_extension_info *info)
{
  const ts_own_shape *entry;
  AT(shapes, ITS_PARAMETERS);
}

bool ts_extensions_at(const ts_extensions *extensions, ts_extension_kind kind, int i, ts_extension_info *info)
{
  static bool (*const at[])(const ts_extensions *, int, ts_extension_info *) = {
      [TS_EXTENSION_SOLVER] = solver_at,
      [TS_EXTENSION_STEPPER] = stepper_at,
      [TS_EXTENSION_CONTROLLER] = controller_at,
      [TS_EXTENSION_SHAPE] = shape_at,
  };
  TS_REQUIRE((unsigned)kind < sizeof at / sizeof at[0]);
  TS_REQUIRE(info);
  return extensions && at[kind](extensions, i, info);
}

// ---- adding --------------------------------------------------------------------------------------------------------

static bool is_name(const char *name)
{
  if (!name || !islower((unsigned char)*name)) return false;
  for (; *name; ++name)
    if (!islower((unsigned char)*name) && !isdigit((unsigned char)*name) && *name != '-') return false;
  return true;
}

static ts_status check_name(const char *what, const char *name, const char *summary, bool is_taken, ts_error *error)
{
  if (!is_name(name))
    return ts_fail(error, TS_INVALID,
                   "%s '%.60s': a name begins with a lower case letter, and has letters, digits and -", what,
                   ts_text_or_nothing(name));
  if (!summary) return ts_fail(error, TS_INVALID, "%s '%.60s' has no summary", what, name);
  if (is_taken) return ts_fail(error, TS_INVALID, "there is a %s '%.60s' already", what, name);
  return TS_OK;
}

static ts_status lacks(const char *what, const char *name, const char *function, ts_error *error)
{
  return ts_fail(error, TS_INVALID, "%s '%.60s' has no function '%s'", what, name, function);
}

static ts_status check_parameters(const char *what, const char *name, const ts_parameter *items, int count,
                                  ts_error *error)
{
  char whose[96];
  snprintf(whose, sizeof whose, "%s '%.60s'", what, name);
  return ts_parameters_check((ts_parameter_list){items, count}, whose, error);
}

#define ADD(list, ...)                                                                                                 \
  entry = malloc(sizeof *entry);                                                                                       \
  if (!entry) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");                                               \
  *entry = __VA_ARGS__;                                                                                                \
  extensions->list = entry;                                                                                            \
  return TS_OK

ts_status ts_extensions_add_solver(ts_extensions *extensions, const ts_solver_def *def, ts_error *error)
{
  TS_REFUSE_UNLESS(extensions, error);
  TS_REFUSE_UNLESS(def, error);
  const bool is_taken =
      is_name(def->name) && (ts_solver_find(def->name) || ts_extensions_solver(extensions, def->name));
  TS_TRY(check_name("solver", def->name, def->summary, is_taken, error));
  if (!def->solve) return lacks("solver", def->name, "solve", error);
  if (def->takes == 0 || def->limit < 1)
    return ts_fail(error, TS_INVALID, "solver '%.60s' takes no problem, or has a limit below 1", def->name);
  ts_own_solver *entry;
  ADD(solvers, (ts_own_solver){ts_own_solver_table(def), *def, extensions->solvers});
}

ts_status ts_extensions_add_stepper(ts_extensions *extensions, const ts_stepper_def *def, ts_error *error)
{
  TS_REFUSE_UNLESS(extensions, error);
  TS_REFUSE_UNLESS(def, error);
  const bool is_taken =
      is_name(def->name) && (ts_stepper_find(def->name) || ts_extensions_stepper(extensions, def->name));
  TS_TRY(check_name("stepper", def->name, def->summary, is_taken, error));
  if (!def->step) return lacks("stepper", def->name, "step", error);
  if (def->number_count < 0)
    return ts_fail(error, TS_INVALID, "stepper '%.60s' keeps %d numbers", def->name, def->number_count);
  TS_TRY(check_parameters("stepper", def->name, def->parameters, def->parameter_count, error));
  ts_own_stepper *entry;
  ADD(steppers, (ts_own_stepper){ts_own_stepper_table(def), *def, extensions->steppers});
}

ts_status ts_extensions_add_controller(ts_extensions *extensions, const ts_controller_def *def, ts_error *error)
{
  TS_REFUSE_UNLESS(extensions, error);
  TS_REFUSE_UNLESS(def, error);
  const bool is_taken = is_name(def->name) && ts_extensions_controller(extensions, def->name);
  TS_TRY(check_name("controller", def->name, def->summary, is_taken, error));
  if (!def->control) return lacks("controller", def->name, "control", error);
  if (def->number_count < 0)
    return ts_fail(error, TS_INVALID, "controller '%.60s' keeps %d numbers", def->name, def->number_count);
  TS_TRY(check_parameters("controller", def->name, def->parameters, def->parameter_count, error));
  ts_own_controller *entry;
  ADD(controllers, (ts_own_controller){*def, extensions->controllers});
}

static bool is_shape_of_library(const char *name)
{
  for (int kind = 0; kind <= TS_SHAPE_OWN; ++kind)
    if (strcmp(ts_shape_name((ts_shape_kind)kind), name) == 0) return true;
  return false;
}

ts_status ts_extensions_add_shape(ts_extensions *extensions, const ts_shape_def *def, ts_error *error)
{
  TS_REFUSE_UNLESS(extensions, error);
  TS_REFUSE_UNLESS(def, error);
  const bool is_taken =
      is_name(def->name) && (is_shape_of_library(def->name) || ts_extensions_shape(extensions, def->name));
  TS_TRY(check_name("shape", def->name, def->summary, is_taken, error));
  TS_TRY(ts_shape_def_check(def, error));
  ts_own_shape *entry;
  ADD(shapes, (ts_own_shape){*def, extensions->shapes});
}
