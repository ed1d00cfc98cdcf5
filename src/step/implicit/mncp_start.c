#include "step/implicit/mncp_start.h"

#include "math/small_dense.h"
#include "shape/distance.h"
#include "shape/implicit.h"

#include <math.h>
#include <string.h>

// ---- where parts are -----------------------------------------------------------------------------------------------

static ts_frame frame_of(const ts_ecp_problem *problem, const ts_ecp_side *side, const ts_twist *velocity)
{
  ts_frame body = side->frame;
  ts_mat3 turn;
  if (side->slot >= 0) {
    const ts_ecp_body *own = &problem->bodies[side->slot];
    body = ts_ecp_end_frame(problem, own, velocity[own->body], &turn);
  }
  return (ts_frame){ts_frame_apply(&body, side->place.origin), ts_mat3_product(&body.axes, &side->place.axes)};
}

ts_ecp_guess ts_ecp_nearest(const ts_ecp_problem *problem, const ts_ecp_contact *contact, const ts_twist *velocity)
{
  const ts_frame first = frame_of(problem, &contact->side[0], velocity);
  const ts_frame second = frame_of(problem, &contact->side[1], velocity);
  ts_separation separation;
  ts_convex_distance(contact->side[0].part, &first, contact->side[1].part, &second, &separation);
  return (ts_ecp_guess){
      .at = {separation.point_1, separation.point_2}, .normal = separation.normal, .gap = separation.gap};
}

static ts_twist twist_of(const ts_ecp_problem *problem, const ts_ecp_side *side, const ts_twist *velocity)
{
  return side->slot >= 0 ? velocity[problem->bodies[side->slot].body] : side->twist;
}

static ts_vec3 centre_of(const ts_ecp_problem *problem, const ts_ecp_side *side, const ts_twist *velocity)
{
  if (side->slot < 0) return side->frame.origin;
  const ts_ecp_body *body = &problem->bodies[side->slot];
  return ts_add_scaled(body->start.origin, problem->h, velocity[body->body].linear);
}

// Of the first part at its point against the second at its own.
static ts_twist relative_twist(const ts_ecp_problem *problem, const ts_ecp_contact *contact, const ts_twist *velocity,
                               const ts_ecp_guess *guess)
{
  ts_twist v[2];
  for (int s = 0; s < 2; ++s) {
    const ts_ecp_side *side = &contact->side[s];
    const ts_twist own = twist_of(problem, side, velocity);
    v[s] = (ts_twist){ts_twist_at(own, ts_sub(guess->at[s], centre_of(problem, side, velocity))), own.angular};
  }
  return ts_twist_add_scaled(v[0], -1.0, v[1]);
}

void ts_ecp_stop(const ts_ecp_problem *problem, const ts_ecp_contact *contact, const ts_twist *velocity,
                 ts_ecp_guess *guess)
{
  if (!(guess->gap < 0.0)) return;
  const double push = -contact->weight * guess->gap / problem->h;
  const ts_vec3 v = relative_twist(problem, contact, velocity, guess).linear, n = guess->normal;
  const ts_vec3 slip = ts_add_scaled(v, -ts_dot(v, n), n);
  const double speed = ts_length(slip), most = contact->friction * push;
  guess->force = ts_scale(push, n);
  if (contact->rubs > 0 && speed > 0.0)
    guess->force = ts_add_scaled(guess->force, -fmin(most / speed, contact->weight), slip);
}

static void push_contact(const ts_ecp_problem *problem, const ts_step *step, const ts_ecp_contact *contact,
                         const ts_twist *there, const ts_ecp_guess *guess, ts_twist *velocity, double *joints)
{
  ts_body_push pushes[2];
  int count = 0;
  for (int s = 0; s < 2; ++s) {
    const ts_ecp_side *side = &contact->side[s];
    if (side->slot < 0) continue;
    const ts_vec3 arm = ts_sub(guess->at[s], centre_of(problem, side, there));
    const ts_vec3 moment = ts_add_scaled(ts_cross(arm, guess->force), guess->spin, guess->normal);
    const double sign = s == 0 ? 1.0 : -1.0;
    pushes[count++] =
        (ts_body_push){problem->bodies[side->slot].body, {ts_scale(sign, guess->force), ts_scale(sign, moment)}};
  }
  ts_mobility_push(&step->mobility, pushes, count, velocity, joints);
}

