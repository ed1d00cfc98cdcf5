// Lists of words for sentences: "a, b or c".
#ifndef TS_TEXT_WORD_LIST_H
#define TS_TEXT_WORD_LIST_H

#include <stddef.h>

// Append word `i` of `count` to a text of `size` bytes; the last one comes after `conjunction` ("or"). What does not
// fit is cut off.
void ts_word_list_add(char *text, size_t size, int i, int count, const char *conjunction, const char *word);

#endif
