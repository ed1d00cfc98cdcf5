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
  // Tell all what process 0 says: a number.
  int (*share)(int number);
  // A ticket of the job, 0, 1, 2, ...: each number once. Of one thread at a time.
  ts_status (*ticket)(void *unused, uint64_t *ticket, ts_error *error);
  // Wait until all have come here, without taking a processor.
  void (*meet)(void);
  // Leave the job, together.
  void (*end)(void);
} ts_cluster;

#endif
