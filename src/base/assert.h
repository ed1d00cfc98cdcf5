// Our own mistakes: an invariant that does not hold. Kept in every build but plain Release (NDEBUG).
#ifndef TS_BASE_ASSERT_H
#define TS_BASE_ASSERT_H

#include <assert.h>

#define TS_ASSERT(condition) assert(condition)

// What takes too long to look at in optimized builds.
#ifdef TS_ARENA_SPOILS
#define TS_DEBUG_ASSERT(condition) assert(condition)
#else
#define TS_DEBUG_ASSERT(condition) ((void)sizeof(condition))
#endif

#endif
