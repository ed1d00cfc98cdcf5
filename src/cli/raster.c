#include "cli/raster.h"

#include "cli/memory.h"

#include "touchstone/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- areas ---------------------------------------------------------------------------------------------------------

void cli_area_clear(cli_area *area)
{
  area->count = 0;
}

void cli_area_destroy(cli_area *area)
{
  free(area->edges);
  *area = (cli_area){0};
}

static void add_edge(cli_area *area, cli_point from, cli_point to)
{
  if (from.y == to.y) return; // crosses no line
  if (area->count == area->capacity) {
    area->capacity = area->capacity ? 2 * area->capacity : 64;
    area->edges = cli_grow(area->edges, (size_t)area->capacity, sizeof *area->edges);
  }
  area->edges[area->count++] =
      from.y < to.y ? (cli_edge){from.x, from.y, to.x, to.y, 1} : (cli_edge){to.x, to.y, from.x, from.y, -1};
}

void cli_area_add_contour(cli_area *area, const cli_point *points, int count)
{
  for (int i = 0; i < count; ++i) add_edge(area, points[i], points[(i + 1) % count]);
}

void cli_area_add_disc(cli_area *area, cli_point centre, double radius)
{
  enum { MOST = 256 };
  // A polygon of the disc's area, which leaves the circle by about r (pi/n)^2/2 < 0.05 pixels.
  const int count = (int)fmin(fmax(8.0, ceil(TS_PI * sqrt(radius / 0.1))), MOST);
  const double step = 2.0 * TS_PI / count, reach = radius * sqrt(step / sin(step));
  cli_point points[MOST];
  for (int i = 0; i < count; ++i)
    points[i] = (cli_point){centre.x + reach * cos(step * i), centre.y + reach * sin(step * i)};
  cli_area_add_contour(area, points, count);
}

// The rectangle around a segment, turning the same way as the discs at its ends.
static void add_segment(cli_area *area, cli_point a, cli_point b, double half_width)
{
  const double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy);
  if (length == 0.0) return;
  const double nx = -dy / length * half_width, ny = dx / length * half_width;
  const cli_point corners[4] = {{a.x - nx, a.y - ny}, {b.x - nx, b.y - ny}, {b.x + nx, b.y + ny}, {a.x + nx, a.y + ny}};
  cli_area_add_contour(area, corners, 4);
}

void cli_area_add_line(cli_area *area, const cli_point *points, int count, bool closed, double width)
{
  for (int i = 0; i < count; ++i) cli_area_add_disc(area, points[i], 0.5 * width);
  for (int i = 0; i + 1 < count; ++i) add_segment(area, points[i], points[i + 1], 0.5 * width);
  if (closed) add_segment(area, points[count - 1], points[0], 0.5 * width);
}

// ---- pixels --------------------------------------------------------------------------------------------------------

enum { LINES = 8 }; // on which a pixel's coverage is measured

void cli_raster_init(cli_raster *raster, int width, int height)
{
  const size_t count = 3 * (size_t)width * (size_t)height;
  *raster = (cli_raster){width, height, cli_zeros(count, sizeof(float)), cli_zeros((size_t)width, sizeof(float))};
  for (size_t i = 0; i < count; ++i) raster->pixels[i] = 1.0f;
}

void cli_raster_destroy(cli_raster *raster)
{
  free(raster->pixels);
  free(raster->coverage);
  *raster = (cli_raster){0};
}

static int by_upper_end(const void *a, const void *b)
{
  const double first = ((const cli_edge *)a)->y0, second = ((const cli_edge *)b)->y0;
  return (first > second) - (first < second);
}

typedef struct crossing {
  double x;
  int winding;
} crossing;

static int by_x(const void *a, const void *b)
{
  const double first = ((const crossing *)a)->x, second = ((const crossing *)b)->x;
  return (first > second) - (first < second);
}

