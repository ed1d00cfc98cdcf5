// A folder for one program alone, or for several that know of each other. The lock is advisory, and ends with the
// process that has it.
#ifndef TS_STUDY_FOLDER_LOCK_H
#define TS_STUDY_FOLDER_LOCK_H

#include "touchstone/status.h"

#include <stdbool.h>

// ALONE and SHARED exclude each other; TABLE is a lock of its own, for one at a time who writes the table.
typedef enum ts_folder_use { TS_FOLDER_ALONE, TS_FOLDER_SHARED, TS_FOLDER_TABLE } ts_folder_use;

typedef struct ts_folder_lock {
  int descriptor; // of FOLDER/lock or FOLDER/table.lock, which stays
  bool unlocked;  // the file system has no locks: nobody is kept out
} ts_folder_lock;

// Waits for TABLE, and for nothing else: when somebody has the folder in a way that does not go with this one, the
// sentence names host and process (of several that share it, the one that came last).
ts_status ts_folder_lock_take(const char *folder, ts_folder_use use, ts_folder_lock *lock, ts_error *error);

void ts_folder_lock_release(ts_folder_lock *lock); // of what was taken; twice is once

#endif
