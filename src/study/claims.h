// Who does which trials of a study: chunks of consecutive trials are handed out until there are no more, each to one
// worker. Deaths and races may make two do the same chunk, which costs time and changes no result; no chunk is lost.
#ifndef TS_STUDY_CLAIMS_H
#define TS_STUDY_CLAIMS_H

#include "touchstone/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { TS_CLAIMS_MOST_CHUNKS = 4096 }; // in a folder: a file each

// All threads of a process may share one, and call all but ts_claims_destroy() at the same time.
typedef struct ts_claims ts_claims;

typedef struct ts_claims_kind {
  ts_status (*next)(ts_claims *claims, uint64_t *first, uint64_t *count, ts_error *error);
  ts_status (*refresh)(ts_claims *claims, ts_error *error);
  uint64_t (*pending)(ts_claims *claims);
  void (*destroy)(ts_claims *claims);
} ts_claims_kind;

// What every kind begins with.
struct ts_claims {
  const ts_claims_kind *kind;
  uint64_t trials; // of the study: 0 to trials - 1
  uint64_t chunk;  // trials in each, but for the last
};

// The next chunk that nobody has, trials *first to *first + *count - 1; *count is 0 when there is none. There may be
// one again later when others die: ts_claims_pending() tells whether others are at some.
ts_status ts_claims_next(ts_claims *claims, uint64_t *first, uint64_t *count, ts_error *error);

// Show that this worker is alive. Does something only now and then, so call it after every trial, and from a thread
// where a trial may take longer than a quarter of `stale`.
ts_status ts_claims_refresh(ts_claims *claims, ts_error *error);

// Chunks that others have and that are not complete. 0 where nobody can tell.
uint64_t ts_claims_pending(ts_claims *claims);

void ts_claims_destroy(ts_claims *claims); // accepts NULL

// ---- kinds ---------------------------------------------------------------------------------------------------------
// On failure *claims is NULL and `error` has a sentence. `chunk` > 0.

// For the threads of one process.
ts_status ts_claims_create_counter(uint64_t trials, uint64_t chunk, ts_claims **claims, ts_error *error);

// How often somebody has asked before, over all processes of the study: 0, 1, 2, ... Called by one thread at a time.
typedef ts_status ts_claims_ticket(void *user, uint64_t *ticket, ts_error *error);

// For processes that have a counter in common.
ts_status ts_claims_create_shared(uint64_t trials, uint64_t chunk, ts_claims_ticket *ticket, void *user,
                                  ts_claims **claims, ts_error *error);

// Whether all of these trials have results. Called by one thread at a time, after the worker who had them was found
// dead, so that all it ever wrote is there; and by ts_claims_pending(). A trial that failed has a result, too: one that
// never gets any would be waited for by all.
typedef bool ts_claims_complete(void *user, uint64_t first, uint64_t count);

// Processes that share a folder, on one machine or several. In FOLDER/claims stand
//
//   plan        how many trials there are, and how many a chunk has: who comes first decides
//   chunk.N     the claim to a chunk: a link to the worker's file, made at once or not at all, by NFS too
//   heir.N      for a moment: who is about to take over a claim of the dead
//   worker.*    a worker: host and process. Its time is when it last gave a sign of life, for all of its claims
//
// A worker is dead when its process is not there any more, or has ended its claims, or, where processes cannot be
// looked up (another machine, another container), when it has given no sign of life for `stale` seconds of the file
// server's clock. What the dead left is handed out again, unless it is complete.
typedef struct ts_claims_setup {
  const char *folder; // exists; FOLDER/claims is made
  uint64_t trials;
  uint64_t chunk;      // is made larger where there would be more than TS_CLAIMS_MOST_CHUNKS
  int worker, workers; // 0 <= worker < workers: which part of the trials to begin with, so that few collide
  double stale;        // > 0 [s]
  ts_claims_complete *is_complete;
  void *user;
} ts_claims_setup;

ts_status ts_claims_create_folder(const ts_claims_setup *setup, ts_claims **claims, ts_error *error);

// Remove all claims of a folder that nobody works in: when a study is complete, or is to be parted otherwise.
ts_status ts_claims_clear(const char *folder, ts_error *error);

#endif
