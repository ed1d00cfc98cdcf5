#include "draw/canvas.h"

#include <math.h>

// Coordinates further out than this are of no picture, and would overflow what counts pixels.
static const double FURTHEST = 1e7;

static bool drawable(const ts_point *points, int count)
{
  for (int i = 0; i < count; ++i)
    if (!(fabs(points[i].x) < FURTHEST && fabs(points[i].y) < FURTHEST)) return false;
  return count > 0;
}

void ts_canvas_destroy(ts_canvas *canvas)
{
  if (canvas) canvas->methods->destroy(canvas);
}

void ts_canvas_fill(ts_canvas *canvas, const ts_point *outline, int count, ts_color color)
{
  if (count >= 3 && drawable(outline, count)) canvas->methods->fill(canvas, outline, count, color);
}

void ts_canvas_facet(ts_canvas *canvas, const ts_point *outline, int count, ts_color color, double width, ts_color rim)
{
  if (count >= 3 && drawable(outline, count)) canvas->methods->facet(canvas, outline, count, color, width, rim);
}

void ts_canvas_line(ts_canvas *canvas, const ts_point *points, int count, bool closed, double width, ts_color color)
{
  if (count >= 2 && drawable(points, count)) canvas->methods->line(canvas, points, count, closed, width, color);
}

void ts_canvas_segment(ts_canvas *canvas, ts_point from, ts_point to, double width, ts_color color)
{
  const ts_point ends[2] = {from, to};
  ts_canvas_line(canvas, ends, 2, false, width, color);
}

void ts_canvas_ball(ts_canvas *canvas, ts_point centre, double radius, const ts_ball_shading *shading)
{
  if (drawable(&centre, 1) && radius > 0.0 && radius < FURTHEST) canvas->methods->ball(canvas, centre, radius, shading);
}

void ts_canvas_disc(ts_canvas *canvas, ts_point centre, double radius, ts_color color)
{
  ts_ball_shading flat = {.focus = {0.0, 0.0}};
  for (int i = 0; i < TS_BALL_STOPS; ++i) flat.stops[i] = color;
  ts_canvas_ball(canvas, centre, radius, &flat);
}

void ts_canvas_text(ts_canvas *canvas, ts_point at, double size, ts_anchor anchor, ts_color color, const char *text)
{
  if (*text && drawable(&at, 1)) canvas->methods->text(canvas, at, size, anchor, color, text);
}

ts_status ts_canvas_finish(ts_canvas *canvas, FILE *out)
{
  if (!canvas->heap.exhausted) canvas->methods->finish(canvas, out);
  return canvas->heap.exhausted ? TS_OUT_OF_MEMORY : TS_OK;
}
