#include "draw/utf8.h"

#include <stdbool.h>

int ts_utf8_decode(const char *text, unsigned *character)
{
  static const unsigned least[] = {0, 0x0, 0x80, 0x800, 0x10000}; // what needs so many bytes
  const unsigned char *c = (const unsigned char *)text;
  int length = 0;
  unsigned code = 0;
  if (c[0] < 0x80) {
    length = 1;
    code = c[0];
  } else if (c[0] >= 0xc0 && c[0] < 0xf8) {
    length = c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    code = c[0] & (0x7fu >> length);
  }
  for (int i = 1; i < length; ++i) {
    if ((c[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | (c[i] & 0x3fu);
  }
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (length == 0 || code < least[length] || code > 0x10ffff || surrogate || code == 0xfffe || code == 0xffff) return 0;
  *character = code;
  return length;
}
