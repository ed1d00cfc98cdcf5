// Bodies of the plane: outlines, and ground with hatching.
#include "cli/picture.h"

#include "cli/color.h"
#include "cli/memory.h"

#include <math.h>
#include <stdlib.h>

static const double OUTLINE_WIDTH = 1.4, GROUND_WIDTH = 1.8, POINT_RADIUS = 4.0; // [pixels]
static const double HATCH_STEP = 13.0, HATCH_LENGTH = 11.0;                      // [pixels]

// ---- ground --------------------------------------------------------------------------------------------------------

// Short lines that fall back from the boundary, which runs along `along` through `foot`.
static void hatch(cli_point foot, cli_point along, cli_point inward, double reach, cli_color color, cli_canvas *canvas)
{
  const int most = (int)(reach / HATCH_STEP) + 1;
  for (int i = -most; i <= most; ++i) {
    const cli_point from = {foot.x + i * HATCH_STEP * along.x, foot.y + i * HATCH_STEP * along.y};
    const cli_point to = {from.x + HATCH_LENGTH * (inward.x - 0.6 * along.x),
                          from.y + HATCH_LENGTH * (inward.y - 0.6 * along.y)};
    const bool seen = from.x > -HATCH_LENGTH && from.x < canvas->width + HATCH_LENGTH && from.y > -HATCH_LENGTH &&
                      from.y < canvas->height + HATCH_LENGTH;
    if (seen) cli_segment(canvas, from, to, 0.9, color);
  }
}

static void draw_half_plane(const cli_placed *ground, cli_color color, const cli_camera *camera, cli_canvas *canvas)
{
  const cli_plane plane = cli_plane_of(ground->shape, &ground->pose);
  // the boundary point nearest to the middle of the picture: there hatching begins, and from there all of it is reached
  const cli_point middle = {0.5 * canvas->width, 0.5 * canvas->height};
  const ts_vec3 centre = {(middle.x - camera->origin.x) / camera->scale, (camera->origin.y - middle.y) / camera->scale,
                          0.0};
  const ts_vec3 nearest = cli_subtract(centre, cli_scale(cli_height(&plane, centre), plane.normal));
  const cli_point foot = cli_project(camera, nearest);
  const cli_point inward = {-plane.normal.x, plane.normal.y}, along = {plane.normal.y, plane.normal.x};
  const double reach = hypot(canvas->width, canvas->height);
  const cli_point left = {foot.x - reach * along.x, foot.y - reach * along.y};
  const cli_point right = {foot.x + reach * along.x, foot.y + reach * along.y};
  const double depth = reach + fabs(foot.x - middle.x) + fabs(foot.y - middle.y);
  const cli_point area[4] = {left,
                             right,
                             {right.x + depth * inward.x, right.y + depth * inward.y},
                             {left.x + depth * inward.x, left.y + depth * inward.y}};
  cli_fill(canvas, area, 4, cli_mix(color, cli_gray(1.0), 0.75));
  hatch(foot, along, inward, reach, cli_mix(color, cli_gray(0.0), 0.35), canvas);
  cli_segment(canvas, left, right, GROUND_WIDTH, cli_mix(color, cli_gray(0.0), 0.6));
}

// ---- bodies --------------------------------------------------------------------------------------------------------

// Light inside, so that what overlaps stays visible.
static cli_look flat_look(const cli_picture *picture, const cli_placed *placed)
{
  const cli_look look = cli_look_of(picture, placed);
  const bool past = placed->moment < picture->moment_count - 1 && placed->kind != TS_FIXED;
  return (cli_look){cli_opacity(cli_mix(look.surface, cli_gray(1.0), 0.45), past ? 0.5 : 0.9), look.line};
}

static void draw_outline(const cli_point *outline, int count, const cli_look *look, cli_canvas *canvas)
{
  cli_facet(canvas, outline, count, look->surface, OUTLINE_WIDTH, look->line);
}

// With a spoke along local x, which shows how it turns.
static void draw_disc(const cli_placed *disc, const cli_look *look, const cli_camera *camera, cli_canvas *canvas)
{
  enum { POINTS = 72 };
  cli_point circle[POINTS];
  for (int i = 0; i < POINTS; ++i) {
    const double angle = 2.0 * TS_PI * i / POINTS, r = disc->shape->radius;
    circle[i] = cli_project(camera, cli_place(&disc->pose, (ts_vec3){r * cos(angle), r * sin(angle), 0.0}));
  }
  draw_outline(circle, POINTS, look, canvas);
  cli_segment(canvas, cli_project(camera, disc->pose.position), circle[0], OUTLINE_WIDTH, look->line);
}

static void draw_polygon(const cli_placed *polygon, const cli_look *look, const cli_camera *camera, cli_canvas *canvas)
{
  const int count = polygon->shape->vertex_count;
  cli_point *outline = cli_zeros((size_t)count, sizeof *outline);
  for (int i = 0; i < count; ++i)
    outline[i] = cli_project(camera, cli_place(&polygon->pose, polygon->shape->vertices[i]));
  draw_outline(outline, count, look, canvas);
  free(outline);
}

static void draw_body(const cli_picture *picture, const cli_placed *placed, const cli_camera *camera,
                      cli_canvas *canvas)
{
  const cli_look look = flat_look(picture, placed);
  if (placed->shape->kind == TS_SHAPE_DISC)
    draw_disc(placed, &look, camera, canvas);
  else if (placed->shape->kind == TS_SHAPE_POLYGON)
    draw_polygon(placed, &look, camera, canvas);
  else if (placed->shape->kind == TS_SHAPE_POINT)
    cli_disc(canvas, cli_project(camera, placed->pose.position), POINT_RADIUS, look.line);
}

// Ground first, then what stands still, then what moves, the past first.
void cli_draw_flat(const cli_picture *picture, const cli_camera *camera, cli_canvas *canvas)
{
  for (int i = 0; i < picture->placed_count; ++i) {
    const cli_placed *placed = &picture->placed[i];
    const bool latest = placed->moment == picture->moment_count - 1;
    if (placed->shape->kind == TS_SHAPE_PLANE && latest && cli_can_be_drawn(placed))
      draw_half_plane(placed, cli_look_of(picture, placed).surface, camera, canvas);
  }
  for (int i = 0; i < picture->placed_count; ++i)
    if (picture->placed[i].kind == TS_FIXED && cli_can_be_drawn(&picture->placed[i]))
      draw_body(picture, &picture->placed[i], camera, canvas);
  for (int moment = 0; moment < picture->moment_count; ++moment)
    for (int i = 0; i < picture->placed_count; ++i) {
      const cli_placed *placed = &picture->placed[i];
      if (placed->kind != TS_FIXED && placed->moment == moment && cli_can_be_drawn(placed))
        draw_body(picture, placed, camera, canvas);
    }
}
