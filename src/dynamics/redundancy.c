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
//
// Gears close no loop: their matrix over the coordinates is triangular, no row of one depends on others. What they join
// can be redundant where a loop of joints is among it, or where several drives without a largest force are.
#include "dynamics/redundancy.h"

#include "math/disjoint_sets.h"

#include <string.h>

static const double LEAST_SINE = 1e-5, SLACK = 3.0;

// What is known of a set of bodies that rigid rows join.
typedef struct linkage {
  int bodies, inner, anchors; // joints between its bodies, and to the world
  int drives;                 // that are rigid
  bool is_closed;             // rows can depend on each other
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

static void note_errors(const ts_loop_errors *from, ts_loop_errors *errors)
{
  errors->turn = fmax(errors->turn, from->turn);
  errors->slide = fmax(errors->slide, from->slide);
  errors->arm = fmax(errors->arm, from->arm);
}

static void note_block(const ts_bilateral_row *rows, int count, linkage *l)
{
  const bool two = joins_two(&rows->row);
  if (!rows->is_gear) l->inner += two, l->anchors += !two;
  for (int i = 0; i < count; ++i) {
    ts_note_errors(&rows[i], &l->errors);
    l->drives += rows[i].drives && is_rigid(&rows[i]);
  }
}

static double threshold(const linkage *l)
{
  return l->is_closed ? ts_dependence(&l->errors) : TS_PIVOT_ROUND_OFF;
}

// Rows in blocks, and linkages by the representatives of their bodies.
typedef struct row_blocks {
  const ts_bilateral_row *rows;
  int count;
  const int *first;
  int bodies, *parent;
  linkage *linkages;
} row_blocks;

static linkage *linkage_of(const row_blocks *b, int block)
{
  const int body = some_body(&b->rows[b->first[block]].row);
  return body >= 0 ? &b->linkages[ts_find_set(b->parent, body)] : NULL;
}

static void find_linkages(const row_blocks *b)
{
  for (int i = 0; i < b->count; ++i) {
    const ts_bilateral_row *row = &b->rows[b->first[i]];
    if (is_rigid(row) && !row->is_gear) ts_join_bodies(row, b->parent);
  }
  for (int i = 0; i < b->bodies; ++i) ++b->linkages[ts_find_set(b->parent, i)].bodies;
  for (int i = 0; i < b->count; ++i) {
    linkage *l = linkage_of(b, i);
    if (l && is_rigid(&b->rows[b->first[i]])) note_block(b->rows + b->first[i], b->first[i + 1] - b->first[i], l);
  }
  for (int i = 0; i < b->bodies; ++i) {
    linkage *l = &b->linkages[i];
    l->is_closed = l->anchors > 1 || (l->bodies > 0 && l->inner >= l->bodies);
  }
}

// Linkages that gears join become one.
static void join_geared_linkages(const row_blocks *b, ts_arena *arena)
{
  bool *was_apart = ts_arena_bytes(arena, (size_t)b->bodies, sizeof *was_apart), any = false;
  for (int i = 0; i < b->bodies; ++i) was_apart[i] = b->parent[i] == i;
  for (int i = 0; i < b->count; ++i) {
    const ts_bilateral_row *row = &b->rows[b->first[i]];
    if (row->is_gear) ts_join_bodies(row, b->parent);
    any = any || row->is_gear;
  }
  for (int i = 0; any && i < b->bodies; ++i) {
    linkage *l = &b->linkages[ts_find_set(b->parent, i)], *own = &b->linkages[i];
    if (!was_apart[i] || l == own) continue;
    note_errors(&own->errors, &l->errors);
    l->drives += own->drives;
    l->is_closed = l->is_closed || own->is_closed;
  }
  for (int i = 0; i < b->count; ++i) {
    linkage *l = b->rows[b->first[i]].is_gear ? linkage_of(b, i) : NULL;
    if (l) l->is_closed = l->is_closed || l->drives > 1;
  }
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
  const row_blocks b = {rows, blocks, first, bodies, parent, linkages};
  find_linkages(&b);
  if (model->gear_count > 0) join_geared_linkages(&b, arena);
  bool closed = false;
  for (int i = 0; i < blocks; ++i) {
    const linkage *l = linkage_of(&b, i);
    closed = closed || (l && l->is_closed);
    relative[i] = l ? threshold(l) : TS_PIVOT_ROUND_OFF;
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
