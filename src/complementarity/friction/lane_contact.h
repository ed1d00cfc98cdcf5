// Contacts in lanes that are solved one by one after all.
#ifndef TS_COMPLEMENTARITY_FRICTION_LANE_CONTACT_H
#define TS_COMPLEMENTARITY_FRICTION_LANE_CONTACT_H

#include "complementarity/friction/body_batches.h"

// Solve the lanes that `alone` names by ts_one_contact_solve(), from `last`, into r.
void ts_lanes_solve_alone(int d, ts_lane_block *c, const ts_quad_mask *alone, const ts_quad *q, const ts_quad *last,
                          ts_quad *r);

#endif
