#include "complementarity/linear/pivoting.h"

#include "math/larger.h"

#include <math.h>
#include <string.h>

enum {
  REFRESH = 32, // pivots between computing the values anew
  POLISH = 4    // refinements of a final point
};

static const double SMALLEST_PIVOT = 1e-9; // below it a variable is taken not to move
static const double RELATIVE_PIVOT = 1e-6; // among tied variables, of the largest pivot
static const double ROUNDING = 1e-13;      // of w, relative to the size of z
static const double TINY_PIVOT = 1e-6;     // pivots below it are computed with a new inverse before they are believed
static const double DOUBT = 1e-7;          // distance at which errors of values that were updated may matter
static const double DRIFT = 1e-10;         // error of an equation at which the core is factored anew
static const double SAME_POINT = 1e-9;     // difference of z that counts as none
static const double SETTLED = 1e-14;       // last refinement of a final point

// ---- values --------------------------------------------------------------------------------------------------------

double ts_pivoting_size(const ts_pivoting *s)
{
  double largest = 1.0;
  for (int j = 0; j <= s->p->size; ++j) largest = ts_larger(largest, fabs(s->z[j]));
  return largest;
}

// Solve for all basic variables. Returns the error left in the equations, relative to the size of the values.
static double compute_values(ts_pivoting *s)
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
  return error / ts_pivoting_size(s);
}

bool ts_pivoting_refresh(ts_pivoting *s)
{
  s->fresh = true;
  if (compute_values(s) <= DRIFT) return true;
  ++s->run->report->factorizations;
  return ts_basis_refactor(&s->basis) > 0.0 && compute_values(s) <= DRIFT;
}

static double z_violation(const ts_pivoting *s, int j)
{
  return ts_larger(s->p->lower[j] - s->z[j], s->z[j] - s->p->upper[j]);
}

double ts_pivoting_w_violation(const ts_pivoting *s, int i)
{
  return s->side[i] == TS_IDLE ? 0.0 : s->side[i] == TS_AT_LOWER ? -s->w[i] : s->w[i];
}

double ts_pivoting_worst_violation(const ts_pivoting *s)
{
  double worst = 0.0;
  for (int i = 0; i < s->p->size; ++i) {
    if (s->basis.column_place[i] >= 0) worst = ts_larger(worst, z_violation(s, i));
    if (s->basis.row_place[i] < 0) worst = ts_larger(worst, ts_pivoting_w_violation(s, i));
  }
  return worst;
}

static double worst_equation(const ts_pivoting *s)
{
  double worst = 0.0;
  for (int i = 0; i < s->p->size; ++i)
    if (s->basis.row_place[i] < 0 && ts_boxed_is_free(s->p, i)) worst = ts_larger(worst, fabs(s->w[i]));
  return worst;
}

bool ts_pivoting_is_solution(const ts_pivoting *s)
{
  const double allowed = ts_larger(TS_PIVOTING_FEASIBILITY, ROUNDING * ts_pivoting_size(s));
  return ts_pivoting_worst_violation(s) <= allowed && worst_equation(s) <= allowed;
}

// ---- lexicographic choice ------------------------------------------------------------------------------------------

// [M d](i, J) times column c of the inverse of the core.
static double row_times_inverse(const ts_pivoting *s, int i, int c)
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
static double response(const ts_pivoting *s, int variable, int j)
{
  const ts_basis *b = &s->basis;
  const int place = b->row_place[j], i = variable - s->p->size - 1;
  if (place < 0) return i == j ? 1.0 : 0.0;
  if (ts_basis_is_w(b, variable)) return -row_times_inverse(s, i, place);
  return -b->X[(size_t)place * (size_t)b->capacity + (size_t)b->column_place[variable]];
}

