// Joints and springs, drawn over bodies: small marks and zigzag lines that keep their size whatever the scale.
#include "draw/picture.h"

#include "draw/color.h"

#include <math.h>

static const double MARK_RADIUS = 4.2, MARK_LINE = 1.4, SPRING_LINE = 1.3; // [pixels]

static ts_color ink(void)
{
  return ts_color_gray(0.12);
}

// ---- springs -------------------------------------------------------------------------------------------------------

static ts_point along(ts_point from, ts_point to, double share, double side)
{
  const double x = to.x - from.x, y = to.y - from.y, length = hypot(x, y);
  return (ts_point){from.x + share * x - side * y / length, from.y + share * y + side * x / length};
}

// A line with teeth: as many for every spring, so that one that is drawn out looks it; straight where there is no room.
static void draw_spring(ts_point from, ts_point to, ts_canvas *canvas)
{
  enum { TEETH = 16, POINTS = TEETH + 4 };
  static const double LEAD = 0.12, TOOTH = 7.5; // share of the length before the teeth; their height [pixels]
  const double length = hypot(to.x - from.x, to.y - from.y);
  ts_point line[POINTS] = {[0] = from, [POINTS - 1] = to};
  if (length < 3.0 * TOOTH) {
    ts_canvas_segment(canvas, from, to, SPRING_LINE, ink());
  } else {
    line[1] = along(from, to, LEAD, 0.0);
    line[POINTS - 2] = along(from, to, 1.0 - LEAD, 0.0);
    for (int i = 0; i < TEETH; ++i)
      line[2 + i] = along(from, to, LEAD + (1.0 - 2.0 * LEAD) * (i + 0.5) / TEETH, i % 2 ? -TOOTH : TOOTH);
    ts_canvas_line(canvas, line, POINTS, false, SPRING_LINE + 1.6, ts_color_with_opacity(ts_color_gray(1.0), 0.6));
    ts_canvas_line(canvas, line, POINTS, false, SPRING_LINE, ink());
  }
  ts_canvas_disc(canvas, from, 2.4, ink());
  ts_canvas_disc(canvas, to, 2.4, ink());
}

// ---- joints --------------------------------------------------------------------------------------------------------

// A pin: white with a dark rim.
static void draw_pin(ts_point at, double radius, ts_canvas *canvas)
{
  ts_canvas_disc(canvas, at, radius + 0.5 * MARK_LINE, ink());
  ts_canvas_disc(canvas, at, radius - 0.5 * MARK_LINE, ts_color_gray(1.0));
}

// A pin with a dot: a ball in its socket.
static void draw_ball_mark(ts_point at, ts_canvas *canvas)
{
  draw_pin(at, MARK_RADIUS, canvas);
  ts_canvas_disc(canvas, at, 1.6, ink());
}

static void draw_square(ts_point at, ts_canvas *canvas)
{
  const double r = 0.9 * MARK_RADIUS;
  const ts_point square[4] = {{at.x - r, at.y - r}, {at.x + r, at.y - r}, {at.x + r, at.y + r}, {at.x - r, at.y + r}};
  ts_canvas_facet(canvas, square, 4, ts_color_gray(0.35), MARK_LINE, ink());
}

// A piece of a direction on both sides of a point: true in length where it lies in the picture's plane, shorter where
// it comes towards the eye.
static void draw_axis(ts_point at, ts_vec3 axis, double reach, const ts_camera *camera, ts_canvas *canvas)
{
  const double x = reach * ts_vector_dot(camera->right, axis), y = -reach * ts_vector_dot(camera->up, axis);
  const ts_point from = {at.x - x, at.y - y}, to = {at.x + x, at.y + y};
  ts_canvas_segment(canvas, from, to, MARK_LINE + 2.0, ts_color_with_opacity(ts_color_gray(1.0), 0.75));
  ts_canvas_segment(canvas, from, to, MARK_LINE, ink());
}

