// Claims are links of one name to one file: link() either makes it or says that the name is taken, also by NFS. A
// worker has one file, which all of its claims are links to, so that one touch keeps all of them alive, and a claim is
// never seen before what it says.
#define _POSIX_C_SOURCE 200809L // linkat, renameat, futimens
#include "study/claims.h"

#include "study/process.h"

#include "base/clock.h"
#include "base/require.h"
#include "base/status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { NAME_SIZE = 128, TEXT_SIZE = 512, TRIES = 1000, VERDICTS = 256 };

static const char PLAN[] = "plan";

typedef enum holder {
  UNTRIED, // somebody may have it
  MINE,
  OTHERS,
  COMPLETE
} holder;

// Of a worker, known by its file. Valid for one look around.
typedef struct verdict {
  ino_t file;
  uint64_t round;
  bool dead;
} verdict;

typedef struct folder_claims {
  ts_claims claims;
  ts_claims_complete *is_complete;
  void *user;
  double stale;
  _Atomic double next_sign; // of life [s of the clock]
  ts_process self;
  int folder;             // descriptor of FOLDER/claims
  int file;               // descriptor of the worker's file
  char name[NAME_SIZE];   // of that file
  struct stat about;      // of the worker's file when it last gave a sign of life: its time is now, to the server
  pthread_mutex_t mutex;  // of what follows
  uint64_t chunks, start; // where to begin
  uint64_t tried;         // chunks from there on
  uint64_t cursor;        // where to look next for what the dead left
  uint64_t round;
  verdict verdicts[VERDICTS];
  unsigned char holders[TS_CLAIMS_MOST_CHUNKS]; // by chunk
} folder_claims;

static ts_status folder_fails(ts_error *error, const char *what)
{
  return ts_fail(error, TS_IO, "the claims of the study cannot be %s: %s", what, strerror(errno));
}

static void name_chunk(uint64_t chunk, char name[static NAME_SIZE])
{
  snprintf(name, NAME_SIZE, "chunk.%04" PRIu64, chunk);
}

static void range_of(const folder_claims *f, uint64_t chunk, uint64_t *first, uint64_t *count)
{
  *first = chunk * f->claims.chunk;
  *count = chunk + 1 < f->chunks ? f->claims.chunk : f->claims.trials - *first;
}

// ---- signs of life -------------------------------------------------------------------------------------------------

// The time comes from where the file is, so that clocks of machines need not agree.
static bool give_sign(folder_claims *f)
{
  atomic_store(&f->next_sign, ts_clock_seconds() + 0.25 * f->stale);
  return futimens(f->file, NULL) == 0;
}

static ts_status folder_refresh(ts_claims *claims, ts_error *error)
{
  folder_claims *f = (folder_claims *)claims;
  if (ts_clock_seconds() < atomic_load(&f->next_sign)) return TS_OK;
  return give_sign(f) ? TS_OK : folder_fails(error, "refreshed");
}

// What a worker's file says; false when it says nothing that can be understood.
static bool read_worker(int descriptor, ts_process *worker)
{
  char text[TEXT_SIZE];
  const ssize_t length = pread(descriptor, text, sizeof text - 1, 0);
  if (length <= 0) return false;
  text[length] = '\0';
  return sscanf(text, "host %64s machine %128s process %ld started %llu", worker->host, worker->machine, &worker->pid,
                &worker->start) == 4 &&
         worker->pid > 0;
}

