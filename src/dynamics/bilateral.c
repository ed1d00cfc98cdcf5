// Block-sparse elimination of joints: the matrix A over the nodes of dynamics/joint_graph.h, factored by
// math/block_cholesky.h.
//
// The welds of a body that is cut into k pieces are rows of A that appear nowhere else. With a mass M/k and the share
// 1/k of what pushes the body, every piece moves as the body would, so that right-hand sides and K are zero in the rows
// of welds; and the sum of what the joints do to the pieces is what they do to the body.
#include "dynamics/bilateral.h"

#include "dynamics/joint_graph.h"
#include "dynamics/redundancy.h"
#include "math/block_cholesky.h"
#include "math/disjoint_sets.h"

#include "base/assert.h"
#include "base/hot.h"

#include <string.h>

enum { NODE_ROWS = TS_SOURCE_ROWS };
_Static_assert((int)TS_WELD_ROWS <= (int)NODE_ROWS, "welds are nodes, too");

struct ts_joint_blocks {
  ts_joint_graph graph;
  int *first_side;    // of the responses of a row (count + 1)
  ts_twist *response; // M^-1 times the jacobian of a row, side after side
  ts_block_cholesky cholesky;
};

// ---- matrix --------------------------------------------------------------------------------------------------------

// What A is made of: the inverse of a mass matrix. The geometric one leaves out rows that are soft.
typedef struct metric {
  const ts_bilateral *bilateral;
  const ts_kinematics *kinematics;
  const double *arm; // NULL: that of kinetic energy; else that of redundancy.h
} metric;

TS_INLINE ts_twist respond(const metric *m, int body, ts_twist jacobian)
{
  const ts_model *model = m->bilateral->model;
  if (m->arm) return ts_respond_geometrically(model, m->kinematics, body, m->arm[body], jacobian);
  return ts_respond(model, m->kinematics, body, (ts_wrench){jacobian.linear, jacobian.angular});
}

// Of one part of a row, from `response` on. Returns where those of the next begin.
TS_INLINE ts_twist *respond_to_part(const metric *m, const ts_row *part, ts_twist *response)
{
  for (int side = 0; side < 2; ++side)
    if (part->body[side] >= 0) response[side] = respond(m, part->body[side], part->jacobian[side]);
  return response + 2;
}

static void respond_to_rows(const metric *m, ts_twist *response)
{
  const ts_bilateral *b = m->bilateral;
  for (int i = 0; i < b->count; ++i) {
    response = respond_to_part(m, &b->rows[i].row, response);
    for (int k = 0; k < b->rows[i].further_count; ++k) response = respond_to_part(m, &b->rows[i].further[k], response);
  }
}

static int count_sides(const ts_bilateral *b)
{
  int sides = 0;
  for (int i = 0; i < b->count; ++i) {
    b->blocks->first_side[i] = sides;
    sides += ts_side_count(&b->rows[i]);
  }
  return b->blocks->first_side[b->count] = sides;
}

// The six rows of a weld are the components of a piece's twist, and minus those of the next one's.
static ts_twist weld_jacobian(int component, int side)
{
  double unit[TS_WELD_ROWS] = {0.0};
  unit[component] = side == 0 ? 1.0 : -1.0;
  return (ts_twist){{unit[0], unit[1], unit[2]}, {unit[3], unit[4], unit[5]}};
}

// The rows of a node as a piece sees them, and what they do to it.
typedef struct node_view {
  int rows;
  ts_twist jacobian[NODE_ROWS], response[NODE_ROWS];
} node_view;

static void view_node(const metric *m, const ts_twist *response, int node, int piece, node_view *view)
{
  const ts_bilateral *b = m->bilateral;
  const ts_joint_graph *graph = &b->blocks->graph;
  const int first = graph->first[node], side = ts_joint_graph_side(graph, node, piece);
  const double shares = ts_joint_graph_shares(graph, piece);
  view->rows = graph->first[node + 1] - first;
  TS_ASSERT(view->rows <= NODE_ROWS);
  for (int i = 0; i < view->rows; ++i) {
    const bool joint = node < graph->joints;
    const ts_twist jacobian = joint ? *ts_side_jacobian(&b->rows[first + i], side) : weld_jacobian(i, side);
    const ts_twist effect =
        joint ? response[b->blocks->first_side[first + i] + side] : respond(m, graph->body[piece], jacobian);
    const bool left_out = m->arm && joint && b->rows[first + i].softness > 0.0;
    view->jacobian[i] = left_out ? (ts_twist){0} : jacobian;
    view->response[i] = left_out ? (ts_twist){0} : ts_twist_add_scaled((ts_twist){0}, shares, effect);
  }
}

