// Bodies in containers made of plates: a hopper and a drum that turns.
#include "kinds.h"

#include "math/vec3.h"

#include <math.h>

static const double PLATE = 0.3;          // thickness [m]
static const double SLOPE = 0.9;          // of the hopper's plates against the floor [rad]
static const double FROUDE_NUMBER = 0.05; // rate^2 radius / g of the drum
enum { HOPPER_PLATES = 4, DRUM_PLATES = 8 };

// The inner face of a plate has its middle in `at`, its normal turned by `tilt` from the vertical towards -x, and then
// all of it by `yaw` about z.
static scene_obstacle plate_of(double length, double width, ts_vec3 at, double tilt, double yaw)
{
  const ts_quat turn = ts_quat_about_z(yaw), lean = ts_quat_exp(ts_vec3_make(0.0, -tilt, 0.0));
  const ts_quat orientation = ts_quat_product(turn, lean);
  const ts_vec3 face = ts_quat_rotate(turn, at);
  const ts_vec3 centre = ts_add(face, ts_quat_rotate(orientation, ts_vec3_make(0.0, 0.0, -0.5 * PLATE)));
  return (scene_obstacle){.size = {length, width, PLATE}, .pose = {centre, orientation}, .pivot = centre};
}

// Plates lead from the width of the grid to an opening, under which a box of planes is as wide as the grid.
void make_hopper(scene *s, const recipe *r)
{
  grid g = grid_for(r->bodies, 0.0);
  const double half = 0.5 * g.spacing * g.across, opening = fmax(3.0 * PILE_RADIUS, 0.4 * half);
  const double outlet = 0.8 * half, drop = fmax(half - opening, PILE_RADIUS) * tan(SLOPE);
  const double length = drop / sin(SLOPE), reach = opening + 0.5 * length * cos(SLOPE);
  add_floor_and_walls(s, half);
  s->obstacle_count = HOPPER_PLATES;
  for (int k = 0; k < HOPPER_PLATES; ++k)
    s->obstacles[k] =
        plate_of(length, 2.0 * half + PLATE, ts_vec3_make(reach, 0.0, outlet + 0.5 * drop), SLOPE, k * TS_PI / 2.0);
  g.least.z = outlet + drop;
  scatter(s, r, &g);
}

// The drum's axis is y; planes close its ends. The grid just fits in.
void make_tumbler(scene *s, const recipe *r)
{
  const grid g = grid_for(r->bodies, 0.0);
  const double half = 0.5 * g.spacing * g.across, radius = 1.5 * half;
  const ts_vec3 middle = {0.0, 0.0, half}, turning = {0.0, sqrt(FROUDE_NUMBER * s->gravity / radius), 0.0};
  add_plane(s, ts_vec3_make(0.0, 1.0, 0.0), -half);
  add_plane(s, ts_vec3_make(0.0, -1.0, 0.0), -half);
  s->obstacle_count = DRUM_PLATES;
  for (int k = 0; k < DRUM_PLATES; ++k) {
    const double angle = k * 2.0 * TS_PI / DRUM_PLATES;
    const ts_vec3 out = {-sin(angle), 0.0, -cos(angle)}; // to the middle of the plate, the lowest one first
    const ts_quat orientation = ts_quat_exp(ts_vec3_make(0.0, angle, 0.0));
    const ts_vec3 centre = ts_add_scaled(middle, radius + 0.5 * PLATE, out);
    s->obstacles[k] =
        (scene_obstacle){.size = {2.0 * radius * tan(TS_PI / DRUM_PLATES) + PLATE, 2.0 * half + PLATE, PLATE},
                         .pose = {centre, orientation},
                         .pivot = middle,
                         .turning = turning};
  }
  scatter(s, r, &g);
}
