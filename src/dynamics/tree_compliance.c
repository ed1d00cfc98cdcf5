// What rows make of each other: W = J M^-1 J^T (001 eqs. 43-51; corrections.md 10.5). A force f on a body, walked to
// the base by f <- phi f - G e, e = S^T f, moves every joint that it crosses; two forces move each other by the sum of
// e_i^T D^-1 e_j over the joints that both cross.
//
// Forces that came together walk together, in a bundle, and never more than six: beyond that the bundle ends, and the
// six unit wrenches on the body where it ended go on as a new bundle, in which a force is its six components. So a
// joint costs six columns at most, however many forces cross it, and two forces are paired once, in the bundle where
// they met last, with what all joints from there to the base make of its columns (`shared`, the Upsilon of 001 eq. 49
// in the six-column case): O(path) + O(rows^2). Up to six forces on one body, as of a contact with
// something that stays, walk without any of this: then the columns are the forces, and their sums over the path are W.
#include "dynamics/tree_inside.h"

#include "base/assert.h"

#include <string.h>

enum { MOST_COLUMNS = 6 };

typedef struct bundle bundle;
typedef struct source source;

// A row's force on one body.
struct source {
  int row;
  int column;    // of a bundle of forces: the one that it is
  ts_spatial at; // of a bundle of units: its components
  source *next;  // in its bundle
};

struct bundle {
  int count;
  bool of_units;                             // columns began as unit wrenches on one body, else as forces
  bool crossed;                              // a joint since
  ts_spatial column[MOST_COLUMNS];           // at the present body; where it ended: in components of `up`
  double shared[MOST_COLUMNS][MOST_COLUMNS]; // lower triangle while it walks
  ts_spatial compliance[MOST_COLUMNS];       // of units: all that is shared to the base, by columns
  bundle *up;                                // the bundle of units that it ended in, or NULL: at a base
  source *sources;
  bundle *members, *next_member; // that ended in this one
  bundle *ended_before;
};

typedef struct gathering {
  const ts_tree *tree;
  ts_arena *arena;
  bundle **at; // by node: the bundle that is there, or NULL
  bundle *last_ended;
  int last_node; // with a bundle
} gathering;

static bundle *new_bundle(gathering *g, bool of_units)
{
  bundle *b = ts_arena_bytes(g->arena, 1, sizeof *b);
  b->count = 0;
  b->of_units = of_units;
  b->crossed = false;
  memset(b->shared, 0, sizeof b->shared);
  b->sources = NULL;
  b->up = b->members = b->next_member = b->ended_before = NULL;
  return b;
}

static void end_bundle(gathering *g, bundle *b)
{
  b->ended_before = g->last_ended;
  g->last_ended = b;
}

static void end_in(gathering *g, bundle *b, bundle *up)
{
  end_bundle(g, b);
  b->up = up;
  b->next_member = up->members;
  up->members = b;
}

static bundle *new_units(gathering *g)
{
  bundle *b = new_bundle(g, true);
  b->count = MOST_COLUMNS;
  for (int i = 0; i < MOST_COLUMNS; ++i) b->column[i] = ts_spatial_zero();
  for (int i = 0; i < 3; ++i) b->column[i].linear[i] = b->column[3 + i].angular[i] = 1.0;
  return b;
}

static void append(bundle *b, source *s)
{
  s->column = b->count;
  b->column[b->count++] = s->at;
  s->next = b->sources;
  b->sources = s;
}

static void add_source(gathering *g, const ts_tree_force *force)
{
  const int node = g->tree->node_of_body[force->body];
  source *s = ts_arena_bytes(g->arena, 1, sizeof *s);
  *s = (source){.row = force->row, .at = ts_spatial_of_wrench(force->wrench)};
  bundle *b = g->at[node];
  if (!b) b = new_bundle(g, false);
  if (!b->of_units && b->count == MOST_COLUMNS) {
    bundle *units = new_units(g);
    end_in(g, b, units);
    b = units;
  }
  if (b->of_units) {
    s->next = b->sources;
    b->sources = s;
  } else {
    append(b, s);
  }
  g->at[node] = b;
  if (node > g->last_node) g->last_node = node;
}

// Columns and sources of `other` become further ones of b.
static void absorb(bundle *b, bundle *other)
{
  const int offset = b->count;
  for (int i = 0; i < other->count; ++i) {
    b->column[offset + i] = other->column[i];
    for (int j = 0; j <= i; ++j) b->shared[offset + i][offset + j] = other->shared[i][j];
  }
  b->count += other->count;
  while (other->sources) {
    source *s = other->sources;
    other->sources = s->next;
    s->column += offset;
    s->next = b->sources;
    b->sources = s;
  }
  other->count = 0;
}

