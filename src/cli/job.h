// The job of several processes that the command may be part of (mpirun).
#ifndef TS_CLI_JOB_H
#define TS_CLI_JOB_H

#include "cluster/cluster.h"

typedef struct cli_job {
  const ts_cluster *cluster; // NULL: this process is alone
  int rank, size;
} cli_job;

// Whether mpirun has started it; then the job is joined. False: it has, and cannot be joined; one sentence was said.
bool cli_job_begin(cli_job *job);
void cli_job_end(cli_job *job);

#endif
