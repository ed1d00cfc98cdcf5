// Scenes from texts: what they hold, or what is said against them.
#ifndef TS_TESTS_SCENE_TRY_H
#define TS_TESTS_SCENE_TRY_H

#include "touchstone/scene.h"

// A scene of one ball and what `more` says; in the plane where `more` begins with "space".
const char *ball_scene(const char *more);

// The scene, or the test fails. Overrides end with NULL.
ts_scene *scene_of(const char *text, ...);

// "line:column: sentence" of a text that must be refused. Valid until the next call.
const char *trouble_of(const char *text, ...);

// Fails unless the text is refused at "line:column: " with a sentence that has `part` in it.
void assert_trouble(const char *text, const char *place, const char *part);

// Fails unless two texts give the same model, options and times.
void assert_same_scenes(const char *text, const char *other);

// What two scenes differ in, or NULL.
const char *scene_difference(const ts_scene *a, const ts_scene *b);

#endif
