// Rows depend on each other, and on the joints of the tree, by geometry: the out-of-plane rows of a planar loop are
// held by the tree already. In the metric of kinetic energy a light link looks the same, so dependence is decided as
// redundancy.c does, with bodies that all weigh the same, against the errors that the loops have at present. What the
// joints of the tree leave of a row is there the pivot that elimination of their rows would leave.
#include "dynamics/articulation.h"

#include "dynamics/redundancy.h"
#include "math/disjoint_sets.h"

#include <math.h>
#include <string.h>

static ts_twist response_of(const ts_articulation *a, int body, ts_twist row)
{
  return ts_respond(a->model, a->kinematics, body, (ts_wrench){row.linear, row.angular});
}

// ---- compliance of rows --------------------------------------------------------------------------------------------

// What rows push the tree with.
typedef struct force_list {
  int count;
  ts_tree_force *forces;
} force_list;

static void add_force(const ts_articulation *a, int row, int body, ts_twist jacobian, force_list *list)
{
  if (body < 0 || !a->on_tree[body]) return;
  list->forces[list->count++] = (ts_tree_force){row, body, {jacobian.linear, jacobian.angular}};
}

static int count_sides(const ts_articulation *a)
{
  int sides = 0;
  for (int i = 0; i < a->count; ++i) sides += ts_side_count(&a->rows[i]);
  return sides;
}

// Forces of the rows that hold, with room for those of `more` others.
static force_list forces_of_rows(const ts_articulation *a, int more, ts_arena *arena)
{
  const size_t most = (size_t)count_sides(a) + 2 * (size_t)more;
  force_list list = {.forces = ts_arena_bytes(arena, most, sizeof *list.forces)};
  for (int i = 0; i < a->count; ++i)
    for (int side = 0; side < ts_side_count(&a->rows[i]); ++side)
      add_force(a, i, ts_side_body(&a->rows[i], side), *ts_side_jacobian(&a->rows[i], side), &list);
  return list;
}

// Forces of other rows, which are numbered from `first` on.
static void add_forces(const ts_articulation *a, const ts_row *rows, int count, int first, force_list *list)
{
  for (int i = 0; i < count; ++i)
    for (int side = 0; side < 2; ++side) add_force(a, first + i, rows[i].body[side], rows[i].jacobian[side], list);
}

// How bodies respond: as they are, or in the metric without masses of redundancy.h.
typedef struct metric {
  const ts_articulation *a;
  const ts_tree *tree;
  const double *arm; // of bodies; NULL: as they are
} metric;

static ts_twist response_in(const metric *m, int body, ts_twist row)
{
  if (!m->arm) return response_of(m->a, body, row);
  return ts_respond_geometrically(m->a->model, m->a->kinematics, body, m->arm[body], row);
}

// The share of bodies apart from the tree in an entry of J M^-1 J^T, p that of a row that holds.
static double compliance_apart(const metric *m, const ts_bilateral_row *p, const ts_row *q)
{
  double sum = 0.0;
  for (int s = 0; s < ts_side_count(p); ++s) {
    const int body = ts_side_body(p, s);
    if (body < 0 || m->a->on_tree[body]) continue;
    for (int t = 0; t < 2; ++t)
      if (q->body[t] == body) sum += ts_twist_dot(*ts_side_jacobian(p, s), response_in(m, body, q->jacobian[t]));
  }
  return sum;
}

// The same of two rows that hold.
static double compliance_of_rows_apart(const metric *m, const ts_bilateral_row *p, const ts_bilateral_row *q)
{
  double sum = compliance_apart(m, p, &q->row);
  for (int k = 0; k < q->further_count; ++k) sum += compliance_apart(m, p, &q->further[k]);
  return sum;
}

// ---- factorization -------------------------------------------------------------------------------------------------

void ts_articulation_groups(const ts_articulation *a, int *group)
{
  const ts_model *model = a->model;
  const ts_tree_node *node = ts_tree_node_at(a->tree, 0);
  const int nodes = ts_tree_sizes(a->tree).nodes;
  for (int b = 0; b < model->body_count; ++b) group[b] = model->bodies[b].kind == TS_DYNAMIC ? b : -1;
  for (int k = 0; k < nodes; ++k) // parents come first: their group is known
    if (node[k].parent >= 0) group[node[k].body] = group[node[node[k].parent].body];
  if (a->count == 0) return;
  for (int i = 0; i < a->count; ++i) ts_join_bodies(&a->rows[i], group);
  for (int b = 0; b < model->body_count; ++b)
    if (group[b] >= 0) group[b] = ts_find_set(group, b);
}

