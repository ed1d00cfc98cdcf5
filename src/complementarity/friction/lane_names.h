// What is written once for contacts in four lanes of double precision (math/quad.h) and in eight of single precision
// (math/oct.h). Whoever includes such a file says which by TS_KIND, `quad` or `oct`, and may include it again for the
// other. With TS_KIND quad
//   TS_VEC, TS_MASK, TS_REAL   are ts_quad, ts_quad_mask, and double,
//   TS_OF(name)                is ts_quad_name,
//   TS_KIND_LANES              is how many lanes there are.
#ifndef TS_COMPLEMENTARITY_FRICTION_LANE_NAMES_H
#define TS_COMPLEMENTARITY_FRICTION_LANE_NAMES_H

#include "math/oct.h"

typedef double ts_quad_real;
typedef float ts_oct_real;

#define TS_LANES_TYPE_OF(kind)       ts_##kind
#define TS_LANES_NAME_OF(kind, name) ts_##kind##_##name
#define TS_LANES_TYPE(kind)          TS_LANES_TYPE_OF(kind)
#define TS_LANES_NAME(kind, name)    TS_LANES_NAME_OF(kind, name)

#define TS_VEC        TS_LANES_TYPE(TS_KIND)
#define TS_OF(name)   TS_LANES_NAME(TS_KIND, name)
#define TS_MASK       TS_OF(mask)
#define TS_REAL       TS_OF(real)
#define TS_KIND_LANES ((int)(sizeof(TS_VEC) / sizeof(TS_REAL)))

#endif
