/// Scene files: YAML (or JSON) read into a model, step options and a duration. docs/formats/scene.md lists every key.
#ifndef TOUCHSTONE_SCENE_H
#define TOUCHSTONE_SCENE_H

#include "touchstone/watch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ts_scene ts_scene;

/// Read a scene. `overrides` are `count` texts "key.path=value" that replace or add values before the scene is checked
/// (bodies and joints by name: "ball.mass=2", "step.size=1e-4"). On failure *scene is NULL, and `error` has the
/// sentence, line and column, and the file where it is not `path` itself but one that was included. Release with
/// ts_scene_destroy(), which accepts NULL.
TS_API ts_status ts_scene_read(const char *path, const char *const *overrides, int count, ts_scene **scene,
                               ts_error *error);
/// The same from text in memory; `name` stands for the file in messages, included files are looked for beside it.
TS_API ts_status ts_scene_parse(const char *text, size_t length, const char *name, const char *const *overrides,
                                int count, ts_scene **scene, ts_error *error);
/// What a scene is read with beside its file.
typedef struct ts_scene_request {
  const char *const *overrides; ///< `override_count` texts, as above
  int override_count;
  const ts_extensions *extensions; ///< whose names the scene may use; outlives the scene. NULL: none
} ts_scene_request;
/// The same as ts_scene_read(), with extensions.
TS_API ts_status ts_scene_read_with(const char *path, const ts_scene_request *request, ts_scene **scene,
                                    ts_error *error);
/// Likewise, from text in memory.
TS_API ts_status ts_scene_parse_with(const char *text, size_t length, const char *name, const ts_scene_request *request,
                                     ts_scene **scene, ts_error *error);
/// Release a scene and its model. Accepts NULL.
TS_API void ts_scene_destroy(ts_scene *scene);

TS_API const char *ts_scene_name(const ts_scene *scene); ///< "" when it has none
/// Its model; valid as long as the scene.
TS_API const ts_model *ts_scene_model(const ts_scene *scene);
/// Its step options; valid as long as the scene.
TS_API const ts_step_options *ts_scene_options(const ts_scene *scene);
TS_API double ts_scene_duration(const ts_scene *scene);        ///< [s]
TS_API double ts_scene_output_interval(const ts_scene *scene); ///< time between recorded states [s]; 0: every step

/// The scene as one self-contained text that reads back as the same scene: includes, overrides and mesh files resolved.
/// Valid as long as the scene.
TS_API const char *ts_scene_text(const ts_scene *scene);

/// A name for a number that expressions of a scene use.
typedef struct ts_scene_parameter {
  const char *name, *unit, *help; ///< "" where there is none; valid as long as the scene
  double value;
  double least, most; ///< its range; infinite where there is none
  bool derived;       ///< written as an expression of others
} ts_scene_parameter;
/// How many parameters a scene has.
TS_API int ts_scene_parameter_count(const ts_scene *scene);
/// In the order of the file.
TS_API ts_scene_parameter ts_scene_parameter_at(const ts_scene *scene, int i);

/// Give parameters other values: `values` has one for each of them, NAN where the scene's own counts. Model, options
/// and duration are then those that reading the scene with these values gives, without reading files again: a
/// simulation of the model before may be used, and has to be destroyed, before the next call. Much faster than reading
/// where no shape and no `repeat` depends on what changes. Notes, ts_scene_text() and places of errors stay as they
/// were. After a failure (a value out of its range, bodies that overlap, results of a body that is not there any more)
/// the scene is only good for other values, and for destroying.
TS_API ts_status ts_scene_set_parameters(ts_scene *scene, const double *values, ts_error *error);

/// A watch of the conditions and results that the scene names; parameters keep their order. On failure *watch is NULL.
/// Release with ts_watch_destroy(); it refers to the scene's model.
TS_API ts_status ts_scene_create_watch(const ts_scene *scene, ts_watch **watch, ts_error *error);

/// A word about a scene that was accepted: a warning that it is probably not what was meant (a mesh that is not convex,
/// angles in degrees), or a remark about something that was decided for it.
typedef struct ts_scene_note {
  bool warning;     ///< false: a remark
  int line, column; ///< where the cause is written, 1-based; 0 where there is no place
  char text[512];   ///< one sentence without file name or final newline
  char file[256];   ///< the file it is in where that is not the one asked for, else empty
} ts_scene_note;
/// How many notes there are.
TS_API int ts_scene_note_count(const ts_scene *scene);
TS_API const ts_scene_note *ts_scene_note_at(const ts_scene *scene,
                                             int i); ///< 0 <= i < count; valid as long as the scene

/// Add to an error about the scene's model, such as ts_sim_create() and ts_sim_step() return, where the body or joint
/// that its sentence names stands: line, column, and the file where it is not the scene's own. Nothing happens where it
/// names none.
TS_API void ts_scene_place_error(const ts_scene *scene, ts_error *error);

/// One key of the scene format, for manuals and editors. A key that can be given in two forms is listed twice.
typedef struct ts_scene_key {
  char path[80];        ///< "bodies[].motion.rotation"; what several keys lead to comes once, as "SHAPE.sphere.radius"
  char type[200];       ///< "number", "list of 2 numbers", "one of: ...", "map: SHAPE"
  const char *spaces;   ///< "3d", "2d", or "" when it exists in both
  const char *unit;     ///< "m", or ""
  const char *range;    ///< "> 0", or ""
  const char *fallback; ///< default as text; "" when leaving it out means nothing
  bool required;        ///< its map cannot do without
  const char *help;     ///< one line
} ts_scene_key;
/// How many keys are listed.
TS_API int ts_scene_key_count(void);
TS_API ts_scene_key ts_scene_key_at(int i); ///< 0 <= i < ts_scene_key_count()

#ifdef __cplusplus
}
#endif

#endif
