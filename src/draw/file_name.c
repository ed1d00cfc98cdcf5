#define _POSIX_C_SOURCE 200809L // strcasecmp
#include "draw/file_name.h"

#include <string.h>
#include <strings.h>

bool ts_ends_with(const char *name, const char *ending)
{
  const size_t length = strlen(name), tail = strlen(ending);
  return length > tail && strcasecmp(name + length - tail, ending) == 0;
}
