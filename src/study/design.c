#include "study/design.h"

#include "study/table_format.h"

#include "sampling/halton.h"
#include "sampling/latin_hypercube.h"
#include "sampling/philox.h"
#include "sampling/sobol.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_COLUMNS = TS_DESIGN_MOST_COLUMNS, MOST_DIMENSIONS = 64, LONGEST_NAME = TS_TABLE_NAME_SIZE };

// Streams of random numbers: of trials, and for the seeds of points of the grid.
enum { STREAM_TRIALS = 0, STREAM_POINTS = 1 };

#define SAMPLING_NAME(enumerator, name, help) #name,
const char *const ts_sampling_names[] = {TS_SAMPLING_LIST(SAMPLING_NAME)};
#undef SAMPLING_NAME

static const double *copy_numbers(const double *numbers, int count, ts_arena *arena)
{
  const size_t n = (size_t)count;
  return memcpy(ts_arena_doubles(arena, n), numbers, n * sizeof *numbers);
}

// ---- names ---------------------------------------------------------------------------------------------------------

static int find_column(const void *user, const char *name)
{
  const ts_design *design = user;
  for (int i = 0; i < design->column_count; ++i)
    if (strcmp(design->columns[i].name, name) == 0) return i;
  return -1;
}

static const char *column_name(const void *user, int i)
{
  const ts_design *design = user;
  return i < design->column_count ? design->columns[i].name : NULL;
}

static ts_status check_name(const ts_design *design, const char *name, ts_error *error)
{
  if (!ts_expression_is_word(name))
    return ts_fail(error, TS_INVALID, "a parameter is called by letters, digits and _, and no digit first, not '%.60s'",
                   name ? name : "");
  if (strlen(name) >= LONGEST_NAME)
    return ts_fail(error, TS_INVALID, "the parameter '%.60s...' has a name of more than %d letters", name,
                   LONGEST_NAME - 1);
  if (ts_expression_is_taken(name))
    return ts_fail(error, TS_INVALID, "no parameter can be called '%s': expressions have it already", name);
  if (find_column(design, name) >= 0) return ts_fail(error, TS_INVALID, "'%.60s' is varied twice", name);
  return TS_OK;
}

// ---- columns -------------------------------------------------------------------------------------------------------

// Axes that columns of the definition share; of its own, a column has a new one.
typedef struct axis_numbers {
  int given[MOST_COLUMNS], count;
} axis_numbers;

static ts_status find_axis(const ts_variation *from, axis_numbers *axes, ts_design *design, int *axis, ts_error *error)
{
  *axis = -1;
  for (int i = 0; from->axis > 0 && i < axes->count; ++i)
    if (axes->given[i] == from->axis) *axis = i;
  if (*axis < 0) {
    *axis = axes->count;
    axes->given[axes->count++] = from->axis;
    design->axis_size[*axis] = (uint64_t)from->count;
    design->axis_count = axes->count;
  }
  if (design->axis_size[*axis] == (uint64_t)from->count) return TS_OK;
  return ts_fail(error, TS_INVALID, "'%s' has %d values, and what goes with it %llu", from->name, from->count,
                 (unsigned long long)design->axis_size[*axis]);
}

static ts_status make_values(const ts_variation *from, axis_numbers *axes, ts_design *design, ts_design_column *column,
                             ts_arena *arena, ts_error *error)
{
  if (from->count < 1 || !from->values) return ts_fail(error, TS_INVALID, "'%s' has no values", from->name);
  for (int i = 0; i < from->count; ++i)
    if (!isfinite(from->values[i])) return ts_fail(error, TS_INVALID, "a value of '%s' is not finite", from->name);
  column->values = copy_numbers(from->values, from->count, arena);
  return find_axis(from, axes, design, &column->axis, error);
}

static ts_status make_distribution(const ts_variation *from, ts_distribution *made, ts_arena *arena, ts_error *error)
{
  switch (from->kind) {
  case TS_VARY_UNIFORM:
    return ts_distribution_uniform(made, from->low, from->high, error);
  case TS_VARY_LOG_UNIFORM:
    return ts_distribution_log_uniform(made, from->low, from->high, error);
  case TS_VARY_NORMAL:
    if (from->low == from->high) return ts_distribution_normal(made, from->mean, from->deviation, error);
    return ts_distribution_truncated_normal(made, from->mean, from->deviation, from->low, from->high, error);
  case TS_VARY_TRIANGULAR:
    return ts_distribution_triangular(made, from->low, from->mode, from->high, error);
  default:
    if (from->count < 1 || !from->values) return ts_fail(error, TS_INVALID, "it has no values");
    return ts_distribution_discrete(made, from->count, copy_numbers(from->values, from->count, arena),
                                    from->weights ? copy_numbers(from->weights, from->count, arena) : NULL,
                                    ts_arena_doubles(arena, (size_t)from->count), error);
  }
}

