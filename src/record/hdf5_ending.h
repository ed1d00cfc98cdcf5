// Parameters, results and what was watched, in HDF5.
#ifndef TS_RECORD_HDF5_ENDING_H
#define TS_RECORD_HDF5_ENDING_H

#include "record/hdf5_source.h"
#include "record/outcome.h"

// Nothing is written of what there is not. `ending` may be NULL. False: libhdf5 fails.
bool ts_hdf5_write_ending(hid_t file, const ts_run_ending *ending);
// Bytes that it takes at most.
hsize_t ts_hdf5_room_for_ending(const ts_run_ending *ending);

// Into a zeroed struct, which the caller releases whatever is returned.
ts_status ts_hdf5_read_ending(const ts_hdf5_source *s, ts_run_ending *ending);

#endif
