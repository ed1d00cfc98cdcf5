// Parameters of a scene and what is watched in its runs, for `touchstone check`.
#ifndef TS_CLI_WATCH_LIST_H
#define TS_CLI_WATCH_LIST_H

#include "cli/json.h"

#include "touchstone/scene.h"

// After an empty line, where there are any.
void cli_print_scene_parameters(const ts_scene *scene);
void cli_print_watched(const ts_watch *watch);

// `parameters`, `stop` and `results`, members of an open object.
void cli_list_scene_parameters(cli_json *json, const ts_scene *scene);
void cli_list_watched(cli_json *json, const ts_watch *watch);

#endif
