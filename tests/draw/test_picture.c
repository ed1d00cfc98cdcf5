// Pictures of bodies: surfaces against volumes in closed form, the order of painting against rays, and areas on the
// picture against shadows of solids that are known.
#include "draw/color.h"
#include "draw/depth_order.h"
#include "draw/picture.h"
#include "draw/surface.h"

#include "drawn_picture.h"
#include "shapes.h"
#include "xml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const ts_pose at_origin = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
static const ts_vec3 downwards = {0.0, 0.0, -9.81};
static ts_heap heap;

// ---- geometry ------------------------------------------------------------------------------------------------------

// Volume by the divergence theorem, and the sum of area vectors, which vanishes for a closed surface.
static double surface_volume(const ts_surface *surface, ts_vec3 *opening)
{
  double volume = 0.0;
  *opening = (ts_vec3){0.0, 0.0, 0.0};
  for (int f = 0; f < surface->face_count; ++f) {
    const ts_vec3 *corner = surface->corners + surface->faces[f].first;
    for (int i = 1; i + 1 < surface->faces[f].count; ++i) {
      const ts_vec3 area = ts_vector_scale(
          0.5, ts_vector_cross(ts_vector_subtract(corner[i], corner[0]), ts_vector_subtract(corner[i + 1], corner[0])));
      *opening = ts_vector_add(*opening, area);
      volume += ts_vector_dot(corner[0], area) / 3.0;
      assert_true(ts_vector_dot(area, surface->faces[f].normal) >= -1e-12); // counter-clockwise seen from outside
    }
  }
  return volume;
}

static void surfaces_are_closed_and_hold_their_volume(void **state)
{
  (void)state;
  static const struct {
    ts_shape_kind kind;
    double tolerance; // flat faces cut corners of curved surfaces
  } cases[] = {{TS_SHAPE_BOX, 1e-12},    {TS_SHAPE_POLYTOPE, 1e-9},      {TS_SHAPE_CYLINDER, 0.01},
               {TS_SHAPE_CAPSULE, 0.02}, {TS_SHAPE_ELLIPSOID, 0.02},     {TS_SHAPE_SPHERE, 0.02},
               {TS_SHAPE_CONE, 0.01},    {TS_SHAPE_SUPERELLIPSOID, 0.02}};
  ts_random random;
  ts_random_init(&random, 11);
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
    for (int trial = 0; trial < 20; ++trial) {
      test_shape made;
      random_shape(&random, cases[k].kind, 1.0, &made);
      const ts_pose pose = random_pose(&random, 2.0);
      ts_mass_properties properties;
      assert_int_equal(ts_shape_mass_properties(&made.shape, &properties, NULL), TS_OK);
      ts_surface surface;
      ts_surface_init(&surface, &made.shape, &pose, &heap);
      ts_vec3 opening;
      const double volume = surface_volume(&surface, &opening), size = pow(properties.volume, 2.0 / 3.0);
      assert_true(ts_vector_length(opening) <= 1e-9 * (1.0 + size));
      if (!(fabs(volume - properties.volume) <= cases[k].tolerance * properties.volume))
        fail_msg("%s: volume %g, not %g", ts_shape_name(cases[k].kind), volume, properties.volume);
      for (int i = 0; i < surface.corner_count; ++i) { // no corner is outside the solid's reach
        const ts_vec3 direction = ts_vector_unit(random_pose(&random, 1.0).position);
        assert_true(ts_vector_dot(direction, surface.corners[i]) <=
                    ts_placed_reach(&made.shape, &pose, direction) + 1e-9);
      }
      ts_surface_destroy(&surface);
    }
}

// Points that span no volume have no faces; nobody crashes.
// A box whose corners have six digits is drawn with six faces, not with triangles.
static void meshes_of_few_digits_have_their_faces(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 12);
  for (int trial = 0; trial < 50; ++trial) {
    const ts_quat turn = random_rotation(&random);
    const double size = pow(10.0, ts_random_uniform(&random, -3.0, 3.0));
    ts_vec3 corners[8];
    for (int i = 0; i < 8; ++i) {
      const ts_vec3 p = ts_vector_rotate(turn, (ts_vec3){i & 1 ? 1.0 : -1.0, i & 2 ? 0.7 : -0.7, i & 4 ? 0.5 : -0.5});
      const double given[3] = {p.x, p.y, p.z};
      double rounded[3];
      for (int k = 0; k < 3; ++k) {
        char text[32];
        snprintf(text, sizeof text, "%.6g", size * given[k]);
        rounded[k] = strtod(text, NULL);
      }
      corners[i] = (ts_vec3){rounded[0], rounded[1], rounded[2]};
    }
    const ts_shape shape = {.kind = TS_SHAPE_POLYTOPE, .vertices = corners, .vertex_count = 8};
    ts_surface surface;
    ts_surface_init(&surface, &shape, &at_origin, &heap);
    assert_int_equal(surface.face_count, 6);
    for (int f = 0; f < 6; ++f) assert_int_equal(surface.faces[f].count, 4);
    ts_surface_destroy(&surface);
  }
}

