// Datasets of an HDF5 file that grow by rows together: one a column, or several columns as a matrix. Rows are buffered
// until they fill a chunk of every column, which is then compressed and written at once: adding a row is a copy.
#ifndef TS_RECORD_HDF5_TABLE_H
#define TS_RECORD_HDF5_TABLE_H

#include "record/hdf5_output.h"

#include <hdf5.h>
#include <stdbool.h>

// A dataset that grows by rows.
typedef struct ts_hdf5_field {
  hid_t dataset;
  int first, width; // columns
  bool matrix;
} ts_hdf5_field;

typedef struct ts_hdf5_table {
  ts_hdf5_field *fields;
  int field_count;
  int columns, rows_per_chunk, buffered;
  hsize_t written;
  double *rows;   // rows_per_chunk * columns
  double *packed; // one field of them, the widest fits
} ts_hdf5_table;

// What has to be left of the room on a disk so that a file can be completed [bytes].
enum { TS_HDF5_ROOM_TO_END = 1 << 15 };

// All but the last return false when libhdf5 fails, or memory runs out. A zeroed table has no columns and takes no
// rows.
bool ts_hdf5_table_init(ts_hdf5_table *table, int columns);
// The next column as a dataset of its own; the attribute `unit` is written where the text is not empty.
bool ts_hdf5_table_add_column(ts_hdf5_table *table, hid_t group, const char *name, hid_t type, const char *unit);
// All columns that are left as one dataset.
bool ts_hdf5_table_add_matrix(ts_hdf5_table *table, hid_t group, const char *name, hid_t type);
// Memory of a table whose fields stand.
bool ts_hdf5_table_make_buffers(ts_hdf5_table *table);
// Close the datasets, and release the rest.
void ts_hdf5_table_release(ts_hdf5_table *table);

// Copy a row (columns). True: there is no room for another one before ts_hdf5_table_flush().
bool ts_hdf5_table_append(ts_hdf5_table *table, const double *row);

// Write the first of the buffered rows, all of them or as many as there is room for on the disk. False: some had to
// stay out (`*refused` is errno then, and is not changed else), or memory ran out, or the disk fails.
//
// libhdf5 gives room in the file away before it writes there, and cannot complete a file when that room does not exist.
// So rows are handed to it only when there is room for them, as if they could not be compressed, and for the end of the
// file: what came before can then be kept whatever happens.
bool ts_hdf5_table_flush(ts_hdf5_table *table, ts_hdf5_output *output, int *refused);

#endif
