// Block-sparse elimination of joints. A block is a joint (or spring) with all its rows; blocks couple where they share
// a dynamic body. The factor is that of math/block_cholesky.h.
#include "dynamics/bilateral.h"

#include "dynamics/redundancy.h"
#include "math/block_cholesky.h"
#include "math/disjoint_sets.h"

#include "base/assert.h"

#include <string.h>

enum { BLOCK_ROWS = 8 }; // a joint has at most 6 and a drive

typedef struct ts_joint_blocks {
  int count;
  int *first;                  // rows of block b: first[b] .. first[b+1]
  int *body_start, *body_list; // blocks on each body (body_count + 1)
  ts_twist (*response)[2];     // M^-1 times the jacobian of a row, by side (rows)
  ts_block_cholesky cholesky;
} ts_joint_blocks;

// ---- blocks --------------------------------------------------------------------------------------------------------

static void cut_into_blocks(const ts_bilateral_row *rows, int count, ts_joint_blocks *blocks, ts_arena *arena)
{
  blocks->first = ts_arena_ints(arena, (size_t)count + 1);
  for (int i = 0; i < count; ++i)
    if (i == 0 || rows[i].source != rows[i - 1].source) blocks->first[blocks->count++] = i;
  blocks->first[blocks->count] = count;
}

static const int *bodies_of(const ts_bilateral *b, int block)
{
  return b->rows[b->blocks->first[block]].row.body;
}

static void list_blocks_by_body(const ts_bilateral *b, ts_arena *arena)
{
  ts_joint_blocks *blocks = b->blocks;
  const int bodies = b->model->body_count;
  int *start = ts_arena_ints(arena, (size_t)bodies + 2); // one ahead while it is filled
  memset(start, 0, ((size_t)bodies + 2) * sizeof *start);
  for (int block = 0; block < blocks->count; ++block)
    for (int side = 0; side < 2; ++side)
      if (bodies_of(b, block)[side] >= 0) ++start[bodies_of(b, block)[side] + 2];
  for (int body = 0; body < bodies; ++body) start[body + 2] += start[body + 1];
  blocks->body_list = ts_arena_ints(arena, (size_t)start[bodies + 1]);
  for (int block = 0; block < blocks->count; ++block)
    for (int side = 0; side < 2; ++side)
      if (bodies_of(b, block)[side] >= 0) blocks->body_list[start[bodies_of(b, block)[side] + 1]++] = block;
  blocks->body_start = start;
}

static void respond_to_rows(const ts_bilateral *b, const ts_kinematics *kinematics, ts_twist (*response)[2])
{
  for (int i = 0; i < b->count; ++i)
    for (int side = 0; side < 2; ++side) {
      const ts_row *row = &b->rows[i].row;
      if (row->body[side] < 0) continue;
      const ts_wrench push = {row->jacobian[side].linear, row->jacobian[side].angular};
      response[i][side] = ts_respond(b->model, kinematics, row->body[side], push);
    }
}

// ---- matrix --------------------------------------------------------------------------------------------------------

// Neighbours of a block: those on its bodies. One that shares both bodies is found through the first.
static int list_neighbours(const ts_bilateral *b, int block, int *list)
{
  const ts_joint_blocks *blocks = b->blocks;
  const int *body = bodies_of(b, block);
  int count = 0;
  for (int side = 0; side < 2; ++side) {
    if (body[side] < 0) continue;
    for (int k = blocks->body_start[body[side]]; k < blocks->body_start[body[side] + 1]; ++k) {
      const int other = blocks->body_list[k], *theirs = bodies_of(b, other);
      const bool found = side == 1 && body[0] >= 0 && (theirs[0] == body[0] || theirs[1] == body[0]);
      if (other != block && !found) list[count++] = other;
    }
  }
  return count;
}

static void analyze(const ts_bilateral *b, ts_arena *arena)
{
  ts_joint_blocks *blocks = b->blocks;
  size_t edges = 0;
  for (int body = 0; body < b->model->body_count; ++body) {
    const size_t degree = (size_t)(blocks->body_start[body + 1] - blocks->body_start[body]);
    if (degree > 1) edges += degree * (degree - 1);
  }
  int *start = ts_arena_ints(arena, (size_t)blocks->count + 1), *index = ts_arena_ints(arena, edges);
  int *size = ts_arena_ints(arena, (size_t)blocks->count);
  start[0] = 0;
  for (int k = 0; k < blocks->count; ++k) {
    start[k + 1] = start[k] + list_neighbours(b, k, index + start[k]);
    size[k] = blocks->first[k + 1] - blocks->first[k];
    TS_ASSERT(size[k] <= BLOCK_ROWS);
  }
  blocks->cholesky = ts_block_cholesky_analyze(blocks->count, size, start, index, arena);
}

// What A is made of. Rows that are soft are left out of the other ones' geometry.
typedef struct ingredients {
  const ts_bilateral *bilateral;
  ts_twist (*response)[2];
  bool rigid_only;
} ingredients;