// Of the first `count` blockers, keep those whose step grows least with eps_j.
static int keep_least(ts_pivoting *s, ts_entering entering, int count, int j)
{
  double least = (double)INFINITY;
  for (int k = 0; k < count; ++k) {
    const ts_blocker *one = &s->blockers[k];
    // The step room/|rate| grows by -response/rate, whichever bound is ahead. The distance of the entering variable
    // from its own other bound is not perturbed.
    s->share[k] = one->variable == entering.variable ? 0.0 : -response(s, one->variable, j) / one->rate;
    least = ts_smaller(least, s->share[k]);
  }
  const double limit = least + TS_PIVOTING_TIE * ts_larger(1.0, fabs(least));
  int kept = 0;
  for (int k = 0; k < count; ++k)
    if (s->share[k] <= limit) s->blockers[kept++] = s->blockers[k];
  return kept;
}

static ts_blocker lexicographic_choice(ts_pivoting *s, ts_entering entering, int count)
{
  for (int j = 0; count > 1 && j < s->p->size; ++j) count = keep_least(s, entering, count, j);
  return s->blockers[0];
}

// ---- ratio test ----------------------------------------------------------------------------------------------------

static inline void note_blocker(ts_pivoting *s, int *count, int variable, double rate, double room)
{
  s->blockers[*count] = (ts_blocker){variable, rate, room};
  *count += room < (double)INFINITY;
}

// All variables that have a bound ahead. Returns their number. Violations up to `slack` are rounding errors.
static int survey(ts_pivoting *s, ts_entering entering, double slack)
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
    if (!(fabs(rate) > SMALLEST_PIVOT)) continue;
    const int j = b->columns[c];
    const double low = j < n ? p->lower[j] : 0.0, high = j < n ? p->upper[j] : (double)INFINITY;
    note_blocker(s, &count, j, rate, rate < 0.0 ? s->z[j] - low : high - s->z[j]);
  }
  for (int i = 0; i < n; ++i) {
    const double rate = entering.direction * b->slope[i];
    if (b->row_place[i] >= 0 || s->side[i] == TS_IDLE || !(fabs(rate) > SMALLEST_PIVOT)) continue;
    const bool closing = (rate < 0.0) == (s->side[i] == TS_AT_LOWER); // heading for 0 from the right side
    const double room = -ts_pivoting_w_violation(s, i);
    if (i == s->distinguished) {
      if (!closing) note_blocker(s, &count, n + 1 + i, rate, -room);
    } else if (closing && (s->distinguished < 0 || room >= -slack)) {
      note_blocker(s, &count, n + 1 + i, rate, room);
    }
  }
  return count;
}

// Keep the blockers that are met first, up to rounding: the longest step that brings no variable more than `slack`
// beyond its bound decides.
static int keep_first(ts_pivoting *s, int count, double slack)
{
  double reach = (double)INFINITY;
  for (int k = 0; k < count; ++k) reach = ts_smaller(reach, (s->blockers[k].room + slack) / fabs(s->blockers[k].rate));
  int kept = 0;
  for (int k = 0; k < count; ++k)
    if (s->blockers[k].room <= reach * fabs(s->blockers[k].rate)) s->blockers[kept++] = s->blockers[k];
  return kept;
}

// Drop the tied variables with pivots far below the largest: they would ruin the inverse.
static int keep_large_pivots(ts_pivoting *s, int count)
{
  double largest = 0.0;
  for (int k = 0; k < count; ++k) largest = ts_larger(largest, fabs(s->blockers[k].rate));
  int kept = 0;
  for (int k = 0; k < count; ++k)
    if (fabs(s->blockers[k].rate) >= RELATIVE_PIVOT * largest) s->blockers[kept++] = s->blockers[k];
  return kept;
}

static bool ends_path(const ts_pivoting *s, int left)
{
  const int i = s->distinguished;
  return left == ts_basis_t(&s->basis) || (i >= 0 && (left == i || left == ts_basis_w(&s->basis, i)));
}

