// One contact of the problem: what follows from its unknowns, and how that changes with them.
#include "step/implicit/mncp_problem.h"

#include "shape/implicit.h"

#include <math.h>
#include <string.h>

static const ts_mat3 nothing = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};

static ts_mat3 mat3_add_scaled(ts_mat3 A, double s, const ts_mat3 *B)
{
  return (ts_mat3){ts_add_scaled(A.x, s, B->x), ts_add_scaled(A.y, s, B->y), ts_add_scaled(A.z, s, B->z)};
}

// ---- bodies at the end of the step ---------------------------------------------------------------------------------

// S(b) u = u + 2 b x (u + b x u) / (1 + b.b): (1, b) over its length, as a rotation.
static ts_vec3 rotated(ts_vec3 b, ts_vec3 u)
{
  const ts_vec3 inner = ts_add(u, ts_cross(b, u));
  return ts_add_scaled(u, 2.0 / (1.0 + ts_dot(b, b)), ts_cross(b, inner));
}

// With b = h w / 2 a change dw turns the body by 2 (db + b x db) / (1 + b.b).
static ts_mat3 turn_of(double h, ts_vec3 b)
{
  const double s = h / (1.0 + ts_dot(b, b));
  return (ts_mat3){{s, s * b.z, -s * b.y}, {-s * b.z, s, s * b.x}, {s * b.y, -s * b.x, s}};
}

ts_frame ts_ecp_end_frame(const ts_ecp_problem *problem, const ts_ecp_body *body, ts_twist v, ts_mat3 *turn)
{
  const double h = problem->h;
  const ts_mat3 *R = &body->start.axes;
  ts_frame end = {.origin = ts_add_scaled(body->start.origin, h, v.linear)};
  if (ts_has_angle(problem->model->bodies[body->body].freedoms)) {
    const double c = cos(h * v.angular.z), s = sin(h * v.angular.z);
    const ts_mat3 about_z = {{c, s, 0.0}, {-s, c, 0.0}, {0.0, 0.0, 1.0}};
    end.axes = ts_mat3_product(&about_z, R);
    *turn = (ts_mat3){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, h}};
    return end;
  }
  const ts_vec3 b = ts_scale(0.5 * h, v.angular);
  end.axes = (ts_mat3){rotated(b, R->x), rotated(b, R->y), rotated(b, R->z)};
  *turn = turn_of(h, b);
  return end;
}

