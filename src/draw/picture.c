#include "draw/picture.h"

#include "draw/color.h"

#include <math.h>

// ---- the scope -----------------------------------------------------------------------------------------------------

static const ts_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

static double *component(ts_vec3 *v, int i)
{
  return i == 0 ? &v->x : i == 1 ? &v->y : &v->z;
}

static ts_picture_scope empty_scope(void)
{
  return (ts_picture_scope){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static bool is_empty(const ts_picture_scope *scope)
{
  return !(scope->low.x <= scope->high.x);
}

static ts_picture_scope shape_box(const ts_placed_shape *placed)
{
  ts_picture_scope box;
  for (int i = 0; i < 3; ++i) {
    *component(&box.low, i) = -ts_placed_reach(placed->shape, &placed->pose, ts_vector_scale(-1.0, axes[i]));
    *component(&box.high, i) = ts_placed_reach(placed->shape, &placed->pose, axes[i]);
  }
  return box;
}

static void unite(ts_picture_scope *scope, ts_picture_scope box)
{
  for (int i = 0; i < 3; ++i) {
    *component(&scope->low, i) = fmin(*component(&scope->low, i), *component(&box.low, i));
    *component(&scope->high, i) = fmax(*component(&scope->high, i), *component(&box.high, i));
  }
}

static void unite_point(ts_picture_scope *scope, ts_vec3 point)
{
  unite(scope, (ts_picture_scope){point, point});
}

static bool intersect(ts_picture_scope *box, const ts_picture_scope *with, double room)
{
  bool meets = true;
  ts_picture_scope other = *with;
  for (int i = 0; i < 3; ++i) {
    *component(&box->low, i) = fmax(*component(&box->low, i), *component(&other.low, i) - room);
    *component(&box->high, i) = fmin(*component(&box->high, i), *component(&other.high, i) + room);
    meets = meets && *component(&box->low, i) <= *component(&box->high, i);
  }
  return meets;
}

bool ts_placed_shape_is_finite(const ts_placed_shape *placed)
{
  const ts_quat q = placed->pose.orientation;
  return ts_vector_is_finite(placed->pose.position) && isfinite(q.w) && ts_vector_is_finite((ts_vec3){q.x, q.y, q.z});
}

static ts_picture_scope scope_of_kind(const ts_picture *picture, bool fixed)
{
  ts_picture_scope scope = empty_scope();
  for (int i = 0; i < picture->placed_count; ++i) {
    const ts_placed_shape *placed = &picture->placed[i];
    if (placed->shape->kind != TS_SHAPE_PLANE && (placed->kind == TS_FIXED) == fixed &&
        ts_placed_shape_is_finite(placed))
      unite(&scope, shape_box(placed));
  }
  return scope;
}

ts_vec3 ts_picture_scope_corner(const ts_picture_scope *scope, int i)
{
  return (ts_vec3){i & 1 ? scope->high.x : scope->low.x, i & 2 ? scope->high.y : scope->low.y,
                   i & 4 ? scope->high.z : scope->low.z};
}

double ts_picture_scope_size(const ts_picture_scope *scope)
{
  return ts_vector_length(ts_vector_subtract(scope->high, scope->low));
}

// Ground that is no further away than the scope is large belongs to it: add the foot of the scope on it.
static void add_near_ground(ts_picture_scope *scope, const ts_plane *plane, double size)
{
  const ts_picture_scope before = *scope;
  double nearest = INFINITY;
  for (int i = 0; i < 8; ++i) nearest = fmin(nearest, ts_plane_height(plane, ts_picture_scope_corner(&before, i)));
  if (!(nearest > 0.0 && nearest < size)) return;
  for (int i = 0; i < 8; ++i) {
    const ts_vec3 corner = ts_picture_scope_corner(&before, i);
    const ts_vec3 foot = ts_vector_subtract(corner, ts_vector_scale(ts_plane_height(plane, corner), plane->normal));
    unite_point(scope, foot);
  }
}

ts_picture_scope ts_picture_scope_of(const ts_picture *picture)
{
  ts_picture_scope scope = scope_of_kind(picture, false), still = scope_of_kind(picture, true);
  if (is_empty(&scope))
    scope = still;
  else if (intersect(&still, &scope, 0.5 * ts_picture_scope_size(&scope)))
    unite(&scope, still);
  for (int i = 0; i < picture->trail_count; ++i)
    for (int k = 0; k < picture->trails[i].count; ++k) unite_point(&scope, picture->trails[i].points[k]);
  for (int i = 0; i < picture->link_count; ++i)
    for (int side = 0; side < 2 && ts_picture_link_is_finite(&picture->links[i]); ++side)
      unite_point(&scope, picture->links[i].point[side]);
  if (is_empty(&scope)) scope = (ts_picture_scope){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
  if (ts_picture_scope_size(&scope) == 0.0) { // one particle: show a metre around it
    scope.low = ts_vector_subtract(scope.low, (ts_vec3){0.5, 0.5, picture->planar ? 0.0 : 0.5});
    scope.high = ts_vector_add(scope.high, (ts_vec3){0.5, 0.5, picture->planar ? 0.0 : 0.5});
  }
  const double size = ts_picture_scope_size(&scope);
  for (int i = 0; i < picture->placed_count; ++i) {
    const ts_placed_shape *placed = &picture->placed[i];
    if (placed->shape->kind != TS_SHAPE_PLANE || !ts_placed_shape_is_finite(placed)) continue;
    const ts_plane plane = ts_plane_of_shape(placed->shape, &placed->pose);
    add_near_ground(&scope, &plane, size);
  }
  return scope;
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

// ---- drawing -------------------------------------------------------------------------------------------------------

static ts_window window_of(const ts_picture *picture, const ts_picture_scope *scope, const ts_camera *camera)
{
  ts_window window = ts_window_empty();
  for (int i = 0; i < picture->placed_count; ++i) {
    const ts_placed_shape *placed = &picture->placed[i];
    if (placed->kind != TS_FIXED && placed->shape->kind != TS_SHAPE_PLANE && ts_placed_shape_is_finite(placed))
      ts_window_add_shape(&window, camera, placed->shape, &placed->pose);
  }
  for (int i = 0; i < picture->link_count; ++i)
    for (int side = 0; side < 2 && ts_picture_link_is_finite(&picture->links[i]); ++side)
      ts_window_add(&window, camera, picture->links[i].point[side]);
  if (picture->planar || !(window.low.x < window.high.x))
    for (int i = 0; i < 8; ++i) ts_window_add(&window, camera, ts_picture_scope_corner(scope, i));
  else
    ts_window_add_ground(&window, picture, scope, camera);
  return window;
}

void ts_picture_draw(const ts_picture *picture, ts_camera *camera, ts_canvas *canvas)
{
  const ts_picture_scope scope = ts_picture_scope_of(picture);
  const ts_window window = window_of(picture, &scope, camera);
  const ts_margins margins = ts_picture_margins(picture, canvas);
  ts_camera_fit(camera, &window, canvas->width, canvas->height, &margins);
  if (picture->planar) {
    ts_picture_draw_flat(picture, camera, canvas);
  } else {
    ts_picture_draw_ground(picture, &scope, camera, true, canvas);
    ts_picture_draw_solids(picture, camera, canvas);
    ts_picture_draw_ground(picture, &scope, camera, false, canvas);
  }
  ts_picture_draw_links(picture, camera, canvas);
  ts_picture_draw_trails(picture, camera, canvas);
  ts_picture_draw_forces(picture, camera, canvas);
  ts_picture_draw_labels(picture, camera, canvas);
  ts_picture_draw_notes(picture, camera, canvas);
}
