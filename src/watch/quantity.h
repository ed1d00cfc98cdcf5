// Quantities of a simulation by name, for expressions:
//   t                            time [s]
//   ball.x, ball.vx, ball.theta  of a body, as records name them; also ball.speed and ball.spin, without direction
//   ball.x@plate                 the same as seen from a body: in its frame, relative to its motion
//   bodies(finger*).speed        the largest of some dynamic bodies, or .spin; .min_z, .max_vx and so on; .count
//   joints.slide.position        or rate, motor
//   contacts(tip, part*).fn      of all contacts between two bodies; BODY/N is the N-th of a body's shapes, from 0
//   steps.energy                 of the last step, as records name them
#ifndef TS_WATCH_QUANTITY_H
#define TS_WATCH_QUANTITY_H

#include "touchstone/watch.h"

#include "watch/name_trouble.h"

#include "base/arena.h"

typedef struct ts_quantity ts_quantity;

// What a name stands for in simulations of a model, in the arena; NULL: nothing, and `trouble` may say why. Equal names
// give equal quantities.
ts_quantity *ts_quantity_find(const ts_model *model, const char *name, ts_arena *arena, ts_name_trouble *trouble);

double ts_quantity_value(const ts_quantity *quantity, const ts_sim *sim);

// Whether joints have to be measured for it.
bool ts_quantity_is_joint_force(const ts_quantity *quantity);

// Whether its value is that of the last step as a whole, such as a force, which is the mean over the step; others are
// of the present state. Before the first step there is none.
bool ts_quantity_is_of_step(const ts_quantity *quantity);

// Whether the last step tells it, so that a simulation that was loaded does not know it.
bool ts_quantity_comes_with_step(const ts_quantity *quantity);

// The i-th of all that there are, for manuals; false after the last.
bool ts_quantity_info_at(int i, ts_quantity_info *found);

#endif
