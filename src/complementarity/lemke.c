// Lemke's method for the linear complementarity problem with bounds (Cottle, Pang and Stone, "The Linear
// Complementarity Problem", sections 4.4 and 4.9).
//
// A covering variable t with a covering vector d is added, w = M z + q + t d, so that for a large t some complementary
// basis is feasible. Complementary pivoting then follows the path of points that are feasible and complementary but
// for one pair, until t leaves the basis (solved) or nothing blocks the entering variable (secondary ray).
//
// Beyond the textbook:
// - Bounds. z_i is basic between its bounds, or not basic at one of them; w_i >= 0 at the lower, w_i <= 0 at the upper
//   one. A variable that leaves at a bound hands over to its w, which enters in the direction that bound allows; an
//   entering variable that reaches its other bound first changes side without an exchange. No rows are added.
// - Free variables are basic from the start. Where their block of M is singular they are brought in by exchanges with
//   the rows of other variables, so that only regular pivots are used (see enter_free_variables).
// - Any complementary basis can be the start: d is chosen such that the basic variables move by given weights. A warm
//   start begins at the basis its point suggests.
// - Ties are broken lexicographically: the right-hand side is thought of as q + (eps, eps^2, ...). Only the columns of
//   the inverse that are needed to separate the tied rows are computed.
// - The basis is kept as the inverse of its core (basis.h) rather than as a tableau.
#include "complementarity/solver.h"

#include "complementarity/basis.h"
#include "complementarity/boxed.h"

#include "base/random.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

enum {
  LIMIT = 100000, // pivots
  REFRESH = 32,   // pivots between computing the values anew
  COVERS = 4,     // covering vectors to try: of ones, then random ones
  REPAIRS = 3,    // restarts from a final basis that turns out to be infeasible
};

// All of them in the scaled problem, whose data is of size 1.
static const double tie = 1e-12;           // distance from a bound that counts as being there
static const double smallest_pivot = 1e-9; // below it a variable is taken not to move
static const double relative_pivot = 1e-6; // among tied variables, of the largest pivot
static const double drift = 1e-10;         // error of an equation at which the core is factored anew
static const double feasibility = 1e-10;   // violation of a bound allowed in the final basis
static const double regular = 1e-11;       // reciprocal condition number of an acceptable starting core

typedef enum side {
  AT_LOWER, // z_i, not basic, lies there: w_i >= 0
  AT_UPPER, // w_i <= 0
  IDLE      // z_i cannot move (equal bounds, or free but in no regular basis): w_i may have any sign
} side;

// The variable that enters, and which way it goes.
typedef struct motion {
  int variable;
  double direction;
} motion;

// A variable that stops the entering one: how fast it moves per unit of that, and how far it is from its bound.
typedef struct blocker {
  int variable;
  double rate, room;
} blocker;

typedef struct lemke {
  const ts_boxed *p;
  ts_run *run;
  ts_basis basis;
  double *z;         // values of z, then of t (n + 1)
  double *w;         // values of w (n)
  double *cover;     // d (n)
  double *core;      // values or rates of the core's variables, scratch (n + 1)
  side *side;        // of every z; meaningful while it is not basic (n)
  blocker *blockers; // n + 1
  double *share;     // what eps_j does to the step to each of them (n + 1)
  int pivots;        // of this run
} lemke;

typedef enum path_end { SOLVED, RAY, LIMIT_REACHED, OUT_OF_TIME, NUMERICAL_TROUBLE } path_end;

// ---- values --------------------------------------------------------------------------------------------------------

// The size of z and t, at least that of the data.
static double size_of_values(const lemke *s)
{
  double largest = 1.0;
  for (int j = 0; j <= s->p->size; ++j) largest = fmax(largest, fabs(s->z[j]));
  return largest;
}

// Solve for all basic variables. Returns the error left in the equations, relative to the size of the values.
static double compute_values(lemke *s)
{
  const ts_boxed *p = s->p;
  ts_basis *b = &s->basis;
  memcpy(s->w, p->q, (size_t)p->size * sizeof *s->w);
  for (int j = 0; j < p->size; ++j)
    if (b->column_place[j] < 0 && s->z[j] != 0.0) ts_boxed_add_column(p, j, s->z[j], s->w);
  const double error = ts_basis_solve(b, s->w, s->core);
  for (int c = 0; c < b->core; ++c) {
    s->z[b->columns[c]] = s->core[c];
    s->w[b->rows[c]] = 0.0;
  }
  return error / size_of_values(s);
}