// The one among the first `count` blockers that ends the path, or NULL.
static const ts_blocker *find_last(const ts_pivoting *s, int count)
{
  for (int k = 0; k < count; ++k)
    if (ends_path(s, s->blockers[k].variable)) return &s->blockers[k];
  return NULL;
}

// The variable that stops the entering one first. False: none does. The one that ends the path is taken wherever it is
// among the tied ones. *close: it is not, but by so little that errors of the values may have decided.
static bool find_blocker(ts_pivoting *s, ts_entering entering, ts_blocker *first, bool *close)
{
  *close = false;
  const double size = ts_pivoting_size(s), slack = TS_PIVOTING_TIE * size;
  int count = survey(s, entering, slack);
  if (count == 0) return false;
  const ts_blocker *last = find_last(s, count);
  const ts_blocker candidate = last ? *last : (ts_blocker){0};
  count = keep_first(s, count, slack);
  const ts_blocker *tied_last = find_last(s, count);
  *first = tied_last ? *tied_last : lexicographic_choice(s, entering, keep_large_pivots(s, count));
  if (last && !tied_last) *close = candidate.room - first->room * fabs(candidate.rate / first->rate) <= DOUBT * size;
  return true;
}

// ---- the path ------------------------------------------------------------------------------------------------------

void ts_pivoting_move(ts_pivoting *s, ts_entering entering, double step)
{
  const ts_basis *b = &s->basis;
  const int n = s->p->size;
  const double moved = entering.direction * step;
  s->fresh = false;
  for (int c = 0; c < b->core; ++c) s->z[b->columns[c]] -= moved * b->y[c];
  for (int i = 0; i < n; ++i) s->w[i] += moved * b->slope[i];
  for (int c = 0; c < b->core; ++c) s->w[b->rows[c]] = 0.0;
  if (ts_basis_is_w(b, entering.variable))
    s->w[entering.variable - n - 1] += moved;
  else
    s->z[entering.variable] += moved;
}

ts_entering ts_pivoting_leave(ts_pivoting *s, ts_blocker left)
{
  const int n = s->p->size;
  if (left.variable > n) {
    const int i = left.variable - n - 1;
    s->w[i] = 0.0;
    return (ts_entering){i, s->side[i] == TS_AT_UPPER ? -1.0 : 1.0};
  }
  if (left.variable == n) {
    s->z[n] = 0.0;
    return (ts_entering){n, 0.0}; // t has no complement
  }
  const bool down = left.rate < 0.0;
  s->side[left.variable] = down ? TS_AT_LOWER : TS_AT_UPPER;
  s->z[left.variable] = down ? s->p->lower[left.variable] : s->p->upper[left.variable];
  return (ts_entering){ts_basis_w(&s->basis, left.variable), down ? 1.0 : -1.0};
}

bool ts_pivoting_exchange(ts_pivoting *s, int entering, int leaving)
{
  if (ts_basis_exchange(&s->basis, entering, leaving)) return true;
  ++s->run->report->factorizations;
  if (ts_basis_refactor(&s->basis) == 0.0) return false;
  ts_basis_column(&s->basis, entering);
  return ts_basis_exchange(&s->basis, entering, leaving);
}

// The inverse anew, where it has been updated since it was last computed.
static bool renew_inverse(ts_pivoting *s)
{
  if (s->basis.updates == 0) return true;
  ++s->run->report->factorizations;
  return ts_basis_refactor(&s->basis) > 0.0 && ts_pivoting_refresh(s);
}

// Find what blocks, again with better numbers where rounding errors may have decided: with fresh values when the end of
// the path is close, with a fresh inverse when the pivot is tiny (a ray may look like a very long step). False when
// that fails.
static bool find_reliable_blocker(ts_pivoting *s, ts_entering entering, ts_blocker *first, bool *blocked)
{
  bool close;
  ts_basis_column(&s->basis, entering.variable);
  *blocked = find_blocker(s, entering, first, &close);
  const bool tiny = *blocked && fabs(first->rate) < TINY_PIVOT && s->basis.updates > 0;
  if (!tiny && !(close && !s->fresh)) return true;
  if (!(tiny ? renew_inverse(s) : ts_pivoting_refresh(s))) return false;
  ts_basis_column(&s->basis, entering.variable);
  *blocked = find_blocker(s, entering, first, &close);
  return true;
}

