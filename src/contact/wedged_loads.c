// Loads w that need no push, W w = 0, are looked for among sums of rays of the cones, by a linear program. To any
// solution in which the contacts that they press stick they may be added; enough of them makes any friction enough. So
// there is such a solution as soon as these contacts can stick together: for all loads v of theirs with W v = 0 the
// velocities u satisfy v^T u = 0, which impulses do not change.
#include "contact/wedged_loads.h"

#include "contact/load_members.h"

#include "math/dense.h"
#include "math/feasibility.h"

#include <math.h>
#include <string.h>

static const double NEARLY = 1.25;     // times the friction that there is
static const double DEPENDENT = 1e-10; // pivots of W that elimination leaves less than this share of
static const double LEAST_SLIP = 1e-3; // of the largest velocity: loads that close contacts so slowly count as free

// ---- what opens ----------------------------------------------------------------------------------------------------

// True if the normal impulses y (one a normal) open all contacts faster than friction lets them slip, u_n > mu |D u_t|.
static bool open_all(const ts_loads *loads, const double *y, double *u)
{
  const size_t n = (size_t)loads->size;
  memset(u, 0, n * sizeof *u);
  for (int k = 0, j = 0; k < loads->count; ++k) {
    if (loads->members[k].normal < 0) continue;
    const double *column = loads->W + (size_t)loads->members[k].normal * n, own = y[j++];
    for (size_t i = 0; i < n; ++i) u[i] += column[i] * own;
  }
  for (int k = 0; k < loads->count; ++k) {
    const ts_load_member *m = &loads->members[k];
    const double mu = NEARLY * loads->group.system->blocks[m->block].friction;
    double slip = 0.0;
    if (m->normal < 0) continue;
    for (int t = 0; t < m->tangents; ++t) slip += m->axis[t] * m->axis[t] * u[m->tangent[t]] * u[m->tangent[t]];
    if (!(u[m->normal] > 0.0 && u[m->normal] * u[m->normal] > mu * mu * slip)) return false;
  }
  return true;
}

// If some normal impulses y open all contacts, r^T W y > 0 for all r in the cones, and every set of loads needs a push.
// Equal impulses do so for bodies on a floor, those with W_nn y = 1 in stacks.
static bool all_can_open(const ts_loads *loads)
{
  const size_t n = (size_t)loads->size;
  int normals = 0, *row = ts_arena_ints(loads->arena, n);
  double *u = ts_arena_doubles(loads->arena, n), *y = ts_arena_doubles(loads->arena, n);
  for (int k = 0; k < loads->count; ++k)
    if (loads->members[k].normal >= 0) row[normals++] = loads->members[k].normal;
  for (int j = 0; j < normals; ++j) y[j] = 1.0;
  if (open_all(loads, y, u)) return true;
  double *A = ts_arena_doubles(loads->arena, (size_t)normals * (size_t)normals);
  for (int j = 0; j < normals; ++j)
    for (int i = 0; i < normals; ++i) A[j * normals + i] = loads->W[(size_t)row[j] * n + (size_t)row[i]];
  ts_minimum_norm(normals, normals, A, y, 1e-10, loads->arena);
  return open_all(loads, y, u);
}

// ---- loads that need no push ---------------------------------------------------------------------------------------

// Rays of the cones: of the contact `member` each, with a normal load of 1 and friction along an angle.
enum { RAYS = 16, MOST_PIVOTS = 2000 };

static int rays_of(const ts_load_member *m)
{
  return m->normal < 0 ? 0 : m->tangents == 0 ? 1 : m->tangents == 1 ? 2 : RAYS;
}

typedef struct ray_system {
  size_t rows, columns;
  int kept, *row; // the first `kept` rows: velocities of these rows, of which the others follow
  double *scale;  // 1 / root of the diagonal of W (loads->size)
  double *A, *b;
  double *along; // u^T r of every ray (columns)
  bool *equal;
} ray_system;

// Rows of W that do not follow from each other.
static void choose_rows(const ts_loads *loads, ray_system *s)
{
  const size_t n = (size_t)loads->size;
  double *L = ts_arena_doubles(loads->arena, n * n);
  s->scale = ts_arena_doubles(loads->arena, n);
  s->row = ts_arena_ints(loads->arena, n);
  for (size_t i = 0; i < n; ++i) s->scale[i] = loads->W[i * (n + 1)] > 0.0 ? 1.0 / sqrt(loads->W[i * (n + 1)]) : 0.0;
  for (size_t j = 0; j < n; ++j)
    for (size_t i = 0; i < n; ++i) L[j * n + i] = s->scale[i] * s->scale[j] * loads->W[j * n + i];
  s->kept = ts_cholesky_pivoted(loads->size, L, s->row, DEPENDENT, loads->arena);
}

