#include "shape/outline.h"

#include "shape/scratch.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// ---- corners ----

typedef struct corner {
  double x, y;
  int given; // its number in the polygon as it was given, from 1
} corner;

typedef struct outline {
  corner *corners; // counter-clockwise, none straight
  int count;
  double tolerance; // [m]
} outline;

static double cross(corner a, corner b, corner c) // (b - a) x (c - b)
{
  return (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
}

static double apart(corner a, corner b)
{
  return hypot(b.x - a.x, b.y - a.y);
}

// How far the shorter of the edges ab and bc leaves the line of the other; positive for a turn to the left.
static double bend(corner a, corner b, corner c)
{
  return cross(a, b, c) / fmax(apart(a, b), apart(b, c));
}

static bool turns_back(corner a, corner b, corner c)
{
  return (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y) < 0.0;
}

static double signed_area(const outline *o)
{
  double sum = 0.0;
  for (int i = 2; i < o->count; ++i) sum += cross(o->corners[0], o->corners[i - 1], o->corners[i]);
  return 0.5 * sum;
}

static void reverse(outline *o)
{
  for (int i = 0, j = o->count - 1; i < j; ++i, --j) {
    const corner swapped = o->corners[i];
    o->corners[i] = o->corners[j];
    o->corners[j] = swapped;
  }
}

static double extent_of(const outline *o)
{
  double extent = 0.0;
  for (int i = 1; i < o->count; ++i)
    extent = fmax(extent, fmax(fabs(o->corners[i].x - o->corners[0].x), fabs(o->corners[i].y - o->corners[0].y)));
  return extent;
}

static ts_status refuse_repeated(const outline *o, ts_error *error)
{
  for (int i = 0; i < o->count; ++i) {
    const corner a = o->corners[i], b = o->corners[(i + 1) % o->count];
    if (apart(a, b) <= o->tolerance)
      return ts_fail(error, TS_INVALID, "corners %d and %d of a polygon are at one place", a.given, b.given);
  }
  return TS_OK;
}

// Drop corners without a bend. Going back the way one came is no straight corner but a spike.
static ts_status drop_straight(outline *o, ts_error *error)
{
  int kept = 0;
  for (int i = 0; i < o->count; ++i) {
    const corner before = kept > 0 ? o->corners[kept - 1] : o->corners[o->count - 1];
    const corner here = o->corners[i], after = o->corners[(i + 1) % o->count];
    const bool straight = fabs(bend(before, here, after)) <= o->tolerance;
    if (straight && turns_back(before, here, after))
      return ts_fail(error, TS_INVALID, "a polygon turns back on itself at corner %d", here.given);
    if (!straight) o->corners[kept++] = here;
  }
  o->count = kept;
  if (kept < 3) return ts_fail(error, TS_INVALID, "a polygon has no area: its corners lie on a line");
  return TS_OK;
}

// ---- crossings ----

typedef struct edge {
  corner from, to;
  double low, high; // along x
  int number;       // from 0, around the polygon
} edge;

static int compare_edges(const void *left, const void *right)
{
  const edge *a = left, *b = right;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  return a->number < b->number ? -1 : 1;
}

static double distance_to_edge(const edge *e, corner p)
{
  const double dx = e->to.x - e->from.x, dy = e->to.y - e->from.y;
  const double t = ((p.x - e->from.x) * dx + (p.y - e->from.y) * dy) / (dx * dx + dy * dy);
  const double along = fmin(fmax(t, 0.0), 1.0);
  return hypot(p.x - e->from.x - along * dx, p.y - e->from.y - along * dy);
}

static bool separates(const edge *e, corner p, corner q)
{
  return (cross(e->from, e->to, p) > 0.0) != (cross(e->from, e->to, q) > 0.0);
}

static bool touch(const edge *a, const edge *b, double tolerance)
{
  if (separates(a, b->from, b->to) && separates(b, a->from, a->to)) return true;
  return distance_to_edge(a, b->from) <= tolerance || distance_to_edge(a, b->to) <= tolerance ||
         distance_to_edge(b, a->from) <= tolerance || distance_to_edge(b, a->to) <= tolerance;
}

static bool are_neighbours(const edge *a, const edge *b, int count)
{
  const int step = abs(a->number - b->number);
  return step == 1 || step == count - 1;
}

// Edges sorted by where they begin along x: only those whose ranges overlap are compared.
static ts_status refuse_crossings(const outline *o, ts_arena *scratch, ts_error *error)
{
  edge *edges = ts_arena_bytes(scratch, (size_t)o->count, sizeof *edges);
  for (int i = 0; i < o->count; ++i) {
    const corner from = o->corners[i], to = o->corners[(i + 1) % o->count];
    edges[i] = (edge){from, to, fmin(from.x, to.x) - o->tolerance, fmax(from.x, to.x) + o->tolerance, i};
  }
  qsort(edges, (size_t)o->count, sizeof *edges, compare_edges);
  for (int i = 0; i < o->count; ++i)
    for (int j = i + 1; j < o->count && edges[j].low <= edges[i].high; ++j) {
      const edge *a = edges + i, *b = edges + j;
      if (are_neighbours(a, b, o->count) || !touch(a, b, o->tolerance)) continue;
      return ts_fail(error, TS_INVALID, "a polygon crosses or touches itself: its edges at corners %d and %d meet",
                     a->from.given, b->from.given);
    }
  return TS_OK;
}

static ts_status take_corners(const ts_vec3 *given, int count, ts_arena *scratch, outline *o, ts_error *error)
{
  *o = (outline){ts_arena_bytes(scratch, (size_t)count, sizeof *o->corners), count, 0.0};
  for (int i = 0; i < count; ++i) o->corners[i] = (corner){given[i].x, given[i].y, i + 1};
  const double extent = extent_of(o);
  double coordinate = 0.0;
  for (int i = 0; i < count; ++i) coordinate = fmax(coordinate, fmax(fabs(given[i].x), fabs(given[i].y)));
  o->tolerance = fmax(TS_OUTLINE_TOLERANCE * extent, 4.0 * DBL_EPSILON * coordinate);
  TS_TRY(refuse_repeated(o, error));
  TS_TRY(drop_straight(o, error));
  TS_TRY(refuse_crossings(o, scratch, error));
  const double area = signed_area(o);
  if (!(fabs(area) > o->tolerance * extent)) return ts_fail(error, TS_INVALID, "a polygon has no area");
  if (area < 0.0) reverse(o);
  return TS_OK;
}

// ---- cutting: ears off, then cuts away that no corner needs (Hertel and Mehlhorn 1983) ----

// A directed edge of a piece. Boundary edges have no twin.
typedef struct half_edge {
  int from;       // corner
  int next, prev; // around the piece
  int twin;       // on the other side of a cut, or -1
  bool gone;      // its cut was taken away
} half_edge;

typedef struct cutting {
  const outline *outline;
  half_edge *edges;
  int count;
  bool *is_convex; // of an edge of the ring that is left: the corner it begins at bends to the left
  bool *is_ear;    // and can be cut off
} cutting;

static corner corner_at(const cutting *c, int e)
{
  return c->outline->corners[c->edges[e].from];
}

static bool find_convex(const cutting *c, int e)
{
  const half_edge *at = c->edges + e;
  return bend(corner_at(c, at->prev), corner_at(c, e), corner_at(c, at->next)) > c->outline->tolerance;
}

static bool is_inside(corner a, corner b, corner d, corner p)
{
  return cross(a, b, p) >= 0.0 && cross(b, d, p) >= 0.0 && cross(d, a, p) >= 0.0;
}

// Whether no other corner lies in the triangle at the beginning of e, boundary included. Only corners that are not
// convex need a look: were a convex one inside, so were one of these.
static bool find_ear(const cutting *c, int e)
{
  const int before = c->edges[e].prev, after = c->edges[e].next;
  if (!c->is_convex[e]) return false;
  const corner a = corner_at(c, before), b = corner_at(c, e), d = corner_at(c, after);
  for (int other = c->edges[after].next; other != before; other = c->edges[other].next)
    if (!c->is_convex[other] && is_inside(a, b, d, corner_at(c, other))) return false;
  return true;
}

static void link(cutting *c, int first, int second)
{
  c->edges[first].next = second;
  c->edges[second].prev = first;
}

static int add_edge(cutting *c, int from, int twin)
{
  c->edges[c->count] = (half_edge){.from = from, .twin = twin};
  return c->count++;
}

// Cut the corner at the beginning of e off the ring; returns the ring's new edge.
static int cut_ear(cutting *c, int e)
{
  const int first = c->edges[e].prev, before = c->edges[first].prev, after = c->edges[e].next;
  const int inside = add_edge(c, c->edges[first].from, c->count + 1);
  const int closing = add_edge(c, c->edges[after].from, inside);
  link(c, before, inside);
  link(c, inside, after);
  link(c, e, closing);
  link(c, closing, first);
  return inside;
}

// The ear with the shortest cut: pieces stay compact.
static int best_ear(const cutting *c, int ring)
{
  int best = -1;
  double shortest = INFINITY;
  int e = ring;
  do {
    const corner from = corner_at(c, c->edges[e].prev), to = corner_at(c, c->edges[e].next);
    const double square = (to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y);
    if (c->is_ear[e] && square < shortest) best = e, shortest = square;
    e = c->edges[e].next;
  } while (e != ring);
  return best;
}

// The polygon as one ring; returns how many of its corners are not convex.
static int start_ring(cutting *c)
{
  const int count = c->outline->count;
  for (int i = 0; i < count; ++i) c->edges[c->count++] = (half_edge){.from = i, .twin = -1};
  for (int i = 0; i < count; ++i) link(c, i, (i + 1) % count);
  int reflex = 0;
  for (int i = 0; i < count; ++i) {
    c->is_convex[i] = find_convex(c, i);
    reflex += !c->is_convex[i];
  }
  return reflex;
}

static ts_status cut_all_ears(cutting *c, ts_error *error)
{
  const int count = c->outline->count;
  for (int i = 0; i < count; ++i) c->is_ear[i] = find_ear(c, i);
  for (int left = count, ring = 0; left > 3; --left) {
    const int ear = best_ear(c, ring);
    if (ear < 0) return ts_fail(error, TS_INVALID, "a polygon is too thin somewhere to be cut into convex pieces");
    ring = cut_ear(c, ear);
    const int changed[2] = {ring, c->edges[ring].next};
    for (int k = 0; k < 2; ++k) c->is_convex[changed[k]] = find_convex(c, changed[k]);
    for (int k = 0; k < 2; ++k) c->is_ear[changed[k]] = find_ear(c, changed[k]);
  }
  return TS_OK;
}

// Take a cut away where the pieces on its sides make a convex one.
static void join_over(cutting *c, int e)
{
  const int f = c->edges[e].twin;
  const int before_e = c->edges[e].prev, after_e = c->edges[e].next;
  const int before_f = c->edges[f].prev, after_f = c->edges[f].next;
  const double allowed = -c->outline->tolerance;
  if (bend(corner_at(c, before_e), corner_at(c, e), corner_at(c, c->edges[after_f].next)) < allowed) return;
  if (bend(corner_at(c, before_f), corner_at(c, f), corner_at(c, c->edges[after_e].next)) < allowed) return;
  link(c, before_e, after_f);
  link(c, before_f, after_e);
  c->edges[e].gone = c->edges[f].gone = true;
}

// ---- pieces ----

static int piece_length(const cutting *c, int e)
{
  int length = 0, at = e;
  do ++length, at = c->edges[at].next;
  while (at != e);
  return length;
}

static void write_neighbours(ts_hull *hull, ts_arena *arena)
{
  const int n = hull->vertex_count;
  int *start = ts_arena_ints(arena, (size_t)n + 1), *neighbours = ts_arena_ints(arena, 2 * (size_t)n);
  for (int i = 0; i < n; ++i) {
    start[i] = 2 * i;
    neighbours[2 * i] = (i + n - 1) % n;
    neighbours[2 * i + 1] = (i + 1) % n;
  }
  start[n] = 2 * n;
  hull->neighbour_start = start;
  hull->neighbours = neighbours;
}

static void write_faces(ts_hull *hull, ts_arena *arena)
{
  const int n = hull->face_count;
  ts_vec3 *normals = ts_arena_bytes(arena, (size_t)n, sizeof *normals);
  double *offsets = ts_arena_doubles(arena, (size_t)n);
  int *start = ts_arena_ints(arena, (size_t)n + 1), *vertices = ts_arena_ints(arena, 2 * (size_t)n);
  for (int i = 0; i < n; ++i) {
    const ts_vec3 from = hull->vertices[i], to = hull->vertices[(i + 1) % n], along = ts_sub(to, from);
    normals[i] = ts_scale(1.0 / ts_length(along), ts_vec3_make(along.y, -along.x, 0.0));
    offsets[i] = fmax(ts_dot(normals[i], from), ts_dot(normals[i], to));
    start[i] = 2 * i;
    vertices[2 * i] = i;
    vertices[2 * i + 1] = (i + 1) % n;
  }
  start[n] = 2 * n;
  hull->normals = normals;
  hull->offsets = offsets;
  hull->face_start = start;
  hull->face_vertices = vertices;
}

static void write_piece(const cutting *c, int first, bool was_cut, ts_arena *arena, ts_hull *hull)
{
  const int n = piece_length(c, first);
  ts_vec3 *vertices = ts_arena_bytes(arena, (size_t)n, sizeof *vertices);
  bool *inner = was_cut ? ts_arena_bytes(arena, (size_t)n, sizeof *inner) : NULL;
  for (int i = 0, e = first; i < n; ++i, e = c->edges[e].next) {
    vertices[i] = ts_vec3_make(corner_at(c, e).x, corner_at(c, e).y, 0.0);
    if (inner) inner[i] = c->edges[e].twin >= 0;
  }
  *hull = (ts_hull){.vertex_count = n, .face_count = n, .vertices = vertices, .inner = inner};
  write_faces(hull, arena);
  write_neighbours(hull, arena);
}

typedef struct task {
  const ts_vec3 *corners;
  int count;
  ts_arena *arena;
  const ts_hull **hulls;
  int *hull_count;
  ts_error *error;
} task;

static void write_pieces(const cutting *c, ts_arena *scratch, task *t)
{
  bool *seen = ts_arena_bytes(scratch, (size_t)c->count, sizeof *seen);
  int *first = ts_arena_ints(scratch, (size_t)c->count), pieces = 0;
  for (int e = 0; e < c->count; ++e) seen[e] = c->edges[e].gone;
  for (int e = 0; e < c->count; ++e) {
    if (seen[e]) continue;
    first[pieces++] = e;
    for (int at = e; !seen[at]; at = c->edges[at].next) seen[at] = true;
  }
  ts_hull *hulls = ts_arena_bytes(t->arena, (size_t)pieces, sizeof *hulls);
  for (int i = 0; i < pieces; ++i) write_piece(c, first[i], pieces > 1, t->arena, hulls + i);
  *t->hulls = hulls;
  *t->hull_count = pieces;
}

static ts_status cut(void *given, ts_arena *scratch)
{
  task *t = given;
  outline o;
  TS_TRY(take_corners(t->corners, t->count, scratch, &o, t->error));
  const size_t room = 3 * (size_t)o.count;
  cutting c = {&o, ts_arena_bytes(scratch, room, sizeof *c.edges), 0,
               ts_arena_bytes(scratch, room, sizeof *c.is_convex), ts_arena_bytes(scratch, room, sizeof *c.is_ear)};
  if (start_ring(&c) > 0) TS_TRY(cut_all_ears(&c, t->error));
  for (int e = o.count; e < c.count; e += 2) join_over(&c, e); // a cut's two sides follow each other
  write_pieces(&c, scratch, t);
  return TS_OK;
}

ts_status ts_outline_pieces(const ts_vec3 *corners, int count, ts_arena *arena, const ts_hull **hulls, int *hull_count,
                            ts_error *error)
{
  if (count < 3) return ts_fail(error, TS_INVALID, "a polygon needs 3 corners or more, not %d", count);
  if (count > TS_OUTLINE_MOST_CORNERS)
    return ts_fail(error, TS_INVALID, "a polygon of %d corners is larger than the %d allowed", count,
                   TS_OUTLINE_MOST_CORNERS);
  task t = {corners, count, arena, hulls, hull_count, error};
  return ts_with_scratch(arena, cut, &t);
}
