// A watch at work: after every step quantities are taken, conditions looked at and results gathered.
#include "watch/watch.h"

#include "base/require.h"
#include "base/status.h"
#include "step/sim.h"

#include <math.h>
#include <string.h>

static const double ROUND_OFF = 1e-9; // of a sum of steps

static void take_quantities(ts_watch *watch, const ts_sim *sim, bool at_end)
{
  for (int i = 0; i < watch->watched_count; ++i) {
    const ts_watched *watched = &watch->watched[i];
    if (watched->kind != TS_WATCHED_QUANTITY || (watched->kept && watch->loaded)) continue;
    if (at_end || watched->each_step) watch->values[i] = ts_quantity_value(watched->quantity, sim);
  }
}

static ts_status evaluate(const ts_watch *watch, const char *what, const char *name, const ts_expression *expression,
                          double *value, ts_error *error)
{
  ts_expression_error trouble;
  if (ts_expression_evaluate(expression, watch->values, value, &trouble)) return TS_OK;
  return ts_fail(error, TS_INVALID, "%s '%.60s' at t = %.9g s: %s", what, name, watch->time, trouble.text);
}

static bool is_true(double value)
{
  return value != 0.0 && !isnan(value);
}

// ---- results -------------------------------------------------------------------------------------------------------

// Whether a time is that of a result, or within a step of it where that matters.
static bool is_asked_for(const ts_watch *watch, const ts_watched_result *result, bool *inside)
{
  const double t = watch->time, slack = ROUND_OFF * watch->step;
  *inside = t >= result->from - slack && t <= result->to + slack;
  return *inside || (ts_result_goes_on(result->kind) && t > result->from - watch->step - slack &&
                     t < result->to + watch->step + slack);
}

// Outside of its time an expression need not have a value.
static ts_status take_sample(ts_watch *watch, const ts_watched_result *result, ts_sample *sample, ts_error *error)
{
  bool inside;
  double holds = 1.0;
  *sample = (ts_sample){.time = watch->time};
  if ((watch->at_start && result->after_step) || !is_asked_for(watch, result, &inside)) return TS_OK;
  ts_status status = TS_OK;
  if (result->when) status = evaluate(watch, "the condition of result", result->name, result->when, &holds, error);
  if (status != TS_OK) return inside ? status : TS_OK;
  if (!is_true(holds)) return TS_OK;
  status = evaluate(watch, "result", result->name, result->expression, &sample->value, error);
  if (status != TS_OK) return inside ? status : TS_OK;
  sample->holds = ts_result_takes(result->kind, sample->value);
  return TS_OK;
}

static ts_status gather(ts_watch *watch, ts_watched_result *result, ts_error *error)
{
  ts_sample sample;
  TS_TRY(take_sample(watch, result, &sample, error));
  if (result->last > 0.0)
    ts_sample_ring_add(&result->ring, sample);
  else
    ts_gathering_add(&result->gathering, result->kind, sample);
  return TS_OK;
}

static ts_status gather_all(ts_watch *watch, ts_error *error)
{
  for (int i = 0; i < watch->result_count; ++i)
    if (!watch->results[i].at_end) TS_TRY(gather(watch, &watch->results[i], error));
  return TS_OK;
}

// ---- conditions ----------------------------------------------------------------------------------------------------

static ts_status look_at(ts_watch *watch, int i, double start, ts_error *error)
{
  ts_watched_stop *stop = &watch->stops[i];
  double holds;
  TS_TRY(evaluate(watch, "the condition", stop->name, stop->when, &holds, error));
  if (!is_true(holds)) {
    stop->held = 0;
    return TS_OK;
  }
  if (stop->held++ == 0) stop->since = start;
  const bool long_enough = watch->time - stop->since >= stop->duration * (1.0 - ROUND_OFF);
  if (watch->stopped < 0 && long_enough && stop->held >= stop->steps) watch->stopped = i;
  return TS_OK;
}

// ---- a run ---------------------------------------------------------------------------------------------------------

