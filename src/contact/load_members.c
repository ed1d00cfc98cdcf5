#include "contact/load_members.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double DEPENDENT = 1e-10; // pivots of W that elimination leaves less than this share of

double ts_load_semi_axis(const ts_system *system, int i, int k)
{
  const double *e = system->problem.ellipsoid;
  return e ? e[(size_t)i * (size_t)(system->dimension - 1) + (size_t)(k - 1)] : 1.0;
}

static bool has_given_load(const ts_block *block)
{
  return ts_block_is_held(block) || block->kind == TS_BLOCK_REBOUND;
}

static double diagonal_of(const ts_system *system, int i, int k)
{
  return ts_system_diagonal(system, i, k);
}

// True if joints hold row k of block i: W of the row is round-off.
static bool is_immobile(const ts_system *system, int i, int k)
{
  static const double HELD = 1e-12; // of the compliance without joints
  return diagonal_of(system, i, k) <= HELD * ts_unconstrained_compliance(system, i, k);
}

// ---- who takes part ------------------------------------------------------------------------------------------------

static double slip_of(const ts_system *system, int i, const double *u)
{
  double square = 0.0;
  for (int k = 1; k < system->dimension; ++k) {
    const double slip = system->blocks[i].active >> k & 1u ? u[k] * ts_load_semi_axis(system, i, k) : 0.0;
    square += slip * slip;
  }
  return sqrt(square);
}

// How block i takes part; TS_LOAD_OPEN: not at all. A contact is closed where its velocity is small against what its
// load does.
static ts_load_role role_of(const ts_load_group *group, int i, const double *r, const double *u)
{
  const ts_system *system = group->system;
  const ts_block *block = &system->blocks[i];
  const size_t first = (size_t)i * (size_t)system->dimension;
  const double *p = r + first, *own = u + first;
  if (!has_given_load(block) && own[0] > fmax(group->still, diagonal_of(system, i, 0) * p[0])) return TS_LOAD_OPEN;
  if (has_given_load(block) && !(p[0] > 0.0)) return TS_LOAD_OPEN;
  return block->friction > 0.0 && slip_of(system, i, own) > group->still ? TS_LOAD_SLIDES : TS_LOAD_STICKS;
}

// Contacts that are closed and slide count without load as well: they could take some.
static bool any_slides(const ts_load_group *group, const double *r, const double *u)
{
  for (int k = 0; k < group->count; ++k) {
    const int i = group->blocks[k];
    if (!has_given_load(&group->system->blocks[i]) && role_of(group, i, r, u) == TS_LOAD_SLIDES) return true;
  }
  return false;
}

static int add_unknown(ts_loads *loads, int i, int k)
{
  const int place = loads->size++;
  loads->row[place] = i * loads->group.system->dimension + k;
  loads->unit[place] = k == 3 ? ts_load_semi_axis(loads->group.system, i, k) : 1.0;
  return place;
}

static void add_member(ts_loads *loads, int i, ts_load_role own, const double *r)
{
  const ts_system *system = loads->group.system;
  const ts_block *block = &system->blocks[i];
  ts_load_member *m = &loads->members[loads->count++];
  *m = (ts_load_member){.block = i, .role = own, .normal = -1, .first = loads->size, .load = r[i * system->dimension]};
  if (!has_given_load(block)) m->normal = add_unknown(loads, i, 0);
  for (int k = 1; block->friction > 0.0 && k < system->dimension; ++k) {
    if (!(block->active >> k & 1u) || is_immobile(system, i, k)) continue;
    const int place = add_unknown(loads, i, k);
    m->axis[m->tangents] = ts_load_semi_axis(system, i, k) / loads->unit[place];
    m->tangent[m->tangents++] = place;
  }
  m->end = loads->size;
}