// Two rails along the axis through the parent's point, as far as the child has gone.
static void draw_rails(const ts_picture_link *link, const ts_camera *camera, ts_canvas *canvas)
{
  static const double GAUGE = 5.0, REACH = 16.0; // [pixels]
  const ts_point rail = ts_camera_project(camera, link->point[0]), block = ts_camera_project(camera, link->point[1]);
  const ts_point direction = {ts_vector_dot(camera->right, link->axis), -ts_vector_dot(camera->up, link->axis)};
  const double length = hypot(direction.x, direction.y);
  if (length <= 0.05) return;
  const ts_point unit = {direction.x / length, direction.y / length};
  const double slid = (block.x - rail.x) * unit.x + (block.y - rail.y) * unit.y;
  const double from = fmin(slid, 0.0) - REACH * length, to = fmax(slid, 0.0) + REACH * length;
  for (int side = -1; side <= 1; side += 2) {
    const double x = rail.x - side * GAUGE * unit.y, y = rail.y + side * GAUGE * unit.x;
    ts_canvas_segment(canvas, (ts_point){x + from * unit.x, y + from * unit.y},
                      (ts_point){x + to * unit.x, y + to * unit.y}, MARK_LINE, ink());
  }
}

// A thin line to a body that is not where its joint is.
static void draw_stems(const ts_picture_link *link, const ts_camera *camera, ts_canvas *canvas)
{
  for (int side = 0; side < 2; ++side) {
    const ts_point from = ts_camera_project(camera, link->point[side]),
                   to = ts_camera_project(camera, link->stem[side]);
    if (hypot(to.x - from.x, to.y - from.y) > MARK_RADIUS)
      ts_canvas_segment(canvas, from, to, 1.0, ts_color_gray(0.35));
  }
}

static void draw_mark(ts_joint_mark mark, ts_point at, ts_canvas *canvas)
{
  switch (mark) {
  case TS_MARK_BLOCK:
    draw_square(at, canvas);
    break;
  case TS_MARK_PIN:
    draw_pin(at, MARK_RADIUS, canvas);
    break;
  case TS_MARK_BALL:
    draw_ball_mark(at, canvas);
    break;
  }
}

// An axis normal to the plane is not to be seen.
static void draw_joint(const ts_picture_link *link, bool planar, const ts_camera *camera, ts_canvas *canvas)
{
  static const double REACH = 15.0; // [pixels]
  const ts_joint_traits *traits = ts_joint_kind_traits(link->kind);
  const ts_point at = ts_camera_project(camera, link->point[1]);
  draw_stems(link, camera, canvas);
  if (traits->has_rails) {
    draw_rails(link, camera, canvas);
  } else if (!planar) {
    if (traits->axes > 0) draw_axis(at, link->axis, REACH, camera, canvas);
    if (traits->axes > 1) draw_axis(at, link->axis2, REACH, camera, canvas);
  }
  draw_mark(traits->mark, at, canvas);
}

// ---- both ----------------------------------------------------------------------------------------------------------

bool ts_picture_link_is_finite(const ts_picture_link *link)
{
  for (int side = 0; side < 2; ++side)
    if (!ts_vector_is_finite(link->point[side]) || !ts_vector_is_finite(link->stem[side])) return false;
  return ts_vector_is_finite(link->axis) && ts_vector_is_finite(link->axis2);
}

void ts_picture_draw_links(const ts_picture *picture, const ts_camera *camera, ts_canvas *canvas)
{
  for (int i = 0; i < picture->link_count; ++i) {
    const ts_picture_link *link = &picture->links[i];
    if (!ts_picture_link_is_finite(link)) continue;
    if (link->is_spring)
      draw_spring(ts_camera_project(camera, link->point[0]), ts_camera_project(camera, link->point[1]), canvas);
    else
      draw_joint(link, picture->planar, camera, canvas);
  }
}
