// A picture being drawn: filled outlines, lines, shaded balls and text, on the back end of an image format.
// Coordinates are pixels, x to the right and y down, (0, 0) at the upper left corner; what lies outside the picture is
// cut off.
#ifndef TS_DRAW_CANVAS_H
#define TS_DRAW_CANVAS_H

#include "draw/heap.h"

#include "touchstone/status.h"

#include <stdio.h>

typedef struct ts_point {
  double x, y;
} ts_point;

typedef struct ts_color {
  double red, green, blue, opacity; // each in [0, 1]
} ts_color;

// How a ball looks: colours from `focus`, where the light falls straight on it, to its rim, at equal steps. The focus
// is in units of the radius from the centre, inside the ball.
enum { TS_BALL_STOPS = 6 };
typedef struct ts_ball_shading {
  ts_point focus;
  ts_color stops[TS_BALL_STOPS];
} ts_ball_shading;

typedef enum ts_anchor { TS_ANCHOR_START, TS_ANCHOR_MIDDLE, TS_ANCHOR_END } ts_anchor;

typedef struct ts_canvas ts_canvas;

// What a back end does. `finish` writes the file; nothing is drawn after it.
typedef struct ts_canvas_methods {
  void (*fill)(ts_canvas *canvas, const ts_point *outline, int count, ts_color color);
  void (*facet)(ts_canvas *canvas, const ts_point *outline, int count, ts_color color, double width, ts_color rim);
  void (*line)(ts_canvas *canvas, const ts_point *points, int count, bool closed, double width, ts_color color);
  void (*ball)(ts_canvas *canvas, ts_point centre, double radius, const ts_ball_shading *shading);
  void (*text)(ts_canvas *canvas, ts_point at, double size, ts_anchor anchor, ts_color color, const char *text);
  void (*finish)(ts_canvas *canvas, FILE *out);
  void (*destroy)(ts_canvas *canvas);
} ts_canvas_methods;

struct ts_canvas {
  const ts_canvas_methods *methods;
  int width, height; // [pixels]
  ts_heap heap;      // for what is drawn
};

enum { TS_CANVAS_LEAST = 16, TS_CANVAS_MOST = 8192 }; // sides of a picture [pixels]

// Canvases are made by formats: image_format.h.
void ts_canvas_destroy(ts_canvas *canvas); // accepts NULL

// A filled outline, which may cross itself (non-zero winding).
void ts_canvas_fill(ts_canvas *canvas, const ts_point *outline, int count, ts_color color);
// An outline filled and drawn around.
void ts_canvas_facet(ts_canvas *canvas, const ts_point *outline, int count, ts_color color, double width, ts_color rim);
// A line through the points, with round joints and ends.
void ts_canvas_line(ts_canvas *canvas, const ts_point *points, int count, bool closed, double width, ts_color color);
void ts_canvas_segment(ts_canvas *canvas, ts_point from, ts_point to, double width, ts_color color);
void ts_canvas_disc(ts_canvas *canvas, ts_point centre, double radius, ts_color color);
void ts_canvas_ball(ts_canvas *canvas, ts_point centre, double radius, const ts_ball_shading *shading);
// UTF-8 text on the base line through `at`, with a white rim that sets it off. `size` is that of the font.
void ts_canvas_text(ts_canvas *canvas, ts_point at, double size, ts_anchor anchor, ts_color color, const char *text);
// Write the file. TS_OUT_OF_MEMORY: something is missing in it, or it was not written at all; whether `out` took it is
// for ferror() to tell.
ts_status ts_canvas_finish(ts_canvas *canvas, FILE *out);

#endif
