// Orientations in maps: as a quaternion, or in other words.
#ifndef TS_SCHEMA_ORIENTATION_KEYS_H
#define TS_SCHEMA_ORIENTATION_KEYS_H

#include "schema/schema.h"

extern const ts_section ts_orientation_section;

// The two forms of `orientation`; ts_node_orientation() reads both.
#define TS_ORIENTATION_ROWS                                                                                            \
  {"orientation",                                                                                                      \
   TS_VALUE_NUMBERS,                                                                                                   \
   .least = 4,                                                                                                         \
   .most = 4,                                                                                                          \
   .spaces = "3d",                                                                                                     \
   .above_zero = true,                                                                                                 \
   .fallback = "[1, 0, 0, 0]",                                                                                         \
   .help = "quaternion w, x, y, z, of any length"},                                                                    \
  {                                                                                                                    \
    "orientation", TS_VALUE_MAP, .section = &ts_orientation_section, .spaces = "3d", .help = "the same in other words" \
  }

#endif
