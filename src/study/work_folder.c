#define _POSIX_C_SOURCE 200809L // dirent
#include "study/work_folder.h"

#include "study/claims.h"

#include "base/status.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static const char manifest_name[] = "study.txt", journal_ending[] = ".journal";

ts_status ts_work_folder_make(const char *folder, ts_error *error)
{
  struct stat about;
  if (mkdir(folder, 0777) == 0) return TS_OK;
  const int reason = errno;
  if (reason == EEXIST && stat(folder, &about) == 0 && S_ISDIR(about.st_mode)) return TS_OK;
  return ts_fail(error, TS_IO, "the folder '%.200s' cannot be made: %s", folder,
                 strerror(reason == EEXIST ? ENOTDIR : reason));
}

static bool is_ours(const char *name)
{
  const size_t length = strlen(name), ending = strlen(journal_ending);
  return strcmp(name, manifest_name) == 0 || (length > ending && strcmp(name + length - ending, journal_ending) == 0);
}

ts_status ts_work_folder_clear(const char *folder, ts_error *error)
{
  ts_status status = TS_OK;
  DIR *entries = opendir(folder);
  if (!entries) return ts_fail(error, TS_IO, "the folder '%.200s' cannot be read: %s", folder, strerror(errno));
  for (const struct dirent *entry; status == TS_OK && (entry = readdir(entries)) != NULL;) {
    char path[PATH_SIZE];
    if (!is_ours(entry->d_name)) continue;
    snprintf(path, sizeof path, "%.2000s/%.2000s", folder, entry->d_name);
    if (unlink(path) != 0 && errno != ENOENT)
      status = ts_fail(error, TS_IO, "'%.200s' cannot be removed: %s", path, strerror(errno));
  }
  closedir(entries);
  return status == TS_OK ? ts_claims_clear(folder, error) : status;
}

ts_status ts_work_folder_check(const ts_study *study, const char *folder, bool lenient, ts_error *error)
{
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%.2000s/%s", folder, manifest_name);
  if (access(path, F_OK) != 0) return ts_manifest_write(&study->manifest, path, error);
  TS_TRY(ts_manifest_compare(&study->manifest, path, lenient, error));
  return lenient ? ts_manifest_write(&study->manifest, path, error) : TS_OK;
}
