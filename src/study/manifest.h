// What the rows of a study depend on, as lines "key<tab>value": kept beside the journals, so that a study which has
// changed since is refused with the key that differs.
#ifndef TS_STUDY_MANIFEST_H
#define TS_STUDY_MANIFEST_H

#include "touchstone/status.h"

#include "base/arena.h"

// When a line may be another one, and the rows that there are stay as they are.
typedef enum ts_manifest_change {
  TS_MANIFEST_NEVER = 0,
  TS_MANIFEST_EXTENDED = 1, // a count, when trials are added: it may grow
  TS_MANIFEST_RETRIED = 2   // when trials are tried again
} ts_manifest_change;

typedef struct ts_manifest_line ts_manifest_line;
struct ts_manifest_line {
  ts_manifest_line *next;
  const char *key, *value;
  ts_manifest_change may_change;
};

typedef struct ts_manifest {
  ts_manifest_line *first, *last;
} ts_manifest;

// Copies both into the arena; tabs and line ends become blanks.
ts_manifest_line *ts_manifest_add(ts_manifest *manifest, ts_arena *arena, const char *key, const char *value);
__attribute__((format(printf, 4, 5))) ts_manifest_line *ts_manifest_print(ts_manifest *manifest, ts_arena *arena,
                                                                          const char *key, const char *format, ...);

// A number for all lines that must not change; the same text gives the same number everywhere.
uint64_t ts_manifest_hash(const ts_manifest *manifest, uint64_t seed);

// Write it to a file, in its place at once.
ts_status ts_manifest_write(const ts_manifest *manifest, const char *path, ts_error *error);

// Hold it against a file: TS_INVALID with the first key that differs. `allowed`: changes that are no difference, a sum
// of them.
ts_status ts_manifest_compare(const ts_manifest *manifest, const char *path, unsigned allowed, ts_error *error);

#endif
