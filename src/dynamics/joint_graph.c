#include "dynamics/joint_graph.h"

#include <string.h>

// A body is cut when more joints than a piece may hold are on it, into pieces with FEW each. A clique of d joints with
// 5 rows costs about (5 d)^3/3 to eliminate, a piece with its two welds (5 FEW + 12)^3/3: even at about d = 8, FEW = 4.
enum { FEW = 4 };

// Cut rows where the source changes.
static void find_joints(const ts_bilateral_row *rows, int count, ts_joint_graph *graph, ts_arena *arena)
{
  int joints = 0;
  for (int i = 0; i < count; ++i) joints += i == 0 || rows[i].source != rows[i - 1].source;
  int *first = ts_arena_ints(arena, (size_t)joints + 1);
  for (int i = 0, at = 0; i < count; ++i)
    if (i == 0 || rows[i].source != rows[i - 1].source) first[at++] = i;
  first[joints] = count;
  graph->joints = joints;
  graph->first = first;
}

static int piece_count(int degree)
{
  return degree > TS_PIECE_NODES ? (degree + FEW - 1) / FEW : degree > 0;
}

static void cut_bodies(const ts_model *model, const ts_bilateral_row *rows, ts_joint_graph *graph, int *degree,
                       ts_arena *arena)
{
  const int bodies = model->body_count;
  memset(degree, 0, (size_t)bodies * sizeof *degree);
  for (int j = 0; j < graph->joints; ++j) {
    const ts_bilateral_row *row = &rows[graph->first[j]];
    for (int side = 0; side < ts_side_count(row); ++side)
      if (ts_side_body(row, side) >= 0) ++degree[ts_side_body(row, side)];
  }
  graph->body_start = ts_arena_ints(arena, (size_t)bodies + 1);
  graph->body_start[0] = 0;
  for (int i = 0; i < bodies; ++i) graph->body_start[i + 1] = graph->body_start[i] + piece_count(degree[i]);
  graph->pieces = graph->body_start[bodies];
  graph->body = ts_arena_ints(arena, (size_t)graph->pieces);
  graph->nodes = graph->joints;
  for (int i = 0; i < bodies; ++i) {
    const int pieces = graph->body_start[i + 1] - graph->body_start[i];
    for (int k = 0; k < pieces; ++k) graph->body[graph->body_start[i] + k] = i;
    if (pieces > 1) graph->nodes += pieces - 1;
  }
}

// Where the sides of a node begin: those of its rows, which are all between the same bodies, or the two of a weld.
static void count_sides(const ts_bilateral_row *rows, ts_joint_graph *graph, ts_arena *arena)
{
  graph->side_start = ts_arena_ints(arena, (size_t)graph->nodes + 1);
  graph->side_start[0] = 0;
  for (int node = 0; node < graph->nodes; ++node)
    graph->side_start[node + 1] =
        graph->side_start[node] + (node < graph->joints ? ts_side_count(&rows[graph->first[node]]) : 2);
  graph->side = ts_arena_ints(arena, (size_t)graph->side_start[graph->nodes]);
}

// The joints of a body go to its pieces in their order; `seen` counts them, and is zero before.
static void attach_joints(const ts_bilateral_row *rows, ts_joint_graph *graph, int *seen)
{
  for (int j = 0; j < graph->joints; ++j) {
    const ts_bilateral_row *row = &rows[graph->first[j]];
    int *piece = graph->side + graph->side_start[j];
    for (int side = 0; side < ts_side_count(row); ++side) {
      const int body = ts_side_body(row, side);
      piece[side] = -1;
      if (body < 0) continue;
      const int cut = graph->body_start[body + 1] - graph->body_start[body] > 1;
      piece[side] = graph->body_start[body] + (cut ? seen[body]++ / FEW : 0);
    }
  }
}

