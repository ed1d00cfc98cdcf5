#include "model/freedoms.h"

#include <stddef.h>

static const ts_freedoms settings[] = {
    [TS_SPACE_3D] = {.space = TS_SPACE_3D,
                     .joints = TS_SPACE_3D,
                     .slides = 3,
                     .turns = 3,
                     .along = {1.0, 1.0, 1.0},
                     .about = {1.0, 1.0, 1.0},
                     .contact_rows = 3,
                     .down = {0.0, 0.0, -1.0}},
    [TS_SPACE_2D] = {.space = TS_SPACE_2D,
                     .joints = TS_SPACE_2D,
                     .slides = 2,
                     .turns = 1,
                     .along = {1.0, 1.0, 0.0},
                     .about = {0.0, 0.0, 1.0},
                     .contact_rows = 2,
                     .down = {0.0, -1.0, 0.0}},
    [TS_SPACE_2_5D] = {.space = TS_SPACE_2_5D,
                       .joints = TS_SPACE_2D,
                       .slides = 2,
                       .turns = 1,
                       .along = {1.0, 1.0, 0.0},
                       .about = {0.0, 0.0, 1.0},
                       .contact_rows = 3, // of supports; parts touch with n and t
                       .down = {0.0, 0.0, -1.0}},
};

const ts_freedoms *ts_freedoms_of(ts_space space)
{
  return &settings[space];
}

const char *ts_space_name(ts_space space)
{
#define NAME(enumerator, text) text,
  static const char *const names[] = {TS_SPACE_LIST(NAME)};
#undef NAME
  return (unsigned)space < TS_SPACE_COUNT ? names[space] : NULL;
}

bool ts_space_is_planar(ts_space space)
{
  return (unsigned)space < TS_SPACE_COUNT && ts_is_flat(ts_freedoms_of(space));
}
