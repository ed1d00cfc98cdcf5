// Making intersections: see intersection_part.h.
#include "shape/intersection_flats.h"

#include "shape/checks.h"
#include "shape/convex_program.h"
#include "shape/distance.h"
#include "shape/facets.h"
#include "shape/implicit.h"
#include "shape/scratch.h"
#include "shape/shape_type.h"

#include <float.h>
#include <stdlib.h>

// Of the size: a ball this small is no inside.
static const double LEAST_INSIDE = 1e-9;

// ---- members -------------------------------------------------------------------------------------------------------

static bool is_kind(ts_shape_kind kind)
{
  return (unsigned)kind < TS_SHAPE_KINDS;
}

// Asked before members are checked.
bool ts_intersection_is_planar(const ts_shape *shape)
{
  bool planes_only = true, upright = true;
  for (int i = 0; shape->members && i < shape->member_count; ++i) {
    const ts_shape *member = &shape->members[i].shape;
    if (is_kind(member->kind) && !ts_shape_type_of(member->kind)->in_space) return true;
    planes_only = planes_only && member->kind == TS_SHAPE_PLANE;
    upright = upright && member->normal.z == 0.0;
  }
  return planes_only && upright;
}

static ts_status check_kind(const ts_shape *member, bool planar, ts_error *error)
{
  if (!is_kind(member->kind)) return ts_fail(error, TS_INVALID, "there is no shape of kind %d", (int)member->kind);
  const ts_shape_type *type = ts_shape_type_of(member->kind);
  if (member->kind == TS_SHAPE_INTERSECTION)
    return ts_fail(error, TS_INVALID, "an intersection within another: list its members instead");
  if (member->kind == TS_SHAPE_POINT || !type->implicit_value)
    return ts_fail(error, TS_INVALID, "a%s %s has no implicit function with an inside",
                   member->kind == TS_SHAPE_OWN ? " shape of one's" : "", ts_shape_name(member->kind));
  if (!(planar ? type->in_plane : type->in_space))
    return ts_fail(error, TS_INVALID, "a %s cannot be cut with shapes of the plane", ts_shape_name(member->kind));
  return TS_OK;
}

static ts_status check_pose(const ts_pose *pose, bool planar, ts_error *error)
{
  const ts_quat q = pose->orientation;
  const ts_vec3 x = pose->position;
  if (!ts_is_moderate(x.x) || !ts_is_moderate(x.y) || !ts_is_moderate(x.z))
    return ts_fail(error, TS_INVALID, "its position must be numbers of at most %g", TS_LARGEST_LENGTH);
  if (!(fabs(ts_quat_length(q) - 1.0) < 1e-6))
    return ts_fail(error, TS_INVALID, "its orientation has length %g, not 1", ts_quat_length(q));
  if (planar && (x.z != 0.0 || q.x != 0.0 || q.y != 0.0))
    return ts_fail(error, TS_INVALID, "in the plane it is moved along x and y, and turned about z");
  return TS_OK;
}

static ts_status check_member(const ts_shape_member *member, bool planar, ts_error *error)
{
  TS_TRY(check_kind(&member->shape, planar, error));
  TS_TRY(check_pose(&member->pose, planar, error));
  TS_TRY(ts_shape_check(&member->shape, error));
  if (planar && member->shape.kind == TS_SHAPE_PLANE && member->shape.normal.z != 0.0)
    return ts_fail(error, TS_INVALID, "the normal of a half-plane has no z component");
  return TS_OK;
}

static ts_status check_members(const ts_shape *shape, bool planar, ts_error *error)
{
  if (shape->member_count < 1 || shape->member_count > TS_INTERSECTION_MOST_MEMBERS || !shape->members)
    return ts_fail(error, TS_INVALID, "an intersection has 1 to %d members, not %d", TS_INTERSECTION_MOST_MEMBERS,
                   shape->member_count);
  for (int i = 0; i < shape->member_count; ++i) {
    ts_error reason = {0};
    const ts_status status = check_member(&shape->members[i], planar, &reason);
    if (status != TS_OK) return ts_fail(error, status, "member %d of an intersection: %s", i + 1, reason.text);
  }
  return TS_OK;
}

