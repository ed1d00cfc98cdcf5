// What varies in a study, as files say it: `vary`, `table` and `derived` of a map.
#ifndef TS_STUDY_VARIATION_READ_H
#define TS_STUDY_VARIATION_READ_H

#include "touchstone/study.h"

#include "study/parameter_table.h"

typedef struct ts_variation_list {
  ts_variation *items;
  const ts_node **nodes; // of each: its entry, or NULL where it is of the table
  int count;
  ts_parameter_table table;
} ts_variation_list;

// From a checked map. All is in the arena of `in`.
ts_status ts_variations_read(ts_document_input *in, const ts_node *map, ts_variation_list *list);

// Its `sampling`, `samples` and `seed`.
void ts_variations_read_sampling(const ts_node *map, ts_study_def *def);

// Refuse values of the i-th that no trial could have: they are out of the range of the parameter that they are for.
// What is computed, or drawn without bounds, is not known yet.
ts_status ts_variation_check_range(ts_document_input *in, const ts_variation_list *list, int i,
                                   const ts_scene_parameter *parameter);

// Where the name of a variation stands.
ts_place ts_variation_place(const ts_variation_list *list, int i);

// Add the place to what ts_design_make() has said of a column, or of the whole (-1); passes TS_OK on.
ts_status ts_variations_locate(ts_document_input *in, const ts_node *map, const ts_variation_list *list, int column,
                               ts_status status);

#endif
