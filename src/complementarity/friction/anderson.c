#include "complementarity/friction/anderson.h"

#include "math/dense.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

// Five to twenty differences do equally well.
enum { MOST_DIFFERENCES = 8, SWEEPS_A_TEST = 5, MANY_SWEEPS = 100, SWEEPS_A_STALL = 800 };

// Leaps along the drift, in moves.
static const double FIRST_LEAP = 2.0, LONGEST_LEAP = 1000.0;

// What the normal equations lose with differences that are nearly parallel.
static const double GRAM_SHIFT = 1e-12;

typedef struct accelerator {
  size_t length;
  int count, next;                                 // differences kept, and where the next one goes
  bool has_last;                                   // `image` and `move` hold the last point's
  double *image, *move;                            // g(x_k) and f_k
  double *image_change;                            // columns g(x_j+1) - g(x_j)
  double *move_change;                             // columns f_j+1 - f_j
  double gram[MOST_DIFFERENCES][MOST_DIFFERENCES]; // products of the columns of move_change
} accelerator;

static void init_accelerator(accelerator *a, size_t length, ts_arena *arena)
{
  *a = (accelerator){.length = length,
                     .image = ts_arena_doubles(arena, length),
                     .move = ts_arena_doubles(arena, length),
                     .image_change = ts_arena_doubles(arena, length * MOST_DIFFERENCES),
                     .move_change = ts_arena_doubles(arena, length * MOST_DIFFERENCES)};
}

static void forget(accelerator *a)
{
  a->count = a->next = 0;
  a->has_last = false;
}

// out_j = (column j of move_change) . x
static void project_on_changes(const accelerator *a, const double *x, double *out)
{
  cblas_dgemv(CblasColMajor, CblasTrans, (int)a->length, a->count, 1.0, a->move_change, (int)a->length, x, 1, 0.0, out,
              1);
}

static void keep_difference(accelerator *a, const double *image, const double *move)
{
  double *image_change = a->image_change + (size_t)a->next * a->length;
  double *move_change = a->move_change + (size_t)a->next * a->length;
  for (size_t k = 0; k < a->length; ++k) {
    image_change[k] = image[k] - a->image[k];
    move_change[k] = move[k] - a->move[k];
  }
  if (a->count < MOST_DIFFERENCES) ++a->count;
  double products[MOST_DIFFERENCES];
  project_on_changes(a, move_change, products);
  for (int k = 0; k < a->count; ++k) a->gram[a->next][k] = a->gram[k][a->next] = products[k];
  a->next = (a->next + 1) % MOST_DIFFERENCES;
}

// Take in a point by its image and its move.
static void learn(accelerator *a, const double *image, const double *move)
{
  if (a->has_last) keep_difference(a, image, move);
  memcpy(a->image, image, a->length * sizeof *image);
  memcpy(a->move, move, a->length * sizeof *move);
  a->has_last = true;
}

// The combination of what was learned, in x. False where there is none yet.
static bool extrapolate(accelerator *a, double *x)
{
  const int n = a->count;
  double gram[MOST_DIFFERENCES * MOST_DIFFERENCES], c[MOST_DIFFERENCES];
  if (n == 0) return false;
  double largest = 0.0;
  for (int k = 0; k < n; ++k) largest = fmax(largest, a->gram[k][k]);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      gram[j * n + i] = a->gram[i][j] + (i == j ? GRAM_SHIFT * (a->gram[i][i] + 1e-2 * largest) : 0.0);
  if (!ts_cholesky_factor(n, gram)) {
    a->count = a->next = 0; // parallel to within round-off: collect new ones
    return false;
  }
  project_on_changes(a, a->move, c);
  ts_cholesky_solve(n, gram, c);
  memcpy(x, a->image, a->length * sizeof *x);
  cblas_dgemv(CblasColMajor, CblasNoTrans, (int)a->length, n, -1.0, a->image_change, (int)a->length, c, 1, 1.0, x, 1);
  return true;
}

typedef struct walk {
  const ts_anderson_ops *ops;
  void *self;
  const ts_momentum_goal *goal;
  ts_run *run;
  accelerator a;
  double *x, *image, *move;        // where the next sweep starts, what it makes of it, and the difference
  double *trial;                   // scratch
  double move_length, last_length; // |f_k|, |f_k-1|
  double leap;                     // length of the next one
  bool is_bold;                    // x is not where a sweep ended
  int done;                        // sweeps
  int next_test;                   // when a point is measured, whatever its move
  int stall;                       // when the error has to have fallen
  double reference;                // to half of this
  double best;                     // error of the point that was kept
  bool accurate;                   // it is good enough
} walk;

static void sweep(walk *w)
{
  const size_t length = w->a.length;
  memcpy(w->image, w->x, length * sizeof *w->x);
  w->ops->sweep(w->self, w->image);
  for (size_t k = 0; k < length; ++k) w->move[k] = w->image[k] - w->x[k];
  w->move_length = cblas_dnrm2((int)length, w->move, 1);
  ++w->done;
  ts_run_record(w->run, w->best, 0.0, 0.0, 0);
}