static ts_status make_members(const ts_shape *shape, ts_arena *arena, ts_intersection *meet, ts_error *error)
{
  ts_intersection_member *members = ts_arena_bytes(arena, (size_t)shape->member_count, sizeof *members);
  meet->members = members;
  for (int i = 0; i < shape->member_count; ++i) {
    const ts_pose pose = {shape->members[i].pose.position, ts_quat_normalize(shape->members[i].pose.orientation)};
    int count;
    const ts_convex *part = ts_convex_pieces(&shape->members[i].shape, arena, &count);
    if (count > 1) return ts_fail(error, TS_INVALID, "member %d of an intersection: the polygon is not convex", i + 1);
    members[meet->member_count++] = (ts_intersection_member){part, ts_pose_frame(&pose), meet->function_count};
    meet->function_count += ts_implicit_count(part);
    if (meet->function_count > TS_PROGRAM_MOST_FUNCTIONS)
      return ts_fail(error, TS_INVALID,
                     "an intersection has at most %d faces and curved surfaces to be cut, those of polytopes counted",
                     TS_PROGRAM_MOST_FUNCTIONS);
  }
  return TS_OK;
}

static bool has_flat_sides_only(const ts_intersection *meet)
{
  for (int i = 0; i < meet->member_count; ++i)
    if (!meet->members[i].part->hull && isfinite(meet->members[i].part->reach)) return false;
  return true;
}

// ---- inside and end ------------------------------------------------------------------------------------------------

static ts_status refuse_unbounded(ts_error *error)
{
  return ts_fail(error, TS_INVALID, "an intersection has no end: its half-spaces leave it open");
}

// A length of it, and a place to begin: the smallest member, or the half-spaces' distances
static double first_guess(const ts_intersection *meet, ts_vec3 *start)
{
  double smallest = INFINITY, furthest = 0.0;
  *start = ts_vec3_make(0.0, 0.0, 0.0);
  for (int i = 0; i < meet->member_count; ++i) {
    const ts_intersection_member *m = &meet->members[i];
    if (m->part->reach < smallest) {
      smallest = m->part->reach;
      *start = ts_frame_apply(&m->frame, m->part->middle);
    }
    furthest = fmax(furthest, fabs(m->part->offset + ts_dot(ts_mul(&m->frame.axes, m->part->normal), m->frame.origin)));
  }
  return isfinite(smallest) ? smallest : furthest > 0.0 ? furthest : 1.0;
}

// Are the normals of half-spaces on all sides, so that nothing goes on for ever?
static bool closes(const ts_convex *part, ts_arena *arena)
{
  ts_vec3 *normals = ts_arena_bytes(arena, (size_t)part->meet->function_count + 2, sizeof *normals);
  int count = part->meet->function_count;
  for (int i = 0; i < count; ++i) ts_intersection_value(part, i, part->middle, &normals[i], NULL);
  if (part->planar) {
    normals[count++] = ts_vec3_make(0.0, 0.0, 1.0);
    normals[count++] = ts_vec3_make(0.0, 0.0, -1.0);
  }
  ts_facets facets;
  if (count < 4 || ts_facets_build(normals, count, TS_FACETS_CUT, arena, &facets) != TS_FACETS_DONE) return false;
  for (int t = 0; t < facets.count; ++t) {
    const int *c = facets.triangles[t].corner;
    const ts_vec3 out = ts_cross(ts_sub(normals[c[1]], normals[c[0]]), ts_sub(normals[c[2]], normals[c[0]]));
    const double length = ts_length(out), away = ts_dot(out, normals[c[0]]);
    if (length > 1e-12 && !(away > LEAST_INSIDE * length)) return false;
  }
  return true;
}

