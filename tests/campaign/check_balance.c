// Momentum: mass times the change of velocity is the sum of all recorded impulses and of the scene's forces.
#include "checks.h"
#include "elastic.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

// Impulses on a body about its centre of mass at the start, and how far the sums are uncertain
typedef struct push {
  ts_vec3 linear, angular;
  double size, moment_size;   // sums of absolute values: round-off
  double slack, moment_slack; // forces and arms that vary within the step
} push;

// Sums of some hundred products of recorded numbers. `event-driven` integrates with errors of 1e-11 in each of its many
// steps (docs/theory/choosing-a-stepper.md: errors of round-off).
static double round_off_of(const check_step *s)
{
  return s->scene->stepper == CAMPAIGN_EVENT_DRIVEN ? 1e-7 : 1e-9;
}

static void add(push *p, ts_vec3 impulse, ts_vec3 arm, double arm_slack)
{
  const ts_vec3 moment = ts_cross(arm, impulse);
  p->linear = ts_add(p->linear, impulse);
  p->angular = ts_add(p->angular, moment);
  p->size += ts_length(impulse);
  p->moment_size += ts_length(arm) * ts_length(impulse);
  p->moment_slack += arm_slack * ts_length(impulse);
}

// Steps in one piece have their arms at the start, `implicit` at the end. Others have arms in between.
static bool has_one_configuration(const check_step *s)
{
  const campaign_stepper k = s->scene->stepper;
  return s->report->substeps <= 1.0 &&
         (k == CAMPAIGN_STEWART_TRINKLE || k == CAMPAIGN_VELOCITY || k == CAMPAIGN_QUASISTATIC);
}

static bool is_implicit(const check_step *s)
{
  const campaign_stepper k = s->scene->stepper;
  return s->report->substeps <= 1.0 && (k == CAMPAIGN_IMPLICIT || k == CAMPAIGN_IMPLICIT_COMPLIANT);
}

static double way_of(const check_step *s, int body)
{
  if (body == TS_WORLD) return 0.0;
  const double v = fmax(ts_length(s->v0[body].linear), ts_length(s->v1[body].linear));
  const double w = fmax(ts_length(s->v0[body].angular), ts_length(s->v1[body].angular));
  const double reach = isfinite(s->scene->bodies[body].reach) ? s->scene->bodies[body].reach : 0.0;
  return s->h * (v + w * reach);
}

// Largest velocity that a unit impulse gives the point of a free body that it acts on [1/kg]
static double mobility_of(const check_step *s, int b, double arm)
{
  const ts_vec3 inertia = s->scene->bodies[b].inertia;
  const double least = campaign_is_planar(s->scene) ? inertia.z : fmin(inertia.x, fmin(inertia.y, inertia.z));
  return 1.0 / s->scene->bodies[b].mass + arm * arm / least;
}

// Contacts come and go within steps that are cut, and within those of `event-driven`, whose length is no more than how
// often the result is recorded (docs/theory/minimal.md).
static bool has_inner_impacts(const check_step *s)
{
  return s->report->substeps > 1.0 || s->scene->stepper == CAMPAIGN_EVENT_DRIVEN;
}

// By how much the velocity of a point may leave those of its ends within such a step. An impulse p at c gives the point
// a at most p (W_aa W_cc)^1/2, and joints make no W larger. Friction that goes to and fro has a smaller sum than its
// parts, which are at most mu p_n: twice the impulses.
double check_jolt(const check_step *s, int body, ts_vec3 at)
{
  double sum = 0.0;
  if (!has_inner_impacts(s) || body == TS_WORLD || s->scene->bodies[body].kind != TS_DYNAMIC) return 0.0;
  const double own = mobility_of(s, body, ts_distance_of(at, s->scene->bodies[body].centre));
  for (int i = 0; i < s->contact_count; ++i)
    for (int side = 0; side < 2; ++side) {
      const ts_recorded_contact *c = &s->contacts[i];
      if (side == 1 && c->body_2 == c->body_1) continue;
      const campaign_body *pushed = &s->scene->bodies[side == 0 ? c->body_1 : c->body_2];
      if (pushed->kind != TS_DYNAMIC || pushed->linkage != s->scene->bodies[body].linkage) continue;
      const double arm = pushed->reach + ts_length(pushed->centre);
      sum += 2.0 * ts_length(check_impulse(c)) * sqrt(own * mobility_of(s, (int)(pushed - s->scene->bodies), arm));
    }
  return sum;
}

