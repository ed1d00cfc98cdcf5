#include "record/hdf5_table.h"

#include "record/hdf5_names.h"
#include "record/hdf5_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  LARGEST_BUFFER = 1 << 19, // numbers of one table: 4 MiB
  MOST_ROWS = 4096,         // of a chunk
  FEWEST_ROWS = 16,
  CHUNK_NUMBERS = 1 << 13, // of a chunk of a matrix: 64 KiB
  ROOM_A_FIELD = 1 << 11   // bytes of bookkeeping
};

// ---- making --------------------------------------------------------------------------------------------------------

static int smaller(int a, int b)
{
  return a < b ? a : b;
}

static int rows_per_chunk(int columns)
{
  const int rows = smaller(LARGEST_BUFFER / columns, MOST_ROWS);
  return rows > FEWEST_ROWS ? rows : FEWEST_ROWS;
}

// Columns of a chunk of a matrix, such that the chunks are about equal.
static int chunk_width(int columns, int rows)
{
  const int most = smaller(columns, CHUNK_NUMBERS / rows > 1 ? CHUNK_NUMBERS / rows : 1);
  const int chunks = (columns + most - 1) / most;
  return (columns + chunks - 1) / chunks;
}

bool ts_hdf5_table_init(ts_hdf5_table *table, int columns)
{
  *table = (ts_hdf5_table){.columns = columns, .rows_per_chunk = rows_per_chunk(columns)};
  table->fields = calloc((size_t)columns, sizeof *table->fields);
  return table->fields;
}

static int first_free_column(const ts_hdf5_table *table)
{
  const ts_hdf5_field *last = table->field_count > 0 ? &table->fields[table->field_count - 1] : NULL;
  return last ? last->first + last->width : 0;
}

static bool create_field(ts_hdf5_table *table, hid_t group, const char *name, hid_t type, int columns, bool matrix)
{
  const int rows = table->rows_per_chunk;
  ts_hdf5_field *f = &table->fields[table->field_count];
  *f = (ts_hdf5_field){.dataset = -1, .first = first_free_column(table), .width = columns, .matrix = matrix};
  ++table->field_count;
  const hsize_t width = (hsize_t)columns, extent[2] = {0, width}, limit[2] = {H5S_UNLIMITED, width},
                chunk[2] = {(hsize_t)rows, (hsize_t)chunk_width(columns, rows)};
  f->dataset = ts_hdf5_create_dataset(group, name, type, matrix ? 2 : 1, extent, limit, chunk);
  return f->dataset >= 0;
}

bool ts_hdf5_table_add_column(ts_hdf5_table *table, hid_t group, const char *name, hid_t type, const char *unit)
{
  return create_field(table, group, name, type, 1, false) &&
         (!*unit || ts_hdf5_write_text(table->fields[table->field_count - 1].dataset, TS_HDF5_UNIT, unit));
}

bool ts_hdf5_table_add_matrix(ts_hdf5_table *table, hid_t group, const char *name, hid_t type)
{
  return create_field(table, group, name, type, table->columns - first_free_column(table), true);
}

bool ts_hdf5_table_make_buffers(ts_hdf5_table *table)
{
  int widest = 0;
  for (int k = 0; k < table->field_count; ++k)
    if (table->fields[k].width > widest) widest = table->fields[k].width;
  table->rows = malloc((size_t)table->rows_per_chunk * (size_t)table->columns * sizeof *table->rows);
  table->packed = malloc((size_t)table->rows_per_chunk * (size_t)widest * sizeof *table->packed);
  return table->rows && table->packed;
}

void ts_hdf5_table_release(ts_hdf5_table *table)
{
  for (int k = 0; k < table->field_count; ++k)
    if (table->fields[k].dataset >= 0) H5Dclose(table->fields[k].dataset);
  free(table->fields);
  free(table->rows);
  free(table->packed);
  *table = (ts_hdf5_table){0};
}

// ---- rows ----------------------------------------------------------------------------------------------------------

bool ts_hdf5_table_append(ts_hdf5_table *table, const double *row)
{
  const size_t columns = (size_t)table->columns;
  memcpy(table->rows + (size_t)table->buffered * columns, row, columns * sizeof *row);
  return ++table->buffered == table->rows_per_chunk;
}

static void pack_field(const ts_hdf5_table *table, const ts_hdf5_field *f)
{
  const size_t width = (size_t)f->width;
  for (int row = 0; row < table->buffered; ++row)
    memcpy(table->packed + (size_t)row * width, table->rows + (size_t)row * (size_t)table->columns + f->first,
           width * sizeof *table->packed);
}

static bool write_buffered(ts_hdf5_table *table)
{
  if (table->buffered == 0) return true;
  for (int k = 0; k < table->field_count; ++k) {
    const ts_hdf5_field *f = &table->fields[k];
    pack_field(table, f);
    if (!ts_hdf5_append_rows(f->dataset, H5T_NATIVE_DOUBLE, f->matrix ? 2 : 1, table->written, (hsize_t)table->buffered,
                             (hsize_t)f->width, table->packed))
      return false;
  }
  table->written += (hsize_t)table->buffered;
  table->buffered = 0;
  return true;
}

// A chunk is written whole; behind the rows it is zeros, of which next to nothing is left.
static haddr_t room_for(const ts_hdf5_table *table, int rows)
{
  const double chunks = (double)table->written / table->rows_per_chunk + 1.0;
  const haddr_t width = (haddr_t)table->columns * sizeof(double), numbers = (haddr_t)rows * width;
  const haddr_t zeros = (haddr_t)(table->rows_per_chunk - rows) * width;
  const haddr_t index = (haddr_t)table->field_count * (ROOM_A_FIELD + (haddr_t)(64.0 * sqrt(chunks)));
  return rows > 0 ? TS_HDF5_ROOM_TO_END + numbers + numbers / 128 + zeros / 256 + index : 0;
}

bool ts_hdf5_table_flush(ts_hdf5_table *table, ts_hdf5_output *output, int *refused)
{
  if (table->columns == 0) return true;
  int rows = table->buffered, reason;
  while ((reason = ts_hdf5_output_reserve(output, room_for(table, rows))) != 0 && rows > 0) {
    if (*refused == 0) *refused = reason;
    rows /= 2;
  }
  const bool all = rows == table->buffered;
  table->buffered = rows;
  return write_buffered(table) && output->failure == 0 && all;
}
