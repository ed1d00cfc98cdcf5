// What processes of one job have in common, behind a table of functions, so that the command needs no library for it
// unless it was started by one: the module is loaded then.
#ifndef TS_CLUSTER_CLUSTER_H
#define TS_CLUSTER_CLUSTER_H

#include "touchstone/status.h"

#include <stdbool.h>
#include <stdint.h>

#define TS_CLUSTER_MODULE "libtouchstone_mpi.so"
#define TS_CLUSTER_SYMBOL "ts_cluster_mpi"

typedef struct ts_cluster {
  // Join the job. `rank` of `size` processes.
  ts_status (*begin)(int *rank, int *size, ts_error *error);
  // Tell all what process 0 says: a number. Like all that follows but ticket() and serve(), all processes call it.
  int (*share)(int number);
  // The sum of what all say.
  uint64_t (*sum)(uint64_t number);
  // A ticket of the job, 0, 1, 2, ...: each number once. Of any thread.
  ts_status (*ticket)(void *unused, uint64_t *ticket, ts_error *error);
  // To be called often by some thread of each process: where the network cannot reach into memory by itself, tickets
  // are handed out here.
  void (*serve)(void);
  // Wait until all have come here, without taking a processor.
  void (*meet)(void);
  // Leave the job, together.
  void (*end)(void);
} ts_cluster;

#endif
