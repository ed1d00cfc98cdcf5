#include "complementarity/friction/body_visits.h"

#include "complementarity/friction/lane_bodies_inline.h"
#include "complementarity/friction/lane_contact.h"

#define TS_KIND oct
#include "complementarity/friction/body_visits_inline.h"
