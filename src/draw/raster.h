// A picture of pixels, and areas filled in it. Edges are smooth: a pixel takes as much of a colour as the area covers
// of it, measured exactly along x and on a few lines a pixel along y.
#ifndef TS_DRAW_RASTER_H
#define TS_DRAW_RASTER_H

#include "draw/canvas.h"

// An area bounded by straight edges, inside where the winding number is not zero. Edges have a direction: contours that
// turn the same way unite.
typedef struct ts_area_edge {
  double x0, y0, x1, y1; // y0 < y1
  int winding;           // +1 when it was drawn downwards, else -1
} ts_area_edge;

typedef struct ts_area {
  ts_area_edge *edges;
  int count, capacity;
  ts_heap *heap; // edges that it has no memory for are left out
} ts_area;

void ts_area_clear(ts_area *area); // keeps its memory
void ts_area_destroy(ts_area *area);
void ts_area_add_contour(ts_area *area, const ts_point *points, int count);
void ts_area_add_disc(ts_area *area, ts_point centre, double radius);
// A line with round joints and ends.
void ts_area_add_line(ts_area *area, const ts_point *points, int count, bool closed, double width);

typedef struct ts_raster {
  int width, height;
  float *pixels;   // red, green and blue in [0, 1], row after row
  float *coverage; // of one row: how much of each pixel is inside
} ts_raster;

// White. False: memory ran out.
bool ts_raster_init(ts_raster *raster, int width, int height, ts_heap *heap);
void ts_raster_destroy(ts_raster *raster);

// The colour of a pixel whose centre is at (x, y).
typedef ts_color ts_raster_paint(const void *user, double x, double y);
// Fill the area; sorts its edges.
void ts_raster_fill(ts_raster *raster, ts_area *area, ts_raster_paint *paint, const void *user);

#endif
