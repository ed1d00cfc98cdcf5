// What fuzz targets demand of readers that make scenes.
#ifndef TS_TESTS_FUZZ_SCENE_DEMANDS_H
#define TS_TESTS_FUZZ_SCENE_DEMANDS_H

#include "touchstone/scene.h"

#include <stdlib.h>
#include <string.h>

static inline void demand(int condition)
{
  if (!condition) abort();
}

static inline void demand_round_trip(const ts_scene *scene)
{
  const char *text = ts_scene_text(scene);
  ts_scene *again;
  demand(ts_scene_parse(text, strlen(text), "again", NULL, 0, &again, NULL) == TS_OK);
  demand(strcmp(ts_scene_text(again), text) == 0);
  demand(ts_model_body_count(ts_scene_model(again)) == ts_model_body_count(ts_scene_model(scene)));
  ts_scene_destroy(again);
}

// A scene whose text reads back as the same, or one sentence with a place.
static inline void demand_scene_or_sentence(ts_status status, const ts_scene *scene, const ts_error *error)
{
  if (status == TS_OK) {
    demand_round_trip(scene);
  } else {
    demand(scene == NULL && error->status == status && error->text[0] != '\0' && !strchr(error->text, '\n'));
    demand(status == TS_OUT_OF_MEMORY || (error->line > 0 && error->column > 0));
  }
}

#endif
