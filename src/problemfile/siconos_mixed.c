// Siconos "generic mechanical" files: several kinds of constraints in one block system. They begin with a matrix of
// sparse blocks and q; the kinds come last. We recognise them in order to say what they are.
#include "problemfile/siconos_matrix.h"

#include "base/status.h"

ts_status ts_read_siconos_mixed(ts_reading *reading)
{
  ts_scanner *scan = &reading->scan;
  int storage;
  ts_matrix M;
  double *q;
  ts_scan_space(scan);
  const char *at = scan->at;
  TS_TRY(ts_scan_int(scan, "the storage code of a block matrix", 1, 1, &storage));
  TS_TRY(ts_scan_siconos_blocks(reading, "M", -1, -1, &M));
  TS_TRY(ts_pool_doubles(reading->scratch, (size_t)M.rows, &q));
  TS_TRY(ts_scan_numbers(scan, "q", (size_t)M.rows, q));
  return ts_scan_fail(
      scan, at, TS_UNSUPPORTED,
      "this is a Siconos generic mechanical problem (several kinds of constraints in one system), which "
      "is not supported");
}
