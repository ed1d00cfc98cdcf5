// Quantities of a simulation by name, for expressions:
//   t                            time [s]
//   ball.x, ball.vx, ball.theta  of a body, as records name them; also ball.speed and ball.spin, without direction
//   ball.x@plate                 the same as seen from a body: in its frame, relative to its motion
//   bodies(finger*).speed        the largest of some dynamic bodies, or .spin
//   joints.slide.position        or rate, motor
//   contacts(tip, part*).fn      of all contacts between two bodies; BODY/N is the N-th of a body's shapes, from 0
//   steps.energy                 of the last step, as records name them
#ifndef TS_WATCH_QUANTITY_H
#define TS_WATCH_QUANTITY_H

#include "touchstone/sim.h"

#include "base/arena.h"

typedef struct ts_quantity ts_quantity;

// What a name stands for in simulations of a model, in the arena; NULL: nothing. Equal names give equal quantities.
ts_quantity *ts_quantity_find(const ts_model *model, const char *name, ts_arena *arena);

double ts_quantity_value(const ts_quantity *quantity, const ts_sim *sim);

// Whether joints have to be measured for it.
bool ts_quantity_is_joint_force(const ts_quantity *quantity);

// The i-th name that there is, for suggestions, written to `text`; false after the last. Pairs of bodies are left out.
bool ts_quantity_name(const ts_model *model, int i, char *text, size_t size);

#endif
