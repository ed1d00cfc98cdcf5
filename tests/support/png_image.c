#include "png_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <cmocka.h>

static uint32_t big_endian(const unsigned char *bytes)
{
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// Bit by bit, from the polynomial in annex D of the specification.
static uint32_t check_sum(const unsigned char *bytes, size_t count)
{
  uint32_t sum = 0xffffffffu;
  for (size_t i = 0; i < count; ++i) {
    sum ^= bytes[i];
    for (int k = 0; k < 8; ++k) sum = sum & 1 ? 0xedb88320u ^ sum >> 1 : sum >> 1;
  }
  return ~sum;
}

static int paeth(int a, int b, int c)
{
  const int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

static void undo_filters(const unsigned char *raw, png_image *image)
{
  const size_t row = 3 * (size_t)image->width;
  for (size_t y = 0; y < (size_t)image->height; ++y) {
    const unsigned char *from = raw + y * (row + 1);
    unsigned char *to = image->rgb + y * row;
    for (size_t i = 0; i < row; ++i) {
      const int left = i >= 3 ? to[i - 3] : 0, up = y > 0 ? to[i - row] : 0,
                corner = i >= 3 && y > 0 ? to[i - row - 3] : 0;
      const int guesses[5] = {0, left, up, (left + up) / 2, paeth(left, up, corner)};
      assert_in_range(from[0], 0, 4);
      to[i] = (unsigned char)(from[i + 1] + guesses[from[0]]);
    }
  }
}

void png_image_decode(const unsigned char *file, size_t size, png_image *image)
{
  static const unsigned char signature[8] = {137, 80, 78, 71, 13, 10, 26, 10};
  assert_true(size > 8 && memcmp(file, signature, 8) == 0);
  unsigned char *packed = malloc(size);
  size_t packed_size = 0;
  bool ended = false;
  *image = (png_image){0};
  for (size_t at = 8; at < size;) {
    assert_false(ended);
    const uint32_t length = big_endian(file + at);
    const unsigned char *type = file + at + 4, *data = type + 4;
    assert_true(at + 12 + length <= size);
    assert_int_equal(check_sum(type, 4 + length), big_endian(data + length));
    if (memcmp(type, "IHDR", 4) == 0) {
      assert_int_equal(length, 13);
      image->width = (int)big_endian(data);
      image->height = (int)big_endian(data + 4);
      assert_memory_equal(data + 8, ((unsigned char[5]){8, 2, 0, 0, 0}), 5);
    } else if (memcmp(type, "IDAT", 4) == 0) {
      memcpy(packed + packed_size, data, length);
      packed_size += length;
    } else {
      ended = memcmp(type, "IEND", 4) == 0;
    }
    at += 12 + length;
  }
  assert_true(ended && image->width > 0 && image->height > 0);
  const uLongf raw_size = (3 * (uLongf)image->width + 1) * (uLongf)image->height;
  uLongf unpacked = raw_size;
  unsigned char *raw = malloc(raw_size);
  assert_int_equal(uncompress(raw, &unpacked, packed, packed_size), Z_OK);
  assert_int_equal(unpacked, raw_size);
  image->rgb = malloc(raw_size);
  undo_filters(raw, image);
  free(raw);
  free(packed);
}

void png_image_release(png_image *image)
{
  free(image->rgb);
  *image = (png_image){0};
}

const unsigned char *png_image_at(const png_image *image, int x, int y)
{
  assert_in_range(x, 0, image->width - 1);
  assert_in_range(y, 0, image->height - 1);
  return image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
}

int png_image_count_drawn(const png_image *image, int left, int top, int right, int bottom)
{
  int count = 0;
  for (int y = top; y < bottom; ++y)
    for (int x = left; x < right; ++x) {
      const unsigned char *pixel = png_image_at(image, x, y);
      count += pixel[0] < 255 || pixel[1] < 255 || pixel[2] < 255;
    }
  return count;
}
