#include "record/hdf5_write.h"

#include <stdlib.h>
#include <string.h>

enum { DEFLATE_LEVEL = 1 }; // higher ones take longer and gain little on shuffled numbers

static bool write_attribute(hid_t object, const char *name, hid_t type, hid_t space, const void *value)
{
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool written = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
  return (attribute < 0 || H5Aclose(attribute) >= 0) && written;
}

hid_t ts_hdf5_text_type(size_t size)
{
  const hid_t type = H5Tcopy(H5T_C_S1);
  if (type < 0) return type;
  H5Tset_size(type, size > 0 ? size : 1);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

bool ts_hdf5_write_number(hid_t object, const char *name, hid_t type, const void *value)
{
  const hid_t space = H5Screate(H5S_SCALAR);
  const bool written = space >= 0 && write_attribute(object, name, type, space, value);
  if (space >= 0) H5Sclose(space);
  return written;
}

bool ts_hdf5_write_text(hid_t object, const char *name, const char *text)
{
  const hid_t type = ts_hdf5_text_type(strlen(text));
  const bool written = type >= 0 && ts_hdf5_write_number(object, name, type, text);
  if (type >= 0) H5Tclose(type);
  return written;
}

// Names side by side, each filled up with zeros to the length of the longest one.
typedef struct packed_names {
  char *text;
  size_t size;
} packed_names;

static bool pack_names(char *const *names, int count, packed_names *packed)
{
  packed->size = 1;
  for (int i = 0; i < count; ++i)
    if (strlen(names[i]) > packed->size) packed->size = strlen(names[i]);
  packed->text = calloc((size_t)count + 1, packed->size);
  if (!packed->text) return false;
  for (int i = 0; i < count; ++i) memcpy(packed->text + (size_t)i * packed->size, names[i], strlen(names[i]));
  return true;
}

bool ts_hdf5_write_words(hid_t object, const char *name, const ts_vocabulary *words)
{
  packed_names packed;
  if (!pack_names(words->names, words->count, &packed)) return false;
  const hsize_t count = (hsize_t)words->count;
  const hid_t type = ts_hdf5_text_type(packed.size), space = H5Screate_simple(1, &count, NULL);
  const bool written = type >= 0 && space >= 0 && write_attribute(object, name, type, space, packed.text);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  free(packed.text);
  return written;
}

// Chunks are written whole: a cache of them would only put off the time when they get their room in the file.
hid_t ts_hdf5_create_dataset(hid_t place, const char *name, hid_t type, int rank, const hsize_t *extent,
                             const hsize_t *limit, const hsize_t *chunk)
{
  const hid_t space = H5Screate_simple(rank, extent, limit), properties = H5Pcreate(H5P_DATASET_CREATE);
  const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
  hid_t dataset = -1;
  if (space >= 0 && properties >= 0 && access >= 0 && H5Pset_chunk_cache(access, 0, 0, 1.0) >= 0 &&
      H5Pset_chunk(properties, rank, chunk) >= 0 && H5Pset_shuffle(properties) >= 0 &&
      H5Pset_deflate(properties, DEFLATE_LEVEL) >= 0 && H5Pset_fletcher32(properties) >= 0 &&
      H5Pset_obj_track_times(properties, false) >= 0)
    dataset = H5Dcreate2(place, name, type, space, H5P_DEFAULT, properties, access);
  if (access >= 0) H5Pclose(access);
  if (properties >= 0) H5Pclose(properties);
  if (space >= 0) H5Sclose(space);
  return dataset;
}

bool ts_hdf5_write_dataset(hid_t file, const char *name, hid_t type, int rank, const hsize_t *extent,
                           const void *values)
{
  if (extent[0] == 0) return true;
  const hid_t dataset = ts_hdf5_create_dataset(file, name, type, rank, extent, extent, extent);
  const bool written = dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  return (dataset < 0 || H5Dclose(dataset) >= 0) && written;
}

bool ts_hdf5_write_names(hid_t file, const char *name, char *const *names, int count)
{
  packed_names packed;
  if (!pack_names(names, count, &packed)) return false;
  const hsize_t extent = (hsize_t)count;
  const hid_t type = ts_hdf5_text_type(packed.size);
  const bool written = type >= 0 && ts_hdf5_write_dataset(file, name, type, 1, &extent, packed.text);
  if (type >= 0) H5Tclose(type);
  free(packed.text);
  return written;
}

bool ts_hdf5_append_rows(hid_t dataset, hid_t type, int rank, hsize_t at, hsize_t count, hsize_t width,
                         const void *values)
{
  const hsize_t extent[2] = {at + count, width}, start[2] = {at, 0}, size[2] = {count, width};
  if (H5Dset_extent(dataset, extent) < 0) return false;
  const hid_t place = H5Dget_space(dataset), memory = H5Screate_simple(rank, size, NULL);
  const bool written = place >= 0 && memory >= 0 &&
                       H5Sselect_hyperslab(place, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                       H5Dwrite(dataset, type, memory, place, H5P_DEFAULT, values) >= 0;
  if (memory >= 0) H5Sclose(memory);
  if (place >= 0) H5Sclose(place);
  return written;
}

bool ts_hdf5_create_group(hid_t file, const char *name)
{
  const hid_t properties = H5Pcreate(H5P_GROUP_CREATE);
  hid_t group = -1;
  if (properties >= 0 && H5Pset_obj_track_times(properties, false) >= 0)
    group = H5Gcreate2(file, name, H5P_DEFAULT, properties, H5P_DEFAULT);
  if (properties >= 0) H5Pclose(properties);
  return group >= 0 && H5Gclose(group) >= 0;
}