// The same, and factor the core anew where the inverse has become inaccurate. False when that does not help.
static bool refresh(lemke *s)
{
  if (compute_values(s) <= drift) return true;
  ++s->run->report->factorizations;
  return ts_basis_refactor(&s->basis) > 0.0 && compute_values(s) <= drift;
}

static double z_violation(const lemke *s, int j)
{
  return fmax(s->p->lower[j] - s->z[j], s->z[j] - s->p->upper[j]);
}

static double w_violation(const lemke *s, int i)
{
  return s->side[i] == IDLE ? 0.0 : s->side[i] == AT_LOWER ? -s->w[i] : s->w[i];
}

// Of a complementary basis: how far its worst variable is on the wrong side of a bound.
static double worst_violation(const lemke *s)
{
  double worst = 0.0;
  for (int i = 0; i < s->p->size; ++i) {
    if (s->basis.column_place[i] >= 0) worst = fmax(worst, z_violation(s, i));
    if (s->basis.row_place[i] < 0) worst = fmax(worst, w_violation(s, i));
  }
  return worst;
}

// The equations of free variables that no basis can hold at zero: how far the worst one is off.
static double worst_equation(const lemke *s)
{
  double worst = 0.0;
  for (int i = 0; i < s->p->size; ++i)
    if (s->basis.row_place[i] < 0 && ts_boxed_is_free(s->p, i)) worst = fmax(worst, fabs(s->w[i]));
  return worst;
}

// ---- lexicographic choice ------------------------------------------------------------------------------------------

// [M d](i, J) times column c of the inverse of the core.
static double row_times_inverse(const lemke *s, int i, int c)
{
  const ts_boxed *p = s->p;
  const ts_basis *b = &s->basis;
  const double *x = b->X + (size_t)c * (size_t)b->capacity;
  const int t_place = b->column_place[p->size];
  double sum = t_place >= 0 ? s->cover[i] * x[t_place] : 0.0;
  if (p->dense) {
    for (int r = 0; r < b->core; ++r)
      if (r != t_place) sum += p->dense[(size_t)b->columns[r] * (size_t)p->size + (size_t)i] * x[r];
  } else {
    for (int k = p->row_start[i]; k < p->row_start[i + 1]; ++k) {
      const int r = b->column_place[p->column_of_entry[k]];
      if (r >= 0) sum += p->row_value[k] * x[r];
    }
  }
  return sum;
}

// What a basic variable gains when q becomes q + eps_j e_j, per eps_j.
static double response(const lemke *s, int variable, int j)
{
  const ts_basis *b = &s->basis;
  const int place = b->row_place[j], i = variable - s->p->size - 1;
  if (place < 0) return i == j ? 1.0 : 0.0;
  if (ts_basis_is_w(b, variable)) return -row_times_inverse(s, i, place);
  return -b->X[(size_t)place * (size_t)b->capacity + (size_t)b->column_place[variable]];
}

// Of the first `count` blockers, keep those whose step grows least with eps_j.
static int keep_least(lemke *s, motion entering, int count, int j)
{
  double least = (double)INFINITY;
  for (int k = 0; k < count; ++k) {
    const blocker *one = &s->blockers[k];
    // The step room/|rate| grows by -response/rate, whichever bound is ahead. The distance of the entering variable
    // from its own other bound is not perturbed.
    s->share[k] = one->variable == entering.variable ? 0.0 : -response(s, one->variable, j) / one->rate;
    least = fmin(least, s->share[k]);
  }
  const double limit = least + tie * fmax(1.0, fabs(least));
  int kept = 0;
  for (int k = 0; k < count; ++k)
    if (s->share[k] <= limit) s->blockers[kept++] = s->blockers[k];
  return kept;
}

