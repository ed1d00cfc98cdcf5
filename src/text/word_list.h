// Lists of words for sentences: "a, b or c".
#ifndef TS_TEXT_WORD_LIST_H
#define TS_TEXT_WORD_LIST_H

#include <stddef.h>

// Append word `i` of `count` to a text of `size` bytes; the last one comes after `conjunction` ("or"). What does not
// fit is cut off.
void ts_word_list_add(char *text, size_t size, int i, int count, const char *conjunction, const char *word);

// Append ", word" to a list that ends with "..." where it does not fit, and takes no more then.
void ts_word_list_extend(char *text, size_t size, const char *word);

#endif
