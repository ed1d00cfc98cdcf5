// The scene that trials simulate, while a study is read.
#ifndef TS_STUDY_SCENE_SOURCE_H
#define TS_STUDY_SCENE_SOURCE_H

#include "study/manifest.h"
#include "study/scene_trial.h"
#include "study/variation_read.h"

// Overrides of a scene, in the order in which they are applied: of files, then of the caller.
typedef struct ts_override_lists {
  const ts_node *lists[2]; // or NULL
  const ts_scene_request *request;
} ts_override_lists;

typedef struct ts_scene_source {
  ts_scene *scene;
  ts_watch *watch;             // its results
  ts_override_lists overrides; // as they were given
  ts_scene_trials trials;      // scene and overrides; what varies and what is kept of it is the reader's to fill in
} ts_scene_source;

// Read the scene that a value names. Release the source whatever is returned.
ts_status ts_scene_source_open(ts_document_input *in, const ts_node *name, const ts_override_lists *overrides,
                               ts_scene_source *source);
void ts_scene_source_release(ts_scene_source *source); // accepts a zeroed one

// Which parameter of the scene each variation sets, into `parameter_of` (list->count), and its unit. What follows from
// others may be none; anything else that is none is refused, and so are parameters that overrides set, and values that
// are out of a parameter's range.
ts_status ts_scene_source_match(ts_document_input *in, const ts_scene_source *source, ts_variation_list *list,
                                int *parameter_of);

// The result of that name, or a sentence at `place`.
ts_status ts_scene_source_find_result(ts_document_input *in, const ts_scene_source *source, const char *name,
                                      ts_place place, int *result);

// Trials with copies of all their texts and arrays, in the arena.
ts_scene_trials ts_scene_trials_copy(const ts_scene_trials *trials, ts_arena *arena);

// Lines for all that trials depend on beside their parameters.
void ts_scene_source_describe(const ts_scene_source *source, ts_manifest *manifest, ts_arena *arena);

#endif