// Every pair of nodes on a piece feels each other through it.
static void add_piece(const metric *m, const ts_twist *response, int piece)
{
  const struct ts_joint_blocks *blocks = m->bilateral->blocks;
  const int *nodes = blocks->graph.piece_list + blocks->graph.piece_start[piece];
  const int count = blocks->graph.piece_start[piece + 1] - blocks->graph.piece_start[piece];
  node_view view[TS_PIECE_NODES];
  for (int k = 0; k < count; ++k) view_node(m, response, nodes[k], piece, &view[k]);
  for (int k = 0; k < count; ++k)
    for (int l = 0; l <= k; ++l) {
      double A[NODE_ROWS * NODE_ROWS];
      for (int j = 0, at = 0; j < view[k].rows; ++j)
        for (int i = 0; i < view[l].rows; ++i) A[at++] = ts_twist_dot(view[l].jacobian[i], view[k].response[j]);
      ts_block_cholesky_add(&blocks->cholesky, nodes[l], nodes[k], A);
    }
}

static void add_softness(const ts_bilateral *b, int joint)
{
  const int first = b->blocks->graph.first[joint], rows = b->blocks->graph.first[joint + 1] - first;
  double S[NODE_ROWS * NODE_ROWS] = {0.0};
  for (int i = 0; i < rows; ++i) S[i * rows + i] = b->rows[first + i].softness;
  ts_block_cholesky_add(&b->blocks->cholesky, joint, joint, S);
}

static void assemble(const metric *m, const ts_twist *response)
{
  const ts_joint_graph *graph = &m->bilateral->blocks->graph;
  for (int joint = 0; joint < graph->joints; ++joint) add_softness(m->bilateral, joint);
  for (int piece = 0; piece < graph->pieces; ++piece) add_piece(m, response, piece);
}

// ---- factorization -------------------------------------------------------------------------------------------------

static void analyze(const ts_bilateral *b, ts_arena *arena)
{
  const ts_joint_graph *graph = &b->blocks->graph;
  int *size = ts_arena_ints(arena, (size_t)graph->nodes), *start, *index;
  for (int node = 0; node < graph->nodes; ++node) size[node] = graph->first[node + 1] - graph->first[node];
  ts_joint_graph_neighbours(graph, &start, &index, arena);
  b->blocks->cholesky = ts_block_cholesky_analyze(graph->nodes, size, start, index, arena);
}

// Factor the matrix of a metric that only knows geometry, for the pivots that it drops. See redundancy.c.
static void drop_redundant_rows(const metric *geometry, const double *relative, bool *dropped, ts_arena *arena)
{
  const ts_bilateral *b = geometry->bilateral;
  ts_twist *response = ts_arena_bytes(arena, (size_t)b->blocks->first_side[b->count], sizeof *response);
  respond_to_rows(geometry, response);
  assemble(geometry, response);
  ts_block_cholesky_factor(&b->blocks->cholesky, relative, dropped, arena);
  ts_block_cholesky_clear(&b->blocks->cholesky);
}

static void factor_nodes(const ts_bilateral *b, const metric *energy, bool *depends, ts_arena *arena)
{
  const struct ts_joint_blocks *blocks = b->blocks;
  const ts_joint_graph *graph = &blocks->graph;
  const ts_arena_mark mark = ts_arena_save(arena);
  double *relative = ts_arena_doubles(arena, (size_t)graph->nodes);
  double *arm = ts_arena_doubles(arena, (size_t)b->model->body_count);
  bool *dropped = ts_arena_bytes(arena, (size_t)graph->first[graph->nodes], sizeof *dropped);
  memset(dropped, 0, (size_t)graph->first[graph->nodes] * sizeof *dropped);
  for (int i = 0; i < graph->nodes; ++i) relative[i] = TS_PIVOT_ROUND_OFF;
  if (ts_find_loops(b->model, b->rows, graph->joints, graph->first, relative, arm, arena)) {
    drop_redundant_rows(&(metric){b, energy->kinematics, arm}, relative, dropped, arena);
    for (int i = 0; i < graph->nodes; ++i) relative[i] = TS_PIVOT_ROUND_OFF;
  }
  assemble(energy, blocks->response);
  ts_block_cholesky_factor(&blocks->cholesky, relative, dropped, arena);
  memcpy(depends, dropped, (size_t)b->count * sizeof *depends);
  ts_arena_restore(arena, mark);
}

