// Pixels, as portable network graphics.
#include "draw/image_format.h"

#include "draw/color.h"
#include "draw/png.h"
#include "draw/raster.h"
#include "draw/stroke_font.h"

#include <math.h>
#include <stdlib.h>

typedef struct png_canvas {
  ts_canvas base;
  ts_raster raster;
  ts_area area; // of what is being drawn
} png_canvas;

static ts_color plain(const void *user, double x, double y)
{
  (void)x;
  (void)y;
  return *(const ts_color *)user;
}

static void png_fill(ts_canvas *canvas, const ts_point *outline, int count, ts_color color)
{
  png_canvas *png = (png_canvas *)canvas;
  ts_area_clear(&png->area);
  ts_area_add_contour(&png->area, outline, count);
  ts_raster_fill(&png->raster, &png->area, plain, &color);
}

static void png_line(ts_canvas *canvas, const ts_point *points, int count, bool closed, double width, ts_color color)
{
  png_canvas *png = (png_canvas *)canvas;
  ts_area_clear(&png->area);
  ts_area_add_line(&png->area, points, count, closed, width);
  ts_raster_fill(&png->raster, &png->area, plain, &color);
}

static void png_facet(ts_canvas *canvas, const ts_point *outline, int count, ts_color color, double width, ts_color rim)
{
  png_fill(canvas, outline, count, color);
  png_line(canvas, outline, count, true, width, rim);
}

typedef struct ball {
  ts_point centre;
  double radius;
  const ts_ball_shading *shading;
} ball;

// How far a point p is from the focus f on the ray to the rim, 0 to 1, as in SVG: |p-f| / s where |f + s (p-f)/|p-f||
// = 1.
static double rim_share(ts_point p, ts_point f)
{
  const double dx = p.x - f.x, dy = p.y - f.y, distance = hypot(dx, dy);
  if (distance == 0.0) return 0.0;
  const double b = (f.x * dx + f.y * dy) / distance, c = f.x * f.x + f.y * f.y - 1.0;
  return fmin(distance / (sqrt(b * b - c) - b), 1.0);
}

static ts_color ball_color(const void *user, double x, double y)
{
  const ball *b = user;
  const ts_point inside = {(x - b->centre.x) / b->radius, (y - b->centre.y) / b->radius};
  const double stop = rim_share(inside, b->shading->focus) * (TS_BALL_STOPS - 1);
  const int before = (int)fmin(stop, TS_BALL_STOPS - 2);
  return ts_color_mix(b->shading->stops[before], b->shading->stops[before + 1], stop - before);
}

static void png_ball(ts_canvas *canvas, ts_point centre, double radius, const ts_ball_shading *shading)
{
  png_canvas *png = (png_canvas *)canvas;
  const ball b = {centre, radius, shading};
  ts_area_clear(&png->area);
  ts_area_add_disc(&png->area, centre, radius);
  ts_raster_fill(&png->raster, &png->area, ball_color, &b);
}

typedef struct pen {
  ts_area *area;
  ts_point start;
  double size, width;
} pen;

enum { LONGEST_STROKE = 32 };

static void draw_stroke(void *user, const ts_point *points, int count)
{
  const pen *p = user;
  ts_point placed[LONGEST_STROKE];
  for (int i = 0; i < count; ++i)
    placed[i] = (ts_point){p->start.x + p->size * points[i].x, p->start.y + p->size * points[i].y};
  ts_area_add_line(p->area, placed, count, false, p->width);
}

static void png_text(ts_canvas *canvas, ts_point at, double size, ts_anchor anchor, ts_color color, const char *text)
{
  static const double RIM = 1.5, WEIGHT = 0.1; // [pixels] around the pen; the pen's width in units of the size
  png_canvas *png = (png_canvas *)canvas;
  const ts_color white = ts_color_gray(1.0);
  const double shift = anchor == TS_ANCHOR_START ? 0.0 : anchor == TS_ANCHOR_MIDDLE ? 0.5 : 1.0;
  pen p = {&png->area, {at.x - shift * size * ts_stroke_width(text), at.y}, size, WEIGHT * size + 2.0 * RIM};
  ts_area_clear(&png->area);
  ts_stroke_text(text, draw_stroke, &p);
  ts_raster_fill(&png->raster, &png->area, plain, &white);
  p.width = WEIGHT * size;
  ts_area_clear(&png->area);
  ts_stroke_text(text, draw_stroke, &p);
  ts_raster_fill(&png->raster, &png->area, plain, &color);
}

static void png_finish(ts_canvas *canvas, FILE *out)
{
  const ts_raster *raster = &((png_canvas *)canvas)->raster;
  const size_t count = 3 * (size_t)raster->width * (size_t)raster->height;
  unsigned char *rgb = ts_heap_zeros(&canvas->heap, count, 1);
  if (!rgb) return;
  for (size_t i = 0; i < count; ++i) rgb[i] = (unsigned char)lroundf(255.0f * raster->pixels[i]);
  canvas->heap.exhausted = !ts_png_write(rgb, raster->width, raster->height, out);
  free(rgb);
}

static void png_destroy(ts_canvas *canvas)
{
  png_canvas *png = (png_canvas *)canvas;
  ts_raster_destroy(&png->raster);
  ts_area_destroy(&png->area);
  free(png);
}

static const ts_canvas_methods methods = {png_fill, png_facet, png_line, png_ball, png_text, png_finish, png_destroy};

static ts_canvas *create_canvas(int width, int height)
{
  png_canvas *png = calloc(1, sizeof *png);
  if (!png) return NULL;
  png->base = (ts_canvas){.methods = &methods, .width = width, .height = height};
  png->area.heap = &png->base.heap;
  if (ts_raster_init(&png->raster, width, height, &png->base.heap)) return &png->base;
  png_destroy(&png->base);
  return NULL;
}

static void write_terminal(ts_image_size size, FILE *out)
{
  fprintf(out, "pngcairo noenhanced size %d,%d font 'sans,10' background '#ffffff'", size.width, size.height);
}

const ts_image_format ts_image_png = {".png", "PNG: pixels", create_canvas, write_terminal};
