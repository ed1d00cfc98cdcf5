// A job of MPI: tickets from a counter in the memory of process 0 (one-sided). Within a machine, and where the network
// reads memory by itself, nobody serves it. Over TCP process 0 has to be in MPI now and then for the others to get on.
#define _POSIX_C_SOURCE 200809L // nanosleep
#include "cluster/cluster.h"

#include <mpi.h>
#include <pthread.h>
#include <time.h>

// MPI is one for a process, as its job is.
static struct {
  MPI_Win window;
  uint64_t *counter;
  pthread_mutex_t mutex; // MPI is called by one thread at a time
} job = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static ts_status refuse(ts_error *error, const char *what)
{
  return ts_fail(error, TS_IO, "MPI %s", what);
}

static ts_status begin(int *rank, int *size, ts_error *error)
{
  int provided;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS || provided < MPI_THREAD_SERIALIZED)
    return refuse(error, "cannot be started with threads");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); // else it ends the process
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  const MPI_Aint bytes = *rank == 0 ? (MPI_Aint)sizeof *job.counter : 0;
  if (MPI_Win_allocate(bytes, sizeof *job.counter, MPI_INFO_NULL, MPI_COMM_WORLD, &job.counter, &job.window) !=
      MPI_SUCCESS)
    return refuse(error, "cannot make a counter that all processes share");
  MPI_Win_set_errhandler(job.window, MPI_ERRORS_RETURN);
  if (*rank == 0) *job.counter = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, job.window);
  return TS_OK;
}

static int share(int number)
{
  MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return number;
}

static uint64_t sum(uint64_t number)
{
  uint64_t total = number;
  MPI_Allreduce(&number, &total, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return total;
}

static ts_status ticket(void *unused, uint64_t *number, ts_error *error)
{
  const uint64_t one = 1;
  (void)unused;
  pthread_mutex_lock(&job.mutex);
  const bool handed_out = MPI_Fetch_and_op(&one, number, MPI_UINT64_T, 0, 0, MPI_SUM, job.window) == MPI_SUCCESS &&
                          MPI_Win_flush(0, job.window) == MPI_SUCCESS;
  pthread_mutex_unlock(&job.mutex);
  return handed_out ? TS_OK : refuse(error, "has lost the counter that all processes share");
}

// Nobody sends messages: looking for one lets MPI do what others have asked of it. A ticket under way does that, too.
static void serve(void)
{
  int there;
  if (pthread_mutex_trylock(&job.mutex) != 0) return;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  pthread_mutex_unlock(&job.mutex);
}

// MPI_Barrier() would wait awake.
static void meet(void)
{
  const struct timespec a_while = {.tv_nsec = 10 * 1000 * 1000};
  MPI_Request request;
  int all_here = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  while (MPI_Test(&request, &all_here, MPI_STATUS_IGNORE) == MPI_SUCCESS && !all_here) nanosleep(&a_while, NULL);
}

static void end(void)
{
  MPI_Win_unlock_all(job.window);
  MPI_Win_free(&job.window);
  MPI_Finalize();
}

__attribute__((visibility("default"))) const ts_cluster ts_cluster_mpi = {begin, share, sum, ticket, serve, meet, end};
