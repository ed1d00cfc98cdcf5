// Which joints move which bodies: a spanning forest of the graph whose edges are joints.
#ifndef TS_DYNAMICS_TREE_SPAN_H
#define TS_DYNAMICS_TREE_SPAN_H

#include "dynamics/tree.h"

typedef struct ts_span {
  int count;   // dynamic bodies, in an order in which a body comes after the one it hangs on
  int *body;   // count
  int *joint;  // by body (body_count): the joint that moves it, or -1: nothing but itself
  bool *taken; // by joint: it is in the forest
} ts_span;

// As ts_tree_create() says. Memory from the arena.
ts_span ts_span_find(const ts_model *model, bool jointed_only, ts_arena *arena);

// A dynamic body that does not turn: where it hangs on a joint it would have to.
bool ts_body_is_particle(const ts_model *model, int body);

#endif
