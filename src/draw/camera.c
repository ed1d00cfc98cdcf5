#include "draw/camera.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- aiming --------------------------------------------------------------------------------------------------------

// Axes with the third one upwards: the one that gravity is nearest to, against it; z without gravity.
static void upright_axes(ts_vec3 gravity, ts_vec3 axes[3])
{
  const double x = fabs(gravity.x), y = fabs(gravity.y), z = fabs(gravity.z);
  ts_vec3 up = {0.0, 0.0, gravity.z > 0.0 ? -1.0 : 1.0};
  if (x > y && x > z)
    up = (ts_vec3){gravity.x > 0.0 ? -1.0 : 1.0, 0.0, 0.0};
  else if (y > z)
    up = (ts_vec3){0.0, gravity.y > 0.0 ? -1.0 : 1.0, 0.0};
  axes[2] = up;
  axes[0] = up.x != 0.0 ? (ts_vec3){0.0, 1.0, 0.0} : (ts_vec3){1.0, 0.0, 0.0};
  axes[1] = ts_vector_cross(axes[2], axes[0]);
}

static ts_vec3 eye_direction(const ts_vec3 axes[3], double azimuth, double elevation)
{
  const double across = cos(elevation);
  return ts_vector_add(
      ts_vector_add(ts_vector_scale(across * cos(azimuth), axes[0]), ts_vector_scale(across * sin(azimuth), axes[1])),
      ts_vector_scale(sin(elevation), axes[2]));
}

static bool parse_angles(const char *view, double *azimuth, double *elevation)
{
  static const double DEGREE = TS_PI / 180.0;
  int end = 0;
  if (sscanf(view, "%lf,%lf%n", azimuth, elevation, &end) != 2 || view[end] != '\0') return false;
  if (!isfinite(*azimuth) || !(fabs(*elevation) <= 90.0)) return false;
  *azimuth *= DEGREE;
  *elevation *= DEGREE;
  return true;
}

// Complete the frame: upright where that is possible, else with the second axis upwards.
static void look_from(ts_vec3 toward, const ts_vec3 axes[3], ts_camera *camera)
{
  const ts_vec3 vertical = fabs(ts_vector_dot(toward, axes[2])) < 0.99999 ? axes[2] : axes[1];
  camera->toward = toward;
  camera->right = ts_vector_unit(ts_vector_cross(vertical, toward));
  camera->up = ts_vector_cross(camera->toward, camera->right);
}

bool ts_camera_aim(const char *view, ts_vec3 gravity, ts_camera *camera)
{
  ts_vec3 axes[3], toward = {0.0, 0.0, 0.0};
  upright_axes(gravity, axes);
  double azimuth, elevation;
  if (strcmp(view, "iso") == 0)
    toward = ts_vector_unit(ts_vector_add(ts_vector_subtract(axes[0], axes[1]), axes[2]));
  else if (strcmp(view, "x") == 0)
    toward.x = 1.0;
  else if (strcmp(view, "y") == 0)
    toward.y = -1.0;
  else if (strcmp(view, "z") == 0)
    toward.z = 1.0;
  else if (parse_angles(view, &azimuth, &elevation))
    toward = eye_direction(axes, azimuth, elevation);
  else
    return false;
  look_from(toward, axes, camera);
  return true;
}

void ts_camera_aim_planar(ts_camera *camera)
{
  camera->right = (ts_vec3){1.0, 0.0, 0.0};
  camera->up = (ts_vec3){0.0, 1.0, 0.0};
  camera->toward = (ts_vec3){0.0, 0.0, 1.0};
}

// ---- windows -------------------------------------------------------------------------------------------------------

ts_window ts_window_empty(void)
{
  return (ts_window){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
}

static void extend(ts_window *window, double left, double right, double low, double high)
{
  window->low.x = fmin(window->low.x, left);
  window->low.y = fmin(window->low.y, low);
  window->high.x = fmax(window->high.x, right);
  window->high.y = fmax(window->high.y, high);
}

void ts_window_add(ts_window *window, const ts_camera *camera, ts_vec3 point)
{
  const double x = ts_vector_dot(camera->right, point), y = ts_vector_dot(camera->up, point);
  extend(window, x, x, y, y);
}

void ts_window_add_shape(ts_window *window, const ts_camera *camera, const ts_shape *shape, const ts_pose *pose)
{
  extend(window, -ts_placed_reach(shape, pose, ts_vector_scale(-1.0, camera->right)),
         ts_placed_reach(shape, pose, camera->right), -ts_placed_reach(shape, pose, ts_vector_scale(-1.0, camera->up)),
         ts_placed_reach(shape, pose, camera->up));
}

void ts_window_widen(ts_window *window, double room)
{
  extend(window, window->low.x - room, window->high.x + room, window->low.y - room, window->high.y + room);
}

void ts_window_zoom(ts_window *window, double factor)
{
  const double x = 0.5 * (window->low.x + window->high.x), y = 0.5 * (window->low.y + window->high.y);
  const double across = 0.5 * (window->high.x - window->low.x) / factor,
               upward = 0.5 * (window->high.y - window->low.y) / factor;
  *window = (ts_window){{x - across, y - upward}, {x + across, y + upward}};
}

bool ts_windows_overlap(const ts_window *a, const ts_window *b)
{
  return a->low.x < b->high.x && b->low.x < a->high.x && a->low.y < b->high.y && b->low.y < a->high.y;
}

void ts_camera_fit(ts_camera *camera, const ts_window *window, int width, int height, const ts_margins *margins)
{
  const double free_width = fmax(width - margins->left - margins->right, 1.0);
  const double free_height = fmax(height - margins->top - margins->bottom, 1.0);
  const double across = window->high.x - window->low.x, upward = window->high.y - window->low.y;
  camera->scale = fmin(free_width / fmax(across, 1e-300), free_height / fmax(upward, 1e-300));
  const double x = 0.5 * (window->low.x + window->high.x), y = 0.5 * (window->low.y + window->high.y);
  camera->origin = (ts_point){margins->left + 0.5 * free_width - camera->scale * x,
                              margins->top + 0.5 * free_height + camera->scale * y};
}

ts_point ts_camera_project_direction(const ts_camera *camera, ts_vec3 direction)
{
  return (ts_point){camera->scale * ts_vector_dot(camera->right, direction),
                    -camera->scale * ts_vector_dot(camera->up, direction)};
}

ts_point ts_camera_project(const ts_camera *camera, ts_vec3 point)
{
  const ts_point p = ts_camera_project_direction(camera, point);
  return (ts_point){camera->origin.x + p.x, camera->origin.y + p.y};
}
