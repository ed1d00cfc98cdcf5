// With G = J^T J over the bodies, which is sparse as their contacts are, the least impulses without regard to cones are
// J l with G l = J^T r_0; the system is consistent, so that a factor that drops dependent pivots solves it. Where they
// leave a cone, contacts that would pull are left out, and Dykstra's alternating projections look for the least ones in
// the cones; where these do not end in time, the way from r_0 to the least ones is gone as far as the cones allow: all
// its points push the bodies alike.
#include "contact/least_norm.h"

#include "contact/law.h"

#include "math/block_cholesky.h"

#include <string.h>

static const double DEPENDENT = 1e-9; // pivots that elimination leaves less than this share of
static const double ALIKE = 1e-13;    // pushes that differ by this share of the impulses are the same
static const double NARROWER = 1e-3;  // of cones that bind, so that alternating projections end
enum { NODE = 6, LEFT_OUT_AT_MOST = 3, PROJECTIONS = 60 };

typedef struct exchange {
  const ts_system *system;
  ts_arena *arena;
  bool *taken; // contacts that take part (blocks)
  double cone;
  int nodes, rows; // bodies, and numbers of r that may change
  int *node;       // of a body, or -1
  ts_block_cholesky factor;
  int rank;
  double *push, *left; // J^T r_0 of what takes part, and what is left of it (NODE nodes)
} exchange;

static int rows_of(const exchange *x, int i)
{
  return x->system->blocks[i].friction > 0.0 ? x->system->dimension : 1;
}

// Unit of row k of contact i: spin counts as the friction it takes.
static double weight_of(const exchange *x, int i, int k)
{
  const double *ellipsoid = x->system->problem.ellipsoid;
  return k == 3 && ellipsoid ? ellipsoid[(size_t)i * 3 + 2] : 1.0;
}

static bool acts(const exchange *x, int i, int k)
{
  return (x->system->blocks[i].active >> k & 1u) != 0;
}

// The components of a block's rows follow each other: linear x y z, angular x y z, each with the numbers of all rows.
_Static_assert(sizeof(ts_row_block) == sizeof(double[NODE][TS_MAX_DIMENSION]), "nothing else is in it");
TS_INLINE double component(const ts_row_block *rows, int k, int r)
{
  return ((const double *)rows)[k * TS_MAX_DIMENSION + r];
}

static void number_bodies(exchange *x)
{
  const int bodies = x->system->model->body_count;
  x->node = ts_arena_ints(x->arena, (size_t)bodies);
  x->nodes = x->rows = 0;
  for (int b = 0; b < bodies; ++b) x->node[b] = -1;
  for (int i = 0; i < x->system->count; ++i) {
    if (!x->taken[i]) continue;
    for (int k = 0; k < rows_of(x, i); ++k) x->rows += acts(x, i, k);
    for (int side = 0; side < 2; ++side) {
      const int body = x->system->blocks[i].body[side];
      if (body >= 0 && x->node[body] < 0) x->node[body] = x->nodes++;
    }
  }
}

static int node_of(const exchange *x, int i, int side)
{
  const int body = x->system->blocks[i].body[side];
  return body >= 0 ? x->node[body] : -1;
}

// Components of a push that move the body: particles do not turn, and their arms are round-off.
static int ways_of(const exchange *x, int i, int side)
{
  return x->system->model->bodies[x->system->blocks[i].body[side]].inertia.z.z > 0.0 ? NODE : 3;
}

// Lists the other body of every contact between two, body by body.
static void list_partners(const exchange *x, int *start, int *partner)
{
  memset(start, 0, ((size_t)x->nodes + 2) * sizeof *start);
  for (int fill = 0; fill < 2; ++fill) {
    for (int i = 0; i < x->system->count; ++i) {
      const int a = x->taken[i] ? node_of(x, i, 0) : -1, b = x->taken[i] ? node_of(x, i, 1) : -1;
      if (a < 0 || b < 0) continue;
      if (fill) partner[start[a + 1]] = b, partner[start[b + 1]] = a;
      ++start[a + (fill ? 1 : 2)];
      ++start[b + (fill ? 1 : 2)];
    }
    for (int n = 0; !fill && n < x->nodes; ++n) start[n + 2] += start[n + 1]; // each begins where the one before ends
  }
}

