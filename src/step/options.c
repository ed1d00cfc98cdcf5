// Defaults, checks, and options by name, all from the rows.
#define _POSIX_C_SOURCE 200809L // locale_t
#include "step/options.h"

#include "step/stepper.h"

#include "base/assert.h"
#include "base/require.h"
#include "schema/field.h"
#include "text/number_text.h"
#include "text/c_locale.h"

#include "touchstone/suggest.h"

#include <stdio.h>
#include <string.h>

enum { COOKIE = 0x57e9 };

// ---- steppers' own values ------------------------------------------------------------------------------------------

static bool is_own(const ts_key *row)
{
  const size_t begin = offsetof(ts_step_options, own);
  return row->offset >= begin && row->offset < begin + sizeof((ts_step_options *)0)->own;
}

// The only stepper that takes the option, or NULL: all do.
static const ts_stepper *taker(const ts_key *row)
{
  for (int i = 0; ts_steppers[i]; ++i) {
    const ts_section *own = ts_steppers[i]->options;
    for (int k = 0; own && k < own->key_count; ++k)
      if (&own->keys[k] == row) return ts_steppers[i];
  }
  return NULL;
}

// Values of a stepper's own have no place before it was chosen.
static bool has_place(const ts_step_options *options, const ts_key *row)
{
  return !is_own(row) || taker(row) == options->owner;
}

static ts_status check_place(const ts_step_options *options, const ts_key *row, ts_error *error)
{
  if (has_place(options, row)) return TS_OK;
  return ts_fail(error, TS_INVALID, "'%s' goes with method: %s", row->name, taker(row)->name);
}

static void default_own(ts_step_options *options)
{
  const ts_section *own = options->method->options;
  memset(options->own, 0, sizeof options->own);
  ts_parameters_default(options->method->parameters, options->own);
  options->owner = options->method;
  for (int k = 0; own && k < own->key_count; ++k)
    if (is_own(&own->keys[k])) ts_field_set(&own->keys[k], options, own->keys[k].fallback, NULL);
}

ts_status ts_step_options_put_parameter(ts_step_options *options, const char *name, double value, ts_error *error)
{
  char owner[96];
  snprintf(owner, sizeof owner, "method '%.60s'", options->method->name);
  if (options->owner != options->method) default_own(options);
  return ts_parameters_set(options->method->parameters, owner, name, value, options->own, error);
}

