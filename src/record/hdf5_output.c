#define _POSIX_C_SOURCE 200809L // pread, pwrite
#include "record/hdf5_output.h"

#include <hdf5.h>
#if H5_VERSION_GE(1, 14, 0)
#include <H5FDdevelop.h>
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- a driver of libhdf5's virtual file layer ----------------------------------------------------------------------

// What libhdf5 knows as the file.
typedef struct driver_file {
  H5FD_t base; // libhdf5's own; first
  ts_hdf5_output *output;
} driver_file;

// The list of access properties holds a pointer to the output.
static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t limit)
{
  (void)name;
  (void)flags;
  (void)limit;
  ts_hdf5_output *const *output = H5Pget_driver_info(access);
  driver_file *file = output ? calloc(1, sizeof *file) : NULL;
  if (!file) return NULL;
  file->output = *output;
  return &file->base;
}

static herr_t driver_close(H5FD_t *base)
{
  free(base);
  return 0;
}

static herr_t driver_query(const H5FD_t *base, unsigned long *flags)
{
  (void)base;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

static haddr_t driver_get_allocated(const H5FD_t *base, H5FD_mem_t type)
{
  (void)type;
  return ((const driver_file *)base)->output->allocated;
}

static herr_t driver_set_allocated(H5FD_t *base, H5FD_mem_t type, haddr_t address)
{
  (void)type;
  ((driver_file *)base)->output->allocated = address;
  return 0;
}

static haddr_t driver_get_end(const H5FD_t *base, H5FD_mem_t type)
{
  (void)type;
  return ((const driver_file *)base)->output->end;
}

// What was never written is zeros.
static herr_t driver_read(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size, void *buffer)
{
  (void)type;
  (void)transfer;
  const ts_hdf5_output *output = ((driver_file *)base)->output;
  char *to = buffer;
  while (size > 0) {
    const ssize_t count = pread(output->descriptor, to, size, (off_t)address);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    to += count;
    size -= (size_t)count;
    address += (haddr_t)count;
  }
  memset(to, 0, size);
  return 0;
}

static herr_t driver_write(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                           const void *buffer)
{
  (void)type;
  (void)transfer;
  ts_hdf5_output *output = ((driver_file *)base)->output;
  const char *from = buffer;
  if (address + size > output->end) output->end = address + size;
  while (size > 0 && output->failure == 0) {
    const ssize_t count = pwrite(output->descriptor, from, size, (off_t)address);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      output->failure = count < 0 ? errno : ENOSPC;
      break;
    }
    from += count;
    size -= (size_t)count;
    address += (haddr_t)count;
  }
  return 0;
}

static herr_t driver_truncate(H5FD_t *base, hid_t transfer, hbool_t closing)
{
  (void)transfer;
  (void)closing;
  ts_hdf5_output *output = ((driver_file *)base)->output;
  const bool exact = output->allocated == output->end && output->reserved <= output->end;
  if (output->failure == 0 && !exact && ftruncate(output->descriptor, (off_t)output->allocated) != 0)
    output->failure = errno;
  output->end = output->allocated;
  output->reserved = 0;
  return 0;
}

static const H5FD_class_t driver_class = {
#if H5_VERSION_GE(1, 14, 0)
    .version = H5FD_CLASS_VERSION,
    .value = H5_VFD_RESERVED + 1,
#endif
    .name = "touchstone-output",
    .maxaddr = (haddr_t)1 << 62,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(ts_hdf5_output *),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_allocated,
    .set_eoa = driver_set_allocated,
    .get_eof = driver_get_end,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY};

// ---- files ---------------------------------------------------------------------------------------------------------

static hid_t create_file(const char *path, hid_t creation, ts_hdf5_output *output)
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  hid_t file = -1;
  if (access >= 0 && H5Pset_driver(access, output->driver, &output) >= 0 &&
      H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0)
    file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
  if (access >= 0) H5Pclose(access);
  return file;
}

hid_t ts_hdf5_output_create(const char *path, hid_t creation, ts_hdf5_output *output)
{
  *output = (ts_hdf5_output){.driver = -1, .descriptor = open(path, O_RDWR | O_TRUNC | O_CLOEXEC)};
  if (output->descriptor < 0) output->failure = errno;
  if (output->descriptor >= 0) output->driver = H5FDregister(&driver_class);
  const hid_t file = output->driver >= 0 ? create_file(path, creation, output) : -1;
  if (file < 0 && output->failure == 0) output->failure = ENOMEM;
  if (file < 0) ts_hdf5_output_close(output);
  return file;
}

int ts_hdf5_output_reserve(ts_hdf5_output *output, haddr_t bytes)
{
  const haddr_t target = output->allocated + bytes;
  if (output->failure != 0) return output->failure;
  if (target <= output->reserved) return 0;
  int reason;
  do reason = posix_fallocate(output->descriptor, (off_t)output->reserved, (off_t)(target - output->reserved));
  while (reason == EINTR);
  if (reason == 0) output->reserved = target;
  return reason == ENOSPC || reason == EDQUOT || reason == EFBIG || reason == EIO ? reason : 0;
}

void ts_hdf5_output_drop(ts_hdf5_output *output)
{
  if (output->failure == 0) output->failure = ECANCELED;
}

void ts_hdf5_output_close(ts_hdf5_output *output)
{
  if (output->driver >= 0) H5FDunregister(output->driver);
  if (output->descriptor >= 0 && close(output->descriptor) != 0 && output->failure == 0) output->failure = errno;
  output->driver = -1;
  output->descriptor = -1;
}
