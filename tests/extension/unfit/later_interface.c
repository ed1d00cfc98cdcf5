// A plug-in for an interface that is yet to come.
#include <touchstone/extension.h>

TS_API const ts_plugin touchstone_plugin = {TS_EXTENSION_INTERFACE + 1, "later", NULL};
