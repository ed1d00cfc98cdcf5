#include "dynamics/anchor.h"

#include "dynamics/redundancy.h"
#include "math/panel.h"

#include "base/assert.h"
#include "base/hot.h"

#include <string.h>

// Of joints with one freedom; a constant number lets the compiler unroll.
enum { USUAL_ROWS = 5 };

// ---- who holds whom ------------------------------------------------------------------------------------------------

static bool begins_source(const ts_bilateral_row *rows, int i)
{
  return i == 0 || rows[i].source != rows[i - 1].source;
}

// The side of the only dynamic body of a row, or -1.
static int only_side(const ts_bilateral_row *row)
{
  const bool first = row->row.body[0] >= 0, second = row->row.body[1] >= 0;
  return row->further_count > 0 || first == second ? -1 : second;
}

// How many sources there are, -1 where one does not hold one body for itself. `held` (body_count) is false before.
static int count_sources(const ts_bilateral_row *rows, int count, bool *held)
{
  int sources = 0;
  for (int i = 0; i < count; ++i) {
    if (!begins_source(rows, i)) continue;
    const int side = only_side(&rows[i]);
    if (side < 0 || held[rows[i].row.body[side]]) return -1;
    held[rows[i].row.body[side]] = true;
    ++sources;
  }
  return sources;
}

static int count_anchors(const ts_model *model, const ts_bilateral_row *rows, int count, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  const size_t bodies = (size_t)model->body_count;
  bool *held = ts_arena_bytes(arena, bodies, sizeof *held);
  memset(held, 0, bodies * sizeof *held);
  const int sources = count_sources(rows, count, held);
  ts_arena_restore(arena, mark);
  return sources;
}

// ---- factorization -------------------------------------------------------------------------------------------------

TS_INLINE void flatten(const ts_twist *v, double *to)
{
  const double numbers[6] = {v->linear.x, v->linear.y, v->linear.z, v->angular.x, v->angular.y, v->angular.z};
  memcpy(to, numbers, sizeof numbers);
}

TS_INLINE double product(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

// L^-1 of the responses, all six components at once.
TS_INLINE void set_halves(ts_body_anchor *a, const int n)
{
  memcpy(a->half, a->response, (size_t)n * sizeof a->half[0]);
  for (int c = 0; c < n; ++c) {
    for (int k = 0; k < 6; ++k) a->half[c][k] *= a->factor[c + c * n];
    for (int r = c + 1; r < n; ++r)
      for (int k = 0; k < 6; ++k) a->half[r][k] -= a->factor[r + c * n] * a->half[c][k];
  }
}

TS_INLINE void factor_rows(const ts_model *model, const ts_kinematics *kinematics, const ts_bilateral_row *rows,
                           bool *depends, ts_body_anchor *a, const int n)
{
  double jacobian[TS_SOURCE_ROWS][6], diagonal[TS_SOURCE_ROWS];
  for (int i = 0; i < n; ++i) {
    const ts_twist *row = &rows[i].row.jacobian[a->side];
    const ts_twist response = ts_respond(model, kinematics, a->body, (ts_wrench){row->linear, row->angular});
    flatten(row, jacobian[i]);
    flatten(&response, a->response[i]);
  }
  for (int c = 0; c < n; ++c) {
    for (int r = c; r < n; ++r) a->factor[r + c * n] = product(jacobian[r], a->response[c]);
    diagonal[c] = a->factor[c + c * n] += rows[c].softness;
    depends[c] = false;
  }
  ts_panel_factor(n, n, a->factor, diagonal, TS_PIVOT_ROUND_OFF, depends);
  set_halves(a, n);
}

TS_HOT static void factor_anchor(const ts_model *model, const ts_kinematics *kinematics, const ts_bilateral_row *rows,
                                 bool *depends, ts_body_anchor *a)
{
  if (a->count == USUAL_ROWS)
    factor_rows(model, kinematics, rows + a->first, depends + a->first, a, USUAL_ROWS);
  else
    factor_rows(model, kinematics, rows + a->first, depends + a->first, a, a->count);
}

ts_body_anchors ts_anchors_factor(const ts_model *model, const ts_kinematics *kinematics, const ts_bilateral_row *rows,
                                  int count, bool *depends, ts_arena *arena)
{
  ts_body_anchors list = {.count = count_anchors(model, rows, count, arena)};
  if (list.count < 0) return (ts_body_anchors){0};
  const size_t bodies = (size_t)model->body_count;
  ts_body_anchor *anchors = ts_arena_bytes(arena, (size_t)list.count, sizeof *anchors), *next = anchors;
  const ts_body_anchor **of_body = ts_arena_bytes(arena, bodies, sizeof *of_body);
  for (size_t b = 0; b < bodies; ++b) of_body[b] = NULL;
  for (int i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && !begins_source(rows, end);) ++end;
    TS_ASSERT(end - i <= TS_SOURCE_ROWS);
    next->side = only_side(&rows[i]);
    next->body = rows[i].row.body[next->side];
    next->first = i;
    next->count = end - i;
    factor_anchor(model, kinematics, rows, depends, next);
    of_body[next->body] = next;
    ++next;
  }
  list.anchors = anchors;
  list.of_body = of_body;
  return list;
}

