// Contacts in lanes that are solved one by one after all.
#ifndef TS_COMPLEMENTARITY_FRICTION_LANE_CONTACT_H
#define TS_COMPLEMENTARITY_FRICTION_LANE_CONTACT_H

#include "complementarity/friction/body_batches.h"

// Solve the lanes that `alone` names by ts_one_contact_solve(), from `last`, into r.
void ts_quad_solve_alone(int d, ts_quad_block *c, const ts_quad_mask *alone, const ts_quad *q, const ts_quad *last,
                         ts_quad *r);
void ts_oct_solve_alone(int d, ts_oct_block *c, const ts_oct_mask *alone, const ts_oct *q, const ts_oct *last,
                        ts_oct *r);

#endif
