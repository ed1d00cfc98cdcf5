// Fill-reducing orderings of symmetric graphs.
#ifndef TS_MATH_ORDERING_H
#define TS_MATH_ORDERING_H

#include "base/arena.h"

// Approximate minimum degree (SuiteSparse AMD) of a graph with n nodes, neighbours of i in index[start[i]..start[i+1]),
// both directions present, self loops ignored. permutation[k] becomes the node eliminated as the k-th.
void ts_order_minimum_degree(int n, const int *start, const int *index, int *permutation, ts_arena *arena);

#endif
