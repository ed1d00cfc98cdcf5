#include "figure.h"

#include <touchstone/touchstone.h>

#include <math.h>

// A column has the triangle above, at SCALE pixels a millimetre, and below it turns, predicted against recorded.
static const double WIDTH = 330.0, ABOVE = 350.0, BELOW = 260.0, SCALE = 1.5, LENGTHENED = 2.0, MOST_DEGREES = 18.0;
static const char *const RECORDED = "#1b1b1b", *const PREDICTED = "#d55e00";

static double place_x(int column, double x)
{
  return column * WIDTH + 55.0 + SCALE * x;
}

static double place_y(double y)
{
  return ABOVE - 60.0 - SCALE * y;
}

void begin_figure(FILE *svg, int columns)
{
  fprintf(svg,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" font-family=\"sans-serif\" "
          "font-size=\"13\">\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
          columns * WIDTH, ABOVE + BELOW);
  fprintf(svg,
          "<text x=\"20\" y=\"%g\">motion of the centre of mass, twice as long, from where the finger touches: <tspan "
          "fill=\"%s\">recorded</tspan>, <tspan fill=\"%s\">predicted</tspan></text>\n",
          ABOVE - 14.0, RECORDED, PREDICTED);
}

// The square of turns, with its diagonal.
static void draw_square(FILE *svg, int column)
{
  const double x = column * WIDTH + 60.0, y = ABOVE + 15.0, side = BELOW - 60.0;
  fprintf(svg, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"none\" stroke=\"#999\"/>\n", x, y, side,
          side);
  fprintf(svg, "<line x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" stroke=\"#999\"/>\n", x, y + side, x + side, y);
  fprintf(svg, "<text x=\"%g\" y=\"%g\">recorded turn, %g to %g degrees</text>\n", x, y + side + 18.0, -MOST_DEGREES,
          MOST_DEGREES);
  fprintf(svg, "<text transform=\"translate(%g,%g) rotate(-90)\">predicted turn</text>\n", x - 8.0, y + side);
}

void begin_column(FILE *svg, int column, const folder *f)
{
  fprintf(svg, "<text x=\"%g\" y=\"24\" font-size=\"16\">%s</text>\n", place_x(column, 0.0), f->name);
  fprintf(svg, "<path d=\"M %g %g L %g %g L %g %g Z\" fill=\"#f2f2f2\" stroke=\"#777\"/>\n", place_x(column, 0.0),
          place_y(0.0), place_x(column, 150.0), place_y(0.0), place_x(column, 0.0), place_y(150.0));
  for (int i = 0; i < f->supports; ++i)
    fprintf(svg, "<circle cx=\"%g\" cy=\"%g\" r=\"%g\" fill=\"#0072b2\"/>\n", place_x(column, f->support[i][0]),
            place_y(f->support[i][1]), f->is_patch ? 1.5 : 4.0);
  draw_square(svg, column);
}

static void draw_arrow(FILE *svg, double x0, double y0, double x1, double y1, const char *color)
{
  const double length = hypot(x1 - x0, y1 - y0);
  if (length < 1e-6) return;
  const double ux = (x1 - x0) / length, uy = (y1 - y0) / length, head = fmin(6.0, 0.5 * length);
  fprintf(svg,
          "<path d=\"M %.2f %.2f L %.2f %.2f M %.2f %.2f L %.2f %.2f L %.2f %.2f\" fill=\"none\" stroke=\"%s\" "
          "stroke-width=\"1.3\"/>\n",
          x0, y0, x1, y1, x1 - head * ux - 0.4 * head * uy, y1 - head * uy + 0.4 * head * ux, x1, y1,
          x1 - head * ux + 0.4 * head * uy, y1 - head * uy - 0.4 * head * ux, color);
}

static void draw_motion(FILE *svg, int column, const push *p, const pose *after, const char *color)
{
  // All in the triangle's frame before the push. The finger touches about where it is at the end.
  const double c = cos(p->before.angle), s = sin(p->before.angle);
  const double ce = cos(p->after.angle), se = sin(p->after.angle);
  const double fx = p->finger[p->samples - 1].x - p->after.x, fy = p->finger[p->samples - 1].y - p->after.y;
  double x0, y0, x1, y1;
  centre_of(&p->before, &x0, &y0);
  centre_of(after, &x1, &y1);
  const double dx = LENGTHENED * (x1 - x0), dy = LENGTHENED * (y1 - y0);
  const double bx = ce * fx + se * fy, by = -se * fx + ce * fy;
  draw_arrow(svg, place_x(column, bx), place_y(by), place_x(column, bx + c * dx + s * dy),
             place_y(by - s * dx + c * dy), color);
}

void draw_push(FILE *svg, int column, const push *p, const prediction *predicted)
{
  draw_motion(svg, column, p, &p->after, RECORDED);
  draw_motion(svg, column, p, &predicted->after, PREDICTED);
  const double turn = 180.0 / TS_PI, side = BELOW - 60.0;
  const double a = turn * remainder(p->after.angle - p->before.angle, 2.0 * TS_PI);
  const double b = turn * remainder(predicted->after.angle - p->before.angle, 2.0 * TS_PI);
  const double x = column * WIDTH + 60.0 + side * (0.5 + 0.5 * fmax(-1.0, fmin(1.0, a / MOST_DEGREES)));
  const double y = ABOVE + 15.0 + side * (0.5 - 0.5 * fmax(-1.0, fmin(1.0, b / MOST_DEGREES)));
  fprintf(svg, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"2.5\" fill=\"%s\"/>\n", x, y, PREDICTED);
}

void end_figure(FILE *svg)
{
  fprintf(svg, "</svg>\n");
}
