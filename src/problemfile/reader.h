// The readers, one a format. Each is handed a text (or an HDF5 image) and fills in a problem whose arrays lie in
// `keep`. What it needs on the way lies in `scratch`. A reader that fails has written its sentence into `error`, except
// for TS_OUT_OF_MEMORY.
#ifndef TS_PROBLEMFILE_READER_H
#define TS_PROBLEMFILE_READER_H

#include "touchstone/problem.h"

#include "problemfile/memory.h"
#include "problemfile/scanner.h"

typedef struct ts_reading {
  ts_scanner scan; // not used for HDF5
  ts_error *error; // not NULL
  ts_memory *keep, *scratch;
  ts_problem problem;
  const char *format; // static text
} ts_reading;

typedef ts_status ts_reader(ts_reading *reading);

ts_reader ts_read_own_format;  // begins with "touchstone problem"
ts_reader ts_read_pile;        // begins with "fc3d"
ts_reader ts_read_siconos_lcp; // and relay problems
ts_reader ts_read_siconos_mlcp;
ts_reader ts_read_siconos_friction; // local and global; refuses rolling friction by name
ts_reader ts_read_siconos_mixed;    // "generic mechanical" problems: recognised and refused

// FCLIB's HDF5 from a file that lies in memory.
ts_status ts_read_fclib(ts_reading *reading, const void *image, size_t bytes);

#endif
