#include "cli/job.h"

#include "cli/message.h"

#include <dlfcn.h>
#include <stdlib.h>

// What launchers tell their processes: Open MPI, and those that speak PMI (MPICH, Slurm).
static bool is_launched(void)
{
  static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
  for (int i = 0; i < 2; ++i) {
    const char *size = getenv(sizes[i]);
    if (size && atoi(size) > 1) return true;
  }
  return false;
}

bool cli_job_begin(cli_job *job)
{
  ts_error error = {0};
  *job = (cli_job){.size = 1};
  if (!is_launched()) return true;
  void *module = dlopen(TS_CLUSTER_MODULE, RTLD_NOW | RTLD_GLOBAL);
  job->cluster = module ? dlsym(module, TS_CLUSTER_SYMBOL) : NULL;
  if (!job->cluster) {
    cli_message("this is one of several processes of MPI, and %s cannot be loaded (%s); workers that share a folder "
                "need none: --worker K/N",
                TS_CLUSTER_MODULE, dlerror());
    return false;
  }
  if (job->cluster->begin(&job->rank, &job->size, &error) == TS_OK) return true;
  job->cluster = NULL;
  cli_message("%s", error.text);
  return false;
}

void cli_job_end(cli_job *job)
{
  if (job->cluster) job->cluster->end();
  job->cluster = NULL;
}
