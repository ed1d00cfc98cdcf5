// Solids: shaded faces, those behind painted first.
#include "draw/picture.h"

#include "draw/color.h"
#include "draw/depth_order.h"
#include "draw/feature_edge.h"
#include "draw/surface.h"

#include <math.h>
#include <stdlib.h>

static const double OUTLINE_WIDTH = 1.1, EDGE_WIDTH = 0.8, POINT_RADIUS = 4.0; // [pixels]

// ---- light ---------------------------------------------------------------------------------------------------------

// From the upper left, over the shoulder of who looks: right, up, toward.
static const ts_vec3 light = {-0.42, 0.57, 0.706};

// 1 where the light falls straight on the surface, 0 on the far side. Half-Lambert: no part is plain black.
static double brightness(ts_vec3 normal)
{
  return 0.5 + 0.5 * ts_vector_dot(normal, light);
}

static ts_color lit(ts_color color, double bright)
{
  static const double MIDDLE = 0.62; // the brightness that shows the colour itself
  if (bright > MIDDLE) return ts_color_mix(color, ts_color_gray(1.0), 0.75 * (bright - MIDDLE) / (1.0 - MIDDLE));
  return ts_color_mix(color, ts_color_gray(0.05), 0.75 * (MIDDLE - bright) / MIDDLE);
}

static ts_vec3 seen_normal(const ts_camera *camera, ts_vec3 normal)
{
  return (ts_vec3){ts_vector_dot(camera->right, normal), ts_vector_dot(camera->up, normal),
                   ts_vector_dot(camera->toward, normal)};
}

// ---- balls ---------------------------------------------------------------------------------------------------------

// Colours between the bright spot and the rim, each the mean over the rays to all sides of what the light gives there.
static ts_ball_shading ball_shading(ts_color color)
{
  enum { RAYS = 12 };
  ts_ball_shading shading = {.focus = {light.x, -light.y}};
  for (int stop = 0; stop < TS_BALL_STOPS; ++stop) {
    const double share = (double)stop / (TS_BALL_STOPS - 1);
    double sum = 0.0;
    for (int ray = 0; ray < RAYS; ++ray) {
      const double angle = 2.0 * TS_PI * ray / RAYS;
      const double x = light.x + share * (cos(angle) - light.x), y = light.y + share * (sin(angle) - light.y);
      sum += brightness((ts_vec3){x, y, sqrt(fmax(0.0, 1.0 - x * x - y * y))});
    }
    shading.stops[stop] = lit(color, sum / RAYS);
  }
  return shading;
}

// The visible half of the great circle through the local axes a and b: it shows how a ball turns.
static void draw_great_circle(const ts_placed_shape *ball, ts_vec3 a, ts_vec3 b, const ts_camera *camera,
                              ts_color color, ts_canvas *canvas)
{
  enum { POINTS = 19 };
  a = ts_vector_rotate(ball->pose.orientation, a);
  b = ts_vector_rotate(ball->pose.orientation, b);
  const double nearest = atan2(ts_vector_dot(camera->toward, b), ts_vector_dot(camera->toward, a));
  ts_point arc[POINTS];
  for (int i = 0; i < POINTS; ++i) {
    const double angle = nearest + TS_PI * ((double)i / (POINTS - 1) - 0.5);
    const ts_vec3 out = ts_vector_add(ts_vector_scale(cos(angle), a), ts_vector_scale(sin(angle), b));
    arc[i] = ts_camera_project(camera, ts_vector_add(ball->pose.position, ts_vector_scale(ball->shape->radius, out)));
  }
  ts_canvas_line(canvas, arc, POINTS, false, EDGE_WIDTH, color);
}

static void draw_ball(const ts_placed_shape *ball, ts_picture_look look, const ts_camera *camera, ts_canvas *canvas)
{
  static const ts_vec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0};
  const ts_ball_shading shading = ball_shading(look.surface);
  const ts_point centre = ts_camera_project(camera, ball->pose.position);
  const double radius = camera->scale * ball->shape->radius;
  ts_canvas_disc(canvas, centre, radius + 0.5 * OUTLINE_WIDTH, look.line); // of which the rim stays
  ts_canvas_ball(canvas, centre, radius - 0.5 * OUTLINE_WIDTH, &shading);
  const ts_color mark = ts_color_with_opacity(look.line, 0.55);
  if (radius > 6.0) { // smaller ones would be nothing but marks
    draw_great_circle(ball, x, y, camera, mark, canvas);
    draw_great_circle(ball, x, z, camera, mark, canvas);
  }
}

