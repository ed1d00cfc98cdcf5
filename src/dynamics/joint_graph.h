// Who couples with whom when joints are eliminated. A node is a joint (or spring, or gear) with all its rows; nodes
// couple where they share a dynamic body. A body with many joints would couple them all with each other, and n joints
// would cost n^3. It is cut into pieces instead, each with a few of the joints and a share of the mass, held together
// by welds: these are nodes too, of six rows that hold the pieces at the same twist. The motion is the same, and trees
// of any shape cost as much as chains.
#ifndef TS_DYNAMICS_JOINT_GRAPH_H
#define TS_DYNAMICS_JOINT_GRAPH_H

#include "dynamics/rows.h"

enum { TS_WELD_ROWS = 6, TS_PIECE_NODES = 8 }; // rows of a weld; nodes on a piece at most

typedef struct ts_joint_graph {
  int joints, nodes; // nodes: the joints, in the order of their rows, then the welds
  int *first;        // scalars of a node: first[node] .. first[node+1]. Those of joints are their rows
  int *side_start;   // sides of a node (nodes + 1): two, of a gear more
  int *side;         // the piece that a side is on, -1 where it is not dynamic
  int pieces;
  int *body_start;  // pieces of a body (body_count + 1); none for a body without joints
  int *body;        // of a piece
  int *piece_start; // nodes on a piece (pieces + 1)
  int *piece_list;
} ts_joint_graph;

// Of rows in which those of one source lie together; memory from the arena.
ts_joint_graph ts_joint_graph_of(const ts_model *model, const ts_bilateral_row *rows, int count, ts_arena *arena);

// Pieces of the body that a piece is of: its mass is that part of the body's.
static inline int ts_joint_graph_shares(const ts_joint_graph *graph, int piece)
{
  const int body = graph->body[piece];
  return graph->body_start[body + 1] - graph->body_start[body];
}

// The side by which a node is on a piece.
static inline int ts_joint_graph_side(const ts_joint_graph *graph, int node, int piece)
{
  const int *side = graph->side + graph->side_start[node];
  int k = 0;
  while (side[k] != piece) ++k;
  return k;
}

// Neighbours of every node in compressed form: index[start[i] .. start[i+1]).
void ts_joint_graph_neighbours(const ts_joint_graph *graph, int **start, int **index, ts_arena *arena);

#endif