static blocker lexicographic_choice(lemke *s, motion entering, int count)
{
  for (int j = 0; count > 1 && j < s->p->size; ++j) count = keep_least(s, entering, count, j);
  return s->blockers[0];
}

// ---- ratio test ----------------------------------------------------------------------------------------------------

static inline void note_blocker(lemke *s, int *count, int variable, double rate, double room)
{
  s->blockers[*count] = (blocker){variable, rate, room};
  *count += room < (double)INFINITY;
}

// All variables that have a bound ahead. Returns their number.
static int survey(lemke *s, motion entering)
{
  const ts_boxed *p = s->p;
  const ts_basis *b = &s->basis;
  const int n = p->size;
  int count = 0;
  if (entering.variable < n)
    note_blocker(s, &count, entering.variable, entering.direction,
                 p->upper[entering.variable] - p->lower[entering.variable]);
  for (int c = 0; c < b->core; ++c) {
    const double rate = -entering.direction * b->y[c];
    if (!(fabs(rate) > smallest_pivot)) continue;
    const int j = b->columns[c];
    const double low = j < n ? p->lower[j] : 0.0, high = j < n ? p->upper[j] : (double)INFINITY;
    note_blocker(s, &count, j, rate, rate < 0.0 ? s->z[j] - low : high - s->z[j]);
  }
  for (int i = 0; i < n; ++i) {
    const double rate = entering.direction * b->slope[i];
    if (b->row_place[i] >= 0 || !(fabs(rate) > smallest_pivot)) continue;
    if (rate < 0.0 && s->side[i] == AT_LOWER) note_blocker(s, &count, n + 1 + i, rate, s->w[i]);
    if (rate > 0.0 && s->side[i] == AT_UPPER) note_blocker(s, &count, n + 1 + i, rate, -s->w[i]);
  }
  return count;
}

// Keep the blockers that are met first, up to rounding: the longest step that brings no variable more than `slack`
// beyond its bound decides.
static int keep_first(lemke *s, int count)
{
  const double slack = tie * size_of_values(s);
  double reach = (double)INFINITY;
  for (int k = 0; k < count; ++k) reach = fmin(reach, (s->blockers[k].room + slack) / fabs(s->blockers[k].rate));
  int kept = 0;
  for (int k = 0; k < count; ++k)
    if (s->blockers[k].room <= reach * fabs(s->blockers[k].rate)) s->blockers[kept++] = s->blockers[k];
  return kept;
}

// Drop the tied variables with pivots far below the largest: they would ruin the inverse.
static int keep_large_pivots(lemke *s, int count)
{
  double largest = 0.0;
  for (int k = 0; k < count; ++k) largest = fmax(largest, fabs(s->blockers[k].rate));
  int kept = 0;
  for (int k = 0; k < count; ++k)
    if (fabs(s->blockers[k].rate) >= relative_pivot * largest) s->blockers[kept++] = s->blockers[k];
  return kept;
}

// The variable that stops the entering one first. False: none does. The covering variable is taken wherever it is among
// the tied ones, for then the problem is solved.
static bool find_blocker(lemke *s, motion entering, blocker *first)
{
  int count = survey(s, entering);
  if (count == 0) return false;
  count = keep_first(s, count);
  for (int k = 0; k < count; ++k)
    if (s->blockers[k].variable == ts_basis_t(&s->basis)) {
      *first = s->blockers[k];
      return true;
    }
  *first = lexicographic_choice(s, entering, keep_large_pivots(s, count));
  return true;
}

// ---- the path ------------------------------------------------------------------------------------------------------

static void take_step(lemke *s, motion entering, double step)
{
  const ts_basis *b = &s->basis;
  const int n = s->p->size;
  const double moved = entering.direction * step;
  for (int c = 0; c < b->core; ++c) s->z[b->columns[c]] -= moved * b->y[c];
  for (int i = 0; i < n; ++i) s->w[i] += moved * b->slope[i];
  for (int c = 0; c < b->core; ++c) s->w[b->rows[c]] = 0.0;
  if (ts_basis_is_w(b, entering.variable))
    s->w[entering.variable - n - 1] += moved;
  else
    s->z[entering.variable] += moved;
}

