// Whether a small friction problem has a solution at all: branch and bound over the modes of its contacts. A contact is
// open (no impulse, u_n >= 0), sticks (u = 0) or slips (u_n = 0, r_t = -mu r_n e with e the direction of u_t).
// Directions are kept in cones of d - 1 corners, halved as needed. For given choices the impulses lie in a polyhedral
// cone a little larger than the true one, spanned by a few generators each contact, and the conditions on u are linear
// in them: where a linear program has no solution, none with these choices exists (its multipliers are an infeasibility
// certificate, by Farkas), and once that holds for all choices, none at all. Bodies that are driven against others
// without limit jam in this way, with friction more often than without: W then has directions in which no impulse
// helps. Otherwise the point of the program is a guess for Newton's method.
//
// Contacts that do not act on each other are searched apart: choices of one cluster would multiply those of another.
#include "complementarity/friction/cone_state.h"

#include "math/feasibility.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { MOST_CONTACTS = 40, MOST_DEPTH = 200, MOST_GENERATORS = 8, MOST_PIVOTS = 1000, POLISH_STEPS = 10 };

// Where the error is that small there is a solution, and what lacks is digits.
static const double NEARLY_SOLVED = 1e-6;

typedef enum mode { UNDECIDED, OPEN, CLOSED, STICK, SLIP } mode; // CLOSED: of a contact without friction

// Of one contact. In a sector the direction of u_t (SLIP) or of r_t (STICK) is a sum of the corners with weights >= 0.
typedef struct choice {
  mode mode;
  bool in_sector;
  ts_vec3 corner[3]; // unit vectors of d - 1 components; filled up to a basis of space
} choice;

// A row of the program: the component of u_i along c, at least zero or equal to it.
typedef struct condition {
  int contact;
  double c[4];
  bool equal;
} condition;

typedef struct enumeration {
  ts_cone_state *state;
  int d;
  const int *members; // contacts of the cluster; those of others stay as they are
  int count;
  size_t rows; // of W
  double *W;   // dense, row after row
  choice *choices;
  int nodes_left;
  bool unresolved; // somewhere neither a certificate of infeasibility nor a solution
  double polished; // error from which Newton's method was last tried
  double *share;   // of contacts in the infeasibility certificates so far, or NULL
} enumeration;

typedef enum verdict { NONE, FOUND, GIVEN_UP } verdict;

static double *dense_compliance(const ts_cone_problem *p, ts_arena *arena)
{
  const size_t d = (size_t)p->d, rows = (size_t)p->contacts * d, stride = (size_t)p->stride;
  double *W = ts_arena_zeros(arena, rows * rows);
  for (int i = 0; i < p->contacts; ++i)
    for (int k = p->start[i]; k < p->start[i + 1]; ++k) {
      const double *block = p->W + (size_t)k * d * stride;
      for (size_t r = 0; r < d; ++r)
        for (size_t c = 0; c < d; ++c)
          W[((size_t)i * d + r) * rows + (size_t)p->index[k] * d + c] = block[c * stride + r];
    }
  return W;
}

// ---- directions ----------------------------------------------------------------------------------------------------

// The dual vector k has the product 1 with corner k and 0 with the others.
static void dual_basis(const choice *c, ts_vec3 dual[3])
{
  for (int k = 0; k < 3; ++k) {
    const ts_vec3 normal = ts_cross(c->corner[(k + 1) % 3], c->corner[(k + 2) % 3]);
    dual[k] = ts_scale(1.0 / ts_dot(normal, c->corner[k]), normal);
  }
}

// The corners lie in the plane of height 1 along the sum of the dual vectors; the unit directions between them reach up
// to its length.
static double height(const choice *c, int corners)
{
  ts_vec3 dual[3], sum = {0.0, 0.0, 0.0};
  dual_basis(c, dual);
  for (int k = 0; k < corners; ++k) sum = ts_add(sum, dual[k]);
  return ts_length(sum);
}

// One of the 2^(d-1) cones between the axes.
static void orthant(choice *c, int number, int corners)
{
  static const ts_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  c->in_sector = true;
  for (int k = 0; k < 3; ++k) c->corner[k] = k < corners && (number >> k & 1) ? ts_negate(axes[k]) : axes[k];
}

// The two ends of the longest edge. Returns its length.
static double longest_edge(const choice *c, int corners, int ends[2])
{
  double longest = 0.0;
  for (int a = 0; a < corners; ++a)
    for (int b = a + 1; b < corners; ++b) {
      const double length = ts_distance_of(c->corner[a], c->corner[b]);
      if (length <= longest) continue;
      longest = length;
      ends[0] = a;
      ends[1] = b;
    }
  return longest;
}

