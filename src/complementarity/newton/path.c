#include "complementarity/newton/path.h"

#include "math/matrix.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

// Rates below this part of the largest one are taken for rounding errors.
static const double NO_RATE = 1e-11;
// How far a bound may be overstepped to find a better pivot among nearly equal ratios (Harris 1973).
static const double OVERSTEP = 1e-11;

// A variable that is about to change: its column, and the sign of the change.
typedef struct mover {
  int column;
  double sign;
} mover;

// The variable that stops it: a position in the basis, or -1 when the mover reaches its own other bound.
typedef struct blocker {
  int position;
  double step;
  bool at_upper;
} blocker;

typedef struct range {
  double low, high;
} range;

void ts_path_init(ts_path *path, const ts_mcp_view *view, const ts_run *run)
{
  ts_arena *arena = run->arena;
  const size_t n = (size_t)view->size;
  *path = (ts_path){.n = view->size, .view = view, .run = run};
  ts_path_basis_init(&path->basis, &view->J, arena);
  path->piece = ts_arena_bytes(arena, n, sizeof *path->piece);
  path->basic = ts_arena_ints(arena, n);
  path->position = ts_arena_ints(arena, 2 * n + 1);
  path->y = ts_arena_doubles(arena, n);
  path->constant = ts_arena_doubles(arena, n);
  path->alpha = ts_arena_doubles(arena, n);
  path->ray = ts_arena_doubles(arena, n);
  path->point_t = ts_arena_doubles(arena, TS_PATH_POINTS + 1);
  path->point = ts_arena_doubles(arena, (TS_PATH_POINTS + 1) * n);
}

void ts_path_pieces(const ts_mcp_view *view, const double *x, ts_map_piece *piece)
{
  for (int i = 0; i < view->size; ++i) {
    const double low = view->lower[i], high = view->upper[i];
    if (low < high && x[i] >= low && x[i] <= high)
      piece[i] = TS_PIECE_BETWEEN;
    else
      piece[i] = x[i] <= low ? TS_PIECE_LOWER : TS_PIECE_UPPER;
  }
}

static double bound_of(const ts_path *path, int i)
{
  return path->piece[i] == TS_PIECE_UPPER ? path->view->upper[i] : path->view->lower[i];
}

// ---- values --------------------------------------------------------------------------------------------------------

// y = B^-1 (constant - what the variables outside the basis contribute).
static void compute_values(ts_path *path)
{
  const int n = path->n;
  memcpy(path->y, path->constant, (size_t)n * sizeof *path->y);
  double *outside = path->ray; // free while a path is being followed
  for (int j = 0; j < n; ++j) {
    outside[j] = path->position[j] >= 0 ? 0.0 : bound_of(path, j);
    path->y[j] -= path->basis.shift * outside[j];
  }
  ts_matrix_multiply_add(path->basis.M, -1.0, outside, path->y);
  if (path->position[ts_path_basis_cover(&path->basis)] < 0) cblas_daxpy(n, -path->t, path->basis.cover, 1, path->y, 1);
  ts_path_basis_solve(&path->basis, path->y);
}

// x_i = z_i + s_i from the values of the basic variables.
static void compute_point(const ts_path *path, double *x)
{
  for (int i = 0; i < path->n; ++i) {
    const int z = path->position[i], s = path->position[ts_path_basis_unit(&path->basis, i)];
    x[i] = (z >= 0 ? path->y[z] : bound_of(path, i)) + (s >= 0 ? path->y[s] : 0.0);
  }
}

static bool refactor(ts_path *path)
{
  ++path->factorizations;
  return ts_path_basis_factor(&path->basis, path->basic);
}