// A bundle arrives on a body where there may be one.
static void arrive(gathering *g, int node, bundle *b)
{
  bundle *here = g->at[node];
  if (!here) {
    g->at[node] = b;
  } else if (here->of_units && !here->crossed) {
    end_in(g, b, here);
  } else if (!here->of_units && !b->of_units && here->count + b->count <= MOST_COLUMNS) {
    absorb(here, b);
  } else {
    bundle *units = g->at[node] = new_units(g);
    end_in(g, here, units);
    end_in(g, b, units);
  }
}

// `count` columns cross a joint of one freedom: shared += e e^T / D.
TS_INLINE void cross_axis(const ts_tree *tree, const ts_sweep_node *sweep, const int count, ts_spatial *column,
                          double shared[][MOST_COLUMNS])
{
  const ts_spatial S = tree->axes[sweep->v], G = tree->gain[sweep->v];
  const double d = tree->inverse[sweep->block];
  double e[MOST_COLUMNS];
  for (int i = 0; i < count; ++i) {
    e[i] = ts_spatial_dot(column[i], S);
    column[i] = ts_spatial_add_scaled(ts_carry_wrench(column[i], sweep->l), -e[i], G);
  }
  for (int i = 0; i < count; ++i) {
    const double de = d * e[i];
    for (int j = 0; j <= i; ++j) shared[i][j] += de * e[j];
  }
}

// Several freedoms: shared += E^T D^-1 E.
static void cross_block(const ts_tree *tree, const ts_sweep_node *sweep, int count, ts_spatial *column,
                        double shared[][MOST_COLUMNS])
{
  const int n = sweep->v_count;
  const double *inverse = tree->inverse + sweep->block;
  double e[MOST_COLUMNS][TS_MOST_FREEDOMS];
  for (int i = 0; i < count; ++i) {
    ts_spatial f = ts_carry_wrench(column[i], sweep->l);
    for (int k = 0; k < n; ++k) e[i][k] = ts_spatial_dot(column[i], tree->axes[sweep->v + k]);
    for (int k = 0; k < n; ++k) {
      double de = 0.0;
      for (int m = 0; m < n; ++m) de += inverse[k * n + m] * e[i][m];
      for (int j = 0; j <= i; ++j) shared[i][j] += de * e[j][k];
      f = ts_spatial_add_scaled(f, -e[i][k], tree->gain[sweep->v + k]);
    }
    column[i] = f;
  }
}

TS_HOT static void walk_to_bases(gathering *g)
{
  for (int i = g->last_node; i >= 0; --i) {
    bundle *b = g->at[i];
    if (!b) continue;
    const ts_sweep_node *sweep = &g->tree->sweep[i];
    if (sweep->v_count == 1 && b->count == 3) // one contact, and as many as there may be: loops of known length
      cross_axis(g->tree, sweep, 3, b->column, b->shared);
    else if (sweep->v_count == 1 && b->count == MOST_COLUMNS)
      cross_axis(g->tree, sweep, MOST_COLUMNS, b->column, b->shared);
    else if (sweep->v_count == 1)
      cross_axis(g->tree, sweep, b->count, b->column, b->shared);
    else
      cross_block(g->tree, sweep, b->count, b->column, b->shared);
    b->crossed = true;
    if (sweep->parent >= 0)
      arrive(g, sweep->parent, b);
    else
      end_bundle(g, b);
  }
}

// Sum of six columns with the components of x
TS_INLINE ts_spatial combine(const ts_spatial *columns, const ts_spatial *x)
{
  ts_spatial sum = ts_spatial_zero();
  for (int i = 0; i < 3; ++i) sum = ts_spatial_add_scaled(sum, x->linear[i], columns[i]);
  for (int i = 0; i < 3; ++i) sum = ts_spatial_add_scaled(sum, x->angular[i], columns[3 + i]);
  return sum;
}

// From what a bundle's columns share on its own way to what they share on all the way to the base: the bundle that it
// ended in ended later, and is ready.
TS_INLINE void share_to_base(bundle *b)
{
  for (int i = 0; i < b->count; ++i) {
    if (b->up) {
      const ts_spatial y = combine(b->up->compliance, &b->column[i]);
      for (int j = 0; j <= i; ++j) b->shared[i][j] += ts_spatial_dot(y, b->column[j]);
    }
    for (int j = 0; j < i; ++j) b->shared[j][i] = b->shared[i][j];
  }
  if (!b->of_units) return;
  for (int i = 0; i < MOST_COLUMNS; ++i) {
    const double *c = b->shared[i];
    b->compliance[i] = (ts_spatial){{c[0], c[1], c[2], 0.0}, {c[3], c[4], c[5], 0.0}};
  }
}

