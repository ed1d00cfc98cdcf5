#include "step/force_limits.h"

#include "step/round_off.h"

#include "math/matrix.h"

#include <math.h>

static const double FIRST_REACH = 1e3;
static const double RAISE = 1e3;
static const double LAST_REACH = 1e9; // round-off of W r is 1e-7 of the data there
static const double REACHED = 0.5;    // of a lowered limit

bool ts_system_has_force_limits(const ts_system *system)
{
  for (int i = 0; i < system->count; ++i)
    if (system->blocks[i].kind == TS_BLOCK_MOTOR) return true;
  return false;
}

static double *diagonal_block(const ts_system *system, int i)
{
  return (double *)ts_block_diagonal(&system->problem.W, i); // ours, from the arena
}

// The energy of the data of each block's island.
static const double *island_energies(const ts_system *system, const ts_islands *islands, ts_arena *arena)
{
  double *energy = ts_arena_zeros(arena, (size_t)system->count);
  const int whole[] = {0, system->count};
  const bool several = islands && islands->count > 1;
  const int *start = several ? islands->contacts.start : whole;
  for (int k = 0; k < (several ? islands->count : 1); ++k) {
    double sum = 0.0;
    for (int i = start[k]; i < start[k + 1]; ++i)
      sum += ts_system_data_energy(system, several ? islands->contacts.member[i] : i);
    for (int i = start[k]; i < start[k + 1]; ++i) energy[several ? islands->contacts.member[i] : i] = sum;
  }
  return energy;
}

static double tangential_impulse(const ts_system *system, int block, const double *r)
{
  double sum = 0.0;
  for (int k = 1; k < system->dimension; ++k) {
    const double p = r[block * system->dimension + k];
    sum += p * p;
  }
  return sqrt(sum);
}

// The limit as it enters the problem.
static double effective_load(const ts_force_limits *limits, const ts_force_limit *limit)
{
  return limit->impulse > 0.0 ? fmin(limit->load, limits->reach * limit->impulse) : limit->load;
}

static void enter(const ts_force_limits *limits)
{
  const ts_system *system = limits->system;
  for (int k = 0; k < limits->count; ++k) {
    const ts_force_limit *limit = &limits->limits[k];
    const double load = effective_load(limits, limit), share = fmax(limit->impulse / load, 1.0 / LAST_REACH);
    const double w = limit->compliance * fmin(1.0, share);
    if (!(load > 0.0 && limit->impulse > 0.0)) continue;
    diagonal_block(system, limit->block)[0] = w;
    system->q[limit->block * system->dimension] = -w * load;
  }
}

// The impulse at block i that the energy of the data amounts to; 0 if joints hold the row and W is round-off. Data
// below STILL are round-off.
static double impulse_of_data(const ts_system *system, int i, double energy)
{
  static const double HELD = 1e-12;  // of the compliance without joints
  static const double STILL = 1e-14; // [m/s, rad/s]
  if (!isfinite(energy)) return 0.0;
  const double w = ts_system_mean_compliance(system, i);
  const bool moves = w > HELD * ts_unconstrained_compliance(system, i, 1);
  return moves ? fmax(sqrt(energy / w), STILL / w) : 0.0;
}

ts_force_limits ts_force_limits_begin(ts_system *system, const ts_islands *islands, bool warm, double *r,
                                      ts_arena *arena)
{
  const int d = system->dimension;
  const double *energy = island_energies(system, islands, arena);
  ts_force_limits limits = {system, FIRST_REACH, 0,
                            ts_arena_bytes(arena, (size_t)system->count, sizeof *limits.limits)};
  for (int i = 0; i < system->count; ++i) {
    if (system->blocks[i].kind != TS_BLOCK_MOTOR) continue;
    const double w = diagonal_block(system, i)[0], q = system->q[i * d];
    const double impulse = impulse_of_data(system, i, energy[i]);
    const double reached = warm ? tangential_impulse(system, i, r) : 0.0;
    limits.limits[limits.count++] = (ts_force_limit){i, w > 0.0 ? -q / w : 0.0, impulse, w, q};
    while (limits.reach < LAST_REACH && reached > REACHED * limits.reach * impulse) limits.reach *= RAISE;
  }
  enter(&limits);
  for (int k = 0; warm && k < limits.count; ++k)
    r[limits.limits[k].block * d] = effective_load(&limits, &limits.limits[k]);
  return limits;
}

bool ts_force_limits_are_raised(const ts_force_limits *limits)
{
  return limits->reach > FIRST_REACH;
}

// True if r lies at a limit that was lowered.
static bool is_at_lowered_limit(const ts_force_limits *limits, const double *r)
{
  for (int k = 0; k < limits->count; ++k) {
    const ts_force_limit *limit = &limits->limits[k];
    const double load = effective_load(limits, limit);
    if (load < limit->load && tangential_impulse(limits->system, limit->block, r) > REACHED * load) return true;
  }
  return false;
}

bool ts_force_limits_raise(ts_force_limits *limits, const double *r)
{
  if (limits->reach >= LAST_REACH || !is_at_lowered_limit(limits, r)) return false;
  limits->reach *= RAISE;
  enter(limits);
  return true;
}

bool ts_force_limits_end(const ts_force_limits *limits, double *r)
{
  const ts_system *system = limits->system;
  const bool within = !is_at_lowered_limit(limits, r);
  for (int k = 0; k < limits->count; ++k) {
    const ts_force_limit *limit = &limits->limits[k];
    const size_t row = (size_t)limit->block * (size_t)system->dimension;
    diagonal_block(system, limit->block)[0] = limit->compliance;
    system->q[row] = limit->bias;
    r[row] = limit->load;
  }
  return within;
}
