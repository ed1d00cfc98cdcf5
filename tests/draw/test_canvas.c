// Both back ends of the canvas: areas that are known, files that other code can read, text of every kind.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "touchstone/vector.h"

#include "draw/color.h"
#include "draw/image_format.h"
#include "draw/raster.h"
#include "draw/stroke_font.h"
#include "draw/utf8.h"

#include "png_image.h"
#include "xml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// ---- areas ---------------------------------------------------------------------------------------------------------

static ts_color black(const void *user, double x, double y)
{
  (void)user;
  (void)x;
  (void)y;
  return ts_color_gray(0.0);
}

// How much of a white picture has become black [pixels]; empties the area.
static double filled(ts_area *area)
{
  ts_raster raster;
  assert_true(ts_raster_init(&raster, 100, 80, area->heap));
  ts_raster_fill(&raster, area, black, NULL);
  double sum = 0.0;
  for (size_t i = 0; i < 100 * 80; ++i) sum += 1.0 - (double)raster.pixels[3 * i];
  ts_raster_destroy(&raster);
  ts_area_clear(area);
  return sum;
}

static void areas_are_those_of_geometry(void **state)
{
  (void)state;
  ts_heap heap = {0};
  ts_area area = {.heap = &heap};
  const ts_point rectangle[4] = {{10.25, 20.5}, {60.5, 20.5}, {60.5, 40.0}, {10.25, 40.0}};
  ts_area_add_contour(&area, rectangle, 4);
  assert_true(fabs(filled(&area) - 50.25 * 19.5) < 1e-3);

  ts_point turned[4]; // by 30 degrees about (50, 40)
  for (int i = 0; i < 4; ++i) {
    const double x = rectangle[i].x - 50.0, y = rectangle[i].y - 40.0, c = cos(TS_PI / 6.0), s = sin(TS_PI / 6.0);
    turned[i] = (ts_point){50.0 + c * x - s * y, 40.0 + s * x + c * y};
  }
  ts_area_add_contour(&area, turned, 4);
  assert_true(fabs(filled(&area) - 50.25 * 19.5) < 0.2);

  for (double r = 0.7; r < 38.0; r *= 1.7) {
    ts_area_add_disc(&area, (ts_point){50.3, 40.1}, r);
    assert_true(fabs(filled(&area) - TS_PI * r * r) < 0.02 * TS_PI * r * r + 0.05);
  }

  // along x 40 and along y 50, of width 4, sharing a square of 2 x 2 at the corner, which a quarter disc rounds off;
  // and half discs at the ends
  const ts_point line[3] = {{10.0, 10.0}, {50.0, 10.0}, {50.0, 60.0}};
  ts_area_add_line(&area, line, 3, false, 4.0);
  assert_true(fabs(filled(&area) - (160.0 + 200.0 - 4.0 + TS_PI + 4.0 * TS_PI)) < 0.3);
  ts_area_destroy(&area);
}

// What overlaps counts once when contours turn the same way, and a hole is one when they do not.
static void windings_unite_and_cancel(void **state)
{
  (void)state;
  ts_heap heap = {0};
  ts_area area = {.heap = &heap};
  const ts_point outer[4] = {{10, 10}, {50, 10}, {50, 50}, {10, 50}},
                 same[4] = {{30, 30}, {70, 30}, {70, 70}, {30, 70}};
  const ts_point inner[4] = {{20, 20}, {20, 40}, {40, 40}, {40, 20}};
  ts_area_add_contour(&area, outer, 4);
  ts_area_add_contour(&area, same, 4);
  assert_true(fabs(filled(&area) - (1600.0 + 1600.0 - 400.0)) < 1e-3);
  ts_area_add_contour(&area, outer, 4);
  ts_area_add_contour(&area, inner, 4);
  assert_true(fabs(filled(&area) - (1600.0 - 400.0)) < 1e-3);
  ts_area_destroy(&area);
}

static void what_lies_outside_is_cut_off(void **state)
{
  (void)state;
  ts_heap heap = {0};
  ts_area area = {.heap = &heap};
  const ts_point large[4] = {{-1e6, -1e6}, {1e6, -1e6}, {1e6, 1e6}, {-1e6, 1e6}};
  ts_area_add_contour(&area, large, 4);
  assert_true(fabs(filled(&area) - 8000.0) < 1e-2);
  const ts_point half[4] = {{-50, 20}, {10, 20}, {10, 200}, {-50, 200}};
  ts_area_add_contour(&area, half, 4);
  assert_true(fabs(filled(&area) - 600.0) < 1e-2);
  const ts_point away[3] = {{-50, -20}, {-10, -20}, {-10, -2}};
  ts_area_add_contour(&area, away, 3);
  assert_true(filled(&area) == 0.0);
  ts_area_destroy(&area);
}