static ts_pivoting_end pivot(ts_pivoting *s, ts_entering *entering)
{
  ts_blocker first;
  bool blocked;
  if (!find_reliable_blocker(s, *entering, &first, &blocked)) return TS_PIVOTING_TROUBLE;
  if (!blocked) return TS_PIVOTING_RAY;
  const double ratio = first.room / fabs(first.rate);
  const double step = entering->variable == ts_basis_t(&s->basis) ? ratio : ts_larger(0.0, ratio);
  ts_pivoting_move(s, *entering, step);
  if (first.variable != entering->variable && !ts_pivoting_exchange(s, entering->variable, first.variable))
    return TS_PIVOTING_TROUBLE;
  ++s->pivots;
  ts_run_record(s->run, s->distinguished < 0 ? s->z[s->p->size] : fabs(s->w[s->distinguished]), step, 0.0,
                s->basis.core);
  *entering = ts_pivoting_leave(s, first);
  return ends_path(s, first.variable) ? TS_PIVOTING_SOLVED : TS_PIVOTING_GOES_ON;
}

static void store_ray(ts_pivoting *s, ts_entering entering)
{
  const ts_basis *b = &s->basis;
  const int n = s->p->size;
  for (int j = 0; j < n; ++j) s->ray[j] = 0.0;
  for (int c = 0; c < b->core; ++c)
    if (b->columns[c] < n) s->ray[b->columns[c]] = -entering.direction * b->y[c];
  if (entering.variable < n) s->ray[entering.variable] = entering.direction;
}

// Whether the path is back where it was after its first pivot.
static bool is_home(const ts_pivoting *s, ts_entering entering, ts_entering home)
{
  if (entering.variable != home.variable || entering.direction != home.direction) return false;
  const double allowed = SAME_POINT * ts_pivoting_size(s);
  for (int j = s->p->size; j >= 0; --j) // t first: it differs most of the time
    if (fabs(s->z[j] - s->home[j]) > allowed) return false;
  return true;
}

ts_pivoting_end ts_pivoting_follow(ts_pivoting *s, ts_entering entering)
{
  ts_pivoting_end end = TS_PIVOTING_GOES_ON;
  ts_entering home = entering;
  for (int step = 0; end == TS_PIVOTING_GOES_ON; ++step) {
    if (s->pivots >= s->run->limit) return TS_PIVOTING_LIMIT;
    if (ts_run_out_of_time(s->run)) return TS_PIVOTING_TIME;
    if (step % REFRESH == REFRESH - 1 && !ts_pivoting_refresh(s)) return TS_PIVOTING_TROUBLE;
    end = pivot(s, &entering);
    if (step == 0) {
      home = entering;
      memcpy(s->home, s->z, ((size_t)s->p->size + 1) * sizeof *s->home);
    } else if (s->may_loop && end == TS_PIVOTING_GOES_ON && is_home(s, entering, home)) {
      return TS_PIVOTING_TROUBLE;
    }
  }
  if (end == TS_PIVOTING_RAY) store_ray(s, entering);
  return end;
}

// ---- beginning and end ---------------------------------------------------------------------------------------------

