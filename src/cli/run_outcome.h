// Parameters and results of a run: in its record, on the terminal, and as JSON.
#ifndef TS_CLI_RUN_OUTCOME_H
#define TS_CLI_RUN_OUTCOME_H

#include "cli/json.h"

#include "touchstone/record.h"
#include "touchstone/scene.h"

// Hand the recorder (may be NULL) what there is. `watch`: that has begun, or NULL; `ended`: results have their values.
ts_status cli_record_outcome(ts_recorder *recorder, const ts_scene *scene, const ts_watch *watch, bool ended,
                             ts_error *error);

// Below a heading of their own: they may be called like what a summary has. Nothing where there are none.
void cli_print_results(const ts_watch *watch, FILE *out);
// Members of an open object; none where there is nothing.
void cli_write_scene_parameters(const ts_scene *scene, cli_json *json);
void cli_write_results(const ts_watch *watch, cli_json *json);

#endif
