// Scalable vector graphics. Elements are kept as text until the end.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "draw/image_format.h"

#include "draw/color.h"
#include "draw/utf8.h"

#include <stdlib.h>

typedef struct svg_canvas {
  ts_canvas base;
  FILE *stream; // writes into `text`
  char *text;
  size_t size;
  ts_ball_shading *shadings; // that have a gradient already: "b0", "b1", ...
  int shading_count;
} svg_canvas;

static void write_points(const ts_point *points, int count, FILE *out)
{
  for (int i = 0; i < count; ++i) fprintf(out, "%s%.1f,%.1f", i > 0 ? " " : "", points[i].x, points[i].y);
}

// attribute="#rrggbb", and its opacity where that is not 1
static void write_color(const char *attribute, ts_color color, FILE *out)
{
  char hex[TS_COLOR_HEX_SIZE];
  ts_color_hex(color, hex);
  fprintf(out, " %s=\"%s\"", attribute, hex);
  if (color.opacity < 1.0) fprintf(out, " %s-opacity=\"%.3g\"", attribute, color.opacity);
}

static void svg_fill(ts_canvas *canvas, const ts_point *outline, int count, ts_color color)
{
  FILE *out = ((svg_canvas *)canvas)->stream;
  fputs("<polygon points=\"", out);
  write_points(outline, count, out);
  fputc('"', out);
  write_color("fill", color, out);
  fputs("/>\n", out);
}

static void svg_facet(ts_canvas *canvas, const ts_point *outline, int count, ts_color color, double width, ts_color rim)
{
  FILE *out = ((svg_canvas *)canvas)->stream;
  fputs("<polygon points=\"", out);
  write_points(outline, count, out);
  fprintf(out, "\" stroke-width=\"%.3g\"", width);
  write_color("fill", color, out);
  write_color("stroke", rim, out);
  fputs("/>\n", out);
}

static void svg_line(ts_canvas *canvas, const ts_point *points, int count, bool closed, double width, ts_color color)
{
  FILE *out = ((svg_canvas *)canvas)->stream;
  fprintf(out, "<%s points=\"", closed ? "polygon" : "polyline");
  write_points(points, count, out);
  fprintf(out, "\" fill=\"none\" stroke-width=\"%.3g\"", width);
  write_color("stroke", color, out);
  fputs("/>\n", out);
}

static bool same_color(ts_color a, ts_color b)
{
  return a.red == b.red && a.green == b.green && a.blue == b.blue && a.opacity == b.opacity;
}

static bool same_shading(const ts_ball_shading *a, const ts_ball_shading *b)
{
  bool same = a->focus.x == b->focus.x && a->focus.y == b->focus.y;
  for (int i = 0; i < TS_BALL_STOPS; ++i) same = same && same_color(a->stops[i], b->stops[i]);
  return same;
}

static bool is_flat(const ts_ball_shading *shading)
{
  for (int i = 1; i < TS_BALL_STOPS; ++i)
    if (!same_color(shading->stops[0], shading->stops[i])) return false;
  return true;
}

// A gradient relative to the ball that it fills, so that one serves all balls of a look.
static void write_gradient(const ts_ball_shading *shading, int number, FILE *out)
{
  fprintf(out, "<defs><radialGradient id=\"b%d\" fx=\"%.4g\" fy=\"%.4g\">", number, 0.5 + 0.5 * shading->focus.x,
          0.5 + 0.5 * shading->focus.y);
  for (int i = 0; i < TS_BALL_STOPS; ++i) {
    fprintf(out, "<stop offset=\"%.3g\"", (double)i / (TS_BALL_STOPS - 1));
    char hex[TS_COLOR_HEX_SIZE];
    ts_color_hex(shading->stops[i], hex);
    fprintf(out, " stop-color=\"%s\" stop-opacity=\"%.3g\"/>", hex, shading->stops[i].opacity);
  }
  fputs("</radialGradient></defs>\n", out);
}

