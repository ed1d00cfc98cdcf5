#define _POSIX_C_SOURCE 200809L // open_memstream
#include "drawn_picture.h"

#include "draw/image_format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

ts_picture picture_of(const ts_placed_shape *placed, int count, bool planar)
{
  static const double now[1] = {0.25};
  return (ts_picture){.planar = planar,
                      .gravity = planar ? (ts_vec3){0.0, -9.81, 0.0} : (ts_vec3){0.0, 0.0, -9.81},
                      .title = "a picture",
                      .moments = now,
                      .moment_count = 1,
                      .placed = placed,
                      .placed_count = count};
}

char *draw_file(const ts_picture *picture, const char *view, const char *format, size_t *size, ts_camera *camera)
{
  if (picture->planar)
    ts_camera_aim_planar(camera);
  else
    assert_true(ts_camera_aim(view, picture->gravity, camera));
  ts_canvas *canvas = ts_image_format_of(format)->create_canvas(DRAWN_WIDTH, DRAWN_HEIGHT);
  assert_non_null(canvas);
  ts_picture_draw(picture, camera, canvas);
  char *file = NULL;
  FILE *stream = open_memstream(&file, size);
  assert_int_equal(ts_canvas_finish(canvas, stream), TS_OK);
  fclose(stream);
  ts_canvas_destroy(canvas);
  return file;
}

png_image draw_png(const ts_picture *picture, const char *view, ts_camera *camera)
{
  size_t size;
  char *file = draw_file(picture, view, "x.png", &size, camera);
  png_image image;
  png_image_decode((const unsigned char *)file, size, &image);
  free(file);
  return image;
}
