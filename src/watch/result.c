#include "watch/result.h"

#include "base/status.h"

#include <math.h>

static const double ROUND_OFF = 1e-9; // of sums of steps, as a share of a step or of a time

static bool is_true(double value)
{
  return value != 0.0 && !isnan(value);
}

static void gather(ts_gathering *g, ts_result_kind kind, ts_sample sample)
{
  const bool first = g->counted++ == 0;
  switch (kind) {
  case TS_RESULT_FIRST:
    if (first) g->value = sample.value;
    break;
  case TS_RESULT_MIN:
    if (first || sample.value < g->value) g->value = sample.value;
    break;
  case TS_RESULT_MAX:
    if (first || sample.value > g->value) g->value = sample.value;
    break;
  case TS_RESULT_MEAN:
    g->value += (sample.value - g->value) / g->counted;
    break;
  case TS_RESULT_TIME:
    if (first) g->value = NAN;
    if (isnan(g->value) && is_true(sample.value)) g->value = sample.time;
    break;
  default:
    g->value = sample.value;
  }
}

static double value_between(const ts_sample *a, const ts_sample *b, double time)
{
  if (time == a->time) return a->value;
  if (time == b->time) return b->value;
  return a->value + (time - a->time) / (b->time - a->time) * (b->value - a->value);
}

// The part of a step that lies in the time.
static void add_step(ts_gathering *g, const ts_sample *a, const ts_sample *b)
{
  const double begin = fmax(a->time, g->from), end = fmin(b->time, g->to);
  if (!(end > begin)) return;
  const double mean = g->of_steps ? b->value : 0.5 * value_between(a, b, begin) + 0.5 * value_between(a, b, end);
  g->integral += (end - begin) * mean;
  g->duration += end - begin;
}

// The sample at the time, or a value between the two around it: that of the step which contains the time, or on a
// straight line.
static void gather_at(ts_gathering *g, const ts_sample *sample)
{
  const double at = g->from;
  const bool meets = fabs(sample->time - at) <= g->slack;
  const bool passes = g->any && g->last.time < at - g->slack && sample->time > at + g->slack;
  if (!sample->holds || !(meets || (passes && (g->of_steps || g->last.holds)))) return;
  g->value = meets || g->of_steps ? sample->value : value_between(&g->last, sample, at);
  g->counted = 1;
}

void ts_gathering_add(ts_gathering *g, ts_result_kind kind, ts_sample sample)
{
  if (kind == TS_RESULT_VALUE) {
    gather_at(g, &sample);
    g->last = sample;
    g->any = true;
    return;
  }
  const bool counts = sample.holds && sample.time >= g->from - g->slack && sample.time <= g->to + g->slack;
  const bool was_true = g->any && g->last.holds && is_true(g->last.value);
  if (counts) gather(g, kind, sample);
  g->onsets += counts && is_true(sample.value) && !was_true;
  if (g->any && sample.holds && (g->of_steps || g->last.holds)) add_step(g, &g->last, &sample);
  g->last = sample;
  g->any = true;
}

double ts_gathering_value(const ts_gathering *g, ts_result_kind kind)
{
  if (kind == TS_RESULT_COUNT) return g->onsets;
  if (kind == TS_RESULT_MEAN && g->duration > 0.0) return g->integral / g->duration;
  if (kind == TS_RESULT_INTEGRAL && g->duration > 0.0) return g->integral;
  if (g->counted == 0) return NAN;
  return kind == TS_RESULT_INTEGRAL ? 0.0 : g->value;
}

bool ts_result_takes(ts_result_kind kind, double value)
{
  return kind == TS_RESULT_MEAN || kind == TS_RESULT_INTEGRAL || kind == TS_RESULT_VALUE ? isfinite(value)
                                                                                         : !isnan(value);
}

bool ts_result_goes_on(ts_result_kind kind)
{
  return kind == TS_RESULT_MEAN || kind == TS_RESULT_INTEGRAL || kind == TS_RESULT_COUNT || kind == TS_RESULT_VALUE;
}

// ---- the last while ------------------------------------------------------------------------------------------------

ts_status ts_sample_ring_make(double length, double step, ts_arena *arena, ts_sample_ring *ring, ts_error *error)
{
  static const double MOST = 1e7;
  const double count = ceil(length / step * (1.0 - ROUND_OFF)) + 2.0;
  if (!(count <= MOST))
    return ts_fail(error, TS_INVALID, "the last %g s are more than %.0f steps, which are not kept", length, MOST);
  *ring = (ts_sample_ring){.capacity = (int)count};
  ring->samples = ts_arena_bytes(arena, (size_t)ring->capacity, sizeof *ring->samples);
  return TS_OK;
}

void ts_sample_ring_add(ts_sample_ring *ring, ts_sample sample)
{
  if (ring->count == ring->capacity) {
    ring->first = (ring->first + 1) % ring->capacity;
    --ring->count;
  }
  ring->samples[(ring->first + ring->count++) % ring->capacity] = sample;
}

ts_sample ts_sample_ring_at(const ts_sample_ring *ring, int i)
{
  return ring->samples[(ring->first + i) % ring->capacity];
}

double ts_sample_ring_value(const ts_sample_ring *ring, ts_result_kind kind, double length, bool of_steps)
{
  if (ring->count == 0) return NAN;
  const double end = ts_sample_ring_at(ring, ring->count - 1).time;
  ts_gathering g = {.from = end - length, .to = INFINITY, .slack = ROUND_OFF * length, .of_steps = of_steps};
  for (int i = 0; i < ring->count; ++i) ts_gathering_add(&g, kind, ts_sample_ring_at(ring, i));
  return ts_gathering_value(&g, kind);
}
