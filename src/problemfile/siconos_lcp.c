// Siconos LCP and relay files: size, M, q; a relay file goes on with lower and upper bounds, an LCP file may go on with
// free text. A relay problem asks for z with -(M z + q) in the normal cone of [lower, upper]: our MLCP.
#include "problemfile/siconos_matrix.h"

#include "base/status.h"

static ts_status scan_bounds(ts_scanner *scan, int size, double *lower, double *upper)
{
  for (int i = 0; i < size; ++i) TS_TRY(ts_scan_bound(scan, "the lower bounds", &lower[i]));
  for (int i = 0; i < size; ++i) {
    ts_scan_space(scan);
    const char *at = scan->at;
    TS_TRY(ts_scan_bound(scan, "the upper bounds", &upper[i]));
    if (upper[i] < lower[i])
      return ts_scan_fail(scan, at, TS_INVALID, "variable %d has the empty range [%g, %g]", i, lower[i], upper[i]);
  }
  return TS_OK;
}

static ts_status scan_relay(ts_reading *reading, const ts_lcp *lcp)
{
  ts_scanner *scan = &reading->scan;
  double *lower, *upper;
  TS_TRY(ts_pool_doubles(reading->keep, (size_t)lcp->size, &lower));
  TS_TRY(ts_pool_doubles(reading->keep, (size_t)lcp->size, &upper));
  TS_TRY(scan_bounds(scan, lcp->size, lower, upper));
  if (!ts_scan_at_end(scan)) return ts_scan_unexpected(scan, "the end of the file");
  reading->problem = ts_problem_mlcp((ts_mlcp){lcp->size, lcp->M, lcp->q, lower, upper});
  reading->format = "Siconos text, relay";
  return TS_OK;
}

ts_status ts_read_siconos_lcp(ts_reading *reading)
{
  ts_scanner *scan = &reading->scan;
  ts_lcp lcp;
  double *q;
  TS_TRY(ts_scan_count(scan, "the size of an LCP", 1, &lcp.size));
  TS_TRY(ts_scan_siconos_matrix(reading, "M", lcp.size, lcp.size, &lcp.M));
  TS_TRY(ts_pool_doubles(reading->keep, (size_t)lcp.size, &q));
  TS_TRY(ts_scan_numbers(scan, "q", (size_t)lcp.size, q));
  lcp.q = q;
  if (ts_scan_sees_number(scan)) return scan_relay(reading, &lcp);
  reading->problem = ts_problem_lcp(lcp);
  reading->format = "Siconos text, LCP";
  return TS_OK;
}