static double coupling(const ingredients *a, int i, int side_i, int j, int side_j)
{
  const ts_bilateral_row *rows = a->bilateral->rows;
  if (a->rigid_only && (rows[i].softness > 0.0 || rows[j].softness > 0.0)) return 0.0;
  return ts_twist_dot(rows[i].row.jacobian[side_i], a->response[j][side_j]);
}

// Add what a body makes blocks p and q feel of each other. It is on the given sides of them.
static void add_coupling(const ingredients *a, int p, int side_p, int q, int side_q)
{
  const ts_joint_blocks *blocks = a->bilateral->blocks;
  double A[BLOCK_ROWS * BLOCK_ROWS];
  for (int j = blocks->first[q], at = 0; j < blocks->first[q + 1]; ++j)
    for (int i = blocks->first[p]; i < blocks->first[p + 1]; ++i) A[at++] = coupling(a, i, side_p, j, side_q);
  ts_block_cholesky_add(&blocks->cholesky, p, q, A);
}

static void add_softness(const ts_bilateral *b, int block)
{
  const int first = b->blocks->first[block], rows = b->blocks->first[block + 1] - first;
  double S[BLOCK_ROWS * BLOCK_ROWS] = {0.0};
  for (int i = 0; i < rows; ++i) S[i * rows + i] = b->rows[first + i].softness;
  ts_block_cholesky_add(&b->blocks->cholesky, block, block, S);
}

static void assemble(const ingredients *a)
{
  const ts_bilateral *b = a->bilateral;
  const ts_joint_blocks *blocks = b->blocks;
  for (int block = 0; block < blocks->count; ++block) add_softness(b, block);
  for (int body = 0; body < b->model->body_count; ++body)
    for (int i = blocks->body_start[body]; i < blocks->body_start[body + 1]; ++i)
      for (int j = blocks->body_start[body]; j <= i; ++j) {
        const int p = blocks->body_list[i], q = blocks->body_list[j];
        add_coupling(a, p, bodies_of(b, p)[1] == body, q, bodies_of(b, q)[1] == body);
      }
}

// ---- factorization -------------------------------------------------------------------------------------------------

// Factor the matrix of a metric that only knows geometry, for the pivots that it drops. See redundancy.c.
static void drop_redundant_rows(const ts_bilateral *b, const ts_kinematics *kinematics, const double *relative,
                                const double *arm, bool *dropped, ts_arena *arena)
{
  const ingredients geometry = {b, ts_arena_bytes(arena, (size_t)b->count, sizeof *geometry.response), true};
  for (int i = 0; i < b->count; ++i)
    for (int side = 0; side < 2; ++side) {
      const ts_row *row = &b->rows[i].row;
      const int body = row->body[side];
      if (body >= 0)
        geometry.response[i][side] =
            ts_respond_geometrically(b->model, kinematics, body, arm[body], row->jacobian[side]);
    }
  assemble(&geometry);
  ts_block_cholesky_factor(&b->blocks->cholesky, relative, dropped, arena);
  ts_block_cholesky_clear(&b->blocks->cholesky);
}

static int factor_blocks(const ts_bilateral *b, const ts_kinematics *kinematics, ts_arena *arena)
{
  ts_joint_blocks *blocks = b->blocks;
  const ts_arena_mark mark = ts_arena_save(arena);
  double *relative = ts_arena_doubles(arena, (size_t)blocks->count);
  double *arm = ts_arena_doubles(arena, (size_t)b->model->body_count);
  bool *dropped = ts_arena_bytes(arena, (size_t)b->count, sizeof *dropped);
  memset(dropped, 0, (size_t)b->count * sizeof *dropped);
  if (ts_find_loops(b->model, b->rows, blocks->count, blocks->first, relative, arm, arena)) {
    drop_redundant_rows(b, kinematics, relative, arm, dropped, arena);
    for (int i = 0; i < blocks->count; ++i) relative[i] = TS_PIVOT_ROUND_OFF;
  }
  assemble(&(ingredients){b, blocks->response, false});
  ts_block_cholesky_factor(&blocks->cholesky, relative, dropped, arena);
  int count = 0;
  for (int i = 0; i < b->count; ++i) count += dropped[i];
  ts_arena_restore(arena, mark);
  return count;
}

void ts_bilateral_factor(const ts_model *model, const ts_kinematics *kinematics, const ts_bilateral_row *rows,
                         int count, ts_arena *arena, ts_bilateral *bilateral)
{
  *bilateral = (ts_bilateral){.model = model, .count = count, .rows = rows};
  if (count == 0) return;
  ts_joint_blocks *blocks = bilateral->blocks = ts_arena_bytes(arena, 1, sizeof *blocks);
  *blocks = (ts_joint_blocks){.response = ts_arena_bytes(arena, (size_t)count, sizeof *blocks->response)};
  cut_into_blocks(rows, count, blocks, arena);
  list_blocks_by_body(bilateral, arena);
  respond_to_rows(bilateral, kinematics, blocks->response);
  analyze(bilateral, arena);
  bilateral->dropped = factor_blocks(bilateral, kinematics, arena);
}

