// The readers, one a format. Each is handed a file that lies in memory and fills in a problem whose arrays lie in
// `keep`. What it needs on the way lies in `scratch`. A reader that fails has written its sentence into scan.error,
// except for TS_OUT_OF_MEMORY.
#ifndef TS_PROBLEMFILE_READER_H
#define TS_PROBLEMFILE_READER_H

#include "touchstone/problem.h"

#include "problemfile/pool.h"
#include "text/scanner.h"

typedef struct ts_reading {
  ts_scanner scan; // over the whole file; of HDF5 it is only told where the bytes are
  ts_pool *keep, *scratch;
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
ts_reader ts_read_fclib;            // HDF5

#endif
