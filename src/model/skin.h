// Soft skins as steps want them: full matrices, of which stiffness is positive definite.
#ifndef TS_MODEL_SKIN_H
#define TS_MODEL_SKIN_H

#include "touchstone/model.h"

#include "base/arena.h"

// Rows and columns n, t, o, one after another; in the plane o stands apart.
typedef struct ts_soft_skin {
  double thickness;
  double K[9], C[9];
  ts_vec3 direction; // in the body's axes
  bool round;        // the same along all tangents: `direction` does not matter
  bool slick;        // neither springs nor dampers along tangents: it transmits no friction
} ts_soft_skin;

// One sentence says what is wrong with the skin of a body of that name.
ts_status ts_skin_check(const ts_skin *skin, bool planar, const char *body, ts_error *error);

// NULL: there is none. A direction without stiffness gets a millionth of the largest, so that K has an inverse.
const ts_soft_skin *ts_skin_make(const ts_skin *skin, bool planar, ts_arena *arena);

#endif