// Put what has just left exactly on its bound. Returns its complement, with the direction that bound allows.
static motion leave(lemke *s, blocker left)
{
  const int n = s->p->size;
  if (left.variable > n) {
    const int i = left.variable - n - 1;
    s->w[i] = 0.0;
    return (motion){i, s->side[i] == AT_UPPER ? -1.0 : 1.0};
  }
  if (left.variable == n) {
    s->z[n] = 0.0;
    return (motion){n, 0.0}; // t has no complement
  }
  const bool down = left.rate < 0.0;
  s->side[left.variable] = down ? AT_LOWER : AT_UPPER;
  s->z[left.variable] = down ? s->p->lower[left.variable] : s->p->upper[left.variable];
  return (motion){ts_basis_w(&s->basis, left.variable), down ? 1.0 : -1.0};
}

// Exchange, factoring anew once where the inverse has become inaccurate.
static bool exchange(lemke *s, int entering, int leaving)
{
  if (ts_basis_exchange(&s->basis, entering, leaving)) return true;
  ++s->run->report->factorizations;
  if (ts_basis_refactor(&s->basis) == 0.0) return false;
  ts_basis_column(&s->basis, entering);
  return ts_basis_exchange(&s->basis, entering, leaving);
}

// One pivot. True when the path goes on, with the next entering variable; else *end says why not.
static bool pivot(lemke *s, motion *entering, path_end *end)
{
  blocker first;
  ts_basis_column(&s->basis, entering->variable);
  *end = RAY;
  if (!find_blocker(s, *entering, &first)) return false;
  const double ratio = first.room / fabs(first.rate);
  const double step = entering->variable == s->p->size ? ratio : fmax(0.0, ratio); // t comes down from infinity
  take_step(s, *entering, step);
  *end = NUMERICAL_TROUBLE;
  if (first.variable != entering->variable && !exchange(s, entering->variable, first.variable)) return false;
  ++s->pivots;
  ts_run_record(s->run, s->z[s->p->size], step, 0.0, s->basis.core);
  *end = SOLVED;
  *entering = leave(s, first);
  return first.variable != s->p->size;
}

static path_end follow_path(lemke *s, motion *entering)
{
  path_end end = SOLVED;
  for (int step = 1;; ++step) {
    if (s->pivots >= s->run->limit) return LIMIT_REACHED;
    if (ts_run_out_of_time(s->run)) return OUT_OF_TIME;
    if (step % REFRESH == 0 && !refresh(s)) return NUMERICAL_TROUBLE;
    if (!pivot(s, entering, &end)) return end;
  }
}

// ---- starting a path -----------------------------------------------------------------------------------------------

// What a basic z_j should rise by when t rises by 1. With one bound it moves away from that; between two bounds it
// moves only when it violates one, at most so far that it has reached the middle when t has made up the worst
// violation.
static double covering_rate(const lemke *s, int j, double weight, double worst)
{
  const double low = s->p->lower[j], high = s->p->upper[j], x = s->z[j];
  if (isinf(low) || isinf(high)) return isinf(low) && isinf(high) ? 0.0 : isinf(high) ? weight : -weight;
  if (x >= low && x <= high) return 0.0;
  return copysign(fmin(weight, fabs(0.5 * (low + high) - x) / worst), low - x);
}

static double next_weight(ts_random *random)
{
  return random ? exp2(ts_random_uniform(random, 0.0, 4.0)) : 1.0;
}

// d such that the basic variables move at rates z' and w' that lead out of all violations: d = w' - M(:, J) z'_J.
static void build_cover(lemke *s, ts_random *random, double worst)
{
  const ts_basis *b = &s->basis;
  for (int i = 0; i < s->p->size; ++i) {
    const double weight = next_weight(random);
    const bool still = b->row_place[i] >= 0 || s->side[i] == IDLE;
    s->cover[i] = still ? 0.0 : s->side[i] == AT_LOWER ? weight : -weight;
  }
  for (int c = 0; c < b->core; ++c) {
    const double rate = covering_rate(s, b->columns[c], next_weight(random), worst);
    if (rate != 0.0) ts_boxed_add_column(s->p, b->columns[c], -rate, s->cover);
  }
}

