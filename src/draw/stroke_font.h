// Letters drawn with a pen: printable ASCII. Any other character is an empty box.
#ifndef TS_DRAW_STROKE_FONT_H
#define TS_DRAW_STROKE_FONT_H

#include "draw/canvas.h"

// Width of a text in units of its size.
double ts_stroke_width(const char *text);

// Hand every stroke of the text to `draw`: points in units of the size, x from the start of the text to the right, y
// from the base line down.
typedef void ts_stroke_draw(void *user, const ts_point *points, int count);
void ts_stroke_text(const char *text, ts_stroke_draw *draw, void *user);

#endif