// Add the interval [left, right] of one line to the coverage of its row.
static void cover(cli_raster *raster, double left, double right)
{
  left = fmax(left, 0.0);
  right = fmin(right, (double)raster->width);
  if (!(left < right)) return;
  const int first = (int)left, last = (int)fmin(right, raster->width - 1.0);
  const float unit = 1.0f / LINES;
  if (first == last) {
    raster->coverage[first] += (float)(right - left) * unit;
    return;
  }
  raster->coverage[first] += (float)(first + 1 - left) * unit;
  for (int x = first + 1; x < last; ++x) raster->coverage[x] += unit;
  raster->coverage[last] += (float)(right - last) * unit;
}

// The sweep over an area from top to bottom: edges up to `next` have begun, those in `active` have not ended.
typedef struct sweep {
  const cli_area *area;
  int next, active_count;
  int *active;
  crossing *crossings;
} sweep;

static void advance(sweep *s, double y)
{
  while (s->next < s->area->count && s->area->edges[s->next].y0 <= y) s->active[s->active_count++] = s->next++;
  int kept = 0;
  for (int i = 0; i < s->active_count; ++i)
    if (s->area->edges[s->active[i]].y1 > y) s->active[kept++] = s->active[i];
  s->active_count = kept;
}

static void cover_line(cli_raster *raster, sweep *s, double y)
{
  for (int i = 0; i < s->active_count; ++i) {
    const cli_edge *edge = &s->area->edges[s->active[i]];
    const double share = (y - edge->y0) / (edge->y1 - edge->y0);
    s->crossings[i] = (crossing){edge->x0 + share * (edge->x1 - edge->x0), edge->winding};
  }
  qsort(s->crossings, (size_t)s->active_count, sizeof *s->crossings, by_x);
  int winding = 0;
  for (int i = 0; i + 1 < s->active_count; ++i) {
    winding += s->crossings[i].winding;
    if (winding != 0) cover(raster, s->crossings[i].x, s->crossings[i + 1].x);
  }
}

static void blend_row(cli_raster *raster, int y, cli_paint *paint, const void *user)
{
  float *pixel = raster->pixels + 3 * (size_t)y * (size_t)raster->width;
  for (int x = 0; x < raster->width; ++x, pixel += 3) {
    if (raster->coverage[x] <= 0.0f) continue;
    const cli_color color = paint(user, x + 0.5, y + 0.5);
    const float share = fminf(raster->coverage[x], 1.0f) * (float)color.opacity;
    pixel[0] += share * ((float)color.red - pixel[0]);
    pixel[1] += share * ((float)color.green - pixel[1]);
    pixel[2] += share * ((float)color.blue - pixel[2]);
  }
}

static double lowest_end(const cli_area *area)
{
  double lowest = 0.0;
  for (int i = 0; i < area->count; ++i) lowest = fmax(lowest, area->edges[i].y1);
  return lowest;
}

void cli_raster_fill(cli_raster *raster, cli_area *area, cli_paint *paint, const void *user)
{
  if (area->count == 0) return;
  qsort(area->edges, (size_t)area->count, sizeof *area->edges, by_upper_end);
  sweep s = {area, 0, 0, cli_zeros((size_t)area->count, sizeof *s.active),
             cli_zeros((size_t)area->count, sizeof *s.crossings)};
  const int first = (int)fmin(fmax(area->edges[0].y0, 0.0), raster->height);
  const int end = (int)fmin(ceil(lowest_end(area)), raster->height);
  for (int y = first; y < end; ++y) {
    memset(raster->coverage, 0, (size_t)raster->width * sizeof *raster->coverage);
    for (int k = 0; k < LINES; ++k) {
      const double line = y + (k + 0.5) / LINES;
      advance(&s, line);
      cover_line(raster, &s, line);
    }
    blend_row(raster, y, paint, user);
  }
  free(s.active);
  free(s.crossings);
}
