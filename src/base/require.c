#include "base/require.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void ts_require_failed(const char *function, const char *condition)
{
  fprintf(stderr, "touchstone: %s() requires %s\n", function, condition);
  abort();
}