static double centre_jolt(const check_step *s, int body)
{
  return body == TS_WORLD ? 0.0 : check_jolt(s, body, s->scene->bodies[body].centre);
}

// Arms are known to round-off in steps of one configuration, else up to the ways of the bodies in the step. Correction
// of positions before the step moves centers by an unrecorded amount; three times the recorded length bounds it.
static double arm_slack_of(const check_step *s, int first, int second)
{
  const double corrected = 3.0 * s->report->taken_out;
  if (has_one_configuration(s) || is_implicit(s)) return corrected;
  // Velocities within the step may exceed those of the ends
  return corrected + 2.0 * (way_of(s, first) + way_of(s, second)) +
         s->h * (centre_jolt(s, first) + centre_jolt(s, second));
}

static void add_pair(const check_step *s, push *pushes, int first, int second, ts_vec3 point, ts_vec3 impulse,
                     ts_vec3 moment)
{
  const double slack = arm_slack_of(s, first, second);
  const int bodies[2] = {first, second};
  for (int k = 0; k < 2; ++k) {
    const int b = bodies[k];
    const double sign = k == 0 ? 1.0 : -1.0;
    if (b == TS_WORLD || s->scene->bodies[b].kind != TS_DYNAMIC) continue;
    add(&pushes[b], ts_scale(sign, impulse), ts_sub(point, check_centre(s, s->before, b)), slack);
    pushes[b].angular = ts_add_scaled(pushes[b].angular, sign, moment);
    pushes[b].moment_size += ts_length(moment);
  }
}

// Rows of `implicit` are those of the end of the step (docs/theory/implicit.md); supports are rows of the start.
static void add_contacts(const check_step *s, push *pushes)
{
  for (int i = 0; i < s->contact_count; ++i) {
    const ts_recorded_contact *c = &s->contacts[i];
    const int second = c->body_2 == c->body_1 ? TS_WORLD : c->body_2;
    const ts_vec3 impulse = check_impulse(c), spin = ts_scale(c->pr, c->normal);
    // The point of a cut step is the mean by normal impulse (docs/formats/run.md): friction acted elsewhere on the face
    const double cut = s->report->substeps > 1.0 ? 2.0 * hypot(c->pt, c->po) : 0.0;
    for (int side = 0; side < 2; ++side) {
      const int b = side == 0 ? c->body_1 : second;
      if (b != TS_WORLD && s->scene->bodies[b].kind == TS_DYNAMIC)
        pushes[b].moment_slack += cut * s->scene->bodies[b].reach;
    }
    if (!is_implicit(s) || check_is_support(s, c)) {
      add_pair(s, pushes, c->body_1, second, c->point, impulse, spin);
      continue;
    }
    for (int side = 0; side < 2; ++side) {
      const int b = side == 0 ? c->body_1 : second;
      const double sign = side == 0 ? 1.0 : -1.0;
      if (b == TS_WORLD || s->scene->bodies[b].kind != TS_DYNAMIC) continue;
      add(&pushes[b], ts_scale(sign, impulse), ts_sub(c->point, check_centre(s, s->after, b)),
          3.0 * s->report->taken_out);
      pushes[b].angular = ts_add_scaled(pushes[b].angular, sign, spin);
      pushes[b].moment_size += ts_length(spin);
    }
  }
}

// A motor that presses against a stop is not seen in their sum. It is in the velocity that gyroscopic torques turn.
static void add_motor_size(const check_step *s, push *pushes, int k, ts_vec3 point)
{
  const campaign_joint *j = &s->scene->joints[k];
  const int bodies[2] = {j->parent, j->child};
  for (int side = 0; side < 2; ++side) {
    const int b = bodies[side];
    if (b == TS_WORLD || s->scene->bodies[b].kind != TS_DYNAMIC) continue;
    const double arm = j->kind == TS_JOINT_PRISMATIC ? ts_distance_of(point, check_centre(s, s->before, b)) : 1.0;
    pushes[b].moment_size += s->h * arm * fabs(s->joints[k].motor);
  }
}