static void push_row(const ts_step *step, const ts_row *row, double impulse, ts_twist *velocity, double *joints)
{
  ts_body_push pushes[2];
  int count = 0;
  for (int s = 0; s < 2; ++s)
    if (row->body[s] >= 0)
      pushes[count++] = (ts_body_push){
          row->body[s], {ts_scale(impulse, row->jacobian[s].linear), ts_scale(impulse, row->jacobian[s].angular)}};
  ts_mobility_push(&step->mobility, pushes, count, velocity, joints);
}

void ts_ecp_respond(const ts_ecp_problem *problem, const ts_step *step, const ts_twist *there,
                    const ts_ecp_guess *guesses, const double *bounded, ts_twist *velocity, double *joints)
{
  const size_t bodies = (size_t)problem->model->body_count, rows = (size_t)step->mobility.count;
  memcpy(velocity, step->sim->free_velocity, bodies * sizeof *velocity);
  if (rows > 0) memset(joints, 0, rows * sizeof *joints);
  for (int k = 0; k < problem->contact_count; ++k)
    push_contact(problem, step, &problem->contacts[k], there, &guesses[k], velocity, joints);
  for (int k = 0; k < problem->row_count; ++k) {
    const ts_ecp_row *row = &problem->rows[k];
    if (row->bounded && bounded[row->source] != 0.0)
      push_row(step, &row->bounded->row, bounded[row->source], velocity, joints);
  }
}

// ---- multipliers ---------------------------------------------------------------------------------------------------

enum { MOST_ACTIVE = 12 };

// Functions that are 0 at a point, within a share of the size of the part.
typedef struct active_set {
  int count, index[MOST_ACTIVE];
  ts_vec3 gradient[MOST_ACTIVE];
} active_set;

static void find_active(const ts_ecp_side *side, ts_vec3 x, double share, active_set *set)
{
  const double size = isfinite(side->part->reach) ? side->part->reach : 1.0;
  set->count = 0;
  for (int i = 0; i < side->count && set->count < MOST_ACTIVE; ++i) {
    const double value = ts_implicit_value(side->part, side->list[i], x, &set->gradient[set->count], NULL);
    if (side->count == 1 || value >= -share * size) set->index[set->count++] = i;
  }
}

// Least squares |sum m_k g_k - u| of `count` gradients; infinite where one would have to pull.
static double fit(const active_set *set, const int *chosen, int count, ts_vec3 u, double *m)
{
  double G[9];
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < count; ++j) G[j * count + i] = ts_dot(set->gradient[chosen[i]], set->gradient[chosen[j]]);
    m[i] = ts_dot(set->gradient[chosen[i]], u);
  }
  if (!ts_small_cholesky_factor(count, G)) return INFINITY;
  ts_small_cholesky_solve(count, G, m);
  for (int i = 0; i < count; ++i) {
    if (!(m[i] >= 0.0)) return INFINITY;
    u = ts_add_scaled(u, -m[i], set->gradient[chosen[i]]);
  }
  return ts_length(u);
}

typedef struct decomposition {
  int count, index[3]; // places in the active set
  double m[3], error;
} decomposition;

static void try_subset(const active_set *set, const int *chosen, int count, ts_vec3 u, decomposition *best)
{
  static const double CLEARLY = 0.99; // better: of as good ones the smaller is kept
  double m[3];
  const double error = fit(set, chosen, count, u, m);
  if (!(error < CLEARLY * best->error)) return;
  best->count = count;
  best->error = error;
  memcpy(best->index, chosen, (size_t)count * sizeof *chosen);
  memcpy(best->m, m, (size_t)count * sizeof *m);
}

