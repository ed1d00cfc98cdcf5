#include "touchstone/api.h"

const char *ts_version(void)
{
  return TOUCHSTONE_VERSION;
}
