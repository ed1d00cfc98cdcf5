// The pivot of a joint row, relative to its diagonal entry, is the squared sine of the angle between the row and the
// span of those eliminated before it, in the metric of kinetic energy. That it is small has two reasons, and they call
// for opposite treatment.
//
// Small masses: a light link between two heavy bodies has pivots as small as the ratio of the masses. These rows are
// meant. In a tree of joints there is no other reason, and all that may be dropped is round-off, mostly of rows that
// are zero (turning a body that has no rotation).
//
// Redundancy in closed loops, such as the rows that keep a planar four-bar linkage in its plane. Joints are never
// closed exactly; with errors of size e (angles, or lengths against the lever arms) redundant rows miss being dependent
// by angles of that order, and taking them at their word locks the linkage: one that tumbles at 3.6 rad/s with steps of
// 5 ms turns its crank by 0.17 rad instead of 0.99. So where there are loops, A is factored twice: first with a metric
// in which all bodies weigh the same and small pivots come from geometry alone, and rows are dropped whose sine is
// below three times the present errors of their linkage, at least 1e-5 (pivot 1e-10, far above round-off). At most
// 0.03: a loop that was torn open still holds. Linkages over-constrained beyond that by bad axes do lock, as in steel.
#include "dynamics/redundancy.h"

#include "math/disjoint_sets.h"

#include <string.h>

static const double LEAST_SINE = 1e-5, SLACK = 3.0;

// What is known of a set of bodies that rigid rows join.
typedef struct linkage {
  int bodies, inner, anchors; // joints between its bodies, and to the world
  ts_loop_errors errors;
} linkage;

static bool is_rigid(const ts_bilateral_row *row)
{
  return row->softness == 0.0;
}

// A dynamic body of the row, or -1
static int some_body(const ts_row *row)
{
  return row->body[0] >= 0 ? row->body[0] : row->body[1];
}

static bool joins_two(const ts_row *row)
{
  return row->body[0] >= 0 && row->body[1] >= 0;
}

void ts_note_errors(const ts_bilateral_row *row, ts_loop_errors *errors)
{
  const ts_row *r = &row->row;
  const ts_vec3 push = r->jacobian[r->body[1] >= 0].linear;
  if (ts_dot(push, push) == 0.0) {
    errors->turn = fmax(errors->turn, fabs(row->error));
    return;
  }
  errors->slide = fmax(errors->slide, fabs(row->error));
  for (int side = 0; side < 2; ++side)
    if (r->body[side] >= 0) errors->arm = fmax(errors->arm, ts_length(r->jacobian[side].angular));
}

double ts_dependence(const ts_loop_errors *errors)
{
  const double error = fmax(errors->turn, errors->arm > 0.0 ? errors->slide / errors->arm : 0.0);
  const double sine = fmin(fmax(LEAST_SINE, SLACK * error), TS_LARGEST_SINE);
  return sine * sine;
}

static void note_block(const ts_bilateral_row *rows, int count, linkage *l)
{
  if (joins_two(&rows->row))
    ++l->inner;
  else
    ++l->anchors;
  for (int i = 0; i < count; ++i) ts_note_errors(&rows[i], &l->errors);
}

static bool is_closed(const linkage *l)
{
  return l->anchors > 1 || l->inner >= l->bodies;
}

static double threshold(const linkage *l)
{
  return is_closed(l) ? ts_dependence(&l->errors) : TS_PIVOT_ROUND_OFF;
}

bool ts_find_loops(const ts_model *model, const ts_bilateral_row *rows, int blocks, const int *first, double *relative,
                   double *arm, ts_arena *arena)
{
  const int bodies = model->body_count;
  const ts_arena_mark mark = ts_arena_save(arena);
  int *parent = ts_arena_ints(arena, (size_t)bodies);
  linkage *linkages = ts_arena_bytes(arena, (size_t)bodies, sizeof *linkages); // by representative
  memset(linkages, 0, (size_t)bodies * sizeof *linkages);
  for (int i = 0; i < bodies; ++i) parent[i] = i;
  for (int b = 0; b < blocks; ++b) {
    const ts_row *row = &rows[first[b]].row;
    if (is_rigid(&rows[first[b]]) && joins_two(row)) ts_join_sets(parent, row->body[0], row->body[1]);
  }
  for (int i = 0; i < bodies; ++i) ++linkages[ts_find_set(parent, i)].bodies;
  for (int b = 0; b < blocks; ++b) {
    const int body = some_body(&rows[first[b]].row);
    if (body >= 0 && is_rigid(&rows[first[b]]))
      note_block(rows + first[b], first[b + 1] - first[b], &linkages[ts_find_set(parent, body)]);
  }
  bool closed = false;
  for (int b = 0; b < blocks; ++b) {
    const int body = some_body(&rows[first[b]].row);
    const linkage *l = body >= 0 ? &linkages[ts_find_set(parent, body)] : NULL;
    closed = closed || (l && is_closed(l));
    relative[b] = l ? threshold(l) : TS_PIVOT_ROUND_OFF;
  }
  for (int i = 0; i < bodies; ++i) arm[i] = linkages[ts_find_set(parent, i)].errors.arm;
  ts_arena_restore(arena, mark);
  return closed;
}

ts_twist ts_respond_geometrically(const ts_model *model, const ts_kinematics *kinematics, int body, double arm,
                                  ts_twist jacobian)
{
  const ts_mat3 *I = &kinematics->inverse_inertia[body];
  const double largest = fmax(fmax(I->x.x, I->y.y), I->z.z), length = arm > 0.0 ? arm : 1.0;
  const double turn = largest > 0.0 ? 1.0 / (largest * length * length) : 0.0;
  return (ts_twist){ts_scale(model->bodies[body].inverse_mass > 0.0, jacobian.linear),
                    ts_scale(turn, ts_mul(I, jacobian.angular))};
}
