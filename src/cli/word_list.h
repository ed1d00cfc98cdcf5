// Lists of words for sentences: "a, b or c".
#ifndef TS_CLI_WORD_LIST_H
#define TS_CLI_WORD_LIST_H

#include <stddef.h>

// Append word `i` of `count` to a text of `size` bytes. What does not fit is cut off.
__attribute__((format(printf, 5, 6))) void cli_word_list_add(char *text, size_t size, int i, int count,
                                                             const char *format, ...);

#endif