static double seconds_between(struct timespec from, struct timespec to)
{
  return difftime(to.tv_sec, from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

// A worker that ended its claims put back its clock.
static bool is_dead(const folder_claims *f, int descriptor, const struct stat *about)
{
  ts_process worker;
  if (about->st_mtim.tv_sec == 0) return true;
  if (read_worker(descriptor, &worker) && ts_process_is_neighbour(&worker, &f->self))
    return ts_process_has_ended(&worker);
  return seconds_between(about->st_mtim, f->about.st_mtim) > f->stale;
}

// ---- claims --------------------------------------------------------------------------------------------------------

static bool is_own(const folder_claims *f, const struct stat *about)
{
  return about->st_ino == f->about.st_ino && about->st_dev == f->about.st_dev;
}

static bool look_up(const folder_claims *f, const char *name, struct stat *about)
{
  return fstatat(f->folder, name, about, AT_SYMLINK_NOFOLLOW) == 0;
}

// A name that is taken may be so by ourselves: the answer of a server can get lost, and the question be asked again.
static ts_status claim(folder_claims *f, uint64_t chunk, ts_error *error)
{
  char name[NAME_SIZE];
  struct stat about;
  name_chunk(chunk, name);
  if (linkat(f->folder, f->name, f->folder, name, 0) == 0)
    f->holders[chunk] = MINE;
  else if (errno != EEXIST)
    return folder_fails(error, "made");
  else if (look_up(f, name, &about) && is_own(f, &about))
    f->holders[chunk] = MINE;
  else
    f->holders[chunk] = OTHERS;
  return TS_OK;
}

// Whether whoever has a claim is dead. Attributes may be old until a file is opened: each worker's is, once a round.
static bool was_left(folder_claims *f, const char *name, ino_t file)
{
  verdict *known = &f->verdicts[file % VERDICTS];
  if (known->file == file && known->round == f->round) return known->dead;
  struct stat about;
  const int descriptor = openat(f->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return false;
  const bool same = fstat(descriptor, &about) == 0 && about.st_ino == file;
  const bool dead = same && is_dead(f, descriptor, &about);
  close(descriptor);
  if (same) *known = (verdict){file, f->round, dead};
  return dead;
}

// Only who holds the name of the heir may replace a claim, and does so by giving that name to it: of several that find
// the same one dead, one takes over. Whoever died as an heir is removed, and the next look around finds another.
static ts_status inherit(folder_claims *f, uint64_t chunk, const char *name, ino_t file, ts_error *error)
{
  char heir[NAME_SIZE];
  struct stat about;
  snprintf(heir, NAME_SIZE, "heir.%04" PRIu64, chunk);
  if (linkat(f->folder, f->name, f->folder, heir, 0) != 0) {
    if (errno != EEXIST) return folder_fails(error, "taken over");
    if (look_up(f, heir, &about) && !is_own(f, &about)) {
      if (was_left(f, heir, about.st_ino)) unlinkat(f->folder, heir, 0);
      return TS_OK;
    }
  }
  if (look_up(f, name, &about) && about.st_ino == file) renameat(f->folder, heir, f->folder, name);
  if (look_up(f, name, &about) && is_own(f, &about))
    f->holders[chunk] = MINE;
  else
    unlinkat(f->folder, heir, 0);
  return TS_OK;
}

// Somebody may have removed the claim, so that the chunk is free again. What is complete is not asked for again.
static ts_status take_over_if_left(folder_claims *f, uint64_t chunk, ts_error *error)
{
  char name[NAME_SIZE];
  struct stat about;
  uint64_t first, count;
  name_chunk(chunk, name);
  range_of(f, chunk, &first, &count);
  if (!look_up(f, name, &about)) return errno == ENOENT ? claim(f, chunk, error) : folder_fails(error, "read");
  if (!was_left(f, name, about.st_ino)) return TS_OK;
  if (!f->is_complete(f->user, first, count)) return inherit(f, chunk, name, about.st_ino, error);
  f->holders[chunk] = COMPLETE;
  return TS_OK;
}

// ---- handing out ---------------------------------------------------------------------------------------------------

// Chunks that nobody has had: `*chunk` is own then, else it is not changed.
static ts_status find_fresh(folder_claims *f, uint64_t *chunk, ts_error *error)
{
  while (f->tried < f->chunks) {
    const uint64_t here = (f->start + f->tried) % f->chunks;
    TS_TRY(claim(f, here, error));
    ++f->tried;
    if (f->holders[here] != MINE) continue;
    *chunk = here;
    break;
  }
  return TS_OK;
}

static ts_status find_left(folder_claims *f, uint64_t *chunk, ts_error *error)
{
  if (!give_sign(f) || fstat(f->file, &f->about) != 0) return folder_fails(error, "refreshed");
  ++f->round;
  for (uint64_t k = 0; k < f->chunks; ++k) {
    const uint64_t here = (f->cursor + k) % f->chunks;
    if (f->holders[here] != OTHERS) continue;
    TS_TRY(take_over_if_left(f, here, error));
    if (f->holders[here] != MINE) continue;
    f->cursor = here + 1;
    *chunk = here;
    break;
  }
  return TS_OK;
}

static ts_status folder_next(ts_claims *claims, uint64_t *first, uint64_t *count, ts_error *error)
{
  folder_claims *f = (folder_claims *)claims;
  uint64_t chunk = f->chunks;
  pthread_mutex_lock(&f->mutex);
  ts_status status = find_fresh(f, &chunk, error);
  if (status == TS_OK && chunk == f->chunks) status = find_left(f, &chunk, error);
  pthread_mutex_unlock(&f->mutex);
  if (chunk < f->chunks) range_of(f, chunk, first, count);
  return status;
}

static uint64_t folder_pending(ts_claims *claims)
{
  folder_claims *f = (folder_claims *)claims;
  uint64_t pending = 0;
  pthread_mutex_lock(&f->mutex);
  for (uint64_t chunk = 0; chunk < f->chunks; ++chunk) {
    if (f->holders[chunk] != OTHERS) continue;
    uint64_t first, count;
    range_of(f, chunk, &first, &count);
    if (f->is_complete(f->user, first, count))
      f->holders[chunk] = COMPLETE;
    else
      ++pending;
  }
  pthread_mutex_unlock(&f->mutex);
  return pending;
}

// ---- beginning and end ---------------------------------------------------------------------------------------------

// A new file under a name that nobody has, numbered where the plain one is taken; -1 with errno set.
static int create_file(int folder, const ts_process *self, char name[static NAME_SIZE])
{
  for (int i = 0; i < TRIES; ++i) {
    snprintf(name, NAME_SIZE, "worker.%s.%ld.%d", self->host, self->pid, i);
    const int descriptor = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

static bool write_text(int descriptor, const char *text)
{
  const size_t length = strlen(text);
  const ssize_t written = pwrite(descriptor, text, length, 0);
  if (written >= 0 && (size_t)written < length) errno = ENOSPC;
  return written == (ssize_t)length;
}

static bool create_worker(folder_claims *f)
{
  char text[TEXT_SIZE];
  f->self = ts_process_self();
  f->file = create_file(f->folder, &f->self, f->name);
  if (f->file < 0) return false;
  snprintf(text, sizeof text, "host %s\nmachine %s\nprocess %ld\nstarted %llu\n", f->self.host, f->self.machine,
           f->self.pid, f->self.start);
  return write_text(f->file, text) && give_sign(f) && fstat(f->file, &f->about) == 0;
}

// How the trials are parted: as the first worker has it, who is whoever makes the link.
static bool offer_plan(const folder_claims *f, uint64_t trials, uint64_t chunk)
{
  char text[TEXT_SIZE], draft[NAME_SIZE + 8];
  snprintf(draft, sizeof draft, "%s.plan", f->name);
  snprintf(text, sizeof text, "trials %" PRIu64 "\nchunk %" PRIu64 "\n", trials, chunk);
  const int descriptor = openat(f->folder, draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) return false;
  const bool offered =
      write_text(descriptor, text) && (linkat(f->folder, draft, f->folder, PLAN, 0) == 0 || errno == EEXIST);
  const int reason = errno;
  close(descriptor);
  unlinkat(f->folder, draft, 0);
  errno = reason;
  return offered;
}

static bool read_plan(const folder_claims *f, uint64_t *trials, uint64_t *chunk)
{
  char text[TEXT_SIZE];
  const int descriptor = openat(f->folder, PLAN, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  const ssize_t length = pread(descriptor, text, sizeof text - 1, 0);
  close(descriptor);
  text[length > 0 ? length : 0] = '\0';
  return sscanf(text, "trials %" SCNu64 " chunk %" SCNu64, trials, chunk) == 2;
}

static uint64_t parts(uint64_t whole, uint64_t part)
{
  return whole / part + (whole % part != 0);
}

static ts_status agree_on_plan(folder_claims *f, const ts_claims_setup *setup, ts_error *error)
{
  const uint64_t least = parts(setup->trials, TS_CLAIMS_MOST_CHUNKS);
  uint64_t trials, chunk = setup->chunk > least ? setup->chunk : least;
  if (!offer_plan(f, setup->trials, chunk)) {
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) return folder_fails(error, "made");
    return ts_fail(error, TS_UNSUPPORTED, "the file system of %.300s has no links, which workers that share it need",
                   setup->folder);
  }
  if (!read_plan(f, &trials, &chunk) || chunk == 0 || parts(trials, chunk) > TS_CLAIMS_MOST_CHUNKS)
    return ts_fail(error, TS_INVALID, "the file %.300s/claims/%s is damaged", setup->folder, PLAN);
  if (trials != setup->trials)
    return ts_fail(error, TS_INVALID, "the claims in %.300s are for %" PRIu64 " trials, not for %" PRIu64,
                   setup->folder, trials, setup->trials);
  f->claims.trials = trials;
  f->claims.chunk = chunk;
  f->chunks = parts(trials, chunk);
  f->start = f->cursor = f->chunks * (uint64_t)setup->worker / (uint64_t)setup->workers;
  return TS_OK;
}

static void folder_destroy(ts_claims *claims)
{
  folder_claims *f = (folder_claims *)claims;
  const struct timespec never[2] = {{0, 0}, {0, 0}};
  if (f->file >= 0) {
    futimens(f->file, never);
    unlinkat(f->folder, f->name, 0); // the claims stay
    close(f->file);
  }
  if (f->folder >= 0) close(f->folder);
  pthread_mutex_destroy(&f->mutex);
  free(f);
}

// A descriptor of FOLDER/claims, which is made where it is not there; -1 with errno set.
static int open_folder(const char *path)
{
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return -1;
  const bool there = mkdirat(folder, "claims", 0777) == 0 || errno == EEXIST;
  const int descriptor = there ? openat(folder, "claims", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  const int reason = errno;
  close(folder);
  errno = reason;
  return descriptor;
}

ts_status ts_claims_create_folder(const ts_claims_setup *setup, ts_claims **claims, ts_error *error)
{
  static const ts_claims_kind kind = {folder_next, folder_refresh, folder_pending, folder_destroy};
  *claims = NULL;
  TS_REFUSE_UNLESS(setup->chunk > 0 && setup->stale > 0.0 && setup->is_complete, error);
  TS_REFUSE_UNLESS(setup->worker >= 0 && setup->worker < setup->workers, error);
  folder_claims *f = calloc(1, sizeof *f);
  if (!f) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  f->claims.kind = &kind;
  f->is_complete = setup->is_complete;
  f->user = setup->user;
  f->stale = setup->stale;
  f->file = -1;
  pthread_mutex_init(&f->mutex, NULL);
  f->folder = open_folder(setup->folder);
  ts_status status = f->folder >= 0 && create_worker(f) ? TS_OK : folder_fails(error, "made");
  if (status == TS_OK) status = agree_on_plan(f, setup, error);
  if (status == TS_OK)
    *claims = &f->claims;
  else
    folder_destroy(&f->claims);
  return status;
}

// ---- clearing up ---------------------------------------------------------------------------------------------------

static bool is_claim_file(const char *name)
{
  return strncmp(name, "chunk.", 6) == 0 || strncmp(name, "heir.", 5) == 0 || strncmp(name, "worker.", 7) == 0 ||
         strcmp(name, PLAN) == 0;
}

ts_status ts_claims_clear(const char *folder, ts_error *error)
{
  const int descriptor = open_folder(folder);
  DIR *listing = descriptor >= 0 ? fdopendir(descriptor) : NULL;
  if (!listing) {
    const ts_status status = folder_fails(error, "removed");
    if (descriptor >= 0) close(descriptor);
    return status;
  }
  bool removed = true;
  const struct dirent *entry;
  while (removed && (entry = readdir(listing)) != NULL)
    if (is_claim_file(entry->d_name)) removed = unlinkat(descriptor, entry->d_name, 0) == 0 || errno == ENOENT;
  const ts_status status = removed ? TS_OK : folder_fails(error, "removed");
  closedir(listing);
  return status;
}