static double depth_in(const ts_intersection_member *m, ts_vec3 x)
{
  if (!isfinite(m->part->reach)) return m->part->offset - ts_dot(m->part->normal, ts_frame_unapply(&m->frame, x));
  const ts_convex point = {.kind = TS_SHAPE_POINT};
  const ts_frame there = {x, ts_mat3_identity()};
  ts_separation s;
  ts_convex_distance(&point, &there, m->part, &m->frame, &s);
  return -s.gap;
}

static ts_status find_middle(ts_convex *part, double size, ts_vec3 start, ts_error *error)
{
  const double value = ts_program_deepest(part, start, size, &part->middle);
  if (value > LEAST_INSIDE * size)
    return ts_fail(error, TS_INVALID, "an intersection is empty: no point lies in all of its members");
  part->radius = INFINITY;
  for (int i = 0; i < part->meet->member_count; ++i)
    part->radius = fmin(part->radius, depth_in(&part->meet->members[i], part->middle));
  if (value >= 0.0 || !(part->radius >= LEAST_INSIDE * size))
    return ts_fail(error, TS_INVALID, "an intersection has no inside: its members only touch each other");
  return TS_OK;
}

// Extents along the axes, from which reach and size come
static void measure(ts_convex *part, ts_intersection *meet)
{
  double bound = INFINITY, square = 0.0, size = 0.0;
  for (int k = 0; k < 3; ++k) {
    const ts_vec3 axis = {k == 0, k == 1, k == 2};
    const double high = ts_dot(axis, ts_intersection_support(part, axis));
    const double low = ts_dot(axis, ts_intersection_support(part, ts_negate(axis)));
    const double far = fmax(fabs(low), fabs(high));
    square += far * far;
    size = fmax(size, high - low);
  }
  for (int i = 0; i < meet->member_count; ++i)
    bound = fmin(bound, ts_length(meet->members[i].frame.origin) + meet->members[i].part->reach);
  part->reach = fmin(bound, sqrt(square)) * (1.0 + 8.0 * DBL_EPSILON);
  meet->size = size;
}

// ---- with flat sides only ------------------------------------------------------------------------------------------

// Corners are dual to the faces of the hull of n_i / (distance of the plane from the middle).
static int find_corners(const ts_convex *part, ts_arena *scratch, ts_vec3 **corners)
{
  const int count = part->meet->function_count;
  ts_vec3 *dual = ts_arena_bytes(scratch, (size_t)count, sizeof *dual);
  for (int i = 0; i < count; ++i) {
    ts_vec3 n;
    const double depth = -ts_intersection_value(part, i, part->middle, &n, NULL);
    dual[i] = ts_scale(part->radius / depth, n);
  }
  ts_facets facets;
  if (ts_facets_build(dual, count, TS_FACETS_CUT, scratch, &facets) != TS_FACETS_DONE) return 0;
  *corners = ts_arena_bytes(scratch, (size_t)facets.count, sizeof **corners);
  int found = 0;
  for (int t = 0; t < facets.count; ++t) {
    const int *c = facets.triangles[t].corner;
    const ts_vec3 out = ts_cross(ts_sub(dual[c[1]], dual[c[0]]), ts_sub(dual[c[2]], dual[c[0]]));
    const double away = ts_dot(out, dual[c[0]]);
    if (away > 1e-12 * ts_length(out)) // not a sliver
      (*corners)[found++] = ts_add_scaled(part->middle, part->radius / away, out);
  }
  return found;
}

static int by_angle(const void *a, const void *b)
{
  const double first = ((const ts_vec3 *)a)->z, second = ((const ts_vec3 *)b)->z;
  return first < second ? -1 : first > second;
}

