// One number of a run, gathered from the values of an expression over time.
#ifndef TS_WATCH_RESULT_H
#define TS_WATCH_RESULT_H

#include "touchstone/watch.h"

#include "base/arena.h"

// A value at a time, or of the step that ends then. It `holds` where there is one: the condition on it holds, and
// ts_result_takes() it.
typedef struct ts_sample {
  double time, value;
  bool holds;
} ts_sample;

// What is known after some samples. Those between `from` and `to` count. Means and integrals are of straight lines
// between neighbours that both hold; values of steps stay the same from the sample before to their own. All are cut off
// where the time begins and ends. Where no time lies between samples a mean is that of the samples.
typedef struct ts_gathering {
  double from, to; // [s]; may be infinite
  double slack;    // that samples may be outside by round-off [s]
  bool of_steps;   // samples are
  ts_sample last;  // of all samples
  bool any;        // sample came
  int counted;     // samples
  double value;    // first, last, least, largest, time, or mean without regard to time
  double integral, duration;
  int onsets; // samples that are not 0 and count, behind one that is 0 or does not hold
} ts_gathering;

void ts_gathering_add(ts_gathering *gathering, ts_result_kind kind, ts_sample sample);
double ts_gathering_value(const ts_gathering *gathering, ts_result_kind kind);

// Whether a value can count for a kind. One that is infinite, as the gap where there is no contact, would leave nothing
// of a mean or an integral.
bool ts_result_takes(ts_result_kind kind, double value);

// Whether what lies just outside its time matters to a kind.
bool ts_result_goes_on(ts_result_kind kind);

// The samples of the last while: a ring.
typedef struct ts_sample_ring {
  ts_sample *samples; // capacity
  int capacity, first, count;
} ts_sample_ring;

// Room for all samples that are at most `length` old where steps take `step`, and one that is older.
ts_status ts_sample_ring_make(double length, double step, ts_arena *arena, ts_sample_ring *ring, ts_error *error);
void ts_sample_ring_add(ts_sample_ring *ring, ts_sample sample);
ts_sample ts_sample_ring_at(const ts_sample_ring *ring, int i); // from the oldest on
// Of those in [end - length, end]. `of_steps`: as in ts_gathering.
double ts_sample_ring_value(const ts_sample_ring *ring, ts_result_kind kind, double length, bool of_steps);

#endif