// Rings are for steps of one length.
static ts_status make_rings(ts_watch *watch, double step, ts_error *error)
{
  if (watch->step == step) return TS_OK;
  jmp_buf recovery;
  watch->ring_memory.recovery = &recovery;
  if (setjmp(recovery)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  watch->step = 0.0;
  ts_arena_reset(&watch->ring_memory);
  for (int i = 0; i < watch->result_count; ++i) {
    ts_watched_result *result = &watch->results[i];
    if (result->last > 0.0) TS_TRY(ts_sample_ring_make(result->last, step, &watch->ring_memory, &result->ring, error));
  }
  watch->step = step;
  return TS_OK;
}

ts_status ts_watch_rest(ts_watch *watch, const ts_sim *sim, ts_error *error)
{
  watch->begun = false;
  TS_TRY(make_rings(watch, sim->options.size, error));
  watch->stopped = -1;
  watch->time = ts_sim_time(sim);
  watch->begun = true;
  watch->ended = watch->at_start = watch->loaded = false;
  for (int i = 0; i < watch->stop_count; ++i) watch->stops[i].held = 0;
  for (int i = 0; i < watch->result_count; ++i) {
    ts_watched_result *result = &watch->results[i];
    result->gathering = (ts_gathering){
        .from = result->from, .to = result->to, .slack = ROUND_OFF * watch->step, .of_steps = result->of_steps};
    result->ring.first = result->ring.count = 0;
    watch->values[result->value] = NAN;
  }
  return TS_OK;
}

ts_status ts_watch_begin(ts_watch *watch, const ts_sim *sim, ts_error *error)
{
  TS_REFUSE_UNLESS(watch, error);
  TS_REFUSE_UNLESS(sim, error);
  TS_TRY(ts_watch_rest(watch, sim, error));
  watch->at_start = true;
  take_quantities(watch, sim, false);
  return gather_all(watch, error);
}

ts_status ts_watch_step(ts_watch *watch, const ts_sim *sim, ts_error *error)
{
  TS_REFUSE_UNLESS(watch && watch->begun, error);
  TS_REFUSE_UNLESS(sim, error);
  const double start = watch->time;
  watch->time = ts_sim_time(sim);
  watch->at_start = watch->loaded = false;
  take_quantities(watch, sim, false);
  for (int i = 0; i < watch->stop_count; ++i) TS_TRY(look_at(watch, i, start, error));
  return gather_all(watch, error);
}

ts_status ts_watch_end(ts_watch *watch, const ts_sim *sim, ts_error *error)
{
  TS_REFUSE_UNLESS(watch && watch->begun, error);
  TS_REFUSE_UNLESS(sim, error);
  take_quantities(watch, sim, true);
  for (int i = 0; i < watch->result_count; ++i) {
    const ts_watched_result *result = &watch->results[i];
    double *value = &watch->values[result->value];
    if (result->at_end)
      TS_TRY(evaluate(watch, "result", result->name, result->expression, value, error));
    else if (result->last > 0.0)
      *value = ts_sample_ring_value(&result->ring, result->kind, result->last, result->of_steps);
    else
      *value = ts_gathering_value(&result->gathering, result->kind);
  }
  watch->ended = true;
  return TS_OK;
}

// ---- what came of it -----------------------------------------------------------------------------------------------

int ts_watch_stopped(const ts_watch *watch)
{
  TS_REQUIRE(watch);
  return watch->stopped;
}

int ts_watch_stop_count(const ts_watch *watch)
{
  TS_REQUIRE(watch);
  return watch->stop_count;
}

const char *ts_watch_stop_name(const ts_watch *watch, int stop)
{
  TS_REQUIRE(watch);
  TS_REQUIRE(stop >= 0 && stop < watch->stop_count);
  return watch->stops[stop].name;
}

ts_stop_def ts_watch_stop_at(const ts_watch *watch, int stop)
{
  TS_REQUIRE(watch);
  TS_REQUIRE(stop >= 0 && stop < watch->stop_count);
  const ts_watched_stop *found = &watch->stops[stop];
  return (ts_stop_def){found->name, found->text, found->duration, found->steps};
}

int ts_watch_result_count(const ts_watch *watch)
{
  TS_REQUIRE(watch);
  return watch->result_count;
}

const char *ts_watch_result_name(const ts_watch *watch, int result)
{
  TS_REQUIRE(watch);
  TS_REQUIRE(result >= 0 && result < watch->result_count);
  return watch->results[result].name;
}

const char *ts_watch_result_unit(const ts_watch *watch, int result)
{
  TS_REQUIRE(watch);
  TS_REQUIRE(result >= 0 && result < watch->result_count);
  return watch->results[result].def.unit;
}

ts_result_def ts_watch_result_at(const ts_watch *watch, int result)
{
  TS_REQUIRE(watch);
  TS_REQUIRE(result >= 0 && result < watch->result_count);
  return watch->results[result].def;
}

double ts_watch_result(const ts_watch *watch, int result)
{
  TS_REQUIRE(watch);
  TS_REQUIRE(result >= 0 && result < watch->result_count);
  return watch->values[watch->results[result].value];
}

int ts_watch_find_result(const ts_watch *watch, const char *name)
{
  TS_REQUIRE(watch);
  TS_REQUIRE(name);
  for (int i = 0; i < watch->result_count; ++i)
    if (strcmp(watch->results[i].name, name) == 0) return i;
  return -1;
}

bool ts_watch_needs_joint_forces(const ts_watch *watch)
{
  TS_REQUIRE(watch);
  for (int i = 0; i < watch->watched_count; ++i)
    if (watch->watched[i].kind == TS_WATCHED_QUANTITY && ts_quantity_is_joint_force(watch->watched[i].quantity))
      return true;
  return false;
}

bool ts_watch_uses_parameter(const ts_watch *watch, int i)
{
  return watch->watched[watch->parameters[i]].used;
}

void ts_watch_go_on(ts_watch *watch)
{
  TS_REQUIRE(watch);
  if (watch->stopped >= 0) watch->stops[watch->stopped].held = 0;
  watch->stopped = -1;
}

// ---- what there is -------------------------------------------------------------------------------------------------

int ts_quantity_count(void)
{
  ts_quantity_info unused;
  int count = 0;
  while (ts_quantity_info_at(count, &unused)) ++count;
  return count;
}

ts_quantity_info ts_quantity_at(int i)
{
  ts_quantity_info found;
  TS_REQUIRE(i >= 0 && ts_quantity_info_at(i, &found));
  return found;
}

const char *ts_watch_function_at(int i, const char **help)
{
  TS_REQUIRE(i >= 0);
  TS_REQUIRE(help);
  return ts_expression_function_at(i, help);
}