void ts_pivoting_init(ts_pivoting *s, const ts_boxed *p, ts_run *run)
{
  const size_t n = (size_t)p->size;
  ts_arena *arena = run->arena;
  *s = (ts_pivoting){.p = p, .run = run, .distinguished = -1, .best_residual = (double)INFINITY};
  s->z = ts_arena_doubles(arena, n + 1);
  s->home = ts_arena_doubles(arena, n + 1);
  s->w = ts_arena_doubles(arena, n);
  s->cover = ts_arena_zeros(arena, n);
  s->core = ts_arena_doubles(arena, n + 1);
  s->side = ts_arena_bytes(arena, n, sizeof *s->side);
  s->blockers = ts_arena_bytes(arena, n + 2, sizeof *s->blockers);
  s->share = ts_arena_doubles(arena, n + 2);
  s->best = ts_arena_zeros(arena, n);
  s->ray = ts_arena_zeros(arena, n);
  ts_basis_init(&s->basis, p, s->cover, arena);
}

const double *ts_pivoting_warm_point(const ts_pivoting *s, const double *z)
{
  if (!s->run->options->warm_start) return NULL;
  double *scaled = ts_arena_doubles(s->run->arena, (size_t)s->p->size);
  ts_boxed_scale(s->p, z, scaled);
  return scaled;
}

// Iterative refinement of the basic variables with residuals in extended precision: z then is accurate to rounding
// even where the core is so badly conditioned that a small residual says little.
static void polish(ts_pivoting *s)
{
  ts_basis *b = &s->basis;
  ts_arena *arena = s->run->arena;
  const ts_arena_mark mark = ts_arena_save(arena);
  long double *w = ts_arena_bytes(arena, (size_t)s->p->size, sizeof *w);
  double *residual = ts_arena_doubles(arena, (size_t)b->core);
  for (int pass = 0; pass < POLISH; ++pass) {
    ts_boxed_extended_w(s->p, s->z, w);
    for (int c = 0; c < b->core; ++c) residual[c] = (double)w[b->rows[c]];
    ts_basis_apply_inverse(b, residual, s->core);
    double largest = 0.0;
    for (int c = 0; c < b->core; ++c) {
      s->z[b->columns[c]] -= s->core[c];
      largest = ts_larger(largest, fabs(s->core[c]));
    }
    if (largest <= SETTLED * ts_pivoting_size(s)) break;
  }
  ts_arena_restore(arena, mark);
}

void ts_pivoting_keep_best(ts_pivoting *s)
{
  if (s->basis.column_place[s->p->size] < 0) polish(s); // not on a path with t
  const size_t n = (size_t)s->p->size;
  const ts_arena_mark mark = ts_arena_save(s->run->arena);
  double *z = ts_arena_doubles(s->run->arena, n), *w = ts_arena_doubles(s->run->arena, n);
  memcpy(z, s->z, n * sizeof *z);
  ts_boxed_clamp(s->p, z);
  const double residual = ts_boxed_natural(s->p, z, w);
  if (residual < s->best_residual) {
    s->best_residual = residual;
    memcpy(s->best, z, n * sizeof *z);
  }
  ts_arena_restore(s->run->arena, mark);
}

ts_outcome ts_pivoting_finish(const ts_pivoting *s, const ts_problem *problem, ts_pivoting_end end, double *z)
{
  static const ts_outcome outcomes[] = {[TS_PIVOTING_GOES_ON] = TS_ITERATION_LIMIT,
                                        [TS_PIVOTING_SOLVED] = TS_SOLVED,
                                        [TS_PIVOTING_RAY] = TS_RAY,
                                        [TS_PIVOTING_LIMIT] = TS_ITERATION_LIMIT,
                                        [TS_PIVOTING_TIME] = TS_TIME_LIMIT,
                                        [TS_PIVOTING_TROUBLE] = TS_BROKE_DOWN};
  ts_report *report = s->run->report;
  report->claimed = s->best_residual;
  ts_boxed_unscale(s->p, problem, s->best, z);
  if (end == TS_PIVOTING_RAY && report->ray) {
    report->ray_found = true;
    for (int j = 0; j < s->p->size; ++j) report->ray[j] = s->ray[j] * s->p->column_scale[j];
  }
  return outcomes[end];
}
