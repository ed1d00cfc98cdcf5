#include "draw/raster.h"

#include "touchstone/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- areas ---------------------------------------------------------------------------------------------------------

void ts_area_clear(ts_area *area)
{
  area->count = 0;
}

void ts_area_destroy(ts_area *area)
{
  free(area->edges);
  *area = (ts_area){.heap = area->heap};
}

static bool make_room(ts_area *area)
{
  if (area->count < area->capacity) return true;
  const int capacity = area->capacity ? 2 * area->capacity : 64;
  ts_area_edge *grown = ts_heap_grow(area->heap, area->edges, (size_t)capacity, sizeof *grown);
  if (!grown) return false;
  area->edges = grown;
  area->capacity = capacity;
  return true;
}

static void add_edge(ts_area *area, ts_point from, ts_point to)
{
  if (from.y == to.y || !make_room(area)) return; // what is level crosses no line
  area->edges[area->count++] =
      from.y < to.y ? (ts_area_edge){from.x, from.y, to.x, to.y, 1} : (ts_area_edge){to.x, to.y, from.x, from.y, -1};
}

void ts_area_add_contour(ts_area *area, const ts_point *points, int count)
{
  for (int i = 0; i < count; ++i) add_edge(area, points[i], points[(i + 1) % count]);
}

void ts_area_add_disc(ts_area *area, ts_point centre, double radius)
{
  enum { MOST = 256 };
  // A polygon of the disc's area, which leaves the circle by about r (TS_PI/n)^2/2 < 0.05 pixels.
  const int count = (int)fmin(fmax(8.0, ceil(TS_PI * sqrt(radius / 0.1))), MOST);
  const double step = 2.0 * TS_PI / count, reach = radius * sqrt(step / sin(step));
  ts_point points[MOST];
  for (int i = 0; i < count; ++i)
    points[i] = (ts_point){centre.x + reach * cos(step * i), centre.y + reach * sin(step * i)};
  ts_area_add_contour(area, points, count);
}

// The rectangle around a segment, turning the same way as the discs at its ends.
static void add_segment(ts_area *area, ts_point a, ts_point b, double half_width)
{
  const double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy);
  if (length == 0.0) return;
  const double nx = -dy / length * half_width, ny = dx / length * half_width;
  const ts_point corners[4] = {{a.x - nx, a.y - ny}, {b.x - nx, b.y - ny}, {b.x + nx, b.y + ny}, {a.x + nx, a.y + ny}};
  ts_area_add_contour(area, corners, 4);
}

void ts_area_add_line(ts_area *area, const ts_point *points, int count, bool closed, double width)
{
  for (int i = 0; i < count; ++i) ts_area_add_disc(area, points[i], 0.5 * width);
  for (int i = 0; i + 1 < count; ++i) add_segment(area, points[i], points[i + 1], 0.5 * width);
  if (closed) add_segment(area, points[count - 1], points[0], 0.5 * width);
}

// ---- pixels --------------------------------------------------------------------------------------------------------

enum { LINES = 8 }; // on which a pixel's coverage is measured

bool ts_raster_init(ts_raster *raster, int width, int height, ts_heap *heap)
{
  const size_t count = 3 * (size_t)width * (size_t)height;
  *raster = (ts_raster){width, height, ts_heap_zeros(heap, count, sizeof(float)),
                        ts_heap_zeros(heap, (size_t)width, sizeof(float))};
  for (size_t i = 0; i < count && raster->pixels; ++i) raster->pixels[i] = 1.0f;
  return !heap->exhausted;
}

void ts_raster_destroy(ts_raster *raster)
{
  free(raster->pixels);
  free(raster->coverage);
  *raster = (ts_raster){0};
}

static int by_upper_end(const void *a, const void *b)
{
  const double first = ((const ts_area_edge *)a)->y0, second = ((const ts_area_edge *)b)->y0;
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
static void cover(ts_raster *raster, double left, double right)
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
  const ts_area *area;
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

static void cover_line(ts_raster *raster, sweep *s, double y)
{
  for (int i = 0; i < s->active_count; ++i) {
    const ts_area_edge *edge = &s->area->edges[s->active[i]];
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

static void blend_row(ts_raster *raster, int y, ts_raster_paint *paint, const void *user)
{
  float *pixel = raster->pixels + 3 * (size_t)y * (size_t)raster->width;
  for (int x = 0; x < raster->width; ++x, pixel += 3) {
    if (raster->coverage[x] <= 0.0f) continue;
    const ts_color color = paint(user, x + 0.5, y + 0.5);
    const float share = fminf(raster->coverage[x], 1.0f) * (float)color.opacity;
    pixel[0] += share * ((float)color.red - pixel[0]);
    pixel[1] += share * ((float)color.green - pixel[1]);
    pixel[2] += share * ((float)color.blue - pixel[2]);
  }
}

static double lowest_end(const ts_area *area)
{
  double lowest = 0.0;
  for (int i = 0; i < area->count; ++i) lowest = fmax(lowest, area->edges[i].y1);
  return lowest;
}

static void fill_rows(ts_raster *raster, sweep *s, ts_raster_paint *paint, const void *user)
{
  const ts_area *area = s->area;
  const int first = (int)fmin(fmax(area->edges[0].y0, 0.0), raster->height);
  const int end = (int)fmin(ceil(lowest_end(area)), raster->height);
  for (int y = first; y < end; ++y) {
    memset(raster->coverage, 0, (size_t)raster->width * sizeof *raster->coverage);
    for (int k = 0; k < LINES; ++k) {
      const double line = y + (k + 0.5) / LINES;
      advance(s, line);
      cover_line(raster, s, line);
    }
    blend_row(raster, y, paint, user);
  }
}

void ts_raster_fill(ts_raster *raster, ts_area *area, ts_raster_paint *paint, const void *user)
{
  if (area->count == 0) return;
  qsort(area->edges, (size_t)area->count, sizeof *area->edges, by_upper_end);
  sweep s = {area, 0, 0, ts_heap_zeros(area->heap, (size_t)area->count, sizeof *s.active),
             ts_heap_zeros(area->heap, (size_t)area->count, sizeof *s.crossings)};
  if (!area->heap->exhausted) fill_rows(raster, &s, paint, user);
  free(s.active);
  free(s.crossings);
}
