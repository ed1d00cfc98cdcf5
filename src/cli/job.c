#define _GNU_SOURCE // dladdr
#include "cli/job.h"

#include "cli/message.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// The module lies beside the library, or where the system looks for such.
static void *load_module(void)
{
  Dl_info library;
  char path[4096];
  const char *slash = NULL;
  if (dladdr((const void *)(uintptr_t)ts_version, &library) && library.dli_fname) slash = strrchr(library.dli_fname, '/');
  if (slash) {
    snprintf(path, sizeof path, "%.*s/%s", (int)(slash - library.dli_fname), library.dli_fname, TS_CLUSTER_MODULE);
    void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (module) return module;
  }
  return dlopen(TS_CLUSTER_MODULE, RTLD_NOW | RTLD_GLOBAL);
}

bool cli_job_begin(cli_job *job)
{
  ts_error error = {0};
  *job = (cli_job){.size = 1};
  if (!is_launched()) return true;
  void *module = load_module();
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
