// Where bodies and joints stand in the files of a scene, kept for sentences about the model that come later: what a
// simulation refuses has its line too.
#ifndef TS_SCENE_PLACES_H
#define TS_SCENE_PLACES_H

#include "scene/build.h"

typedef struct ts_key_place {
  const char *key;
  ts_place place;
} ts_key_place;

// A body or a joint as it is written.
typedef struct ts_entry_place {
  const char *name;
  ts_place place;
  ts_key_place *keys;
  int key_count;
} ts_entry_place;

typedef struct ts_scene_places {
  const char **files; // by ts_place.file
  ts_entry_place *bodies, *joints;
  int body_count, joint_count;
} ts_scene_places;

// Copies all, into the arena. The model may be missing: then joints without a name have none.
ts_scene_places ts_scene_places_collect(const ts_scene_plan *plan, const ts_model *model, ts_arena *arena);

// The place that a sentence is about: of the body or joint that it names in quotes or, where that has one, of the key
// which it mentions. False where it names none.
bool ts_scene_places_find(const ts_scene_places *places, const char *sentence, ts_place *place);

#endif
