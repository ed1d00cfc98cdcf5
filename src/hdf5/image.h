// A look at the bookkeeping of an HDF5 file before libhdf5 trusts it.
#ifndef TS_HDF5_IMAGE_H
#define TS_HDF5_IMAGE_H

#include "touchstone/status.h"

#include <stddef.h>

// Check that every address, size and offset that leads to a group or a dataset stays inside the image, and that it
// holds nothing but what FCLIB files are made of. Files of the newer formats have checksums, which libhdf5 verifies:
// those pass. `error` is not NULL.
ts_status ts_check_hdf5_image(const void *bytes, size_t size, ts_error *error);

#endif
