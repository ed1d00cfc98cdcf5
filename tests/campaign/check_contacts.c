// The law of contact, row by row: cones, complementarity, the direction of friction, and that bodies touch.
#include "checks.h"
#include "separation.h"

#include "math/vec3.h"

#include <math.h>

// A contact in its frame n, t, o
typedef struct contact_row {
  const ts_recorded_contact *c;
  double r[3], u[3], before[3]; // impulse; velocity at the end and at the start of the step
  double mu;                    // friction
  double mass, light;           // bounds of the mass that a push at the contact moves [kg]
  double speed;                 // of the data [m/s]
  double carried;               // normal speed of a kinematic body that is part of the gap [m/s]
  bool support;
} contact_row;

// Centre of mass that arms are measured from: at the start, for `implicit` at the end. If positions were corrected
// before the step, the start follows from the end.
static ts_vec3 arm_of(const check_step *s, int b, ts_vec3 point, bool support)
{
  const campaign_stepper k = s->scene->stepper;
  const bool at_end = !support && (k == CAMPAIGN_IMPLICIT || k == CAMPAIGN_IMPLICIT_COMPLIANT);
  ts_vec3 centre = check_centre(s, at_end ? s->after : s->before, b);
  if (!at_end && s->report->taken_out > 0.0) {
    const ts_vec3 end = check_centre(s, s->after, b);
    const ts_vec3 v = ts_twist_at(s->v1[b], ts_sub(end, s->after[b].position));
    centre = ts_add_scaled(end, -s->h, v);
  }
  return ts_sub(point, centre);
}

static ts_vec3 velocity_of(const check_step *s, bool at_end, int b, ts_vec3 point, bool support)
{
  const campaign_body *body = &s->scene->bodies[b];
  if (body->kind == TS_FIXED) return ts_vec3_make(0.0, 0.0, 0.0);
  if (body->kind == TS_KINEMATIC) return check_velocity_at(s, at_end, b, point);
  const ts_pose *poses = at_end ? s->after : s->before;
  const ts_twist twist = at_end ? s->v1[b] : s->v0[b];
  const ts_vec3 at_centre = ts_twist_at(twist, ts_quat_rotate(poses[b].orientation, body->centre));
  return ts_add(at_centre, ts_cross(twist.angular, arm_of(s, b, point, support)));
}

// Largest velocity of a point of a free body by a unit impulse there [1/kg]; joints make it less.
static double lightness_of(const check_step *s, int b)
{
  const campaign_body *body = &s->scene->bodies[b];
  if (body->kind != TS_DYNAMIC) return 0.0;
  const double least =
      campaign_is_planar(s->scene) ? body->inertia.z : fmin(body->inertia.x, fmin(body->inertia.y, body->inertia.z));
  const double arm = body->reach + ts_length(body->centre);
  return 1.0 / body->mass + arm * arm / least;
}

// Kinematic bodies stand where they are at the end of the step: their motion along the normal is part of the gap,
// except with `velocity` (docs/theory/stepping.md).
static contact_row row_of(const check_step *s, const ts_recorded_contact *c)
{
  contact_row row = {.c = c, .r = {c->pn, c->pt, c->po}, .support = check_is_support(s, c)};
  const ts_vec3 frame[3] = {c->normal, c->tangent, ts_cross(c->normal, c->tangent)};
  const bool on_world = c->body_2 == c->body_1;
  const bool moves =
      !on_world && s->scene->bodies[c->body_2].kind == TS_KINEMATIC && s->scene->stepper != CAMPAIGN_VELOCITY;
  for (int end = 0; end < 2; ++end) {
    const ts_vec3 first = velocity_of(s, end == 1, c->body_1, c->point, row.support);
    const ts_vec3 second =
        on_world ? ts_vec3_make(0.0, 0.0, 0.0) : velocity_of(s, end == 1, c->body_2, c->point, row.support);
    for (int k = 0; k < 3; ++k) {
      const double u = ts_dot(frame[k], first) - (moves && k == 0 ? 0.0 : ts_dot(frame[k], second));
      if (end)
        row.u[k] = u;
      else
        row.before[k] = u;
    }
  }
  if (moves) {
    const ts_vec3 start = ts_pose_unapply(&s->before[c->body_2], c->point);
    const ts_vec3 way = ts_sub(ts_pose_apply(&s->after[c->body_2], start), c->point);
    row.carried = ts_dot(c->normal, way) / s->h;
  }
  const double m1 = s->linkage_mass[c->body_1], m2 = on_world ? 0.0 : s->linkage_mass[c->body_2];
  row.mass = m2 > 0.0 ? m1 * m2 / (m1 + m2) : m1;
  row.light = 1.0 / (lightness_of(s, c->body_1) + (on_world ? 0.0 : lightness_of(s, c->body_2)));
  row.mu = row.support ? s->scene->support_friction : campaign_friction(s->scene, c->body_1, c->body_2);
  row.speed = hypot(hypot(row.u[0], row.u[1]), row.u[2]) + hypot(hypot(row.before[0], row.before[1]), row.before[2]) +
              s->h * 10.0 + fabs(c->gap) / s->h;
  return row;
}