// Forces of contacts that are springs swing within a step of `compliant`. Joints pass them on, to and fro: their parts
// are no larger than the impulses of the contacts of the linkage.
static double passed_on(const check_step *s, int body)
{
  double sum = 0.0;
  if (s->scene->stepper != CAMPAIGN_COMPLIANT || s->report->substeps <= 1.0) return 0.0;
  for (int i = 0; i < s->contact_count; ++i) {
    const ts_recorded_contact *c = &s->contacts[i];
    const int linkage = s->scene->bodies[body].linkage;
    if (s->scene->bodies[c->body_1].linkage == linkage || s->scene->bodies[c->body_2].linkage == linkage)
      sum += ts_length(check_impulse(c));
  }
  return sum;
}

static void add_joints(const check_step *s, push *pushes)
{
  for (int k = 0; k < s->scene->joint_count; ++k) {
    const campaign_joint *j = &s->scene->joints[k];
    const ts_wrench w = s->joints[k].reaction;
    const ts_vec3 point = ts_pose_apply(&s->before[j->child], j->at_child);
    add_pair(s, pushes, j->child, j->parent, point, ts_scale(s->h, w.force), ts_scale(s->h, w.moment));
    add_motor_size(s, pushes, k, point);
    // Arms and axes of the two sides differ by the opening of the joint
    const double open = 2.0 * s->h * s->report->joint_error * (ts_length(w.force) + ts_length(w.moment)) +
                        arm_slack_of(s, j->child, j->parent) * passed_on(s, j->child);
    pushes[j->child].moment_slack += open;
    if (j->parent != TS_WORLD) pushes[j->parent].moment_slack += open;
  }
}

// A force within the step lies between those of its ends, where these are monotone in it; twice the difference is
// allowed. Implicit springs are linear about the start: points leave that line by w^2 r h^2 + w v h^2, and axes turn by
// w h + v h/l. The rate of the length is that along the line of the start: with the speed u across that line the length
// grows by u^2/l more a second, which is u^2 h^2/l of way. The axes of a bushing turn under the way between its points
// by w h, which is w u h^2. In a tree points leave their lines with all of its links.
static double elastic_slack(const check_step *s, const campaign_elastic *e, const elastic_load *a,
                            const elastic_load *b)
{
  double bent = 0.0, turn = 0.0;
  const double across = fmax(a->across, b->across), length = fmin(a->length, b->length);
  const double passing = fmax(a->speed, b->speed);
  if (!e->is_bushing) bent += s->h * s->h * across * across / fmax(length, s->h * across);
  for (int side = 0; side < 2; ++side) {
    const int body = e->body[side];
    if (body == TS_WORLD) continue;
    const double w = fmax(ts_length(s->v0[body].angular), ts_length(s->v1[body].angular));
    const double v = fmax(ts_length(s->v0[body].linear), ts_length(s->v1[body].linear));
    bent += s->h * s->h * (w * w * ts_length(e->at[side]) + w * (v + (e->is_bushing ? passing : 0.0)));
    bent += s->h * check_tree_slack(s, body);
    turn += s->h * w + (e->is_bushing ? 0.0 : s->h * (v + w * ts_length(e->at[side])) / fmin(e->length, length));
  }
  turn = fmin(turn, 2.0); // unit vectors differ by no more
  const double far = fmax(ts_length(a->force), ts_length(b->force));
  const double stiffness = ts_length(e->stiffness) + ts_length(e->damping) / s->h;
  const double jolt = check_jolt(s, e->body[0], e->at[0]) + check_jolt(s, e->body[1], e->at[1]);
  const double jolted = (s->h * ts_length(e->stiffness) + ts_length(e->damping)) * jolt;
  return 2.0 * s->h * (ts_distance_of(a->force, b->force) + stiffness * bent + far * turn) + s->h * jolted;
}

