// What the coordinates and rates of a tree are called.
#ifndef TS_DYNAMICS_TREE_NAMES_H
#define TS_DYNAMICS_TREE_NAMES_H

#include "dynamics/tree.h"

// One text for every coordinate (q), or rate (v); memory from the arena.
const char **ts_tree_coordinate_names(const ts_tree *tree, const ts_model *model, ts_arena *arena);
const char **ts_tree_rate_names(const ts_tree *tree, const ts_model *model, ts_arena *arena);

#endif