static void flat_hulls_have_no_faces(void **state)
{
  (void)state;
  const ts_vec3 flat[5] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 0}};
  const ts_shape shape = {.kind = TS_SHAPE_POLYTOPE, .vertices = flat, .vertex_count = 5};
  ts_surface surface;
  ts_surface_init(&surface, &shape, &at_origin, &heap);
  assert_int_equal(surface.face_count, 0);
  ts_surface_destroy(&surface);
}

static void polygons_are_cut_by_planes(void **state)
{
  (void)state;
  ts_vec3 square[8] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  const ts_plane diagonal = {{sqrt(0.5), -sqrt(0.5), 0.0}, -0.25 * sqrt(0.5)}; // x - y >= -0.25
  const int count = ts_polygon_cut(square, 4, &diagonal);
  assert_int_equal(count, 5);
  double area = 0.0;
  for (int i = 0; i < count; ++i) area += 0.5 * ts_vector_cross(square[i], square[(i + 1) % count]).z;
  assert_true(fabs(area - (1.0 - 0.5 * 0.75 * 0.75)) < 1e-14);
  const ts_plane far = {{0.0, 0.0, 1.0}, 1.0};
  assert_int_equal(ts_polygon_cut(square, count, &far), 0);
  assert_int_equal(ts_polygon_cut(square, 0, &far), 0);
}

static void outlines_hold_all_points(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 12);
  for (int trial = 0; trial < 50; ++trial) {
    enum { POINTS = 60 };
    ts_point points[POINTS], outline[POINTS];
    for (int i = 0; i < POINTS; ++i)
      outline[i] = points[i] = (ts_point){ts_random_normal(&random), ts_random_normal(&random)};
    const int count = ts_points_outline(outline, POINTS, &heap);
    assert_in_range(count, 3, POINTS);
    for (int i = 0; i < POINTS; ++i)
      for (int k = 0; k < count; ++k) {
        const ts_point a = outline[k], b = outline[(k + 1) % count];
        assert_true((b.x - a.x) * (points[i].y - a.y) - (b.y - a.y) * (points[i].x - a.x) >= -1e-12);
      }
  }
}

// Nothing, a point and a line have no inside; they are their own outlines, as points in a row are their ends.
static void outlines_of_few_points_are_these(void **state)
{
  (void)state;
  ts_point points[5] = {{3.0, 1.0}, {1.0, 2.0}};
  assert_int_equal(ts_points_outline(points, 0, &heap), 0);
  assert_int_equal(ts_points_outline(points, 1, &heap), 1);
  assert_int_equal(ts_points_outline(points, 2, &heap), 2);
  assert_true(points[0].x == 3.0 && points[0].y == 1.0 && points[1].x == 1.0 && points[1].y == 2.0);
  for (int i = 0; i < 5; ++i) points[i] = (ts_point){(i * 2) % 5, 2.0 * ((i * 2) % 5)};
  assert_int_equal(ts_points_outline(points, 5, &heap), 2);
  assert_true(points[0].x == 0.0 && points[0].y == 0.0 && points[1].x == 4.0 && points[1].y == 8.0);
  points[3].y = NAN;
  assert_int_equal(ts_points_outline(points, 5, &heap), 0);
}

