// Whole runs of Table I: what they take, steps in flight and in contact apart, and what becomes of the energy.
#ifndef BENCH_PENDULUM_RUN_H
#define BENCH_PENDULUM_RUN_H

#include "engine.h"

typedef struct table_run {
  const engine *engine;
  bool ran;
  double seconds;         // CPU time of all steps, the least of the rounds
  double flight, contact; // median time of a step without and with contacts [us]; NAN: there was none
  double contact_share;   // of all steps
  double flight_error;    // relative error of the energy at 0.6 s, before anything touches
  double energy;          // at the end [J]
  int failed_steps;       // as the engine says; -1: it does not
} table_run;

// Engines run one after the other, `rounds` times, `duration` long [s].
void run_table(const scene *s, const engine *const *engines, int count, int rounds, double duration, table_run *runs);

#endif