// ---- files ---------------------------------------------------------------------------------------------------------

static ts_canvas *create(const char *suffix, int width, int height)
{
  char name[16];
  snprintf(name, sizeof name, "x.%s", suffix);
  ts_canvas *canvas = ts_image_format_of(name)->create_canvas(width, height);
  assert_non_null(canvas);
  return canvas;
}

typedef struct drawing {
  char *file;
  size_t size;
} drawing;

static drawing finish(ts_canvas *canvas)
{
  drawing d = {NULL, 0};
  FILE *stream = open_memstream(&d.file, &d.size);
  assert_int_equal(ts_canvas_finish(canvas, stream), TS_OK);
  fclose(stream);
  ts_canvas_destroy(canvas);
  return d;
}

static png_image finish_png(ts_canvas *canvas)
{
  drawing d = finish(canvas);
  png_image image;
  png_image_decode((const unsigned char *)d.file, d.size, &image);
  free(d.file);
  return image;
}

static int finish_svg(ts_canvas *canvas)
{
  drawing d = finish(canvas);
  int elements = 0;
  const char *reason = NULL;
  if (!xml_is_well_formed(d.file, &elements, &reason)) fail_msg("%s in %s", reason, d.file);
  free(d.file);
  return elements;
}

static void pixels_come_back_from_png(void **state)
{
  (void)state;
  for (int side = TS_CANVAS_LEAST; side < 400; side = 2 * side + 7) {
    ts_canvas *canvas = create("png", side, side + 3);
    const ts_point square[4] = {{2, 3}, {9, 3}, {9, 8}, {2, 8}};
    ts_canvas_fill(canvas, square, 4, (ts_color){1.0, 0.5, 0.0, 1.0});
    ts_canvas_fill(canvas, square, 4, (ts_color){0.0, 0.0, 1.0, 0.5}); // half over it
    png_image image = finish_png(canvas);
    assert_int_equal(image.width, side);
    assert_int_equal(image.height, side + 3);
    assert_int_equal(png_image_count_drawn(&image, 0, 0, side, side + 3), 7 * 5);
    assert_memory_equal(png_image_at(&image, 2, 3), ((unsigned char[]){128, 64, 128}), 3);
    assert_memory_equal(png_image_at(&image, 1, 3), ((unsigned char[]){255, 255, 255}), 3);
    png_image_release(&image);
  }
}

static ts_ball_shading gray_shading(void)
{
  ts_ball_shading shading = {.focus = {-0.4, -0.5}};
  for (int i = 0; i < TS_BALL_STOPS; ++i) shading.stops[i] = ts_color_gray(1.0 - 0.2 * i);
  return shading;
}

// White at the focus, black at the rim, and in between the share of the way on the ray, as SVG defines it.
static void balls_are_shaded_from_the_focus_to_the_rim(void **state)
{
  (void)state;
  const ts_ball_shading shading = gray_shading();
  ts_canvas *canvas = create("png", 400, 400);
  ts_canvas_ball(canvas, (ts_point){200.0, 200.0}, 150.0, &shading);
  png_image image = finish_png(canvas);
  assert_true(png_image_at(&image, 140, 125)[0] >= 252);
  assert_true(png_image_at(&image, 200, 348)[0] <= 6);
  // half way from the focus (140, 125) to the rim straight below it: y of the rim is 200 + sqrt(150^2 - 60^2)
  const double rim = 200.0 + sqrt(150.0 * 150.0 - 60.0 * 60.0);
  assert_true(abs(png_image_at(&image, 140, (int)(0.5 * (125.0 + rim)))[0] - 128) <= 2);
  assert_int_equal(png_image_at(&image, 50, 50)[0], 255);
  png_image_release(&image);
}

static void one_gradient_serves_all_balls_of_a_look(void **state)
{
  (void)state;
  const ts_ball_shading shading = gray_shading();
  ts_canvas *canvas = create("svg", 400, 400);
  for (int i = 0; i < 5; ++i) ts_canvas_ball(canvas, (ts_point){50.0 * i, 20.0}, 10.0, &shading);
  drawing d = finish(canvas);
  const char *first = strstr(d.file, "<radialGradient");
  assert_non_null(first);
  assert_null(strstr(first + 1, "<radialGradient"));
  free(d.file);
}

// ---- hostile input -------------------------------------------------------------------------------------------------

static const char *const texts[] = {"<b>&\"'",
                                    "]]>",
                                    "caf\xc3\xa9",
                                    "\xff\xfe broken",
                                    "\xc0\x80 overlong",
                                    "tab\tnew\nline\x01",
                                    "\xed\xa0\x80 surrogate",
                                    "cut \xe2\x82",
                                    "",
                                    "&amp; &#0;"};

