#include "gnuplot_is_there.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

bool gnuplot_is_there(void)
{
  if (system("gnuplot --version > /dev/null 2>&1") == 0) return true;
  print_message("gnuplot is not installed: skipped\n");
  return false;
}
