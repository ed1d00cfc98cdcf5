// Colours of figures and pictures.
#ifndef TS_DRAW_COLOR_H
#define TS_DRAW_COLOR_H

#include "draw/canvas.h"

enum { TS_PALETTE_SIZE = 8 };

// A colour of the palette of Okabe and Ito (2008), which people with the common kinds of colour blindness can tell
// apart; beyond its end it begins anew. The palette's black comes last.
ts_color ts_color_palette(int i);

ts_color ts_color_gray(double level);
ts_color ts_color_with_opacity(ts_color color, double opacity);
// The way from `from` (share 0) to `to` (share 1).
ts_color ts_color_mix(ts_color from, ts_color to, double share);

// "#rrggbb"; opacity is left out.
enum { TS_COLOR_HEX_SIZE = 8 };
void ts_color_hex(ts_color color, char text[TS_COLOR_HEX_SIZE]);

#endif
