// What pictures show: fixed bodies whole, outliers not at all, what was asked for in the middle; a title and names that
// can be read.
#include "draw/selection.h"

#include "drawn_picture.h"
#include "shapes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const ts_quat upright = {1.0, 0.0, 0.0, 0.0};
static const ts_shape unit_box = {.kind = TS_SHAPE_BOX, .size = {1.0, 1.0, 1.0}};
static const ts_shape unit_ball = {.kind = TS_SHAPE_SPHERE, .radius = 0.5};
static const ts_shape ground = {.kind = TS_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}};

static ts_placed_shape place(const ts_shape *shape, double x, double y, double z, int body, ts_body_kind kind)
{
  return (ts_placed_shape){shape, {{x, y, z}, upright}, body, 0, kind};
}

// Where a shape lies in the picture [pixels].
static ts_window seen(const ts_placed_shape *placed, const ts_camera *camera)
{
  ts_window w = ts_window_empty();
  ts_window_add_shape(&w, camera, placed->shape, &placed->pose);
  return (ts_window){{camera->origin.x + camera->scale * w.low.x, camera->origin.y - camera->scale * w.high.y},
                     {camera->origin.x + camera->scale * w.high.x, camera->origin.y - camera->scale * w.low.y}};
}

static void assert_whole(const ts_placed_shape *placed, const ts_camera *camera, const ts_margins *m)
{
  const ts_window w = seen(placed, camera);
  if (!(w.low.x > m->left - 1e-6 && w.high.x < DRAWN_WIDTH - m->right + 1e-6 && w.low.y > m->top - 1e-6 &&
        w.high.y < DRAWN_HEIGHT - m->bottom + 1e-6))
    fail_msg("a body reaches from %g, %g to %g, %g", w.low.x, w.low.y, w.high.x, w.high.y);
}

static ts_margins margins_of(const ts_picture *picture, const char *note)
{
  const ts_canvas canvas = {.width = DRAWN_WIDTH, .height = DRAWN_HEIGHT};
  return ts_picture_margins(picture, note, &canvas);
}

// ---- what is in the picture ----------------------------------------------------------------------------------------

// Walls and pillars of all sizes up to ten times what moves, with and without ground, from all sides.
static void fixed_bodies_are_shown_whole(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 61);
  for (int trial = 0; trial < 60; ++trial) {
    enum { BODIES = 6 };
    ts_shape walls[BODIES];
    ts_placed_shape placed[BODIES + 2];
    for (int i = 0; i < BODIES; ++i) {
      walls[i] = (ts_shape){.kind = TS_SHAPE_BOX,
                            .size = {ts_random_uniform(&random, 0.1, 10.0), ts_random_uniform(&random, 0.1, 10.0),
                                     ts_random_uniform(&random, 0.1, 10.0)}};
      placed[i] = place(&walls[i], 0, 0, 0, i, TS_FIXED);
      placed[i].pose = random_pose(&random, 3.0);
    }
    placed[BODIES] = place(&unit_ball, 0, 0, 0, BODIES, TS_DYNAMIC);
    placed[BODIES + 1] = place(&ground, 0, 0, -4, BODIES + 1, TS_FIXED);
    const ts_picture picture = picture_of(placed, BODIES + 1 + trial % 2, false);
    char view[64];
    snprintf(view, sizeof view, "%g,%g", ts_random_uniform(&random, -180.0, 180.0),
             ts_random_uniform(&random, -80.0, 80.0));
    ts_camera camera;
    png_image image = draw_png(&picture, view, &camera);
    const ts_margins margins = margins_of(&picture, "");
    for (int i = 0; i <= BODIES; ++i) assert_whole(&placed[i], &camera, &margins);
    assert_int_equal(png_image_count_drawn(&image, DRAWN_WIDTH / 2, 0, DRAWN_WIDTH, (int)margins.top - 1), 0);
    png_image_release(&image);
  }
}

static char *svg_of(const ts_picture *picture, ts_camera *camera)
{
  size_t size;
  return draw_file(picture, "iso", "x.svg", &size, camera);
}

static void assert_says(const ts_picture *picture, const char *note, bool says)
{
  ts_camera camera;
  char *file = svg_of(picture, &camera);
  if ((strstr(file, note) != NULL) != says) fail_msg("'%s' is %s in %s", note, says ? "not" : "written", file);
  free(file);
}

static const char *const names[] = {"table", "box", "egg", "ball", "dot", "star"};