// Velocities of the end, of origins at the places that they have relative to the centers of mass at the start
static void twists_at_start(const check_step *s, ts_twist *twists)
{
  for (int b = 0; b < s->scene->body_count; ++b) {
    const ts_vec3 c = s->scene->bodies[b].centre;
    const ts_vec3 centre = ts_twist_at(s->v1[b], ts_quat_rotate(s->after[b].orientation, c));
    const ts_vec3 back = ts_negate(ts_quat_rotate(s->before[b].orientation, c));
    twists[b] = (ts_twist){ts_add(centre, ts_cross(s->v1[b].angular, back)), s->v1[b].angular};
  }
}

// Steps of one configuration have the force of implicit springs exactly, except for moving bases and corrected
// positions.
static void add_elastics(const check_step *s, push *pushes)
{
  ts_twist ends[CAMPAIGN_BODIES];
  const bool exact = (has_one_configuration(s) || is_implicit(s)) && !s->scene->minimal;
  twists_at_start(s, ends);
  for (int k = 0; k < s->scene->elastic_count; ++k) {
    const campaign_elastic *e = &s->scene->elastics[k];
    const elastic_load a = elastic_load_of(e, s->before, s->v0), b = elastic_load_of(e, s->after, s->v1);
    ts_vec3 force = ts_scale(0.5 * s->h, ts_add(a.force, b.force));
    const ts_vec3 moment = ts_scale(0.5 * s->h, ts_add(a.moment, b.moment));
    const double change = elastic_slack(s, e, &a, &b);
    const bool moved = e->body[0] != TS_WORLD && s->scene->bodies[e->body[0]].kind == TS_KINEMATIC;
    const bool known = exact && !moved && s->report->taken_out == 0.0;
    if (known) {
      force = ts_scale(s->h, elastic_implicit_load(e, s->before, ends, s->h).force);
    }
    const double far = fmax(ts_length(a.force), ts_length(b.force));
    const double torque = fmax(ts_length(a.moment), ts_length(b.moment));
    add_pair(s, pushes, e->body[1], e->body[0], a.point, force, moment);
    for (int side = 0; side < 2; ++side) {
      const int body = e->body[side];
      if (body == TS_WORLD || s->scene->bodies[body].kind != TS_DYNAMIC) continue;
      const double reach = ts_distance_of(a.point, check_centre(s, s->before, body)) + ts_distance_of(a.point, b.point);
      const double turn = s->h * (ts_length(s->v0[body].angular) + ts_length(s->v1[body].angular));
      pushes[body].slack += known ? 0.0 : change;
      pushes[body].moment_slack +=
          2.0 * s->h * (ts_distance_of(a.moment, b.moment) + turn * torque) + reach * change +
          s->h * far * (a.offset + b.offset + ts_distance_of(a.point, b.point) + way_of(s, body));
    }
  }
}

// Angle that a body turns by at any time of the step, at most: no faster than at an end and what all impulses could add
// to that. Friction that goes to and fro has a smaller sum than its parts, which are at most mu p_n: twice the
// impulses.
static double turn_within(const check_step *s, int b, const push *p)
{
  const ts_vec3 inertia = s->scene->bodies[b].inertia;
  const double least = campaign_is_planar(s->scene) ? inertia.z : fmin(inertia.x, fmin(inertia.y, inertia.z));
  const double w = fmax(ts_length(s->v0[b].angular), ts_length(s->v1[b].angular));
  return s->h * (w + (has_inner_impacts(s) ? 2.0 * p->moment_size / least : 0.0));
}

// Correction of positions before the step moves points by at most three times its length d. A point at an arm a that is
// moved with the least energy turns the body by a d/(k^2 + a^2), with the radius of gyration k: d/(2 k) at most.
static double turn_by_correction(const check_step *s, int b)
{
  const campaign_body *body = &s->scene->bodies[b];
  const double least =
      campaign_is_planar(s->scene) ? body->inertia.z : fmin(body->inertia.x, fmin(body->inertia.y, body->inertia.z));
  return 1.5 * s->report->taken_out / sqrt(least / body->mass);
}

