// A team of threads that share the work of short regions, down to a few microseconds each: the caller is member 0, the
// others wait for the next region, at first awake, then asleep, so that a team without work takes no processor.
//
// Whoever uses a team sees to it that results do not depend on its size: what a member writes is its own, and sums are
// taken over pieces that the data fix, never over one piece a member.
//
// A region must not be left by longjmp(), on no member: the others would wait forever. Arenas recover from a lack of
// memory that way, so work inside a region takes nothing from an arena whose recovery point lies outside of it; it
// reports failure through its argument, and the caller leaves when the region has ended.
#ifndef TS_BASE_TEAM_H
#define TS_BASE_TEAM_H

#include "base/arena.h"

#if defined(__GNUC__)
#define TS_SELDOM __attribute__((cold)) // callers keep no registers for the call
#else
#define TS_SELDOM
#endif

typedef struct ts_team ts_team;

typedef void ts_team_work(void *argument, int member, int size);
typedef void ts_team_part(void *argument, int first, int end);
typedef void ts_team_errand(void *argument, ts_arena *arena);

// `threads` members, of which `threads - 1` are threads of the team's own, with all signals blocked. NULL when memory
// or threads cannot be had. Threads do not survive fork(): a team belongs to the process that made it.
ts_team *ts_team_create(int threads, const ts_allocator *allocator); // NULL: malloc and free

// Ends its threads; not from inside a region. NULL is nobody.
void ts_team_destroy(ts_team *team);

int ts_team_size(const ts_team *team); // of NULL: 1

// Every member calls `work` once, in the floating-point environment of the caller; returns when all have finished, and
// then sees what they wrote. One call at a time, none from inside a region. Without a team, or with a team of one, this
// is work(argument, 0, 1).
void ts_team_run(ts_team *team, ts_team_work *work, void *argument);

// Of a running region: returns when all members have come here, and what they wrote before is seen by all. As often as
// one likes, by all members equally often.
void ts_team_barrier(ts_team *team, int member);

// The member's part of `count` things: from `*first` to before `*end`. Parts are in the members' order, and differ by
// one at most.
void ts_team_share(int count, int member, int size, int *first, int *end);

// ---- loops ---------------------------------------------------------------------------------------------------------

// Whether to share `count` things of which it takes `least` to be worth a member's while. Compilers are told that it is
// not: a step of one contact takes no more than a microsecond, and feels what is done for others.
static inline bool ts_team_pays(const ts_team *team, int count, int least)
{
#ifdef __GNUC__
  return __builtin_expect(team != NULL, 0) && count >= 2 * least;
#else
  return team && count >= 2 * least;
#endif
}

// A region in which as many members as there is work for take a share each.
TS_SELDOM void ts_team_split(ts_team *team, int count, int least, ts_team_part *part, void *argument);

// `count` things that have nothing to do with each other: `part` is called with [first, end) of them, by whom and in
// how many parts is no matter to the results. Inline: where nothing is shared it is a plain call.
static inline void ts_team_loop(ts_team *team, int count, int least, ts_team_part *part, void *argument)
{
  if (ts_team_pays(team, count, least))
    ts_team_split(team, count, least, part, argument);
  else
    part(argument, 0, count);
}

// ---- memory --------------------------------------------------------------------------------------------------------

// Of a running region: `errand` is called with an arena of the member's own, emptied, whose memory comes from the
// team's allocator, one member at a time. False when it runs out; the arena then tells why (ts_team_arena()). What was
// put there stays until the member's next errand.
bool ts_team_send(ts_team *team, int member, ts_team_errand *errand, void *argument);
const ts_arena *ts_team_arena(const ts_team *team, int member);

#endif