// Three bodies on a table, of which one has fallen 43 m: the others are seen as without it, but for the line of a note.
static void what_fell_away_does_not_shrink_the_rest(void **state)
{
  (void)state;
  const ts_shape table = {.kind = TS_SHAPE_BOX, .size = {4.0, 4.0, 0.2}};
  ts_placed_shape placed[4] = {place(&table, 0, 0, -0.1, 0, TS_FIXED), place(&unit_box, 1, 1, 0.5, 1, TS_DYNAMIC),
                               place(&unit_ball, -1, 1, 0.5, 2, TS_DYNAMIC),
                               place(&unit_ball, 0, 0, -43.2, 3, TS_DYNAMIC)};
  ts_picture with = picture_of(placed, 4, false), without = picture_of(placed, 3, false);
  with.names = names;
  assert_says(&with, ">1 body outside: ball, 43 m below</text>", true);
  ts_camera camera, bare;
  free(svg_of(&with, &camera));
  free(svg_of(&without, &bare));
  const ts_margins more = margins_of(&with, "note"), less = margins_of(&without, "");
  assert_true(more.top > less.top);
  assert_true(camera.scale >= 0.9 * bare.scale);
  for (int i = 0; i < 3; ++i) assert_whole(&placed[i], &camera, &more);
  placed[3].pose.position = (ts_vec3){0.0, 0.0, 2000.0};
  assert_says(&with, "outside: ball, 2 km above", true);
  placed[3].pose.position = (ts_vec3){102.0, 0.0, 0.5};
  assert_says(&with, "outside: ball, 100 m away", true);
  placed[3].pose.position = (ts_vec3){0.0, 0.0, -4.0};
  assert_says(&with, "outside", false);
}

// Where a trail is asked for, its body stays; where many are gone, some are named.
static void trails_and_numbers_of_what_is_gone(void **state)
{
  (void)state;
  ts_placed_shape placed[9];
  static const char *const many[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
  for (int i = 0; i < 9; ++i)
    placed[i] = place(&unit_ball, i < 5 ? i : 0.0, 0, i < 5 ? 0.0 : -100.0 * i, i, TS_DYNAMIC);
  ts_picture picture = picture_of(placed, 9, false);
  picture.names = many;
  assert_says(&picture, ">4 bodies outside: f, 500 m below; g, 600 m below; h, 700 m below; ...</text>", true);
  const ts_vec3 way[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, -500.0}};
  const ts_picture_trail trail = {5, way, 2};
  picture.trails = &trail;
  picture.trail_count = 1;
  assert_says(&picture, "3 bodies outside: g, 99.5 m below; h, 200 m below; i, 300 m below</text>", true);
}

// Joints and names go with the bodies that are left out.
static void links_and_names_of_outliers_are_left_out(void **state)
{
  (void)state;
  const ts_placed_shape placed[4] = {place(&unit_box, 0, 0, 0, 0, TS_DYNAMIC), place(&unit_box, 2, 0, 0, 1, TS_DYNAMIC),
                                     place(&unit_box, 0, 2, 0, 2, TS_DYNAMIC),
                                     place(&unit_box, 0, 0, 1e3, 3, TS_DYNAMIC)};
  const ts_picture_link links[2] = {{.is_spring = true, .body = {0, 1}, .point = {{0, 0, 0}, {2, 0, 0}}},
                                    {.is_spring = true, .body = {TS_WORLD, 3}, .point = {{0, 0, 0}, {0, 0, 1e3}}}};
  const ts_picture_label labels[2] = {{1, {2, 0, 0}, "box"}, {3, {0, 0, 1e3}, "gone"}};
  ts_picture picture = picture_of(placed, 4, false);
  picture.links = links;
  picture.link_count = 2;
  picture.labels = labels;
  picture.label_count = 2;
  picture.names = names;
  ts_heap heap = {0};
  ts_selection selection;
  ts_selection_init(&selection, &picture, &heap);
  assert_int_equal(selection.shown.placed_count, 3);
  assert_int_equal(selection.shown.link_count, 1);
  assert_int_equal(selection.shown.label_count, 1);
  assert_true(ts_scope_size(&selection.scope) < 10.0);
  assert_string_equal(selection.note, "1 body outside: ball, 1 km above");
  ts_selection_destroy(&selection);
  assert_says(&picture, ">gone<", false);
}

