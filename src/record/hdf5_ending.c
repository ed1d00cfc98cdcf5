#include "record/hdf5_ending.h"

#include "record/hdf5_names.h"
#include "record/hdf5_write.h"

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- writing -------------------------------------------------------------------------------------------------------

static bool write_list(hid_t group, const ts_run_numbers *list)
{
  const size_t count = (size_t)list->count;
  const hsize_t extent = (hsize_t)count;
  char **texts = calloc(2 * count, sizeof *texts), **units = texts + count;
  double *values = malloc(count * sizeof *values);
  for (size_t i = 0; i < count && texts && values; ++i) {
    texts[i] = (char *)list->items[i].name;
    units[i] = (char *)list->items[i].unit;
    values[i] = list->items[i].value;
  }
  const bool written = texts && values && ts_hdf5_write_names(group, TS_HDF5_LIST_NAMES, texts, list->count) &&
                       ts_hdf5_write_names(group, TS_HDF5_LIST_UNITS, units, list->count) &&
                       ts_hdf5_write_dataset(group, TS_HDF5_LIST_VALUES, H5T_NATIVE_DOUBLE, 1, &extent, values);
  free(texts);
  free(values);
  return written;
}

static bool write_group(hid_t file, const char *name, const ts_run_numbers *list)
{
  if (list->count == 0) return true;
  if (!ts_hdf5_create_group(file, name)) return false;
  const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
  const bool written = group >= 0 && write_list(group, list);
  if (group >= 0) H5Gclose(group);
  return written;
}

bool ts_hdf5_write_ending(hid_t file, const ts_run_ending *ending)
{
  if (!ending) return true;
  const hsize_t extent = (hsize_t)ending->watched_size;
  for (int k = 0; k < TS_RUN_LIST_COUNT; ++k)
    if (!write_group(file, ts_run_list_names[k], &ending->lists[k])) return false;
  if (!ts_hdf5_write_dataset(file, TS_HDF5_WATCHED, H5T_NATIVE_DOUBLE, 1, &extent, ending->watched)) return false;
  const hsize_t pending = (hsize_t)ending->interval_size;
  return pending == 0 ||
         ts_hdf5_write_dataset(file, TS_HDF5_INTERVAL, H5T_NATIVE_DOUBLE, 1, &pending, ending->interval);
}

hsize_t ts_hdf5_room_for_ending(const ts_run_ending *ending)
{
  enum { A_DATASET = 1 << 12 };
  if (!ending) return 0;
  hsize_t bytes = 2 * A_DATASET + 2 * (hsize_t)(ending->watched_size + ending->interval_size) * sizeof(double);
  for (int k = 0; k < TS_RUN_LIST_COUNT; ++k) {
    size_t longest = 0;
    for (int i = 0; i < ending->lists[k].count; ++i) {
      const ts_record_number *item = &ending->lists[k].items[i];
      const size_t length = strlen(item->name) + strlen(item->unit) + sizeof(double);
      if (length > longest) longest = length;
    }
    bytes += 4 * A_DATASET + 2 * (hsize_t)longest * (hsize_t)ending->lists[k].count;
  }
  return bytes;
}

// ---- reading -------------------------------------------------------------------------------------------------------

// Texts side by side, each with a zero byte behind it; `*size` bytes each.
static ts_status read_open_texts(const ts_hdf5_source *s, const ts_hdf5_dataset *d, int count, char **texts,
                                 size_t *size)
{
  size_t length;
  if (!ts_hdf5_is_fixed_text(d->type, &length)) return ts_hdf5_refuse(s, d->path, "does not hold text");
  TS_TRY(ts_hdf5_check_rows(s, d, count));
  char *packed = calloc((size_t)count + 1, length), *apart = calloc((size_t)count + 1, length + 1);
  ts_status status = packed && apart ? TS_OK : ts_hdf5_no_memory(s);
  if (status == TS_OK && H5Dread(d->id, d->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed) < 0)
    status = ts_hdf5_cannot_read(s, d->path);
  for (int i = 0; i < count && status == TS_OK; ++i)
    memcpy(apart + (size_t)i * (length + 1), packed + (size_t)i * length, length);
  free(packed);
  *size = length + 1;
  *texts = apart;
  return status;
}

static ts_status read_texts(const ts_hdf5_source *s, const char *path, int count, char **texts, size_t *size)
{
  ts_hdf5_dataset d;
  TS_TRY(ts_hdf5_open_dataset(s, path, 1, &d));
  const ts_status status = read_open_texts(s, &d, count, texts, size);
  ts_hdf5_close_dataset(&d);
  return status;
}

static ts_status read_open_numbers(const ts_hdf5_source *s, const ts_hdf5_dataset *d, double **numbers, size_t *count)
{
  TS_TRY(ts_hdf5_check_numbers(s, d));
  *count = (size_t)d->extent[0];
  *numbers = calloc(*count + 1, sizeof **numbers);
  if (!*numbers) return ts_hdf5_no_memory(s);
  if (H5Dread(d->id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *numbers) < 0)
    return ts_hdf5_cannot_read(s, d->path);
  return TS_OK;
}

static ts_status read_numbers(const ts_hdf5_source *s, const char *path, double **numbers, size_t *count)
{
  ts_hdf5_dataset d;
  TS_TRY(ts_hdf5_open_dataset(s, path, 1, &d));
  const ts_status status = read_open_numbers(s, &d, numbers, count);
  ts_hdf5_close_dataset(&d);
  return status;
}

// What a list is made from; all of it is released by the caller.
typedef struct list_parts {
  double *values;
  char *names, *units;
  size_t count, name_size, unit_size;
} list_parts;

static ts_status read_parts(const ts_hdf5_source *s, const char *group, list_parts *parts)
{
  char path[TS_HDF5_LARGEST_PATH];
  snprintf(path, sizeof path, "%s/%s", group, TS_HDF5_LIST_VALUES);
  TS_TRY(read_numbers(s, path, &parts->values, &parts->count));
  snprintf(path, sizeof path, "%s/%s", group, TS_HDF5_LIST_NAMES);
  TS_TRY(read_texts(s, path, (int)parts->count, &parts->names, &parts->name_size));
  snprintf(path, sizeof path, "%s/%s", group, TS_HDF5_LIST_UNITS);
  return read_texts(s, path, (int)parts->count, &parts->units, &parts->unit_size);
}

static ts_status read_list(const ts_hdf5_source *s, const char *group, ts_run_numbers *list)
{
  list_parts parts = {0};
  if (!ts_hdf5_link_exists(s, group)) return TS_OK;
  ts_status status = read_parts(s, group, &parts);
  for (size_t i = 0; i < parts.count && status == TS_OK; ++i)
    if (!ts_run_numbers_add(list, parts.names + i * parts.name_size, parts.units + i * parts.unit_size,
                            parts.values[i]))
      status = ts_hdf5_no_memory(s);
  free(parts.values);
  free(parts.names);
  free(parts.units);
  return status;
}

ts_status ts_hdf5_read_ending(const ts_hdf5_source *s, ts_run_ending *ending)
{
  for (int k = 0; k < TS_RUN_LIST_COUNT; ++k) TS_TRY(read_list(s, ts_run_list_names[k], &ending->lists[k]));
  if (ts_hdf5_link_exists(s, TS_HDF5_INTERVAL))
    TS_TRY(read_numbers(s, TS_HDF5_INTERVAL, &ending->interval, &ending->interval_size));
  if (!ts_hdf5_link_exists(s, TS_HDF5_WATCHED)) return TS_OK;
  return read_numbers(s, TS_HDF5_WATCHED, &ending->watched, &ending->watched_size);
}
