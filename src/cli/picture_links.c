// Joints and springs, drawn over bodies: small marks and zigzag lines that keep their size whatever the scale.
#include "cli/picture.h"

#include "cli/color.h"

#include <math.h>

static const double mark_radius = 4.2, mark_line = 1.4, spring_line = 1.3; // [pixels]

static cli_color ink(void)
{
  return cli_gray(0.12);
}

// ---- springs -------------------------------------------------------------------------------------------------------

static cli_point along(cli_point from, cli_point to, double share, double side)
{
  const double x = to.x - from.x, y = to.y - from.y, length = hypot(x, y);
  return (cli_point){from.x + share * x - side * y / length, from.y + share * y + side * x / length};
}

// A line with teeth: as many for every spring, so that one that is drawn out looks it; straight where there is no room.
static void draw_spring(cli_point from, cli_point to, cli_canvas *canvas)
{
  enum { TEETH = 16, POINTS = TEETH + 4 };
  static const double lead = 0.12, tooth = 7.5; // share of the length before the teeth; their height [pixels]
  const double length = hypot(to.x - from.x, to.y - from.y);
  cli_point line[POINTS] = {[0] = from, [POINTS - 1] = to};
  if (length < 3.0 * tooth) {
    cli_segment(canvas, from, to, spring_line, ink());
  } else {
    line[1] = along(from, to, lead, 0.0);
    line[POINTS - 2] = along(from, to, 1.0 - lead, 0.0);
    for (int i = 0; i < TEETH; ++i)
      line[2 + i] = along(from, to, lead + (1.0 - 2.0 * lead) * (i + 0.5) / TEETH, i % 2 ? -tooth : tooth);
    cli_line(canvas, line, POINTS, false, spring_line + 1.6, cli_opacity(cli_gray(1.0), 0.6));
    cli_line(canvas, line, POINTS, false, spring_line, ink());
  }
  cli_disc(canvas, from, 2.4, ink());
  cli_disc(canvas, to, 2.4, ink());
}

// ---- joints --------------------------------------------------------------------------------------------------------

// A pin: white with a dark rim.
static void draw_pin(cli_point at, double radius, cli_canvas *canvas)
{
  cli_disc(canvas, at, radius + 0.5 * mark_line, ink());
  cli_disc(canvas, at, radius - 0.5 * mark_line, cli_gray(1.0));
}

// A pin with a dot: a ball in its socket.
static void draw_ball_mark(cli_point at, cli_canvas *canvas)
{
  draw_pin(at, mark_radius, canvas);
  cli_disc(canvas, at, 1.6, ink());
}

static void draw_square(cli_point at, cli_canvas *canvas)
{
  const double r = 0.9 * mark_radius;
  const cli_point square[4] = {{at.x - r, at.y - r}, {at.x + r, at.y - r}, {at.x + r, at.y + r}, {at.x - r, at.y + r}};
  cli_facet(canvas, square, 4, cli_gray(0.35), mark_line, ink());
}

// A piece of a direction on both sides of a point: true in length where it lies in the picture's plane, shorter where
// it comes towards the eye.
static void draw_axis(cli_point at, ts_vec3 axis, double reach, const cli_camera *camera, cli_canvas *canvas)
{
  const double x = reach * cli_dot(camera->right, axis), y = -reach * cli_dot(camera->up, axis);
  const cli_point from = {at.x - x, at.y - y}, to = {at.x + x, at.y + y};
  cli_segment(canvas, from, to, mark_line + 2.0, cli_opacity(cli_gray(1.0), 0.75));
  cli_segment(canvas, from, to, mark_line, ink());
}

// Two rails along the axis through the parent's point, as far as the child has gone.
static void draw_rails(const cli_link *link, const cli_camera *camera, cli_canvas *canvas)
{
  static const double gauge = 5.0, reach = 16.0; // [pixels]
  const cli_point rail = cli_project(camera, link->point[0]), block = cli_project(camera, link->point[1]);
  const cli_point direction = {cli_dot(camera->right, link->axis), -cli_dot(camera->up, link->axis)};
  const double length = hypot(direction.x, direction.y);
  if (length <= 0.05) return;
  const cli_point unit = {direction.x / length, direction.y / length};
  const double slid = (block.x - rail.x) * unit.x + (block.y - rail.y) * unit.y;
  const double from = fmin(slid, 0.0) - reach * length, to = fmax(slid, 0.0) + reach * length;
  for (int side = -1; side <= 1; side += 2) {
    const double x = rail.x - side * gauge * unit.y, y = rail.y + side * gauge * unit.x;
    cli_segment(canvas, (cli_point){x + from * unit.x, y + from * unit.y},
                (cli_point){x + to * unit.x, y + to * unit.y}, mark_line, ink());
  }
}

// A thin line to a body that is not where its joint is.
static void draw_stems(const cli_link *link, const cli_camera *camera, cli_canvas *canvas)
{
  for (int side = 0; side < 2; ++side) {
    const cli_point from = cli_project(camera, link->point[side]), to = cli_project(camera, link->stem[side]);
    if (hypot(to.x - from.x, to.y - from.y) > mark_radius) cli_segment(canvas, from, to, 1.0, cli_gray(0.35));
  }
}

static void draw_mark(ts_joint_mark mark, cli_point at, cli_canvas *canvas)
{
  switch (mark) {
  case TS_MARK_BLOCK:
    draw_square(at, canvas);
    break;
  case TS_MARK_PIN:
    draw_pin(at, mark_radius, canvas);
    break;
  case TS_MARK_BALL:
    draw_ball_mark(at, canvas);
    break;
  }
}

// An axis normal to the plane is not to be seen.
static void draw_joint(const cli_link *link, bool planar, const cli_camera *camera, cli_canvas *canvas)
{
  static const double reach = 15.0; // [pixels]
  const ts_joint_traits *traits = ts_joint_kind_traits(link->kind);
  const cli_point at = cli_project(camera, link->point[1]);
  draw_stems(link, camera, canvas);
  if (traits->has_rails) {
    draw_rails(link, camera, canvas);
  } else if (!planar) {
    if (traits->axes > 0) draw_axis(at, link->axis, reach, camera, canvas);
    if (traits->axes > 1) draw_axis(at, link->axis2, reach, camera, canvas);
  }
  draw_mark(traits->mark, at, canvas);
}

// ---- both ----------------------------------------------------------------------------------------------------------

bool cli_link_can_be_drawn(const cli_link *link)
{
  for (int side = 0; side < 2; ++side)
    if (!cli_is_finite(link->point[side]) || !cli_is_finite(link->stem[side])) return false;
  return cli_is_finite(link->axis) && cli_is_finite(link->axis2);
}

void cli_draw_links(const cli_picture *picture, const cli_camera *camera, cli_canvas *canvas)
{
  for (int i = 0; i < picture->link_count; ++i) {
    const cli_link *link = &picture->links[i];
    if (!cli_link_can_be_drawn(link)) continue;
    if (link->is_spring)
      draw_spring(cli_project(camera, link->point[0]), cli_project(camera, link->point[1]), canvas);
    else
      draw_joint(link, picture->planar, camera, canvas);
  }
}
