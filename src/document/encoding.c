#include "document/encoding.h"

#include <string.h>

size_t ts_document_mark_length(const char *text, size_t length)
{
  static const char mark[] = "\xef\xbb\xbf";
  const size_t size = sizeof mark - 1;
  return length >= size && memcmp(text, mark, size) == 0 ? size : 0;
}

// Length of the UTF-8 sequence that begins at s, 0 where there is none.
static size_t sequence_length(const unsigned char *s, size_t left)
{
  if (s[0] < 0x80) return s[0] != 0;
  const size_t length = s[0] >= 0xc2 && s[0] < 0xe0   ? 2
                        : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                        : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                                      : 0;
  if (length > left) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((s[i] & 0xc0) != 0x80) return 0;
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
  if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
  return length;
}

ts_status ts_document_check_encoding(ts_document_input *in, const char *text, size_t length, int file)
{
  ts_place place = {.file = file, .line = 1, .column = 1};
  for (size_t i = 0; i < length;) {
    const size_t step = sequence_length((const unsigned char *)text + i, length - i);
    if (step == 0) return ts_document_fail(in, place, "this byte is not UTF-8 text");
    ++place.column;
    if (text[i] == '\n') place = (ts_place){.file = file, .line = place.line + 1, .column = 1};
    i += step;
  }
  return TS_OK;
}
