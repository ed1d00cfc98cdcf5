// Contacts: marks by what they stand for, forces as arrows, moments as arrows around, and their key.
#include "draw/picture.h"

#include "draw/color.h"
#include "draw/stroke_font.h"

#include "touchstone/vector.h"

#include <math.h>

static const ts_color force_color = {0.75, 0.05, 0.1, 1.0};

enum { KINDS = 3 }; // point, line, surface: dimensions of what touches

void ts_picture_draw_arrow(ts_point from, ts_point to, ts_color color, ts_canvas *canvas)
{
  const double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy);
  if (length < 1.0) return;
  const double x = dx / length, y = dy / length, head = fmin(9.0, 0.6 * length), half = 0.38 * head;
  const ts_point neck = {to.x - head * x, to.y - head * y};
  const ts_point tip[3] = {to, {neck.x - half * y, neck.y + half * x}, {neck.x + half * y, neck.y - half * x}};
  ts_canvas_segment(canvas, from, neck, 1.8, color);
  ts_canvas_fill(canvas, tip, 3, color);
}

// ---- scales --------------------------------------------------------------------------------------------------------

static double largest_force(const ts_picture *picture)
{
  double largest = 0.0;
  for (int i = 0; i < picture->force_count; ++i) largest = fmax(largest, ts_vector_length(picture->forces[i].force));
  return isfinite(largest) ? largest : 0.0;
}

// 0 where all are round-off of what forces do at a metre.
static double largest_moment(const ts_picture *picture)
{
  static const double ROUND_OFF = 1e-9; // [m]
  double largest = 0.0;
  for (int i = 0; i < picture->force_count; ++i) largest = fmax(largest, ts_vector_length(picture->forces[i].moment));
  return isfinite(largest) && largest > ROUND_OFF * largest_force(picture) ? largest : 0.0;
}

// Length of an arrow for 1 N [pixels]; 0: there are no forces.
static double force_scale(const ts_picture *picture, const ts_canvas *canvas)
{
  const double largest = largest_force(picture), side = fmin(canvas->width, canvas->height);
  return largest > 0.0 ? 0.16 * side / largest : 0.0;
}

// Radius of an arrow around for 1 N m [pixels]; 0: there are no moments.
static double moment_scale(const ts_picture *picture, const ts_canvas *canvas)
{
  const double largest = largest_moment(picture), side = fmin(canvas->width, canvas->height);
  return largest > 0.0 ? 0.05 * side / largest : 0.0;
}

// ---- contacts ------------------------------------------------------------------------------------------------------

// A disc for a point, a diamond for a line, a square for a surface; `size` is half of it.
static void fill_mark(ts_point at, int patch, double size, ts_color color, ts_canvas *canvas)
{
  const double d = 1.5 * size, s = 1.1 * size;
  const ts_point diamond[4] = {{at.x, at.y - d}, {at.x + d, at.y}, {at.x, at.y + d}, {at.x - d, at.y}};
  const ts_point square[4] = {{at.x - s, at.y - s}, {at.x + s, at.y - s}, {at.x + s, at.y + s}, {at.x - s, at.y + s}};
  if (patch == 0)
    ts_canvas_disc(canvas, at, size, color);
  else
    ts_canvas_fill(canvas, patch == 1 ? diamond : square, 4, color);
}

static void draw_mark(ts_point at, int patch, ts_canvas *canvas)
{
  const double size = patch == 0 ? 3.0 : 4.5;
  fill_mark(at, patch, size, ts_color_gray(1.0), canvas);
  fill_mark(at, patch, size - (patch == 0 ? 0.8 : 1.2), force_color, canvas);
}