// Neighbours of the bodies, none twice, in both directions.
static void analyze(exchange *x)
{
  const size_t nodes = (size_t)x->nodes;
  int *size = ts_arena_ints(x->arena, nodes), *start = ts_arena_ints(x->arena, nodes + 1);
  int *met = ts_arena_ints(x->arena, nodes), *from = ts_arena_ints(x->arena, nodes + 2), count = 0;
  int *index = ts_arena_ints(x->arena, 2 * (size_t)x->system->count);
  list_partners(x, from, index);
  for (size_t n = 0; n < nodes; ++n) size[n] = NODE, met[n] = -1;
  for (int n = 0; n < x->nodes; ++n) {
    start[n] = count;
    for (int k = from[n]; k < from[n + 1]; ++k) {
      const int other = index[k];
      if (met[other] != n) index[count++] = other; // the list shrinks in place
      met[other] = n;
    }
  }
  start[nodes] = count;
  x->factor = ts_block_cholesky_analyze(x->nodes, size, start, index, x->arena);
}

static void add_contact(const exchange *x, int i)
{
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b <= a; ++b) {
      const int node_a = node_of(x, i, a), node_b = node_of(x, i, b);
      if (node_a < 0 || node_b < 0) continue;
      const ts_row_block *A = &x->system->jacobian[2 * i + a], *B = &x->system->jacobian[2 * i + b];
      const int ways_a = ways_of(x, i, a), ways_b = ways_of(x, i, b);
      double block[NODE * NODE] = {0};
      for (int k = 0; k < rows_of(x, i); ++k) {
        const double w = acts(x, i, k) ? weight_of(x, i, k) : 0.0;
        for (int c = 0; c < ways_b; ++c)
          for (int r = 0; r < ways_a; ++r) block[c * NODE + r] += w * w * component(A, r, k) * component(B, c, k);
      }
      ts_block_cholesky_add(&x->factor, node_a, node_b, block);
    }
}

// Which components of a body's push are nothing but round-off, such as the moments of balls without friction: squares
// of what its contacts have of them against all that arms of this length could have.
static void drop_round_off(const exchange *x, bool *dropped)
{
  const size_t scalars = NODE * (size_t)x->nodes;
  double *own = ts_arena_zeros(x->arena, scalars), *arms = ts_arena_zeros(x->arena, (size_t)x->nodes);
  for (int i = 0; i < x->system->count; ++i)
    for (int side = 0; x->taken[i] && side < 2; ++side) {
      const int node = node_of(x, i, side);
      for (int k = 0; node >= 0 && k < x->system->dimension; ++k)
        for (int c = 0; c < NODE; ++c) {
          const double entry = component(&x->system->jacobian[2 * i + side], c, k), square = entry * entry;
          if (k < rows_of(x, i)) own[NODE * node + c] += square;
          if (c > 2) arms[node] += square;
        }
    }
  for (size_t k = 0; k < scalars; ++k) dropped[k] = k % NODE > 2 && own[k] <= DEPENDENT * DEPENDENT * arms[k / NODE];
}

static void factor(exchange *x)
{
  const size_t scalars = NODE * (size_t)x->nodes;
  analyze(x);
  for (int i = 0; i < x->system->count; ++i)
    if (x->taken[i]) add_contact(x, i);
  double *relative = ts_arena_doubles(x->arena, (size_t)x->nodes);
  bool *dropped = ts_arena_bytes(x->arena, scalars, sizeof *dropped);
  for (int n = 0; n < x->nodes; ++n) relative[n] = DEPENDENT;
  drop_round_off(x, dropped);
  ts_block_cholesky_factor(&x->factor, relative, dropped, x->arena);
  x->rank = 0;
  for (size_t k = 0; k < scalars; ++k) x->rank += !dropped[k];
}

static void prepare(exchange *x)
{
  number_bodies(x);
  x->push = ts_arena_zeros(x->arena, NODE * (size_t)x->nodes);
  x->left = ts_arena_zeros(x->arena, NODE * (size_t)x->nodes);
  factor(x);
}

// push += sign J^T r, of what takes part.
static void add_push(const exchange *x, double sign, const double *r, double *push)
{
  for (int i = 0; i < x->system->count; ++i)
    for (int side = 0; x->taken[i] && side < 2; ++side) {
      const int node = node_of(x, i, side);
      const double *p = r + (size_t)i * (size_t)x->system->dimension;
      for (int k = 0; node >= 0 && k < rows_of(x, i); ++k)
        for (int c = 0; acts(x, i, k) && c < ways_of(x, i, side); ++c)
          push[NODE * node + c] += sign * p[k] * component(&x->system->jacobian[2 * i + side], c, k);
    }
}

