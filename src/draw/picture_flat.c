// Bodies of the plane: outlines, and ground with hatching.
#include "draw/picture.h"

#include "draw/color.h"
#include "draw/surface.h"

#include <math.h>
#include <stdlib.h>

static const double OUTLINE_WIDTH = 1.4, GROUND_WIDTH = 1.8, POINT_RADIUS = 4.0; // [pixels]
static const double HATCH_STEP = 13.0, HATCH_LENGTH = 11.0;                      // [pixels]

// ---- ground --------------------------------------------------------------------------------------------------------

// Short lines that fall back from the boundary, which runs along `along` through `foot`.
static void hatch(ts_point foot, ts_point along, ts_point inward, double reach, ts_color color, ts_canvas *canvas)
{
  const int most = (int)(reach / HATCH_STEP) + 1;
  for (int i = -most; i <= most; ++i) {
    const ts_point from = {foot.x + i * HATCH_STEP * along.x, foot.y + i * HATCH_STEP * along.y};
    const ts_point to = {from.x + HATCH_LENGTH * (inward.x - 0.6 * along.x),
                         from.y + HATCH_LENGTH * (inward.y - 0.6 * along.y)};
    const bool seen = from.x > -HATCH_LENGTH && from.x < canvas->width + HATCH_LENGTH && from.y > -HATCH_LENGTH &&
                      from.y < canvas->height + HATCH_LENGTH;
    if (seen) ts_canvas_segment(canvas, from, to, 0.9, color);
  }
}

static void draw_half_plane(const ts_placed_shape *ground, ts_color color, const ts_camera *camera, ts_canvas *canvas)
{
  const ts_plane plane = ts_plane_of_shape(ground->shape, &ground->pose);
  // the boundary point nearest to the middle of the picture: there hatching begins, and from there all of it is reached
  const ts_point middle = {0.5 * canvas->width, 0.5 * canvas->height};
  const ts_vec3 centre = {(middle.x - camera->origin.x) / camera->scale, (camera->origin.y - middle.y) / camera->scale,
                          0.0};
  const ts_vec3 nearest = ts_vector_subtract(centre, ts_vector_scale(ts_plane_height(&plane, centre), plane.normal));
  const ts_point foot = ts_camera_project(camera, nearest);
  const ts_point inward = {-plane.normal.x, plane.normal.y}, along = {plane.normal.y, plane.normal.x};
  const double reach = hypot(canvas->width, canvas->height);
  const ts_point left = {foot.x - reach * along.x, foot.y - reach * along.y};
  const ts_point right = {foot.x + reach * along.x, foot.y + reach * along.y};
  const double depth = reach + fabs(foot.x - middle.x) + fabs(foot.y - middle.y);
  const ts_point area[4] = {left,
                            right,
                            {right.x + depth * inward.x, right.y + depth * inward.y},
                            {left.x + depth * inward.x, left.y + depth * inward.y}};
  ts_canvas_fill(canvas, area, 4, ts_color_mix(color, ts_color_gray(1.0), 0.75));
  hatch(foot, along, inward, reach, ts_color_mix(color, ts_color_gray(0.0), 0.35), canvas);
  ts_canvas_segment(canvas, left, right, GROUND_WIDTH, ts_color_mix(color, ts_color_gray(0.0), 0.6));
}

// ---- bodies --------------------------------------------------------------------------------------------------------

// Light inside, so that what overlaps stays visible.
static ts_picture_look flat_look(const ts_picture *picture, const ts_placed_shape *placed)
{
  const ts_picture_look look = ts_picture_look_of(picture, placed);
  const bool past = placed->moment < picture->moment_count - 1 && placed->kind != TS_FIXED;
  return (ts_picture_look){
      ts_color_with_opacity(ts_color_mix(look.surface, ts_color_gray(1.0), 0.45), past ? 0.5 : 0.9), look.line};
}

static void draw_outline(const ts_point *outline, int count, const ts_picture_look *look, ts_canvas *canvas)
{
  ts_canvas_facet(canvas, outline, count, look->surface, OUTLINE_WIDTH, look->line);
}

// With a spoke along local x, which shows how it turns.
static void draw_disc(const ts_placed_shape *disc, const ts_picture_look *look, const ts_camera *camera,
                      ts_canvas *canvas)
{
  enum { POINTS = 72 };
  ts_point circle[POINTS];
  for (int i = 0; i < POINTS; ++i) {
    const double angle = 2.0 * TS_PI * i / POINTS, r = disc->shape->radius;
    circle[i] = ts_camera_project(camera, ts_pose_place(&disc->pose, (ts_vec3){r * cos(angle), r * sin(angle), 0.0}));
  }
  draw_outline(circle, POINTS, look, canvas);
  ts_canvas_segment(canvas, ts_camera_project(camera, disc->pose.position), circle[0], OUTLINE_WIDTH, look->line);
}

// Anything else is the face that it has.
static void draw_faces(const ts_placed_shape *placed, const ts_picture_look *look, const ts_camera *camera,
                       ts_canvas *canvas)
{
  ts_surface surface;
  ts_surface_init(&surface, placed->shape, &placed->pose, &canvas->heap);
  ts_point *outline = ts_heap_zeros(&canvas->heap, (size_t)surface.corner_count, sizeof *outline);
  for (int i = 0; outline && i < surface.corner_count; ++i) outline[i] = ts_camera_project(camera, surface.corners[i]);
  for (int i = 0; outline && i < surface.face_count; ++i)
    draw_outline(outline + surface.faces[i].first, surface.faces[i].count, look, canvas);
  free(outline);
  ts_surface_destroy(&surface);
}

static void draw_body(const ts_picture *picture, const ts_placed_shape *placed, const ts_camera *camera,
                      ts_canvas *canvas)
{
  const ts_picture_look look = flat_look(picture, placed);
  if (placed->shape->kind == TS_SHAPE_DISC)
    draw_disc(placed, &look, camera, canvas);
  else if (placed->shape->kind == TS_SHAPE_POINT)
    ts_canvas_disc(canvas, ts_camera_project(camera, placed->pose.position), POINT_RADIUS, look.line);
  else
    draw_faces(placed, &look, camera, canvas);
}

// Ground first, then what stands still, then what moves, the past first.
void ts_picture_draw_flat(const ts_picture *picture, const ts_camera *camera, ts_canvas *canvas)
{
  for (int i = 0; i < picture->placed_count; ++i) {
    const ts_placed_shape *placed = &picture->placed[i];
    const bool latest = placed->moment == picture->moment_count - 1;
    if (placed->shape->kind == TS_SHAPE_PLANE && latest && ts_placed_shape_is_finite(placed))
      draw_half_plane(placed, ts_picture_look_of(picture, placed).surface, camera, canvas);
  }
  for (int i = 0; i < picture->placed_count; ++i)
    if (picture->placed[i].kind == TS_FIXED && ts_placed_shape_is_finite(&picture->placed[i]))
      draw_body(picture, &picture->placed[i], camera, canvas);
  for (int moment = 0; moment < picture->moment_count; ++moment)
    for (int i = 0; i < picture->placed_count; ++i) {
      const ts_placed_shape *placed = &picture->placed[i];
      if (placed->kind != TS_FIXED && placed->moment == moment && ts_placed_shape_is_finite(placed))
        draw_body(picture, placed, camera, canvas);
    }
}