static void lengths_are_rounded_to_what_people_count_in(void **state)
{
  (void)state;
  static const double cases[][2] = {{1.0, 1.0}, {1.99, 1.0},  {2.0, 2.0},      {4.9, 2.0},
                                    {7.0, 5.0}, {0.03, 0.02}, {1234.0, 1000.0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    assert_true(fabs(ts_round_number(cases[i][0]) - cases[i][1]) < 1e-12 * cases[i][1]);
}

// ---- cameras -------------------------------------------------------------------------------------------------------

static void assert_vector(ts_vec3 found, double x, double y, double z)
{
  assert_true(ts_vector_length(ts_vector_subtract(found, (ts_vec3){x, y, z})) < 1e-12);
}

static void views_are_named_by_where_the_eye_is(void **state)
{
  (void)state;
  static const char *const views[] = {"iso", "x", "y", "z", "30,20", "-120.5,-89", "0,90", "200,-90"};
  static const ts_vec3 gravities[] = {{0, 0, -9.81}, {0, -9.81, 0}, {9.81, 0, 0.1}, {0, 0, 0}, {0, 0, 3}};
  ts_camera camera;
  for (size_t g = 0; g < 5; ++g)
    for (size_t i = 0; i < sizeof views / sizeof views[0]; ++i) {
      assert_true(ts_camera_aim(views[i], gravities[g], &camera));
      assert_true(fabs(ts_vector_length(camera.right) - 1.0) < 1e-12 &&
                  fabs(ts_vector_length(camera.up) - 1.0) < 1e-12);
      assert_true(fabs(ts_vector_dot(camera.right, camera.up)) < 1e-12);
      const ts_vec3 normal = ts_vector_cross(camera.right, camera.up);
      assert_vector(normal, camera.toward.x, camera.toward.y, camera.toward.z);
      if (i < 5) assert_true(ts_vector_dot(camera.up, gravities[g]) <= 1e-12); // what falls, falls down
    }
  assert_true(ts_camera_aim("y", downwards, &camera)); // the front view: x to the right, z up
  assert_vector(camera.right, 1, 0, 0);
  assert_vector(camera.up, 0, 0, 1);
  assert_true(ts_camera_aim("z", downwards, &camera)); // from above: x to the right, y up
  assert_vector(camera.right, 1, 0, 0);
  assert_vector(camera.up, 0, 1, 0);
  assert_true(ts_camera_aim("0,0", downwards, &camera)); // azimuth 0 is the view along x
  assert_vector(camera.toward, 1, 0, 0);
  static const char *const bad[] = {"", "isometric", "X", "1", "1,", "1,2,3", "1,91", "nan,0", "inf,3", "1;2"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) assert_false(ts_camera_aim(bad[i], downwards, &camera));
}

static void a_window_is_fitted_between_the_margins(void **state)
{
  (void)state;
  ts_camera camera;
  ts_camera_aim_planar(&camera);
  ts_window window = ts_window_empty();
  ts_window_add(&window, &camera, (ts_vec3){-1.0, 2.0, 0.0});
  ts_window_add(&window, &camera, (ts_vec3){3.0, 3.0, 0.0});
  const ts_margins margins = {10.0, 30.0, 20.0, 60.0};
  ts_camera_fit(&camera, &window, 440, 300, &margins);
  const ts_point low = ts_camera_project(&camera, (ts_vec3){-1.0, 2.0, 5.0}),
                 high = ts_camera_project(&camera, (ts_vec3){3.0, 3.0, 0.0});
  assert_true(fabs(low.x - 10.0) < 1e-9 && fabs(high.x - 410.0) < 1e-9);
  assert_true(fabs(0.5 * (low.y + high.y) - 130.0) < 1e-9 && fabs(low.y - high.y - 100.0) < 1e-9);
}

// ---- order of painting ---------------------------------------------------------------------------------------------

// Where a ray p + s d, for the largest s, meets a solid of the kinds below; -INFINITY: nowhere.
static double front_hit(const ts_placed_shape *solid, ts_vec3 p, ts_vec3 d)
{
  const ts_quat q = solid->pose.orientation, back = {q.w, -q.x, -q.y, -q.z};
  p = ts_vector_rotate(back, ts_vector_subtract(p, solid->pose.position));
  d = ts_vector_rotate(back, d);
  if (solid->shape->kind == TS_SHAPE_SPHERE) {
    const double b = ts_vector_dot(p, d), c = ts_vector_dot(p, p) - solid->shape->radius * solid->shape->radius;
    return b * b - c > 0.0 ? sqrt(b * b - c) - b : -INFINITY;
  }
  const double from[3] = {p.x, p.y, p.z}, along[3] = {d.x, d.y, d.z};
  const double half[3] = {0.5 * solid->shape->size.x, 0.5 * solid->shape->size.y, 0.5 * solid->shape->size.z};
  double enter = -INFINITY, leave = INFINITY;
  for (int i = 0; i < 3; ++i) {
    const double a = (-half[i] - from[i]) / along[i], b = (half[i] - from[i]) / along[i];
    enter = fmax(enter, fmin(a, b));
    leave = fmin(leave, fmax(a, b));
  }
  return enter < leave ? leave : -INFINITY;
}

enum { SOLIDS = 40 };

// Balls and boxes that keep their distance.
static int scatter(ts_random *random, ts_shape *shapes, ts_placed_shape *placed)
{
  int count = 0;
  for (int trial = 0; trial < 400 && count < SOLIDS; ++trial) {
    const double u = ts_random_uniform(random, 0.1, 1.0), v = ts_random_uniform(random, 0.1, 1.0);
    shapes[count] = ts_random_below(random, 2) ? (ts_shape){.kind = TS_SHAPE_SPHERE, .radius = 0.5 * u}
                                               : (ts_shape){.kind = TS_SHAPE_BOX, .size = {u, v, 0.3}};
    const ts_pose pose = random_pose(random, 1.5);
    bool is_free = true;
    for (int i = 0; is_free && i < count; ++i) {
      ts_separation separation;
      assert_int_equal(ts_shape_distance(&shapes[i], &placed[i].pose, &shapes[count], &pose, &separation, NULL), TS_OK);
      is_free = separation.gap > 1e-6;
    }
    if (!is_free) continue;
    placed[count] = (ts_placed_shape){&shapes[count], pose, count, 0, TS_DYNAMIC};
    ++count;
  }
  return count;
}

static void what_a_ray_meets_first_is_painted_last(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 13);
  int met = 0;
  for (int scene = 0; scene < 12; ++scene) {
    ts_shape shapes[SOLIDS];
    ts_placed_shape placed[SOLIDS];
    const int count = scatter(&random, shapes, placed);
    const ts_placed_shape *solids[SOLIDS];
    for (int i = 0; i < count; ++i) solids[i] = &placed[i];
    ts_camera camera;
    char view[64];
    snprintf(view, sizeof view, "%g,%g", ts_random_uniform(&random, -180.0, 180.0),
             ts_random_uniform(&random, -80.0, 80.0));
    assert_true(ts_camera_aim(view, downwards, &camera));
    int order[SOLIDS], rank[SOLIDS];
    bool seen[SOLIDS] = {false};
    assert_true(ts_depth_order(solids, count, &camera, order, &heap));
    for (int k = 0; k < count; ++k) {
      assert_false(seen[order[k]]);
      seen[order[k]] = true;
      rank[order[k]] = k;
    }
    for (int ray = 0; ray < 2000; ++ray) {
      const ts_vec3 from = ts_vector_add(ts_vector_scale(ts_random_uniform(&random, -2.0, 2.0), camera.right),
                                         ts_vector_scale(ts_random_uniform(&random, -2.0, 2.0), camera.up));
      int nearest = -1, topmost = -1;
      double best = -INFINITY;
      for (int i = 0; i < count; ++i) {
        const double hit = front_hit(&placed[i], from, camera.toward);
        if (hit == -INFINITY) continue;
        if (topmost < 0 || rank[i] > rank[topmost]) topmost = i;
        if (hit > best) {
          best = hit;
          nearest = i;
        }
      }
      assert_int_equal(nearest, topmost);
      met += nearest >= 0;
    }
  }
  assert_true(met > 5000); // the rays did meet something
}

// Sorting by depth of centres, or of faces, would hide the far balls behind the plate.
static void balls_on_a_wide_plate_are_not_hidden_by_it(void **state)
{
  (void)state;
  const ts_shape plate = {.kind = TS_SHAPE_BOX, .size = {20.0, 20.0, 1.0}},
                 ball = {.kind = TS_SHAPE_SPHERE, .radius = 0.5};
  ts_placed_shape placed[26] = {{&plate, {{0.0, 0.0, 0.5}, {1.0, 0.0, 0.0, 0.0}}, 0, 0, TS_DYNAMIC}};
  const ts_placed_shape *solids[26] = {placed};
  for (int i = 1; i < 26; ++i) {
    placed[i] = (ts_placed_shape){
        &ball, {{-8.0 + 4.0 * (i % 5), -8.0 + 4.0 * ((i - 1) / 5), 1.5}, {1.0, 0.0, 0.0, 0.0}}, i, 0, TS_DYNAMIC};
    solids[i] = &placed[i];
  }
  ts_camera camera;
  assert_true(ts_camera_aim("iso", downwards, &camera));
  int order[26];
  assert_true(ts_depth_order(solids, 26, &camera, order, &heap));
  assert_int_equal(order[0], 0);
  assert_true(ts_camera_aim("iso", (ts_vec3){0.0, 0.0, 9.81}, &camera)); // from below
  assert_true(ts_depth_order(solids, 26, &camera, order, &heap));
  assert_int_equal(order[25], 0);
}

// ---- pictures ------------------------------------------------------------------------------------------------------

enum { WIDTH = DRAWN_WIDTH, HEIGHT = DRAWN_HEIGHT };

static int draw_svg(const ts_picture *picture, const char *view)
{
  ts_camera camera;
  size_t size;
  char *file = draw_file(picture, view, "x.svg", &size, &camera);
  int elements = 0;
  const char *reason = NULL;
  if (!xml_is_well_formed(file, &elements, &reason)) fail_msg("%s", reason);
  assert_null(strstr(file, "nan"));
  assert_null(strstr(file, "inf,"));
  free(file);
  return elements;
}

// Pixels drawn between the margins, as an area in the picture's plane [m^2].
static double drawn_area(const ts_placed_shape *placed, const char *view, bool planar)
{
  const ts_picture picture = picture_of(placed, 1, planar);
  ts_camera camera;
  png_image image = draw_png(&picture, view, &camera);
  const int letter = HEIGHT / 42;
  const int pixels = png_image_count_drawn(&image, 0, 4 * letter, WIDTH, HEIGHT - 4 * letter - 4);
  png_image_release(&image);
  return pixels / (camera.scale * camera.scale);
}

// The area of what is drawn is that of the solid's shadow, to the width of the outline.
static void solids_cover_the_area_of_their_shadow(void **state)
{
  (void)state;
  const ts_vec3 octahedron[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  const ts_vec3 corner[6] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
  const struct {
    ts_shape shape;
    const char *view;
    double area;
  } cases[] = {
      {{.kind = TS_SHAPE_SPHERE, .radius = 0.7}, "iso", TS_PI * 0.49},
      {{.kind = TS_SHAPE_BOX, .size = {1.0, 2.0, 3.0}}, "y", 3.0},
      {{.kind = TS_SHAPE_BOX, .size = {1.0, 2.0, 3.0}}, "iso", (6.0 + 3.0 + 2.0) / sqrt(3.0)},
      {{.kind = TS_SHAPE_CYLINDER, .radius = 0.5, .length = 2.0}, "x", 2.0},
      {{.kind = TS_SHAPE_CYLINDER, .radius = 0.5, .length = 2.0}, "z", TS_PI * 0.25},
      {{.kind = TS_SHAPE_CAPSULE, .radius = 0.5, .length = 2.0}, "x", 2.0 + TS_PI * 0.25},
      {{.kind = TS_SHAPE_ELLIPSOID, .size = {0.5, 1.0, 1.5}}, "x", TS_PI * 1.5},
      {{.kind = TS_SHAPE_CONE, .radius = 0.5, .length = 2.0}, "x", 1.0},
      {{.kind = TS_SHAPE_CONE, .radius = 0.5, .top_radius = 0.25, .length = 2.0}, "y", 1.5},
      {{.kind = TS_SHAPE_CONE, .radius = 0.25, .top_radius = 0.5, .length = 2.0}, "z", TS_PI * 0.25},
      {{.kind = TS_SHAPE_POLYTOPE, .vertices = octahedron, .vertex_count = 6}, "z", 2.0},
      {{.kind = TS_SHAPE_DISC, .radius = 0.3}, NULL, TS_PI * 0.09},
      {{.kind = TS_SHAPE_POLYGON, .vertices = corner, .vertex_count = 6}, NULL, 3.0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const ts_placed_shape placed = {&cases[i].shape, at_origin, 0, 0, TS_DYNAMIC};
    const double area = drawn_area(&placed, cases[i].view, !cases[i].view);
    if (!(fabs(area / cases[i].area - 1.0) < 0.03))
      fail_msg("%s from %s: %g m^2, not %g", ts_shape_name(cases[i].shape.kind), cases[i].view ? cases[i].view : "z",
               area, cases[i].area);
  }
}

// Every kind of shape, alone or above ground, leaves a well-formed file with something in it.
static void every_shape_draws_something(void **state)
{
  (void)state;
  static const char *const views[] = {"iso", "x", "z", "20,-30"};
  ts_random random;
  ts_random_init(&random, 14);
  const ts_shape ground = {.kind = TS_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}, .offset = -2.0};
  const ts_shape line = {.kind = TS_SHAPE_PLANE, .normal = {0.3, 1.0, 0.0}, .offset = -2.0};
  for (int kind = 0; kind < TS_SHAPE_COUNT; ++kind) {
    const bool planar = kind == TS_SHAPE_DISC || kind == TS_SHAPE_POLYGON;
    test_shape made = {.shape = {.kind = TS_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}}};
    if (kind != TS_SHAPE_PLANE) random_shape(&random, (ts_shape_kind)kind, 1.0, &made);
    const ts_placed_shape placed[2] = {{&made.shape, at_origin, 0, 0, TS_DYNAMIC},
                                       {planar ? &line : &ground, at_origin, 1, 0, TS_FIXED}};
    for (int count = 1; count <= 2; ++count) {
      const ts_picture picture = picture_of(placed, count, planar);
      for (int v = 0; v < (planar ? 1 : 4); ++v) {
        assert_true(draw_svg(&picture, views[v]) > 10);
        ts_camera camera;
        png_image image = draw_png(&picture, views[v], &camera);
        const int drawn = png_image_count_drawn(&image, 0, 60, WIDTH, HEIGHT - 60);
        if (drawn <= 20) fail_msg("%s from %s: %d pixels", ts_shape_name((ts_shape_kind)kind), views[v], drawn);
        png_image_release(&image);
      }
    }
  }
}

// Pixels along the boundary of a ground, so deep in it, that are darker than its inside.
static int count_hatches(const png_image *image, const ts_camera *camera, ts_vec3 normal, double depth)
{
  const ts_point foot = ts_camera_project(camera, ts_vector_scale(-1.0, normal)), in = {-normal.x, normal.y};
  const unsigned char *inside = png_image_at(image, (int)(foot.x + 30.0 * in.x), (int)(foot.y + 30.0 * in.y));
  int count = 0;
  for (int step = -130; step <= 130; ++step) {
    const double x = foot.x + depth * in.x - step * in.y, y = foot.y + depth * in.y + step * in.x;
    count += png_image_at(image, (int)x, (int)y)[0] < inside[0] - 4;
  }
  return count;
}

// Whichever way a ground of the plane faces, lines fall from its boundary 11 pixels deep, 13 pixels apart.
static void grounds_of_the_plane_are_hatched_to_one_depth(void **state)
{
  (void)state;
  for (int i = 0; i < 16; ++i) {
    const double angle = 2.0 * TS_PI * (i + 0.3) / 16.0;
    const ts_vec3 normal = {cos(angle), sin(angle), 0.0};
    const ts_shape disc = {.kind = TS_SHAPE_DISC, .radius = 0.5};
    const ts_shape ground = {.kind = TS_SHAPE_PLANE, .normal = normal, .offset = -1.0};
    const ts_placed_shape placed[2] = {{&disc, at_origin, 0, 0, TS_DYNAMIC}, {&ground, at_origin, 1, 0, TS_FIXED}};
    const ts_picture picture = picture_of(placed, 2, true);
    ts_camera camera;
    png_image image = draw_png(&picture, NULL, &camera);
    for (double depth = 3.0; depth < 10.0; depth += 2.0)
      assert_in_range(count_hatches(&image, &camera, normal, depth), 15, 60); // 20 lines of about a pixel
    for (double depth = 13.0; depth < 25.0; depth += 2.0)
      assert_int_equal(count_hatches(&image, &camera, normal, depth), 0);
    png_image_release(&image);
  }
}

// A long bar above the ground reaches beyond what is shown of it: its shadow ends there, and is dark before.
static void shadows_stay_on_the_ground_that_is_shown(void **state)
{
  (void)state;
  const ts_shape ball = {.kind = TS_SHAPE_SPHERE, .radius = 0.5},
                 bar = {.kind = TS_SHAPE_BOX, .size = {40.0, 0.3, 0.1}};
  const ts_shape ground = {.kind = TS_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}, .offset = -0.5};
  const double along_bar = -0.7, beside = -1.2; // y
  const ts_placed_shape placed[3] = {{&ball, {{0.0, 0.4, 0.0}, at_origin.orientation}, 0, 0, TS_DYNAMIC},
                                     {&bar, {{0.0, along_bar, 0.0}, at_origin.orientation}, 1, 0, TS_FIXED},
                                     {&ground, at_origin, 2, 0, TS_FIXED}};
  const ts_picture picture = picture_of(placed, 3, false);
  ts_camera camera;
  png_image image = draw_png(&picture, "-90,60", &camera); // x to the right
  int bare = 0, shown = 0;
  for (int column = 2; column < WIDTH - 2; ++column) {
    const double x = (column + 0.5 - camera.origin.x) / camera.scale;
    const ts_point under = ts_camera_project(&camera, (ts_vec3){x, along_bar, -0.5}),
                   next = ts_camera_project(&camera, (ts_vec3){x, beside, -0.5});
    const int shadow = png_image_at(&image, column, (int)under.y)[0],
              lit = png_image_at(&image, column, (int)next.y)[0];
    if (lit == 255) assert_int_equal(shadow, 255);
    if (lit < 255) assert_true(shadow < lit + 2);
    bare += lit == 255;
    shown += lit < 255 && shadow < lit - 10;
  }
  assert_true(bare > 20 && shown > 50);
  png_image_release(&image);
}