// r += D J l, D being the squares of the weights.
static void add_rows(const exchange *x, const double *l, double *r)
{
  for (int i = 0; i < x->system->count; ++i)
    for (int side = 0; x->taken[i] && side < 2; ++side) {
      const int node = node_of(x, i, side);
      double *p = r + (size_t)i * (size_t)x->system->dimension;
      for (int k = 0; node >= 0 && k < rows_of(x, i); ++k) {
        const double w = acts(x, i, k) ? weight_of(x, i, k) : 0.0;
        for (int c = 0; c < ways_of(x, i, side); ++c)
          p[k] += w * w * component(&x->system->jacobian[2 * i + side], c, k) * l[NODE * node + c];
      }
    }
}

static double largest(const double *x, size_t count)
{
  double most = 0.0;
  for (size_t k = 0; k < count; ++k) most = fmax(most, fabs(x[k]));
  return most;
}

// The impulses nearest to r that push the bodies as r_0 does. False where that is not so to round-off.
static bool project_on_pushes(const exchange *x, double *r)
{
  enum { REFINEMENTS = 4 };
  const size_t scalars = NODE * (size_t)x->nodes, rows = (size_t)x->system->count * (size_t)x->system->dimension;
  for (int pass = 0; pass <= REFINEMENTS; ++pass) {
    memcpy(x->left, x->push, scalars * sizeof *x->left);
    add_push(x, -1.0, r, x->left);
    const double missing = largest(x->left, scalars);
    if (pass > 0 && missing <= ALIKE * largest(r, rows)) return true;
    if (!isfinite(missing)) return false;
    ts_block_cholesky_solve(&x->factor, x->left, x->arena);
    add_rows(x, x->left, r);
  }
  return false;
}

// ---- cones ---------------------------------------------------------------------------------------------------------

// Friction that contact i uses, of which mu r_n is allowed.
static double friction_used(const exchange *x, int i, const double *p)
{
  const ts_system *s = x->system;
  const int rows = rows_of(x, i);
  const double *e = s->problem.ellipsoid ? s->problem.ellipsoid + (size_t)i * (size_t)(s->dimension - 1) : NULL;
  const ts_vec3 axes = {e ? e[0] : 1.0, e && rows > 2 ? e[1] : 1.0, e && rows > 3 ? e[2] : 1.0};
  return ts_law_friction_used(axes, p, rows);
}

static double friction_allowed(const exchange *x, int i)
{
  return x->cone * x->system->blocks[i].friction;
}

static bool is_in_cone(const exchange *x, int i, const double *p)
{
  return p[0] >= 0.0 && friction_used(x, i, p) <= friction_allowed(x, i) * p[0];
}

static bool is_in_cones(const exchange *x, const double *r)
{
  for (int i = 0; i < x->system->count; ++i)
    if (x->taken[i] && !is_in_cone(x, i, r + (size_t)i * (size_t)x->system->dimension)) return false;
  return true;
}

// The nearest point of the circular cone of opening mu.
static void project_on_cone(int rows, double mu, double *p)
{
  double size = 0.0;
  for (int k = 1; k < rows; ++k) size += p[k] * p[k];
  size = sqrt(size);
  if (size <= mu * p[0]) return;
  const double n = p[0] + mu * size > 0.0 ? (p[0] + mu * size) / (1.0 + mu * mu) : 0.0;
  for (int k = 1; k < rows; ++k) p[k] *= size > 0.0 ? mu * n / size : 0.0;
  p[0] = n;
}

// One turn of Dykstra's projections: r on the cones with what was taken off before, then on the pushes.
static bool alternate(const exchange *x, double *r, double *off)
{
  const int d = x->system->dimension;
  for (int i = 0; i < x->system->count; ++i) {
    if (!x->taken[i]) continue;
    double *p = r + (size_t)i * (size_t)d, *q = off + (size_t)i * (size_t)d, before[TS_MAX_DIMENSION];
    for (int k = 0; k < rows_of(x, i); ++k) before[k] = p[k] += q[k];
    project_on_cone(rows_of(x, i), (1.0 - NARROWER) * friction_allowed(x, i), p);
    for (int k = 0; k < rows_of(x, i); ++k) q[k] = before[k] - p[k];
  }
  return project_on_pushes(x, r);
}

