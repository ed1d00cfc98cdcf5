// Half-spaces: patches of a grid with shadows.
#include "cli/picture.h"

#include "cli/color.h"
#include "cli/memory.h"
#include "cli/mesh.h"

#include <math.h>
#include <stdlib.h>

enum { PATCH_CORNERS = 64, OTHERS = 24 }; // more planes than that cut no corners off each other

// What is shown of a plane: a rectangle along t and o about the foot of the stage, cut where other planes stand on it.
typedef struct patch {
  cli_plane plane;
  ts_vec3 t, o;                                 // directions along the plane
  double t_low, t_high, o_low, o_high, spacing; // of the rectangle, and of the grid's lines [m]
  cli_plane cuts[OTHERS];
  int cut_count;
} patch;

static bool faces_eye(const cli_plane *plane, const cli_camera *camera)
{
  return cli_dot(plane->normal, camera->toward) > 1e-6;
}

static const cli_placed *plane_at(const cli_picture *picture, int i)
{
  const cli_placed *placed = &picture->placed[i];
  const bool latest = placed->kind == TS_FIXED || placed->moment == picture->moment_count - 1;
  return placed->shape->kind == TS_SHAPE_PLANE && latest && cli_can_be_drawn(placed) ? placed : NULL;
}

static void measure(const cli_stage *stage, ts_vec3 direction, double spacing, double *low, double *high)
{
  *low = INFINITY;
  *high = -INFINITY;
  for (int i = 0; i < 8; ++i) {
    const double along = cli_dot(direction, cli_stage_corner(stage, i));
    *low = fmin(*low, along);
    *high = fmax(*high, along);
  }
  *low = spacing * floor(*low / spacing - 0.5); // whole squares, with room around
  *high = spacing * ceil(*high / spacing + 0.5);
}

static patch make_patch(const cli_picture *picture, int number, const cli_stage *stage, const cli_camera *camera)
{
  const cli_placed *placed = &picture->placed[number];
  patch p = {.plane = cli_plane_of(placed->shape, &placed->pose)};
  p.t = cli_plane_tangent(&p.plane);
  p.o = cli_cross(p.plane.normal, p.t);
  p.spacing = cli_round_number(cli_stage_size(stage) / 5.0);
  measure(stage, p.t, p.spacing, &p.t_low, &p.t_high);
  measure(stage, p.o, p.spacing, &p.o_low, &p.o_high);
  for (int i = 0; i < picture->placed_count && p.cut_count < OTHERS; ++i) {
    const cli_placed *other = i != number ? plane_at(picture, i) : NULL;
    if (!other) continue;
    const cli_plane plane = cli_plane_of(other->shape, &other->pose);
    const bool crosses = fabs(cli_dot(plane.normal, p.plane.normal)) < 0.999;
    if (crosses && faces_eye(&plane, camera)) p.cuts[p.cut_count++] = plane;
  }
  return p;
}

static ts_vec3 on_patch(const patch *p, double along_t, double along_o)
{
  return cli_add(cli_scale(p->plane.offset, p->plane.normal),
                 cli_add(cli_scale(along_t, p->t), cli_scale(along_o, p->o)));
}

