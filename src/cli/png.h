// Portable network graphics.
#ifndef TS_CLI_PNG_H
#define TS_CLI_PNG_H

#include <stdio.h>

// Write an image of 8-bit red, green and blue, row after row from the top.
void cli_png_write(const unsigned char *rgb, int width, int height, FILE *out);

#endif