ts_twist ts_ecp_twist(const ts_ecp_problem *problem, const ts_ecp_body *body, const double *point)
{
  const ts_freedoms *freedoms = problem->model->bodies[body->body].freedoms;
  const double *v = point + body->first;
  if (ts_is_flat(freedoms)) return (ts_twist){{v[0], v[1], 0.0}, {0.0, 0.0, v[2]}};
  return (ts_twist){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}

// ---- a contact at a point ------------------------------------------------------------------------------------------

static ts_vec3 vector_at(const ts_ecp_problem *problem, const double *x)
{
  return (ts_vec3){x[0], x[1], problem->space > 2 ? x[2] : 0.0};
}

static void look_at_body(const ts_ecp_problem *problem, const double *point, int s, ts_ecp_touch *touch)
{
  const ts_ecp_side *side = &touch->contact->side[s];
  const ts_vec3 x = vector_at(problem, point + touch->contact->first + s * problem->space);
  ts_frame frame = side->frame;
  touch->twist[s] = side->twist;
  touch->turn[s] = nothing;
  if (side->slot >= 0) {
    const ts_ecp_body *body = &problem->bodies[side->slot];
    touch->twist[s] = ts_ecp_twist(problem, body, point);
    frame = ts_ecp_end_frame(problem, body, touch->twist[s], &touch->turn[s]);
  }
  touch->axes[s] = ts_mat3_product(&frame.axes, &side->place.axes);
  touch->arm[s] = ts_mul(&frame.axes, ts_frame_apply(&side->place, x));
  touch->at[s] = ts_add(frame.origin, touch->arm[s]);
}

// Sum of multipliers times gradients, with 1 for function k of side 0; multipliers of the others follow each other.
static void look_at_functions(ts_ecp_problem *problem, const double *point, int s, ts_ecp_touch *touch)
{
  const ts_ecp_contact *contact = touch->contact;
  const ts_ecp_side *side = &contact->side[s];
  const ts_ecp_places at = ts_ecp_places_of(problem, contact);
  const double *multiplier = point + contact->first + (s == 0 ? at.faces_1 : at.faces_2);
  const ts_vec3 x = vector_at(problem, point + contact->first + s * problem->space);
  const int before = s == 0 ? 0 : contact->side[0].count;
  ts_vec3 sum = {0.0, 0.0, 0.0};
  touch->bend[s] = nothing;
  for (int i = 0; i < side->count; ++i) {
    ts_mat3 hessian;
    ts_vec3 *gradient = &problem->gradient[before + i];
    problem->function[before + i] = ts_implicit_value(side->part, side->list[i], x, gradient, &hessian);
    const double own = s == 0 && i == contact->face ? 1.0 : *multiplier++;
    sum = ts_add_scaled(sum, own, *gradient);
    touch->bend[s] = mat3_add_scaled(touch->bend[s], own, &hessian);
  }
  touch->cone[s] = ts_mul(&touch->axes[s], sum);
}

// n = -c/|c|; t as contact_set.c chooses it.
static void make_frame(const ts_ecp_problem *problem, ts_ecp_touch *touch)
{
  static const ts_vec3 z_axis = {0.0, 0.0, 1.0};
  touch->length = ts_length(touch->cone[0]);
  touch->n = ts_scale(-1.0 / touch->length, touch->cone[0]);
  const ts_vec3 n = touch->n, wish = touch->contact->wish;
  const ts_vec3 left = ts_add_scaled(wish, -ts_dot(wish, n), n);
  touch->along = ts_length(left);
  touch->t = problem->space > 2 ? ts_scale(1.0 / touch->along, left) : ts_cross(n, z_axis);
  touch->o = ts_cross(n, touch->t);
}

void ts_ecp_look(ts_ecp_problem *problem, const ts_ecp_contact *contact, const double *point, ts_ecp_touch *touch)
{
  const ts_ecp_places at = ts_ecp_places_of(problem, contact);
  const double *own = point + contact->first;
  touch->contact = contact;
  touch->function = problem->function;
  touch->gradient = problem->gradient;
  for (int s = 0; s < 2; ++s) {
    look_at_body(problem, point, s, touch);
    look_at_functions(problem, point, s, touch);
  }
  touch->depth = own[at.depth];
  touch->slip = contact->rubs > 0 ? own[at.slip] : 0.0;
  memset(touch->push, 0, sizeof touch->push);
  touch->push[0] = own[at.normal];
  for (int r = 0; r < contact->rubs; ++r) touch->push[1 + r] = own[at.friction + r];
  make_frame(problem, touch);
  touch->force = ts_add_scaled(ts_scale(touch->push[0], touch->n), touch->push[1], touch->t);
  touch->force = ts_add_scaled(touch->force, touch->push[2], touch->o);
  touch->velocity = ts_sub(ts_twist_at(touch->twist[0], touch->arm[0]), ts_twist_at(touch->twist[1], touch->arm[1]));
  touch->turning = ts_sub(touch->twist[0].angular, touch->twist[1].angular);
}

// ---- derivatives ---------------------------------------------------------------------------------------------------

typedef struct frame_rate {
  ts_vec3 n, t, o;
} frame_rate;

static frame_rate frame_changes(const ts_ecp_problem *problem, const ts_ecp_touch *touch, ts_vec3 cone)
{
  static const ts_vec3 z_axis = {0.0, 0.0, 1.0};
  const ts_vec3 n = touch->n, t = touch->t, wish = touch->contact->wish;
  frame_rate d;
  d.n = ts_scale(-1.0 / touch->length, ts_add_scaled(cone, -ts_dot(n, cone), n));
  if (problem->space > 2) {
    const ts_vec3 left = ts_sub(ts_scale(-ts_dot(wish, d.n), n), ts_scale(ts_dot(wish, n), d.n));
    d.t = ts_scale(1.0 / touch->along, ts_add_scaled(left, -ts_dot(t, left), t));
  } else {
    d.t = ts_cross(d.n, z_axis);
  }
  d.o = ts_add(ts_cross(d.n, t), ts_cross(n, d.t));
  return d;
}

// e^2 mu p_n v + p s of the three directions.
static void friction_changes(const ts_ecp_touch *touch, const ts_ecp_change *change, const frame_rate *d,
                             const ts_vec3 arm[2], ts_ecp_rate *rate)
{
  const ts_ecp_contact *contact = touch->contact;
  const double *p = touch->push, mu = contact->friction, e[3] = {contact->semi.x, contact->semi.y, contact->semi.z};
  const ts_vec3 directions[3] = {touch->t, touch->o, touch->n}, turned[3] = {d->t, d->o, d->n};
  const ts_vec3 velocities[3] = {touch->velocity, touch->velocity, touch->turning};
  ts_vec3 changes[3];
  changes[0] = ts_sub(ts_twist_at(change->twist[0], touch->arm[0]), ts_twist_at(change->twist[1], touch->arm[1]));
  changes[0] =
      ts_add(changes[0], ts_sub(ts_cross(touch->twist[0].angular, arm[0]), ts_cross(touch->twist[1].angular, arm[1])));
  changes[1] = changes[0];
  changes[2] = ts_sub(change->twist[0].angular, change->twist[1].angular);
  rate->room = 2.0 * mu * mu * p[0] * change->push[0];
  for (int r = 0; r < contact->rubs; ++r) {
    const double v = ts_dot(directions[r], velocities[r]);
    const double dv = ts_dot(turned[r], velocities[r]) + ts_dot(directions[r], changes[r]);
    rate->friction[r] = e[r] * e[r] * mu * (change->push[0] * v + p[0] * dv) + change->push[1 + r] * touch->slip +
                        p[1 + r] * change->slip;
    rate->room -= 2.0 * p[1 + r] * change->push[1 + r] / (e[r] * e[r]);
  }
}

ts_ecp_rate ts_ecp_differentiate(const ts_ecp_problem *problem, const ts_ecp_touch *touch, const ts_ecp_change *change)
{
  const double *p = touch->push, *dp = change->push;
  ts_ecp_rate rate = {.room = 0.0};
  ts_vec3 arm[2], at[2], cone[2];
  for (int s = 0; s < 2; ++s) {
    const ts_vec3 turn = ts_mul(&touch->turn[s], change->twist[s].angular);
    const ts_vec3 bend = ts_add(ts_mul(&touch->bend[s], change->x[s]), change->cone[s]);
    arm[s] = ts_add(ts_cross(turn, touch->arm[s]), ts_mul(&touch->axes[s], change->x[s]));
    at[s] = ts_add_scaled(arm[s], problem->h, change->twist[s].linear);
    cone[s] = ts_add(ts_cross(turn, touch->cone[s]), ts_mul(&touch->axes[s], bend));
  }
  rate.apart = ts_add_scaled(ts_sub(at[0], at[1]), change->depth, touch->cone[0]);
  rate.apart = ts_add_scaled(rate.apart, touch->depth, cone[0]);
  rate.against = ts_add(cone[0], cone[1]);
  const frame_rate d = frame_changes(problem, touch, cone[0]);
  rate.force = ts_add(ts_scale(p[0], d.n), ts_scale(dp[0], touch->n));
  rate.force = ts_add(rate.force, ts_add(ts_scale(p[1], d.t), ts_scale(dp[1], touch->t)));
  rate.force = ts_add(rate.force, ts_add(ts_scale(p[2], d.o), ts_scale(dp[2], touch->o)));
  const ts_vec3 spin = ts_add(ts_scale(p[3], d.n), ts_scale(dp[3], touch->n));
  for (int s = 0; s < 2; ++s)
    rate.moment[s] = ts_add(spin, ts_add(ts_cross(arm[s], touch->force), ts_cross(touch->arm[s], rate.force)));
  friction_changes(touch, change, &d, arm, &rate);
  return rate;
}
