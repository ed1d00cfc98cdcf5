/// Names with wildcards: `*` stands for any characters or none, `?` for one.
#ifndef TOUCHSTONE_WILDCARD_H
#define TOUCHSTONE_WILDCARD_H

#include "touchstone/api.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Whether the whole name is what the pattern says.
TS_API bool ts_wildcard_matches(const char *pattern, const char *name);

#ifdef __cplusplus
}
#endif

#endif
