// The canvas as pixels.
#include "cli/canvas.h"

#include "cli/color.h"
#include "cli/memory.h"
#include "cli/png.h"
#include "cli/raster.h"
#include "cli/stroke_font.h"

#include <math.h>
#include <stdlib.h>

typedef struct png_canvas {
  cli_canvas base;
  cli_raster raster;
  cli_area area; // of what is being drawn
} png_canvas;

static cli_color plain(const void *user, double x, double y)
{
  (void)x;
  (void)y;
  return *(const cli_color *)user;
}

static void png_fill(cli_canvas *canvas, const cli_point *outline, int count, cli_color color)
{
  png_canvas *png = (png_canvas *)canvas;
  cli_area_clear(&png->area);
  cli_area_add_contour(&png->area, outline, count);
  cli_raster_fill(&png->raster, &png->area, plain, &color);
}

static void png_line(cli_canvas *canvas, const cli_point *points, int count, bool closed, double width, cli_color color)
{
  png_canvas *png = (png_canvas *)canvas;
  cli_area_clear(&png->area);
  cli_area_add_line(&png->area, points, count, closed, width);
  cli_raster_fill(&png->raster, &png->area, plain, &color);
}

static void png_facet(cli_canvas *canvas, const cli_point *outline, int count, cli_color color, double width,
                      cli_color rim)
{
  png_fill(canvas, outline, count, color);
  png_line(canvas, outline, count, true, width, rim);
}

typedef struct ball {
  cli_point centre;
  double radius;
  const cli_ball_shading *shading;
} ball;

// How far a point p is from the focus f on the ray to the rim, 0 to 1, as in SVG: |p-f| / s where |f + s (p-f)/|p-f||
// = 1.
static double rim_share(cli_point p, cli_point f)
{
  const double dx = p.x - f.x, dy = p.y - f.y, distance = hypot(dx, dy);
  if (distance == 0.0) return 0.0;
  const double b = (f.x * dx + f.y * dy) / distance, c = f.x * f.x + f.y * f.y - 1.0;
  return fmin(distance / (sqrt(b * b - c) - b), 1.0);
}

static cli_color ball_color(const void *user, double x, double y)
{
  const ball *b = user;
  const cli_point inside = {(x - b->centre.x) / b->radius, (y - b->centre.y) / b->radius};
  const double stop = rim_share(inside, b->shading->focus) * (CLI_BALL_STOPS - 1);
  const int before = (int)fmin(stop, CLI_BALL_STOPS - 2);
  return cli_mix(b->shading->stops[before], b->shading->stops[before + 1], stop - before);
}

static void png_ball(cli_canvas *canvas, cli_point centre, double radius, const cli_ball_shading *shading)
{
  png_canvas *png = (png_canvas *)canvas;
  const ball b = {centre, radius, shading};
  cli_area_clear(&png->area);
  cli_area_add_disc(&png->area, centre, radius);
  cli_raster_fill(&png->raster, &png->area, ball_color, &b);
}

typedef struct pen {
  cli_area *area;
  cli_point start;
  double size, width;
} pen;

enum { LONGEST_STROKE = 32 };

static void draw_stroke(void *user, const cli_point *points, int count)
{
  const pen *p = user;
  cli_point placed[LONGEST_STROKE];
  for (int i = 0; i < count; ++i)
    placed[i] = (cli_point){p->start.x + p->size * points[i].x, p->start.y + p->size * points[i].y};
  cli_area_add_line(p->area, placed, count, false, p->width);
}

static void png_text(cli_canvas *canvas, cli_point at, double size, cli_anchor anchor, cli_color color,
                     const char *text)
{
  static const double RIM = 1.5, WEIGHT = 0.1; // [pixels] around the pen; the pen's width in units of the size
  png_canvas *png = (png_canvas *)canvas;
  const cli_color white = cli_gray(1.0);
  const double shift = anchor == CLI_ANCHOR_START ? 0.0 : anchor == CLI_ANCHOR_MIDDLE ? 0.5 : 1.0;
  pen p = {&png->area, {at.x - shift * size * cli_stroke_width(text), at.y}, size, WEIGHT * size + 2.0 * RIM};
  cli_area_clear(&png->area);
  cli_stroke_text(text, draw_stroke, &p);
  cli_raster_fill(&png->raster, &png->area, plain, &white);
  p.width = WEIGHT * size;
  cli_area_clear(&png->area);
  cli_stroke_text(text, draw_stroke, &p);
  cli_raster_fill(&png->raster, &png->area, plain, &color);
}

static void png_finish(cli_canvas *canvas, FILE *out)
{
  const cli_raster *raster = &((png_canvas *)canvas)->raster;
  const size_t count = 3 * (size_t)raster->width * (size_t)raster->height;
  unsigned char *rgb = cli_zeros(count, 1);
  for (size_t i = 0; i < count; ++i) rgb[i] = (unsigned char)lroundf(255.0f * raster->pixels[i]);
  cli_png_write(rgb, raster->width, raster->height, out);
  free(rgb);
}

static void png_destroy(cli_canvas *canvas)
{
  png_canvas *png = (png_canvas *)canvas;
  cli_raster_destroy(&png->raster);
  cli_area_destroy(&png->area);
  free(png);
}

static const cli_canvas_methods methods = {png_fill, png_facet, png_line, png_ball, png_text, png_finish, png_destroy};

cli_canvas *cli_canvas_create_png(int width, int height)
{
  png_canvas *png = cli_zeros(1, sizeof *png);
  png->base = (cli_canvas){&methods, width, height};
  cli_raster_init(&png->raster, width, height);
  return &png->base;
}
