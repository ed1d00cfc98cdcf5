#include "step/far_stops.h"

#include <math.h>

// How far from the other data a stop may be: REACH times their energy norm, and a speed that is little everywhere.
static const double REACH = 100.0;
static const double LEAST = 1e-3; // [m/s, rad/s]

static bool is_open_stop(const ts_system *system, int i)
{
  return system->blocks[i].kind == TS_BLOCK_LIMIT && system->q[i * system->dimension] > 0.0;
}

static double energy_of_others(const ts_system *system)
{
  double sum = 0.0;
  for (int i = 0; i < system->count; ++i)
    if (!is_open_stop(system, i)) sum += ts_system_data_energy(system, i);
  return sum;
}

static int count_open_stops(const ts_system *system)
{
  int count = 0;
  for (int i = 0; i < system->count; ++i) count += is_open_stop(system, i);
  return count;
}

static void take_as_nearer(ts_far_stops *far, int block, double most)
{
  const int row = block * far->system->dimension;
  double *speed = &far->system->q[row], *bias = far->bias ? &far->bias[row] : NULL;
  far->stops[far->count++] = (ts_far_stop){block, *speed, bias ? *bias : 0.0};
  if (bias) *bias -= *speed - most;
  *speed = most;
}

static void put_back(const ts_far_stops *far, const ts_far_stop *stop)
{
  const int row = stop->block * far->system->dimension;
  far->system->q[row] = stop->speed;
  if (far->bias) far->bias[row] = stop->bias;
}

ts_far_stops ts_far_stops_begin(ts_system *system, double *bias, ts_arena *arena)
{
  ts_far_stops far = {.system = system, .bias = bias};
  const int open = count_open_stops(system);
  if (open == 0 || open == system->count) return far;
  const double energy = energy_of_others(system);
  far.stops = ts_arena_bytes(arena, (size_t)open, sizeof *far.stops);
  for (int i = 0; i < system->count; ++i) {
    if (!is_open_stop(system, i)) continue;
    const double most = fmax(LEAST, REACH * sqrt(energy * ts_system_mean_compliance(system, i)));
    if (system->q[i * system->dimension] > most) take_as_nearer(&far, i, most);
  }
  return far;
}

bool ts_far_stops_put_back(ts_far_stops *far, const double *r)
{
  const int all = far->count;
  far->count = 0;
  for (int k = 0; k < all; ++k) {
    const ts_far_stop stop = far->stops[k];
    if (r[stop.block * far->system->dimension] > 0.0)
      put_back(far, &stop);
    else
      far->stops[far->count++] = stop;
  }
  return far->count < all;
}

void ts_far_stops_end(const ts_far_stops *far)
{
  for (int k = 0; k < far->count; ++k) put_back(far, &far->stops[k]);
}