static void factor_blocks(ts_bilateral *bilateral, const ts_kinematics *kinematics, bool *depends, ts_arena *arena)
{
  struct ts_joint_blocks *blocks = bilateral->blocks = ts_arena_bytes(arena, 1, sizeof *blocks);
  blocks->graph = ts_joint_graph_of(bilateral->model, bilateral->rows, bilateral->count, arena);
  blocks->first_side = ts_arena_ints(arena, (size_t)bilateral->count + 1);
  blocks->response = ts_arena_bytes(arena, (size_t)count_sides(bilateral), sizeof *blocks->response);
  const metric energy = {bilateral, kinematics, NULL};
  respond_to_rows(&energy, blocks->response);
  analyze(bilateral, arena);
  factor_nodes(bilateral, &energy, depends, arena);
}

void ts_bilateral_factor(const ts_model *model, const ts_kinematics *kinematics, const ts_bilateral_row *rows,
                         int count, ts_arena *arena, ts_bilateral *bilateral)
{
  *bilateral = (ts_bilateral){.model = model, .count = count, .rows = rows};
  if (count == 0) return;
  bool *depends = ts_arena_bytes(arena, (size_t)count, sizeof *depends);
  bilateral->anchored = ts_anchors_factor(model, kinematics, rows, count, depends, arena);
  if (!bilateral->anchored.of_body) factor_blocks(bilateral, kinematics, depends, arena);
  for (int i = 0; i < count; ++i) bilateral->dropped += depends[i];
  bilateral->depends = depends;
}

// ---- motion --------------------------------------------------------------------------------------------------------

// velocity += what the impulse x does by one part of a row, whose responses are given. Returns those of the next.
TS_INLINE const ts_twist *push_part(const ts_row *part, double x, const ts_twist *response, ts_twist *velocity)
{
  for (int side = 0; side < 2; ++side) {
    const int body = part->body[side];
    if (body >= 0) velocity[body] = ts_twist_add_scaled(velocity[body], x, response[side]);
  }
  return response + 2;
}

// One solution of A x = -(what is left of the rows), added to impulse and velocity.
static void relax(const ts_bilateral *b, bool biased, ts_twist *velocity, double *impulse, double *x, ts_arena *arena)
{
  for (int i = 0; i < b->count; ++i) {
    const ts_bilateral_row *row = &b->rows[i];
    x[i] = -(ts_bilateral_rate(row, velocity) + row->softness * impulse[i] + (biased ? row->bias : 0.0));
  }
  for (int i = b->count; i < b->blocks->cholesky.scalars; ++i) x[i] = 0.0; // welds
  ts_block_cholesky_solve(&b->blocks->cholesky, x, arena);
  const ts_twist *response = b->blocks->response;
  for (int i = 0; i < b->count; ++i) {
    impulse[i] += x[i];
    response = push_part(&b->rows[i].row, x[i], response, velocity);
    for (int k = 0; k < b->rows[i].further_count; ++k)
      response = push_part(&b->rows[i].further[k], x[i], response, velocity);
  }
}

// The second pass is a step of iterative refinement: it sees what the velocity that the first one made still lacks.
static void eliminate(const ts_bilateral *b, bool biased, ts_twist *velocity, double *impulse, ts_arena *arena)
{
  if (b->count == 0) return;
  memset(impulse, 0, (size_t)b->count * sizeof *impulse);
  if (b->anchored.of_body) {
    for (int pass = 0; pass < 2; ++pass) ts_anchors_relax(&b->anchored, b->rows, biased, velocity, impulse);
    return;
  }
  const ts_arena_mark mark = ts_arena_save(arena);
  double *x = ts_arena_doubles(arena, (size_t)b->blocks->cholesky.scalars);
  for (int pass = 0; pass < 2; ++pass) relax(b, biased, velocity, impulse, x, arena);
  ts_arena_restore(arena, mark);
}