// ---- faces ---------------------------------------------------------------------------------------------------------

static bool is_seen(const ts_surface_face *face, const ts_camera *camera)
{
  return ts_vector_dot(face->normal, camera->toward) > 1e-9;
}

// Faces get a rim of their own colour, or thin light lines would show where they meet. `corners` is room for those of
// the surface in the picture.
static void draw_faces(const ts_surface *surface, ts_point *corners, ts_picture_look look, const ts_camera *camera,
                       ts_canvas *canvas)
{
  for (int i = 0; i < surface->corner_count; ++i) corners[i] = ts_camera_project(camera, surface->corners[i]);
  for (int i = 0; i < surface->face_count; ++i) {
    const ts_surface_face *face = &surface->faces[i];
    if (!is_seen(face, camera)) continue;
    const ts_color shade = lit(look.surface, brightness(seen_normal(camera, face->normal)));
    ts_canvas_facet(canvas, corners + face->first, face->count, shade, EDGE_WIDTH, shade);
  }
}

// Edges with one face in sight belong to the outline, which is that of all corners: solids are convex.
static void draw_lines(const ts_surface *surface, ts_point *corners, ts_picture_look look, const ts_camera *camera,
                       ts_canvas *canvas)
{
  int edge_count;
  ts_feature_edge *edges = ts_feature_edges(surface, &edge_count, &canvas->heap);
  for (int i = 0; i < edge_count; ++i) {
    const ts_feature_edge *edge = &edges[i];
    if (is_seen(&surface->faces[edge->face_1], camera) && is_seen(&surface->faces[edge->face_2], camera))
      ts_canvas_segment(canvas, ts_camera_project(camera, edge->from), ts_camera_project(camera, edge->to), EDGE_WIDTH,
                        look.line);
  }
  free(edges);
  const int count = ts_points_outline(corners, surface->corner_count, &canvas->heap);
  ts_canvas_line(canvas, corners, count, true, OUTLINE_WIDTH, look.line);
}

static void draw_surface(const ts_placed_shape *solid, ts_picture_look look, const ts_camera *camera, ts_canvas *canvas)
{
  ts_surface surface;
  ts_surface_init(&surface, solid->shape, &solid->pose, &canvas->heap);
  ts_point *corners = ts_heap_zeros(&canvas->heap, (size_t)surface.corner_count, sizeof *corners);
  if (corners) {
    draw_faces(&surface, corners, look, camera, canvas);
    draw_lines(&surface, corners, look, camera, canvas);
  }
  free(corners);
  ts_surface_destroy(&surface);
}

// ---- all of them ---------------------------------------------------------------------------------------------------

static void draw_solid(const ts_picture *picture, const ts_placed_shape *solid, const ts_camera *camera,
                       ts_canvas *canvas)
{
  const ts_picture_look look = ts_picture_look_of(picture, solid);
  if (solid->shape->kind == TS_SHAPE_SPHERE)
    draw_ball(solid, look, camera, canvas);
  else if (solid->shape->kind == TS_SHAPE_POINT)
    ts_canvas_disc(canvas, ts_camera_project(camera, solid->pose.position), POINT_RADIUS, look.surface);
  else
    draw_surface(solid, look, camera, canvas);
}

void ts_picture_draw_solids(const ts_picture *picture, const ts_camera *camera, ts_canvas *canvas)
{
  const ts_placed_shape **solids = ts_heap_zeros(&canvas->heap, (size_t)picture->placed_count, sizeof *solids);
  int *order = ts_heap_zeros(&canvas->heap, (size_t)picture->placed_count, sizeof *order);
  int count = 0;
  for (int i = 0; solids && i < picture->placed_count; ++i)
    if (picture->placed[i].shape->kind != TS_SHAPE_PLANE && ts_placed_shape_is_finite(&picture->placed[i]))
      solids[count++] = &picture->placed[i];
  if (order && ts_depth_order(solids, count, camera, order, &canvas->heap))
    for (int i = 0; i < count; ++i) draw_solid(picture, solids[order[i]], camera, canvas);
  free(order);
  free(solids);
}
