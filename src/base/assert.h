// Our own mistakes: an invariant that does not hold. Kept in every build but plain Release (NDEBUG).
#ifndef TS_BASE_ASSERT_H
#define TS_BASE_ASSERT_H

#include <assert.h>

#define TS_ASSERT(condition) assert(condition)

#endif