// Three quarters of a turn about the moment, right-handed.
static void draw_moment(ts_point at, ts_vec3 moment, double radius, const ts_camera *camera, ts_canvas *canvas)
{
  enum { POINTS = 28 };
  static const double LEAST = 4.0; // [pixels]
  if (!(radius > LEAST)) return;
  const ts_vec3 axis = ts_vector_unit(moment);
  const ts_vec3 aside = fabs(axis.x) < 0.7 ? (ts_vec3){1.0, 0.0, 0.0} : (ts_vec3){0.0, 1.0, 0.0};
  const ts_vec3 u = ts_vector_unit(ts_vector_cross(axis, aside)), v = ts_vector_cross(axis, u);
  ts_point arc[POINTS];
  for (int k = 0; k < POINTS; ++k) {
    const double angle = 1.5 * TS_PI * k / (POINTS - 1), scale = radius / camera->scale;
    const ts_vec3 arm = ts_vector_add(ts_vector_scale(scale * cos(angle), u), ts_vector_scale(scale * sin(angle), v));
    const ts_point shift = ts_camera_project_direction(camera, arm);
    arc[k] = (ts_point){at.x + shift.x, at.y + shift.y};
  }
  ts_canvas_line(canvas, arc, POINTS - 3, false, 1.8, force_color);
  ts_picture_draw_arrow(arc[POINTS - 5], arc[POINTS - 1], force_color, canvas);
}

void ts_picture_draw_forces(const ts_picture *picture, const ts_camera *camera, ts_canvas *canvas)
{
  const double scale = force_scale(picture, canvas) / camera->scale, around = moment_scale(picture, canvas);
  for (int i = 0; i < picture->force_count; ++i) {
    const ts_picture_force *force = &picture->forces[i];
    const ts_point point = ts_camera_project(camera, force->point);
    const ts_point arrow = ts_camera_project_direction(camera, ts_vector_scale(scale, force->force));
    ts_picture_draw_arrow(point, (ts_point){point.x + arrow.x, point.y + arrow.y}, force_color, canvas);
    draw_moment(point, force->moment, around * ts_vector_length(force->moment), camera, canvas);
    draw_mark(point, force->patch, canvas);
  }
}

// ---- key -----------------------------------------------------------------------------------------------------------

// What marks mean, where there are lines or surfaces.
static void draw_kind_key(const ts_picture *picture, double right, double base, double letter, ts_canvas *canvas)
{
  static const char *const names[KINDS] = {"point", "line", "surface"};
  bool seen[KINDS] = {false};
  for (int i = 0; i < picture->force_count; ++i) seen[picture->forces[i].patch] = true;
  if (!seen[1] && !seen[2]) return;
  const double size = 0.9 * letter;
  for (int kind = KINDS - 1; kind >= 0; --kind) {
    if (!seen[kind]) continue;
    ts_canvas_text(canvas, (ts_point){right, base}, size, TS_ANCHOR_END, ts_color_gray(0.2), names[kind]);
    right -= size * ts_stroke_width(names[kind]) + 0.7 * letter;
    draw_mark((ts_point){right, base - 0.3 * letter}, kind, canvas);
    right -= 1.2 * letter;
  }
}

void ts_picture_draw_force_key(const ts_picture *picture, double right, double base, double letter, ts_canvas *canvas)
{
  const double scale = force_scale(picture, canvas), moment = largest_moment(picture);
  char text[48];
  draw_kind_key(picture, right, base - (moment > 0.0 ? 3.6 : 2.1) * letter, letter, canvas);
  if (moment > 0.0) {
    snprintf(text, sizeof text, "moment up to %.3g N m", moment);
    ts_canvas_text(canvas, (ts_point){right, base - 2.1 * letter}, 0.9 * letter, TS_ANCHOR_END, ts_color_gray(0.2),
                   text);
  }
  if (scale == 0.0) return;
  const double force = ts_round_number(largest_force(picture));
  snprintf(text, sizeof text, "contact force %g N", force);
  ts_picture_draw_arrow((ts_point){right - scale * force, base}, (ts_point){right, base}, force_color, canvas);
  ts_canvas_text(canvas, (ts_point){right, base - 0.6 * letter}, 0.9 * letter, TS_ANCHOR_END, ts_color_gray(0.2), text);
}