// Add `share` times row k of W to the column; returns u of the row times that.
static double put_row(const ts_loads *loads, const ray_system *s, int k, double share, double *column)
{
  const double *from = loads->W + (size_t)k * (size_t)loads->size;
  for (int i = 0; i < s->kept; ++i) column[i] += s->scale[s->row[i]] * share * from[s->row[i]];
  return share * loads->u[k];
}

// W times ray k of the member, with friction times `share`; returns u of the point times the ray.
static double put_ray(const ts_loads *loads, const ray_system *s, const ts_load_member *m, int k, double share,
                      double *column)
{
  const double mu = share * loads->group.system->blocks[m->block].friction;
  const double angle = m->tangents == 1 ? TS_PI * k : 2.0 * TS_PI * k / RAYS, part[2] = {cos(angle), sin(angle)};
  double along = put_row(loads, s, m->normal, 1.0, column);
  for (int t = 0; t < m->tangents && t < 2; ++t)
    along += put_row(loads, s, m->tangent[t], mu * m->axis[t] * part[t], column);
  return along;
}

// The rows of velocities, and room for `more`; friction times `share`.
static ray_system put_rays(const ts_loads *loads, size_t more, double share)
{
  ray_system s = {.columns = 0};
  choose_rows(loads, &s);
  s.rows = (size_t)s.kept + more;
  for (int k = 0; k < loads->count; ++k) s.columns += (size_t)rays_of(&loads->members[k]);
  s.A = ts_arena_zeros(loads->arena, s.rows * s.columns);
  s.b = ts_arena_zeros(loads->arena, s.rows);
  s.along = ts_arena_doubles(loads->arena, s.columns);
  s.equal = memset(ts_arena_bytes(loads->arena, s.rows, sizeof *s.equal), 0, s.rows * sizeof *s.equal);
  for (int i = 0; i < s.kept; ++i) s.equal[i] = true;
  size_t column = 0;
  for (int k = 0; k < loads->count; ++k)
    for (int ray = 0; ray < rays_of(&loads->members[k]); ++ray, ++column)
      s.along[column] = put_ray(loads, &s, &loads->members[k], ray, share, s.A + column * s.rows);
  return s;
}

static bool is_feasible(const ts_loads *loads, const ray_system *s, double *x)
{
  const ts_inequalities system = {(int)s->rows, (int)s->columns, s->A, s->b, s->equal};
  double *multipliers = ts_arena_doubles(loads->arena, s->rows);
  return ts_find_feasible(&system, MOST_PIVOTS, loads->arena, x, multipliers) == TS_FEASIBLE;
}

static double fastest(const ts_loads *loads)
{
  double most = loads->group.still;
  for (int i = 0; i < loads->size; ++i) most = fmax(most, fabs(loads->u[i]));
  return most;
}

// Normal loads w (one a member) that need no push, at which contacts that slide bear 1 together and |w^T u| is at most
// what slow velocities make of it. False: there are none.
static bool find_free_loads(const ts_loads *loads, double *w)
{
  const ray_system s = put_rays(loads, 3, NEARLY);
  const double largest = fastest(loads);
  double *x = ts_arena_doubles(loads->arena, s.columns);
  size_t column = 0;
  for (int k = 0; k < loads->count; ++k)
    for (int ray = 0; ray < rays_of(&loads->members[k]); ++ray, ++column) {
      double *more = s.A + column * s.rows + s.kept;
      more[0] = loads->members[k].role == TS_LOAD_SLIDES ? 1.0 : 0.0;
      more[1] = LEAST_SLIP + s.along[column] / largest;
      more[2] = LEAST_SLIP - s.along[column] / largest;
    }
  s.b[s.kept] = 1.0;
  s.equal[s.kept] = true;
  if (!is_feasible(loads, &s, x)) return false;
  for (int k = 0; k < loads->count; ++k)
    for (int ray = 0; ray < rays_of(&loads->members[k]); ++ray) w[k] += *x++;
  return true;
}

// True if the contacts with loads w can stick together.
static bool can_stick(const ts_loads *loads, const double *w)
{
  static const double NONE = 1e-6; // of loads: what is not pressed may do as it likes
  const double still = LEAST_SLIP * fastest(loads);
  int *rows = ts_arena_ints(loads->arena, (size_t)loads->size), count = 0;
  double most = 0.0;
  for (int k = 0; k < loads->count; ++k) most = fmax(most, w[k]);
  for (int k = 0; k < loads->count; ++k) {
    const ts_load_member *m = &loads->members[k];
    if (!(w[k] > NONE * most)) continue;
    rows[count++] = m->normal;
    for (int t = 0; t < m->tangents; ++t) rows[count++] = m->tangent[t];
  }
  double *null = ts_arena_doubles(loads->arena, (size_t)count * (size_t)count);
  const int nulls = ts_loads_null_space(loads, rows, count, null);
  for (int b = 0; b < nulls; ++b) {
    double along = 0.0, size = 0.0;
    for (int i = 0; i < count; ++i) {
      along += null[b * count + i] * loads->u[rows[i]];
      size += fabs(null[b * count + i]);
    }
    if (!(fabs(along) <= still * size)) return false;
  }
  return nulls > 0;
}