static void add_members(ts_loads *loads, const double *r, const double *u)
{
  const ts_load_group *group = &loads->group;
  const size_t blocks = (size_t)group->count, rows = blocks * (size_t)group->system->dimension;
  loads->members = ts_arena_bytes(loads->arena, blocks, sizeof *loads->members);
  loads->row = ts_arena_ints(loads->arena, rows);
  loads->unit = ts_arena_doubles(loads->arena, rows);
  for (int k = 0; k < group->count; ++k) {
    const ts_load_role own = role_of(group, group->blocks[k], r, u);
    if (own != TS_LOAD_OPEN) add_member(loads, group->blocks[k], own, r);
  }
}

// The member of each block of the group, or -1.
static const int *members_of_blocks(const ts_loads *loads)
{
  const ts_load_group *group = &loads->group;
  int *member_of = ts_arena_ints(loads->arena, (size_t)group->system->count);
  for (int k = 0; k < group->count; ++k) member_of[group->blocks[k]] = -1;
  for (int k = 0; k < loads->count; ++k) member_of[loads->members[k].block] = k;
  return member_of;
}

// W of the unknowns, block by block. W couples none of the group with other blocks.
static void gather_W(ts_loads *loads)
{
  const ts_block_matrix *W = &loads->group.system->problem.W;
  const size_t n = (size_t)loads->size, d = (size_t)W->block;
  const int *member_of = members_of_blocks(loads);
  size_t *inside = ts_arena_bytes(loads->arena, n, sizeof *inside); // the row of an unknown in its block
  for (size_t k = 0; k < n; ++k) inside[k] = (size_t)loads->row[k] % d;
  loads->W = ts_arena_zeros(loads->arena, n * n);
  for (int k = 0; k < loads->count; ++k) {
    const ts_load_member *m = &loads->members[k];
    for (int e = W->start[m->block]; e < W->start[m->block + 1]; ++e) {
      const int at = member_of[W->index[e]];
      if (at < 0) continue;
      const ts_load_member *other = &loads->members[at];
      for (int b = other->first; b < other->end; ++b) {
        const double *column = W->value + ((size_t)e * d + inside[b]) * d;
        for (int a = m->first; a < m->end; ++a)
          loads->W[(size_t)b * n + (size_t)a] = loads->unit[a] * loads->unit[b] * column[inside[a]];
      }
    }
  }
}

void ts_loads_velocity(const ts_loads *loads, const double *x, double *u)
{
  const size_t n = (size_t)loads->size;
  memcpy(u, loads->c, n * sizeof *u);
  for (size_t j = 0; j < n; ++j)
    for (size_t i = 0; i < n; ++i) u[i] += loads->W[j * n + i] * x[j];
}

static void gather_state(ts_loads *loads, const double *r, const double *u)
{
  const size_t n = (size_t)loads->size;
  loads->c = ts_arena_zeros(loads->arena, 3 * n);
  loads->x = loads->c + n;
  loads->u = loads->x + n;
  for (size_t k = 0; k < n; ++k) loads->x[k] = r[loads->row[k]] / loads->unit[k];
  ts_loads_velocity(loads, loads->x, loads->u);
  for (size_t k = 0; k < n; ++k) loads->c[k] = u[loads->row[k]] * loads->unit[k] - loads->u[k];
  ts_loads_velocity(loads, loads->x, loads->u);
}

// ---- the null space ------------------------------------------------------------------------------------------------

// Normals first.
static void list_held_rows(ts_loads *loads)
{
  loads->held = 0;
  for (int k = 0; k < loads->count; ++k) {
    const ts_load_member *m = &loads->members[k];
    if (m->role != TS_LOAD_OPEN && m->normal >= 0) loads->held_row[loads->held++] = m->normal;
  }
  loads->held_normals = loads->held;
  for (int k = 0; k < loads->count; ++k) {
    const ts_load_member *m = &loads->members[k];
    for (int t = 0; m->role == TS_LOAD_STICKS && t < m->tangents; ++t) loads->held_row[loads->held++] = m->tangent[t];
  }
}