// Later is plain and on top, earlier is paler.
static void the_past_is_pale(void **state)
{
  (void)state;
  static const double times[3] = {0.0, 0.1, 0.2};
  const ts_shape box = {.kind = TS_SHAPE_BOX, .size = {1.0, 1.0, 1.0}};
  ts_placed_shape placed[3];
  for (int i = 0; i < 3; ++i)
    placed[i] = (ts_placed_shape){&box, {{1.5 * i, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}}, 0, i, TS_DYNAMIC};
  ts_picture picture = picture_of(placed, 3, false);
  picture.moments = times;
  picture.moment_count = 3;
  ts_camera camera;
  png_image image = draw_png(&picture, "y", &camera);
  int brightness[3];
  for (int i = 0; i < 3; ++i) {
    const ts_point p = ts_camera_project(&camera, placed[i].pose.position);
    const unsigned char *pixel = png_image_at(&image, (int)p.x, (int)p.y);
    brightness[i] = pixel[0] + pixel[1] + pixel[2];
  }
  assert_true(brightness[0] > brightness[1] && brightness[1] > brightness[2]);
  png_image_release(&image);
}

static void forces_point_where_they_should(void **state)
{
  (void)state;
  const ts_shape disc = {.kind = TS_SHAPE_DISC, .radius = 1.0};
  const ts_placed_shape placed = {&disc, at_origin, 0, 0, TS_DYNAMIC};
  const ts_picture_force force = {.point = {0.0, -1.0, 0.0}, .force = {0.0, 12.0, 0.0}};
  ts_picture picture = picture_of(&placed, 1, true);
  picture.forces = &force;
  picture.force_count = 1;
  ts_camera camera;
  png_image image = draw_png(&picture, NULL, &camera);
  const ts_point at = ts_camera_project(&camera, force.point);
  const unsigned char *up = png_image_at(&image, (int)at.x, (int)(at.y - 40.0)); // red shaft above the contact
  assert_true(up[0] > 150 && up[1] < 80 && up[2] < 80);
  png_image_release(&image);
  size_t size;
  char *file = draw_file(&picture, NULL, "x.svg", &size, &camera);
  assert_non_null(strstr(file, "contact force 10 N"));
  free(file);
}