// The rows of one joint or spring are a node; nodes of one group couple.
typedef struct row_nodes {
  int count;
  int *first; // rows of a node (count + 1)
  int *group;
  int *body_group; // of a body (body_count)
} row_nodes;

static row_nodes nodes_of_rows(const ts_articulation *a, ts_arena *arena)
{
  int *group = ts_arena_ints(arena, (size_t)a->model->body_count);
  row_nodes nodes = {0, ts_arena_ints(arena, (size_t)a->count + 1), ts_arena_ints(arena, (size_t)a->count), group};
  ts_articulation_groups(a, group);
  for (int i = 0; i < a->count; ++i) {
    if (i > 0 && a->rows[i].source == a->rows[i - 1].source) continue;
    const int *body = a->rows[i].row.body;
    nodes.group[nodes.count] = body[0] >= 0 ? group[body[0]] : body[1] >= 0 ? group[body[1]] : -1;
    nodes.first[nodes.count++] = i;
  }
  nodes.first[nodes.count] = a->count;
  return nodes;
}

static void analyze(ts_articulation *a, const row_nodes *nodes, ts_arena *arena)
{
  const size_t count = (size_t)nodes->count;
  int *size = ts_arena_ints(arena, count), *start = ts_arena_ints(arena, count + 1);
  int *index = ts_arena_ints(arena, count * count);
  start[0] = 0;
  for (int i = 0; i < nodes->count; ++i) {
    size[i] = nodes->first[i + 1] - nodes->first[i];
    start[i + 1] = start[i];
    for (int j = 0; j < nodes->count; ++j)
      if (j != i && nodes->group[i] == nodes->group[j]) index[start[i + 1]++] = j;
  }
  a->cholesky = ts_block_cholesky_analyze(nodes->count, size, start, index, arena);
}

static void add_blocks(const ts_articulation *a, const row_nodes *nodes, const double *A, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  double *block = ts_arena_doubles(arena, (size_t)a->count * (size_t)a->count);
  for (int i = 0; i < nodes->count; ++i)
    for (int j = 0; j <= i; ++j) {
      if (nodes->group[i] != nodes->group[j]) continue;
      int at = 0;
      for (int q = nodes->first[j]; q < nodes->first[j + 1]; ++q)
        for (int p = nodes->first[i]; p < nodes->first[i + 1]; ++p)
          block[at++] = A[(size_t)q * (size_t)a->count + (size_t)p];
      ts_block_cholesky_add(&a->cholesky, i, j, block);
    }
  ts_arena_restore(arena, mark);
}

// A in a metric, softness where bodies are as they are.
static double *matrix_in(const metric *m, ts_arena *arena)
{
  const ts_articulation *a = m->a;
  const size_t n = (size_t)a->count;
  double *A = ts_arena_doubles(arena, n * n);
  const ts_arena_mark mark = ts_arena_save(arena);
  const force_list list = forces_of_rows(a, 0, arena);
  ts_tree_force_compliance(m->tree, list.forces, list.count, a->count, A, arena);
  ts_arena_restore(arena, mark);
  for (size_t j = 0; j < n; ++j)
    for (size_t i = 0; i < n; ++i) {
      const double softness = i == j && !m->arm ? a->rows[i].softness : 0.0;
      A[j * n + i] += compliance_of_rows_apart(m, &a->rows[i], &a->rows[j]) + softness;
    }
  return A;
}

static void scale_matrix(const ts_articulation *a, double *A)
{
  const size_t n = (size_t)a->count;
  for (size_t j = 0; j < n; ++j)
    for (size_t i = 0; i < n; ++i) A[j * n + i] *= a->scale[i] * a->scale[j];
}