TS_HOT static void share_all_to_base(bundle *last_ended)
{
  for (bundle *b = last_ended; b; b = b->ended_before) share_to_base(b);
}

typedef struct compliance {
  double *W;
  size_t count;
} compliance;

// Two forces of one row meet twice, as the two orders of a pair.
TS_INLINE void add_pair(compliance *c, const source *a, const source *b, double value)
{
  const size_t i = (size_t)a->row, j = (size_t)b->row;
  c->W[i * c->count + j] += value;
  if (a != b) c->W[j * c->count + i] += value;
}

TS_INLINE void pair_columns(compliance *c, const bundle *b)
{
  for (const source *s = b->sources; s; s = s->next)
    for (const source *t = s; t; t = t->next) add_pair(c, s, t, b->shared[s->column][t->column]);
}

// Components of a source in the bundle that its own ended in.
TS_INLINE ts_spatial raised(const bundle *b, const source *s)
{
  return b->of_units ? combine(b->column, &s->at) : b->column[s->column];
}

// Pair a source with a list of others.
TS_INLINE void pair_with(compliance *c, bundle *b, const source *s, const source *others)
{
  const ts_spatial y = combine(b->compliance, &s->at);
  for (const source *t = others; t; t = t->next) add_pair(c, s, t, ts_spatial_dot(y, t->at));
}

// Sources of a bundle of units: its own, and those of bundles that ended in it, which are paired among themselves.
TS_INLINE void pair_members(compliance *c, bundle *b)
{
  source *own = b->sources, *all = NULL;
  for (bundle *m = b->members; m; m = m->next_member) {
    source *last = NULL;
    for (source *s = m->sources; s; s = s->next) {
      s->at = raised(m, s);
      if (all) pair_with(c, b, s, all);
      last = s;
    }
    if (last) {
      last->next = all;
      all = m->sources;
    }
  }
  while (own) {
    source *s = own;
    own = s->next;
    s->next = all;
    all = s;
    pair_with(c, b, s, all);
  }
  b->sources = all;
}

// In the order in which they ended: members before the bundle that they ended in.
TS_HOT static void pair_sources(compliance *c, bundle *last_ended, ts_arena *arena)
{
  size_t count = 0;
  for (bundle *b = last_ended; b; b = b->ended_before) ++count;
  bundle **list = ts_arena_bytes(arena, count, sizeof *list);
  size_t next = count;
  for (bundle *b = last_ended; b; b = b->ended_before) list[--next] = b;
  for (size_t i = 0; i < count; ++i)
    if (list[i]->of_units)
      pair_members(c, list[i]);
    else
      pair_columns(c, list[i]);
}

static void walk_in_bundles(const ts_tree *tree, const ts_tree_force *forces, int count, compliance *c, ts_arena *arena)
{
  const size_t nodes = (size_t)tree->sizes.nodes;
  gathering g = {.tree = tree, .arena = arena, .last_node = -1};
  g.at = ts_arena_bytes(arena, nodes, sizeof *g.at);
  for (size_t i = 0; i < nodes; ++i) g.at[i] = NULL;
  for (int i = 0; i < count; ++i) add_source(&g, &forces[i]);
  walk_to_bases(&g);
  share_all_to_base(g.last_ended);
  pair_sources(c, g.last_ended, arena);
}

// ---- few forces ----------------------------------------------------------------------------------------------------

static bool walk_as_one(const ts_tree_force *forces, int count)
{
  if (count > MOST_COLUMNS) return false;
  for (int i = 1; i < count; ++i)
    if (forces[i].body != forces[0].body) return false;
  return true;
}

TS_INLINE void walk_columns(const ts_tree *tree, const ts_tree_force *forces, const int count, compliance *c)
{
  ts_spatial column[MOST_COLUMNS];
  double shared[MOST_COLUMNS][MOST_COLUMNS] = {{0.0}};
  for (int i = 0; i < count; ++i) column[i] = ts_spatial_of_wrench(forces[i].wrench);
  for (int node = tree->node_of_body[forces[0].body]; node >= 0; node = tree->sweep[node].parent) {
    const ts_sweep_node *sweep = &tree->sweep[node];
    if (sweep->v_count == 1)
      cross_axis(tree, sweep, count, column, shared);
    else
      cross_block(tree, sweep, count, column, shared);
  }
  for (int i = 0; i < count; ++i)
    for (int j = 0; j <= i; ++j) {
      const size_t p = (size_t)forces[i].row, q = (size_t)forces[j].row;
      c->W[p * c->count + q] += shared[i][j];
      if (i != j) c->W[q * c->count + p] += shared[i][j];
    }
}

