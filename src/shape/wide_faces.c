#include "shape/wide_faces.h"

#include "shape/hull_faces.h"
#include "shape/scratch.h"

#include <math.h>
#include <string.h>

// Which faces of a hull are joined to which wide face.
typedef struct joining {
  const ts_hull *hull;
  double tolerance;
  int *wide; // of each face
  int count; // of wide faces
} joining;

static double largest_coordinate(const ts_hull *hull)
{
  double largest = 0.0;
  for (int v = 0; v < hull->vertex_count; ++v) {
    const ts_vec3 p = hull->vertices[v];
    largest = fmax(largest, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
  }
  return largest;
}

// ---- joining -------------------------------------------------------------------------------------------------------

// The faces next to each face, as many as it has corners: in the same places as those.
static int *neighbours_of_faces(const ts_hull *hull, ts_arena *scratch)
{
  int *neighbours = ts_arena_ints(scratch, (size_t)hull->face_start[hull->face_count]);
  int *next = ts_arena_ints(scratch, (size_t)hull->face_count);
  memcpy(next, hull->face_start, (size_t)hull->face_count * sizeof *next);
  for (int e = 0; e < hull->edge_count; ++e)
    for (int k = 0; k < 2; ++k) neighbours[next[hull->edge_faces[e][k]]++] = hull->edge_faces[e][1 - k];
  return neighbours;
}

static bool lies_in_plane_of(const joining *j, int face, int seed)
{
  const ts_hull *hull = j->hull;
  for (int k = hull->face_start[face]; k < hull->face_start[face + 1]; ++k)
    if (fabs(ts_dot(hull->normals[seed], hull->vertices[hull->face_vertices[k]]) - hull->offsets[seed]) > j->tolerance)
      return false;
  return ts_dot(hull->normals[seed], hull->normals[face]) > 0.0; // not the other side of a thin plate
}

static void grow(joining *j, int seed, const int *neighbours, int *stack)
{
  int depth = 0;
  stack[depth++] = seed;
  j->wide[seed] = j->count;
  while (depth > 0) {
    const int face = stack[--depth];
    for (int k = j->hull->face_start[face]; k < j->hull->face_start[face + 1]; ++k) {
      const int other = neighbours[k];
      if (j->wide[other] >= 0 || !lies_in_plane_of(j, other, seed)) continue;
      j->wide[other] = j->count;
      stack[depth++] = other;
    }
  }
  ++j->count;
}

// From the largest faces, whose planes are known best.
static void join_faces(joining *j, ts_arena *scratch)
{
  const size_t faces = (size_t)j->hull->face_count;
  const int *neighbours = neighbours_of_faces(j->hull, scratch);
  int *stack = ts_arena_ints(scratch, faces);
  ts_hull_seed *seeds = ts_arena_bytes(scratch, faces, sizeof *seeds);
  for (int f = 0; f < j->hull->face_count; ++f) {
    seeds[f] = (ts_hull_seed){f, ts_length(ts_hull_face_vector(j->hull, f))};
    j->wide[f] = -1;
  }
  ts_hull_sort_seeds(seeds, j->hull->face_count);
  j->count = 0;
  for (size_t i = 0; i < faces; ++i)
    if (j->wide[seeds[i].face] < 0) grow(j, seeds[i].face, neighbours, stack);
}

// ---- outlines of wide faces ----------------------------------------------------------------------------------------

// Sides between different wide faces, ordered by the face on their left.
typedef struct outlines {
  int *start;     // of each wide face's sides (count+1)
  int *from, *to; // vertices
  int *degree;    // of each vertex: wide faces that meet there
  int *after;     // of each vertex: the next one on the outline that `owner` says
  int *owner;
} outlines;

static outlines find_outlines(const joining *j, ts_arena *scratch)
{
  const ts_hull *hull = j->hull;
  const size_t faces = (size_t)j->count, vertices = (size_t)hull->vertex_count, sides = 2 * (size_t)hull->edge_count;
  outlines o = {.start = ts_arena_ints(scratch, faces + 2),
                .from = ts_arena_ints(scratch, sides),
                .to = ts_arena_ints(scratch, sides),
                .degree = ts_arena_ints(scratch, vertices),
                .after = ts_arena_ints(scratch, vertices),
                .owner = ts_arena_ints(scratch, vertices)};
  memset(o.start, 0, (faces + 2) * sizeof *o.start);
  for (size_t v = 0; v < vertices; ++v) o.degree[v] = 0, o.owner[v] = -1;
  // Counted two places ahead, start[f + 1] is where the next side of f goes, and in the end where f ends.
  for (int e = 0; e < hull->edge_count; ++e) {
    const int left = j->wide[hull->edge_faces[e][0]], right = j->wide[hull->edge_faces[e][1]];
    if (left != right) ++o.start[left + 2], ++o.start[right + 2];
  }
  for (size_t f = 0; f < faces; ++f) o.start[f + 2] += o.start[f + 1];
  for (int e = 0; e < hull->edge_count; ++e)
    for (int k = 0; k < 2; ++k) {
      const int face = j->wide[hull->edge_faces[e][k]], other = j->wide[hull->edge_faces[e][1 - k]];
      if (face == other) continue;
      const int side = o.start[face + 1]++;
      o.from[side] = hull->edges[e][k];
      o.to[side] = hull->edges[e][1 - k];
      ++o.degree[o.from[side]];
    }
  return o;
}

// The vertices around a wide face in order, or 0 when its boundary is not one loop that passes each vertex once.
static int trace(outlines *o, int face, int *loop)
{
  const int first = o->start[face], sides = o->start[face + 1] - first;
  for (int k = first; k < first + sides; ++k) {
    if (o->owner[o->from[k]] == face) return 0;
    o->owner[o->from[k]] = face;
    o->after[o->from[k]] = o->to[k];
  }
  int vertex = sides > 0 ? o->from[first] : -1;
  for (int k = 0; k < sides; ++k) {
    if (k > 0 && vertex == o->from[first]) return 0; // a hole has the rest
    loop[k] = vertex;
    vertex = o->after[vertex];
  }
  return sides;
}

static double distance_from_line(ts_vec3 point, ts_vec3 start, ts_vec3 end)
{
  const ts_vec3 along = ts_normalize(ts_sub(end, start), ts_vec3_make(0.0, 0.0, 0.0)), to = ts_sub(point, start);
  return ts_length(ts_add_scaled(to, -ts_dot(along, to), along));
}

// Do the vertices between two corners of a loop keep to the line between them?
static bool is_straight(const joining *j, const int *loop, int count, int first, int last)
{
  const ts_vec3 *p = j->hull->vertices;
  const ts_vec3 start = p[loop[first % count]], end = p[loop[last % count]];
  for (int k = first + 1; k < last; ++k)
    if (distance_from_line(p[loop[k % count]], start, end) > j->tolerance) return false;
  return true;
}

// Where two wide faces meet in a straight line of several edges, only its ends are corners. Both faces find the same.
static int drop_straight_vertices(const joining *j, const outlines *o, int *loop, int count, int *kept)
{
  int corner = 0, left = 0;
  while (corner < count && o->degree[loop[corner]] < 3) ++corner;
  for (int first = corner, last; corner < count && first < corner + count; first = last) {
    for (last = first + 1; o->degree[loop[last % count]] < 3; ++last) continue;
    kept[left++] = loop[first % count];
    if (is_straight(j, loop, count, first, last)) continue;
    for (int k = first + 1; k < last; ++k) kept[left++] = loop[k % count];
  }
  if (corner == count) memcpy(kept, loop, (size_t)count * sizeof *kept), left = count; // no corner at all
  return left;
}

// Does the outline turn left at every corner, seen against the normal, to the tolerance?
static bool is_convex(const joining *j, const int *loop, int count)
{
  const ts_vec3 *p = j->hull->vertices;
  ts_vec3 normal = {0.0, 0.0, 0.0};
  for (int k = 2; k < count; ++k) normal = ts_add(normal, ts_triangle_vector(p[loop[0]], p[loop[k - 1]], p[loop[k]]));
  normal = ts_normalize(normal, normal);
  for (int k = 0; k < count; ++k) {
    const ts_vec3 here = p[loop[k]], next = p[loop[(k + 1) % count]], then = p[loop[(k + 2) % count]];
    const ts_vec3 inward = ts_normalize(ts_cross(normal, ts_sub(next, here)), ts_vec3_make(0.0, 0.0, 0.0));
    if (!(ts_dot(inward, ts_sub(then, next)) >= -j->tolerance)) return false;
  }
  return true;
}

// ---- the wide hull -------------------------------------------------------------------------------------------------

typedef struct loops {
  int *start, *vertices;
  bool *sound; // of each wide face: one convex loop
  bool all_sound;
} loops;

static loops make_loops(const joining *j, ts_arena *scratch)
{
  outlines o = find_outlines(j, scratch);
  const size_t sides = (size_t)o.start[j->count];
  loops l = {.start = ts_arena_ints(scratch, (size_t)j->count + 1),
             .vertices = ts_arena_ints(scratch, sides),
             .sound = ts_arena_bytes(scratch, (size_t)j->count, sizeof *l.sound),
             .all_sound = true};
  int *raw = ts_arena_ints(scratch, sides), filled = 0;
  for (int f = 0; f < j->count; ++f) {
    l.start[f] = filled;
    const int traced = trace(&o, f, raw);
    const int kept = drop_straight_vertices(j, &o, raw, traced, l.vertices + filled);
    l.sound[f] = kept >= 3 && is_convex(j, l.vertices + filled, kept);
    l.all_sound = l.all_sound && l.sound[f];
    filled += kept;
  }
  l.start[j->count] = filled;
  return l;
}

// Faces whose union makes no good outline stay by themselves.
static void dissolve(joining *j, const bool *sound, ts_arena *scratch)
{
  int *number = ts_arena_ints(scratch, (size_t)j->count), count = 0;
  for (int w = 0; w < j->count; ++w) number[w] = sound[w] ? count++ : -1;
  for (int f = 0; f < j->hull->face_count; ++f) j->wide[f] = number[j->wide[f]] < 0 ? count++ : number[j->wide[f]];
  j->count = count;
}

// Planes outside all vertices of the faces that were joined, also of those inside; and how far in the others are.
static void settle_planes(const joining *j, ts_hull *wide, ts_arena *arena)
{
  const size_t bytes = (size_t)wide->face_count * sizeof(double);
  double *offsets = memcpy(ts_arena_doubles(arena, (size_t)wide->face_count), wide->offsets, bytes);
  for (int pass = 0; pass < 2; ++pass)
    for (int f = 0; f < j->hull->face_count; ++f)
      for (int k = j->hull->face_start[f]; k < j->hull->face_start[f + 1]; ++k) {
        const int w = j->wide[f];
        const double height = ts_dot(wide->normals[w], wide->vertices[j->hull->face_vertices[k]]);
        if (pass == 0)
          offsets[w] = fmax(offsets[w], height);
        else
          wide->slack = fmax(wide->slack, offsets[w] - height);
      }
  wide->offsets = offsets;
}

typedef struct task {
  const ts_hull *hull;
  ts_arena *arena;
  const ts_hull *wide;
} task;

static void *copy_to(ts_arena *arena, const int *from, int count)
{
  return memcpy(ts_arena_ints(arena, (size_t)count), from, (size_t)count * sizeof *from);
}

static ts_status build(void *given, ts_arena *scratch)
{
  task *t = given;
  joining j = {t->hull, TS_FLAT_SHARE * largest_coordinate(t->hull),
               ts_arena_ints(scratch, (size_t)t->hull->face_count), 0};
  join_faces(&j, scratch);
  if (j.count == t->hull->face_count) return TS_OK;
  loops l = make_loops(&j, scratch);
  if (!l.all_sound) {
    dissolve(&j, l.sound, scratch);
    if (j.count == t->hull->face_count) return TS_OK;
    l = make_loops(&j, scratch);
  }
  if (!l.all_sound) return TS_OK;
  const ts_arena_mark mark = ts_arena_save(t->arena);
  ts_hull *wide = ts_arena_bytes(t->arena, 1, sizeof *wide);
  *wide = (ts_hull){
      .vertex_count = t->hull->vertex_count, .vertices = t->hull->vertices, .face_count = j.count, .exact = t->hull};
  wide->face_start = copy_to(t->arena, l.start, j.count + 1);
  wide->face_vertices = copy_to(t->arena, l.vertices, l.start[j.count]);
  ts_hull_add_planes(wide, t->arena);
  if (ts_hull_add_edges(wide, scratch, t->arena)) {
    settle_planes(&j, wide, t->arena);
    t->wide = wide;
  } else {
    ts_arena_restore(t->arena, mark);
  }
  return TS_OK;
}

const ts_hull *ts_wide_faces(const ts_hull *hull, ts_arena *arena)
{
  task t = {hull, arena, NULL};
  ts_with_scratch(arena, build, &t);
  return t.wide;
}