static ts_status make_random(const ts_variation *from, ts_design *design, ts_design_column *column, ts_arena *arena,
                             ts_error *error)
{
  ts_error why = {0};
  if (make_distribution(from, &column->distribution, arena, &why) != TS_OK)
    return ts_fail(error, TS_INVALID, "'%s': %.400s", from->name, why.text);
  if (design->dimensions == MOST_DIMENSIONS)
    return ts_fail(error, TS_INVALID, "more than %d parameters are random", MOST_DIMENSIONS);
  column->dimension = design->dimensions++;
  return TS_OK;
}

static ts_status make_expression(const ts_variation *from, const ts_design *design, ts_design_column *column,
                                 ts_arena *arena, ts_error *error)
{
  const ts_expression_names names = {design, find_column, column_name};
  ts_expression_error trouble;
  if (!from->expression) return ts_fail(error, TS_INVALID, "'%s' needs an expression", from->name);
  if (ts_expression_compile(from->expression, &names, arena, &column->expression, &trouble)) return TS_OK;
  return ts_fail_at(error, TS_INVALID, 0, trouble.offset + 1, "%s", trouble.text);
}

static ts_status add_column(const ts_variation *from, axis_numbers *axes, ts_design *design, ts_arena *arena,
                            ts_error *error)
{
  ts_design_column *column = &design->columns[design->column_count];
  TS_TRY(check_name(design, from->name, error));
  *column = (ts_design_column){.kind = from->kind, .axis = -1, .dimension = -1};
  column->name = ts_arena_text(arena, from->name);
  column->unit = ts_arena_text(arena, from->unit);
  if (from->kind == TS_VARY_VALUES)
    TS_TRY(make_values(from, axes, design, column, arena, error));
  else if (from->kind != TS_VARY_EXPRESSION) // those are compiled when all names are known
    TS_TRY(make_random(from, design, column, arena, error));
  ++design->column_count;
  return TS_OK;
}

// ---- what follows from what ----------------------------------------------------------------------------------------

typedef enum column_state { OPEN, BUSY, KNOWN } column_state;

typedef struct ordering {
  ts_design *design;
  column_state state[MOST_COLUMNS];
  int path[MOST_COLUMNS], depth; // columns that wait for each other
  int known;
} ordering;

// "a -> b -> a"
static ts_status refuse_cycle(const ordering *o, int column, ts_error *error)
{
  char path[320];
  size_t used = 0;
  int begin = 0;
  while (o->path[begin] != column) ++begin;
  for (int k = begin; k < o->depth && used < sizeof path - 1; ++k)
    used += (size_t)snprintf(path + used, sizeof path - used, "%.40s -> ", o->design->columns[o->path[k]].name);
  if (used >= sizeof path) path[sizeof path - 1] = '\0';
  return ts_fail(error, TS_INVALID, "parameters depend on themselves: %s%.40s", path, o->design->columns[column].name);
}

static ts_status put_in_order(ordering *o, int column, ts_error *error)
{
  const ts_expression *expression = o->design->columns[column].expression;
  if (o->state[column] == KNOWN) return TS_OK;
  if (o->state[column] == BUSY) return refuse_cycle(o, column, error);
  o->state[column] = BUSY;
  o->path[o->depth++] = column;
  for (int i = 0, other; expression && (other = ts_expression_value_at(expression, i)) >= 0; ++i)
    TS_TRY(put_in_order(o, other, error));
  --o->depth;
  o->state[column] = KNOWN;
  o->design->order[o->known++] = column;
  return TS_OK;
}

static ts_status make_expressions(const ts_study_def *def, ts_design *design, ts_arena *arena, int *column,
                                  ts_error *error)
{
  ordering o = {.design = design};
  for (*column = 0; *column < def->variation_count; ++*column)
    if (def->variations[*column].kind == TS_VARY_EXPRESSION)
      TS_TRY(make_expression(&def->variations[*column], design, &design->columns[*column], arena, error));
  for (*column = 0; *column < def->variation_count; ++*column) TS_TRY(put_in_order(&o, *column, error));
  return TS_OK;
}

// ---- how many ------------------------------------------------------------------------------------------------------

static ts_status count_trials(ts_design *design, ts_error *error)
{
  double trials = (double)design->samples;
  design->cells = 1;
  design->per_sample = design->sampling == TS_SAMPLING_SALTELLI ? (uint64_t)design->dimensions + 2 : 1;
  for (int i = 0; i < design->axis_count; ++i) {
    trials *= (double)design->axis_size[i];
    if (trials <= TS_MOST_TRIALS) design->cells *= design->axis_size[i];
  }
  trials *= (double)design->per_sample;
  if (!(trials <= TS_MOST_TRIALS))
    return ts_fail(error, TS_INVALID, "the study has %.3g trials, %d at most can be run", trials, TS_MOST_TRIALS);
  design->trials = design->samples * design->cells * design->per_sample;
  return TS_OK;
}