// Half of a cone: the corner `moved` goes to the middle of the edge to `kept`.
static void halve(choice *c, int moved, int kept)
{
  c->corner[moved] = ts_normalize(ts_add(c->corner[moved], c->corner[kept]), c->corner[kept]);
}

// ---- the linear program of a node ----------------------------------------------------------------------------------

// Impulses (1, mu s e) for a direction e.
static void generator(double mu, double s, ts_vec3 e, int d, double g[4])
{
  const double t[3] = {e.x, e.y, e.z};
  g[0] = 1.0;
  for (int k = 1; k < 4; ++k) g[k] = k < d ? mu * s * t[k - 1] : 0.0;
}

// Around the whole cone: both edges in the plane, an octagon, a cube.
static int generators_around(double mu, int d, double g[][4])
{
  for (int k = 0; d == 3 && k < 8; ++k)
    generator(mu, 1.0 / cos(TS_PI / 8.0), (ts_vec3){cos(k * TS_PI / 4.0), sin(k * TS_PI / 4.0), 0.0}, d, g[k]);
  const int corners = d == 3 ? 0 : 1 << (d - 1);
  for (int k = 0; k < corners; ++k)
    generator(mu, 1.0, (ts_vec3){k & 1 ? -1.0 : 1.0, k & 2 ? -1.0 : 1.0, k & 4 ? -1.0 : 1.0}, d, g[k]);
  return d == 3 ? 8 : corners;
}

// Generators of a cone that holds all impulses of the choice. Returns how many.
static int generators_of(const choice *c, double mu, int d, double g[][4])
{
  const int corners = d - 1;
  if (c->mode == OPEN) return 0;
  if (mu == 0.0 || c->mode == CLOSED) {
    generator(0.0, 0.0, (ts_vec3){0.0, 0.0, 0.0}, d, g[0]);
    return 1;
  }
  if (!c->in_sector) return generators_around(mu, d, g);
  const double outer = height(c, corners), sign = c->mode == SLIP ? -1.0 : 1.0;
  int count = 0;
  for (int k = 0; k < corners; ++k) generator(mu, sign * outer, c->corner[k], d, g[count++]);
  if (c->mode == STICK) generator(0.0, 0.0, c->corner[0], d, g[count++]); // from the axis on
  if (c->mode == SLIP && d > 2)                                           // between the corners and the circle
    for (int k = 0; k < corners; ++k) generator(mu, sign, c->corner[k], d, g[count++]);
  return count;
}

static int conditions_of(const choice *c, int contact, int d, condition *rows)
{
  int count = 0;
  rows[count++] = (condition){contact, {1.0, 0.0, 0.0, 0.0}, c->mode != UNDECIDED && c->mode != OPEN};
  if (c->mode == STICK)
    for (int k = 1; k < d; ++k) {
      rows[count] = (condition){.contact = contact, .equal = true};
      rows[count++].c[k] = 1.0;
    }
  if (c->mode == SLIP) {
    ts_vec3 dual[3];
    dual_basis(c, dual);
    for (int k = 0; k < d - 1; ++k) rows[count++] = (condition){contact, {0.0, dual[k].x, dual[k].y, dual[k].z}, false};
  }
  return count;
}

typedef struct program {
  int rows, columns;
  condition *conditions;
  int *contact;           // of each column
  double (*generator)[4]; // of each column
  double *A, *b;
  bool *equal;
} program;

static void write_row(const enumeration *e, program *lp, int i)
{
  const condition *row = &lp->conditions[i];
  const size_t d = (size_t)e->d, first = (size_t)row->contact * d;
  const double *q = e->state->p->q + (size_t)row->contact * (size_t)e->state->p->stride;
  lp->equal[i] = row->equal;
  lp->b[i] = 0.0;
  for (size_t k = 0; k < d; ++k) lp->b[i] -= row->c[k] * q[k];
  for (int j = 0; j < lp->columns; ++j) {
    double sum = 0.0;
    for (size_t k = 0; k < d; ++k) {
      const double *W = e->W + (first + k) * e->rows + (size_t)lp->contact[j] * d;
      for (size_t c = 0; c < d; ++c) sum += row->c[k] * W[c] * lp->generator[j][c];
    }
    lp->A[(size_t)j * (size_t)lp->rows + (size_t)i] = sum;
  }
}

