// Half-spaces: patches of a grid with shadows.
#include "draw/picture.h"

#include "draw/color.h"
#include "draw/surface.h"

#include <math.h>
#include <stdlib.h>

enum { PATCH_CORNERS = 64, OTHERS = 24 }; // more planes than that cut no corners off each other

// What is shown of a plane: a rectangle along t and o about the foot of the scope, cut where other planes stand on it.
typedef struct patch {
  ts_plane plane;
  ts_vec3 t, o;                                 // directions along the plane
  double t_low, t_high, o_low, o_high, spacing; // of the rectangle, and of the grid's lines [m]
  ts_plane cuts[OTHERS];
  int cut_count;
} patch;

static bool faces_eye(const ts_plane *plane, const ts_camera *camera)
{
  return ts_vector_dot(plane->normal, camera->toward) > 1e-6;
}

static const ts_placed_shape *plane_at(const ts_picture *picture, int i)
{
  const ts_placed_shape *placed = &picture->placed[i];
  const bool latest = placed->kind == TS_FIXED || placed->moment == picture->moment_count - 1;
  return placed->shape->kind == TS_SHAPE_PLANE && latest && ts_placed_shape_is_finite(placed) ? placed : NULL;
}

static void measure(const ts_scope *scope, ts_vec3 direction, double spacing, double *low, double *high)
{
  *low = INFINITY;
  *high = -INFINITY;
  for (int i = 0; i < 8; ++i) {
    const double along = ts_vector_dot(direction, ts_scope_corner(scope, i));
    *low = fmin(*low, along);
    *high = fmax(*high, along);
  }
  *low = spacing * floor(*low / spacing - 0.5); // whole squares, with room around
  *high = spacing * ceil(*high / spacing + 0.5);
}

static patch make_patch(const ts_picture *picture, int number, const ts_scope *scope, const ts_camera *camera)
{
  const ts_placed_shape *placed = &picture->placed[number];
  patch p = {.plane = ts_plane_of_shape(placed->shape, &placed->pose)};
  p.t = ts_plane_tangent(&p.plane);
  p.o = ts_vector_cross(p.plane.normal, p.t);
  p.spacing = ts_round_number(ts_scope_size(scope) / 5.0);
  measure(scope, p.t, p.spacing, &p.t_low, &p.t_high);
  measure(scope, p.o, p.spacing, &p.o_low, &p.o_high);
  for (int i = 0; i < picture->placed_count && p.cut_count < OTHERS; ++i) {
    const ts_placed_shape *other = i != number ? plane_at(picture, i) : NULL;
    if (!other) continue;
    const ts_plane plane = ts_plane_of_shape(other->shape, &other->pose);
    const bool crosses = fabs(ts_vector_dot(plane.normal, p.plane.normal)) < 0.999;
    if (crosses && faces_eye(&plane, camera)) p.cuts[p.cut_count++] = plane;
  }
  return p;
}

static ts_vec3 on_patch(const patch *p, double along_t, double along_o)
{
  return ts_vector_add(ts_vector_scale(p->plane.offset, p->plane.normal),
                       ts_vector_add(ts_vector_scale(along_t, p->t), ts_vector_scale(along_o, p->o)));
}

static int cut_by_others(const patch *p, ts_vec3 *polygon, int count)
{
  for (int i = 0; i < p->cut_count; ++i) count = ts_polygon_cut(polygon, count, &p->cuts[i]);
  return count;
}

static int patch_corners(const patch *p, ts_vec3 corners[PATCH_CORNERS])
{
  corners[0] = on_patch(p, p->t_low, p->o_low);
  corners[1] = on_patch(p, p->t_high, p->o_low);
  corners[2] = on_patch(p, p->t_high, p->o_high);
  corners[3] = on_patch(p, p->t_low, p->o_high);
  return cut_by_others(p, corners, 4);
}

void ts_window_add_ground(ts_window *window, const ts_picture *picture, const ts_scope *scope, const ts_camera *camera)
{
  for (int i = 0; i < picture->placed_count; ++i) {
    if (!plane_at(picture, i)) continue;
    const patch p = make_patch(picture, i, scope, camera);
    ts_vec3 corners[PATCH_CORNERS];
    const int count = patch_corners(&p, corners);
    for (int k = 0; k < count; ++k) ts_window_add(window, camera, corners[k]);
  }
}

