// The part feeder of thesis 4.3.1: a cup falls through a chute, over two ramps and into a slot, and leaves it heavy end
// first however it came. 12 numbers are a design; from them follow the walls, a scene for every start, the geometric
// test, and how a drop ended.
#ifndef PART_FEEDER_H
#define PART_FEEDER_H

#include <touchstone/touchstone.h>

#include <stdbool.h>
#include <stddef.h>

// Lengths are in mm and angles in rad here, as designs are written; scenes are in m.
// member, value in the design that works, least and greatest value worth a try, help
#define FEEDER_LIST(X)                                                                                                 \
  X(chute_width, 20.1864, 13.0, 22.0, "of the upper chute")                                                            \
  X(exit_clearance, 55.9192, 20.0, 60.0, "from ramp 1 up to the end of the chute's right wall")                        \
  X(ramp_1_angle, 0.8174, 0.4, 1.1, "below the horizontal")                                                            \
  X(ramp_1_length, 17.9003, 8.0, 40.0, "")                                                                             \
  X(ramp_2_angle, 0.3533, 0.15, 0.55, "below the horizontal")                                                          \
  X(ramp_2_length, 32.4113, 10.0, 50.0, "")                                                                            \
  X(slot_width, 18.9908, 12.0, 22.0, "of the lower chute")                                                             \
  X(ledge_drop, 13.5010, 0.0, 14.0, "how much lower the slot's far edge is than its near one")                         \
  X(backstop, 34.8496, 28.0, 48.0, "from the slot's near edge to the backstop")                                        \
  X(slot_depth, 43.3944, 42.0, 60.0, "of the lower chute")                                                             \
  X(drop, 9.3875, 1.0, 20.0, "how high above ramp 1 the cup starts")                                                   \
  X(ledge_tilt, -0.1339, -0.6, 0.1, "of the far ledge, above the horizontal")

typedef struct feeder_design {
#define FEEDER_MEMBER(name, works, low, high, help) double name;
  FEEDER_LIST(FEEDER_MEMBER)
#undef FEEDER_MEMBER
} feeder_design;

enum { FEEDER_NUMBERS = sizeof(feeder_design) / sizeof(double) };

feeder_design feeder_working_design(void);
double *feeder_number(feeder_design *design, int i);
const char *feeder_number_name(int i);

// ---- the geometric level: can the cup go its way at all?

enum { FEEDER_RULES = 12 };
typedef struct feeder_rule {
  const char *text;   // the inequality in words
  double least, most; // what the number must lie between; one is infinite
  double value;
  bool holds;
} feeder_rule;
// All of them; returns how many do not hold.
int feeder_rules(const feeder_design *design, feeder_rule rules[FEEDER_RULES]);

// ---- drops

typedef struct feeder_start {
  bool heavy_end_down;
  double tilt;   // [rad]
  double offset; // to the right of the chute's middle [mm]
} feeder_start;

enum { FEEDER_TEXT = 4096 };
// The scene of a drop, for ts_scene_parse() and for `touchstone run`. Friction is 0.2, steps are 0.5 ms long.
void feeder_scene(const feeder_design *design, const feeder_start *start, char text[FEEDER_TEXT]);

typedef enum feeder_end {
  FEEDER_FALLING,
  FEEDER_ORIENTED,
  FEEDER_WRONG,
  FEEDER_LEFT,
  FEEDER_STUCK,
  FEEDER_ENDS
} feeder_end;

typedef struct feeder_watch {
  double slow_since; // [s]
} feeder_watch;
// How the drop has ended, if it has; to be asked after every step. A watch begins as {0}.
feeder_end feeder_look(const feeder_design *design, const ts_sim *sim, feeder_watch *watch);

#endif