// What a row would give way by in the metric without masses if no joint held its bodies.
static double unconstrained_compliance(const ts_bilateral_row *row, const double *arm)
{
  double sum = 0.0;
  for (int side = 0; side < ts_side_count(row); ++side) {
    const int body = ts_side_body(row, side);
    if (body < 0) continue;
    const ts_twist j = *ts_side_jacobian(row, side);
    sum += ts_dot(j.linear, j.linear) + ts_dot(j.angular, j.angular) / (arm[body] * arm[body]);
  }
  return sum;
}

// Distance from a node's body to that of its parent: a lever arm of the linkage. What hangs on a base has none here.
static double reach_of(const ts_articulation *a, const ts_tree_node *nodes, int k)
{
  if (nodes[k].parent < 0) return 0.0;
  const ts_frame *frame = a->kinematics->frame;
  return ts_length(ts_sub(frame[nodes[k].body].origin, frame[nodes[nodes[k].parent].body].origin));
}

// Errors and lever arms by groups (at the body that names a group).
static ts_loop_errors *errors_of_groups(const ts_articulation *a, const row_nodes *nodes, ts_arena *arena)
{
  const size_t bodies = (size_t)a->model->body_count;
  const ts_tree_node *tree_nodes = ts_tree_node_at(a->tree, 0);
  ts_loop_errors *errors = ts_arena_bytes(arena, bodies, sizeof *errors);
  memset(errors, 0, bodies * sizeof *errors);
  for (int i = 0; i < nodes->count; ++i)
    for (int k = nodes->first[i]; nodes->group[i] >= 0 && k < nodes->first[i + 1]; ++k)
      if (a->rows[k].softness == 0.0) ts_note_errors(&a->rows[k], &errors[nodes->group[i]]);
  for (int k = 0; k < ts_tree_sizes(a->tree).nodes; ++k) {
    ts_loop_errors *own = &errors[nodes->body_group[tree_nodes[k].body]];
    own->arm = fmax(own->arm, reach_of(a, tree_nodes, k));
  }
  return errors;
}

static bool has_rigid_rows(const ts_articulation *a)
{
  for (int i = 0; i < a->count; ++i)
    if (a->rows[i].softness == 0.0) return true;
  return false;
}

// Groups (body_count) in which rows can depend on each other: beside gears there is another that is no drive, or there
// are several drives (redundancy.c).
static const bool *groups_with_loops(const ts_articulation *a, const row_nodes *nodes, ts_arena *arena)
{
  const size_t bodies = (size_t)a->model->body_count;
  bool *loops = ts_arena_bytes(arena, bodies, sizeof *loops), *driven = ts_arena_bytes(arena, bodies, sizeof *driven);
  memset(loops, 0, bodies * sizeof *loops);
  memset(driven, 0, bodies * sizeof *driven);
  for (int i = 0; i < nodes->count; ++i)
    for (int k = nodes->first[i]; nodes->group[i] >= 0 && k < nodes->first[i + 1]; ++k) {
      const ts_bilateral_row *row = &a->rows[k];
      if (row->is_gear || row->softness > 0.0) continue;
      if (!row->drives || driven[nodes->group[i]]) loops[nodes->group[i]] = true;
      driven[nodes->group[i]] = driven[nodes->group[i]] || row->drives;
    }
  return loops;
}

// Rows that depend on others. Soft ones, which never do, stand aside.
static void find_dependent_rows(ts_articulation *a, const row_nodes *nodes, bool *depends, ts_arena *arena)
{
  if (!has_rigid_rows(a)) return;
  const ts_loop_errors *errors = errors_of_groups(a, nodes, arena);
  const bool *loops = groups_with_loops(a, nodes, arena);
  double *arm = ts_arena_doubles(arena, (size_t)a->model->body_count);
  double *relative = ts_arena_doubles(arena, (size_t)nodes->count);
  for (int b = 0; b < a->model->body_count; ++b) {
    const double length = nodes->body_group[b] >= 0 ? errors[nodes->body_group[b]].arm : 0.0;
    arm[b] = length > 0.0 ? length : 1.0;
  }
  const metric geometry = {a, ts_tree_without_masses(a->tree, arm, arena), arm};
  if (!geometry.tree) return;
  double *A = matrix_in(&geometry, arena);
  for (int i = 0; i < nodes->count; ++i) {
    const int group = nodes->group[i];
    relative[i] = group >= 0 && loops[group] ? ts_dependence(&errors[group]) : TS_PIVOT_ROUND_OFF;
    for (int k = nodes->first[i]; k < nodes->first[i + 1]; ++k) {
      const double constrained = A[(size_t)k * (size_t)a->count + (size_t)k],
                   unconstrained = unconstrained_compliance(&a->rows[k], arm);
      a->scale[k] = unconstrained > 0.0 ? 1.0 / sqrt(unconstrained) : 0.0;
      depends[k] = a->rows[k].softness > 0.0 || !(constrained > relative[i] * unconstrained);
    }
  }
  scale_matrix(a, A);
  add_blocks(a, nodes, A, arena);
  ts_block_cholesky_factor(&a->cholesky, relative, depends, arena);
  ts_block_cholesky_clear(&a->cholesky);
  for (int k = 0; k < a->count; ++k) depends[k] = depends[k] && a->rows[k].softness == 0.0;
}

