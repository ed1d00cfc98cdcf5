#include "cli/picture.h"

#include "cli/color.h"

#include <math.h>

// ---- the stage -----------------------------------------------------------------------------------------------------

static const ts_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

static double *component(ts_vec3 *v, int i)
{
  return i == 0 ? &v->x : i == 1 ? &v->y : &v->z;
}

static cli_stage empty_stage(void)
{
  return (cli_stage){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static bool is_empty(const cli_stage *stage)
{
  return !(stage->low.x <= stage->high.x);
}

static cli_stage shape_box(const cli_placed *placed)
{
  cli_stage box;
  for (int i = 0; i < 3; ++i) {
    *component(&box.low, i) = -cli_reach(placed->shape, &placed->pose, cli_scale(-1.0, axes[i]));
    *component(&box.high, i) = cli_reach(placed->shape, &placed->pose, axes[i]);
  }
  return box;
}

static void unite(cli_stage *stage, cli_stage box)
{
  for (int i = 0; i < 3; ++i) {
    *component(&stage->low, i) = fmin(*component(&stage->low, i), *component(&box.low, i));
    *component(&stage->high, i) = fmax(*component(&stage->high, i), *component(&box.high, i));
  }
}

static void unite_point(cli_stage *stage, ts_vec3 point)
{
  unite(stage, (cli_stage){point, point});
}

static bool intersect(cli_stage *box, const cli_stage *with, double room)
{
  bool meets = true;
  cli_stage other = *with;
  for (int i = 0; i < 3; ++i) {
    *component(&box->low, i) = fmax(*component(&box->low, i), *component(&other.low, i) - room);
    *component(&box->high, i) = fmin(*component(&box->high, i), *component(&other.high, i) + room);
    meets = meets && *component(&box->low, i) <= *component(&box->high, i);
  }
  return meets;
}

bool cli_can_be_drawn(const cli_placed *placed)
{
  const ts_quat q = placed->pose.orientation;
  return cli_is_finite(placed->pose.position) && isfinite(q.w) && cli_is_finite((ts_vec3){q.x, q.y, q.z});
}

static cli_stage stage_of_kind(const cli_picture *picture, bool fixed)
{
  cli_stage stage = empty_stage();
  for (int i = 0; i < picture->placed_count; ++i) {
    const cli_placed *placed = &picture->placed[i];
    if (placed->shape->kind != TS_SHAPE_PLANE && (placed->kind == TS_FIXED) == fixed && cli_can_be_drawn(placed))
      unite(&stage, shape_box(placed));
  }
  return stage;
}

ts_vec3 cli_stage_corner(const cli_stage *stage, int i)
{
  return (ts_vec3){i & 1 ? stage->high.x : stage->low.x, i & 2 ? stage->high.y : stage->low.y,
                   i & 4 ? stage->high.z : stage->low.z};
}

double cli_stage_size(const cli_stage *stage)
{
  return cli_length(cli_subtract(stage->high, stage->low));
}

// Ground that is no further away than the stage is large belongs to it: add the foot of the stage on it.
static void add_near_ground(cli_stage *stage, const cli_plane *plane, double size)
{
  const cli_stage before = *stage;
  double nearest = INFINITY;
  for (int i = 0; i < 8; ++i) nearest = fmin(nearest, cli_height(plane, cli_stage_corner(&before, i)));
  if (!(nearest > 0.0 && nearest < size)) return;
  for (int i = 0; i < 8; ++i) {
    const ts_vec3 corner = cli_stage_corner(&before, i);
    const ts_vec3 foot = cli_subtract(corner, cli_scale(cli_height(plane, corner), plane->normal));
    unite_point(stage, foot);
  }
}

cli_stage cli_stage_of(const cli_picture *picture)
{
  cli_stage stage = stage_of_kind(picture, false), still = stage_of_kind(picture, true);
  if (is_empty(&stage))
    stage = still;
  else if (intersect(&still, &stage, 0.5 * cli_stage_size(&stage)))
    unite(&stage, still);
  for (int i = 0; i < picture->trail_count; ++i)
    for (int k = 0; k < picture->trails[i].count; ++k) unite_point(&stage, picture->trails[i].points[k]);
  for (int i = 0; i < picture->link_count; ++i)
    for (int side = 0; side < 2 && cli_link_can_be_drawn(&picture->links[i]); ++side)
      unite_point(&stage, picture->links[i].point[side]);
  if (is_empty(&stage)) stage = (cli_stage){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
  if (cli_stage_size(&stage) == 0.0) { // one particle: show a metre around it
    stage.low = cli_subtract(stage.low, (ts_vec3){0.5, 0.5, picture->planar ? 0.0 : 0.5});
    stage.high = cli_add(stage.high, (ts_vec3){0.5, 0.5, picture->planar ? 0.0 : 0.5});
  }
  const double size = cli_stage_size(&stage);
  for (int i = 0; i < picture->placed_count; ++i) {
    const cli_placed *placed = &picture->placed[i];
    if (placed->shape->kind != TS_SHAPE_PLANE || !cli_can_be_drawn(placed)) continue;
    const cli_plane plane = cli_plane_of(placed->shape, &placed->pose);
    add_near_ground(&stage, &plane, size);
  }
  return stage;
}

// ---- colours -------------------------------------------------------------------------------------------------------

static cli_color fresh_color(const cli_placed *placed)
{
  if (placed->kind == TS_FIXED) return cli_gray(0.72);
  if (placed->kind == TS_KINEMATIC) return (cli_color){0.42, 0.47, 0.56, 1.0};
  return cli_palette(placed->body % (CLI_PALETTE_SIZE - 1)); // black is for lines
}

cli_look cli_look_of(const cli_picture *picture, const cli_placed *placed)
{
  const cli_color color = fresh_color(placed), white = cli_gray(1.0), line = cli_mix(color, cli_gray(0.0), 0.6);
  const int last = picture->moment_count - 1;
  if (placed->kind == TS_FIXED || placed->moment == last) return (cli_look){color, line};
  const double pale = 0.35 + 0.4 * (double)(last - placed->moment) / last;
  return (cli_look){cli_mix(color, white, pale), cli_mix(line, white, 0.8 * pale)};
}

// ---- drawing -------------------------------------------------------------------------------------------------------

static cli_window window_of(const cli_picture *picture, const cli_stage *stage, const cli_camera *camera)
{
  cli_window window = cli_window_empty();
  for (int i = 0; i < picture->placed_count; ++i) {
    const cli_placed *placed = &picture->placed[i];
    if (placed->kind != TS_FIXED && placed->shape->kind != TS_SHAPE_PLANE && cli_can_be_drawn(placed))
      cli_window_add_shape(&window, camera, placed->shape, &placed->pose);
  }
  for (int i = 0; i < picture->link_count; ++i)
    for (int side = 0; side < 2 && cli_link_can_be_drawn(&picture->links[i]); ++side)
      cli_window_add(&window, camera, picture->links[i].point[side]);
  if (picture->planar || !(window.low.x < window.high.x))
    for (int i = 0; i < 8; ++i) cli_window_add(&window, camera, cli_stage_corner(stage, i));
  else
    cli_window_add_ground(&window, picture, stage, camera);
  return window;
}

void cli_picture_draw(const cli_picture *picture, cli_camera *camera, cli_canvas *canvas)
{
  const cli_stage stage = cli_stage_of(picture);
  const cli_window window = window_of(picture, &stage, camera);
  const cli_margins margins = cli_note_margins(picture, canvas);
  cli_camera_fit(camera, &window, canvas->width, canvas->height, &margins);
  if (picture->planar) {
    cli_draw_flat(picture, camera, canvas);
  } else {
    cli_draw_ground(picture, &stage, camera, true, canvas);
    cli_draw_solids(picture, camera, canvas);
    cli_draw_ground(picture, &stage, camera, false, canvas);
  }
  cli_draw_links(picture, camera, canvas);
  cli_draw_trails(picture, camera, canvas);
  cli_draw_forces(picture, camera, canvas);
  cli_draw_labels(picture, camera, canvas);
  cli_draw_notes(picture, camera, canvas);
}
