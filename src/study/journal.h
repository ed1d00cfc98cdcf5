// Rows on disk, one a trial, that outlive whoever writes them. Every worker of a study has a journal of its own in the
// work folder, NAME.journal, which nobody else ever writes:
//
//   head  8 bytes "TSJOURNL", u32 version, 32 bytes that identify the study, u32 checksum of these 44 bytes
//   row   u32 size of the payload, u32 checksum of size and payload, payload: u64 trial, then what the study keeps of
//   it
//
// Numbers have their lowest byte first; checksums are the CRC-32 of zlib. A row is written at once and never changed.
// A process that is killed loses no row that ts_journal_append() has taken; a machine that loses power may lose those
// since ts_journal_sync(). Rows of one trial may be in several journals: readers see all of them.
#ifndef TS_STUDY_JOURNAL_H
#define TS_STUDY_JOURNAL_H

#include "touchstone/status.h"

#include <stddef.h>
#include <stdint.h>

enum {
  TS_JOURNAL_IDENTITY = 32,     // bytes
  TS_JOURNAL_LARGEST = 1 << 20, // bytes of a payload
  TS_JOURNAL_LEAST = 8          // the trial alone
};

typedef struct ts_journal_identity {
  unsigned char bytes[TS_JOURNAL_IDENTITY];
} ts_journal_identity;

// ---- writing -------------------------------------------------------------------------------------------------------

// One thread at a time.
typedef struct ts_journal ts_journal;

// A new file in `folder`, which exists, named after worker, host and process, and a number where that name is taken.
// `worker` has letters, digits, '-' and '_', 48 at most. On failure *journal is NULL and `error` has a sentence.
ts_status ts_journal_create(const char *folder, const char *worker, const ts_journal_identity *identity,
                            ts_journal **journal, ts_error *error);

// Add a row; `payload` begins with the number of its trial (ts_bytes_put_64()). What does not fit on the disk is not
// there by half: the file ends with the row before, the sentence says why, and a later row may fit. Where the size of
// files is limited (RLIMIT_FSIZE), whoever wants the sentence ignores SIGXFSZ.
ts_status ts_journal_append(ts_journal *journal, const void *payload, size_t size, ts_error *error);

// Bring all rows to the disk. Some file systems say only now that there is no room.
ts_status ts_journal_sync(ts_journal *journal, ts_error *error);

const char *ts_journal_path(const ts_journal *journal);

// Synchronize, close and release, whatever comes of it. Accepts NULL.
ts_status ts_journal_close(ts_journal *journal, ts_error *error);

// ---- reading -------------------------------------------------------------------------------------------------------

// The journals of a folder, of one study. One thread at a time.
typedef struct ts_journal_set ts_journal_set;

typedef struct ts_journal_place {
  int file;        // of the set
  uint64_t offset; // of the row in it [bytes]
} ts_journal_place;

typedef struct ts_journal_row {
  ts_journal_place place;
  uint64_t trial;
  const unsigned char *payload; // the trial's number included; valid until the next call with the set
  size_t size;                  // bytes
} ts_journal_row;

typedef struct ts_journal_listener {
  void *user;
  // Of every whole row; must not use the set. What is not TS_OK ends the scan, which returns it; the next one begins
  // with the same row.
  ts_status (*row)(void *user, const ts_journal_row *row, ts_error *error);
  // May be NULL: of a journal that is damaged from `offset` on.
  void (*damage)(void *user, const char *path, uint64_t offset);
} ts_journal_listener;

typedef struct ts_journal_counts {
  uint64_t rows;    // that the listener was told
  uint64_t torn;    // files that end in the middle of a row (their writer was killed, or is still at it), or whose last
                    // row is spoiled
  uint64_t damaged; // files of which something in the middle is spoiled: what comes after it is left out
} ts_journal_counts;

// `path` is a folder, of which all files NAME.journal are meant, or one journal. Nothing is read yet. `identity` is
// that of the study. On failure *set is NULL and `error` has a sentence.
ts_status ts_journal_set_open(const char *path, const ts_journal_identity *identity, ts_journal_set **set,
                              ts_error *error);
void ts_journal_set_close(ts_journal_set *set); // accepts NULL

// Tell the listener all rows, file by file in the order of their names. Files may grow meanwhile: the scan ends with
// their last whole row. A further scan of the same set goes on from there, and finds files that are new; they are
// numbered behind the others. `counts` (may be NULL) is of this scan alone. A file that is no journal, or of another
// version or study, ends the scan with a sentence. Where a machine reads what another one is writing, rows may come
// late, and seem damaged until they are there.
ts_status ts_journal_set_scan(ts_journal_set *set, const ts_journal_listener *listener, ts_journal_counts *counts,
                              ts_error *error);

int ts_journal_set_count(const ts_journal_set *set);                  // of files that a scan has found
const char *ts_journal_set_path(const ts_journal_set *set, int file); // of one of them

// A row that a scan of this set has told, again.
ts_status ts_journal_set_read(ts_journal_set *set, ts_journal_place place, ts_journal_row *row, ts_error *error);

#endif
