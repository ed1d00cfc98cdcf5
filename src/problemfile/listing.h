// The entries of a matrix as a text lists them, each with its place, so that one that is given twice can be pointed at.
#ifndef TS_PROBLEMFILE_LISTING_H
#define TS_PROBLEMFILE_LISTING_H

#include "problemfile/assemble.h"
#include "problemfile/reader.h"

typedef struct ts_listing {
  ts_triplets triplets;
  size_t *place; // offset in the text of each entry
} ts_listing;

ts_status ts_listing_init(ts_listing *listing, ts_reading *reading, int rows, int columns, size_t capacity);
void ts_listing_add(ts_listing *listing, const ts_reading *reading, int row, int column, double value, const char *at);

// Compressed columns in the reading's `keep`. An entry given twice is a failure at its place.
ts_status ts_listing_compress(const ts_listing *listing, ts_reading *reading, const char *name, ts_matrix *A);

#endif