// A pixel of the colour of forces.
static bool is_red(const png_image *image, double x, double y)
{
  const unsigned char *pixel = png_image_at(image, (int)x, (int)y);
  return pixel[0] > 150 && pixel[1] < 80 && pixel[2] < 80;
}

// A square is filled in its corners, a diamond to its sides alone, and a disc is smaller.
static void marks_tell_points_lines_and_surfaces_apart(void **state)
{
  (void)state;
  const ts_shape disc = {.kind = TS_SHAPE_DISC, .radius = 1.0};
  const ts_placed_shape placed = {&disc, at_origin, 0, 0, TS_DYNAMIC};
  for (int patch = 0; patch < 3; ++patch) {
    const ts_picture_force force = {.point = {0.0, 0.0, 0.0}, .patch = patch};
    ts_picture picture = picture_of(&placed, 1, true);
    picture.forces = &force;
    picture.force_count = 1;
    ts_camera camera;
    png_image image = draw_png(&picture, NULL, &camera);
    const ts_point at = ts_camera_project(&camera, force.point);
    assert_true(is_red(&image, at.x, at.y));
    assert_int_equal(is_red(&image, at.x + 2.0, at.y + 3.0), patch == 2);
    assert_int_equal(is_red(&image, at.x + 2.0, at.y), patch > 0);
    png_image_release(&image);
    size_t size;
    char *file = draw_file(&picture, NULL, "x.svg", &size, &camera);
    assert_int_equal(strstr(file, ">line<") != NULL, patch == 1);
    assert_int_equal(strstr(file, ">surface<") != NULL, patch == 2);
    assert_null(strstr(file, ">point<"));
    free(file);
  }
}

