// What a watch has gathered, as numbers: for runs that are resumed. Conditions and results are told by the texts that
// make them, so that a run may go on with other conditions. Behind them stands what the last step told of quantities
// that results of the end have: a run may have ended, and is asked for its results once more.
#include "watch/watch.h"

#include "base/require.h"
#include "base/status.h"

#include <limits.h>
#include <math.h>

enum { VERSION = 2, HEAD = 7, A_STOP = 3, A_RESULT = 11, A_SAMPLE = 3, A_QUANTITY = 2 };

static size_t numbers_of(const ts_watched_result *result)
{
  return A_RESULT + A_SAMPLE * (size_t)result->ring.count;
}

static int kept_count(const ts_watch *watch)
{
  int count = 0;
  for (int i = 0; i < watch->watched_count; ++i) count += watch->watched[i].kept;
  return count;
}

size_t ts_watch_state_size(const ts_watch *watch)
{
  TS_REQUIRE(watch);
  size_t size = HEAD + A_STOP * (size_t)watch->stop_count + A_QUANTITY * (size_t)kept_count(watch);
  for (int i = 0; i < watch->result_count; ++i) size += numbers_of(&watch->results[i]);
  return size;
}

// ---- saving --------------------------------------------------------------------------------------------------------

static double *put_sample(double *to, ts_sample sample)
{
  *to++ = sample.time;
  *to++ = sample.value;
  *to++ = sample.holds;
  return to;
}

static double *put_result(double *to, const ts_watched_result *result)
{
  const ts_gathering *g = &result->gathering;
  *to++ = result->identity;
  to = put_sample(to, g->last);
  *to++ = g->any;
  *to++ = g->counted;
  *to++ = g->value;
  *to++ = g->integral;
  *to++ = g->duration;
  *to++ = g->onsets;
  *to++ = result->ring.count;
  for (int i = 0; i < result->ring.count; ++i) to = put_sample(to, ts_sample_ring_at(&result->ring, i));
  return to;
}

ts_status ts_watch_save(const ts_watch *watch, double *state, size_t capacity, ts_error *error)
{
  TS_REFUSE_UNLESS(watch && watch->begun, error);
  TS_REFUSE_UNLESS(state, error);
  TS_REFUSE_UNLESS(capacity >= ts_watch_state_size(watch), error);
  *state++ = VERSION;
  *state++ = watch->stop_count;
  *state++ = watch->result_count;
  *state++ = kept_count(watch);
  *state++ = watch->step;
  *state++ = watch->time;
  *state++ = watch->stopped >= 0 ? watch->stops[watch->stopped].identity : -1.0;
  for (int i = 0; i < watch->stop_count; ++i) {
    const ts_watched_stop *stop = &watch->stops[i];
    *state++ = stop->identity;
    *state++ = stop->held;
    *state++ = stop->since;
  }
  for (int i = 0; i < watch->result_count; ++i) state = put_result(state, &watch->results[i]);
  for (int i = 0; i < watch->watched_count; ++i) {
    if (!watch->watched[i].kept) continue;
    *state++ = watch->watched[i].identity;
    *state++ = watch->values[i];
  }
  return TS_OK;
}

// ---- loading -------------------------------------------------------------------------------------------------------

// Numbers that may come from a damaged file.
typedef struct reading {
  const double *at, *end;
  bool failed;
} reading;

static double take(reading *in)
{
  if (in->at < in->end) return *in->at++;
  in->failed = true;
  return 0.0;
}

static int take_count(reading *in, int most)
{
  const double value = take(in);
  if (value >= 0.0 && value <= most && value == floor(value)) return (int)value;
  in->failed = true;
  return 0;
}

static ts_sample take_sample(reading *in)
{
  ts_sample sample = {.time = take(in)};
  sample.value = take(in);
  sample.holds = take(in) != 0.0;
  return sample;
}

static void take_result(reading *in, ts_watched_result *result)
{
  ts_gathering *g = &result->gathering;
  if (take(in) != result->identity) in->failed = true;
  g->last = take_sample(in);
  g->any = take(in) != 0.0;
  g->counted = take_count(in, INT_MAX - 1);
  g->value = take(in);
  g->integral = take(in);
  g->duration = take(in);
  g->onsets = take_count(in, INT_MAX - 1);
  const int count = take_count(in, result->ring.capacity);
  for (int i = 0; i < count && !in->failed; ++i) ts_sample_ring_add(&result->ring, take_sample(in));
}

// Conditions that were not there begin with nothing.
static void take_stop(reading *in, ts_watch *watch, double stopped)
{
  const double identity = take(in);
  const int held = take_count(in, INT_MAX - 1);
  const double since = take(in);
  for (int i = 0; i < watch->stop_count; ++i) {
    if (watch->stops[i].identity != identity) continue;
    watch->stops[i].held = held;
    watch->stops[i].since = since;
    if (stopped == identity && watch->stopped < 0) watch->stopped = i;
  }
}

// In whatever order: a condition may have had a name before a result did.
static void take_kept(reading *in, ts_watch *watch)
{
  const double identity = take(in), value = take(in);
  for (int i = 0; i < watch->watched_count; ++i)
    if (watch->watched[i].kept && watch->watched[i].identity == identity) {
      watch->values[i] = value;
      return;
    }
  in->failed = true;
}

static ts_status refuse(ts_watch *watch, ts_error *error, const char *why)
{
  watch->begun = false;
  return ts_fail(error, TS_INVALID, "%s", why);
}

ts_status ts_watch_load(ts_watch *watch, const ts_sim *sim, const double *state, size_t size, ts_error *error)
{
  TS_REFUSE_UNLESS(watch, error);
  TS_REFUSE_UNLESS(sim, error);
  TS_REFUSE_UNLESS(state || size == 0, error);
  TS_TRY(ts_watch_rest(watch, sim, error));
  reading in = {.at = state, .end = state + size};
  if (take(&in) != VERSION) return refuse(watch, error, "what was watched was saved by another version");
  const int stops = take_count(&in, INT_MAX);
  const int results = take_count(&in, INT_MAX);
  const int kept = take_count(&in, INT_MAX);
  if (results != watch->result_count || kept != kept_count(watch) || take(&in) != watch->step) in.failed = true;
  watch->time = take(&in);
  const double stopped = take(&in);
  for (int i = 0; i < stops && !in.failed; ++i) take_stop(&in, watch, stopped);
  for (int i = 0; i < results && !in.failed; ++i) take_result(&in, &watch->results[i]);
  for (int i = 0; i < kept && !in.failed; ++i) take_kept(&in, watch);
  watch->loaded = true;
  if (!in.failed && in.at == in.end && watch->time == ts_sim_time(sim)) return TS_OK;
  return refuse(watch, error, "what was watched is not of these results, or is damaged");
}
