#include "draw/color.h"

#include <math.h>

static const unsigned char palette[TS_PALETTE_SIZE][3] = {{0, 114, 178},   {213, 94, 0},  {0, 158, 115},
                                                          {204, 121, 167}, {230, 159, 0}, {86, 180, 233},
                                                          {240, 228, 66},  {0, 0, 0}};

ts_color ts_color_palette(int i)
{
  const unsigned char *entry = palette[i % TS_PALETTE_SIZE];
  return (ts_color){entry[0] / 255.0, entry[1] / 255.0, entry[2] / 255.0, 1.0};
}

ts_color ts_color_gray(double level)
{
  return (ts_color){level, level, level, 1.0};
}

ts_color ts_color_with_opacity(ts_color color, double opacity)
{
  color.opacity = opacity;
  return color;
}

ts_color ts_color_mix(ts_color from, ts_color to, double share)
{
  const double rest = 1.0 - share;
  return (ts_color){rest * from.red + share * to.red, rest * from.green + share * to.green,
                    rest * from.blue + share * to.blue, rest * from.opacity + share * to.opacity};
}

static unsigned byte_of(double level)
{
  return (unsigned)lround(255.0 * fmin(fmax(level, 0.0), 1.0));
}

void ts_color_hex(ts_color color, char text[TS_COLOR_HEX_SIZE])
{
  snprintf(text, TS_COLOR_HEX_SIZE, "#%02x%02x%02x", byte_of(color.red) & 0xffu, byte_of(color.green) & 0xffu,
           byte_of(color.blue) & 0xffu);
}
