// What there is to know about a kind of shape, one table a kind: kind/cylinder.c has the cylinder's. Nothing outside of
// its table asks which kind a shape is, but for pairs that have a closed form or contact points of their own
// (distance.c, manifold.c), for half-spaces, which have no end, and for the fast ways of balls. A kind without such a
// pair is measured by its support points and features, and touches with its patches. Shapes of extensions are one kind
// with a table that calls their functions, and are asked about pairs before all else (own_shape.h).
#ifndef TS_SHAPE_SHAPE_TYPE_H
#define TS_SHAPE_SHAPE_TYPE_H

#include "touchstone/shape.h"

#include "shape/exposed_face.h"
#include "shape/faces.h"
#include "shape/feature.h"
#include "shape/manifold_pairs.h"
#include "shape/patch.h"

#include "schema/schema.h"

// Which turns about its own origin leave a shape as it is.
typedef enum ts_symmetry { TS_NO_SYMMETRY, TS_OF_REVOLUTION, TS_SPHERICAL } ts_symmetry; // none, about z, all

typedef struct ts_shape_type {
  // In scenes: its name, one line of help, the keys below it with their places in ts_shape.
  ts_key key;

  // Which spaces models have it in. Scenes in the plane may have a kind that is in space only: then this is what they
  // take for it.
  bool in_space, in_plane;
  ts_shape (*flattened)(const ts_shape *shape, ts_arena *arena);
  bool (*is_planar)(const ts_shape *shape); // of a kind that is in both: which this one is in. NULL: in both

  // As it is given. NULL: all numbers are good; a model's copy is as given; there is nothing to be drawn.
  bool has_vertices;
  ts_status (*check)(const ts_shape *shape, ts_error *error);
  void (*normalize)(ts_shape *copy, ts_arena *arena);
  void (*draw)(const ts_shape *shape, const ts_face_sink *sink);

  // As a convex part (see ts_convex_pieces()): its numbers, then its hull; or all pieces at once.
  void (*measure)(const ts_shape *shape, ts_convex *part);
  const ts_hull *(*hull)(const ts_shape *shape, ts_arena *arena);
  const ts_convex *(*pieces)(const ts_shape *shape, ts_arena *arena, int *count);

  // Of such a part, in its frame: see convex.h, implicit.h and mass.h. NULL: no volume.
  ts_symmetry symmetry;
  ts_vec3 (*support)(const ts_convex *part, ts_vec3 direction);
  ts_bounds (*bounds)(const ts_convex *part, const ts_frame *frame);
  double (*inner_radius)(const ts_convex *part);
  int (*implicit_count)(const ts_convex *part);
  double (*implicit_value)(const ts_convex *part, int i, ts_vec3 x, ts_vec3 *gradient, ts_mat3 *hessian);
  ts_mass_properties (*mass)(const ts_convex *part);

  // For distances: what is left without the rounding, and of a solid core the functions of core.h and feature.h.
  // Optional: the distance of a point in closed form.
  ts_core_kind core;
  void (*point_distance)(const ts_core *point, const ts_core *core, ts_separation *separation);
  double (*outside)(const ts_convex *part, ts_vec3 point);
  ts_feature (*feature_at)(const ts_core *core, ts_vec3 point, ts_vec3 outward);
  ts_feature (*feature_raised)(const ts_feature *feature, ts_vec3 outward); // of a rim
  ts_vec3 (*bend)(const ts_core *core, ts_vec3 m, ts_vec3 t); // of a smooth surface: how its support point along m
                                                              // moves when m turns towards t
  bool nearly_flat; // a smooth surface with sides that hardly bend (turned_points.h)
  bool has_rim;     // round edges: next to level their lowest point moves far in a small turn

  // For contact points, see patch.h: all NULL where every patch is a point. `face_normal` and `slack` are those of the
  // face that `look` found, `surface_over` and `beyond_end` are for patches that are lines of a round part.
  ts_facing (*look)(const ts_convex *part, ts_vec3 direction);
  ts_vec3 (*face_normal)(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing);
  double (*slack)(const ts_convex *part);
  void (*widest)(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing,
                 ts_patch *patch);
  void (*edge)(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing, ts_patch *patch);
  bool (*surface_over)(const ts_patch *line, ts_vec3 x, ts_vec3 *y);
  ts_vec3 (*beyond_end)(const ts_patch *line, ts_vec3 y);

  // What may lie on a half-space, where that is not the patch (manifold_plane.c).
  void (*on_plane)(const ts_convex *part, const ts_frame *frame, const ts_boundary *ground, ts_touch_list *list);

  // Of a part without a hull: what is furthest along a direction. NULL: never more than a point.
  ts_exposed_face (*exposed_face)(const ts_convex *part, ts_vec3 point, ts_vec3 normal);
} ts_shape_type;

#define TS_SHAPE_TYPE(name, text) extern const ts_shape_type ts_shape_type_##text;
TS_SHAPE_LIST(TS_SHAPE_TYPE)
#undef TS_SHAPE_TYPE
extern const ts_shape_type ts_shape_type_own;

enum { TS_SHAPE_KINDS = TS_SHAPE_COUNT + 1 }; // those of the library, and that of extensions
extern const ts_shape_type *const ts_shape_types[TS_SHAPE_KINDS];

TS_INLINE const ts_shape_type *ts_shape_type_of(ts_shape_kind kind)
{
  return ts_shape_types[kind];
}

// Balls are points with a radius: spheres, discs and points.
TS_INLINE bool ts_is_ball(ts_shape_kind kind)
{
  return ts_shape_type_of(kind)->core == TS_CORE_POINT;
}

// Whether a shape that passed ts_shape_check() exists in the plane, or in space.
bool ts_shape_is_in(const ts_shape *shape, bool plane);

// The key of the i-th kind, for the format of scenes.
const ts_key *ts_shape_key_at(int i);

// A copy as models keep it, with its vertices in the arena.
ts_shape ts_shape_copy(const ts_shape *shape, ts_arena *arena);

#endif