TS_HOT static void walk_directly(const ts_tree *tree, const ts_tree_force *forces, int count, compliance *c)
{
  if (count == 3) // one contact: loops of known length
    walk_columns(tree, forces, 3, c);
  else
    walk_columns(tree, forces, count, c);
}

// ---- rows ----------------------------------------------------------------------------------------------------------

void ts_tree_force_compliance(const ts_tree *tree, const ts_tree_force *forces, int count, int rows, double *W,
                              ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  compliance c = {W, (size_t)rows};
  memset(W, 0, c.count * c.count * sizeof *W);
  if (count > 0 && walk_as_one(forces, count))
    walk_directly(tree, forces, count, &c);
  else
    walk_in_bundles(tree, forces, count, &c, arena);
  ts_arena_restore(arena, mark);
}

// A row on the rate of a joint is the unit wrench along its axis at the joint's origin, on the child and, against it,
// on the parent: the axes of a joint are orthonormal there, so that it does no work on the other rates. On a rate that
// is an angular velocity a moment alone works.
static int rate_forces(const ts_tree *tree, int row, int rate, ts_tree_force *forces)
{
  const int node = tree->node_of_rate[rate], parent = tree->sweep[node].parent;
  const ts_twist S = ts_twist_of_spatial(tree->axes[rate]);
  const ts_vec3 arm = ts_narrow(ts_tree_link(tree, node)->arm), l = ts_narrow(tree->sweep[node].l);
  const ts_vec3 none = {0.0, 0.0, 0.0}, slide = ts_sub(S.linear, ts_cross(S.angular, arm));
  const ts_vec3 force = tree->hinges[node].rate_is_spin ? none : slide,
                moment = ts_sub(S.angular, ts_cross(arm, force));
  forces[0] = (ts_tree_force){row, tree->sweep[node].body, {force, moment}};
  if (parent < 0) return 1;
  const ts_vec3 back = ts_add(moment, ts_cross(l, force));
  forces[1] = (ts_tree_force){row, tree->sweep[parent].body, {ts_negate(force), ts_negate(back)}};
  return 2;
}

static int row_forces(const ts_tree *tree, int row, const ts_row *r, ts_tree_force *forces)
{
  int count = 0;
  for (int side = 0; side < 2; ++side)
    if (r->body[side] >= 0) {
      TS_ASSERT(tree->node_of_body[r->body[side]] >= 0);
      forces[count++] = (ts_tree_force){row, r->body[side], {r->jacobian[side].linear, r->jacobian[side].angular}};
    }
  return count;
}

void ts_tree_compliance(const ts_tree *tree, const ts_tree_row *rows, int count, double *W, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  ts_tree_force *forces = ts_arena_bytes(arena, 2 * (size_t)count, sizeof *forces);
  int pushing = 0;
  for (int i = 0; i < count; ++i)
    pushing += rows[i].rate >= 0 ? rate_forces(tree, i, rows[i].rate, forces + pushing)
                                 : row_forces(tree, i, &rows[i].row, forces + pushing);
  ts_tree_force_compliance(tree, forces, pushing, count, W, arena);
  ts_arena_restore(arena, mark);
}

void ts_tree_row_rates(const ts_tree_row *rows, int count, const double *v, const ts_twist *twists, double *rates)
{
  for (int i = 0; i < count; ++i) rates[i] = rows[i].rate >= 0 ? v[rows[i].rate] : ts_row_rate(&rows[i].row, twists);
}

void ts_tree_push_rows(const ts_tree_row *rows, int count, const double *p, ts_wrench *wrench, double *force)
{
  for (int i = 0; i < count; ++i) {
    if (rows[i].rate >= 0) {
      force[rows[i].rate] += p[i];
      continue;
    }
    const ts_row *row = &rows[i].row;
    for (int side = 0; side < 2; ++side)
      if (row->body[side] >= 0) {
        ts_wrench *f = &wrench[row->body[side]];
        f->force = ts_add_scaled(f->force, p[i], row->jacobian[side].linear);
        f->moment = ts_add_scaled(f->moment, p[i], row->jacobian[side].angular);
      }
  }
}