// ---- motion --------------------------------------------------------------------------------------------------------

TS_INLINE void relax(const ts_body_anchor *a, const ts_bilateral_row *rows, bool biased, ts_twist *velocity,
                     double *impulse, const int n)
{
  double v[6], x[TS_SOURCE_ROWS];
  flatten(velocity, v);
  for (int i = 0; i < n; ++i) {
    const ts_bilateral_row *row = &rows[i];
    x[i] = -(ts_twist_dot(row->row.jacobian[a->side], *velocity) + row->softness * impulse[i] +
             (biased ? row->bias : 0.0));
  }
  ts_panel_solve(a->factor, n, n, x);
  ts_panel_solve_transposed(a->factor, n, n, x);
  for (int i = 0; i < n; ++i) {
    impulse[i] += x[i];
    for (int k = 0; k < 6; ++k) v[k] += x[i] * a->response[i][k];
  }
  *velocity = (ts_twist){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}

TS_HOT void ts_anchors_relax(const ts_body_anchors *list, const ts_bilateral_row *rows, bool biased, ts_twist *velocity,
                             double *impulse)
{
  for (int i = 0; i < list->count; ++i) {
    const ts_body_anchor *a = &list->anchors[i];
    if (a->count == USUAL_ROWS)
      relax(a, rows + a->first, biased, &velocity[a->body], impulse + a->first, USUAL_ROWS);
    else
      relax(a, rows + a->first, biased, &velocity[a->body], impulse + a->first, a->count);
  }
}

// ---- Delassus ------------------------------------------------------------------------------------------------------

// What a body's rows take from the product of two other rows on it.
static double taken(const ts_body_anchor *a, const ts_twist *g, const ts_twist *h)
{
  double x[6], y[6], sum = 0.0;
  flatten(g, x);
  flatten(h, y);
  for (int k = 0; k < a->count; ++k) sum += product(a->half[k], x) * product(a->half[k], y);
  return sum;
}

void ts_anchors_delassus(const ts_body_anchors *list, const ts_row *rows, int columns, double *C)
{
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i <= j; ++i) {
      double sum = 0.0;
      for (int s = 0; s < 2; ++s)
        for (int t = 0; t < 2; ++t) {
          const int body = rows[j].body[t];
          if (body >= 0 && rows[i].body[s] == body && list->of_body[body])
            sum += taken(list->of_body[body], &rows[i].jacobian[s], &rows[j].jacobian[t]);
        }
      const size_t n = (size_t)columns, at = (size_t)i, to = (size_t)j;
      C[to * n + at] = C[at * n + to] = -sum;
    }
}
