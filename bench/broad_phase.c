// What the broad phase costs on a pile of n equal boxes of which each touches a few others.
//
//   bench_broad_phase [N ...]      default: 2 10 31 32 100 1000 10000 100000
//
// Times a call, and a call over n log2 n, which stays level when the cost grows as it should. Instructions, which no
// other job of the machine disturbs:
//
//   valgrind --tool=callgrind --toggle-collect=ts_broad_phase_find build/bench/bench_broad_phase --once 1000
#include "shape/broad_phase.h"

#include "base/clock.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Boxes of edge 1 with their middles in a cube of such a size that 40 % of it is filled
static void fill(ts_bounds *boxes, bool *moves, int count)
{
  const double room = cbrt(count / 0.4);
  ts_random random;
  ts_random_init(&random, 1);
  for (int i = 0; i < count; ++i) {
    const ts_vec3 low = {ts_random_uniform(&random, 0.0, room), ts_random_uniform(&random, 0.0, room),
                         ts_random_uniform(&random, 0.0, room)};
    boxes[i] = (ts_bounds){low, ts_add(low, ts_vec3_make(1.0, 1.0, 1.0))};
    moves[i] = true;
  }
}

static double seconds_per_call(ts_broad_phase *broad_phase, const ts_bounds *boxes, const bool *moves, int count,
                               int repeats, int *pair_count)
{
  const ts_box_pair *pairs;
  double best = INFINITY;
  for (int k = 0; k < 5; ++k) {
    const double start = ts_clock_seconds();
    for (int i = 0; i < repeats; ++i) ts_broad_phase_find(broad_phase, boxes, moves, count, &pairs, pair_count);
    best = fmin(best, (ts_clock_seconds() - start) / repeats);
  }
  return best;
}

static int measure(int count, bool once)
{
  const size_t n = (size_t)count;
  ts_bounds *boxes = malloc(n * sizeof *boxes);
  bool *moves = malloc(n * sizeof *moves);
  ts_broad_phase *broad_phase = ts_broad_phase_create(count, NULL);
  int pair_count = 0, failed = !boxes || !moves || !broad_phase;
  if (!failed && once) {
    const ts_box_pair *pairs;
    fill(boxes, moves, count);
    failed = !ts_broad_phase_find(broad_phase, boxes, moves, count, &pairs, &pair_count);
    printf("%8d boxes, %8d pairs\n", count, pair_count);
  } else if (!failed) {
    fill(boxes, moves, count);
    const double s = seconds_per_call(broad_phase, boxes, moves, count, 1 + 1000000 / (10 + count), &pair_count);
    printf("%8d %8d %12.3f %14.2f\n", count, pair_count, 1e6 * s, 1e9 * s / (count * log2(count)));
  }
  ts_broad_phase_destroy(broad_phase);
  free(boxes);
  free(moves);
  return failed;
}

int main(int count, char **arguments)
{
  static const int defaults[] = {2, 10, 31, 32, 100, 1000, 10000, 100000};
  const bool once = count > 2 && strcmp(arguments[1], "--once") == 0;
  const int first = once ? 2 : 1;
  int failed = 0;
  if (!once) printf("%8s %8s %12s %14s\n", "boxes", "pairs", "us a call", "ns / (n log n)");
  if (count <= first)
    for (size_t k = 0; k < sizeof defaults / sizeof defaults[0] && !failed; ++k) failed = measure(defaults[k], false);
  for (int k = first; k < count && !failed; ++k) {
    const int boxes = atoi(arguments[k]);
    if (boxes < 2) {
      fputs("usage: bench_broad_phase [--once] [N ...]\n", stderr);
      return 2;
    }
    failed = measure(boxes, once);
  }
  return failed;
}