// Follow the path from the present complementary basis, whose values are known. t enters from infinity and stops where
// the first variable would become infeasible.
static path_end solve_from_basis(lemke *s, ts_random *random, motion *entering)
{
  const double worst = worst_violation(s);
  if (worst <= tie) return SOLVED;
  build_cover(s, random, worst);
  s->z[s->p->size] = 0.0;
  *entering = (motion){ts_basis_t(&s->basis), -1.0};
  return follow_path(s, entering);
}

// The same with a check of the final basis, and another path from there when rounding errors have led astray.
static path_end solve_and_repair(lemke *s, ts_random *random, motion *entering)
{
  for (int repair = 0; repair <= REPAIRS; ++repair) {
    const path_end end = solve_from_basis(s, random, entering);
    if (end != SOLVED) return end;
    if (!refresh(s)) return NUMERICAL_TROUBLE;
    if (worst_equation(s) > feasibility * size_of_values(s)) return NUMERICAL_TROUBLE;
    if (worst_violation(s) <= feasibility * size_of_values(s)) return SOLVED;
  }
  return NUMERICAL_TROUBLE;
}

// ---- starting bases ------------------------------------------------------------------------------------------------

// All bounded variables at the bound next to 0, all free ones at 0.
static void rest_at_bounds(lemke *s)
{
  const ts_boxed *p = s->p;
  ts_basis_clear(&s->basis);
  for (int i = 0; i < p->size; ++i) {
    const bool upper = fabs(p->upper[i]) < fabs(p->lower[i]);
    s->side[i] = p->lower[i] == p->upper[i] || ts_boxed_is_free(p, i) ? IDLE : upper ? AT_UPPER : AT_LOWER;
    s->z[i] = ts_boxed_is_free(p, i) ? 0.0 : upper ? p->upper[i] : p->lower[i];
  }
  s->z[p->size] = 0.0;
}

static void swap(int *a, int *b)
{
  const int old = *a;
  *a = *b;
  *b = old;
}

// Order the free rows and columns by elimination with complete pivoting. Returns the rank of their block.
static int order_free_block(lemke *s, int count, int *rows, int *columns)
{
  ts_arena *arena = s->run->arena;
  const size_t m = (size_t)count;
  const ts_arena_mark mark = ts_arena_save(arena);
  double *A = ts_arena_doubles(arena, m * m);
  for (size_t j = 0; j < m; ++j)
    for (size_t i = 0; i < m; ++i) A[j * m + i] = ts_boxed_entry(s->p, rows[i], columns[j]);
  const int rank = ts_eliminate_completely(count, A, rows, columns, regular);
  ts_arena_restore(arena, mark);
  return rank;
}

// The bounded variable k whose exchange brings both free row i and free column j in: |S_ik S_kj| is largest in the
// Schur complement S of the core. -1 when there is none.
static int find_partner(lemke *s, int i, int j, double *S_row)
{
  const ts_boxed *p = s->p;
  ts_basis *b = &s->basis;
  ts_arena *arena = s->run->arena;
  const ts_arena_mark mark = ts_arena_save(arena);
  double *spread = ts_arena_zeros(arena, (size_t)p->size);
  ts_basis_row(b, i);
  for (int c = 0; c < b->core; ++c) spread[b->rows[c]] = -b->row[c];
  spread[i] += 1.0;
  ts_basis_column(b, j);
  int partner = -1;
  double best = regular;
  for (int k = 0; k < p->size; ++k) {
    if (b->row_place[k] >= 0 || b->column_place[k] >= 0 || s->side[k] == IDLE) continue;
    const double product = fabs(ts_boxed_dot_column(p, k, spread) * b->slope[k]);
    if (product > best) {
      best = product;
      partner = k;
    }
  }
  *S_row = best;
  ts_arena_restore(arena, mark);
  return partner;
}

