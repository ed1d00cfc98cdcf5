#include "cli/plugins.h"

#include "cli/allocation.h"
#include "cli/message.h"

ts_extensions *cli_plugins_load(const cli_texts *files)
{
  ts_error error = {0};
  ts_extensions *extensions = ts_extensions_create();
  if (!extensions) cli_out_of_memory();
  for (int i = 0; i < files->count; ++i) {
    if (ts_extensions_load(extensions, files->items[i], &error) == TS_OK) continue;
    cli_message_about(files->items[i], &error);
    ts_extensions_destroy(extensions);
    return NULL;
  }
  return extensions;
}