// ---- motion --------------------------------------------------------------------------------------------------------

// One solution of A x = -(what is left of the rows), added to impulse and velocity.
static void relax(const ts_bilateral *b, bool biased, ts_twist *velocity, double *impulse, double *x, ts_arena *arena)
{
  for (int i = 0; i < b->count; ++i) {
    const ts_bilateral_row *row = &b->rows[i];
    x[i] = -(ts_row_rate(&row->row, velocity) + row->softness * impulse[i] + (biased ? row->bias : 0.0));
  }
  ts_block_cholesky_solve(&b->blocks->cholesky, x, arena);
  for (int i = 0; i < b->count; ++i) {
    impulse[i] += x[i];
    for (int side = 0; side < 2; ++side) {
      const int body = b->rows[i].row.body[side];
      if (body >= 0) velocity[body] = ts_twist_add_scaled(velocity[body], x[i], b->blocks->response[i][side]);
    }
  }
}

// The second pass is a step of iterative refinement: it sees what the velocity that the first one made still lacks.
static void eliminate(const ts_bilateral *b, bool biased, ts_twist *velocity, double *impulse, ts_arena *arena)
{
  if (b->count == 0) return;
  const ts_arena_mark mark = ts_arena_save(arena);
  double *x = ts_arena_doubles(arena, (size_t)b->count);
  memset(impulse, 0, (size_t)b->count * sizeof *impulse);
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

double ts_bilateral_residual(const ts_bilateral *bilateral, const ts_twist *velocity, const double *impulse)
{
  double worst = 0.0;
  for (int i = 0; i < bilateral->count; ++i) {
    const ts_bilateral_row *row = &bilateral->rows[i];
    const double left = ts_row_rate(&row->row, velocity) + row->softness * impulse[i] + row->bias;
    if (!(fabs(left) <= worst)) worst = fabs(left); // a NaN stays
  }
  return worst;
}

// ---- Delassus ------------------------------------------------------------------------------------------------------

// Neighbouring rows between the same two bodies: K of them has one pattern. X becomes L^-1 K.
typedef struct group {
  int first, columns;
  ts_block_reach reach;
  double *X;
} group;

// All blocks of a body are neighbours of each other, so they lie on one path of the elimination tree, which begins at
// the one that is eliminated first.
static int first_block_of(const ts_bilateral *b, int body)
{
  const ts_joint_blocks *blocks = b->blocks;
  int first = -1;
  for (int k = blocks->body_start[body]; k < blocks->body_start[body + 1]; ++k) {
    const int block = blocks->body_list[k];
    if (first < 0 || blocks->cholesky.position[block] < blocks->cholesky.position[first]) first = block;
  }
  return first;
}

// K = G^T M^-1 h, column after column
static void fill_columns(const ts_bilateral *b, const ts_row *rows, const int *place, group *g)
{
  const ts_joint_blocks *blocks = b->blocks;
  for (int side = 0; side < 2; ++side) {
    const int body = rows[g->first].body[side];
    if (body < 0) continue;
    for (int k = blocks->body_start[body]; k < blocks->body_start[body + 1]; ++k) {
      const int block = blocks->body_list[k], their_side = bodies_of(b, block)[1] == body;
      const int at = place[blocks->cholesky.position[block]];
      for (int j = 0; j < g->columns; ++j)
        for (int i = blocks->first[block]; i < blocks->first[block + 1]; ++i)
          g->X[(size_t)j * (size_t)g->reach.scalars + (size_t)(at + i - blocks->first[block])] +=
              ts_twist_dot(blocks->response[i][their_side], rows[g->first + j].jacobian[side]);
    }
  }
}

static void solve_group(const ts_bilateral *b, const ts_row *rows, int *place, group *g, ts_arena *arena)
{
  int starts[2], count = 0;
  for (int side = 0; side < 2; ++side) {
    const int body = rows[g->first].body[side], block = body < 0 ? -1 : first_block_of(b, body);
    if (block >= 0) starts[count++] = block;
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
  memset(C, 0, (size_t)columns * (size_t)columns * sizeof *C);
  if (bilateral->count == 0 || columns == 0) return;
  const ts_arena_mark mark = ts_arena_save(arena);
  group *groups = ts_arena_bytes(arena, (size_t)columns, sizeof *groups);
  int *place = ts_arena_ints(arena, (size_t)bilateral->blocks->count), count = 0;
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

int ts_bilateral_components(const ts_bilateral *bilateral, int *component, ts_arena *arena)
{
  const ts_model *model = bilateral->model;
  const ts_arena_mark mark = ts_arena_save(arena);
  int *parent = ts_arena_ints(arena, (size_t)model->body_count), count = 0;
  for (int i = 0; i < model->body_count; ++i) parent[i] = i;
  for (int i = 0; i < bilateral->count; ++i) {
    const int *body = bilateral->rows[i].row.body;
    if (body[0] >= 0 && body[1] >= 0) ts_join_sets(parent, body[0], body[1]);
  }
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
