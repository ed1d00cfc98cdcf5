#define _POSIX_C_SOURCE 200809L
#include "measurement.h"

#include "touchstone/certificate.h"

#include <math.h>
#include <time.h>

measurement measurement_none(void)
{
  return (measurement){.end = ENDED, .seconds = INFINITY, .wall = INFINITY, .figure = INFINITY, .scaled = INFINITY};
}

void measurement_forget_times(measurement *m)
{
  m->seconds = m->wall = INFINITY;
  m->cpu = 0.0;
  m->solves = 0;
}

void measurement_certify(measurement *m, const ts_problem *problem, const double *z, criterion by, double tolerance)
{
  ts_friction_measures measures;
  m->scaled = m->figure = ts_problem_residual(problem, z);
  if (ts_friction_measure(problem, z, &measures) == TS_OK)
    m->figure = by == BY_FCLIB ? measures.fclib : fmax(measures.fclib, measures.scaled);
  m->reached = m->figure <= tolerance; // false for NAN
}

static double read_clock(clockid_t clock)
{
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

stopwatch stopwatch_start(void)
{
  const double cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID); // a system call: outside the time that the other clock takes
  return (stopwatch){.wall = read_clock(CLOCK_MONOTONIC), .cpu = cpu};
}

static const double cpu_resolved = 0.05; // [s]: 8 % where the clock ticks every 4 ms

double stopwatch_stop(const stopwatch *watch, measurement *m)
{
  const double wall = read_clock(CLOCK_MONOTONIC) - watch->wall;
  const double cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID) - watch->cpu;
  m->wall = fmin(m->wall, wall);
  m->cpu = (m->cpu * m->solves + cpu) / (m->solves + 1);
  ++m->solves;
  m->seconds = m->cpu * m->solves >= cpu_resolved ? fmin(m->wall, m->cpu) : m->wall;
  return cpu;
}