// A fixed plate of 100 m is a ground: what moves on it is not made small, and the title stays free.
static void what_dwarfs_all_else_is_cut_off(void **state)
{
  (void)state;
  const ts_shape plate = {.kind = TS_SHAPE_BOX, .size = {100.0, 100.0, 1.0}};
  const ts_placed_shape placed[2] = {place(&plate, 0, 0, -0.5, 0, TS_FIXED),
                                     place(&unit_ball, 0, 0, 0.5, 1, TS_DYNAMIC)};
  ts_picture picture = picture_of(placed, 2, false);
  picture.names = names;
  ts_camera camera;
  png_image image = draw_png(&picture, "iso", &camera);
  const ts_margins margins = margins_of(&picture, "note");
  assert_true(camera.scale * 1.0 > 100.0); // the ball's diameter
  assert_whole(&placed[1], &camera, &margins);
  assert_int_equal(png_image_count_drawn(&image, DRAWN_WIDTH / 2, 0, DRAWN_WIDTH, (int)margins.top - 1), 0);
  assert_true(png_image_count_drawn(&image, (int)margins.left, (int)margins.top + 2, 100, 200) > 1000);
  png_image_release(&image);
  assert_says(&picture, ">cut off by the edge: table</text>", true);
}

// ---- what was asked for --------------------------------------------------------------------------------------------

static void the_focus_is_in_the_middle(void **state)
{
  (void)state;
  const ts_shape speck = {.kind = TS_SHAPE_POINT};
  const ts_placed_shape placed[5] = {place(&unit_box, 0, 0, 0, 0, TS_FIXED), place(&unit_box, 9, 0, 0, 1, TS_DYNAMIC),
                                     place(&unit_ball, 4, 7, 2, 2, TS_DYNAMIC),
                                     place(&unit_ball, 0, 0, -43, 3, TS_DYNAMIC),
                                     place(&speck, 1, 1, 1, 4, TS_DYNAMIC)};
  for (int focus = 0; focus < 5; ++focus) {
    bool chosen[5] = {false};
    chosen[focus] = true;
    ts_picture picture = picture_of(placed, 5, false);
    picture.focus = chosen;
    picture.names = names;
    ts_camera camera;
    png_image image = draw_png(&picture, "iso", &camera);
    const ts_margins m = margins_of(&picture, "");
    const ts_point at = ts_camera_project(&camera, placed[focus].pose.position);
    assert_true(fabs(at.x - 0.5 * (m.left + DRAWN_WIDTH - m.right)) < 1e-6);
    assert_true(fabs(at.y - 0.5 * (m.top + DRAWN_HEIGHT - m.bottom)) < 1e-6);
    if (focus < 4) assert_true(camera.scale * 1.0 > 100.0);
    assert_whole(&placed[focus], &camera, &m);
    assert_int_equal(png_image_count_drawn(&image, DRAWN_WIDTH / 2, 0, DRAWN_WIDTH, (int)m.top - 1), 0);
    png_image_release(&image);
    assert_says(&picture, "outside", false);
  }
}

static void a_zoom_is_a_factor_about_the_middle(void **state)
{
  (void)state;
  const ts_placed_shape placed[3] = {place(&unit_box, 0, 0, 0, 0, TS_FIXED), place(&unit_box, 4, 0, 0, 1, TS_DYNAMIC),
                                     place(&ground, 0, 0, -0.5, 2, TS_FIXED)};
  ts_picture picture = picture_of(placed, 3, false);
  ts_camera plain, near;
  free(svg_of(&picture, &plain));
  static const double zooms[] = {1.0, 2.5, 1000.0, 0.25, 1e-3};
  const ts_margins m = margins_of(&picture, "");
  const double x = 0.5 * (m.left + DRAWN_WIDTH - m.right), y = 0.5 * (m.top + DRAWN_HEIGHT - m.bottom);
  for (size_t i = 0; i < sizeof zooms / sizeof zooms[0]; ++i) {
    picture.zoom = zooms[i];
    free(svg_of(&picture, &near));
    assert_true(fabs(near.scale / (zooms[i] * plain.scale) - 1.0) < 1e-9);
    assert_true(fabs((near.origin.x - x) - zooms[i] * (plain.origin.x - x)) < 1e-6 * zooms[i]);
    assert_true(fabs((near.origin.y - y) - zooms[i] * (plain.origin.y - y)) < 1e-6 * zooms[i]);
  }
}

// ---- names ---------------------------------------------------------------------------------------------------------

typedef struct text_box {
  double x, y, width, size;
} text_box;

// Names in the middle of which the file has x, and whose base line is y. Letters are at least a third as wide as high.
static int find_names(const char *file, text_box *boxes, int most)
{
  int count = 0;
  for (const char *at = strstr(file, "<text"); at; at = strstr(at + 1, "<text")) {
    double x, y, size;
    if (sscanf(at, "<text x=\"%lf\" y=\"%lf\" font-size=\"%lf\" text-anchor=\"middle\"", &x, &y, &size) != 3) continue;
    const char *text = strchr(at, '>') + 1;
    const size_t letters = (size_t)(strchr(text, '<') - text);
    if (strncmp(text, "name", 4) == 0 && count < most)
      boxes[count++] = (text_box){x, y, (double)letters * size / 3.0, size};
  }
  return count;
}

