// Reads back the PNG files that the command writes, by other code than wrote them.
#ifndef TS_SUPPORT_PNG_IMAGE_H
#define TS_SUPPORT_PNG_IMAGE_H

#include <stddef.h>

typedef struct png_image {
  int width, height;
  unsigned char *rgb; // row after row from the top
} png_image;

// Stops the test unless the file is a whole PNG of 8-bit red, green and blue whose check sums hold.
void png_image_decode(const unsigned char *file, size_t size, png_image *image);
void png_image_release(png_image *image);

// The channel values of a pixel.
const unsigned char *png_image_at(const png_image *image, int x, int y);
// Pixels in a rectangle that are not white.
int png_image_count_drawn(const png_image *image, int left, int top, int right, int bottom);

#endif
