#include "plot/text_width.h"

#include "draw/utf8.h"

#include <stdbool.h>
#include <string.h>

// Of the letters of DejaVu Sans from the blank on, in thousandths of their height. Nimbus Sans and Helvetica, which SVG
// asks for, are narrower.
static const short WIDTHS[] = {318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
                               636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
                               1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
                               603,  787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
                               500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
                               635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838};

static const double HEIGHT = 13.34; // [pixels] of 10 points

// Of a character in pixels, and its bytes.
static double character_width(const char *text, int *bytes)
{
  enum { FIRST = 0x20, LAST = 0x7e, WIDE = 0x1100 }; // from there on characters are as wide as they are high
  unsigned character;
  *bytes = ts_utf8_decode(text, &character);
  if (*bytes == 0) {
    *bytes = 1;
    character = '?';
  }
  const double width = character >= FIRST && character <= LAST ? WIDTHS[character - FIRST]
                       : character < FIRST                     ? WIDTHS[0]
                       : character < WIDE                      ? 800.0
                                                               : 1050.0;
  return 1e-3 * HEIGHT * width;
}

double ts_text_width(const char *text)
{
  double width = 0.0;
  for (int bytes; *text; text += bytes) width += character_width(text, &bytes);
  return width;
}

void ts_text_fit(const char *text, double pixels, char *fitted, size_t size)
{
  static const char points[] = "...";
  const double room = pixels - ts_text_width(points);
  size_t used = 0, kept = 0; // of the whole, and before the points
  double width = 0.0;
  bool fits = true;
  while (fits && text[used]) {
    int bytes;
    width += character_width(text + used, &bytes);
    fits = width <= pixels && used + (size_t)bytes < size;
    if (width <= room && used + (size_t)bytes + sizeof points <= size) kept = used + (size_t)bytes;
    used += (size_t)bytes;
  }
  if (!fits) used = kept;
  memcpy(fitted, text, used);
  memcpy(fitted + used, fits || room < 0.0 ? "" : points, fits || room < 0.0 ? 1 : sizeof points);
}
