// What is written and drawn on top of bodies: trails, names, title, times, scale, axes.
#include "draw/picture.h"

#include "draw/color.h"
#include "draw/stroke_font.h"

#include <math.h>
#include <stdlib.h>

// ---- trails --------------------------------------------------------------------------------------------------------

// Points nearer to the last one than half a pixel would only make the file large.
void ts_picture_draw_trails(const ts_picture *picture, const ts_camera *camera, ts_canvas *canvas)
{
  for (int i = 0; i < picture->trail_count; ++i) {
    const ts_picture_trail *trail = &picture->trails[i];
    ts_point *line = ts_heap_zeros(&canvas->heap, (size_t)trail->count, sizeof *line);
    if (!line) return;
    int count = 0;
    for (int k = 0; k < trail->count; ++k) {
      const ts_point point = ts_camera_project(camera, trail->points[k]);
      const bool last = k + 1 == trail->count;
      if (count == 0 || last || hypot(point.x - line[count - 1].x, point.y - line[count - 1].y) > 0.5)
        line[count++] = point;
    }
    const ts_color color = ts_color_palette(trail->body % (TS_PALETTE_SIZE - 1));
    ts_canvas_line(canvas, line, count, false, 1.4, ts_color_mix(color, ts_color_gray(0.0), 0.25));
    free(line);
  }
}

// ---- notes in the margins ------------------------------------------------------------------------------------------

static const double SIDE = 1.6, TITLE_LINE = 1.5, NOTE_LINE = 1.4; // [letters]

double ts_picture_font_size(const ts_canvas *canvas)
{
  const int side = canvas->width < canvas->height ? canvas->width : canvas->height;
  return fmin(fmax(side / 42.0, 9.0), 28.0);
}

ts_margins ts_picture_margins(const ts_picture *picture, const char *note, const ts_canvas *canvas)
{
  const double letter = ts_picture_font_size(canvas);
  const double lines = 2.0 + (*picture->title ? TITLE_LINE : 0.0) + (*note ? NOTE_LINE : 0.0);
  return (ts_margins){SIDE * letter, SIDE * letter, (lines + 0.9) * letter, 5.6 * letter};
}

static void clear_rectangle(double left, double top, double right, double bottom, ts_canvas *canvas)
{
  const ts_point corners[4] = {{left, top}, {right, top}, {right, bottom}, {left, bottom}};
  ts_canvas_fill(canvas, corners, 4, ts_color_gray(1.0));
}

void ts_picture_draw_border(const ts_margins *margins, ts_canvas *canvas)
{
  const double width = canvas->width, height = canvas->height, left = margins->left, top = margins->top,
               right = width - margins->right, bottom = height - margins->bottom;
  if (!(left < right && top < bottom)) return; // a picture that has room for notes only
  clear_rectangle(0.0, 0.0, width, top, canvas);
  clear_rectangle(0.0, bottom, width, height, canvas);
  clear_rectangle(0.0, 0.0, left, height, canvas);
  clear_rectangle(right, 0.0, width, height, canvas);
  const ts_point edge[4] = {{left, top}, {right, top}, {right, bottom}, {left, bottom}};
  ts_canvas_line(canvas, edge, 4, true, 0.8, ts_color_gray(0.7));
}

// "t = 0, 0.1, 0.2 s"; of many times the first and the last.
static void describe_times(const ts_picture *picture, char *text, size_t size)
{
  const double *t = picture->moments;
  const int count = picture->moment_count;
  if (count > 6) {
    snprintf(text, size, "t = %.6g ... %.6g s (%d times)", t[0], t[count - 1], count);
    return;
  }
  size_t length = (size_t)snprintf(text, size, "t = ");
  for (int i = 0; i < count && length < size; ++i)
    length += (size_t)snprintf(text + length, size - length, "%s%.6g", i > 0 ? ", " : "", t[i]);
  if (length < size) snprintf(text + length, size - length, " s");
}

static void describe_length(double length, char *text, size_t size)
{
  if (length < 0.1 && length >= 1e-4)
    snprintf(text, size, "%g mm", 1e3 * length);
  else
    snprintf(text, size, "%g m", length);
}

static void draw_scale_bar(const ts_camera *camera, double left, double base, double letter, ts_canvas *canvas)
{
  const double length = ts_round_number(0.18 * canvas->width / camera->scale), right = left + camera->scale * length;
  const double tick = 0.3 * letter;
  const ts_color ink = ts_color_gray(0.2);
  ts_canvas_segment(canvas, (ts_point){left, base}, (ts_point){right, base}, 1.4, ink);
  ts_canvas_segment(canvas, (ts_point){left, base - tick}, (ts_point){left, base + tick}, 1.4, ink);
  ts_canvas_segment(canvas, (ts_point){right, base - tick}, (ts_point){right, base + tick}, 1.4, ink);
  char text[32];
  describe_length(length, text, sizeof text);
  ts_canvas_text(canvas, (ts_point){0.5 * (left + right), base - 0.6 * letter}, 0.9 * letter, TS_ANCHOR_MIDDLE, ink,
                 text);
}

static void draw_axes(const ts_camera *camera, ts_point corner, double length, double letter, ts_canvas *canvas)
{
  static const ts_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  static const char *const names[3] = {"x", "y", "z"};
  for (int i = 0; i < 3; ++i) {
    const double x = length * ts_vector_dot(camera->right, axes[i]), y = -length * ts_vector_dot(camera->up, axes[i]);
    if (hypot(x, y) < 0.1 * length) continue; // points at the eye
    ts_picture_draw_arrow(corner, (ts_point){corner.x + x, corner.y + y}, ts_color_gray(0.25), canvas);
    ts_canvas_text(canvas, (ts_point){corner.x + 1.3 * x, corner.y + 1.3 * y + 0.3 * letter}, 0.85 * letter,
                   TS_ANCHOR_MIDDLE, ts_color_gray(0.25), names[i]);
  }
}

// Too long a line is written smaller.
static void write_line(ts_point at, double size, double room, ts_color color, const char *text, ts_canvas *canvas)
{
  const double width = size * ts_stroke_width(text);
  ts_canvas_text(canvas, at, width > room ? size * room / width : size, TS_ANCHOR_START, color, text);
}

void ts_picture_draw_notes(const ts_picture *picture, const char *note, const ts_camera *camera, ts_canvas *canvas)
{
  const double letter = ts_picture_font_size(canvas), left = SIDE * letter, base = canvas->height - 1.4 * letter;
  const double room = canvas->width - 2.0 * left, arm = 2.0 * letter;
  ts_point line = {left, 2.0 * letter};
  if (*picture->title) {
    write_line(line, 1.2 * letter, room, ts_color_gray(0.1), picture->title, canvas);
    line.y += TITLE_LINE * letter;
  }
  char times[160];
  describe_times(picture, times, sizeof times);
  write_line(line, letter, room, ts_color_gray(0.3), times, canvas);
  line.y += NOTE_LINE * letter;
  write_line(line, letter, room, ts_color_gray(0.3), note, canvas);
  draw_axes(camera, (ts_point){left + 0.8 * arm, base - 0.4 * arm}, arm, letter, canvas);
  draw_scale_bar(camera, left + 3.0 * arm, base, letter, canvas);
  ts_picture_draw_force_key(picture, canvas->width - left, base, letter, canvas);
}