// In the plane: crossings of two lines that no other cuts off, in their order around the middle.
static int find_planar_corners(const ts_convex *part, ts_arena *scratch, ts_vec3 **corners)
{
  const int count = part->meet->function_count;
  ts_vec3 *found = ts_arena_bytes(scratch, (size_t)(count * count), sizeof *found);
  int kept = 0;
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < i; ++j) {
      ts_vec3 m, n;
      const double a = -ts_intersection_value(part, i, part->middle, &m, NULL);
      const double b = -ts_intersection_value(part, j, part->middle, &n, NULL);
      const double sine = m.x * n.y - m.y * n.x;
      if (fabs(sine) < 1e-12) continue;
      const ts_vec3 away = {(a * n.y - b * m.y) / sine, (b * m.x - a * n.x) / sine, 0.0};
      const ts_vec3 x = ts_add(part->middle, away);
      bool inside = true;
      for (int k = 0; k < count; ++k)
        inside =
            inside && (k == i || k == j || ts_intersection_value(part, k, x, NULL, NULL) <= 1e-13 * ts_length(away));
      if (inside) found[kept++] = ts_vec3_make(x.x, x.y, atan2(away.y, away.x));
    }
  qsort(found, (size_t)kept, sizeof *found, by_angle);
  int left = 0;
  for (int k = 0; k < kept; ++k) {
    const ts_vec3 x = {found[k].x, found[k].y, 0.0};
    const bool repeated = left > 0 && ts_distance_of(x, found[left - 1]) <= 1e-11 * part->radius;
    if (!repeated) found[left++] = x;
  }
  if (left > 1 && ts_distance_of(found[0], found[left - 1]) <= 1e-11 * part->radius) --left;
  *corners = found;
  return left;
}

static ts_status make_hull(const ts_convex *flat, const ts_shape *shape, ts_arena *arena, const ts_convex **part,
                           ts_error *error)
{
  ts_vec3 *corners = NULL;
  const int count = flat->planar ? find_planar_corners(flat, arena, &corners) : find_corners(flat, arena, &corners);
  const ts_shape hull = {
      .kind = flat->planar ? TS_SHAPE_POLYGON : TS_SHAPE_POLYTOPE, .vertices = corners, .vertex_count = count};
  ts_error reason = {0};
  if (count == 0 || ts_shape_check(&hull, &reason) != TS_OK)
    return ts_fail(error, TS_INVALID, "an intersection has no inside: its corners are too close together");
  int pieces;
  ts_convex *made = ts_arena_bytes(arena, 1, sizeof *made);
  *made = *ts_convex_pieces(&hull, arena, &pieces);
  if (!flat->planar) made->shape = shape;
  *part = made;
  return TS_OK;
}

// ---- all of it -----------------------------------------------------------------------------------------------------

ts_status ts_intersection_build(const ts_shape *shape, ts_arena *arena, const ts_convex **part, ts_error *error)
{
  const bool planar = ts_intersection_is_planar(shape);
  TS_TRY(check_members(shape, planar, error));
  ts_intersection *meet = ts_arena_bytes(arena, 1, sizeof *meet);
  ts_convex *made = ts_arena_bytes(arena, 1, sizeof *made);
  *meet = (ts_intersection){0};
  *made = (ts_convex){.kind = TS_SHAPE_INTERSECTION, .shape = shape, .planar = planar, .meet = meet};
  TS_TRY(make_members(shape, arena, meet, error));
  ts_vec3 start;
  const double size = meet->size = first_guess(meet, &start);
  const bool flat = has_flat_sides_only(meet);
  bool open = true;
  for (int i = 0; i < meet->member_count; ++i) open = open && !isfinite(meet->members[i].part->reach);
  if (open && !closes(made, arena)) return refuse_unbounded(error);
  TS_TRY(find_middle(made, size, start, error));
  if (flat) return make_hull(made, shape, arena, part, error);
  measure(made, meet);
  if (!(made->radius >= LEAST_INSIDE * meet->size))
    return ts_fail(error, TS_INVALID, "an intersection has no inside: its members only touch each other");
  ts_intersection_find_flats(made, meet, arena);
  *part = made;
  return TS_OK;
}