// A non-negative combination of at most `space` gradients that comes nearest to u: one, two, or three of them, for more
// are never needed (Caratheodory).
static decomposition decompose(const active_set *set, int space, ts_vec3 u)
{
  static const double EXACT = 1e-9;
  decomposition best = {.error = INFINITY};
  for (int i = 0; i < set->count; ++i) try_subset(set, (int[]){i}, 1, u, &best);
  if (best.error <= EXACT) return best;
  for (int i = 0; i < set->count; ++i)
    for (int j = i + 1; j < set->count; ++j) try_subset(set, (int[]){i, j}, 2, u, &best);
  if (best.error <= EXACT || space < 3) return best;
  for (int i = 0; i < set->count; ++i)
    for (int j = i + 1; j < set->count; ++j)
      for (int k = j + 1; k < set->count; ++k) try_subset(set, (int[]){i, j, k}, 3, u, &best);
  return best;
}

// Multipliers of all functions of a side that make the unit vector u (part frame) out of gradients at x.
static void find_multipliers(const ts_ecp_problem *problem, const ts_ecp_side *side, ts_vec3 x, ts_vec3 u, double *m)
{
  static const double shares[] = {1e-9, 1e-4, 0.1};
  memset(m, 0, (size_t)side->count * sizeof *m);
  decomposition found = {.error = INFINITY};
  active_set set;
  for (size_t k = 0; k < sizeof shares / sizeof *shares && !(found.error < 1e-3); ++k) {
    find_active(side, x, shares[k], &set);
    const decomposition own = decompose(&set, problem->space, u);
    if (!(own.error < found.error)) continue;
    found = own;
    for (int i = 0; i < found.count; ++i) found.index[i] = set.index[found.index[i]];
  }
  for (int i = 0; i < found.count; ++i) m[found.index[i]] = found.m[i];
}

// ---- faces ---------------------------------------------------------------------------------------------------------

// How much function i of side 0 is against the normal, u being the normal's opposite in the part's frame: its
// multiplier first, then its gradient.
static double merit_of_face(const ts_ecp_side *side, ts_vec3 x, ts_vec3 u, int i, const double *m)
{
  static const double AGAINST = 0.2;
  ts_vec3 gradient;
  ts_implicit_value(side->part, side->list[i], x, &gradient, NULL);
  const double length = ts_length(gradient), cosine = length > 0.0 ? ts_dot(gradient, u) / length : 0.0;
  return m[i] > 0.0 ? 1.0 + m[i] * length : cosine > AGAINST ? cosine : -1.0;
}

// The face that `skip` others come before, or -1.
static int choose_face(const ts_ecp_side *side, ts_vec3 x, ts_vec3 u, const double *m, int skip)
{
  double before = INFINITY;
  int chosen = -1;
  for (int round = 0; round <= skip; ++round) {
    double best = 0.0;
    chosen = -1;
    for (int i = 0; i < side->count; ++i) {
      const double merit = merit_of_face(side, x, u, i, m);
      if (merit > best && merit < before) best = merit, chosen = i;
    }
    if (chosen < 0) return -1;
    before = best;
  }
  return chosen;
}

// ---- the point -----------------------------------------------------------------------------------------------------

static void put(ts_ecp_problem *problem, int k, double value, double *z)
{
  z[k] = (value - problem->origin[k]) / problem->unit[k];
}

// Points of contacts are counted from where they start.
static void put_point(ts_ecp_problem *problem, int first, ts_vec3 x, double *z)
{
  const double own[3] = {x.x, x.y, x.z};
  for (int c = 0; c < problem->space; ++c) {
    problem->origin[first + c] = own[c];
    z[first + c] = 0.0;
  }
}

