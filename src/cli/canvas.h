// A picture being drawn: filled outlines, lines, shaded balls and text, on one of two back ends. Coordinates are
// pixels, x to the right and y down, (0, 0) at the upper left corner; what lies outside the picture is cut off.
#ifndef TS_CLI_CANVAS_H
#define TS_CLI_CANVAS_H

#include <stdbool.h>
#include <stdio.h>

typedef struct cli_point {
  double x, y;
} cli_point;

typedef struct cli_color {
  double red, green, blue, opacity; // each in [0, 1]
} cli_color;

// How a ball looks: colours from `focus`, where the light falls straight on it, to its rim, at equal steps. The focus
// is in units of the radius from the centre, inside the ball.
enum { CLI_BALL_STOPS = 6 };
typedef struct cli_ball_shading {
  cli_point focus;
  cli_color stops[CLI_BALL_STOPS];
} cli_ball_shading;

typedef enum cli_anchor { CLI_ANCHOR_START, CLI_ANCHOR_MIDDLE, CLI_ANCHOR_END } cli_anchor;

typedef struct cli_canvas cli_canvas;

// What a back end does. `finish` writes the file; nothing is drawn after it.
typedef struct cli_canvas_methods {
  void (*fill)(cli_canvas *canvas, const cli_point *outline, int count, cli_color color);
  void (*facet)(cli_canvas *canvas, const cli_point *outline, int count, cli_color color, double width, cli_color rim);
  void (*line)(cli_canvas *canvas, const cli_point *points, int count, bool closed, double width, cli_color color);
  void (*ball)(cli_canvas *canvas, cli_point centre, double radius, const cli_ball_shading *shading);
  void (*text)(cli_canvas *canvas, cli_point at, double size, cli_anchor anchor, cli_color color, const char *text);
  void (*finish)(cli_canvas *canvas, FILE *out);
  void (*destroy)(cli_canvas *canvas);
} cli_canvas_methods;

struct cli_canvas {
  const cli_canvas_methods *methods;
  int width, height; // [pixels]
};

enum { CLI_CANVAS_LEAST = 16, CLI_CANVAS_MOST = 8192 }; // sides of a picture [pixels]

// White pictures; never NULL. Release with cli_canvas_destroy().
cli_canvas *cli_canvas_create_svg(int width, int height);
cli_canvas *cli_canvas_create_png(int width, int height);
void cli_canvas_destroy(cli_canvas *canvas); // accepts NULL

// A filled outline, which may cross itself (non-zero winding).
void cli_fill(cli_canvas *canvas, const cli_point *outline, int count, cli_color color);
// An outline filled and drawn around.
void cli_facet(cli_canvas *canvas, const cli_point *outline, int count, cli_color color, double width, cli_color rim);
// A line through the points, with round joints and ends.
void cli_line(cli_canvas *canvas, const cli_point *points, int count, bool closed, double width, cli_color color);
void cli_segment(cli_canvas *canvas, cli_point from, cli_point to, double width, cli_color color);
void cli_disc(cli_canvas *canvas, cli_point centre, double radius, cli_color color);
void cli_ball(cli_canvas *canvas, cli_point centre, double radius, const cli_ball_shading *shading);
// UTF-8 text on the base line through `at`, with a white rim that sets it off. `size` is that of the font.
void cli_text(cli_canvas *canvas, cli_point at, double size, cli_anchor anchor, cli_color color, const char *text);
void cli_canvas_finish(cli_canvas *canvas, FILE *out);

#endif
