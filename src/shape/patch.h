// Patches: the piece of a part's surface that faces the other part along the common normal of a contact. A patch is a
// convex set seen along the normal (its shadow) and an affine height over it: a point, a segment, a polygon or a disc.
// The touches of a pair are the corners of the overlap of two shadows, lifted to both patches.
#ifndef TS_SHAPE_PATCH_H
#define TS_SHAPE_PATCH_H

#include "shape/touch_list.h"

typedef enum ts_patch_kind { TS_PATCH_POINT, TS_PATCH_SEGMENT, TS_PATCH_POLYGON, TS_PATCH_DISC } ts_patch_kind;

enum { TS_PATCH_CACHED = 8 }; // corners of a polygon that are kept; those of larger ones are computed when asked for

// Corners and sides of a quadrangle component by component: four sides are looked at together.
typedef struct ts_quadrangle {
  double corner[3][4], side[3][4];
} ts_quadrangle;

typedef struct ts_patch {
  ts_patch_kind kind;
  ts_vec3 outward;  // the direction the patch faces: the common normal, or against it
  ts_vec3 normal;   // polygon, disc: of its plane, outward
  ts_vec3 base;     // polygon, disc: a point of its plane
  uint32_t feature; // of the patch as a whole

  // segment: the line from corners[0] to corners[1], and the points that stand for its ends: where the end of a capsule
  // is tilted its lowest point is not on the line
  ts_vec3 ends[2];
  uint32_t end_features[2];
  const ts_convex *round; // the round part that it is a line of; or NULL
  double radii[2];        // its radii of curvature at corners[0] and corners[1]; 0 for edges
  int edge[2];            // else vertices of the hull; -1 in the plane

  // polygon, segment
  const ts_hull *hull;
  const ts_frame *frame;

  // polygon
  const int *loop; // vertices of the hull
  int count;
  ts_vec3 corners[TS_PATCH_CACHED], sides[TS_PATCH_CACHED]; // side j, from corner j, as its inward normal in the shadow
  ts_quadrangle four;                                       // the same where there are four

  // disc
  double radius;
  ts_vec3 axes[2]; // in its plane; rim points are counted from the first towards the second
  int cap;         // of a round part: 0 below, 1 above
} ts_patch;

// The hull of a box or polytope whose faces and edges make patches.
const ts_hull *ts_patch_hull(const ts_convex *part);

// What a part offers along a direction: how flat it is there, and the patches that come into question.
typedef struct ts_facing {
  double flatness; // cosine between the direction and the normal of the flattest face there; 0: no flat face
  int face;        // that face of a hull
  int edge[2];     // vertices of the hull's edge that is nearest to being across the direction
} ts_facing;

// Parts are flat towards each other when the common normal is within 0.02 rad of the normal of a face. Stacked boxes
// that are tilted a little keep the corners of their faces, also while the normal is that of two of their edges.
#define TS_PATCH_FLAT 0.9998

// `outward` has unit length, in the frame around the part.
ts_facing ts_patch_look(const ts_convex *part, const ts_frame *frame, ts_vec3 outward);

// The widest patch along `outward`: a face, a cap or a line.
void ts_patch_widest(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing,
                     ts_patch *patch);

// The narrower patch for contacts of which no side is flat: an edge, a line or a point.
void ts_patch_edge(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing,
                   ts_patch *patch);

// The same for parts that are hulls, for tables of kinds.
ts_facing ts_hull_look(const ts_convex *part, ts_vec3 direction);
ts_vec3 ts_hull_face_normal(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing);
void ts_hull_widest(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing,
                    ts_patch *patch);
void ts_hull_edge(const ts_convex *part, const ts_frame *frame, ts_vec3 outward, const ts_facing *facing,
                  ts_patch *patch);

// A point: no surface faces the direction but around it.
void ts_patch_point(ts_patch *patch);

// The boundary of a half-space: a polygon without sides.
void ts_patch_plane(ts_vec3 normal, ts_vec3 base, ts_patch *patch);

// A face of a hull, or of a box.
void ts_patch_face(const ts_hull *hull, const ts_frame *frame, ts_vec3 outward, int face, ts_patch *patch);

// An edge of a hull, as two of its vertices.
void ts_patch_hull_edge(const ts_hull *hull, const ts_frame *frame, ts_vec3 outward, const int edge[2],
                        ts_patch *patch);

// The segment between two points of a part.
void ts_patch_segment(ts_vec3 start, ts_vec3 end, ts_vec3 outward, ts_patch *patch);

// The surface around a line, over a point of the shadow: of the round part, or of the faces that meet in the edge.
// False where the point is beside the part. `size` as below.
bool ts_patch_surface_over(const ts_patch *line, ts_vec3 x, double size, ts_vec3 *y);

// Touches of two patches along `normal`, which points from b's to a's. `size` is a length of the smaller part, which
// tolerances are shares of. None where a patch is a point or where the shadows do not overlap; of lines that cross the
// ends of what is side by side, where the surfaces around them are within the margin. `meet`: the shadows are known to
// meet, if only in a point; otherwise that is for the touches to prove, and where outlines miss each other by rounding
// there are none.
void ts_patch_overlap(ts_patch *a, ts_patch *b, ts_vec3 normal, double size, bool meet, ts_touch_list *list);

#endif
