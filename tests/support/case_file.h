// Text files of numbers in tests/data, with a head of lines that begin with '#'.
#ifndef CASE_FILE_H
#define CASE_FILE_H

#include <stdbool.h>
#include <stdio.h>

// Open the file and skip its head; NULL when it cannot be read. The caller closes it.
FILE *case_file_open(const char *path);

// The next numbers; false when there are not as many.
bool case_file_numbers(FILE *file, double *x, int count);

#endif
