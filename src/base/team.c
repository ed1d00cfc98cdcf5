// Members signal each other by numbers that only grow: each writes into a cache line of its own, and nobody resets
// anything, so a member that is late cannot mistake one region or barrier for another. (They wrap around; neighbours
// differ all the same.)
#define _POSIX_C_SOURCE 200809L
#include "base/team.h"

#include "base/assert.h"
#include "base/clock.h"

#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { CACHE_LINE = TS_ARENA_ALIGNMENT, PAUSES = 64 };

// Waiting members keep their processor for as long as a region or a barrier takes to come round, then offer it to
// others, and sleep where a whole step goes by without work for them.
static const double AWAKE = 5e-6, IDLE = 2e-4; // [s]

typedef struct seat {
  alignas(CACHE_LINE) atomic_uint finished; // regions
  atomic_uint arrived;                      // at barriers
  ts_team *team;
  int member;
  pthread_t thread;
  ts_arena arena;
} seat;

struct ts_team {
  alignas(CACHE_LINE) atomic_uint region; // the number of the one to be worked on
  ts_team_work *work;                     // NULL: the team is done
  void *argument;
  fenv_t environment;
  alignas(CACHE_LINE) atomic_uint opened; // barriers, by member 0
  alignas(CACHE_LINE) atomic_int sleepers;
  pthread_mutex_t mutex; // of those asleep
  pthread_cond_t wake;
  bool running;
  int size;
  void *memory; // as the allocator gave it
  ts_allocator allocator;
  pthread_mutex_t counter; // where memory is handed out to one at a time
  seat seats[];
};