// ---- grid ----------------------------------------------------------------------------------------------------------

static void project_all(const ts_camera *camera, const ts_vec3 *points, int count, ts_point *projected)
{
  for (int i = 0; i < count; ++i) projected[i] = ts_camera_project(camera, points[i]);
}

// A line is a polygon of two corners to the cut, which leaves two of them or none (a third repeats an end).
static void draw_grid_line(const patch *p, ts_vec3 from, ts_vec3 to, ts_color color, const ts_camera *camera,
                           ts_canvas *canvas)
{
  ts_vec3 line[2 + OTHERS] = {from, to};
  ts_point seen[2 + OTHERS];
  const int count = cut_by_others(p, line, 2);
  project_all(camera, line, count, seen);
  ts_canvas_line(canvas, seen, count, false, 0.7, color);
}

static void draw_grid(const patch *p, ts_color color, const ts_camera *camera, ts_canvas *canvas)
{
  for (double t = p->t_low + p->spacing; t < p->t_high - 0.5 * p->spacing; t += p->spacing)
    draw_grid_line(p, on_patch(p, t, p->o_low), on_patch(p, t, p->o_high), color, camera, canvas);
  for (double o = p->o_low + p->spacing; o < p->o_high - 0.5 * p->spacing; o += p->spacing)
    draw_grid_line(p, on_patch(p, p->t_low, o), on_patch(p, p->t_high, o), color, camera, canvas);
}

// ---- shadows -------------------------------------------------------------------------------------------------------

enum { CIRCLE = 40 };

static ts_point *circle_points(const patch *p, const ts_placed_shape *ball, int *count, ts_heap *heap)
{
  ts_point *points = ts_heap_zeros(heap, CIRCLE, sizeof *points);
  *count = points ? CIRCLE : 0;
  for (int i = 0; i < *count; ++i) {
    const double angle = 2.0 * TS_PI * i / CIRCLE, r = ball->shape->radius;
    points[i] = (ts_point){ts_vector_dot(p->t, ball->pose.position) + r * cos(angle),
                           ts_vector_dot(p->o, ball->pose.position) + r * sin(angle)};
  }
  return points;
}

// Points of a solid whose outline is its shadow, in the coordinates t and o of the patch.
// NULL: memory ran out.
static ts_point *shadow_points(const patch *p, const ts_placed_shape *solid, int *count, ts_heap *heap)
{
  if (solid->shape->kind == TS_SHAPE_SPHERE) return circle_points(p, solid, count, heap);
  ts_surface surface;
  ts_surface_init(&surface, solid->shape, &solid->pose, heap);
  ts_point *points = ts_heap_zeros(heap, (size_t)surface.corner_count, sizeof *points);
  for (int i = 0; points && i < surface.corner_count; ++i)
    points[i] = (ts_point){ts_vector_dot(p->t, surface.corners[i]), ts_vector_dot(p->o, surface.corners[i])};
  *count = points ? ts_points_outline(points, surface.corner_count, heap) : 0;
  ts_surface_destroy(&surface);
  return points;
}

// Cut down to the rectangle and by the other planes.
static int cut_to_patch(const patch *p, ts_vec3 *polygon, int count)
{
  const ts_plane sides[4] = {{p->t, p->t_low},
                             {ts_vector_scale(-1.0, p->t), -p->t_high},
                             {p->o, p->o_low},
                             {ts_vector_scale(-1.0, p->o), -p->o_high}};
  for (int i = 0; i < 4; ++i) count = ts_polygon_cut(polygon, count, &sides[i]);
  return cut_by_others(p, polygon, count);
}

static ts_point mean(const ts_point *points, int count)
{
  ts_point sum = {0.0, 0.0};
  for (int i = 0; i < count; ++i) sum = (ts_point){sum.x + points[i].x / count, sum.y + points[i].y / count};
  return sum;
}

