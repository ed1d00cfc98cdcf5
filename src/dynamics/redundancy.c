// The pivot of a joint row, relative to its diagonal entry, is the squared sine of the angle (in the metric of kinetic
// energy) between the row and the span of those eliminated before it. That it is small has two reasons, and they call
// for opposite treatment:
//
// In a tree of joints no row depends on the others, and small pivots come from small masses: a light link between two
// heavy bodies has pivots as small as the ratio of the masses. All that may be dropped there is round-off, mostly of
// rows that are zero (turning a body that has no rotation).
//
// In a closed loop rows can be redundant, such as those that keep a planar four-bar linkage in its plane. Joints are
// never closed exactly; with errors of size e (angles, or lengths against the arms) redundant rows differ from being
// dependent by angles of that order, and taking them at their word would lock the mechanism. So a row is dropped whose
// sine is below ten times the present errors of its loop, and at least 1e-5. Linkages over-constrained by bad axes
// beyond that do lock, as they would in steel.
#include "dynamics/redundancy.h"

#include "math/disjoint_sets.h"

#include <string.h>

static const double ROUND_OFF = 1e-14, LEAST_SINE = 1e-5, SLACK = 10.0;

// What is known of a set of bodies that rigid rows join.
typedef struct linkage {
  int bodies, inner, anchors; // joints between its bodies, and to the world
  double turn, slide, arm;    // largest errors [rad, m], and lever arm [m]
} linkage;

static bool is_rigid(const ts_bilateral_row *row)
{
  return row->softness == 0.0;
}

static void join_bodies(const ts_bilateral_row *rows, int blocks, const int *first, int *parent)
{
  for (int b = 0; b < blocks; ++b) {
    const ts_bilateral_row *row = &rows[first[b]];
    if (is_rigid(row) && row->row.body[0] >= 0 && row->row.body[1] >= 0)
      ts_join_sets(parent, row->row.body[0], row->row.body[1]);
  }
}

// A dynamic body of the row, or -1
static int some_body(const ts_row *row)
{
  return row->body[0] >= 0 ? row->body[0] : row->body[1];
}

static void note_row(const ts_bilateral_row *row, linkage *l)
{
  const ts_row *r = &row->row;
  const int side = r->body[1] >= 0;
  const bool slides = ts_dot(r->jacobian[side].linear, r->jacobian[side].linear) > 0.0;
  if (!slides) {
    l->turn = fmax(l->turn, fabs(row->error));
    return;
  }
  l->slide = fmax(l->slide, fabs(row->error));
  for (int s = 0; s < 2; ++s)
    if (r->body[s] >= 0) l->arm = fmax(l->arm, ts_length(r->jacobian[s].angular));
}

static double threshold(const linkage *l)
{
  const bool tree = l->anchors <= 1 && l->inner < l->bodies;
  if (tree) return ROUND_OFF;
  const double error = fmax(l->turn, l->arm > 0.0 ? l->slide / l->arm : 0.0);
  const double sine = fmin(fmax(LEAST_SINE, SLACK * error), 0.5); // a loop that is torn open still holds
  return sine * sine;
}

void ts_pivot_thresholds(const ts_model *model, const ts_bilateral_row *rows, int blocks, const int *first,
                         double *relative, ts_arena *arena)
{
  const size_t bodies = (size_t)model->body_count;
  const ts_arena_mark mark = ts_arena_save(arena);
  int *parent = ts_arena_ints(arena, bodies);
  linkage *linkages = ts_arena_bytes(arena, bodies, sizeof *linkages); // by representative
  memset(linkages, 0, bodies * sizeof *linkages);
  for (int i = 0; i < model->body_count; ++i) parent[i] = i;
  join_bodies(rows, blocks, first, parent);
  for (int i = 0; i < model->body_count; ++i) ++linkages[ts_find_set(parent, i)].bodies;
  for (int b = 0; b < blocks; ++b) {
    const ts_row *row = &rows[first[b]].row;
    if (!is_rigid(&rows[first[b]]) || some_body(row) < 0) continue;
    linkage *l = &linkages[ts_find_set(parent, some_body(row))];
    if (row->body[0] >= 0 && row->body[1] >= 0)
      ++l->inner;
    else
      ++l->anchors;
    for (int i = first[b]; i < first[b + 1]; ++i) note_row(&rows[i], l);
  }
  for (int b = 0; b < blocks; ++b) {
    const int body = some_body(&rows[first[b]].row);
    const bool rigid = is_rigid(&rows[first[b]]) && body >= 0;
    relative[b] = rigid ? threshold(&linkages[ts_find_set(parent, body)]) : ROUND_OFF;
  }
  ts_arena_restore(arena, mark);
}
