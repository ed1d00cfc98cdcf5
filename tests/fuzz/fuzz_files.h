// Files of a fuzz target, in a folder of its own that stays for the whole run.
#ifndef TS_TESTS_FUZZ_FILES_H
#define TS_TESTS_FUZZ_FILES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline const char *fuzz_folder(void)
{
  static char folder[] = "/tmp/touchstone-fuzz-XXXXXX";
  static int made;
  if (!made && !mkdtemp(folder)) abort();
  made = 1;
  return folder;
}

static inline const char *fuzz_path(const char *name)
{
  static char paths[4][128];
  static int turn;
  char *path = paths[turn++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", fuzz_folder(), name);
  return path;
}

static inline void fuzz_write(const char *name, const uint8_t *data, size_t size)
{
  FILE *file = fopen(fuzz_path(name), "wb");
  if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
}

// The bytes up to a 0xff go to the first file, those up to the next to the second, and so on; the last takes the rest.
static inline void fuzz_write_parts(const char *const *names, int count, const uint8_t *data, size_t size)
{
  for (int k = 0; k < count; ++k) {
    const uint8_t *end = k + 1 < count && size > 0 ? memchr(data, 0xff, size) : NULL;
    const size_t length = end ? (size_t)(end - data) : size;
    fuzz_write(names[k], data, length);
    const size_t taken = end ? length + 1 : size;
    data += taken;
    size -= taken;
  }
}

#endif