static int cut_by_others(const patch *p, ts_vec3 *polygon, int count)
{
  for (int i = 0; i < p->cut_count; ++i) count = cli_cut(polygon, count, &p->cuts[i]);
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

void cli_window_add_ground(cli_window *window, const cli_picture *picture, const cli_stage *stage,
                           const cli_camera *camera)
{
  for (int i = 0; i < picture->placed_count; ++i) {
    if (!plane_at(picture, i)) continue;
    const patch p = make_patch(picture, i, stage, camera);
    ts_vec3 corners[PATCH_CORNERS];
    const int count = patch_corners(&p, corners);
    for (int k = 0; k < count; ++k) cli_window_add(window, camera, corners[k]);
  }
}

// ---- grid ----------------------------------------------------------------------------------------------------------

static void project_all(const cli_camera *camera, const ts_vec3 *points, int count, cli_point *projected)
{
  for (int i = 0; i < count; ++i) projected[i] = cli_project(camera, points[i]);
}

// A line is a polygon of two corners to the cut, which leaves two of them or none (a third repeats an end).
static void draw_grid_line(const patch *p, ts_vec3 from, ts_vec3 to, cli_color color, const cli_camera *camera,
                           cli_canvas *canvas)
{
  ts_vec3 line[2 + OTHERS] = {from, to};
  cli_point seen[2 + OTHERS];
  const int count = cut_by_others(p, line, 2);
  project_all(camera, line, count, seen);
  cli_line(canvas, seen, count, false, 0.7, color);
}

static void draw_grid(const patch *p, cli_color color, const cli_camera *camera, cli_canvas *canvas)
{
  for (double t = p->t_low + p->spacing; t < p->t_high - 0.5 * p->spacing; t += p->spacing)
    draw_grid_line(p, on_patch(p, t, p->o_low), on_patch(p, t, p->o_high), color, camera, canvas);
  for (double o = p->o_low + p->spacing; o < p->o_high - 0.5 * p->spacing; o += p->spacing)
    draw_grid_line(p, on_patch(p, p->t_low, o), on_patch(p, p->t_high, o), color, camera, canvas);
}

// ---- shadows -------------------------------------------------------------------------------------------------------

enum { CIRCLE = 40 };

// Points of a solid whose outline is its shadow, in the coordinates t and o of the patch.
static cli_point *shadow_points(const patch *p, const cli_placed *solid, int *count)
{
  cli_point *points = NULL;
  if (solid->shape->kind == TS_SHAPE_SPHERE) {
    points = cli_zeros(CIRCLE, sizeof *points);
    *count = CIRCLE;
    for (int i = 0; i < CIRCLE; ++i) {
      const double angle = 2.0 * TS_PI * i / CIRCLE, r = solid->shape->radius;
      points[i] = (cli_point){cli_dot(p->t, solid->pose.position) + r * cos(angle),
                              cli_dot(p->o, solid->pose.position) + r * sin(angle)};
    }
    return points;
  }
  cli_mesh mesh;
  cli_mesh_init(&mesh, solid->shape, &solid->pose);
  points = cli_zeros((size_t)mesh.corner_count, sizeof *points);
  for (int i = 0; i < mesh.corner_count; ++i)
    points[i] = (cli_point){cli_dot(p->t, mesh.corners[i]), cli_dot(p->o, mesh.corners[i])};
  *count = cli_outline(points, mesh.corner_count);
  cli_mesh_destroy(&mesh);
  return points;
}

// Cut down to the rectangle and by the other planes.
static int cut_to_patch(const patch *p, ts_vec3 *polygon, int count)
{
  const cli_plane sides[4] = {
      {p->t, p->t_low}, {cli_scale(-1.0, p->t), -p->t_high}, {p->o, p->o_low}, {cli_scale(-1.0, p->o), -p->o_high}};
  for (int i = 0; i < 4; ++i) count = cli_cut(polygon, count, &sides[i]);
  return cut_by_others(p, polygon, count);
}

static cli_point mean(const cli_point *points, int count)
{
  cli_point sum = {0.0, 0.0};
  for (int i = 0; i < count; ++i) sum = (cli_point){sum.x + points[i].x / count, sum.y + points[i].y / count};
  return sum;
}

// Three sizes over each other make a soft rim, wider and fainter the higher the solid is above the ground.
static void draw_shadow(const patch *p, const cli_placed *solid, double height, const cli_camera *camera,
                        cli_canvas *canvas)
{
  int count = 0;
  cli_point *outline = shadow_points(p, solid, &count);
  const cli_point centre = mean(outline, count);
  const double size = count > 0 ? hypot(outline[0].x - centre.x, outline[0].y - centre.y) : 0.0;
  const double lift = height / fmax(size, 1e-300), blur = 0.06 + 0.1 * fmin(lift, 2.0);
  ts_vec3 *polygon = cli_zeros((size_t)count + 4 + OTHERS, sizeof *polygon);
  cli_point *seen = cli_zeros((size_t)count + 4 + OTHERS, sizeof *seen);
  for (int layer = -1; layer <= 1 && lift < 4.0; ++layer) { // from higher up nothing is seen of it
    const double scale = 1.0 + layer * blur;
    for (int i = 0; i < count; ++i)
      polygon[i] =
          on_patch(p, centre.x + scale * (outline[i].x - centre.x), centre.y + scale * (outline[i].y - centre.y));
    const int left = cut_to_patch(p, polygon, count);
    project_all(camera, polygon, left, seen);
    cli_fill(canvas, seen, left, cli_opacity(cli_gray(0.0), 0.08 / (1.0 + lift * lift)));
  }
  free(seen);
  free(polygon);
  free(outline);
}

static void draw_shadows(const cli_picture *picture, const patch *p, double size, const cli_camera *camera,
                         cli_canvas *canvas)
{
  const bool carries = cli_dot(p->plane.normal, cli_unit(picture->gravity)) < -0.3; // no shadows on walls
  for (int i = 0; carries && i < picture->placed_count; ++i) {
    const cli_placed *solid = &picture->placed[i];
    const ts_shape_kind kind = solid->shape->kind;
    if (kind == TS_SHAPE_PLANE || kind == TS_SHAPE_POINT || !cli_can_be_drawn(solid)) continue;
    if (picture->moment_count > 1 && solid->moment < picture->moment_count - 1) continue; // of the present only
    const double height = -cli_reach(solid->shape, &solid->pose, cli_scale(-1.0, p->plane.normal)) - p->plane.offset;
    if (height < size) draw_shadow(p, solid, fmax(height, 0.0), camera, canvas);
  }
}

// ---- patches -------------------------------------------------------------------------------------------------------

static void draw_patch(const cli_picture *picture, const patch *p, const cli_stage *stage, bool behind, cli_color color,
                       const cli_camera *camera, cli_canvas *canvas)
{
  ts_vec3 corners[PATCH_CORNERS];
  cli_point seen[PATCH_CORNERS];
  const int count = patch_corners(p, corners);
  project_all(camera, corners, count, seen);
  cli_fill(canvas, seen, count, cli_opacity(cli_mix(color, cli_gray(1.0), 0.72), behind ? 1.0 : 0.25));
  if (behind) {
    draw_grid(p, cli_mix(color, cli_gray(1.0), 0.2), camera, canvas);
    draw_shadows(picture, p, cli_stage_size(stage), camera, canvas);
  }
  cli_line(canvas, seen, count, true, 0.9, cli_mix(color, cli_gray(0.0), behind ? 0.15 : 0.0));
}

void cli_draw_ground(const cli_picture *picture, const cli_stage *stage, const cli_camera *camera, bool behind,
                     cli_canvas *canvas)
{
  for (int i = 0; i < picture->placed_count; ++i) {
    const cli_placed *placed = plane_at(picture, i);
    if (!placed) continue;
    const patch p = make_patch(picture, i, stage, camera);
    if (faces_eye(&p.plane, camera) == behind)
      draw_patch(picture, &p, stage, behind, cli_look_of(picture, placed).surface, camera, canvas);
  }
}
