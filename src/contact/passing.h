// Parts that pass each other. Convex parts are apart when they are so along any one direction, and a contact asks for
// one: that of the signed distance now. Where a part is about to slide over the edge of another, level with its face,
// that is the wrong one: the nearest points say "in front", while at the end of the step the parts are apart along the
// normal of the face, as they are now. So where touches would stop the parts in the time ahead, these are moved on by
// it as they move now, and the direction that parts them there is taken, if it parts them now as well: parts that
// translate and are apart along a direction at the start and at the end are so all the way.
#ifndef TS_CONTACT_PASSING_H
#define TS_CONTACT_PASSING_H

#include "math/vec3.h"
#include "shape/manifold.h"

// Of the smaller part's size: overlap along a direction that still counts as none, more than certified steps leave.
static const double TS_FLUSH = 1e-6;

// A part that goes on with the twist of its body about `centre`.
typedef struct ts_mover {
  const ts_convex *convex;
  const ts_frame *frame;
  const ts_vec3 *centre;
  const ts_twist *twist;
} ts_mover;

// How far to look.
typedef struct ts_outlook {
  double time;   // ahead [s]
  double closed; // touches whose gaps are larger, of their distance from a's centre and the origin, do not count
} ts_outlook;

// The least gap that the touches of two parts would have ahead, by their rates; INFINITY where none closes beyond
// round-off.
double ts_passing_gap(const ts_mover *a, const ts_mover *b, const ts_touch *touches, int count,
                      const ts_outlook *outlook, double size);

// Where the parts are after `time`.
ts_frame ts_mover_ahead(const ts_mover *mover, double time);

// Whether the touches `ahead`, of the parts where they are after `time`, shall stand for those of now, which close to
// `gap` (ts_passing_gap()): they must leave half of that overlap at most, or else it is an impact, and the direction of
// now is as good. `covered`: those of now belong to no surface, so that any others are better.
bool ts_passing_is_free(const ts_mover *a, const ts_mover *b, const ts_touch *ahead, int count, double gap,
                        bool covered, double size);

// Bring touches found after `time` back to now: where the points are, with gaps that close to those found.
void ts_passing_take_back(const ts_mover *a, const ts_mover *b, double time, ts_touch *touches, int count);

#endif