void ts_bilateral_project(const ts_bilateral *bilateral, ts_twist *velocity, double *impulse, ts_arena *arena)
{
  eliminate(bilateral, true, velocity, impulse, arena);
}

void ts_bilateral_correct(const ts_bilateral *bilateral, ts_twist *change, double *impulse, ts_arena *arena)
{
  eliminate(bilateral, false, change, impulse, arena);
}

// ---- Delassus ------------------------------------------------------------------------------------------------------

// Neighbouring rows between the same two bodies: K of them has one pattern. X becomes L^-1 K.
typedef struct group {
  int first, columns;
  ts_block_reach reach;
  double *X;
} group;

// Nodes on a piece are neighbours of each other, so they lie on one path of the elimination tree, which begins at the
// one that is eliminated first.
static int first_node_on(const struct ts_joint_blocks *blocks, int piece)
{
  const int *nodes = blocks->graph.piece_list, *position = blocks->cholesky.position;
  int first = nodes[blocks->graph.piece_start[piece]];
  for (int k = blocks->graph.piece_start[piece]; k < blocks->graph.piece_start[piece + 1]; ++k)
    if (position[nodes[k]] < position[first]) first = nodes[k];
  return first;
}

// K of a node on the given side of which is a body of the rows, from `at` on: G^T M^-1 h, column after column
static void fill_node(const ts_bilateral *b, const ts_row *rows, int row_side, int node, int side, int at, group *g)
{
  const int first = b->blocks->graph.first[node], last = b->blocks->graph.first[node + 1];
  for (int j = 0; j < g->columns; ++j) {
    double *K = g->X + (size_t)j * (size_t)g->reach.scalars + at;
    for (int i = first; i < last; ++i)
      K[i - first] +=
          ts_twist_dot(b->blocks->response[b->blocks->first_side[i] + side], rows[g->first + j].jacobian[row_side]);
  }
}

// Pieces of the two bodies of a row
static int piece_total(const ts_joint_graph *graph, const int body[2])
{
  int total = 0;
  for (int side = 0; side < 2; ++side)
    if (body[side] >= 0) total += graph->body_start[body[side] + 1] - graph->body_start[body[side]];
  return total;
}

static void fill_columns(const ts_bilateral *b, const ts_row *rows, const int *place, group *g)
{
  const ts_joint_graph *graph = &b->blocks->graph;
  for (int row_side = 0; row_side < 2; ++row_side) {
    const int body = rows[g->first].body[row_side];
    if (body < 0) continue;
    for (int piece = graph->body_start[body]; piece < graph->body_start[body + 1]; ++piece)
      for (int k = graph->piece_start[piece]; k < graph->piece_start[piece + 1]; ++k) {
        const int node = graph->piece_list[k];
        if (node >= graph->joints) continue; // nothing pulls at a weld
        fill_node(b, rows, row_side, node, ts_joint_graph_side(graph, node, piece),
                  place[b->blocks->cholesky.position[node]], g);
      }
  }
}

static void solve_group(const ts_bilateral *b, const ts_row *rows, int *place, group *g, ts_arena *arena)
{
  const ts_joint_graph *graph = &b->blocks->graph;
  int count = 0, *starts = ts_arena_ints(arena, (size_t)piece_total(graph, rows[g->first].body));
  for (int side = 0; side < 2; ++side) {
    const int body = rows[g->first].body[side];
    if (body < 0) continue;
    for (int piece = graph->body_start[body]; piece < graph->body_start[body + 1]; ++piece)
      starts[count++] = first_node_on(b->blocks, piece);
  }
  g->reach = ts_block_cholesky_reach(&b->blocks->cholesky, count, starts, place, arena);
  g->X = ts_arena_zeros(arena, (size_t)g->reach.scalars * (size_t)g->columns);
  fill_columns(b, rows, place, g);
  ts_block_cholesky_half_solve(&b->blocks->cholesky, &g->reach, place, g->columns, g->X);
}

