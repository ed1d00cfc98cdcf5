// Momentum and kinetic energy of a free tree are kept while its joints turn. A tree is free that begins with a body
// which no joint holds.
//
// The momentum that given rates mean changes as the joints turn; the twist of the first body makes up for it. Of all
// changes of the rates that have this momentum it is the least in the metric of the masses, for it moves the tree as
// one body. Motion as one body with the tree's momentum and the motion that is left, which has none, are orthogonal in
// that metric, so that their energies add up (Koenig): the second is scaled to the energy that the step has left.
#ifndef TS_DYNAMICS_TREE_MOMENTUM_H
#define TS_DYNAMICS_TREE_MOMENTUM_H

#include "dynamics/rows.h"
#include "dynamics/tree.h"

// Free trees of a tree whose nodes are there. Memory from the arena.
void ts_tree_list_floating(ts_tree *tree, ts_arena *arena);

bool ts_tree_floats(const ts_tree *tree);

// At the configuration of the last update: note momentum and energy that each free tree has at the `twists` which the
// step has reached (body_count). Velocity products c, in M (v+ - v) = h (f - c) + J^T p, are no forces: their impulse
// and their work on the mean of the twists at the start and the end of the step, `mean` (body_count), are taken out.
// What is left is momentum at the start and impulses from outside, and energy at the start and works.
void ts_tree_note_momentum(ts_tree *tree, double h, const ts_twist *twists, const ts_twist *mean);

// After an update at the rates v: change the rates of free trees such that these have what was noted. Rates of joints
// change by a quarter at most, and not at all where drives give them: then momentum alone is kept. Everything has to
// be brought up to date afterwards.
void ts_tree_keep_momentum(ts_tree *tree, double *v);

// True if both bodies are of one free tree: contacts between them act on nothing else.
bool ts_tree_floats_with(const ts_tree *tree, int body, int other);

// Note which free trees are held in the step by bodies that are `touched` (body_count, or NULL) or by rows of loops.
void ts_tree_note_holds(ts_tree *tree, const bool *touched, const ts_bilateral_row *rows, int count);

// After ts_tree_keep_momentum(): the center of mass of a tree that nothing holds has gone h times the velocity of its
// momentum, and angular momentum about any fixed point is kept. Coordinates alone turn by the rates of the step.
void ts_tree_carry_centers(const ts_tree *tree, double h, double *q);

#endif
