// Names of files.
#ifndef TS_DRAW_FILE_NAME_H
#define TS_DRAW_FILE_NAME_H

#include <stdbool.h>

// Whether a name ends so, in capitals or not, and has something before.
bool ts_ends_with(const char *name, const char *ending);

#endif