static void attach_welds(int bodies, int count, ts_joint_graph *graph, ts_arena *arena)
{
  int *first = ts_arena_ints(arena, (size_t)graph->nodes + 1), weld = graph->joints;
  memcpy(first, graph->first, ((size_t)graph->joints + 1) * sizeof *first);
  for (int i = 0; i < bodies; ++i)
    for (int piece = graph->body_start[i]; piece + 1 < graph->body_start[i + 1]; ++piece, ++weld) {
      graph->side[graph->side_start[weld]] = piece;
      graph->side[graph->side_start[weld] + 1] = piece + 1;
      first[weld + 1] = count + TS_WELD_ROWS * (weld - graph->joints + 1);
    }
  graph->first = first;
}

static void list_nodes(ts_joint_graph *graph, ts_arena *arena)
{
  const size_t pieces = (size_t)graph->pieces;
  int *start = ts_arena_ints(arena, pieces + 2); // one ahead while the list is filled
  memset(start, 0, (pieces + 2) * sizeof *start);
  for (int side = 0; side < graph->side_start[graph->nodes]; ++side)
    if (graph->side[side] >= 0) ++start[graph->side[side] + 2];
  for (size_t piece = 0; piece < pieces; ++piece) start[piece + 2] += start[piece + 1];
  graph->piece_list = ts_arena_ints(arena, (size_t)start[pieces + 1]);
  for (int node = 0; node < graph->nodes; ++node)
    for (int side = graph->side_start[node]; side < graph->side_start[node + 1]; ++side)
      if (graph->side[side] >= 0) graph->piece_list[start[graph->side[side] + 1]++] = node;
  graph->piece_start = start;
}

ts_joint_graph ts_joint_graph_of(const ts_model *model, const ts_bilateral_row *rows, int count, ts_arena *arena)
{
  const size_t bodies = (size_t)model->body_count;
  ts_joint_graph graph = {0};
  int *counter = ts_arena_ints(arena, bodies);
  find_joints(rows, count, &graph, arena);
  cut_bodies(model, rows, &graph, counter, arena);
  count_sides(rows, &graph, arena);
  memset(counter, 0, bodies * sizeof *counter);
  attach_joints(rows, &graph, counter);
  attach_welds(model->body_count, count, &graph, arena);
  list_nodes(&graph, arena);
  return graph;
}

// Whether a node is on one of these pieces.
static bool is_on(const ts_joint_graph *graph, int node, const int *pieces, int count)
{
  const int *begin = graph->side + graph->side_start[node], *end = graph->side + graph->side_start[node + 1];
  for (int k = 0; k < count; ++k)
    for (const int *side = begin; pieces[k] >= 0 && side < end; ++side)
      if (*side == pieces[k]) return true;
  return false;
}

// Those on the pieces of a node. One that shares several pieces is found through the first.
static int list_neighbours(const ts_joint_graph *graph, int node, int *list)
{
  const int *mine = graph->side + graph->side_start[node];
  const int sides = graph->side_start[node + 1] - graph->side_start[node];
  int count = 0;
  for (int side = 0; side < sides; ++side) {
    if (mine[side] < 0) continue;
    for (int k = graph->piece_start[mine[side]]; k < graph->piece_start[mine[side] + 1]; ++k) {
      const int other = graph->piece_list[k];
      if (other != node && !is_on(graph, other, mine, side)) list[count++] = other;
    }
  }
  return count;
}

void ts_joint_graph_neighbours(const ts_joint_graph *graph, int **start, int **index, ts_arena *arena)
{
  size_t edges = 0;
  for (int piece = 0; piece < graph->pieces; ++piece) {
    const size_t degree = (size_t)(graph->piece_start[piece + 1] - graph->piece_start[piece]);
    edges += degree * (degree - 1); // no piece is empty
  }
  *start = ts_arena_ints(arena, (size_t)graph->nodes + 1);
  *index = ts_arena_ints(arena, edges);
  (*start)[0] = 0;
  for (int node = 0; node < graph->nodes; ++node)
    (*start)[node + 1] = (*start)[node] + list_neighbours(graph, node, *index + (*start)[node]);
}