static void build_program(const enumeration *e, program *lp, ts_arena *arena)
{
  const size_t n = (size_t)e->count, d = (size_t)e->d;
  *lp = (program){0};
  lp->conditions = ts_arena_bytes(arena, n * d, sizeof *lp->conditions);
  lp->contact = ts_arena_ints(arena, n * MOST_GENERATORS);
  lp->generator = ts_arena_bytes(arena, n * MOST_GENERATORS, sizeof *lp->generator);
  for (int m = 0; m < e->count; ++m) {
    const int i = e->members[m];
    const choice *c = &e->choices[i];
    lp->rows += conditions_of(c, i, e->d, lp->conditions + lp->rows);
    const int count = generators_of(c, e->state->p->mu[i], e->d, lp->generator + lp->columns);
    for (int k = 0; k < count; ++k) lp->contact[lp->columns++] = i;
  }
  lp->A = ts_arena_doubles(arena, (size_t)lp->rows * (size_t)lp->columns);
  lp->b = ts_arena_doubles(arena, (size_t)lp->rows);
  lp->equal = ts_arena_bytes(arena, (size_t)lp->rows, sizeof *lp->equal);
  for (int i = 0; i < lp->rows; ++i) write_row(e, lp, i);
}

static void add_shares(enumeration *e, const program *lp, const double *multipliers)
{
  for (int i = 0; e->share && i < lp->rows; ++i) e->share[lp->conditions[i].contact] += fabs(multipliers[i]);
}

// Impulses that obey the choices as far as the program knows, or none exist.
static ts_feasibility relax(enumeration *e, double *r)
{
  ts_arena *arena = e->state->run->arena;
  const ts_arena_mark mark = ts_arena_save(arena);
  const size_t stride = (size_t)e->state->p->stride;
  program lp;
  build_program(e, &lp, arena);
  double *x = ts_arena_doubles(arena, (size_t)lp.columns), *y = ts_arena_doubles(arena, (size_t)lp.rows);
  const ts_inequalities system = {lp.rows, lp.columns, lp.A, lp.b, lp.equal};
  const ts_feasibility answer = ts_find_feasible(&system, MOST_PIVOTS, arena, x, y);
  if (answer == TS_NOT_FEASIBLE) add_shares(e, &lp, y);
  memcpy(r, e->state->r, e->state->p->length * sizeof *r);
  for (int m = 0; m < e->count; ++m) memset(r + (size_t)e->members[m] * stride, 0, stride * sizeof *r);
  for (int j = 0; answer == TS_FEASIBLE && j < lp.columns; ++j)
    for (int k = 0; k < e->d; ++k) r[(size_t)lp.contact[j] * stride + (size_t)k] += x[j] * lp.generator[j][k];
  ts_arena_restore(arena, mark);
  return answer;
}

// ---- the tree ------------------------------------------------------------------------------------------------------

// Into how many parts a choice can be split further; 0: it cannot.
static int part_count(const choice *c, double mu, int d)
{
  static const double NARROWEST = 1e-5;
  int ends[2];
  if (c->mode == UNDECIDED) return mu == 0.0 ? 2 : 2 + (1 << (d - 1));
  if (c->mode == OPEN || c->mode == CLOSED || d == 2) return 0;
  if (!c->in_sector) return 1 << (d - 1);
  return longest_edge(c, d - 1, ends) > NARROWEST ? 2 : 0;
}

static void take_part(choice *c, int number, double mu, int d)
{
  int ends[2] = {0, 0};
  if (c->mode == UNDECIDED) {
    c->mode = number == 0 ? OPEN : mu == 0.0 ? CLOSED : number == 1 ? STICK : SLIP;
    if (c->mode == SLIP) orthant(c, number - 2, d - 1);
  } else if (!c->in_sector) {
    orthant(c, number, d - 1);
  } else {
    longest_edge(c, d - 1, ends);
    halve(c, ends[number], ends[1 - number]);
  }
}

// The contact whose law the point breaks most among those that can be split, or -1.
static int worst_contact(const enumeration *e, const double *r, const double *u)
{
  const ts_cone_problem *p = e->state->p;
  double worst = 1e-20; // squares
  int chosen = -1;
  for (int m = 0; m < e->count; ++m) {
    const int i = e->members[m];
    const double residual = ts_cone_contact_residual(p, i, r, u);
    if (!(residual > worst) || part_count(&e->choices[i], p->mu[i], e->d) == 0) continue;
    worst = residual;
    chosen = i;
  }
  return chosen;
}

static double cluster_error(const enumeration *e, const double *r, const double *u)
{
  double sum = 0.0;
  for (int m = 0; m < e->count; ++m) sum += ts_cone_contact_residual(e->state->p, e->members[m], r, u);
  return sqrt(sum);
}

static bool is_cluster_solved(const enumeration *e)
{
  return ts_cone_done(e->state) || cluster_error(e, e->state->r, e->state->u) <= 0.5 * e->state->target;
}

// Newton's method from a point that is ten times better than the last it was tried from.
static bool solves(enumeration *e, const double *r, double *u)
{
  ts_cone_offer(e->state, r, u);
  const double error = cluster_error(e, r, u);
  if (error < 0.1 * e->polished) {
    e->polished = error;
    ts_cone_polish(e->state, r, POLISH_STEPS);
  }
  return is_cluster_solved(e);
}

static verdict search(enumeration *e, int depth);