// An arrow around the point, three quarters of a turn; of round-off there is none.
static void moments_go_around(void **state)
{
  (void)state;
  const ts_shape disc = {.kind = TS_SHAPE_DISC, .radius = 1.0};
  const ts_placed_shape placed = {&disc, at_origin, 0, 0, TS_DYNAMIC};
  for (int k = 0; k < 2; ++k) {
    const double size_of_moment = k == 0 ? 2.5 : 1e-12;
    const ts_picture_force force = {
        .point = {0.0, 0.0, 0.0}, .force = {0.0, 0.0, 10.0}, .moment = {0.0, 0.0, size_of_moment}};
    ts_picture picture = picture_of(&placed, 1, true);
    picture.forces = &force;
    picture.force_count = 1;
    ts_camera camera;
    png_image image = draw_png(&picture, NULL, &camera);
    const ts_point at = ts_camera_project(&camera, force.point);
    const double radius = 0.05 * (image.width < image.height ? image.width : image.height);
    int red = 0;
    for (int i = 0; i < 360; ++i)
      red += is_red(&image, at.x + radius * cos(i * TS_PI / 180.0), at.y + radius * sin(i * TS_PI / 180.0));
    assert_true(k == 0 ? red > 200 && red < 330 : red == 0);
    png_image_release(&image);
    size_t size;
    char *file = draw_file(&picture, NULL, "x.svg", &size, &camera);
    assert_int_equal(strstr(file, "moment up to 2.5 N m") != NULL, k == 0);
    free(file);
  }
}

