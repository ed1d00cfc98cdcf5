#include "shared_data.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool asks_for_shared(int argc, char **argv)
{
  return argc > 1 && strcmp(argv[1], "shared") == 0;
}

bool shared_data_is_there(void)
{
  struct stat about;
  if (stat(SHARED_DATA, &about) == 0 && S_ISDIR(about.st_mode)) return true;
  printf("skipped: there is no folder %s\n", SHARED_DATA);
  return false;
}
