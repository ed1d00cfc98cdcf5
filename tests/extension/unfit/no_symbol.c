// A library that is no plug-in.
#include <touchstone/api.h>

TS_API int touchstone_of_another_kind = 1;
