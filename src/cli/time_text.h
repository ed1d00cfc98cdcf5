// Times as people read them.
#ifndef TS_CLI_TIME_TEXT_H
#define TS_CLI_TIME_TEXT_H

#include <stddef.h>

// "162 ms": three digits, with the unit (ns, us, ms, s) that needs no power of ten. Returns `text`.
char *cli_time_text(double seconds, char *text, size_t size);

#endif