// Of the least ones without regard to cones, r: those in the cones.
static bool find_in_cones(const exchange *x, double *r)
{
  if (x->system->problem.ellipsoid) return false; // projections on these are another matter
  double *off = ts_arena_zeros(x->arena, (size_t)x->system->count * (size_t)x->system->dimension);
  for (int turn = 0; turn < PROJECTIONS; ++turn) {
    if (!alternate(x, r, off)) return false;
    if (is_in_cones(x, r)) return true;
  }
  return false;
}

// Leave out contacts that would pull. False where there is none.
static bool leave_out(exchange *x, double *r)
{
  bool any = false;
  for (int i = 0; i < x->system->count; ++i) {
    double *p = r + (size_t)i * (size_t)x->system->dimension;
    if (!x->taken[i] || p[0] > 0.0) continue;
    x->taken[i] = false;
    memset(p, 0, (size_t)x->system->dimension * sizeof *p);
    any = true;
  }
  return any;
}

static void clear_taken(const exchange *x, double *r)
{
  for (int i = 0; i < x->system->count; ++i)
    if (x->taken[i]) memset(r + (size_t)i * (size_t)x->system->dimension, 0, (size_t)x->system->dimension * sizeof *r);
}

// The least impulses that `push` asks for, without contacts that would pull; others as in r. False: there are none.
static bool find_without_pulling(exchange *x, double *r)
{
  for (int turn = 0; turn < LEFT_OUT_AT_MOST && leave_out(x, r); ++turn) {
    const double *push = x->push;
    const int *node = x->node, bodies = x->system->model->body_count;
    const exchange all = *x;
    prepare(x);
    for (int b = 0; b < bodies; ++b) { // every body must be pushed as before
      for (int c = 0; node[b] >= 0 && c < NODE; ++c) {
        const double wanted = push[NODE * node[b] + c];
        if (x->node[b] >= 0)
          x->push[NODE * x->node[b] + c] = wanted;
        else if (fabs(wanted) > ALIKE * largest(push, NODE * (size_t)all.nodes))
          return false;
      }
    }
    clear_taken(x, r);
    if (!project_on_pushes(x, r)) return false;
  }
  return is_in_cones(x, r) || find_in_cones(x, r);
}

// ---- the choice ----------------------------------------------------------------------------------------------------

static double square_norm(const exchange *x, const bool *rests, const double *r)
{
  double sum = 0.0;
  for (int i = 0; i < x->system->count; ++i)
    for (int k = 0; rests[i] && k < rows_of(x, i); ++k) {
      const double p = r[(size_t)i * (size_t)x->system->dimension + (size_t)k] / weight_of(x, i, k);
      sum += p * p;
    }
  return sum;
}

// The largest share of the way from r to `least` that stays in the cones, by bisection.
static double share_of_way(const exchange *x, const double *r, const double *least, double *at)
{
  const size_t rows = (size_t)x->system->count * (size_t)x->system->dimension;
  double low = 0.0, high = 1.0;
  for (int turn = 0; turn < 40; ++turn) {
    const double share = 0.5 * (low + high);
    for (size_t k = 0; k < rows; ++k) at[k] = r[k] + share * (least[k] - r[k]);
    *(is_in_cones(x, at) ? &low : &high) = share;
  }
  for (size_t k = 0; k < rows; ++k) at[k] = r[k] + low * (least[k] - r[k]);
  return low;
}

static exchange begin(const ts_resting *resting, ts_arena *arena)
{
  const size_t count = (size_t)resting->system->count;
  exchange x = {.system = resting->system, .arena = arena, .cone = resting->cone};
  x.taken = ts_arena_bytes(arena, count, sizeof *x.taken);
  memcpy(x.taken, resting->rests, count * sizeof *x.taken);
  prepare(&x);
  return x;
}

