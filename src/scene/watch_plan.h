// `stop` and `results` of a scene: what is to be watched in its runs.
#ifndef TS_SCENE_WATCH_PLAN_H
#define TS_SCENE_WATCH_PLAN_H

#include "touchstone/watch.h"

#include "document/node.h"
#include "schema/schema.h"

extern const ts_section ts_stop_section, ts_results_section;

typedef struct ts_planned_stop {
  ts_stop_def def;
  ts_place place; // of its expression, or of what stands for it
  bool is_text;   // the expression is written out, so that columns count from `place`
} ts_planned_stop;

typedef struct ts_planned_result {
  ts_result_def def;
  ts_place place, when_place;
} ts_planned_result;

typedef struct ts_watch_plan {
  ts_planned_stop *stops;
  ts_planned_result *results;
  int stop_count, result_count;
} ts_watch_plan;

// An expression by itself among the results becomes `final` of a map, so that there is one form from then on.
ts_status ts_scene_complete_results(ts_document_input *in, ts_node *root);

// What a checked tree asks for; all texts are in the tree.
ts_status ts_watch_plan_read(ts_document_input *in, const ts_node *root, ts_watch_plan *plan);

// A watch of the model with the document's parameters. On TS_OK *watch belongs to the caller.
ts_status ts_watch_plan_make(ts_document_input *in, const ts_watch_plan *plan, const ts_model *model, ts_watch **watch);

#endif
