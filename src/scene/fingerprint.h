// All that a scene depends on, as lines of keys and values: to tell whether it has changed.
#ifndef TS_SCENE_FINGERPRINT_H
#define TS_SCENE_FINGERPRINT_H

#include "touchstone/scene.h"

typedef void ts_fingerprint_line(void *user, const char *key, const char *value);

// Values of the files as they are written, before anything is evaluated, by their path ("bodies.ball.mass"); and of
// each other file that was read (meshes, robots) how long it is and its checksum. Of a scene without parameters, which
// keeps nothing, the lines of its text.
void ts_scene_fingerprint(const ts_scene *scene, ts_fingerprint_line *line, void *user);

// A number for all of these lines.
uint64_t ts_scene_fingerprint_hash(const ts_scene *scene);

#endif
