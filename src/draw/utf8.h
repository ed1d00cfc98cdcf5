// Characters of UTF-8 text.
#ifndef TS_DRAW_UTF8_H
#define TS_DRAW_UTF8_H

// The character that `text` begins with, and how many bytes it takes (1 to 4). 0: it does not begin with a well-formed
// character that a document may hold (overlong forms, surrogates, U+FFFE and U+FFFF are not).
int ts_utf8_decode(const char *text, unsigned *character);

#endif