static void pause_processor(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// Whether `number` changed from `old` within `patience` seconds; without end for INFINITY.
static bool changed(atomic_uint *number, unsigned old, double patience)
{
  for (int k = 0; k < PAUSES; ++k) {
    if (atomic_load_explicit(number, memory_order_acquire) != old) return true;
    pause_processor();
  }
  const double start = ts_clock_seconds();
  for (double waited = 0.0; waited < patience; waited = ts_clock_seconds() - start) {
    for (int k = 0; k < PAUSES && waited < AWAKE; ++k) {
      if (atomic_load_explicit(number, memory_order_acquire) != old) return true;
      pause_processor();
    }
    if (atomic_load_explicit(number, memory_order_acquire) != old) return true;
    if (waited >= AWAKE) sched_yield();
  }
  return false;
}

// ---- regions -------------------------------------------------------------------------------------------------------

// Either the caller sees this sleeper, or the sleeper sees the caller's region: both write before they read, in the one
// order of sequentially consistent operations.
static void sleep_until_region(ts_team *team, unsigned last)
{
  pthread_mutex_lock(&team->mutex);
  atomic_fetch_add(&team->sleepers, 1);
  while (atomic_load(&team->region) == last) pthread_cond_wait(&team->wake, &team->mutex);
  atomic_fetch_sub(&team->sleepers, 1);
  pthread_mutex_unlock(&team->mutex);
}

static void announce_region(ts_team *team)
{
  atomic_store(&team->region, atomic_load_explicit(&team->region, memory_order_relaxed) + 1);
  if (atomic_load(&team->sleepers) == 0) return;
  pthread_mutex_lock(&team->mutex);
  pthread_cond_broadcast(&team->wake);
  pthread_mutex_unlock(&team->mutex);
}

static void *work_in_regions(void *argument)
{
  seat *self = argument;
  ts_team *team = self->team;
  for (unsigned last = 0;; ++last) {
    if (!changed(&team->region, last, IDLE)) sleep_until_region(team, last);
    if (!team->work) return NULL;
    fesetenv(&team->environment);
    team->work(team->argument, self->member, team->size);
    atomic_store_explicit(&self->finished, last + 1, memory_order_release);
  }
}

void ts_team_run(ts_team *team, ts_team_work *work, void *argument)
{
  if (ts_team_size(team) == 1) {
    work(argument, 0, 1);
    return;
  }
  TS_ASSERT(!team->running);
  team->running = true;
  team->work = work;
  team->argument = argument;
  fegetenv(&team->environment);
  const unsigned before = atomic_load_explicit(&team->region, memory_order_relaxed);
  announce_region(team);
  work(argument, 0, team->size);
  for (int k = 1; k < team->size; ++k) changed(&team->seats[k].finished, before, INFINITY);
  team->running = false;
}

// Member 0 gathers the others and lets all go on.
void ts_team_barrier(ts_team *team, int member)
{
  if (ts_team_size(team) == 1) return;
  atomic_uint *arrived = &team->seats[member].arrived;
  const unsigned before = atomic_load_explicit(arrived, memory_order_relaxed);
  atomic_store_explicit(arrived, before + 1, memory_order_release);
  if (member > 0) {
    changed(&team->opened, before, INFINITY);
    return;
  }
  for (int k = 1; k < team->size; ++k) changed(&team->seats[k].arrived, before, INFINITY);
  atomic_store_explicit(&team->opened, before + 1, memory_order_release);
}

void ts_team_share(int count, int member, int size, int *first, int *end)
{
  *first = (int)((int64_t)count * member / size);
  *end = (int)((int64_t)count * (member + 1) / size);
}

int ts_team_size(const ts_team *team)
{
  return team ? team->size : 1;
}

// ---- loops ---------------------------------------------------------------------------------------------------------

typedef struct loop {
  ts_team_part *part;
  void *argument;
  int count, members; // of the team, those that take part
} loop;

static void take_part(void *argument, int member, int size)
{
  const loop *l = argument;
  int first, end;
  (void)size;
  if (member >= l->members) return;
  ts_team_share(l->count, member, l->members, &first, &end);
  l->part(l->argument, first, end);
}

void ts_team_split(ts_team *team, int count, int least, ts_team_part *part, void *argument)
{
  const int worthwhile = count / least, size = ts_team_size(team);
  loop l = {part, argument, count, worthwhile < size ? worthwhile : size};
  ts_team_run(team, take_part, &l);
}

// ---- memory --------------------------------------------------------------------------------------------------------

static void *allocate_alone(void *user, size_t bytes)
{
  ts_team *team = user;
  pthread_mutex_lock(&team->counter);
  void *memory = team->allocator.allocate(team->allocator.user, bytes);
  pthread_mutex_unlock(&team->counter);
  return memory;
}

static void release_alone(void *user, void *memory)
{
  ts_team *team = user;
  pthread_mutex_lock(&team->counter);
  team->allocator.release(team->allocator.user, memory);
  pthread_mutex_unlock(&team->counter);
}

bool ts_team_send(ts_team *team, int member, ts_team_errand *errand, void *argument)
{
  ts_arena *arena = &team->seats[member].arena;
  jmp_buf recovery;
  arena->recovery = &recovery;
  if (setjmp(recovery)) {
    arena->recovery = NULL;
    return false;
  }
  ts_arena_reset(arena);
  errand(argument, arena);
  arena->recovery = NULL;
  return true;
}

const ts_arena *ts_team_arena(const ts_team *team, int member)
{
  return &team->seats[member].arena;
}

// ---- creation ------------------------------------------------------------------------------------------------------

// Those of the first `size` members that have threads of their own.
static void end_threads(ts_team *team, int size)
{
  team->work = NULL;
  announce_region(team);
  for (int k = 1; k < size; ++k) pthread_join(team->seats[k].thread, NULL);
}

static void free_team(ts_team *team)
{
  const ts_allocator allocator = team->allocator;
  for (int k = 0; k < team->size; ++k) ts_arena_release(&team->seats[k].arena);
  pthread_mutex_destroy(&team->counter);
  pthread_cond_destroy(&team->wake);
  pthread_mutex_destroy(&team->mutex);
  allocator.release(allocator.user, team->memory);
}

static ts_team *make_team(int size, const ts_allocator *allocator)
{
  ts_arena arena; // says what NULL stands for
  ts_arena_init(&arena, allocator);
  const size_t bytes = sizeof(ts_team) + (size_t)size * sizeof(seat) + CACHE_LINE;
  unsigned char *memory = arena.allocator.allocate(arena.allocator.user, bytes);
  if (!memory) return NULL;
  ts_team *team = (ts_team *)(memory + (CACHE_LINE - (uintptr_t)memory % CACHE_LINE) % CACHE_LINE);
  *team = (ts_team){.size = size, .memory = memory, .allocator = arena.allocator};
  const ts_allocator alone = {allocate_alone, release_alone, team};
  for (int k = 0; k < size; ++k) {
    team->seats[k] = (seat){.team = team, .member = k};
    ts_arena_init(&team->seats[k].arena, &alone);
  }
  pthread_mutex_init(&team->counter, NULL); // none of these fails without attributes
  pthread_mutex_init(&team->mutex, NULL);
  pthread_cond_init(&team->wake, NULL);
  return team;
}

// How many members there are with the threads that could be had.
static int start_threads(ts_team *team)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for threads of the program
  int started = 1;
  while (started < team->size) {
    seat *next = &team->seats[started];
    if (pthread_create(&next->thread, NULL, work_in_regions, next) != 0) break;
    ++started;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

ts_team *ts_team_create(int threads, const ts_allocator *allocator)
{
  TS_ASSERT(threads >= 1);
  ts_team *team = make_team(threads, allocator);
  if (!team) return NULL;
  const int started = start_threads(team);
  if (started == threads) return team;
  end_threads(team, started);
  free_team(team);
  return NULL;
}

void ts_team_destroy(ts_team *team)
{
  if (!team) return;
  TS_ASSERT(!team->running);
  end_threads(team, team->size);
  free_team(team);
}
