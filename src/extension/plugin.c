// Shared libraries that bring extensions.
#define _POSIX_C_SOURCE 200809L // dlfcn.h
#include "extension/extensions.h"

#include "base/require.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

#include <dlfcn.h>

static const char SYMBOL[] = "touchstone_plugin";

// A name without a slash would be looked for in the system's folders, and whatever lies there be run.
static void *open_library(const char *path, ts_error *error)
{
  char *beside = NULL;
  if (!strchr(path, '/')) {
    beside = malloc(strlen(path) + 3);
    if (!beside) {
      ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
      return NULL;
    }
    memcpy(beside, "./", 3);
    strcat(beside, path);
  }
  void *handle = dlopen(beside ? beside : path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) ts_fail(error, TS_IO, "it is no library that can be loaded: %.400s", dlerror());
  free(beside);
  return handle;
}

static ts_status add_from(void *handle, ts_extensions *extensions, ts_error *error)
{
  const ts_plugin *plugin = dlsym(handle, SYMBOL);
  if (!plugin) return ts_fail(error, TS_INVALID, "it is no plug-in: it has no symbol '%s'", SYMBOL);
  if (plugin->interface != TS_EXTENSION_INTERFACE)
    return ts_fail(error, TS_UNSUPPORTED,
                   "it was made for interface %d of plug-ins, this is interface %d; compile it again",
                   plugin->interface, TS_EXTENSION_INTERFACE);
  if (!plugin->add) return ts_fail(error, TS_INVALID, "it adds nothing");
  return plugin->add(extensions, error);
}

ts_status ts_extensions_load(ts_extensions *extensions, const char *path, ts_error *error)
{
  TS_REFUSE_UNLESS(extensions, error);
  TS_REFUSE_UNLESS(path, error);
  ts_error why = {0};
  void *handle = open_library(path, &why);
  ts_loaded_library *library = handle ? malloc(sizeof *library) : NULL;
  if (handle && !library) {
    dlclose(handle);
    ts_fail(&why, TS_OUT_OF_MEMORY, "memory ran out");
  }
  if (!library) {
    if (error) *error = why;
    return why.status;
  }
  // What it has added before it failed stays, and so does the library.
  *library = (ts_loaded_library){handle, extensions->libraries};
  extensions->libraries = library;
  return add_from(handle, extensions, error);
}
