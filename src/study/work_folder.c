#define _POSIX_C_SOURCE 200809L // dirent
#include "study/work_folder.h"

#include "study/claims.h"
#include "study/journal_format.h"

#include "base/status.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static const char manifest_name[] = "study.txt";

ts_status ts_work_folder_make(const char *folder, ts_error *error)
{
  struct stat about;
  if (mkdir(folder, 0777) == 0) return TS_OK;
  const int reason = errno;
  if (reason == EEXIST && stat(folder, &about) == 0 && S_ISDIR(about.st_mode)) return TS_OK;
  return ts_fail(error, TS_IO, "the folder '%.200s' cannot be made: %s", folder,
                 strerror(reason == EEXIST ? ENOTDIR : reason));
}

static bool ends_with(const char *name, const char *ending)
{
  const size_t length = strlen(name), expected = strlen(ending);
  return length > expected && strcmp(name + length - expected, ending) == 0;
}

static bool is_work(const char *name)
{
  return strcmp(name, manifest_name) == 0 || ends_with(name, TS_JOURNAL_ENDING);
}

static bool is_record(const char *name)
{
  unsigned long long trial;
  char again[64];
  if (sscanf(name, TS_RECORD_OF_TRIAL, &trial) != 1) return false;
  snprintf(again, sizeof again, TS_RECORD_OF_TRIAL, trial);
  return strcmp(name, again) == 0;
}

static ts_status remove_files(const char *folder, DIR *entries, bool (*is_ours)(const char *name), ts_error *error)
{
  for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
    char path[PATH_SIZE];
    if (!is_ours(entry->d_name)) continue;
    snprintf(path, sizeof path, "%.2000s/%.2000s", folder, entry->d_name);
    if (unlink(path) != 0 && errno != ENOENT)
      return ts_fail(error, TS_IO, "'%.200s' cannot be removed: %s", path, strerror(errno));
  }
  return TS_OK;
}

static ts_status clear(const char *folder, bool (*is_ours)(const char *name), ts_error *error)
{
  DIR *entries = opendir(folder);
  if (!entries) return ts_fail(error, TS_IO, "the folder '%.200s' cannot be read: %s", folder, strerror(errno));
  const ts_status status = remove_files(folder, entries, is_ours, error);
  closedir(entries);
  return status;
}

ts_status ts_work_folder_clear(const char *folder, ts_error *error)
{
  TS_TRY(clear(folder, is_work, error));
  return ts_claims_clear(folder, error);
}

ts_status ts_record_folder_clear(const char *folder, ts_error *error)
{
  return access(folder, F_OK) == 0 ? clear(folder, is_record, error) : TS_OK;
}

ts_status ts_work_folder_check(const ts_study *study, const char *folder, unsigned allowed, ts_error *error)
{
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%.2000s/%s", folder, manifest_name);
  if (access(path, F_OK) != 0) return ts_manifest_write(&study->manifest, path, error);
  TS_TRY(ts_manifest_compare(&study->manifest, path, allowed, error));
  return allowed ? ts_manifest_write(&study->manifest, path, error) : TS_OK;
}
