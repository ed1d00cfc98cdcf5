// Formats of pictures and figures. A new one is a file with its table, and a line in image_format.c.
#ifndef TS_DRAW_IMAGE_FORMAT_H
#define TS_DRAW_IMAGE_FORMAT_H

#include "draw/canvas.h"

typedef struct ts_image_size {
  int width, height; // [pixels]
} ts_image_size;

typedef struct ts_image_format {
  const char *suffix;  // of its files' names: ".svg"
  const char *summary; // one line: what it is
  // A white picture, or NULL: memory ran out. A format without this function takes no pictures.
  ts_canvas *(*create_canvas)(int width, int height);
  // The terminal of gnuplot that writes the format, for its command "set terminal". A format without this function
  // takes no figures.
  void (*write_terminal)(ts_image_size size, FILE *out);
} ts_image_format;

int ts_image_format_count(void);
const ts_image_format *ts_image_format_at(int i);
// What the end of a file's name says, in capitals or not; NULL: there is no such format.
const ts_image_format *ts_image_format_of(const char *path);

#endif
