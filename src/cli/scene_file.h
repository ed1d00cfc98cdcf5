// Opening what a verb is to work on: a scene, or a robot (URDF) that is read as one.
#ifndef TS_CLI_SCENE_FILE_H
#define TS_CLI_SCENE_FILE_H

#include "cli/arguments.h"
#include "cli/json.h"

#include "touchstone/urdf.h"

// How a robot is read. A verb has it in its request, and the rows below in its table.
typedef struct cli_robot {
  ts_urdf_base base;
  double density;
  cli_texts packages, starts;
  ts_urdf_inertia inertia;
  ts_urdf_meshes missing_meshes;
  bool floor, hold, strict;
} cli_robot;

extern const cli_robot cli_robot_default;
extern const cli_value cli_value_base, cli_value_inertia, cli_value_meshes;

#define CLI_ROBOT_OPTIONS(request, field)                                                                              \
  {"base", 0, "fixed|free", &cli_value_base, offsetof(request, field.base), "", "robots: what holds the root link"},   \
      {"floor",                                                                                                        \
       0,                                                                                                              \
       NULL,                                                                                                           \
       &cli_value_flag,                                                                                                \
       offsetof(request, field.floor),                                                                                 \
       "",                                                                                                             \
       "robots: add a ground plane; a free robot starts just above it"},                                               \
      {"hold",                                                                                                         \
       0,                                                                                                              \
       NULL,                                                                                                           \
       &cli_value_flag,                                                                                                \
       offsetof(request, field.hold),                                                                                  \
       "",                                                                                                             \
       "robots: brake every joint, with at most its effort"},                                                          \
      {"package",                                                                                                      \
       0,                                                                                                              \
       "DIR",                                                                                                          \
       &cli_value_texts,                                                                                               \
       offsetof(request, field.packages),                                                                              \
       "",                                                                                                             \
       "robots: folder to look for meshes in; may be given again"},                                                    \
      {"joint",                                                                                                        \
       0,                                                                                                              \
       "NAME=X",                                                                                                       \
       &cli_value_texts,                                                                                               \
       offsetof(request, field.starts),                                                                                \
       "",                                                                                                             \
       "robots: where a joint starts, in rad or m; NAME may have * and ?; may be given again"},                        \
      {"density",                                                                                                      \
       0,                                                                                                              \
       "RHO",                                                                                                          \
       &cli_value_double,                                                                                              \
       offsetof(request, field.density),                                                                               \
       "kg/m^3",                                                                                                       \
       "robots: of the shapes of links without <inertial>; 0: they weigh nothing"},                                    \
      {"inertia",                                                                                                      \
       0,                                                                                                              \
       "HOW",                                                                                                          \
       &cli_value_inertia,                                                                                             \
       offsetof(request, field.inertia),                                                                               \
       "",                                                                                                             \
       "robots: an impossible one is refused (strict), made the nearest possible (repair) or that of the shapes "      \
       "(shapes); auto: repaired by a tenth at most, else from the shapes"},                                           \
      {"missing_meshes",                                                                                               \
       0,                                                                                                              \
       "HOW",                                                                                                          \
       &cli_value_meshes,                                                                                              \
       offsetof(request, field.missing_meshes),                                                                        \
       "",                                                                                                             \
       "robots: shapes whose mesh is nowhere: refuse or skip"},                                                        \
  {                                                                                                                    \
    "strict", 0, NULL, &cli_value_flag, offsetof(request, field.strict), "",                                           \
        "robots: nothing is repaired, guessed at or left out"                                                          \
  }

// The file as a scene; it is a robot when it is XML or is called .urdf. False after one sentence on standard error, and
// *scene is NULL.
bool cli_scene_open(const char *path, const cli_robot *robot, const cli_texts *overrides,
                    const ts_extensions *extensions, ts_scene **scene);

// The scene of a trial of a study, and the most steps that the study gives a trial, or 0. False as above.
bool cli_trial_open(const char *study, const ts_scene_request *request, int trial, int attempt, ts_scene **scene,
                    long long *step_limit);

// What there is to say about a scene that was accepted: on standard error, or as the member "notes" of an open object.
void cli_scene_print_notes(const char *path, const ts_scene *scene);
void cli_scene_write_notes(const ts_scene *scene, cli_json *json);

#endif