// A pin is a white disc with a dark rim where the joint is, also far from its body, which a stem leads to; a spring is
// dark between its ends and reaches to both sides of the line.
static void joints_and_springs_are_drawn_where_they_are(void **state)
{
  (void)state;
  const ts_shape disc = {.kind = TS_SHAPE_DISC, .radius = 0.1};
  const ts_placed_shape placed = {&disc, at_origin, 0, 0, TS_DYNAMIC};
  const ts_vec3 pin = {1.0, 1.0, 0.0}, z = {0.0, 0.0, 1.0}, rim = {0.0707, 0.0707, 0.0};
  const ts_picture_link links[2] = {{.is_spring = true, .point = {{0.0, 0.0, 0.0}, {2.0, 0.0, 0.0}}},
                                    {.kind = TS_JOINT_REVOLUTE, .point = {pin, pin}, .stem = {pin, rim}, .axis = z}};
  ts_picture picture = picture_of(&placed, 1, true);
  picture.links = links;
  picture.link_count = 2;
  ts_camera camera;
  png_image image = draw_png(&picture, NULL, &camera);
  const ts_point at = ts_camera_project(&camera, pin), half = ts_camera_project(&camera, ts_vector_scale(0.5, pin));
  assert_true(at.x > 0.0 && at.x < WIDTH && at.y > 0.0 && at.y < HEIGHT); // it is in the picture
  assert_true(png_image_at(&image, (int)at.x, (int)at.y)[0] > 240);
  assert_true(png_image_count_drawn(&image, (int)at.x - 7, (int)at.y - 7, (int)at.x + 7, (int)at.y + 7) > 20);
  assert_true(png_image_count_drawn(&image, (int)half.x - 2, (int)half.y - 2, (int)half.x + 3, (int)half.y + 3) > 2);
  const ts_point middle = ts_camera_project(&camera, (ts_vec3){1.0, 0.0, 0.0});
  for (int side = -1; side <= 1; side += 2) { // teeth above and below
    const int y = (int)middle.y + (side < 0 ? -9 : 3);
    assert_true(png_image_count_drawn(&image, (int)middle.x - 30, y, (int)middle.x + 30, y + 6) > 10);
  }
  png_image_release(&image);
}