// Remove from v, of length 1, its parts along the first `count` vectors, twice, and give it that length again. False:
// next to nothing is left.
static bool orthonormalize(const double *basis, int count, size_t n, double *v)
{
  double square = 0.0, length = 0.0;
  for (size_t k = 0; k < n; ++k) length += v[k] * v[k];
  for (int twice = 0; twice < 2; ++twice)
    for (int b = 0; b < count; ++b) {
      double dot = 0.0;
      for (size_t k = 0; k < n; ++k) dot += v[k] * basis[(size_t)b * n + k];
      for (size_t k = 0; k < n; ++k) v[k] -= dot * basis[(size_t)b * n + k];
    }
  for (size_t k = 0; k < n; ++k) square += v[k] * v[k];
  if (!(square > 1e-12 * length)) return false;
  for (size_t k = 0; k < n; ++k) v[k] /= sqrt(square);
  return true;
}

// W of the rows listed, its diagonal scaled to 1; scale receives the factors.
static double *scaled_W(const ts_loads *loads, const int *rows, int count, double *scale)
{
  const size_t n = (size_t)count, all = (size_t)loads->size;
  double *A = ts_arena_doubles(loads->arena, n * n);
  for (size_t i = 0; i < n; ++i) {
    const double own = loads->W[(size_t)rows[i] * all + (size_t)rows[i]];
    scale[i] = own > 0.0 ? 1.0 / sqrt(own) : 0.0;
  }
  for (size_t j = 0; j < n; ++j)
    for (size_t i = 0; i < n; ++i)
      A[j * n + i] = scale[i] * scale[j] * loads->W[(size_t)rows[j] * all + (size_t)rows[i]];
  return A;
}

// An orthonormal basis of the null space of W in `rows`, into `null` (at most count x count). With W = L L^T and
// L = (L_1; L_2): for every dependent row j the vector (-L_1^-T l_j, 1), l_j its row of L_2.
int ts_loads_null_space(const ts_loads *loads, const int *rows, int count, double *null)
{
  const size_t n = (size_t)count;
  const ts_arena_mark mark = ts_arena_save(loads->arena);
  double *scale = ts_arena_doubles(loads->arena, 2 * n), *v = scale + n;
  int *order = ts_arena_ints(loads->arena, n), nulls = 0;
  double *L = scaled_W(loads, rows, count, scale);
  const int rank = ts_cholesky_pivoted(count, L, order, DEPENDENT, loads->arena);
  for (int j = rank; j < count; ++j) {
    memset(v, 0, n * sizeof *v);
    v[j] = 1.0;
    for (int i = rank - 1; i >= 0; --i) {
      double sum = L[(size_t)i * n + (size_t)j];
      for (int k = i + 1; k < rank; ++k) sum += L[(size_t)i * n + (size_t)k] * v[k];
      v[i] = -sum / L[(size_t)i * n + (size_t)i];
    }
    double *own = null + (size_t)nulls * n;
    for (size_t k = 0; k < n; ++k) own[order[k]] = v[k] * scale[order[k]];
    nulls += orthonormalize(null, nulls, n, own);
  }
  ts_arena_restore(loads->arena, mark);
  return nulls;
}

// The vectors of the null space with no part in tangents, then the others; and what selects along each: its part in
// tangents, and where there is none all of it.
void ts_loads_prepare(ts_loads *loads)
{
  list_held_rows(loads);
  loads->has_held_K = false;
  const size_t n = (size_t)loads->size, held = (size_t)loads->held, normals = (size_t)loads->held_normals;
  const ts_arena_mark mark = ts_arena_save(loads->arena);
  double *own = ts_arena_doubles(loads->arena, held * held), trace = 0.0;
  const int pure = ts_loads_null_space(loads, loads->held_row, loads->held_normals, own);
  memset(loads->null, 0, held * held * sizeof *loads->null);
  for (int b = 0; b < pure; ++b)
    memcpy(loads->null + (size_t)b * held, own + (size_t)b * normals, normals * sizeof *own);
  loads->nulls = loads->normal_nulls = pure;
  const int all = held > normals ? ts_loads_null_space(loads, loads->held_row, loads->held, own) : pure;
  for (int b = 0; b < all && loads->nulls < all; ++b) {
    double *to = loads->null + (size_t)loads->nulls * held;
    memcpy(to, own + (size_t)b * held, held * sizeof *to);
    loads->nulls += orthonormalize(loads->null, loads->nulls, held, to);
  }
  memcpy(loads->selects, loads->null, (size_t)loads->nulls * held * sizeof *loads->selects);
  for (int b = pure; b < loads->nulls; ++b) memset(loads->selects + (size_t)b * held, 0, normals * sizeof *own);
  for (size_t k = 0; k < held; ++k) trace += loads->W[(size_t)loads->held_row[k] * (n + 1)];
  loads->spring = held > 0 ? trace / (double)held : 0.0;
  ts_arena_restore(loads->arena, mark);
}