void ts_articulation_factor(const ts_model *model, const ts_kinematics *kinematics, ts_tree *tree, const bool *on_tree,
                            const ts_bilateral_row *rows, int count, ts_arena *arena, ts_articulation *a)
{
  *a = (ts_articulation){
      .model = model, .kinematics = kinematics, .tree = tree, .on_tree = on_tree, .count = count, .rows = rows};
  if (count == 0) return;
  const size_t n = (size_t)count;
  bool *depends = ts_arena_bytes(arena, n, sizeof *depends);
  memset(depends, 0, n * sizeof *depends);
  a->depends = depends;
  a->scale = ts_arena_doubles(arena, n);
  const row_nodes nodes = nodes_of_rows(a, arena);
  analyze(a, &nodes, arena);
  const ts_arena_mark mark = ts_arena_save(arena);
  find_dependent_rows(a, &nodes, depends, arena);
  double *A = matrix_in(&(metric){a, tree, NULL}, arena), *relative = ts_arena_doubles(arena, (size_t)nodes.count);
  for (size_t i = 0; i < n; ++i) a->scale[i] = A[i * n + i] > 0.0 ? 1.0 / sqrt(A[i * n + i]) : 0.0;
  for (int i = 0; i < nodes.count; ++i) relative[i] = TS_PIVOT_ROUND_OFF;
  scale_matrix(a, A);
  add_blocks(a, &nodes, A, arena);
  ts_block_cholesky_factor(&a->cholesky, relative, depends, arena);
  for (int i = 0; i < count; ++i) a->dropped += depends[i];
  ts_arena_restore(arena, mark);
}

// ---- motion --------------------------------------------------------------------------------------------------------

// velocity += M^-1 wrench.
static void respond(const ts_articulation *a, const ts_wrench *wrench, ts_twist *velocity)
{
  ts_tree_push(a->tree, wrench, velocity);
  for (int b = 0; b < a->model->body_count; ++b)
    if (!a->on_tree[b] && a->model->bodies[b].kind == TS_DYNAMIC)
      velocity[b] = ts_twist_add_scaled(velocity[b], 1.0, ts_respond(a->model, a->kinematics, b, wrench[b]));
}

// x = A^-1 x.
static void solve_rows(const ts_articulation *a, double *x, ts_arena *arena)
{
  for (int i = 0; i < a->count; ++i) x[i] *= a->scale[i];
  ts_block_cholesky_solve(&a->cholesky, x, arena);
  for (int i = 0; i < a->count; ++i) x[i] *= a->scale[i];
}

// One solution of A x = -(what is left of the rows), added to impulse and velocity.
static void relax(const ts_articulation *a, bool biased, ts_twist *velocity, double *impulse, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  const size_t bodies = (size_t)a->model->body_count;
  double *x = ts_arena_doubles(arena, (size_t)a->count);
  ts_wrench *wrench = ts_arena_bytes(arena, bodies, sizeof *wrench);
  memset(wrench, 0, bodies * sizeof *wrench);
  for (int i = 0; i < a->count; ++i) {
    const ts_bilateral_row *row = &a->rows[i];
    x[i] = -(ts_bilateral_rate(row, velocity) + row->softness * impulse[i] + (biased ? row->bias : 0.0));
  }
  solve_rows(a, x, arena);
  for (int i = 0; i < a->count; ++i) {
    impulse[i] += x[i];
    for (int side = 0; side < ts_side_count(&a->rows[i]); ++side) {
      const int body = ts_side_body(&a->rows[i], side);
      const ts_twist row = *ts_side_jacobian(&a->rows[i], side);
      if (body < 0) continue;
      wrench[body].force = ts_add_scaled(wrench[body].force, x[i], row.linear);
      wrench[body].moment = ts_add_scaled(wrench[body].moment, x[i], row.angular);
    }
  }
  respond(a, wrench, velocity);
  ts_arena_restore(arena, mark);
}

