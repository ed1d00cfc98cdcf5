// Names of bodies: on them where there is room, else beside them at the end of a line, else nowhere. Names that lie on
// each other could not be read.
#include "draw/picture.h"

#include "draw/color.h"
#include "draw/stroke_font.h"

#include <math.h>
#include <stdlib.h>

typedef struct label_place {
  ts_point body, middle; // where the name belongs, and where its middle is
  double half_width, half_height;
  int label, rivals; // names that would lie on it if all were on their bodies
} label_place;

static bool overlap(const label_place *a, const label_place *b)
{
  return fabs(a->middle.x - b->middle.x) < a->half_width + b->half_width &&
         fabs(a->middle.y - b->middle.y) < a->half_height + b->half_height;
}

static bool is_free(const label_place *place, const label_place *taken, int count, const ts_window *edge)
{
  for (int i = 0; i < count; ++i)
    if (overlap(place, &taken[i])) return false;
  return place->middle.x - place->half_width >= edge->low.x && place->middle.x + place->half_width <= edge->high.x &&
         place->middle.y - place->half_height >= edge->low.y && place->middle.y + place->half_height <= edge->high.y;
}

// The nearest place that is free, on rings about the first one, which are wider as the name is long. False: there is
// none that is near.
static bool find_place(label_place *place, const label_place *taken, int count, const ts_window *edge)
{
  enum { RINGS = 6, DIRECTIONS = 12 };
  const ts_point at = place->middle;
  for (int ring = 0; ring <= RINGS; ++ring)
    for (int k = 0; k < (ring > 0 ? DIRECTIONS : 1); ++k) {
      const double angle = 2.0 * TS_PI * k / DIRECTIONS - 0.5 * TS_PI, away = 2.0 * ring * place->half_height;
      if (ring > 0)
        place->middle = (ts_point){at.x + (away + place->half_width) * cos(angle), at.y + away * sin(angle)};
      if (is_free(place, taken, count, edge)) return true;
    }
  return false;
}

// From the name to the body that it belongs to.
static void draw_leader(const label_place *place, ts_canvas *canvas)
{
  const ts_point body = place->body, name = place->middle;
  if (fabs(body.x - name.x) < place->half_width && fabs(body.y - name.y) < place->half_height) return;
  ts_canvas_segment(canvas, body, name, 2.2, ts_color_with_opacity(ts_color_gray(1.0), 0.7));
  ts_canvas_segment(canvas, body, name, 0.8, ts_color_gray(0.3));
  ts_canvas_disc(canvas, body, 1.8, ts_color_gray(0.1));
}

static bool is_within(ts_point point, const ts_window *edge)
{
  return point.x >= edge->low.x && point.x <= edge->high.x && point.y >= edge->low.y && point.y <= edge->high.y;
}

static int fewest_rivals_first(const void *a, const void *b)
{
  const label_place *first = a, *second = b;
  if (first->rivals != second->rivals) return first->rivals < second->rivals ? -1 : 1;
  return (first->label > second->label) - (first->label < second->label);
}

// All names on their bodies, those first that get on with the others. Returns how many.
static int line_up(const ts_picture *picture, const ts_camera *camera, const ts_window *edge, double size,
                   label_place *places)
{
  int count = 0;
  for (int i = 0; i < picture->label_count; ++i) {
    const ts_point at = ts_camera_project(camera, picture->labels[i].at);
    const double half_width = 0.5 * size * ts_stroke_width(picture->labels[i].text) + 2.0;
    if (is_within(at, edge)) places[count++] = (label_place){at, at, half_width, 0.5 * size, i, 0};
  }
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < count; ++k) places[i].rivals += i != k && overlap(&places[i], &places[k]);
  if (count > 0) qsort(places, (size_t)count, sizeof *places, fewest_rivals_first);
  return count;
}

static int settle(label_place *places, int count, const ts_window *edge)
{
  int settled = 0;
  for (int i = 0; i < count; ++i) {
    label_place place = places[i];
    if (find_place(&place, places, settled, edge)) places[settled++] = place;
  }
  return settled;
}

void ts_picture_draw_labels(const ts_picture *picture, const ts_camera *camera, const ts_window *edge,
                            ts_canvas *canvas)
{
  const double size = 0.9 * ts_picture_font_size(canvas);
  label_place *places = ts_heap_zeros(&canvas->heap, (size_t)picture->label_count, sizeof *places);
  const int count = places ? settle(places, line_up(picture, camera, edge, size, places), edge) : 0;
  for (int i = 0; i < count; ++i) draw_leader(&places[i], canvas);
  for (int i = 0; i < count; ++i) {
    const ts_point at = {places[i].middle.x, places[i].middle.y + 0.35 * size};
    ts_canvas_text(canvas, at, size, TS_ANCHOR_MIDDLE, ts_color_gray(0.1), picture->labels[places[i].label].text);
  }
  free(places);
}