// The members and W, and what loads they may share out.
static ts_loads *gather(const ts_load_group *group, const double *r, const double *u, ts_arena *arena)
{
  ts_loads *loads = ts_arena_bytes(arena, 1, sizeof *loads);
  *loads = (ts_loads){.group = *group, .arena = arena};
  add_members(loads, r, u);
  const size_t n = (size_t)loads->size;
  gather_W(loads);
  loads->held_row = ts_arena_ints(arena, n);
  loads->null = ts_arena_doubles(arena, 2 * n * n);
  loads->selects = loads->null + n * n;
  ts_loads_prepare(loads);
  return loads;
}

// Add the state, the matrices and the pivots that Newton's method works on.
static ts_loads *gather_rest(ts_loads *loads, const double *r, const double *u)
{
  const size_t n = (size_t)loads->size;
  gather_state(loads, r, u);
  loads->K = ts_arena_doubles(loads->arena, 2 * n * n);
  loads->held_K = loads->K + n * n;
  loads->pivots = ts_arena_ints(loads->arena, n);
  return loads;
}

ts_loads *ts_loads_find(const ts_load_group *group, const double *r, const double *u, ts_arena *arena)
{
  if (!any_slides(group, r, u)) return NULL;
  ts_loads *loads = gather(group, r, u, arena);
  if (loads->nulls > 0) return gather_rest(loads, r, u);
  gather_state(loads, r, u);
  return loads;
}

bool ts_loads_are_redundant(const ts_loads *loads)
{
  return loads->nulls > 0;
}

// True if the normals of the closed contacts of the group depend on each other.
static bool do_normals_depend(const ts_load_group *group, const double *r, const double *u, ts_arena *arena)
{
  const ts_block_matrix *W = &group->system->problem.W;
  const size_t square = (size_t)W->block * (size_t)W->block;
  const ts_arena_mark mark = ts_arena_save(arena);
  int *place = ts_arena_ints(arena, (size_t)group->system->count), *rows = ts_arena_ints(arena, (size_t)group->count);
  int n = 0;
  for (int k = 0; k < group->count; ++k) {
    const int i = group->blocks[k];
    const bool closed = !has_given_load(&group->system->blocks[i]) && role_of(group, i, r, u) != TS_LOAD_OPEN;
    if (closed) rows[n] = n;
    place[i] = closed ? n++ : -1;
  }
  ts_loads normals = {.arena = arena, .size = n, .W = ts_arena_zeros(arena, (size_t)n * (size_t)n)};
  for (int k = 0; k < group->count; ++k) {
    const int i = group->blocks[k];
    for (int e = W->start[i]; place[i] >= 0 && e < W->start[i + 1]; ++e)
      if (place[W->index[e]] >= 0) normals.W[place[W->index[e]] * n + place[i]] = W->value[(size_t)e * square];
  }
  const bool depend = ts_loads_null_space(&normals, rows, n, ts_arena_doubles(arena, (size_t)n * (size_t)n)) > 0;
  ts_arena_restore(arena, mark);
  return depend;
}

ts_loads *ts_loads_find_stuck(const ts_load_group *group, const double *r, const double *u, ts_arena *arena)
{
  if (any_slides(group, r, u) || !do_normals_depend(group, r, u, arena)) return NULL;
  ts_loads *loads = gather(group, r, u, arena);
  return loads->normal_nulls > 0 ? gather_rest(loads, r, u) : NULL;
}
