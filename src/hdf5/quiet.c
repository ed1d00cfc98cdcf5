#include "hdf5/quiet.h"

#include <stdatomic.h>
#include <stdlib.h>

static void fall_silent(void)
{
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

// What is asked for last is done first: libhdf5 has asked to be ended when it was used first, which was before.
void ts_hdf5_end_quietly(void)
{
  static atomic_flag asked = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&asked)) atexit(fall_silent);
}