static verdict search_parts(enumeration *e, int contact, int depth)
{
  choice *c = &e->choices[contact];
  const choice whole = *c;
  const double mu = e->state->p->mu[contact];
  const int parts = part_count(&whole, mu, e->d);
  verdict answer = NONE;
  for (int k = 0; k < parts && answer == NONE; ++k) {
    *c = whole;
    take_part(c, k, mu, e->d);
    answer = search(e, depth + 1);
  }
  *c = whole;
  return answer;
}

// Depth first. A branch that ends without proof and without solution is remembered, and the others are searched all the
// same: one of them may hold a solution.
static verdict search(enumeration *e, int depth)
{
  ts_run *run = e->state->run;
  if (e->nodes_left-- <= 0 || depth > MOST_DEPTH || ts_run_is_over(run)) return GIVEN_UP;
  const ts_arena_mark mark = ts_arena_save(run->arena);
  double *r = ts_arena_doubles(run->arena, e->state->p->length), *u = ts_arena_doubles(run->arena, e->state->p->length);
  const ts_feasibility answer = relax(e, r);
  verdict result = NONE;
  int contact = -1;
  if (answer == TS_FEASIBLE && solves(e, r, u)) result = FOUND;
  if (answer == TS_FEASIBLE && result == NONE) contact = worst_contact(e, r, u);
  ts_arena_restore(run->arena, mark);
  ts_run_record(run, e->state->error, 0.0, 0.0, depth);
  if (contact >= 0) return search_parts(e, contact, depth);
  if (answer != TS_NOT_FEASIBLE && result == NONE) e->unresolved = true;
  return result;
}

// The contacts that `seed` acts on, directly or through others, into `members`, and marked. Returns how many.
static int gather_cluster(const ts_cone_problem *p, int seed, bool *taken, int *members)
{
  int count = 0;
  members[count++] = seed;
  taken[seed] = true;
  for (int m = 0; m < count; ++m)
    for (int k = p->start[members[m]]; k < p->start[members[m] + 1]; ++k)
      if (!taken[p->index[k]]) {
        taken[p->index[k]] = true;
        members[count++] = p->index[k];
      }
  return count;
}

static void normalize_shares(double *share, int contacts)
{
  double sum = 0.0;
  for (int i = 0; i < contacts; ++i) sum += share[i];
  for (int i = 0; i < contacts; ++i) share[i] /= sum;
}

// A node costs about the square of the rows: large clusters get fewer.
static int affordable_nodes(const enumeration *e, int nodes)
{
  static const double CHEAP_ROWS = 56.0;
  const double share = CHEAP_ROWS / (double)(e->count * e->d);
  return share < 1.0 ? (int)(share * share * nodes) : nodes;
}

// True when it is proven that the cluster has no solution.
static bool is_without_solution(enumeration *e, int nodes)
{
  const size_t n = (size_t)e->state->p->contacts;
  memset(e->choices, 0, n * sizeof *e->choices);
  if (e->share) memset(e->share, 0, n * sizeof *e->share);
  e->nodes_left = affordable_nodes(e, nodes);
  e->unresolved = false;
  e->polished = 1.0;
  return search(e, 0) == NONE && !e->unresolved;
}

ts_outcome ts_cone_enumerate(ts_cone_state *state, int nodes)
{
  const ts_cone_problem *p = state->p;
  if (p->contacts > MOST_CONTACTS || p->compliance || state->error < NEARLY_SOLVED) return TS_STALLED;
  ts_arena *arena = state->run->arena;
  ts_cone_system(state);                                             // it stays, so that it must not lie above the mark
  if (isinf(state->error)) ts_cone_offer(state, state->r, state->u); // the cold start is not measured yet
  const ts_arena_mark mark = ts_arena_save(arena);
  const size_t n = (size_t)p->contacts;
  bool *taken = ts_arena_bytes(arena, n, sizeof *taken), proven = false;
  int *members = ts_arena_ints(arena, n);
  memset(taken, 0, n * sizeof *taken);
  enumeration e = {.state = state,
                   .d = p->d,
                   .members = members,
                   .rows = n * (size_t)p->d,
                   .W = dense_compliance(p, arena),
                   .choices = ts_arena_bytes(arena, n, sizeof(choice)),
                   .share = state->run->report->jam};
  for (int i = 0; i < p->contacts && !proven; ++i) {
    if (taken[i]) continue;
    e.count = gather_cluster(p, i, taken, members);
    proven = !is_cluster_solved(&e) && is_without_solution(&e, nodes);
  }
  ts_arena_restore(arena, mark);
  if (proven && e.share) normalize_shares(e.share, p->contacts);
  if (proven) return TS_NO_SOLUTION;
  return ts_cone_done(state) ? TS_SOLVED : TS_STALLED;
}
