// Mass, centre of mass and inertia of a dynamic body, as given or from its shapes.
#ifndef TS_MODEL_BODY_MASS_H
#define TS_MODEL_BODY_MASS_H

#include "model/builder.h"

// The convex pieces of a part.
typedef struct ts_pieces {
  const ts_convex *convex;
  int count;
} ts_pieces;

typedef struct ts_body_mass {
  double mass;
  ts_vec3 centre;                   // in the body's frame
  ts_mat3 inertia, inverse_inertia; // about the centre, body axes; zero for a particle, zz alone in the plane
  bool isotropic;                   // the inertia is the same in all frames that the body can turn to
} ts_body_mass;

// `parts` are the numbers of the body's parts; `pieces` are those of all parts of the builder.
ts_status ts_body_mass_find(const ts_builder *builder, const ts_body_def *body, const int *parts, int part_count,
                            const ts_pieces *pieces, ts_body_mass *mass, ts_error *error);

#endif