// ---- tolerances ----------------------------------------------------------------------------------------------------

static bool has_stops(const campaign_scene *scene)
{
  bool any = false;
  for (int k = 0; k < scene->joint_count; ++k)
    any = any || isfinite(scene->joints[k].lower) || isfinite(scene->joints[k].upper);
  return any;
}

// The certificate bounds sqrt(sum m |error|^2) by the tolerance times sqrt(sum m |data|^2) (docs/theory/residuals.md).
// So the velocity error of a contact of mass m is at most tolerance/sqrt(m) sqrt(sum m |data|^2). The masses are
// bounds; the data are estimated: a factor 10 is allowed. `implicit` bounds the largest velocity error by that of the
// data. More than 60 contacts may be certified within a length: 1e-5 of half a width, over h. Open stops of joints are
// data of up to a hundred times the others (docs/theory/stepping.md).
static double velocity_tolerance(const check_step *s, const contact_row *row, double data, double fastest)
{
  const bool largest = s->scene->stepper == CAMPAIGN_IMPLICIT || s->scene->stepper == CAMPAIGN_IMPLICIT_COMPLIANT;
  const double length = s->report->within_length > 0.0 ? fmax(s->report->length_error, 1e-3 * s->h * row->speed) : 0.0;
  // Quasi-static forces act for a time in which they would make a thousand times the speed of drives; that is the data.
  const double scale = s->scene->stepper == CAMPAIGN_QUASISTATIC ? 1e3 : 1.0, stops = has_stops(s->scene) ? 100.0 : 1.0;
  const double speed = scale * stops * (largest ? fastest : data / sqrt(row->light));
  return 10.0 * (s->scene->tolerance * speed + length / s->h) + 1e-11 * row->speed;
}

// Rows that are sums over several problems (`summed` above 1) obey no cone: normals turn between problems
// (docs/formats/run.md). All others obey theirs in the frame of the row.
static void check_cone(const check_step *s, step_findings *findings, const contact_row *row, double tolerance, int i)
{
  if (row->c->summed > 1) return;
  const double spin = s->scene->spin > 0.0 && !row->support ? row->c->pr / s->scene->spin : 0.0;
  const double friction = sqrt(row->r[1] * row->r[1] + row->r[2] * row->r[2] + spin * spin);
  const double allowed = row->mass * tolerance + 1e-9 * row->r[0];
  check_note(findings, CHECK_CONE, friction - row->mu * row->r[0], allowed, i);
  check_note(findings, CHECK_CONE, -row->r[0], allowed, i);
  if (s->scene->spin == 0.0 && !row->support)
    check_note(findings, CHECK_CONE, fabs(row->c->pr), fmax(allowed, 1e-300), i);
}

// ---- natural map ---------------------------------------------------------------------------------------------------

// |s r - P(s r - v)|, v = u + mu |u_t| n with u_n above `asked`: 0 exactly where complementarity and Coulomb's law
// hold. It grows with s; 1/mass of the whole linkage is not above the compliance of the contact.
static double natural_map(const contact_row *row, double asked)
{
  const double s = 1.0 / row->mass, slip = hypot(row->u[1], row->u[2]);
  const double x[3] = {s * row->r[0] - (row->u[0] - asked) - row->mu * slip, s * row->r[1] - row->u[1],
                       s * row->r[2] - row->u[2]};
  const double across = hypot(x[1], x[2]);
  double normal = x[0], share = 1.0;
  if (row->mu * across <= -x[0]) {
    normal = share = 0.0;
  } else if (across > row->mu * x[0]) {
    normal = (x[0] + row->mu * across) / (1.0 + row->mu * row->mu);
    share = row->mu * normal / across;
  }
  return hypot(s * row->r[0] - normal, hypot(s * row->r[1] - share * x[1], s * row->r[2] - share * x[2]));
}

// Normal velocity that the contact must have at least. Gaps that are open may close; overlap may open at any speed up
// to the one that repairs it, above that of the surface; rebounds may be scaled down.
static double asked_of(const check_step *s, const contact_row *row)
{
  const campaign_stepper k = s->scene->stepper;
  if (row->support || k == CAMPAIGN_IMPLICIT) return row->u[0]; // loads are given; gaps at the end are checked as such
  const double closing = k == CAMPAIGN_VELOCITY ? 0.0 : -row->c->gap / s->h;
  const double low = row->c->gap > 0.0 ? fmin(closing, 0.0) : fmin(row->carried, 0.0);
  const double high = fmax(fmax(closing, low), -s->scene->restitution * row->before[0]);
  const double least = k == CAMPAIGN_VELOCITY ? 0.0 : low;
  return row->u[0] < least ? least : row->u[0] > high ? high : row->u[0];
}

