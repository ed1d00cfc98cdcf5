// Solids: shaded faces, those behind painted first.
#include "cli/picture.h"

#include "cli/color.h"
#include "cli/depth_order.h"
#include "cli/memory.h"
#include "cli/mesh.h"

#include <math.h>
#include <stdlib.h>

static const double OUTLINE_WIDTH = 1.1, EDGE_WIDTH = 0.8, POINT_RADIUS = 4.0; // [pixels]

// ---- light ---------------------------------------------------------------------------------------------------------

// From the upper left, over the shoulder of who looks: right, up, toward.
static const ts_vec3 light = {-0.42, 0.57, 0.706};

// 1 where the light falls straight on the surface, 0 on the far side. Half-Lambert: no part is plain black.
static double brightness(ts_vec3 normal)
{
  return 0.5 + 0.5 * cli_dot(normal, light);
}

static cli_color lit(cli_color color, double bright)
{
  static const double MIDDLE = 0.62; // the brightness that shows the colour itself
  if (bright > MIDDLE) return cli_mix(color, cli_gray(1.0), 0.75 * (bright - MIDDLE) / (1.0 - MIDDLE));
  return cli_mix(color, cli_gray(0.05), 0.75 * (MIDDLE - bright) / MIDDLE);
}

static ts_vec3 seen_normal(const cli_camera *camera, ts_vec3 normal)
{
  return (ts_vec3){cli_dot(camera->right, normal), cli_dot(camera->up, normal), cli_dot(camera->toward, normal)};
}

// ---- balls ---------------------------------------------------------------------------------------------------------

// Colours between the bright spot and the rim, each the mean over the rays to all sides of what the light gives there.
static cli_ball_shading ball_shading(cli_color color)
{
  enum { RAYS = 12 };
  cli_ball_shading shading = {.focus = {light.x, -light.y}};
  for (int stop = 0; stop < CLI_BALL_STOPS; ++stop) {
    const double share = (double)stop / (CLI_BALL_STOPS - 1);
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
static void draw_great_circle(const cli_placed *ball, ts_vec3 a, ts_vec3 b, const cli_camera *camera, cli_color color,
                              cli_canvas *canvas)
{
  enum { POINTS = 19 };
  a = cli_rotate(ball->pose.orientation, a);
  b = cli_rotate(ball->pose.orientation, b);
  const double nearest = atan2(cli_dot(camera->toward, b), cli_dot(camera->toward, a));
  cli_point arc[POINTS];
  for (int i = 0; i < POINTS; ++i) {
    const double angle = nearest + TS_PI * ((double)i / (POINTS - 1) - 0.5);
    const ts_vec3 out = cli_add(cli_scale(cos(angle), a), cli_scale(sin(angle), b));
    arc[i] = cli_project(camera, cli_add(ball->pose.position, cli_scale(ball->shape->radius, out)));
  }
  cli_line(canvas, arc, POINTS, false, EDGE_WIDTH, color);
}

static void draw_ball(const cli_placed *ball, cli_look look, const cli_camera *camera, cli_canvas *canvas)
{
  static const ts_vec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0};
  const cli_ball_shading shading = ball_shading(look.surface);
  const cli_point centre = cli_project(camera, ball->pose.position);
  const double radius = camera->scale * ball->shape->radius;
  cli_disc(canvas, centre, radius + 0.5 * OUTLINE_WIDTH, look.line); // of which the rim stays
  cli_ball(canvas, centre, radius - 0.5 * OUTLINE_WIDTH, &shading);
  const cli_color mark = cli_opacity(look.line, 0.55);
  if (radius > 6.0) { // smaller ones would be nothing but marks
    draw_great_circle(ball, x, y, camera, mark, canvas);
    draw_great_circle(ball, x, z, camera, mark, canvas);
  }
}

// ---- faces ---------------------------------------------------------------------------------------------------------

// Faces of a curved surface get a rim of their own colour, or thin light lines would show where they meet.
static void draw_face(const cli_point *corners, const cli_face *face, cli_look look, const cli_camera *camera,
                      cli_canvas *canvas)
{
  const cli_color shade = lit(look.surface, brightness(seen_normal(camera, face->normal)));
  cli_facet(canvas, corners, face->count, shade, EDGE_WIDTH, face->curved ? shade : look.line);
}

static void draw_mesh(const cli_placed *solid, cli_look look, const cli_camera *camera, cli_canvas *canvas)
{
  cli_mesh mesh;
  cli_mesh_init(&mesh, solid->shape, &solid->pose);
  cli_point *corners = cli_zeros((size_t)mesh.corner_count, sizeof *corners);
  for (int i = 0; i < mesh.corner_count; ++i) corners[i] = cli_project(camera, mesh.corners[i]);
  for (int curved = 1; curved >= 0; --curved) // so that rims of curved faces do not cover edges
    for (int i = 0; i < mesh.face_count; ++i) {
      const cli_face *face = &mesh.faces[i];
      if (face->curved == (curved == 1) && cli_dot(face->normal, camera->toward) > 1e-9)
        draw_face(corners + face->first, face, look, camera, canvas);
    }
  const int count = cli_outline(corners, mesh.corner_count);
  cli_line(canvas, corners, count, true, OUTLINE_WIDTH, look.line);
  free(corners);
  cli_mesh_destroy(&mesh);
}

// ---- all of them ---------------------------------------------------------------------------------------------------

static void draw_solid(const cli_picture *picture, const cli_placed *solid, const cli_camera *camera,
                       cli_canvas *canvas)
{
  const cli_look look = cli_look_of(picture, solid);
  if (solid->shape->kind == TS_SHAPE_SPHERE)
    draw_ball(solid, look, camera, canvas);
  else if (solid->shape->kind == TS_SHAPE_POINT)
    cli_disc(canvas, cli_project(camera, solid->pose.position), POINT_RADIUS, look.surface);
  else
    draw_mesh(solid, look, camera, canvas);
}

void cli_draw_solids(const cli_picture *picture, const cli_camera *camera, cli_canvas *canvas)
{
  const cli_placed **solids = cli_zeros((size_t)picture->placed_count, sizeof *solids);
  int count = 0;
  for (int i = 0; i < picture->placed_count; ++i)
    if (picture->placed[i].shape->kind != TS_SHAPE_PLANE && cli_can_be_drawn(&picture->placed[i]))
      solids[count++] = &picture->placed[i];
  int *order = cli_zeros((size_t)count, sizeof *order);
  cli_depth_order(solids, count, camera, order);
  for (int i = 0; i < count; ++i) draw_solid(picture, solids[order[i]], camera, canvas);
  free(order);
  free(solids);
}
