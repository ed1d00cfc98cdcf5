// Pictures of placed shapes, drawn into memory.
#ifndef TS_SUPPORT_DRAWN_PICTURE_H
#define TS_SUPPORT_DRAWN_PICTURE_H

#include "draw/picture.h"

#include "png_image.h"

enum { DRAWN_WIDTH = 600, DRAWN_HEIGHT = 500 };

// One moment, gravity downwards.
ts_picture picture_of(const ts_placed_shape *placed, int count, bool planar);

// Draw it, in space from `view`; `camera` is left as it was fitted. The file of a format, "x.svg" or "x.png": free it.
char *draw_file(const ts_picture *picture, const char *view, const char *format, size_t *size, ts_camera *camera);
// The same, decoded.
png_image draw_png(const ts_picture *picture, const char *view, ts_camera *camera);

#endif