bool ts_loads_may_wedge(const ts_loads *loads)
{
  const ts_arena_mark mark = ts_arena_save(loads->arena);
  double *w = ts_arena_zeros(loads->arena, (size_t)loads->count);
  const bool found = !all_can_open(loads) && find_free_loads(loads, w) && can_stick(loads, w);
  ts_arena_restore(loads->arena, mark);
  return found;
}

// ---- all stick -----------------------------------------------------------------------------------------------------

// True if impulses have taken at least as much slip from every contact as is left.
static bool nearly_stops(const ts_loads *loads)
{
  for (int k = 0; k < loads->count; ++k) {
    const ts_load_member *m = &loads->members[k];
    double left = 0.0, taken = 0.0;
    for (int t = 0; m->role == TS_LOAD_SLIDES && t < m->tangents; ++t) {
      const double u = m->axis[t] * loads->u[m->tangent[t]], change = u - m->axis[t] * loads->c[m->tangent[t]];
      left += u * u;
      taken += change * change;
    }
    if (left > taken) return false;
  }
  return true;
}

bool ts_loads_may_stick(const ts_loads *loads)
{
  double size = 0.0;
  if (!nearly_stops(loads)) return false;
  const ts_arena_mark mark = ts_arena_save(loads->arena);
  const ray_system s = put_rays(loads, 0, 1.0);
  for (int i = 0; i < loads->size; ++i) size = fmax(size, s.scale[i] * fabs(loads->c[i]));
  for (int i = 0; i < s.kept && size > 0.0; ++i) s.b[i] = -s.scale[s.row[i]] * loads->c[s.row[i]] / size;
  const bool found = size > 0.0 && is_feasible(loads, &s, ts_arena_doubles(loads->arena, s.columns));
  ts_arena_restore(loads->arena, mark);
  return found;
}

// ---- friction that closes its own contact --------------------------------------------------------------------------

static const double LEFT = 0.25;     // of what the load opens a contact by
static const double IMMOBILE = 1e-9; // joints hold a normal with less than this share of the mobility of the tangents

// W_ii. In systems where all blocks meet it is the i-th of its row.
TS_INLINE const double *own_block(const ts_system *system, int i)
{
  const ts_block_matrix *W = &system->problem.W;
  const size_t d = (size_t)system->dimension;
  int e = W->start[i] + i;
  if (e >= W->start[i + 1] || W->index[e] != i)
    for (e = W->start[i]; W->index[e] != i; ++e) continue;
  return W->value + (size_t)e * d * d;
}

ts_self_closing ts_contact_closes_itself(const ts_system *system, int i)
{
  const ts_block *block = &system->blocks[i];
  const int d = system->dimension;
  if (block->kind != TS_BLOCK_CONTACT || !(block->friction > 0.0)) return TS_OPENS_ITSELF;
  const double *own = own_block(system, i), *e = system->problem.ellipsoid;
  double square = 0.0, mobile = 0.0;
  for (int k = 1; k < d; ++k) {
    mobile = fmax(mobile, own[k * d + k]);
    const double pull = own[k * d] * (e ? e[i * (d - 1) + k - 1] : 1.0);
    square += pull * pull;
  }
  if (own[0] < IMMOBILE * mobile) return TS_MAY_CLOSE_ITSELF;
  square *= block->friction * block->friction;
  if (square < (1.0 - LEFT) * (1.0 - LEFT) * own[0] * own[0] || !(square > 0.0)) return TS_OPENS_ITSELF;
  return square < own[0] * own[0] ? TS_MAY_NEARLY_CLOSE_ITSELF : TS_MAY_CLOSE_ITSELF;
}

// (W_ii p)_n is what the impulse p of block i opens it by, W_nn p_n what its normal load does.
bool ts_friction_closes(const ts_system *system, int i, const double *p)
{
  const double *own = own_block(system, i);
  double sum = 0.0;
  if (ts_contact_closes_itself(system, i) == TS_OPENS_ITSELF) return false;
  for (int c = 0; c < system->dimension; ++c) sum += own[c * system->dimension] * p[c];
  return p[0] > 0.0 && sum < LEFT * own[0] * p[0];
}
