#include "cli/canvas.h"

#include <math.h>

// Coordinates further out than this are of no picture, and would overflow what counts pixels.
static const double FURTHEST = 1e7;

static bool drawable(const cli_point *points, int count)
{
  for (int i = 0; i < count; ++i)
    if (!(fabs(points[i].x) < FURTHEST && fabs(points[i].y) < FURTHEST)) return false;
  return count > 0;
}

void cli_canvas_destroy(cli_canvas *canvas)
{
  if (canvas) canvas->methods->destroy(canvas);
}

void cli_fill(cli_canvas *canvas, const cli_point *outline, int count, cli_color color)
{
  if (count >= 3 && drawable(outline, count)) canvas->methods->fill(canvas, outline, count, color);
}

void cli_facet(cli_canvas *canvas, const cli_point *outline, int count, cli_color color, double width, cli_color rim)
{
  if (count >= 3 && drawable(outline, count)) canvas->methods->facet(canvas, outline, count, color, width, rim);
}

void cli_line(cli_canvas *canvas, const cli_point *points, int count, bool closed, double width, cli_color color)
{
  if (count >= 2 && drawable(points, count)) canvas->methods->line(canvas, points, count, closed, width, color);
}

void cli_segment(cli_canvas *canvas, cli_point from, cli_point to, double width, cli_color color)
{
  const cli_point ends[2] = {from, to};
  cli_line(canvas, ends, 2, false, width, color);
}

void cli_ball(cli_canvas *canvas, cli_point centre, double radius, const cli_ball_shading *shading)
{
  if (drawable(&centre, 1) && radius > 0.0 && radius < FURTHEST) canvas->methods->ball(canvas, centre, radius, shading);
}

void cli_disc(cli_canvas *canvas, cli_point centre, double radius, cli_color color)
{
  cli_ball_shading flat = {.focus = {0.0, 0.0}};
  for (int i = 0; i < CLI_BALL_STOPS; ++i) flat.stops[i] = color;
  cli_ball(canvas, centre, radius, &flat);
}

void cli_text(cli_canvas *canvas, cli_point at, double size, cli_anchor anchor, cli_color color, const char *text)
{
  if (*text && drawable(&at, 1)) canvas->methods->text(canvas, at, size, anchor, color, text);
}

void cli_canvas_finish(cli_canvas *canvas, FILE *out)
{
  canvas->methods->finish(canvas, out);
}