static ts_status check_sampling(const ts_design *design, ts_error *error)
{
  if ((unsigned)design->sampling >= TS_SAMPLING_COUNT) return ts_fail(error, TS_INVALID, "there is no such sampling");
  if (design->samples < 1) return ts_fail(error, TS_INVALID, "a study has at least 1 sample");
  if (design->sampling == TS_SAMPLING_SALTELLI && design->dimensions == 0)
    return ts_fail(error, TS_INVALID, "sampling 'saltelli' needs random parameters");
  if (design->sampling == TS_SAMPLING_SALTELLI && 2 * design->dimensions > MOST_DIMENSIONS)
    return ts_fail(error, TS_INVALID, "sampling 'saltelli' takes %d random parameters at most", MOST_DIMENSIONS / 2);
  return TS_OK;
}

ts_status ts_design_make(const ts_study_def *def, ts_arena *arena, ts_design *design, int *column, ts_error *error)
{
  axis_numbers axes = {.count = 0};
  int unused;
  if (!column) column = &unused;
  *column = -1;
  *design = (ts_design){.sampling = def->sampling, .samples = def->samples, .seed = def->seed};
  if (def->variation_count < 0 || def->variation_count > MOST_COLUMNS)
    return ts_fail(error, TS_INVALID, "a study may vary %d parameters", MOST_COLUMNS);
  const size_t count = (size_t)def->variation_count;
  design->columns = ts_arena_bytes(arena, count, sizeof *design->columns);
  design->axis_size = ts_arena_bytes(arena, count, sizeof *design->axis_size);
  design->order = ts_arena_ints(arena, count);
  for (*column = 0; *column < def->variation_count; ++*column)
    TS_TRY(add_column(&def->variations[*column], &axes, design, arena, error));
  TS_TRY(make_expressions(def, design, arena, column, error));
  *column = -1;
  TS_TRY(check_sampling(design, error));
  return count_trials(design, error);
}

bool ts_design_can_grow(const ts_design *design)
{
  return design->sampling != TS_SAMPLING_LATIN;
}

// ---- a trial -------------------------------------------------------------------------------------------------------

// Where a trial is: which point of the grid, which sample, and which of Saltelli's trials of that.
typedef struct position {
  uint64_t trial, cell, sample, part;
} position;

static position locate(const ts_design *design, uint64_t trial)
{
  const uint64_t block = design->cells * design->per_sample, within = trial % block;
  return (position){trial, within / design->per_sample, trial / block, within % design->per_sample};
}

// Sequences at different points of the grid are scrambled differently.
static uint64_t seed_of_point(const ts_design *design, uint64_t cell)
{
  return ts_philox_bits(design->seed, STREAM_POINTS, cell, 0);
}

// Saltelli's trials: A, B, and A with one parameter after another from B; B has dimensions of its own.
static double saltelli_number(const ts_design *design, position at, uint64_t seed, uint32_t dimension)
{
  const bool from_b = at.part == 1 || at.part == (uint64_t)dimension + 2;
  return ts_sobol_scrambled(seed, at.sample, from_b ? dimension + (uint32_t)design->dimensions : dimension);
}

static double random_number(const ts_design *design, position at, uint64_t seed, int d)
{
  const uint32_t dimension = (uint32_t)d;
  switch (design->sampling) {
  case TS_SAMPLING_LATIN:
    return ts_latin_hypercube(seed, design->samples, at.sample, dimension);
  case TS_SAMPLING_SOBOL:
    return ts_sobol_scrambled(seed, at.sample, dimension);
  case TS_SAMPLING_HALTON:
    return ts_halton_permuted(seed, at.sample, dimension);
  case TS_SAMPLING_SALTELLI:
    return saltelli_number(design, at, seed, dimension);
  default:
    return ts_philox_uniform(design->seed, STREAM_TRIALS, at.trial, dimension);
  }
}

// The place on an axis of a point of the grid.
static uint64_t place_on_axis(const ts_design *design, uint64_t cell, int axis)
{
  for (int i = design->axis_count - 1; i > axis; --i) cell /= design->axis_size[i];
  return cell % design->axis_size[axis];
}

ts_status ts_design_row(const ts_design *design, uint64_t trial, double *values, ts_error *error)
{
  const position at = locate(design, trial);
  const bool of_sequence = design->dimensions > 0 && design->sampling != TS_SAMPLING_RANDOM;
  const uint64_t seed = of_sequence ? seed_of_point(design, at.cell) : 0;
  for (int k = 0; k < design->column_count; ++k) {
    const int i = design->order[k];
    const ts_design_column *column = &design->columns[i];
    ts_expression_error trouble;
    if (column->kind == TS_VARY_VALUES)
      values[i] = column->values[place_on_axis(design, at.cell, column->axis)];
    else if (column->kind != TS_VARY_EXPRESSION)
      values[i] = ts_distribution_quantile(&column->distribution, random_number(design, at, seed, column->dimension));
    else if (!ts_expression_evaluate(column->expression, values, &values[i], &trouble))
      return ts_fail(error, TS_INVALID, "'%s' of trial %llu: %s", column->name, (unsigned long long)trial,
                     trouble.text);
  }
  return TS_OK;
}