static void any_text_leaves_a_file_that_can_be_read(void **state)
{
  (void)state;
  ts_canvas *svg = create("svg", 200, 100), *png = create("png", 200, 100);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    ts_canvas_text(svg, (ts_point){10.0, 20.0}, 12.0, TS_ANCHOR_MIDDLE, ts_color_gray(0.0), texts[i]);
    ts_canvas_text(png, (ts_point){10.0, 20.0}, 12.0, TS_ANCHOR_MIDDLE, ts_color_gray(0.0), texts[i]);
  }
  finish_svg(svg);
  png_image image = finish_png(png);
  png_image_release(&image);
}

static void numbers_that_are_none_draw_nothing(void **state)
{
  (void)state;
  static const double bad[] = {NAN, INFINITY, -INFINITY, 1e300};
  const ts_ball_shading shading = gray_shading();
  for (int kind = 0; kind < 2; ++kind) {
    ts_canvas *canvas = kind ? create("svg", 50, 50) : create("png", 50, 50);
    for (int i = 0; i < 4; ++i) {
      const ts_point points[3] = {{1.0, 2.0}, {bad[i], 3.0}, {20.0, 30.0}};
      ts_canvas_fill(canvas, points, 3, ts_color_gray(0.0));
      ts_canvas_facet(canvas, points, 3, ts_color_gray(0.0), 1.0, ts_color_gray(0.0));
      ts_canvas_line(canvas, points, 3, true, 1.0, ts_color_gray(0.0));
      ts_canvas_ball(canvas, points[1], 5.0, &shading);
      ts_canvas_ball(canvas, points[0], bad[i], &shading);
      ts_canvas_text(canvas, points[1], 12.0, TS_ANCHOR_START, ts_color_gray(0.0), "text");
    }
    ts_canvas_fill(canvas, NULL, 0, ts_color_gray(0.0));
    if (kind) {
      assert_int_equal(finish_svg(canvas), 2); // the root and its background
    } else {
      png_image image = finish_png(canvas);
      assert_int_equal(png_image_count_drawn(&image, 0, 0, 50, 50), 0);
      png_image_release(&image);
    }
  }
}

// ---- letters -------------------------------------------------------------------------------------------------------

typedef struct extent {
  double left, right, top, bottom;
  int strokes;
} extent;

static void measure(void *user, const ts_point *points, int count)
{
  extent *e = user;
  ++e->strokes;
  assert_true(count >= 2);
  for (int i = 0; i < count; ++i) {
    e->left = fmin(e->left, points[i].x);
    e->right = fmax(e->right, points[i].x);
    e->top = fmin(e->top, points[i].y);
    e->bottom = fmax(e->bottom, points[i].y);
  }
}

static extent extent_of(const char *text)
{
  extent e = {INFINITY, -INFINITY, INFINITY, -INFINITY, 0};
  ts_stroke_text(text, measure, &e);
  return e;
}

static void every_letter_is_within_its_line_and_width(void **state)
{
  (void)state;
  for (char c = '!'; c <= '~'; ++c) {
    const char text[2] = {c, '\0'};
    const extent e = extent_of(text);
    assert_true(e.strokes > 0 && e.strokes <= 4);
    assert_true(e.left >= 0.0 && e.right <= ts_stroke_width(text) + 1e-12);
    assert_true(e.top >= -0.85 && e.bottom <= 0.3);
  }
  assert_int_equal(extent_of(" ").strokes, 0);
  assert_int_equal(extent_of("\xc3\xa9").strokes, 1); // one box for one character
  assert_int_equal(extent_of("\xff\xff").strokes, 2);
  assert_true(ts_stroke_width("") == 0.0);
  assert_true(fabs(ts_stroke_width("ab") - extent_of("ab").right) < 1e-12);
}

// How much of a picture has gone from one shade of gray to another [pixels].
static double amount(const png_image *image, double none, double full)
{
  double sum = 0.0;
  for (int y = 0; y < image->height; ++y)
    for (int x = 0; x < image->width; ++x) sum += fmax(0.0, (png_image_at(image, x, y)[0] - none) / (full - none));
  return sum;
}

static double mean_column(const png_image *image)
{
  double sum = 0.0, all = 0.0;
  for (int y = 0; y < image->height; ++y)
    for (int x = 0; x < image->width; ++x) {
      const double ink = 255.0 - png_image_at(image, x, y)[0];
      sum += ink * (x + 0.5);
      all += ink;
    }
  return sum / all;
}

