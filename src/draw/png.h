// Portable network graphics.
#ifndef TS_DRAW_PNG_H
#define TS_DRAW_PNG_H

#include <stdbool.h>
#include <stdio.h>

// Write an image of 8-bit red, green and blue, row after row from the top. False: memory ran out, nothing is written.
bool ts_png_write(const unsigned char *rgb, int width, int height, FILE *out);

#endif