// Three sizes over each other make a soft rim, wider and fainter the higher the solid is above the ground.
static void draw_layers(const patch *p, const ts_point *outline, int count, double height, const ts_camera *camera,
                        ts_canvas *canvas)
{
  const ts_point centre = mean(outline, count);
  const double size = count > 0 ? hypot(outline[0].x - centre.x, outline[0].y - centre.y) : 0.0;
  const double lift = height / fmax(size, 1e-300), blur = 0.06 + 0.1 * fmin(lift, 2.0);
  const size_t room = (size_t)count + 4 + OTHERS;
  ts_vec3 *polygon = ts_heap_zeros(&canvas->heap, room, sizeof *polygon);
  ts_point *seen = ts_heap_zeros(&canvas->heap, room, sizeof *seen);
  const bool visible = lift < 4.0 && polygon && seen; // from higher up nothing is seen of it
  for (int layer = -1; layer <= 1 && visible; ++layer) {
    const double scale = 1.0 + layer * blur;
    for (int i = 0; i < count; ++i)
      polygon[i] =
          on_patch(p, centre.x + scale * (outline[i].x - centre.x), centre.y + scale * (outline[i].y - centre.y));
    const int left = cut_to_patch(p, polygon, count);
    project_all(camera, polygon, left, seen);
    ts_canvas_fill(canvas, seen, left, ts_color_with_opacity(ts_color_gray(0.0), 0.08 / (1.0 + lift * lift)));
  }
  free(seen);
  free(polygon);
}

static void draw_shadow(const patch *p, const ts_placed_shape *solid, double height, const ts_camera *camera,
                        ts_canvas *canvas)
{
  int count = 0;
  ts_point *outline = shadow_points(p, solid, &count, &canvas->heap);
  if (outline) draw_layers(p, outline, count, height, camera, canvas);
  free(outline);
}

static void draw_shadows(const ts_picture *picture, const patch *p, double size, const ts_camera *camera,
                         ts_canvas *canvas)
{
  const bool carries = ts_vector_dot(p->plane.normal, ts_vector_unit(picture->gravity)) < -0.3; // no shadows on walls
  for (int i = 0; carries && i < picture->placed_count; ++i) {
    const ts_placed_shape *solid = &picture->placed[i];
    const ts_shape_kind kind = solid->shape->kind;
    if (kind == TS_SHAPE_PLANE || kind == TS_SHAPE_POINT || !ts_placed_shape_is_finite(solid)) continue;
    if (picture->moment_count > 1 && solid->moment < picture->moment_count - 1) continue; // of the present only
    const double height =
        -ts_placed_reach(solid->shape, &solid->pose, ts_vector_scale(-1.0, p->plane.normal)) - p->plane.offset;
    if (height < size) draw_shadow(p, solid, fmax(height, 0.0), camera, canvas);
  }
}

// ---- patches -------------------------------------------------------------------------------------------------------

static void draw_patch(const ts_picture *picture, const patch *p, const ts_scope *scope, bool behind, ts_color color,
                       const ts_camera *camera, ts_canvas *canvas)
{
  ts_vec3 corners[PATCH_CORNERS];
  ts_point seen[PATCH_CORNERS];
  const int count = patch_corners(p, corners);
  project_all(camera, corners, count, seen);
  ts_canvas_fill(canvas, seen, count,
                 ts_color_with_opacity(ts_color_mix(color, ts_color_gray(1.0), 0.72), behind ? 1.0 : 0.25));
  if (behind) {
    draw_grid(p, ts_color_mix(color, ts_color_gray(1.0), 0.2), camera, canvas);
    draw_shadows(picture, p, ts_scope_size(scope), camera, canvas);
  }
  ts_canvas_line(canvas, seen, count, true, 0.9, ts_color_mix(color, ts_color_gray(0.0), behind ? 0.15 : 0.0));
}

void ts_picture_draw_ground(const ts_picture *picture, const ts_scope *scope, const ts_camera *camera, bool behind,
                            ts_canvas *canvas)
{
  for (int i = 0; i < picture->placed_count; ++i) {
    const ts_placed_shape *placed = plane_at(picture, i);
    if (!placed) continue;
    const patch p = make_patch(picture, i, scope, camera);
    if (faces_eye(&p.plane, camera) == behind)
      draw_patch(picture, &p, scope, behind, ts_picture_look_of(picture, placed).surface, camera, canvas);
  }
}
