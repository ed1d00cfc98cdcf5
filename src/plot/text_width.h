// How wide texts of figures are, and texts that are no wider than their place.
#ifndef TS_PLOT_TEXT_WIDTH_H
#define TS_PLOT_TEXT_WIDTH_H

#include <stddef.h>

// Pixels that a text takes, in the widest of the fonts that figures are drawn with.
double ts_text_width(const char *text);

// A text that takes no more than so many pixels; what is left of a longer one ends in three points. `fitted` has room
// for `size` bytes, 8 at least.
void ts_text_fit(const char *text, double pixels, char *fitted, size_t size);

#endif