// The basis of the pieces: z_i where it is between its bounds, else s_i.
static bool start_basis(ts_path *path, const double *z, const double *F, const double *r, double shift)
{
  const int n = path->n;
  path->basis.shift = shift;
  path->basis.cover = r;
  for (int c = 0; c <= 2 * n; ++c) path->position[c] = -1;
  for (int i = 0; i < n; ++i) {
    path->basic[i] = path->piece[i] == TS_PIECE_BETWEEN ? i : ts_path_basis_unit(&path->basis, i);
    path->position[path->basic[i]] = i;
    path->constant[i] = r[i] - F[i] + shift * z[i];
  }
  ts_matrix_multiply_add(path->basis.M, 1.0, z, path->constant);
  path->pivots = path->factorizations = 0;
  path->t = 0.0;
  return refactor(path);
}

bool ts_path_newton(ts_path *path, const double *z, const double *F, const double *r, double shift, double *next)
{
  if (!start_basis(path, z, F, r, shift)) return false;
  path->t = 1.0;
  compute_values(path);
  compute_point(path, next);
  for (int i = 0; i < path->n; ++i)
    if (!isfinite(next[i])) return false;
  return true;
}

// ---- corners -------------------------------------------------------------------------------------------------------

static void drop_every_second_point(ts_path *path)
{
  const size_t n = (size_t)path->n;
  for (int k = 0; k < path->count / 2; ++k) {
    memcpy(path->point + (size_t)k * n, path->point + (size_t)(2 * k + 1) * n, n * sizeof *path->point);
    path->point_t[k] = path->point_t[2 * k + 1];
  }
  path->count /= 2;
  path->stride *= 2;
}

static void keep_point(ts_path *path)
{
  compute_point(path, path->point + (size_t)path->count * (size_t)path->n);
  path->point_t[path->count++] = path->t;
}

static void keep_corner(ts_path *path)
{
  if (++path->since < path->stride) return;
  path->since = 0;
  if (path->count == TS_PATH_POINTS) drop_every_second_point(path);
  keep_point(path);
}

// ---- pivoting ------------------------------------------------------------------------------------------------------

// s_i of a variable whose bounds coincide passes through 0 without meaning.
static range range_of(const ts_path *path, int column)
{
  const int n = path->n;
  if (column == ts_path_basis_cover(&path->basis)) return (range){-INFINITY, 1.0};
  if (column < n) return (range){path->view->lower[column], path->view->upper[column]};
  const int i = column - n;
  if (path->view->lower[i] == path->view->upper[i]) return (range){-INFINITY, INFINITY};
  return path->piece[i] == TS_PIECE_UPPER ? (range){0.0, INFINITY} : (range){-INFINITY, 0.0};
}

// Distance of a basic variable to the bound it moves to.
static double room(const ts_path *path, int position, double rate)
{
  const range r = range_of(path, path->basic[position]);
  return rate > 0.0 ? r.high - path->y[position] : path->y[position] - r.low;
}

// Which variable stops the mover. Two passes: the longest step when bounds may be overstepped a little, then the
// largest rate among those that block before that. The end of the path wins where it is possible.
static blocker find_blocker(const ts_path *path, mover m)
{
  const int n = path->n;
  const double largest = n ? fabs(path->alpha[cblas_idamax(n, path->alpha, 1)]) : 0.0;
  const double no_rate = NO_RATE * largest;
  const range own = range_of(path, m.column);
  const double whole = m.column == ts_path_basis_cover(&path->basis) ? 1.0 : own.high - own.low;
  double longest = whole;
  for (int p = 0; p < n; ++p) {
    const double rate = -m.sign * path->alpha[p];
    if (fabs(rate) <= no_rate) continue;
    longest = fmin(longest, (room(path, p, rate) + OVERSTEP * (1.0 + fabs(path->y[p]))) / fabs(rate));
  }
  blocker best = {-1, whole, m.sign > 0.0};
  if (best.step <= longest) return best;
  double best_rate = 0.0;
  for (int p = 0; p < n; ++p) {
    const double rate = -m.sign * path->alpha[p];
    if (fabs(rate) <= no_rate) continue;
    const double step = room(path, p, rate) / fabs(rate);
    if (!(step <= longest)) continue;
    const bool ends = path->basic[p] == ts_path_basis_cover(&path->basis) && rate > 0.0;
    if (!ends && fabs(rate) <= best_rate) continue;
    best = (blocker){p, fmax(step, 0.0), rate > 0.0};
    best_rate = fabs(rate);
    if (ends) break;
  }
  return best;
}