static void test(walk *w)
{
  const ts_momentum_figures at = w->ops->measure(w->self, w->image);
  w->accurate = w->done >= TS_MOMENTUM_EFFORT && at.worst <= w->goal->velocity_error;
  if (!(at.error < w->best) && !w->accurate) return;
  w->best = at.error;
  w->ops->keep(w->self);
}

static int stall_interval(const ts_momentum_goal *goal)
{
  return goal->stall > 0 ? goal->stall : SWEEPS_A_STALL;
}

// Measure the swept point every few sweeps, and where its move says that it may be solved. False when the error has not
// fallen for long.
static bool gets_on(walk *w)
{
  if (w->done < w->next_test && w->move_length > 2.0 * w->goal->target) return true;
  w->next_test = w->done + SWEEPS_A_TEST;
  test(w);
  if (w->done < w->stall) return true;
  if (w->best > 0.5 * w->reference) return false;
  w->reference = w->best;
  w->stall = w->done + stall_interval(w->goal);
  return true;
}

// Whether a bold point is to be kept. A longer move is no harm where it points as the last one did: the drift goes on.
// Where it points elsewhere the step went too far.
static bool is_acceptable(const walk *w)
{
  if (!w->is_bold || w->move_length <= w->last_length) return true;
  const double along = cblas_ddot((int)w->a.length, w->move, 1, w->a.move, 1);
  return along > 0.5 * w->move_length * w->last_length && w->move_length < 4.0 * w->last_length;
}

static void turn_back(walk *w)
{
  memcpy(w->x, w->a.image, w->a.length * sizeof *w->x);
  forget(&w->a);
  w->leap = fmax(FIRST_LEAP, 0.25 * w->leap);
  w->is_bold = false;
}

static bool is_downstream(const walk *w, const double *x)
{
  double along = 0.0;
  for (size_t k = 0; k < w->a.length; ++k) along += (x[k] - w->x[k]) * w->move[k];
  return along > 0.0;
}

// From the swept point to the next x.
static void advance(walk *w)
{
  const size_t length = w->a.length;
  if (w->is_bold && w->move_length > w->last_length) forget(&w->a); // the differences are from before the fold
  learn(&w->a, w->image, w->move);
  w->last_length = w->move_length;
  w->is_bold = extrapolate(&w->a, w->trial);
  if (!w->is_bold) {
    memcpy(w->x, w->image, length * sizeof *w->x);
    return;
  }
  w->ops->project(w->self, w->trial);
  if (!is_downstream(w, w->trial)) {
    w->a.count = w->a.next = 0;
    for (size_t k = 0; k < length; ++k) w->trial[k] = w->image[k] + w->leap * w->move[k];
    w->ops->project(w->self, w->trial);
    w->leap = fmin(LONGEST_LEAP, 2.0 * w->leap);
  }
  memcpy(w->x, w->trial, length * sizeof *w->x);
}

static walk begin(const ts_anderson_ops *ops, void *self, const ts_anderson_start *start, const ts_momentum_goal *goal,
                  ts_run *run)
{
  const size_t length = start->length;
  walk w = {.ops = ops,
            .self = self,
            .goal = goal,
            .run = run,
            .x = ts_arena_zeros(run->arena, length),
            .image = ts_arena_doubles(run->arena, length),
            .move = ts_arena_doubles(run->arena, length),
            .trial = ts_arena_doubles(run->arena, length),
            .last_length = INFINITY,
            .leap = FIRST_LEAP,
            .stall = stall_interval(goal),
            .reference = start->error,
            .best = start->error};
  init_accelerator(&w.a, length, run->arena);
  if (start->x) memcpy(w.x, start->x, length * sizeof *w.x);
  return w;
}

static bool is_solved(const walk *w)
{
  return w->best <= w->goal->target || (w->done >= MANY_SWEEPS && w->best <= w->goal->will_do);
}

ts_outcome ts_anderson_run(const ts_anderson_ops *ops, void *self, const ts_anderson_start *start,
                           const ts_momentum_goal *goal, ts_run *run)
{
  const ts_arena_mark mark = ts_arena_save(run->arena);
  walk w = begin(ops, self, start, goal, run);
  ts_outcome outcome = TS_ITERATION_LIMIT;
  while (w.done < goal->most && ts_run_iterations_left(run) > 0) {
    sweep(&w);
    const bool moving = gets_on(&w);
    if (is_solved(&w) || w.accurate || !moving) {
      outcome = is_solved(&w) ? TS_SOLVED : w.accurate ? TS_ACCURATE : TS_STALLED;
      break;
    }
    if (ts_run_out_of_time(run)) {
      outcome = TS_TIME_LIMIT;
      break;
    }
    if (is_acceptable(&w))
      advance(&w);
    else
      turn_back(&w);
  }
  ts_arena_restore(run->arena, mark);
  return outcome;
}
