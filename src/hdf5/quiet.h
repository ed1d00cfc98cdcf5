// libhdf5 prints its errors unless it is told not to. The messages are ours.
#ifndef TS_HDF5_QUIET_H
#define TS_HDF5_QUIET_H

#include <hdf5.h>

typedef struct ts_hdf5_quiet {
  H5E_auto2_t print;
  void *data;
} ts_hdf5_quiet;

static inline ts_hdf5_quiet ts_hdf5_be_quiet(void)
{
  ts_hdf5_quiet before = {0};
  H5Eget_auto2(H5E_DEFAULT, &before.print, &before.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return before;
}

static inline void ts_hdf5_speak_again(ts_hdf5_quiet before)
{
  H5Eset_auto2(H5E_DEFAULT, before.print, before.data);
}

// After a file that was refused. Where a checksum of its own does not fit, libhdf5 1.10 loses some of its memory,
// though nothing is open any more, and complains of it in two lines when the program ends, unless it is quiet by then.
void ts_hdf5_end_quietly(void);

#endif
