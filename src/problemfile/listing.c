#include "problemfile/listing.h"

#include "base/status.h"

ts_status ts_listing_init(ts_listing *listing, ts_reading *reading, int rows, int columns, size_t capacity)
{
  TS_TRY(ts_triplets_init(&listing->triplets, reading->scratch, rows, columns, capacity));
  return ts_pool_sizes(reading->scratch, capacity, &listing->place);
}

void ts_listing_add(ts_listing *listing, const ts_reading *reading, int row, int column, double value, const char *at)
{
  const size_t entry = listing->triplets.count;
  ts_triplets_add(&listing->triplets, row, column, value);
  listing->place[entry] = (size_t)(at - reading->scan.begin);
}

ts_status ts_listing_compress(const ts_listing *listing, ts_reading *reading, const char *name, ts_matrix *A)
{
  const ts_triplets *triplets = &listing->triplets;
  size_t twice;
  TS_TRY(ts_triplets_compress(triplets, reading->keep, reading->scratch, A, &twice));
  if (twice == triplets->count) return TS_OK;
  return ts_scan_fail(&reading->scan, reading->scan.begin + listing->place[twice], TS_INVALID,
                      "entry (%d, %d) of %s is given twice", triplets->row[twice], triplets->column[twice], name);
}
