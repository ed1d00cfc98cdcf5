#include "draw/png.h"

#include <stdlib.h>
#include <zlib.h>

static void put_big_endian(unsigned value, unsigned char bytes[4])
{
  for (int i = 0; i < 4; ++i) bytes[i] = (unsigned char)(value >> (24 - 8 * i));
}

// Length, type, data, and the check sum of type and data (PNG specification, section 5.3).
static void write_chunk(const char type[4], const unsigned char *data, size_t size, FILE *out)
{
  unsigned char number[4];
  put_big_endian((unsigned)size, number);
  fwrite(number, 1, 4, out);
  fwrite(type, 1, 4, out);
  if (size > 0) fwrite(data, 1, size, out);
  uLong sum = crc32(0, (const Bytef *)type, 4);
  if (size > 0) sum = crc32(sum, data, (uInt)size);
  put_big_endian((unsigned)sum, number);
  fwrite(number, 1, 4, out);
}

// Each row as its difference to the row above (filter 2): plain areas and upright edges become zeros, which pack well.
static void filter_rows(const unsigned char *rgb, size_t row, size_t height, unsigned char *filtered)
{
  enum { FILTER_UP = 2 };
  for (size_t y = 0; y < height; ++y) {
    const unsigned char *from = rgb + y * row;
    *filtered++ = FILTER_UP;
    for (size_t i = 0; i < row; ++i) *filtered++ = (unsigned char)(from[i] - (y > 0 ? from[i - row] : 0));
  }
}

// The packed rows, or NULL: memory ran out.
static unsigned char *pack(const unsigned char *rgb, size_t row, size_t height, uLongf *packed_size)
{
  const size_t size = (row + 1) * height;
  *packed_size = compressBound(size);
  unsigned char *filtered = malloc(size), *packed = malloc(*packed_size);
  bool done = filtered && packed;
  if (done) {
    filter_rows(rgb, row, height, filtered);
    done = compress2(packed, packed_size, filtered, size, Z_DEFAULT_COMPRESSION) == Z_OK;
  }
  free(filtered);
  if (done) return packed;
  free(packed);
  return NULL;
}

static void write_header(unsigned width, unsigned height, FILE *out)
{
  static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  fwrite(signature, 1, sizeof signature, out);
  unsigned char header[13] = {0};
  put_big_endian(width, header);
  put_big_endian(height, header + 4);
  header[8] = 8; // bits a channel
  header[9] = 2; // red, green, blue
  write_chunk("IHDR", header, sizeof header, out);
}

bool ts_png_write(const unsigned char *rgb, int width, int height, FILE *out)
{
  uLongf size;
  unsigned char *packed = pack(rgb, 3 * (size_t)width, (size_t)height, &size);
  if (!packed) return false;
  write_header((unsigned)width, (unsigned)height, out);
  write_chunk("IDAT", packed, size, out);
  write_chunk("IEND", NULL, 0, out);
  free(packed);
  return true;
}