static void put_impulses(ts_ecp_problem *problem, const ts_ecp_contact *contact, const ts_ecp_guess *guess,
                         ts_twist slip, double *z)
{
  static const ts_vec3 z_axis = {0.0, 0.0, 1.0};
  const ts_ecp_places at = ts_ecp_places_of(problem, contact);
  const ts_vec3 n = guess->normal, wish = contact->wish;
  const ts_vec3 t =
      problem->space > 2 ? ts_normalize(ts_add_scaled(wish, -ts_dot(wish, n), n), wish) : ts_cross(n, z_axis);
  const ts_vec3 o = ts_cross(n, t), e = contact->semi;
  const double load = fmax(0.0, ts_dot(guess->force, n)), rubs = load > 0.0 ? 1.0 : 0.0;
  const double push[3] = {ts_dot(guess->force, t), ts_dot(guess->force, o), guess->spin};
  const double along = e.x * ts_dot(slip.linear, t), across = contact->rubs > 1 ? e.y * ts_dot(slip.linear, o) : 0.0;
  const double spin = contact->rubs > 2 ? e.z * ts_dot(slip.angular, n) : 0.0;
  const double speed = ts_length((ts_vec3){along, across, spin});
  ts_ecp_measure_friction(problem, contact, speed);
  put(problem, contact->first + at.normal, load, z);
  for (int r = 0; r < contact->rubs; ++r) put(problem, contact->first + at.friction + r, rubs * push[r], z);
  if (contact->rubs > 0) put(problem, contact->first + at.slip, speed, z);
}

// With sum_i m_i grad f_i = -n: c = -n / m_k, so that multipliers are those over m_k, and l = gap m_k.
static bool put_contact(ts_ecp_problem *problem, ts_ecp_contact *contact, const ts_twist *velocity,
                        const ts_ecp_guess *guess, int skip, double *m, double *z)
{
  static const double LEAST = 0.05; // of the multiplier of a face that is not part of the normal
  const ts_ecp_places at = ts_ecp_places_of(problem, contact);
  const int first = contact->first;
  const ts_vec3 directions[2] = {ts_negate(guess->normal), guess->normal};
  double own = 1.0;
  bool chosen = true;
  for (int s = 0; s < 2; ++s) {
    const ts_ecp_side *side = &contact->side[s];
    const ts_frame frame = frame_of(problem, side, velocity);
    const ts_vec3 x = ts_frame_unapply(&frame, guess->at[s]), u = ts_mul_transposed(&frame.axes, directions[s]);
    put_point(problem, first + s * problem->space, x, z);
    find_multipliers(problem, side, x, u, m);
    if (s == 0) {
      const int face = choose_face(side, x, u, m, skip), first_choice = choose_face(side, x, u, m, 0);
      chosen = face >= 0;
      contact->face = chosen ? face : first_choice >= 0 ? first_choice : 0;
      own = fmax(m[contact->face], LEAST);
    }
    int k = first + (s == 0 ? at.faces_1 : at.faces_2);
    for (int i = 0; i < side->count; ++i)
      if (s == 1 || i != contact->face) put(problem, k++, m[i] / own, z);
  }
  put(problem, first + at.depth, guess->gap * own, z);
  contact->wish = ts_tangent_wish(contact->law, guess->normal);
  put_impulses(problem, contact, guess, relative_twist(problem, contact, velocity, guess), z);
  return chosen;
}

static void put_velocity(ts_ecp_problem *problem, const ts_ecp_body *body, ts_twist v, double *z)
{
  const double space[6] = {v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z};
  const double plane[3] = {v.linear.x, v.linear.y, v.angular.z};
  const bool flat = ts_is_flat(problem->model->bodies[body->body].freedoms);
  for (int c = 0; c < (flat ? 3 : 6); ++c) put(problem, body->first + c, flat ? plane[c] : space[c], z);
}

bool ts_ecp_start(ts_ecp_problem *problem, const ts_ecp_start_point *point, double *z)
{
  bool any = problem->contact_count == 0 && point->skip == 0;
  for (int i = 0; i < problem->body_count; ++i)
    put_velocity(problem, &problem->bodies[i], point->velocity[problem->bodies[i].body], z);
  for (int k = 0; k < problem->row_count; ++k) {
    const ts_ecp_row *row = &problem->rows[k];
    const double *impulse = row->joint ? point->joints : point->bounded;
    put(problem, row->first, impulse && !row->idle ? impulse[row->source] : 0.0, z);
  }
  for (int k = 0; k < problem->contact_count; ++k)
    any = put_contact(problem, &problem->contacts[k], point->there, &point->guesses[k], point->skip, problem->function,
                      z) ||
          any;
  for (int k = 0; k < problem->size; ++k) z[k] = fmin(fmax(z[k], problem->lower[k]), problem->upper[k]);
  return any;
}