static bool same_bodies(const ts_row *p, const ts_row *q)
{
  return p->body[0] == q->body[0] && p->body[1] == q->body[1];
}

// C of two groups: minus the products of their columns where both have scalars, from p and q on, `size` of them.
static void subtract_products(const group *g, const group *f, int p, int q, int size, int columns, double *C)
{
  for (int j = 0; j < f->columns; ++j) {
    const double *y = f->X + (size_t)j * (size_t)f->reach.scalars + q;
    for (int i = 0; i < g->columns; ++i) {
      const double *x = g->X + (size_t)i * (size_t)g->reach.scalars + p;
      double sum = 0.0;
      for (int s = 0; s < size; ++s) sum += x[s] * y[s];
      C[(size_t)(f->first + j) * (size_t)columns + (size_t)(g->first + i)] -= sum;
    }
  }
}

static void multiply_groups(const ts_bilateral *b, const group *g, const group *f, int columns, double *C)
{
  const ts_block_reach *p = &g->reach, *q = &f->reach;
  for (int s = 0, t = 0; s < p->count && t < q->count;) {
    if (p->position[s] < q->position[t])
      ++s;
    else if (p->position[s] > q->position[t])
      ++t;
    else {
      subtract_products(g, f, p->first[s], q->first[t], b->blocks->cholesky.size[p->position[s]], columns, C);
      ++s, ++t;
    }
  }
}

static void mirror(int columns, double *C)
{
  for (size_t j = 0, n = (size_t)columns; j < n; ++j)
    for (size_t i = 0; i < j; ++i) C[i * n + j] = C[j * n + i];
}

void ts_bilateral_delassus(const ts_bilateral *bilateral, const ts_row *rows, int columns, double *C, ts_arena *arena)
{
  if (bilateral->anchored.of_body) {
    ts_anchors_delassus(&bilateral->anchored, rows, columns, C);
    return;
  }
  memset(C, 0, (size_t)columns * (size_t)columns * sizeof *C);
  if (bilateral->count == 0 || columns == 0) return;
  const ts_arena_mark mark = ts_arena_save(arena);
  group *groups = ts_arena_bytes(arena, (size_t)columns, sizeof *groups);
  int *place = ts_arena_ints(arena, (size_t)bilateral->blocks->graph.nodes), count = 0;
  for (int i = 0; i < columns; ++i) {
    if (i > 0 && same_bodies(&rows[i], &rows[i - 1]))
      ++groups[count - 1].columns;
    else
      groups[count++] = (group){.first = i, .columns = 1};
  }
  for (int k = 0; k < count; ++k) {
    solve_group(bilateral, rows, place, &groups[k], arena);
    for (int l = 0; l <= k; ++l) multiply_groups(bilateral, &groups[l], &groups[k], columns, C);
  }
  mirror(columns, C);
  ts_arena_restore(arena, mark);
}

// ---- components ----------------------------------------------------------------------------------------------------

// Every body for itself.
static int separate_components(const ts_model *model, int *component)
{
  for (int i = 0; i < model->body_count; ++i) component[i] = model->bodies[i].kind == TS_DYNAMIC ? i : -1;
  return model->body_count;
}

int ts_bilateral_components(const ts_bilateral *bilateral, int *component, ts_arena *arena)
{
  const ts_model *model = bilateral->model;
  if (bilateral->anchored.of_body) return separate_components(model, component);
  const ts_arena_mark mark = ts_arena_save(arena);
  int *parent = ts_arena_ints(arena, (size_t)model->body_count), count = 0;
  for (int i = 0; i < model->body_count; ++i) parent[i] = i;
  for (int i = 0; i < bilateral->count; ++i) ts_join_bodies(&bilateral->rows[i], parent);
  for (int i = 0; i < model->body_count; ++i) component[i] = -1;
  for (int i = 0; i < model->body_count; ++i) {
    if (model->bodies[i].kind != TS_DYNAMIC) continue;
    const int root = ts_find_set(parent, i); // joined bodies are dynamic, and so is their root
    if (component[root] < 0) component[root] = count++;
    component[i] = component[root];
  }
  ts_arena_restore(arena, mark);
  return count;
}
