// See epa.h. All memory is on the stack; the polytope stops growing when it is used up, or when rounding breaks its
// shape.
#include "shape/epa.h"

enum { MOST_VERTICES = 256, MOST_FACES = 2 * MOST_VERTICES, NONE = -1 };

// A triangle, counter-clockwise seen from outside; neighbour[i] lies across the edge vertex[i], vertex[i+1].
typedef struct triangle {
  int vertex[3], neighbour[3];
  ts_vec3 normal;
  double distance; // of its plane from the origin
  bool alive;
} triangle;

typedef struct polytope {
  ts_vec3 vertices[MOST_VERTICES];
  triangle faces[MOST_FACES];
  int vertex_count, face_count; // faces that died keep their place until it is needed
} polytope;

// An edge between a triangle that stays and one that goes.
typedef struct horizon_edge {
  int from, to;        // as the triangle that goes saw it
  int face, face_edge; // the triangle that stays, and which of its edges
} horizon_edge;

static bool set_plane(const polytope *p, triangle *t)
{
  const ts_vec3 a = p->vertices[t->vertex[0]], b = p->vertices[t->vertex[1]], c = p->vertices[t->vertex[2]];
  const ts_vec3 n = ts_cross(ts_sub(b, a), ts_sub(c, a));
  const double length = ts_length(n);
  if (!(length > 0.0)) return false;
  t->normal = ts_scale(1.0 / length, n);
  t->distance = ts_dot(t->normal, a);
  return true;
}

static bool start_from_tetrahedron(polytope *p, const ts_gjk *gjk)
{
  static const int faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
  static const int across[4][3] = {{1, 3, 2}, {2, 3, 0}, {0, 3, 1}, {1, 2, 0}};
  if (gjk->count != 4) return false;
  for (int i = 0; i < 4; ++i) p->vertices[i] = gjk->vertices[i].w;
  const ts_vec3 o = p->vertices[0];
  const double volume =
      ts_dot(ts_sub(p->vertices[3], o), ts_cross(ts_sub(p->vertices[1], o), ts_sub(p->vertices[2], o)));
  if (volume > 0.0) { // vertex 3 has to lie below the face 0 1 2
    p->vertices[1] = gjk->vertices[2].w;
    p->vertices[2] = gjk->vertices[1].w;
  }
  p->vertex_count = p->face_count = 4;
  for (int f = 0; f < 4; ++f) {
    triangle *t = &p->faces[f];
    *t = (triangle){.alive = true};
    for (int i = 0; i < 3; ++i) t->vertex[i] = faces[f][i], t->neighbour[i] = across[f][i];
    if (!set_plane(p, t)) return false;
  }
  return true;
}

static int nearest_face(const polytope *p)
{
  int best = NONE;
  for (int f = 0; f < p->face_count; ++f)
    if (p->faces[f].alive && (best == NONE || p->faces[f].distance < p->faces[best].distance)) best = f;
  return best;
}

static int free_face(polytope *p, int *search)
{
  while (*search < p->face_count && p->faces[*search].alive) ++*search;
  if (*search < p->face_count) return (*search)++;
  if (p->face_count == MOST_FACES) return NONE;
  *search = p->face_count + 1;
  return p->face_count++;
}

// Remove the triangles that see the point, from `seed` outwards, and list the edges where that ends.
static int carve(polytope *p, int seed, ts_vec3 point, horizon_edge *horizon)
{
  int stack[MOST_FACES], depth = 0, count = 0;
  p->faces[seed].alive = false;
  stack[depth++] = seed;
  while (depth > 0) {
    const int gone = stack[--depth];
    for (int e = 0; e < 3; ++e) {
      const triangle *t = &p->faces[gone];
      const int n = t->neighbour[e];
      triangle *beyond = &p->faces[n];
      if (!beyond->alive) continue;
      if (ts_dot(beyond->normal, point) > beyond->distance) {
        beyond->alive = false;
        stack[depth++] = n;
      }
    }
  }
  for (int f = 0; f < p->face_count; ++f) { // in the order of faces: triangles that stay next to one that went
    const triangle *t = &p->faces[f];
    if (!t->alive) continue;
    for (int e = 0; e < 3; ++e)
      if (!p->faces[t->neighbour[e]].alive) {
        if (count == MOST_FACES) return NONE;
        horizon[count++] = (horizon_edge){t->vertex[(e + 1) % 3], t->vertex[e], f, e};
      }
  }
  return count;
}

// Join the point to the horizon; false where that makes no closed surface or there is no room.
static bool cap(polytope *p, const horizon_edge *horizon, int count, int vertex)
{
  int made[MOST_FACES], starting_at[MOST_VERTICES], search = 0;
  for (int v = 0; v < p->vertex_count; ++v) starting_at[v] = NONE;
  for (int i = 0; i < count; ++i) {
    if (starting_at[horizon[i].from] != NONE) return false; // the horizon touches itself
    made[i] = free_face(p, &search);
    if (made[i] == NONE) return false;
    starting_at[horizon[i].from] = made[i];
    p->faces[made[i]] = (triangle){.vertex = {horizon[i].from, horizon[i].to, vertex}, .alive = true};
    if (!set_plane(p, &p->faces[made[i]])) return false;
  }
  for (int i = 0; i < count; ++i) {
    const int next = starting_at[horizon[i].to];
    if (next == NONE) return false;
    p->faces[made[i]].neighbour[0] = horizon[i].face;
    p->faces[horizon[i].face].neighbour[horizon[i].face_edge] = made[i];
    p->faces[made[i]].neighbour[1] = next;
    p->faces[next].neighbour[2] = made[i];
  }
  return true;
}

static bool add_point(polytope *p, int seed, ts_vec3 point)
{
  horizon_edge horizon[MOST_FACES];
  if (p->vertex_count == MOST_VERTICES) return false;
  const int count = carve(p, seed, point, horizon);
  if (count < 3) return false;
  p->vertices[p->vertex_count] = point;
  return cap(p, horizon, count, p->vertex_count++);
}

// Insert into the list of starts, nearest first.
static int insert(const triangle *t, ts_epa_start *starts, int count)
{
  if (count == TS_EPA_MOST_STARTS && !(t->distance < starts[count - 1].distance)) return count;
  int at = count < TS_EPA_MOST_STARTS ? count++ : count - 1;
  for (; at > 0 && starts[at - 1].distance > t->distance; --at) starts[at] = starts[at - 1];
  starts[at] = (ts_epa_start){t->normal, t->distance};
  return count;
}

int ts_epa_starts(const ts_difference *difference, ts_vec3 guess, double accuracy,
                  ts_epa_start starts[TS_EPA_MOST_STARTS])
{
  ts_gjk gjk;
  polytope p;
  ts_gjk_run(difference, guess, 0.0, &gjk);
  if (!start_from_tetrahedron(&p, &gjk)) return 0;
  double upper = INFINITY; // the depth along the best direction seen; the nearest face gives the lower bound
  for (int f = nearest_face(&p); f != NONE; f = nearest_face(&p)) {
    const ts_vec3 point = ts_difference_support(difference, p.faces[f].normal).w;
    upper = fmin(upper, ts_dot(p.faces[f].normal, point));
    if (upper - p.faces[f].distance <= accuracy || !add_point(&p, f, point)) break;
  }
  int count = 0;
  for (int f = 0; f < p.face_count; ++f)
    if (p.faces[f].alive && p.faces[f].distance <= upper) count = insert(&p.faces[f], starts, count);
  return count;
}