// The variable whose turn it is when `column` has arrived at one of its bounds: the other one of the pair.
static mover complement(ts_path *path, int column, bool at_upper)
{
  const int n = path->n;
  if (column < n) {
    path->piece[column] = at_upper ? TS_PIECE_UPPER : TS_PIECE_LOWER;
    return (mover){n + column, at_upper ? 1.0 : -1.0};
  }
  const int i = column - n;
  return (mover){i, path->piece[i] == TS_PIECE_UPPER ? -1.0 : 1.0};
}

// Value of a variable outside the basis: z_i at its bound, s_i and t at 0.
static double value_outside(const ts_path *path, int column)
{
  return column < path->n ? bound_of(path, column) : 0.0;
}

static void move(ts_path *path, mover m, double step)
{
  if (step != 0.0) cblas_daxpy(path->n, -m.sign * step, path->alpha, 1, path->y, 1);
  const int at = path->position[ts_path_basis_cover(&path->basis)];
  if (at >= 0)
    path->t = path->y[at];
  else if (m.column == ts_path_basis_cover(&path->basis))
    path->t += step;
}

// The mover takes the blocker's place. False when the new basis cannot be factored.
static bool exchange(ts_path *path, mover m, const blocker *b)
{
  const int leaving = path->basic[b->position];
  const double value = value_outside(path, m.column) + m.sign * b->step;
  path->position[leaving] = -1;
  path->position[m.column] = b->position;
  path->basic[b->position] = m.column;
  path->y[b->position] = value;
  if (m.column < path->n) path->piece[m.column] = TS_PIECE_BETWEEN;
  ++path->pivots;
  if (!ts_path_basis_is_worn(&path->basis)) {
    ts_path_basis_exchange(&path->basis, b->position, path->alpha);
    return true;
  }
  if (!refactor(path)) return false;
  compute_values(path);
  return true;
}

// Direction of the path in z where nothing stops the mover.
static void write_ray(ts_path *path, mover m)
{
  for (int j = 0; j < path->n; ++j) {
    const int p = path->position[j];
    path->ray[j] = p >= 0 ? -m.sign * path->alpha[p] : j == m.column ? m.sign : 0.0;
  }
}

ts_path_end ts_path_follow(ts_path *path, const double *z, const double *F, const double *r, double shift,
                           int most_pivots)
{
  const int t_column = ts_path_basis_cover(&path->basis);
  path->count = 0;
  path->stride = 1;
  path->since = 0;
  if (!start_basis(path, z, F, r, shift)) return TS_PATH_SINGULAR;
  compute_values(path);
  mover m = {t_column, 1.0};
  ts_path_end end = TS_PATH_LIMIT;
  while (path->pivots < most_pivots && !ts_run_out_of_time(path->run)) {
    ts_path_basis_column(&path->basis, m.column, path->alpha);
    ts_path_basis_solve(&path->basis, path->alpha);
    const blocker b = find_blocker(path, m);
    if (!isfinite(b.step)) {
      write_ray(path, m);
      end = TS_PATH_RAY;
      break;
    }
    move(path, m, b.step);
    const int stopped = b.position >= 0 ? path->basic[b.position] : m.column;
    if (stopped == t_column) {
      path->t = 1.0;
      end = b.position < 0 || exchange(path, m, &b) ? TS_PATH_COMPLETE : TS_PATH_LIMIT;
      break;
    }
    const mover next = complement(path, stopped, b.at_upper);
    if (b.position >= 0 && !exchange(path, m, &b)) break;
    m = next;
    keep_corner(path);
  }
  keep_point(path);
  return end;
}