// The second pass is a step of iterative refinement: it sees what the velocity that the first one made still lacks.
static void eliminate(const ts_articulation *a, bool biased, ts_twist *velocity, double *impulse, ts_arena *arena)
{
  if (a->count == 0) return;
  memset(impulse, 0, (size_t)a->count * sizeof *impulse);
  for (int pass = 0; pass < 2; ++pass) relax(a, biased, velocity, impulse, arena);
}

void ts_articulation_project(const ts_articulation *a, ts_twist *velocity, double *impulse, ts_arena *arena)
{
  eliminate(a, true, velocity, impulse, arena);
}

void ts_articulation_push(const ts_articulation *a, const ts_wrench *wrench, ts_twist *velocity, double *impulse,
                          ts_arena *arena)
{
  if (a->count == 0) {
    respond(a, wrench, velocity);
    return;
  }
  const ts_arena_mark mark = ts_arena_save(arena);
  const size_t bodies = (size_t)a->model->body_count;
  ts_twist *change = ts_arena_bytes(arena, bodies, sizeof *change);
  double *reaction = ts_arena_doubles(arena, (size_t)a->count);
  memset(change, 0, bodies * sizeof *change);
  respond(a, wrench, change);
  eliminate(a, false, change, reaction, arena);
  for (size_t b = 0; b < bodies; ++b) velocity[b] = ts_twist_add_scaled(velocity[b], 1.0, change[b]);
  for (int i = 0; i < a->count; ++i) impulse[i] += reaction[i];
  ts_arena_restore(arena, mark);
}

// ---- compliance that others feel -----------------------------------------------------------------------------------

// W -= K^T A^-1 K, K = G^T M^-1 J^T in the last `columns` columns of `all`, the compliance of the rows left and the
// others together.
static void subtract_reactions(const ts_articulation *a, const double *all, int columns, double *W, ts_arena *arena)
{
  const size_t n = (size_t)a->count, total = n + (size_t)columns;
  double *x = ts_arena_doubles(arena, n);
  for (int j = 0; j < columns; ++j) {
    const double *K = all + (n + (size_t)j) * total;
    memcpy(x, K, n * sizeof *x);
    solve_rows(a, x, arena);
    for (int i = 0; i < columns; ++i) {
      const double *other = all + (n + (size_t)i) * total;
      double sum = 0.0;
      for (size_t k = 0; k < n; ++k) sum += other[k] * x[k];
      W[(size_t)j * (size_t)columns + (size_t)i] -= sum;
    }
  }
}

void ts_articulation_compliance(const ts_articulation *a, const ts_row *rows, int columns, double *W, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  force_list list = forces_of_rows(a, columns, arena);
  add_forces(a, rows, columns, a->count, &list);
  if (a->count == 0) {
    ts_tree_force_compliance(a->tree, list.forces, list.count, columns, W, arena);
    ts_arena_restore(arena, mark);
    return;
  }
  const size_t n = (size_t)a->count, total = n + (size_t)columns;
  const metric own = {a, a->tree, NULL};
  double *all = ts_arena_doubles(arena, total * total);
  ts_tree_force_compliance(a->tree, list.forces, list.count, (int)total, all, arena);
  for (int j = 0; j < columns; ++j) {
    double *column = all + (n + (size_t)j) * total;
    memcpy(W + (size_t)j * (size_t)columns, column + n, (size_t)columns * sizeof *W);
    for (size_t i = 0; i < n; ++i) column[i] += compliance_apart(&own, &a->rows[i], &rows[j]);
  }
  subtract_reactions(a, all, columns, W, arena);
  ts_arena_restore(arena, mark);
}
