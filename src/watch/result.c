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
  const bool first = !g->counted;
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
  case TS_RESULT_TIME:
    if (first) g->value = NAN;
    if (isnan(g->value) && is_true(sample.value)) g->value = sample.time;
    break;
  default:
    g->value = sample.value;
  }
  g->counted = true;
}

void ts_gathering_add(ts_gathering *g, ts_result_kind kind, ts_sample sample)
{
  const bool was_true = g->any && g->last.counts && is_true(g->last.value);
  if (sample.counts) {
    gather(g, kind, sample);
    g->onsets += is_true(sample.value) && !was_true;
    if (g->any && g->last.counts) {
      const double dt = sample.time - g->last.time;
      g->integral += dt * (0.5 * g->last.value + 0.5 * sample.value);
      g->duration += dt;
    }
  }
  g->last = sample;
  g->any = true;
}

double ts_gathering_value(const ts_gathering *g, ts_result_kind kind)
{
  if (kind == TS_RESULT_COUNT) return g->onsets;
  if (!g->counted) return NAN;
  if (kind == TS_RESULT_INTEGRAL) return g->integral;
  if (kind != TS_RESULT_MEAN) return g->value;
  return g->duration > 0.0 ? g->integral / g->duration : g->value; // a single sample is its own mean
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

static ts_sample sample_at(const ts_sample_ring *ring, int i)
{
  return ring->samples[(ring->first + i) % ring->capacity];
}

double ts_sample_ring_value(const ts_sample_ring *ring, ts_result_kind kind, double length)
{
  ts_gathering g = {0};
  if (ring->count == 0) return NAN;
  const double begin = sample_at(ring, ring->count - 1).time - length, slack = ROUND_OFF * length;
  for (int i = 0; i < ring->count; ++i) {
    const ts_sample sample = sample_at(ring, i);
    if (sample.time < begin - slack) continue;
    const bool is_cut = i > 0 && g.any == false && sample.time > begin + slack;
    if (is_cut) {
      const ts_sample before = sample_at(ring, i - 1);
      const double share = (begin - before.time) / (sample.time - before.time);
      const ts_sample between = {begin, before.value + share * (sample.value - before.value),
                                 before.counts && sample.counts};
      const bool goes_on = kind == TS_RESULT_MEAN || kind == TS_RESULT_INTEGRAL; // others are of samples alone
      if (goes_on) ts_gathering_add(&g, kind, between);
    }
    ts_gathering_add(&g, kind, sample);
  }
  return ts_gathering_value(&g, kind);
}
