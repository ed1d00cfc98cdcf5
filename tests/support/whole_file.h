// Whole files in memory.
#ifndef TS_SUPPORT_WHOLE_FILE_H
#define TS_SUPPORT_WHOLE_FILE_H

#include <stddef.h>

// The content of a file in a block of its size (so that a sanitizer sees a step beyond it), or NULL. Free it.
char *read_bytes(const char *path, size_t *bytes);

// The same with a zero after its end; stops the test where there is no such file. Free it.
char *read_text(const char *path);

// Stops the test unless both files are there and hold the same bytes.
void assert_same_files(const char *a, const char *b);

#endif
