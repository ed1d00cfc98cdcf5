// Errors that integration leaves in joints that close loops and in what is active, taken back after each step.
#ifndef TS_STEP_EVENT_PUT_RIGHT_H
#define TS_STEP_EVENT_PUT_RIGHT_H

#include "step/event/smooth.h"

// Rows of the joints that close loops, with everything in place; their biases are their errors. Returns how many.
int ts_smooth_loop_rows(const ts_smooth *smooth, ts_bilateral_row *rows);

// Coordinates and rates nearest to those of the motion at which loops, and contacts and stops that are active, are
// closed. The impulses that change the rates go into `sums`, which are those of ts_active_set_substep() where motion is
// constrained, and into the loads of joints.
void ts_smooth_close_again(ts_smooth *smooth, double *sums);

// Rates at which bodies keep the twists `earlier` (body_count) as far as joints let them, where a base's velocity has
// jumped.
void ts_smooth_keep_twists(ts_smooth *smooth, const ts_twist *earlier);

#endif
