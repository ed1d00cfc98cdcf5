#include "draw/picture.h"

#include "draw/color.h"
#include "draw/selection.h"

#include <math.h>

bool ts_placed_shape_is_finite(const ts_placed_shape *placed)
{
  const ts_quat q = placed->pose.orientation;
  return ts_vector_is_finite(placed->pose.position) && isfinite(q.w) && ts_vector_is_finite((ts_vec3){q.x, q.y, q.z});
}

bool ts_placed_shape_has_place(const ts_placed_shape *placed)
{
  return placed->shape->kind != TS_SHAPE_PLANE && ts_placed_shape_is_finite(placed);
}

// ---- colours -------------------------------------------------------------------------------------------------------

static ts_color fresh_color(const ts_placed_shape *placed)
{
  if (placed->kind == TS_FIXED) return ts_color_gray(0.72);
  if (placed->kind == TS_KINEMATIC) return (ts_color){0.42, 0.47, 0.56, 1.0};
  return ts_color_palette(placed->body % (TS_PALETTE_SIZE - 1)); // black is for lines
}

ts_picture_look ts_picture_look_of(const ts_picture *picture, const ts_placed_shape *placed)
{
  const ts_color color = fresh_color(placed), white = ts_color_gray(1.0),
                 line = ts_color_mix(color, ts_color_gray(0.0), 0.6);
  const int last = picture->moment_count - 1;
  if (placed->kind == TS_FIXED || placed->moment == last) return (ts_picture_look){color, line};
  const double pale = 0.35 + 0.4 * (double)(last - placed->moment) / last;
  return (ts_picture_look){ts_color_mix(color, white, pale), ts_color_mix(line, white, 0.8 * pale)};
}

// ---- the window ----------------------------------------------------------------------------------------------------

static void add_scope(ts_window *window, const ts_camera *camera, const ts_scope *scope)
{
  for (int i = 0; i < 8; ++i) ts_window_add(window, camera, ts_scope_corner(scope, i));
}

static void add_bodies(ts_window *window, const ts_selection *s, const ts_camera *camera)
{
  for (int i = 0; i < s->shown.placed_count; ++i) {
    const ts_placed_shape *placed = &s->shown.placed[i];
    ts_scope part;
    if (!ts_placed_shape_has_place(placed)) continue;
    if (!s->dwarfing[i])
      ts_window_add_shape(window, camera, placed->shape, &placed->pose);
    else if (ts_selection_cut(s, i, &part))
      add_scope(window, camera, &part);
  }
}

static void add_lines(ts_window *window, const ts_picture *picture, const ts_camera *camera)
{
  for (int i = 0; i < picture->link_count; ++i)
    for (int side = 0; side < 2 && ts_picture_link_is_finite(&picture->links[i]); ++side)
      ts_window_add(window, camera, picture->links[i].point[side]);
  for (int i = 0; i < picture->trail_count; ++i)
    for (int k = 0; k < picture->trails[i].count; ++k) ts_window_add(window, camera, picture->trails[i].points[k]);
}

static ts_window window_of_all(const ts_selection *s, const ts_camera *camera)
{
  ts_window window = ts_window_empty();
  add_bodies(&window, s, camera);
  add_lines(&window, &s->shown, camera);
  if (s->shown.planar || !(window.low.x < window.high.x))
    add_scope(&window, camera, &s->scope);
  else
    ts_window_add_ground(&window, &s->shown, &s->scope, camera);
  return window;
}

// The bodies that were named with some room around; a particle has that of a small part of all.
static ts_window window_of_focus(const ts_selection *s, const ts_camera *camera)
{
  ts_window window = ts_window_empty();
  for (int i = 0; i < s->shown.placed_count; ++i) {
    const ts_placed_shape *placed = &s->shown.placed[i];
    if (s->shown.focus[placed->body] && ts_placed_shape_has_place(placed))
      ts_window_add_shape(&window, camera, placed->shape, &placed->pose);
  }
  if (!(window.low.x <= window.high.x)) return window_of_all(s, camera);
  const double size = fmax(window.high.x - window.low.x, window.high.y - window.low.y);
  ts_window_widen(&window, size > 0.0 ? 0.25 * size : 0.05 * ts_scope_size(&s->scope));
  return window;
}

// ---- drawing -------------------------------------------------------------------------------------------------------

static void draw_bodies(const ts_selection *s, const ts_camera *camera, ts_canvas *canvas)
{
  if (s->shown.planar) {
    ts_picture_draw_flat(&s->shown, camera, canvas);
  } else {
    ts_picture_draw_ground(&s->shown, &s->scope, camera, true, canvas);
    ts_picture_draw_solids(&s->shown, camera, canvas);
    ts_picture_draw_ground(&s->shown, &s->scope, camera, false, canvas);
  }
  ts_picture_draw_links(&s->shown, camera, canvas);
}

// Where bodies are between the margins; where nothing is cut off, names may use those at the sides.
static ts_window edge_of(const ts_margins *margins, bool cut, const ts_canvas *canvas)
{
  const double left = cut ? margins->left : 0.0, right = cut ? margins->right : 0.0;
  return (ts_window){{left, margins->top}, {canvas->width - right, canvas->height - margins->bottom}};
}

static void draw_selection(const ts_selection *s, ts_camera *camera, ts_canvas *canvas)
{
  const ts_picture *shown = &s->shown;
  const ts_margins margins = ts_picture_margins(shown, s->note, canvas);
  ts_window window = shown->focus ? window_of_focus(s, camera) : window_of_all(s, camera);
  if (shown->zoom > 0.0) ts_window_zoom(&window, shown->zoom);
  ts_camera_fit(camera, &window, canvas->width, canvas->height, &margins);
  draw_bodies(s, camera, canvas);
  ts_picture_draw_trails(shown, camera, canvas);
  ts_picture_draw_forces(shown, camera, canvas);
  if (s->cut) ts_picture_draw_border(&margins, canvas);
  const ts_window edge = edge_of(&margins, s->cut, canvas);
  ts_picture_draw_labels(shown, camera, &edge, canvas);
  ts_picture_draw_notes(shown, s->note, camera, canvas);
}

void ts_picture_draw(const ts_picture *picture, ts_camera *camera, ts_canvas *canvas)
{
  ts_selection selection;
  ts_selection_init(&selection, picture, &canvas->heap);
  if (!canvas->heap.exhausted) draw_selection(&selection, camera, canvas);
  ts_selection_destroy(&selection);
}