static void every_kind_of_joint_draws_something(void **state)
{
  (void)state;
  const ts_shape speck = {.kind = TS_SHAPE_SPHERE, .radius = 1e-3};
  const ts_placed_shape placed = {&speck, at_origin, 0, 0, TS_DYNAMIC};
  for (int kind = 0; kind < TS_JOINT_COUNT; ++kind) {
    const ts_vec3 at = {1.0, 0.0, 0.0}, slid = {1.3, 0.0, 0.0}, x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0};
    const ts_picture_link link = {
        .kind = (ts_joint_kind)kind, .point = {at, slid}, .stem = {at, slid}, .axis = x, .axis2 = y};
    ts_picture picture = picture_of(&placed, 1, false);
    picture.links = &link;
    picture.link_count = 1;
    ts_camera camera;
    png_image image = draw_png(&picture, "iso", &camera);
    const ts_point p = ts_camera_project(&camera, slid);
    assert_true(png_image_count_drawn(&image, (int)p.x - 10, (int)p.y - 10, (int)p.x + 10, (int)p.y + 10) > 20);
    png_image_release(&image);
  }
}

// Poses that are not numbers, forces and trails that are none, huge and tiny scenes.
static void strange_scenes_are_survived(void **state)
{
  (void)state;
  const ts_shape ball = {.kind = TS_SHAPE_SPHERE, .radius = 1.0}, speck = {.kind = TS_SHAPE_SPHERE, .radius = 1e-9};
  const ts_shape star = {.kind = TS_SHAPE_SPHERE, .radius = 1e9}, point = {.kind = TS_SHAPE_POINT};
  const ts_shape ground = {.kind = TS_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}};
  const ts_quat turn = {1.0, 0.0, 0.0, 0.0};
  const ts_placed_shape cases[][2] = {
      {{&ball, {{NAN, 0, 0}, turn}, 0, 0, TS_DYNAMIC}, {&ground, at_origin, 1, 0, TS_FIXED}},
      {{&ball, {{0, 0, 1}, {NAN, 0, 0, 0}}, 0, 0, TS_DYNAMIC}, {&ball, {{0, INFINITY, 0}, turn}, 1, 0, TS_DYNAMIC}},
      {{&speck, at_origin, 0, 0, TS_DYNAMIC}, {&ground, at_origin, 1, 0, TS_FIXED}},
      {{&star, at_origin, 0, 0, TS_DYNAMIC}, {&speck, at_origin, 1, 0, TS_DYNAMIC}},
      {{&ball, {{0, 0, 1e12}, turn}, 0, 0, TS_DYNAMIC}, {&ground, at_origin, 1, 0, TS_FIXED}},
      {{&point, at_origin, 0, 0, TS_DYNAMIC}, {&point, at_origin, 1, 0, TS_DYNAMIC}},
      {{&ground, at_origin, 0, 0, TS_FIXED}, {&ground, at_origin, 1, 0, TS_KINEMATIC}},
  };
  const ts_picture_force bad[2] = {{.point = {NAN, 0, 0}, .force = {0, 0, 1}, .moment = {0, NAN, 0}, .patch = 1},
                                   {.force = {INFINITY, 0, 0}, .moment = {0, 0, INFINITY}, .patch = 2}};
  const ts_picture_link links[3] = {{.is_spring = true, .point = {{NAN, 0, 0}, {0, 0, 0}}},
                                    {.is_spring = true}, // no length
                                    {.kind = TS_JOINT_PRISMATIC, .axis = {INFINITY, 0, 0}}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    ts_picture picture = picture_of(cases[i], 2, false);
    picture.forces = bad;
    picture.force_count = 2;
    picture.links = links;
    picture.link_count = 3;
    draw_svg(&picture, "iso");
  }
  const ts_picture empty = picture_of(NULL, 0, false), flat = picture_of(NULL, 0, true);
  draw_svg(&empty, "iso");
  draw_svg(&flat, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(surfaces_are_closed_and_hold_their_volume),
      cmocka_unit_test(meshes_of_few_digits_have_their_faces),
      cmocka_unit_test(flat_hulls_have_no_faces),
      cmocka_unit_test(polygons_are_cut_by_planes),
      cmocka_unit_test(outlines_hold_all_points),
      cmocka_unit_test(outlines_of_few_points_are_these),
      cmocka_unit_test(lengths_are_rounded_to_what_people_count_in),
      cmocka_unit_test(views_are_named_by_where_the_eye_is),
      cmocka_unit_test(a_window_is_fitted_between_the_margins),
      cmocka_unit_test(what_a_ray_meets_first_is_painted_last),
      cmocka_unit_test(balls_on_a_wide_plate_are_not_hidden_by_it),
      cmocka_unit_test(solids_cover_the_area_of_their_shadow),
      cmocka_unit_test(every_shape_draws_something),
      cmocka_unit_test(grounds_of_the_plane_are_hatched_to_one_depth),
      cmocka_unit_test(shadows_stay_on_the_ground_that_is_shown),
      cmocka_unit_test(the_past_is_pale),
      cmocka_unit_test(forces_point_where_they_should),
      cmocka_unit_test(marks_tell_points_lines_and_surfaces_apart),
      cmocka_unit_test(moments_go_around),
      cmocka_unit_test(joints_and_springs_are_drawn_where_they_are),
      cmocka_unit_test(every_kind_of_joint_draws_something),
      cmocka_unit_test(strange_scenes_are_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