void ts_step_options_own(const ts_step_options *options, void *own, size_t size)
{
  TS_ASSERT(size <= sizeof options->own && options->owner == options->method);
  memcpy(own, options->own, size);
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static const ts_key *row_at(int i, char name[static TS_PATH_SIZE])
{
  return ts_section_value_at(&ts_step_section, i, name);
}

ts_status ts_step_options_put(ts_step_options *options, const ts_key *row, const char *text, ts_error *error)
{
  TS_TRY(check_place(options, row, error));
  const void *found = row->find && ts_key_word(row, text) < 0 ? row->find(options->extensions, text) : NULL;
  if (found)
    ts_field_put_entry(row, options, found);
  else
    TS_TRY(ts_field_set(row, options, text, error));
  if (row->offset == offsetof(ts_step_options, method)) default_own(options);
  return TS_OK;
}

// Texts of defaults have a point. Where the locale cannot be had, for want of memory, it is as good as any.
ts_step_options ts_step_options_default(void)
{
  ts_step_options options = {.cookie = COOKIE};
  ts_c_locale locale;
  const bool entered = ts_c_locale_enter(&locale);
  char name[TS_PATH_SIZE];
  const ts_key *row;
  for (int i = 0; (row = row_at(i, name)) != NULL; ++i)
    if (has_place(&options, row)) ts_step_options_put(&options, row, row->fallback, NULL);
  if (entered) ts_c_locale_leave(&locale);
  return options;
}

static ts_status check_rows(const ts_step_options *options, ts_error *error)
{
  char name[TS_PATH_SIZE];
  const ts_key *row;
  for (int i = 0; (row = row_at(i, name)) != NULL; ++i)
    if (has_place(options, row)) TS_TRY(ts_field_check(row, options, error));
  return TS_OK;
}

// ---- what goes together --------------------------------------------------------------------------------------------

// A quadratic cone needs a solver of friction problems or of MCPs, a polyhedral one a solver of LCPs.
static ts_status check_solver(const ts_step_options *o, ts_error *error)
{
  const unsigned takes = ts_solver_takes(o->solver);
  if (o->cone == TS_CONE_QUADRATIC && !(takes & (TS_FRICTION | TS_MCP)))
    return ts_fail(error, TS_UNSUPPORTED,
                   "solver %s solves linear problems only, which a quadratic cone does not give; "
                   "use another solver, or cone: polyhedral where the method has it",
                   ts_solver_name(o->solver));
  if (o->cone == TS_CONE_POLYHEDRAL && !(takes & TS_LCP))
    return ts_fail(error, TS_UNSUPPORTED, "solver %s does not take the linear problem of a polyhedral cone",
                   ts_solver_name(o->solver));
  return TS_OK;
}

// Other steppers find contacts only once they have closed: every impact would be overlap.
static ts_status check_overlap_rule(const ts_step_options *o, ts_error *error)
{
  if (o->stabilization != TS_STABILIZATION_POSITION || o->method->stabilization == o->stabilization) return TS_OK;
  return ts_fail(error, TS_UNSUPPORTED, "stabilization: position does not go with method: %s", o->method->name);
}

static ts_status check_formulation(const ts_step_options *o, ts_error *error)
{
  if (o->formulation != TS_FORMULATION_MNCP || o->method == &ts_stepper_implicit) return TS_OK;
  return ts_fail(error, TS_UNSUPPORTED, "formulation: mncp goes with method: implicit, not with %s", o->method->name);
}

static ts_status check_corners(const ts_step_options *o, ts_error *error)
{
  if (o->corners == TS_CORNERS_NEAREST || o->method->takes_corners) return TS_OK;
  return ts_fail(error, TS_UNSUPPORTED, "corners: %s goes with method: stewart-trinkle and quasistatic, not with %s",
                 o->corners == TS_CORNERS_EXACT ? "exact" : "conjunction", o->method->name);
}

static ts_status check_surfaces(const ts_step_options *o, ts_error *error)
{
  if (o->surfaces == TS_SURFACES_END || o->method->takes_secants) return TS_OK;
  return ts_fail(error, TS_UNSUPPORTED,
                 "surfaces: secant goes with method: stewart-trinkle and quasistatic, not with %s", o->method->name);
}

static ts_status check_parameters(const ts_step_options *o, ts_error *error)
{
  char owner[96];
  snprintf(owner, sizeof owner, "method '%.60s'", o->method->name);
  return ts_parameters_check_values(o->method->parameters, owner, o->own, error);
}

static ts_status check_owner(const ts_step_options *o, ts_error *error)
{
  const ts_section *own = o->method->options;
  if (o->method->parameters.count > 0 && o->owner == o->method) return check_parameters(o, error);
  if (o->method->parameters.count > 0)
    return ts_fail(error, TS_INVALID, "%s has parameters, which come with ts_step_options_set(\"method\")",
                   o->method->name);
  for (int k = 0; own && k < own->key_count; ++k)
    if (is_own(&own->keys[k]) && o->owner != o->method)
      return ts_fail(error, TS_INVALID, "%s has options of its own, which come with ts_step_options_set(\"method\")",
                     o->method->name);
  return TS_OK;
}

ts_status ts_step_options_check(const ts_step_options *options, ts_error *error)
{
  TS_REFUSE_UNLESS(options, error);
  const ts_step_options *o = options;
  if (o->cookie != COOKIE) return ts_fail(error, TS_INVALID, "the options were not made by ts_step_options_default()");
  TS_TRY(check_rows(o, error));
  TS_TRY(check_owner(o, error));
  TS_TRY(check_solver(o, error));
  TS_TRY(check_overlap_rule(o, error));
  TS_TRY(check_formulation(o, error));
  TS_TRY(check_corners(o, error));
  TS_TRY(check_surfaces(o, error));
  return o->method->check ? o->method->check(o, error) : TS_OK;
}

// ---- by name -------------------------------------------------------------------------------------------------------

int ts_step_option_count(void)
{
  char name[TS_PATH_SIZE];
  int count = 0;
  while (row_at(count, name)) ++count;
  return count;
}

ts_step_option ts_step_option_at(int i)
{
  TS_REQUIRE(i >= 0 && i < ts_step_option_count());
  ts_step_option option;
  const ts_key *row = row_at(i, option.name);
  ts_key_type_name(row, option.type, sizeof option.type);
  option.unit = ts_text_or_nothing(row->unit);
  option.range = ts_range_text(row->range);
  option.fallback = row->fallback;
  option.help = row->help;
  option.stepper = taker(row);
  return option;
}

typedef struct name_list {
  char names[64][TS_PATH_SIZE];
} name_list;

static const char *name_at(int i, const void *list)
{
  return ((const name_list *)list)->names[i];
}

static ts_status refuse_name(const char *name, ts_error *error)
{
  name_list all;
  int count = 0;
  while (count < TS_COUNT_OF(all.names) && row_at(count, all.names[count])) ++count;
  const char *nearest = ts_suggest(name, count, name_at, &all);
  if (nearest) return ts_fail(error, TS_INVALID, "there is no option '%.60s'; did you mean '%s'?", name, nearest);
  return ts_fail(error, TS_INVALID, "there is no option '%.60s'", name);
}

static const char PARAMETERS[] = "parameters.";

static bool is_parameter(const char *name)
{
  return strncmp(name, PARAMETERS, sizeof PARAMETERS - 1) == 0;
}

static ts_status set_parameter(ts_step_options *options, const char *name, const char *text, ts_error *error)
{
  double value;
  if (!ts_text_is_number(text, &value))
    return ts_fail(error, TS_INVALID, "'%.60s' must be a number, not '%.40s'", name, text);
  return ts_step_options_put_parameter(options, name + sizeof PARAMETERS - 1, value, error);
}

static ts_status find_row(const char *name, const ts_key **row, ts_error *error)
{
  char found[TS_PATH_SIZE];
  for (int i = 0; (*row = row_at(i, found)) != NULL; ++i)
    if (strcmp(found, name) == 0) return TS_OK;
  return refuse_name(name, error);
}

ts_status ts_step_options_set(ts_step_options *options, const char *name, const char *text, ts_error *error)
{
  TS_REFUSE_UNLESS(options, error);
  TS_REFUSE_UNLESS(name, error);
  TS_REFUSE_UNLESS(text, error);
  const ts_key *row = NULL;
  ts_c_locale locale;
  if (!is_parameter(name)) TS_TRY(find_row(name, &row, error));
  if (!ts_c_locale_enter(&locale)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  const ts_status status =
      row ? ts_step_options_put(options, row, text, error) : set_parameter(options, name, text, error);
  ts_c_locale_leave(&locale);
  return status;
}

ts_status ts_step_options_get(const ts_step_options *options, const char *name, char *text, size_t size,
                              ts_error *error)
{
  TS_REFUSE_UNLESS(options, error);
  TS_REFUSE_UNLESS(name, error);
  TS_REFUSE_UNLESS(text, error);
  const ts_key *row;
  ts_c_locale locale;
  TS_TRY(find_row(name, &row, error));
  TS_TRY(check_place(options, row, error));
  if (!ts_c_locale_enter(&locale)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  ts_field_text(row, options, text, size);
  ts_c_locale_leave(&locale);
  return TS_OK;
}