// Impulses of contacts, joints and springs are in `pushes`.
static void add_forces(const check_step *s, push *pushes)
{
  const double t1 = s->report->t, t0 = t1 - s->h;
  for (int k = 0; k < s->scene->force_count; ++k) {
    const campaign_force *f = &s->scene->forces[k];
    const ts_pose *pose = &s->before[f->body];
    const ts_vec3 arm = ts_quat_rotate(pose->orientation, ts_sub(f->at, s->scene->bodies[f->body].centre));
    push *p = &pushes[f->body];
    if (f->impulse_time >= 0.0) {
      if (f->impulse_time > t0 && f->impulse_time <= t1) add(p, f->force, arm, way_of(s, f->body));
      continue;
    }
    const ts_vec3 force = f->follows ? ts_quat_rotate(pose->orientation, f->force) : f->force;
    const ts_vec3 torque = f->follows ? ts_quat_rotate(pose->orientation, f->torque) : f->torque;
    add(p, ts_scale(s->h, force), arm, way_of(s, f->body));
    p->angular = ts_add_scaled(p->angular, s->h, torque);
    p->moment_size += s->h * ts_length(torque);
    const double corrected = turn_by_correction(s, f->body);
    const double turn = corrected + (has_one_configuration(s) ? 0.0 : turn_within(s, f->body, p));
    if (f->follows) {
      p->slack += s->h * turn * ts_length(force);
      p->moment_slack += s->h * turn * (ts_length(torque) + ts_length(arm) * ts_length(force));
    }
  }
}

// Moments about free axes of joints in a tree are those of the start (docs/theory/joints.md): of first order in h. For
// a link of mass m at distance r, the impulse that they are the moment of misses m r w (h |dw| + h^2 w^2); the arm of
// the impulse m dv changes by h (v + w r). dw and dv are the changes of velocity. What keeps the energy of the tree
// changes rates at the end.
static double moment_error(const check_step *s, const push *pushes, int b)
{
  double sum = 0.0;
  if (!s->scene->minimal) return 0.0;
  for (int k = 0; k < s->scene->body_count; ++k) {
    const campaign_body *body = &s->scene->bodies[k];
    if (body->linkage != s->scene->bodies[b].linkage || body->kind != TS_DYNAMIC) continue;
    const double w = fmax(ts_length(s->v0[k].angular), ts_length(s->v1[k].angular));
    const double dw = ts_distance_of(s->v0[k].angular, s->v1[k].angular),
                 dv = ts_distance_of(s->v0[k].linear, s->v1[k].linear);
    const double arm = body->reach + ts_distance_of(s->before[k].position, s->before[b].position);
    const double inner = has_inner_impacts(s) ? pushes[k].size / body->mass : 0.0; // changes within the step
    const double v = fmax(ts_length(s->v0[k].linear), ts_length(s->v1[k].linear));
    sum += body->mass * arm * check_tree_slack(s, k);
    sum += 2.0 * body->mass * s->h * (arm * w * (arm * (s->h * w * w + dw) + inner) + (arm * w + v) * dv);
  }
  return sum;
}

static ts_vec3 centre_velocity(const check_step *s, bool at_end, int b)
{
  const ts_pose *pose = at_end ? &s->after[b] : &s->before[b];
  return ts_twist_at(at_end ? s->v1[b] : s->v0[b], ts_quat_rotate(pose->orientation, s->scene->bodies[b].centre));
}

static ts_vec3 missing_momentum(const check_step *s, int b, const push *p, double *size)
{
  const campaign_body *body = &s->scene->bodies[b];
  const ts_vec3 v0 = centre_velocity(s, false, b), v1 = centre_velocity(s, true, b);
  const ts_vec3 weight = ts_scale(body->mass * s->h, s->scene->gravity);
  const double inertia = s->scene->stepper == CAMPAIGN_QUASISTATIC ? 0.0 : body->mass;
  ts_vec3 missing = ts_sub(ts_scale(inertia, ts_sub(v1, v0)), ts_add(p->linear, weight));
  if (campaign_is_planar(s->scene)) missing.z = 0.0;
  *size = inertia * (ts_length(v0) + ts_length(v1)) + ts_length(weight) + p->size;
  return missing;
}

