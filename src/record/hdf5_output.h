// Writing HDF5 where writing may fail. libhdf5 does not survive a file that it cannot complete (its handle stays
// behind, and the program crashes when it ends), so it must not notice: from the first failure on, what it writes is
// dropped and the reason is kept for us to ask for.
#ifndef TS_RECORD_HDF5_OUTPUT_H
#define TS_RECORD_HDF5_OUTPUT_H

#include <hdf5.h>

typedef struct ts_hdf5_output {
  hid_t driver;      // of this file
  int descriptor;    // open for reading and writing
  int failure;       // errno of the first failure, or 0
  haddr_t end;       // of what has been written
  haddr_t allocated; // end of what libhdf5 has given away, written or not
  haddr_t reserved;  // room on the disk that is ours
} ts_hdf5_output;

// Create an HDF5 file in the existing file at `path`, which is emptied. The handle, or -1 with `failure` set; `output`
// must stay where it is until ts_hdf5_output_close(). `creation` is a list of file creation properties.
hid_t ts_hdf5_output_create(const char *path, hid_t creation, ts_hdf5_output *output);
// Make sure that there is room on the disk for `bytes` more than libhdf5 has given away. 0, or errno: then nothing was
// lost, and what has been written can still be completed. Where a file system cannot tell, it is as if there was room.
int ts_hdf5_output_reserve(ts_hdf5_output *output, haddr_t bytes);
void ts_hdf5_output_drop(ts_hdf5_output *output); // write nothing from now on
// After H5Fclose(): release the rest.
void ts_hdf5_output_close(ts_hdf5_output *output);

#endif