// Its number; -1: memory ran out.
static int gradient_of(svg_canvas *svg, const ts_ball_shading *shading)
{
  for (int i = svg->shading_count - 1; i >= 0; --i)
    if (same_shading(&svg->shadings[i], shading)) return i;
  ts_ball_shading *grown = ts_heap_grow(&svg->base.heap, svg->shadings, (size_t)svg->shading_count + 1, sizeof *grown);
  if (!grown) return -1;
  svg->shadings = grown;
  svg->shadings[svg->shading_count] = *shading;
  write_gradient(shading, svg->shading_count, svg->stream);
  return svg->shading_count++;
}

static void svg_ball(ts_canvas *canvas, ts_point centre, double radius, const ts_ball_shading *shading)
{
  svg_canvas *svg = (svg_canvas *)canvas;
  const bool flat = is_flat(shading);
  const int gradient = flat ? 0 : gradient_of(svg, shading);
  fprintf(svg->stream, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"", centre.x, centre.y, radius);
  if (flat)
    write_color("fill", shading->stops[0], svg->stream);
  else
    fprintf(svg->stream, " fill=\"url(#b%d)\"", gradient);
  fputs("/>\n", svg->stream);
}

// XML has no way to write control characters, and wants UTF-8: what it cannot hold becomes a question mark.
static void write_escaped(const char *text, FILE *out)
{
  while (*text) {
    unsigned character = 0;
    const int length = ts_utf8_decode(text, &character);
    if (*text == '&')
      fputs("&amp;", out);
    else if (*text == '<')
      fputs("&lt;", out);
    else if (*text == '>')
      fputs("&gt;", out);
    else if (length == 0 || character < 0x20)
      fputc('?', out);
    else
      fwrite(text, 1, (size_t)length, out);
    text += length > 0 ? length : 1;
  }
}

static void svg_text(ts_canvas *canvas, ts_point at, double size, ts_anchor anchor, ts_color color, const char *text)
{
  static const char *const anchors[] = {"start", "middle", "end"};
  FILE *out = ((svg_canvas *)canvas)->stream;
  fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.3g\" text-anchor=\"%s\"", at.x, at.y, size, anchors[anchor]);
  write_color("fill", color, out);
  fputs(" stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\">", out);
  write_escaped(text, out);
  fputs("</text>\n", out);
}

static void svg_finish(ts_canvas *canvas, FILE *out)
{
  svg_canvas *svg = (svg_canvas *)canvas;
  canvas->heap.exhausted = fflush(svg->stream) != 0 || ferror(svg->stream);
  if (canvas->heap.exhausted) return;
  const int width = canvas->width, height = canvas->height;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
          "font-family=\"Helvetica, Arial, sans-serif\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n"
          "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
          width, height, width, height, width, height);
  fwrite(svg->text, 1, svg->size, out);
  fputs("</svg>\n", out);
}

static void svg_destroy(ts_canvas *canvas)
{
  svg_canvas *svg = (svg_canvas *)canvas;
  fclose(svg->stream);
  free(svg->text);
  free(svg->shadings);
  free(svg);
}

static const ts_canvas_methods methods = {svg_fill, svg_facet, svg_line, svg_ball, svg_text, svg_finish, svg_destroy};

static ts_canvas *create_canvas(int width, int height)
{
  svg_canvas *svg = calloc(1, sizeof *svg);
  if (!svg) return NULL;
  svg->base = (ts_canvas){.methods = &methods, .width = width, .height = height};
  svg->stream = open_memstream(&svg->text, &svg->size);
  if (svg->stream) return &svg->base;
  free(svg);
  return NULL;
}

static void write_terminal(ts_image_size size, FILE *out)
{
  fprintf(out, "svg noenhanced size %d,%d font 'Helvetica,13' background '#ffffff'", size.width, size.height);
}

const ts_image_format ts_image_svg = {".svg", "SVG: lines and areas, sharp at any size", create_canvas, write_terminal};
