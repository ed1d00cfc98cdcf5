/// Robots described in URDF files, read as scenes. docs/formats/urdf.md says what is read, passed over and refused.
#ifndef TOUCHSTONE_URDF_H
#define TOUCHSTONE_URDF_H

#include "touchstone/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What holds the root of the robot.
typedef enum ts_urdf_base {
  TS_BASE_FIXED, ///< the root link does not move
  TS_BASE_FREE   ///< it moves freely; where the root is called `world`, what is fixed to that does
} ts_urdf_base;

/// Where joints start. `joint` is a name in the file, in which `*` and `?` stand for characters.
typedef struct ts_urdf_start {
  const char *joint;
  double position; ///< [rad, m] within the limits
} ts_urdf_start;

/// What becomes of an inertia that no body has: one that is not positive definite, or has a principal moment above the
/// sum of the others; a mass without any inertia counts as such. Enumerator, word in scenes and commands.
#define TS_URDF_INERTIA_LIST(X)                                                                                        \
  X(AUTO, "auto")     /* the nearest possible one where that is within 10 %, else as SHAPES */                         \
  X(STRICT, "strict") /* it is refused */                                                                              \
  X(REPAIR, "repair") /* the nearest possible one */                                                                   \
  X(SHAPES, "shapes") /* that of the link's shapes with the link's mass; refused where it has none */
#define TS_URDF_INERTIA_ENUM(name, text) TS_INERTIA_##name,
typedef enum ts_urdf_inertia { TS_URDF_INERTIA_LIST(TS_URDF_INERTIA_ENUM) TS_INERTIA_COUNT } ts_urdf_inertia;
#undef TS_URDF_INERTIA_ENUM

/// What becomes of a shape whose mesh is nowhere to be found. Enumerator, word in scenes and commands.
#define TS_URDF_MESHES_LIST(X)                                                                                         \
  X(REFUSE, "refuse") /* the robot is refused */                                                                       \
  X(SKIP, "skip")     /* the shape is left out */
#define TS_URDF_MESHES_ENUM(name, text) TS_MESHES_##name,
typedef enum ts_urdf_meshes { TS_URDF_MESHES_LIST(TS_URDF_MESHES_ENUM) TS_MESHES_COUNT } ts_urdf_meshes;
#undef TS_URDF_MESHES_ENUM

typedef struct ts_urdf_options {
  ts_urdf_base base;
  ts_urdf_inertia inertia;
  ts_urdf_meshes missing_meshes;
  bool strict;                 ///< refuse whatever would need a repair, or a guess, whatever the two above say
  bool floor;                  ///< add a ground plane z = 0; a free robot starts 1 mm above it
  bool hold;                   ///< brake every joint that turns or slides, with at most its effort
  double density;              ///< [kg/m^3] >= 0 of the shapes of links without `inertial`; 0: they weigh nothing
  ts_pose pose;                ///< of the root link in the world; `floor` and a free base: but for z
  const char *const *packages; ///< folders in which meshes are looked for first
  int package_count;
  const ts_urdf_start *starts; ///< of joints that do not start at 0, or at the limit nearest to it; the last one holds
  int start_count;
  uint32_t cookie; ///< set by ts_urdf_options_default()
} ts_urdf_options;

/// Base fixed at the origin, no floor, nothing held, density 1000, no folders, no starts; impossible inertias are
/// repaired (AUTO), meshes that are missing refused. What was repaired or left out is told by the notes of the scene,
/// kind by kind.
TS_API ts_urdf_options ts_urdf_options_default(void);

/// Read a robot as a scene: gravity 9.81 downwards, default contact law and step options. `options` may be NULL: the
/// defaults. The other arguments are those of ts_scene_read(); overrides find bodies by the names of links and joints
/// by their own. Links that are fixed to one another become one body, named after the one nearest to the root. Links
/// that overlap at the start do not collide.
TS_API ts_status ts_urdf_read(const char *path, const ts_urdf_options *options, const char *const *overrides, int count,
                              ts_scene **scene, ts_error *error);
/// The same with extensions (scene.h).
TS_API ts_status ts_urdf_read_with(const char *path, const ts_urdf_options *options, const ts_scene_request *request,
                                   ts_scene **scene, ts_error *error);
/// The same from text in memory; `name` stands for the file in messages, meshes are looked for beside it.
TS_API ts_status ts_urdf_parse(const char *text, size_t length, const char *name, const ts_urdf_options *options,
                               const char *const *overrides, int count, ts_scene **scene, ts_error *error);

/// What the robots of a scene are made of. All counts are 0 where there is none.
typedef struct ts_urdf_summary {
  int links, joints;   ///< in the files
  int velocities;      ///< degrees of freedom of the joints, with 6 for every free base
  int separated;       ///< pairs of bodies that do not collide because they overlap at the start
  double mass;         ///< of all links, those that do not move included [kg]
  double derived_mass; ///< share of it that comes from `density`
} ts_urdf_summary;
/// The summary of all robots of a scene together.
TS_API ts_urdf_summary ts_scene_urdf_summary(const ts_scene *scene);

/// A link, and where it went: its frame is `pose` in the frame of `body`.
typedef struct ts_urdf_link {
  const char *name; ///< valid as long as the scene, as is `body`
  const char *body; ///< name of the body that it is part of; "world" where that is the world
  ts_pose pose;
  double mass; ///< [kg]
} ts_urdf_link;
TS_API ts_urdf_link ts_scene_urdf_link(const ts_scene *scene, int i); ///< 0 <= i < links

/// A joint with what its file says of it, also what is not simulated.
typedef struct ts_urdf_joint {
  const char *name;    ///< valid as long as the scene, as is `type`
  const char *type;    ///< as in the file
  double lower, upper; ///< [rad, m]; infinite where there is no limit
  double start;        ///< coordinate at time 0, which scenes count as the file does
  double effort;       ///< most that a motor may do, which `hold` uses [N m, N]; infinite when not given
  double velocity;     ///< rated speed [rad/s, m/s], not enforced; infinite when not given
  double damping;      ///< [N m s/rad, N s/m]; simulated, as `friction` is, where the joint has one coordinate
  double friction;     ///< largest dry friction [N m, N]
  const char *mimics;  ///< joint that it follows (ts_gear_def), or NULL; valid as long as the scene
  double multiplier;   ///< of that one's coordinate
  double offset;       ///< added to it [rad, m]
} ts_urdf_joint;
TS_API ts_urdf_joint ts_scene_urdf_joint(const ts_scene *scene, int i); ///< 0 <= i < joints

/// What is read of URDF, element by element, in the terms of ts_scene_key: "robot.link.inertial.mass.value".
TS_API int ts_urdf_key_count(void);
TS_API ts_scene_key ts_urdf_key_at(int i); ///< 0 <= i < ts_urdf_key_count()

#ifdef __cplusplus
}
#endif

#endif