// Loads of joints are integrated with errors relative to all of the state: on a light body they are errors of the
// heavy one that it hangs on.
static double size_in_linkage(const check_step *s, const push *pushes, int b)
{
  double largest = 0.0;
  for (int k = 0; k < s->scene->body_count; ++k) {
    double size;
    if (s->scene->bodies[k].kind != TS_DYNAMIC || s->scene->bodies[k].linkage != s->scene->bodies[b].linkage) continue;
    missing_momentum(s, k, &pushes[k], &size);
    largest = fmax(largest, size);
  }
  return largest;
}

static void check_linear(const check_step *s, step_findings *findings, int b, const push *pushes)
{
  const push *p = &pushes[b];
  double size;
  const ts_vec3 missing = missing_momentum(s, b, p, &size);
  if (s->scene->stepper == CAMPAIGN_EVENT_DRIVEN) size = size_in_linkage(s, pushes, b);
  const double tolerance = round_off_of(s) * size + p->slack;
  check_note(findings, CHECK_MOMENTUM, ts_length(missing), tolerance + 1e-14 * s->scene->bodies[b].mass, b);
}

// Linkages that nothing holds: joints cancel in their sum. Minimal coordinates keep it to second order in h, the third
// derivative of paths times h^2: m r w^3 h^2 of each link, with the largest w of the linkage.
static void check_linkage(const check_step *s, step_findings *findings, int first, const push *pushes)
{
  const campaign_scene *scene = s->scene;
  const int linkage = scene->bodies[first].linkage;
  ts_vec3 missing = {0.0, 0.0, 0.0};
  double tolerance = 1e-14 * s->linkage_mass[first], w = 0.0;
  for (int b = 0; b < scene->body_count; ++b)
    if (scene->bodies[b].linkage == linkage)
      w = fmax(w, fmax(ts_length(s->v0[b].angular), ts_length(s->v1[b].angular)));
  for (int k = 0; k < scene->joint_count; ++k) {
    const campaign_joint *j = &scene->joints[k];
    const bool held = j->parent == TS_WORLD || scene->bodies[j->parent].kind != TS_DYNAMIC;
    if (held && scene->bodies[j->child].linkage == linkage) return;
  }
  for (int b = 0; b < scene->body_count; ++b) {
    const campaign_body *body = &scene->bodies[b];
    if (body->linkage != linkage || body->kind != TS_DYNAMIC) continue;
    double size;
    missing = ts_add(missing, missing_momentum(s, b, &pushes[b], &size));
    const double arm = body->reach + ts_distance_of(s->before[b].position, s->before[first].position);
    tolerance += round_off_of(s) * size + pushes[b].slack + body->mass * arm * w * w * w * s->h * s->h;
  }
  check_note(findings, CHECK_MOMENTUM, ts_length(missing), tolerance, first);
}

