// A file that gets its name when it is complete: until then it lies beside its place as NAME.xxxxxxxx.part, eight
// letters by chance. Whoever writes it holds a lock on it; one that nobody holds was left by a program that died, and
// is removed when the same place is written again.
#ifndef TS_RECORD_ATOMIC_FILE_H
#define TS_RECORD_ATOMIC_FILE_H

#include "touchstone/status.h"

typedef struct ts_atomic_file {
  char *path;      // where it goes at last; what a symbolic link leads to
  char *temporary; // where it is written; exists from ts_atomic_file_create() on. NULL: there is none
  int descriptor;  // that holds the lock
} ts_atomic_file;

// Create an empty file under a temporary name. Refused with a sentence when the place cannot take it: no such folder,
// no right to write there, a directory or a device of that name.
ts_status ts_atomic_file_create(const char *path, ts_atomic_file *file, ts_error *error);
// Another name, in the same folder, for it to get at last.
ts_status ts_atomic_file_redirect(ts_atomic_file *file, const char *path, ts_error *error);
// Bring what has been written to the disk and give it its name, which is on the disk too then.
ts_status ts_atomic_file_commit(ts_atomic_file *file, ts_error *error);
// Remove what was not committed; release the names. Accepts a zeroed struct.
void ts_atomic_file_discard(ts_atomic_file *file);

#endif
