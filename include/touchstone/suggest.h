/// The name somebody probably meant: for messages about unknown names.
#ifndef TOUCHSTONE_SUGGEST_H
#define TOUCHSTONE_SUGGEST_H

#include "touchstone/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The name nearest to `word`: one that differs in upper and lower case alone, else by edit distance, the first of
/// equals. NULL when none is near enough to be a slip of the fingers, and when `word` is one of them: then something
/// else is wrong. name(i, user) gives the i-th of `count` names.
TS_API const char *ts_suggest(const char *word, int count, const char *(*name)(int i, const void *user),
                              const void *user);

#ifdef __cplusplus
}
#endif

#endif