// I (w+ - w) + h w x I w at the start: the gyroscopic term is taken anywhere between the velocities of both ends and
// that of free motion, up to a turn of the axes by h w. Steps with many configurations are measured by the angular
// momentum.
static void check_moment(const check_step *s, step_findings *findings, int b, const push *p, double reactions)
{
  const campaign_body *body = &s->scene->bodies[b];
  const ts_vec3 w0 = s->v0[b].angular, w1 = s->v1[b].angular, mean = ts_scale(0.5, ts_add(w0, w1));
  const ts_quat q0 = s->before[b].orientation, q1 = s->after[b].orientation;
  const ts_vec3 spin0 = check_spin(body, q0, w0), spin1 = check_spin(body, q0, w1);
  const ts_vec3 g0 = ts_cross(w0, spin0), g1 = ts_cross(w1, spin1), g = ts_cross(mean, check_spin(body, q0, mean));
  const double w = fmax(ts_length(w0), ts_length(w1)),
               most = fmax(body->inertia.x, fmax(body->inertia.y, body->inertia.z));
  const bool planar = campaign_is_planar(s->scene), whole = has_one_configuration(s) || is_implicit(s);
  // Free motion differs from the ends by the velocity that the moments would make
  const double least = fmin(body->inertia.x, fmin(body->inertia.y, body->inertia.z));
  const double freed = p->moment_size * most / least;
  const double spread = planar ? 0.0
                               : s->h * fmax(ts_distance_of(g0, g), ts_distance_of(g1, g)) +
                                     s->h * s->h * most * w * w * w + (whole ? 0.0 : s->h * ts_distance_of(g0, g1)) +
                                     2.0 * s->h * freed * (w + freed / most);
  ts_vec3 gained = ts_add_scaled(ts_sub(spin1, spin0), s->h, g);
  if (!whole) gained = ts_sub(check_spin(body, q1, w1), spin0);
  if (s->scene->stepper == CAMPAIGN_QUASISTATIC) gained = ts_vec3_make(0.0, 0.0, 0.0);
  ts_vec3 missing = ts_sub(gained, p->angular);
  if (planar) missing = ts_vec3_make(0.0, 0.0, missing.z);
  const double corrected = 2.0 * turn_by_correction(s, b) * most * w;
  const double inertia =
      s->scene->stepper == CAMPAIGN_QUASISTATIC ? 0.0 : 2.0 * most * w + body->mass * s->h * 10.0 * body->reach;
  const double tolerance =
      round_off_of(s) * (inertia + p->moment_size) + p->moment_slack + spread + corrected + reactions;
  check_note(findings, CHECK_ANGULAR, ts_length(missing), tolerance + 1e-14 * most, b);
}

// Steps of `event-driven` that are taken unchecked leave up to 1e-6 of 1 + |y| each, with y the poses and velocities of
// all bodies (docs/theory/minimal.md).
static void add_unchecked(const check_step *s, push *pushes)
{
  double squares = 0.0;
  if (s->scene->stepper != CAMPAIGN_EVENT_DRIVEN || s->report->fallbacks == 0.0) return;
  for (int b = 0; b < s->scene->body_count; ++b) {
    const ts_vec3 parts[] = {s->after[b].position, s->v1[b].linear, s->v1[b].angular};
    for (int k = 0; k < 3 && s->scene->bodies[b].kind == TS_DYNAMIC; ++k) squares += ts_dot(parts[k], parts[k]);
    squares += 1.0; // of the orientation
  }
  const double error = 1e-6 * s->report->fallbacks * (1.0 + sqrt(squares));
  for (int b = 0; b < s->scene->body_count; ++b) {
    const campaign_body *body = &s->scene->bodies[b];
    if (body->kind != TS_DYNAMIC) continue;
    pushes[b].slack += error * body->mass;
    pushes[b].moment_slack +=
        error * (fmax(body->inertia.x, fmax(body->inertia.y, body->inertia.z)) + body->mass * body->reach);
  }
}

void check_balance(const check_step *s, step_findings *findings)
{
  push pushes[CAMPAIGN_BODIES];
  memset(pushes, 0, sizeof pushes);
  add_contacts(s, pushes);
  add_joints(s, pushes);
  add_elastics(s, pushes);
  add_forces(s, pushes);
  add_unchecked(s, pushes);
  double largest = 0.0;
  for (int b = 0; b < s->scene->body_count; ++b) largest = fmax(largest, pushes[b].size);
  for (int b = 0; b < s->scene->body_count; ++b) {
    if (s->scene->bodies[b].kind != TS_DYNAMIC) continue;
    // Quasi-static forces balance to 1e-8 of the largest force on a body (docs/theory/quasistatic.md).
    if (s->scene->stepper == CAMPAIGN_QUASISTATIC) {
      pushes[b].slack += 1e-8 * largest;
      pushes[b].moment_slack += 1e-8 * largest * s->scene->bodies[b].reach;
    }
    check_linear(s, findings, b, pushes);
    if (s->scene->minimal && s->scene->bodies[b].linkage == b) check_linkage(s, findings, b, pushes);
    check_moment(s, findings, b, &pushes[b], moment_error(s, pushes, b));
  }
}
