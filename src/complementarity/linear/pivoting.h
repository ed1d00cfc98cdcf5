// Complementary pivoting on a boxed problem, shared by the methods that do it: a basis with its values, the ratio test
// with its lexicographic tie-break, one pivot along a path, and the bases to start from.
//
// Every index i has z_i basic between its bounds and w_i = 0, or z_i at a bound and w_i basic with the sign that bound
// asks for. On a path one pair is excepted: in Lemke's method t is basic instead, in principal pivoting the w_i of one
// `distinguished` i is on its way to 0 while z_i moves.
#ifndef TS_COMPLEMENTARITY_LINEAR_PIVOTING_H
#define TS_COMPLEMENTARITY_LINEAR_PIVOTING_H

#include "complementarity/linear/basis.h"
#include "complementarity/linear/boxed.h"
#include "complementarity/solver.h"

#include "base/random.h"

typedef enum ts_side {
  TS_AT_LOWER, // z_i, not basic, lies there: w_i >= 0
  TS_AT_UPPER, // w_i <= 0
  TS_IDLE      // z_i cannot move (equal bounds, or free but in no regular basis): w_i may have any sign
} ts_side;

// The variable that enters, numbered as in basis.h, and which way it goes.
typedef struct ts_entering {
  int variable;
  double direction;
} ts_entering;

// A variable that stops the entering one: how fast it moves per unit of that, and how far it is from its bound.
typedef struct ts_blocker {
  int variable;
  double rate, room;
} ts_blocker;

typedef struct ts_pivoting {
  const ts_boxed *p;
  ts_run *run;
  ts_basis basis;
  ts_side *side;        // of every z; meaningful while it is not basic (n)
  double *z;            // values of z, then of t (n + 1)
  double *w;            // values of w (n)
  bool fresh;           // the values have been computed, not updated
  double *cover;        // d (n)
  int distinguished;    // the i whose w_i is driven to 0, or -1; with one, violated w do not block
  bool may_loop;        // the path does not begin on a ray, and may come back to where it began
  int pivots;           // of this run
  double *best;         // best point that ts_pivoting_keep_best() has seen (n)
  double best_residual; // and its natural map
  double *ray;          // direction of the last ray, scaled (n)
  double *home;         // z after the first pivot of the path (n + 1)
  double *core;         // scratch: values or rates of the core's variables (n + 1)
  ts_blocker *blockers; // scratch (n + 2)
  double *share;        // scratch: what eps_j does to the step to each of them (n + 2)
} ts_pivoting;

typedef enum ts_pivoting_end {
  TS_PIVOTING_GOES_ON,
  TS_PIVOTING_SOLVED, // t, or the distinguished variable, has left the basis
  TS_PIVOTING_RAY,    // nothing blocks the entering variable
  TS_PIVOTING_LIMIT,
  TS_PIVOTING_TIME,
  TS_PIVOTING_TROUBLE // rounding errors, or a loop
} ts_pivoting_end;

// Tolerances in the scaled problem, whose data is of size 1.
#define TS_PIVOTING_TIE         1e-12 // distance from a bound that counts as being there
#define TS_PIVOTING_FEASIBILITY 1e-10 // violation of a bound allowed in the final basis

void ts_pivoting_init(ts_pivoting *s, const ts_boxed *p, ts_run *run);

// The caller's z, scaled, when the options ask for a warm start; else NULL.
const double *ts_pivoting_warm_point(const ts_pivoting *s, const double *z);

// Bases to start from; the values are not computed yet. Cold: bounded variables at the bound next to 0, free ones
// basic. Random: some bounded ones basic as well. Warm: those basic that lie between their bounds in z (scaled); false
// when their core is singular.
void ts_pivoting_start_cold(ts_pivoting *s);
void ts_pivoting_start_random(ts_pivoting *s, ts_random *random);
bool ts_pivoting_start_warm(ts_pivoting *s, const double *z);

// Compute the values of all basic variables, factoring anew where the inverse has become inaccurate. False when that
// does not help.
bool ts_pivoting_refresh(ts_pivoting *s);

double ts_pivoting_size(const ts_pivoting *s); // of z and t, at least 1
double ts_pivoting_w_violation(const ts_pivoting *s, int i);
double ts_pivoting_worst_violation(const ts_pivoting *s); // of a bound, in a complementary basis
// Whether a complementary basis is a solution: bounds, and the equations of free variables that no basis holds at 0.
bool ts_pivoting_is_solution(const ts_pivoting *s);

// Move the entering variable by `step` along its direction, after ts_basis_column().
void ts_pivoting_move(ts_pivoting *s, ts_entering entering, double step);

// ts_basis_exchange() after ts_basis_column(), factoring anew once where the inverse has become inaccurate.
bool ts_pivoting_exchange(ts_pivoting *s, int entering, int leaving);

// Put what has left exactly on its bound. Returns its complement, with the direction that bound allows.
ts_entering ts_pivoting_leave(ts_pivoting *s, ts_blocker left);

// Pivot until the path ends. `entering` is the variable to begin with. t may come down from infinity.
ts_pivoting_end ts_pivoting_follow(ts_pivoting *s, ts_entering entering);

// Remember the present point, put into its bounds, when its natural map is the smallest so far.
void ts_pivoting_keep_best(ts_pivoting *s);

// Hand the best point over, and the ray when that was the end. Returns the outcome that belongs to the end.
ts_outcome ts_pivoting_finish(const ts_pivoting *s, const ts_problem *problem, ts_pivoting_end end, double *z);

#endif
