// Plug-ins that a verb was asked to load.
#ifndef TS_CLI_PLUGINS_H
#define TS_CLI_PLUGINS_H

#include "cli/arguments.h"

#include "touchstone/extension.h"

#define CLI_PLUGIN_OPTION(request, field)                                                                              \
  {                                                                                                                    \
    "plugin", 0, "FILE", &cli_value_texts, offsetof(request, field), "",                                               \
        "load solvers, steppers, controllers and shapes from a shared library; may be given again"                     \
  }

// What the files have, or NULL after one sentence on standard error. Release with ts_extensions_destroy().
ts_extensions *cli_plugins_load(const cli_texts *files);

#endif
