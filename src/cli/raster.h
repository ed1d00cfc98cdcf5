// A picture of pixels, and areas filled in it. Edges are smooth: a pixel takes as much of a colour as the area covers
// of it, measured exactly along x and on a few lines a pixel along y.
#ifndef TS_CLI_RASTER_H
#define TS_CLI_RASTER_H

#include "cli/canvas.h"

// An area bounded by straight edges, inside where the winding number is not zero. Edges have a direction: contours that
// turn the same way unite.
typedef struct cli_edge {
  double x0, y0, x1, y1; // y0 < y1
  int winding;           // +1 when it was drawn downwards, else -1
} cli_edge;

typedef struct cli_area {
  cli_edge *edges;
  int count, capacity;
} cli_area;

void cli_area_clear(cli_area *area); // keeps its memory
void cli_area_destroy(cli_area *area);
void cli_area_add_contour(cli_area *area, const cli_point *points, int count);
void cli_area_add_disc(cli_area *area, cli_point centre, double radius);
// A line with round joints and ends.
void cli_area_add_line(cli_area *area, const cli_point *points, int count, bool closed, double width);

typedef struct cli_raster {
  int width, height;
  float *pixels;   // red, green and blue in [0, 1], row after row
  float *coverage; // of one row: how much of each pixel is inside
} cli_raster;

void cli_raster_init(cli_raster *raster, int width, int height); // white
void cli_raster_destroy(cli_raster *raster);

// The colour of a pixel whose centre is at (x, y).
typedef cli_color cli_paint(const void *user, double x, double y);
// Fill the area; sorts its edges.
void cli_raster_fill(cli_raster *raster, cli_area *area, cli_paint *paint, const void *user);

#endif