// A minus sign is one stroke: a rectangle and two half discs, as thick as a tenth of the letters, with a rim of one and
// a half pixels that keeps it apart from what is behind it.
static void letters_are_as_thick_as_their_size_asks(void **state)
{
  (void)state;
  const extent minus = extent_of("-");
  for (double size = 15.0; size < 130.0; size *= 2.0) {
    const double length = size * (minus.right - minus.left), thick = 0.1 * size, wide = thick + 3.0;
    const double ink = length * thick + 0.25 * TS_PI * thick * thick,
                 rim = length * wide + 0.25 * TS_PI * wide * wide - ink;
    for (int anchor = 0; anchor < 3; ++anchor) {
      ts_canvas *canvas = create("png", 300, 200);
      ts_canvas_text(canvas, (ts_point){150.0, 100.0}, size, (ts_anchor)anchor, ts_color_gray(0.0), "-");
      png_image image = finish_png(canvas);
      assert_true(fabs(amount(&image, 255.0, 0.0) / ink - 1.0) < 0.02);
      const double shift = anchor == TS_ANCHOR_START ? 0.0 : anchor == TS_ANCHOR_MIDDLE ? 0.5 : 1.0;
      const double middle = 150.0 + size * (0.5 * (minus.left + minus.right) - shift * ts_stroke_width("-"));
      assert_true(fabs(mean_column(&image) - middle) < 0.1);
      png_image_release(&image);
    }
    const ts_point all[4] = {{0.0, 0.0}, {300.0, 0.0}, {300.0, 200.0}, {0.0, 200.0}};
    ts_canvas *canvas = create("png", 300, 200);
    ts_canvas_fill(canvas, all, 4, ts_color_gray(0.4));
    ts_canvas_text(canvas, (ts_point){150.0, 100.0}, size, TS_ANCHOR_MIDDLE, ts_color_gray(0.4),
                   "-"); // its rim alone is seen
    png_image image = finish_png(canvas);
    assert_true(fabs(amount(&image, 102.0, 255.0) / rim - 1.0) < 0.03);
    png_image_release(&image);
  }
}

static void characters_are_decoded_by_the_standard(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int length;
    unsigned character;
  } cases[] = {{"A", 1, 'A'},
               {"\xc3\xa9", 2, 0xe9},
               {"\xe2\x82\xac", 3, 0x20ac},
               {"\xf0\x9f\x98\x80", 4, 0x1f600},
               {"\xc0\xaf", 0, 0},
               {"\xe0\x80\xaf", 0, 0},
               {"\xed\xa0\x80", 0, 0},
               {"\xf4\x90\x80\x80", 0, 0},
               {"\x80", 0, 0},
               {"\xff", 0, 0},
               {"\xc3", 0, 0},
               {"\xef\xbf\xbf", 0, 0},
               {"\xf4\x8f\xbf\xbf", 4, 0x10ffff}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    unsigned character = 0;
    assert_int_equal(ts_utf8_decode(cases[i].text, &character), cases[i].length);
    assert_int_equal(character, cases[i].character);
  }
}

// The checker of tests/support notices what it is there to notice.
static void the_checker_of_xml_notices_mistakes(void **state)
{
  (void)state;
  static const char *const good[] = {"<a/>", "<?xml version='1.0'?><!-- c --><a b=\"1\" c='2'>&lt;<d/>x</a>\n"};
  static const char *const bad[] = {
      "",           "text",       "<a>",          "<a></b>",     "<a/><b/>",        "<a b=1/>",
      "<a b=\"1>",  "<a>&x;</a>", "<a>\x01</a>",  "<a>\xff</a>", "<a b='1'b='2'/>", "<a b='1' b='2'/>",
      "<a b='<'/>", "</a>",       "<a><!-- </a>", "<a /b>"};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) assert_true(xml_is_well_formed(good[i], NULL, NULL));
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) assert_false(xml_is_well_formed(bad[i], NULL, NULL));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(areas_are_those_of_geometry),
      cmocka_unit_test(windings_unite_and_cancel),
      cmocka_unit_test(what_lies_outside_is_cut_off),
      cmocka_unit_test(pixels_come_back_from_png),
      cmocka_unit_test(balls_are_shaded_from_the_focus_to_the_rim),
      cmocka_unit_test(one_gradient_serves_all_balls_of_a_look),
      cmocka_unit_test(any_text_leaves_a_file_that_can_be_read),
      cmocka_unit_test(numbers_that_are_none_draw_nothing),
      cmocka_unit_test(every_letter_is_within_its_line_and_width),
      cmocka_unit_test(letters_are_as_thick_as_their_size_asks),
      cmocka_unit_test(characters_are_decoded_by_the_standard),
      cmocka_unit_test(the_checker_of_xml_notices_mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
