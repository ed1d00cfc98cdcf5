#include "draw/stroke_font.h"

#include "draw/utf8.h"

// A glyph stands on a grid: the base line is at 3, small letters reach up to 9, capitals to 12, tails down to 0. A
// point is a digit for x and a hexadecimal digit for y; blanks part the strokes.
typedef struct glyph {
  char width;
  const char *strokes;
} glyph;

enum { FIRST = ' ', BASE_LINE = 3, GAP = 2, LONGEST_STROKE = 20 };
static const double UNIT = 1.0 / 12.5; // a capital is 9 units: 0.72 of the size, as in common fonts

static const glyph glyphs[] = {
    {3, ""},                                    // blank
    {0, "0c06 0403"},                           // !
    {2, "0c09 2c29"},                           // "
    {6, "132c 435c 0666 0969"},                 // #
    {6, "6b5c1c0b0918576664531304 323d"},       // $
    {7, "136c 0a0c2c2a0a 5355757353"},          // %
    {7, "731a1b2c4c5b5a0604134377"},            // &
    {0, "0c09"},                                // '
    {2, "2d0a0522"},                            // (
    {2, "0d2a2502"},                            // )
    {4, "2b25 0a46 4a06"},                      // *
    {6, "3a34 0767"},                           // +
    {1, "141301"},                              // ,
    {4, "0747"},                                // -
    {0, "0403"},                                // .
    {4, "034c"},                                // /
    {6, "2c4c6966432306092c"},                  // 0
    {4, "0a2c23 0343"},                         // 1
    {6, "0a1c5c6b690363"},                      // 2
    {6, "0b1c5c6b695828 586764531304"},         // 3
    {6, "434c0666"},                            // 4
    {6, "6c1c0819496765431304"},                // 5
    {6, "5c3c090523436567492907"},              // 6
    {6, "0c6c23"},                              // 7
    {6, "2c4c6b694828090b2c 2806042343646648"}, // 8
    {6, "1333666a4c2c0a08264668"},              // 9
    {0, "0403 0908"},                           // :
    {1, "1918 141301"},                         // ;
    {5, "5a0754"},                              // <
    {6, "0969 0565"},                           // =
    {5, "0a5704"},                              // >
    {5, "0a1c4c5b592726 2423"},                 // ?
    {8, "66693928263555667586896c3c09063363"},  // @
    {6, "033c63 1656"},                         // A
    {6, "030c4c6b694808 4867644303"},           // B
    {6, "6b4c2c0a05234364"},                    // C
    {6, "030c3c69663303"},                      // D
    {5, "5c0c0353 0848"},                       // E
    {5, "5c0c03 0848"},                         // F
    {6, "6b4c2c0a052343656737"},                // G
    {6, "0c03 6c63 0868"},                      // H
    {0, "0c03"},                                // I
    {4, "4c45331305"},                          // J
    {6, "0c03 6c07 2963"},                      // K
    {5, "0c0353"},                              // L
    {8, "030c468c83"},                          // M
    {6, "030c636c"},                            // N
    {6, "2c4c6a654323050a2c"},                  // O
    {6, "030c4c6b684707"},                      // P
    {6, "2c4c6a654323050a2c 4563"},             // Q
    {6, "030c4c6b684707 3763"},                 // R
    {6, "6b5c1c0b0918576664531304"},            // S
    {6, "0c6c 3c33"},                           // T
    {6, "0c052343656c"},                        // U
    {6, "0c336c"},                              // V
    {8, "0c234a638c"},                          // W
    {6, "0c63 6c03"},                           // X
    {6, "0c376c 3733"},                         // Y
    {6, "0c6c0363"},                            // Z
    {2, "2d0d0222"},                            // [
    {4, "0c43"},                                // backslash
    {2, "0d2d2202"},                            // ]
    {4, "092c49"},                              // ^
    {6, "0161"},                                // _
    {2, "0c2a"},                                // `
    {5, "5953 5739290705233355"},               // a
    {5, "0c03 0729395755332305"},               // b
    {5, "5839290705233354"},                    // c
    {5, "5c53 5739290705233355"},               // d
    {5, "06565739290705233354"},                // e
    {4, "4c2c1b13 0939"},                       // f
    {5, "5951401001 5739290705233355"},         // g
    {5, "0c03 0729395753"},                     // h
    {0, "0903 0b0c"},                           // i
    {2, "29211000 2b2c"},                       // j
    {5, "0c03 5905 2753"},                      // k
    {1, "0c0413"},                              // l
    {8, "0903 0729394743 4769798783"},          // m
    {5, "0903 0729395753"},                     // n
    {5, "293957553323050729"},                  // o
    {5, "0900 0729395755332305"},               // p
    {5, "5950 5739290705233355"},               // q
    {4, "0903 072949"},                         // r
    {4, "48391908074544331304"},                // s
    {4, "1c142343 0939"},                       // t
    {5, "0905233355 5953"},                     // u
    {4, "092349"},                              // v
    {8, "0923476389"},                          // w
    {4, "0943 4903"},                           // x
    {4, "0923 491000"},                         // y
    {4, "09490343"},                            // z
    {3, "3d2c2807262332"},                      // {
    {0, "0d02"},                                // |
    {3, "0d1c1837161302"},                      // }
    {6, "061828465668"},                        // ~
};
enum { GLYPHS = sizeof glyphs / sizeof glyphs[0] };
static const glyph box = {6, "030c6c6303"};

// The glyph that the text begins with; moves the text past it.
static const glyph *next_glyph(const char **text)
{
  unsigned character = 0;
  const int length = ts_utf8_decode(*text, &character);
  *text += length > 0 ? length : 1;
  return length > 0 && character >= FIRST && character < FIRST + GLYPHS ? &glyphs[character - FIRST] : &box;
}

double ts_stroke_width(const char *text)
{
  int width = 0;
  while (*text) width += next_glyph(&text)->width + GAP;
  return width > 0 ? (width - GAP) * UNIT : 0.0;
}

static int grid_number(char digit)
{
  return digit <= '9' ? digit - '0' : digit - 'a' + 10;
}

static void draw_glyph(const glyph *letter, int left, ts_stroke_draw *draw, void *user)
{
  for (const char *c = letter->strokes; *c;) {
    ts_point points[LONGEST_STROKE];
    int count = 0;
    for (; *c && *c != ' '; c += 2)
      points[count++] = (ts_point){(left + grid_number(c[0])) * UNIT, (BASE_LINE - grid_number(c[1])) * UNIT};
    draw(user, points, count);
    c += *c == ' ';
  }
}

void ts_stroke_text(const char *text, ts_stroke_draw *draw, void *user)
{
  for (int left = 0; *text;) {
    const glyph *letter = next_glyph(&text);
    draw_glyph(letter, left, draw, user);
    left += letter->width + GAP;
  }
}