static ts_least_outcome choose(const ts_resting *resting, double *r, ts_arena *arena)
{
  exchange x = begin(resting, arena);
  if (x.rank >= x.rows) return TS_LEAST_UNIQUE;
  const size_t rows = (size_t)x.system->count * (size_t)x.system->dimension;
  double *least = ts_arena_doubles(arena, rows), *answer = ts_arena_doubles(arena, rows);
  const double norm = square_norm(&x, resting->rests, r);
  memcpy(least, r, rows * sizeof *least);
  add_push(&x, 1.0, r, x.push);
  clear_taken(&x, least);
  if (!project_on_pushes(&x, least)) return TS_LEAST_UNCHANGED;
  const exchange all = x;
  x.taken = ts_arena_bytes(arena, (size_t)x.system->count, sizeof *x.taken); // so that `all` stays
  memcpy(x.taken, all.taken, (size_t)x.system->count * sizeof *x.taken);
  memcpy(answer, least, rows * sizeof *answer);
  const bool found = is_in_cones(&x, answer) || find_without_pulling(&x, answer);
  if (found && square_norm(&x, resting->rests, answer) <= norm) {
    memcpy(r, answer, rows * sizeof *r);
    return TS_LEAST_FOUND;
  }
  if (!is_in_cones(&all, r) || !(share_of_way(&all, r, least, answer) > 0.0)) return TS_LEAST_UNCHANGED;
  memcpy(r, answer, rows * sizeof *r);
  return TS_LEAST_NEARER;
}

ts_least_outcome ts_least_norm(const ts_resting *resting, double *r, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  const ts_least_outcome outcome = choose(resting, r, arena);
  ts_arena_restore(arena, mark);
  return outcome;
}

// ---- balance -------------------------------------------------------------------------------------------------------

static double *velocities_of_nodes(const exchange *x, const ts_twist *velocity)
{
  double *v = ts_arena_doubles(x->arena, NODE * (size_t)x->nodes);
  for (int b = 0; b < x->system->model->body_count; ++b) {
    const ts_twist own = velocity[b];
    const double all[NODE] = {own.linear.x, own.linear.y, own.linear.z, own.angular.x, own.angular.y, own.angular.z};
    if (x->node[b] >= 0) memcpy(v + NODE * x->node[b], all, sizeof all);
  }
  return v;
}

// push -= M v.
static void take_momentum(const exchange *x, const double *v, double *push)
{
  for (int b = 0; b < x->system->model->body_count; ++b) {
    if (x->node[b] < 0) continue;
    const ts_body *body = &x->system->model->bodies[b];
    const double *own = v + NODE * x->node[b];
    const ts_vec3 spin = ts_mul_transposed(&x->system->kinematics->frame[b].axes, (ts_vec3){own[3], own[4], own[5]});
    const ts_vec3 moment = ts_mul(&x->system->kinematics->frame[b].axes, ts_mul(&body->inertia, spin));
    const double momentum[NODE] = {body->mass * own[0], body->mass * own[1], body->mass * own[2],
                                   moment.x,            moment.y,            moment.z};
    for (int c = 0; c < NODE; ++c) push[NODE * x->node[b] + c] -= momentum[c];
  }
}

// The impulses nearest to r, in the cones, that leave bodies slower by `change` than r does.
static bool slow_down(const exchange *x, const double *change, double *r)
{
  memset(x->push, 0, NODE * (size_t)x->nodes * sizeof *x->push);
  add_push(x, 1.0, r, x->push);
  take_momentum(x, change, x->push);
  return project_on_pushes(x, r) && (is_in_cones(x, r) || find_in_cones(x, r));
}

// Velocities v that come nearest to what contacts ask for: G v = J^T asked.
static bool balance(const exchange *x, const ts_balance_data *data, double *r, double *guess)
{
  const size_t scalars = NODE * (size_t)x->nodes, rows = (size_t)x->system->count * (size_t)x->system->dimension;
  double *v = ts_arena_zeros(x->arena, scalars), *change = velocities_of_nodes(x, data->reached);
  add_push(x, 1.0, data->asked, v);
  ts_block_cholesky_solve(&x->factor, v, x->arena);
  for (size_t k = 0; k < scalars; ++k) change[k] -= v[k];
  if (!slow_down(x, change, r)) return false;
  const double *old = velocities_of_nodes(x, data->old);
  for (size_t k = 0; k < scalars; ++k) change[k] = v[k] - old[k];
  memcpy(guess, r, rows * sizeof *guess);
  return slow_down(x, change, guess);
}

bool ts_balance(const ts_resting *resting, const ts_balance_data *data, double *r, double *guess, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  const exchange x = begin(resting, arena);
  const bool found = x.nodes > 0 && balance(&x, data, r, guess);
  ts_arena_restore(arena, mark);
  return found;
}

int ts_resting_rank(const ts_resting *resting, int *rows, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  const exchange x = begin(resting, arena);
  ts_arena_restore(arena, mark);
  *rows = x.rows;
  return x.rank;
}
