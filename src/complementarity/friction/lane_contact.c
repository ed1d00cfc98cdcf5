#include "complementarity/friction/lane_contact.h"

#include "complementarity/friction/one_contact.h"

#define TS_KIND quad
#include "complementarity/friction/lane_alone_inline.h"
#undef TS_KIND
#define TS_KIND oct
#include "complementarity/friction/lane_alone_inline.h"