// Bring in free row i together with one of the free columns that are left, through the row and the column of a bounded
// variable: two regular pivots where the direct one is zero. The column used is moved to the end of the list.
static bool enter_through_partner(lemke *s, int i, int *columns, int left)
{
  ts_basis *b = &s->basis;
  int best_place = -1, best_partner = -1;
  double best = 0.0;
  for (int c = 0; c < left; ++c) {
    double size = 0.0;
    const int partner = find_partner(s, i, columns[c], &size);
    if (partner < 0 || size <= best) continue;
    best = size;
    best_place = c;
    best_partner = partner;
  }
  if (best_place < 0) return false;
  swap(&columns[best_place], &columns[left - 1]);
  ts_basis_column(b, best_partner);
  if (!ts_basis_exchange(b, best_partner, ts_basis_w(b, i))) return false;
  ts_basis_column(b, columns[left - 1]);
  return ts_basis_exchange(b, columns[left - 1], ts_basis_w(b, best_partner));
}

// Make all free variables basic. Their block of M may be singular though the problem is sound (an ideal diode, a
// redundant constraint): what elimination leaves over enters through bounded variables. A row that no column can take
// depends on the others; it and a free column stay out, and the final check tells whether the equation holds.
static void enter_free_variables(lemke *s)
{
  const size_t n = (size_t)s->p->size;
  int count = 0, *rows = ts_arena_ints(s->run->arena, n), *columns = ts_arena_ints(s->run->arena, n);
  for (int i = 0; i < s->p->size; ++i)
    if (ts_boxed_is_free(s->p, i)) rows[count] = columns[count] = i, ++count;
  if (count == 0) return;
  ++s->run->report->factorizations;
  if (ts_basis_set(&s->basis, count, rows, columns) >= regular) return;
  const int rank = order_free_block(s, count, rows, columns);
  ts_basis_set(&s->basis, rank, rows, columns);
  for (int k = rank, left = count - rank; k < count; ++k)
    if (enter_through_partner(s, rows[k], columns + rank, left)) --left;
}

static void cold_start(lemke *s)
{
  rest_at_bounds(s);
  enter_free_variables(s);
}

// The basis a point suggests: variables between their bounds are basic. False when its core is singular.
static bool warm_start(lemke *s, const double *z)
{
  const ts_boxed *p = s->p;
  int count = 0, *list = ts_arena_ints(s->run->arena, (size_t)p->size);
  rest_at_bounds(s);
  for (int i = 0; i < p->size; ++i) {
    if (s->side[i] == IDLE && !ts_boxed_is_free(p, i)) continue;
    const double slack = tie * fmax(1.0, fabs(z[i]));
    if (z[i] <= p->lower[i] + slack || z[i] >= p->upper[i] - slack) {
      s->side[i] = z[i] <= p->lower[i] + slack ? AT_LOWER : AT_UPPER;
      s->z[i] = s->side[i] == AT_LOWER ? p->lower[i] : p->upper[i];
    } else {
      list[count++] = i;
    }
  }
  ++s->run->report->factorizations;
  return ts_basis_set(&s->basis, count, list, list) >= regular;
}

// ---- the solver ----------------------------------------------------------------------------------------------------

// Direction of the ray in z, scaled.
static void ray_direction(const lemke *s, motion entering, double *direction)
{
  const ts_basis *b = &s->basis;
  const int n = s->p->size;
  memset(direction, 0, (size_t)n * sizeof *direction);
  for (int c = 0; c < b->core; ++c)
    if (b->columns[c] < n) direction[b->columns[c]] = -entering.direction * b->y[c];
  if (entering.variable < n) direction[entering.variable] = entering.direction;
}

// Whether u >= 0 with M^T u <= 0 and q.u < 0 exists in the direction of the ray: then no z >= 0 has M z + q >= 0, for
// u.(M z + q) < 0. For variables that are all bounded below only.
static bool proves_infeasible(const lemke *s, const double *u)
{
  const ts_boxed *p = s->p;
  double size = 0.0, product = 0.0;
  for (int i = 0; i < p->size; ++i) {
    if (p->lower[i] != 0.0 || p->upper[i] != (double)INFINITY) return false;
    size = fmax(size, fabs(u[i]));
    product += p->q[i] * u[i];
  }
  if (product >= -feasibility * size) return false;
  for (int j = 0; j < p->size; ++j)
    if (u[j] < -feasibility * size || ts_boxed_dot_column(p, j, u) > feasibility * size) return false;
  return true;
}

