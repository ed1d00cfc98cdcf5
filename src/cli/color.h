// Colours of figures and pictures.
#ifndef TS_CLI_COLOR_H
#define TS_CLI_COLOR_H

#include "cli/canvas.h"

enum { CLI_PALETTE_SIZE = 8 };

// A colour of the palette of Okabe and Ito (2008), which people with the common kinds of colour blindness can tell
// apart; beyond its end it begins anew. The palette's black comes last.
cli_color cli_palette(int i);

cli_color cli_gray(double level);
cli_color cli_opacity(cli_color color, double opacity);
// The way from `from` (share 0) to `to` (share 1).
cli_color cli_mix(cli_color from, cli_color to, double share);

// "#rrggbb"; opacity is left out.
enum { CLI_HEX_SIZE = 8 };
void cli_color_hex(cli_color color, char text[CLI_HEX_SIZE]);

#endif
