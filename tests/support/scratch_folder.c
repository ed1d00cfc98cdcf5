#define _POSIX_C_SOURCE 200809L
#include "scratch_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

int scratch_folder_set_up(void **state)
{
  scratch_folder *folder = calloc(1, sizeof *folder);
  if (!folder) return -1;
  strcpy(folder->path, "/tmp/touchstone-test-XXXXXX");
  *state = folder;
  return mkdtemp(folder->path) ? 0 : -1;
}

int scratch_folder_tear_down(void **state)
{
  scratch_folder *folder = *state;
  char line[128];
  snprintf(line, sizeof line, "rm -rf '%s'", folder->path);
  const int status = system(line);
  free(folder);
  return status;
}

const char *scratch_path(scratch_folder *folder, const char *name)
{
  enum { KEPT = 8, SIZE = 256 };
  static char paths[KEPT][SIZE];
  static int next;
  next = (next + 1) % KEPT;
  snprintf(paths[next], SIZE, "%s/%s", folder->path, name);
  return paths[next];
}

int scratch_count(const scratch_folder *folder)
{
  int count = 0;
  DIR *listing = opendir(folder->path);
  assert_non_null(listing);
  for (const struct dirent *entry; (entry = readdir(listing));)
    count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  closedir(listing);
  return count;
}

void scratch_write(const char *path, const void *content, unsigned long bytes)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(content, 1, bytes, file), bytes);
  assert_int_equal(fclose(file), 0);
}