static void init(lemke *s, const ts_boxed *p, ts_run *run)
{
  const size_t n = (size_t)p->size;
  ts_arena *arena = run->arena;
  *s = (lemke){.p = p, .run = run};
  s->z = ts_arena_doubles(arena, n + 1);
  s->w = ts_arena_doubles(arena, n);
  s->cover = ts_arena_zeros(arena, n);
  s->core = ts_arena_doubles(arena, n + 1);
  s->side = ts_arena_bytes(arena, n, sizeof *s->side);
  s->blockers = ts_arena_bytes(arena, n + 2, sizeof *s->blockers);
  s->share = ts_arena_doubles(arena, n + 2);
  ts_basis_init(&s->basis, p, s->cover, arena);
}

// The best point seen so far, by the natural map in scaled numbers.
typedef struct record {
  double *z, *scratch, *ray;
  double residual;
  bool ray_found;
} record;

static void keep_if_better(record *best, const lemke *s)
{
  ts_boxed_clamp(s->p, s->z);
  const double residual = ts_boxed_natural(s->p, s->z, best->scratch);
  if (!(residual < best->residual)) return;
  best->residual = residual;
  memcpy(best->z, s->z, (size_t)s->p->size * sizeof *best->z);
}

// Follow a path from the basis at hand. True when there is no point in trying another one.
static bool try_path(lemke *s, ts_random *random, record *best, path_end *end)
{
  motion entering = {0, 0.0};
  *end = compute_values(s) <= drift ? solve_and_repair(s, random, &entering) : NUMERICAL_TROUBLE;
  if (*end == RAY) {
    best->ray_found = true;
    ray_direction(s, entering, best->ray);
  }
  keep_if_better(best, s);
  return *end == SOLVED || *end == LIMIT_REACHED || *end == OUT_OF_TIME ||
         (*end == RAY && proves_infeasible(s, best->ray));
}

static path_end try_all_paths(lemke *s, const double *warm, record *best)
{
  ts_random random;
  path_end end = NUMERICAL_TROUBLE;
  ts_random_init(&random, s->run->options->seed);
  if (warm && warm_start(s, warm) && try_path(s, NULL, best, &end)) return end;
  for (int cover = 0; cover < COVERS; ++cover) {
    cold_start(s);
    if (try_path(s, cover > 0 ? &random : NULL, best, &end)) return end;
  }
  return best->ray_found ? RAY : end;
}

static void report_ray(const ts_boxed *p, const record *best, ts_report *report)
{
  report->ray_found = report->ray != NULL;
  if (!report->ray) return;
  for (int j = 0; j < p->size; ++j) report->ray[j] = best->ray[j] * p->column_scale[j];
}

static ts_outcome solve(const ts_problem *problem, ts_run *run, double *z)
{
  static const ts_outcome outcomes[] = {TS_SOLVED, TS_RAY, TS_ITERATION_LIMIT, TS_TIME_LIMIT, TS_BROKE_DOWN};
  ts_boxed p;
  lemke s;
  ts_boxed_init(&p, problem, run->arena);
  init(&s, &p, run);
  const size_t n = (size_t)p.size;
  record best = {.z = ts_arena_zeros(run->arena, n),
                 .scratch = ts_arena_doubles(run->arena, n),
                 .ray = ts_arena_doubles(run->arena, n),
                 .residual = (double)INFINITY};
  double *warm = NULL;
  if (run->options->warm_start) {
    warm = ts_arena_doubles(run->arena, n);
    ts_boxed_scale(&p, z, warm);
  }
  const path_end end = try_all_paths(&s, warm, &best);
  if (end == RAY) report_ray(&p, &best, run->report);
  run->report->claimed = best.residual;
  ts_boxed_unscale(&p, problem, best.z, z);
  return outcomes[end];
}

const ts_solver ts_solver_lemke = {
    .name = "lemke",
    .summary = "Lemke's complementary pivoting, lexicographic (Cottle, Pang and Stone, section 4.4)",
    .takes = TS_LCP | TS_MLCP,
    .limit = LIMIT,
    .solve = solve,
};