static bool law_is_pointwise(const check_step *s)
{
  const campaign_stepper k = s->scene->stepper;
  const bool known =
      k == CAMPAIGN_STEWART_TRINKLE || k == CAMPAIGN_VELOCITY || k == CAMPAIGN_IMPLICIT || k == CAMPAIGN_QUASISTATIC;
  return known && s->report->substeps <= 1.0 && !s->scene->whole_impacts && !s->scene->polyhedral &&
         s->scene->spin == 0.0 && s->scene->restitution == 0.0;
}

static void check_law(const check_step *s, step_findings *findings, const contact_row *row, double tolerance, int i)
{
  double allowed = tolerance;
  if (row->c->body_2 != row->c->body_1 && s->scene->bodies[row->c->body_2].kind == TS_KINEMATIC) {
    // The surface is taken at one time of the step: up to the change of its velocity
    const ts_vec3 a = velocity_of(s, false, row->c->body_2, row->c->point, false),
                  b = velocity_of(s, true, row->c->body_2, row->c->point, false);
    allowed += s->scene->stepper == CAMPAIGN_VELOCITY ? 2.0 * ts_distance_of(a, b) : 1e-9 * ts_length(b);
  }
  // Positions that were corrected by up to taken_out have unknown arms. An error of u changes v by up to 1 + mu times
  // it, and the projection does not increase that.
  for (int k = 0; k < 2; ++k) {
    const int b = k == 0 ? row->c->body_1 : row->c->body_2;
    const double turned = check_is_linked(s->scene, b) ? check_tree_slack(s, b) : 0.0;
    allowed += (1.0 + row->mu) * (3.0 * s->report->taken_out * ts_length(s->v1[b].angular) + turned);
  }
  check_note(findings, CHECK_LAW, natural_map(row, asked_of(s, row)), allowed, i);
}

// ---- touch ---------------------------------------------------------------------------------------------------------

// Least separation of the parts of two bodies along a direction; -infinity where a part has no support function
static double separation_of(const check_step *s, const ts_pose *poses, int a, int b, ts_vec3 n)
{
  const campaign_body *first = &s->scene->bodies[a], *second = &s->scene->bodies[b];
  double least = INFINITY;
  for (int i = 0; i < first->part_count; ++i)
    for (int j = 0; j < second->part_count; ++j) {
      if (!first->parts[i].has_support || !second->parts[j].has_support) return -INFINITY;
      least = fmin(least, separation_along(&first->parts[i], &poses[a], &second->parts[j], &poses[b], n));
    }
  return least;
}

// Bodies that are apart along the normal at both ends of the step by more than they move in it do not touch. `implicit`
// pushes only at gaps that are closed at the end, to 1e-8 of the size (docs/theory/implicit.md).
static void check_touch(const check_step *s, step_findings *findings, const contact_row *row, double tolerance, int i)
{
  const ts_recorded_contact *c = row->c;
  if (row->support || c->pn <= 10.0 * row->mass * tolerance) return;
  const campaign_body *first = &s->scene->bodies[c->body_1], *second = &s->scene->bodies[c->body_2];
  const double size = fmin(first->reach, second->reach),
               end = separation_of(s, s->after, c->body_1, c->body_2, c->normal);
  if (s->scene->stepper == CAMPAIGN_IMPLICIT && s->report->substeps <= 1.0) {
    if (isfinite(end)) check_note(findings, CHECK_TOUCH, end, 2e-8 * size + s->h * tolerance, i);
    return;
  }
  const double start = separation_of(s, s->before, c->body_1, c->body_2, c->normal);
  double way = 3.0 * s->report->taken_out;
  for (int k = 0; k < 2; ++k) {
    const int b = k == 0 ? c->body_1 : c->body_2;
    const double reach = isfinite(s->scene->bodies[b].reach) ? s->scene->bodies[b].reach : 0.0;
    way += s->h * fmax(ts_length(s->v0[b].linear) + reach * ts_length(s->v0[b].angular),
                       ts_length(s->v1[b].linear) + reach * ts_length(s->v1[b].angular));
  }
  if (isfinite(start))
    check_note(findings, CHECK_TOUCH, fmin(start, end), 1e-6 * size + 2.0 * way + 20.0 * s->h * s->h, i);
}

void check_contacts(const check_step *s, step_findings *findings)
{
  double squares = 0.0, fastest = 0.0;
  for (int i = 0; i < s->contact_count; ++i) {
    const contact_row row = row_of(s, &s->contacts[i]);
    squares += row.mass * row.speed * row.speed;
    fastest = fmax(fastest, row.speed);
  }
  // Guesses of `implicit` may change by the tolerance times the speed of the quickest point of a body.
  for (int b = 0; b < s->scene->body_count; ++b) fastest = fmax(fastest, s->fastest[b]);
  for (int i = 0; i < s->contact_count; ++i) {
    const contact_row row = row_of(s, &s->contacts[i]);
    const double tolerance = velocity_tolerance(s, &row, sqrt(squares), fastest);
    check_cone(s, findings, &row, tolerance, i);
    if (law_is_pointwise(s)) check_law(s, findings, &row, tolerance, i);
    check_touch(s, findings, &row, tolerance, i);
  }
}