// Bodies in clusters, many behind each other: no two names lie on each other or leave the picture, and where they are
// few all are there.
static void names_do_not_lie_on_each_other(void **state)
{
  (void)state;
  enum { MOST = 80 };
  ts_random random;
  ts_random_init(&random, 71);
  for (int trial = 0; trial < 20; ++trial) {
    ts_placed_shape placed[MOST];
    ts_picture_label labels[MOST];
    char texts[MOST][16];
    const int count = trial < 10 ? 8 : MOST;
    for (int i = 0; i < count; ++i) {
      placed[i] = place(&unit_ball, ts_random_normal(&random), ts_random_normal(&random), ts_random_normal(&random), i,
                        TS_DYNAMIC);
      snprintf(texts[i], sizeof texts[i], "name_%d", 1000 + i);
      labels[i] = (ts_picture_label){i, placed[i].pose.position, texts[i]};
    }
    ts_picture picture = picture_of(placed, count, false);
    picture.labels = labels;
    picture.label_count = count;
    ts_camera camera;
    char *file = svg_of(&picture, &camera);
    text_box boxes[MOST];
    const int found = find_names(file, boxes, MOST);
    if (count == 8) assert_int_equal(found, 8);
    assert_true(found > 5);
    for (int i = 0; i < found; ++i) {
      const text_box *a = &boxes[i];
      assert_true(a->x > 0.5 * a->width && a->x < DRAWN_WIDTH - 0.5 * a->width && a->y > 0.0 && a->y < DRAWN_HEIGHT);
      for (int k = 0; k < i; ++k)
        assert_true(fabs(a->x - boxes[k].x) >= 0.5 * (a->width + boxes[k].width) ||
                    fabs(a->y - boxes[k].y) >= 0.99 * a->size);
    }
    free(file);
  }
}

// Titles longer than the picture is wide are written smaller, not cut off.
static void long_titles_are_written_smaller(void **state)
{
  (void)state;
  char title[301];
  memset(title, 'm', 300);
  title[300] = '\0';
  const ts_placed_shape placed = place(&unit_box, 0, 0, 0, 0, TS_DYNAMIC);
  ts_picture picture = picture_of(&placed, 1, false);
  picture.title = title;
  ts_camera camera;
  png_image image = draw_png(&picture, "iso", &camera);
  const ts_margins m = margins_of(&picture, "");
  assert_true(png_image_count_drawn(&image, 400, 0, DRAWN_WIDTH - (int)m.right + 2, 30) > 50);
  assert_int_equal(png_image_count_drawn(&image, DRAWN_WIDTH - (int)m.right + 4, 0, DRAWN_WIDTH, 30), 0);
  png_image_release(&image);
}

// ---- strange pictures ----------------------------------------------------------------------------------------------

static void strange_choices_are_survived(void **state)
{
  (void)state;
  const ts_shape star = {.kind = TS_SHAPE_SPHERE, .radius = 1e9}, speck = {.kind = TS_SHAPE_POINT};
  const ts_placed_shape placed[6] = {
      place(&ground, 0, 0, 0, 0, TS_FIXED),     place(&unit_box, NAN, 0, 0, 1, TS_DYNAMIC),
      place(&unit_box, 0, 0, 1, 2, TS_DYNAMIC), place(&star, 0, 0, 0, 3, TS_FIXED),
      place(&speck, 1e12, 0, 0, 4, TS_DYNAMIC), place(&star, 1e300, 0, 0, 5, TS_FIXED)};
  for (int choice = 0; choice < 64; ++choice)
    for (int planar = 0; planar < 2; ++planar) {
      bool focus[6];
      for (int i = 0; i < 6; ++i) focus[i] = choice >> i & 1;
      ts_picture picture = picture_of(placed, planar ? 1 : 6, planar);
      picture.names = names;
      picture.focus = focus;
      picture.zoom = choice % 3 == 0 ? 1000.0 : 0.0;
      ts_camera camera;
      char *file = svg_of(&picture, &camera);
      assert_null(strstr(file, "nan"));
      free(file);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fixed_bodies_are_shown_whole),        cmocka_unit_test(what_fell_away_does_not_shrink_the_rest),
      cmocka_unit_test(trails_and_numbers_of_what_is_gone),  cmocka_unit_test(links_and_names_of_outliers_are_left_out),
      cmocka_unit_test(what_dwarfs_all_else_is_cut_off),     cmocka_unit_test(the_focus_is_in_the_middle),
      cmocka_unit_test(a_zoom_is_a_factor_about_the_middle), cmocka_unit_test(names_do_not_lie_on_each_other),
      cmocka_unit_test(long_titles_are_written_smaller),     cmocka_unit_test(strange_choices_are_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
