#include "checks.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const char *const NAMES[CHECK_KINDS] = {"finite",  "momentum", "angular", "cone",  "law",  "touch",
                                               "overlap", "joint",    "limit",   "state", "work", "energy"};

const char *check_kind_name(check_kind kind)
{
  return NAMES[kind];
}

void check_note(step_findings *findings, check_kind kind, double value, double tolerance, int body)
{
  const double ratio = isfinite(value) ? value / tolerance : INFINITY;
  if (!(ratio > findings->ratio[kind])) return;
  findings->ratio[kind] = ratio;
  findings->value[kind] = value;
  findings->body[kind] = body;
}

ts_pose check_pose_of(const ts_pose *poses, int body)
{
  return body == TS_WORLD ? ts_pose_identity() : poses[body];
}

ts_twist check_twist_of(const ts_twist *twists, int body)
{
  return body == TS_WORLD ? (ts_twist){0} : twists[body];
}

ts_vec3 check_centre(const check_step *s, const ts_pose *poses, int body)
{
  return ts_pose_apply(&poses[body], s->scene->bodies[body].centre);
}

ts_vec3 check_velocity_at(const check_step *s, bool at_end, int body, ts_vec3 point)
{
  const ts_pose *poses = at_end ? s->after : s->before;
  const ts_twist v = at_end ? s->v1[body] : s->v0[body];
  return ts_twist_at(v, ts_sub(point, poses[body].position));
}

ts_vec3 check_impulse(const ts_recorded_contact *c)
{
  const ts_vec3 across = ts_scale(c->po, ts_cross(c->normal, c->tangent));
  return ts_add(ts_scale(c->pn, c->normal), ts_add_scaled(across, c->pt, c->tangent));
}

ts_vec3 check_spin(const campaign_body *body, ts_quat orientation, ts_vec3 w)
{
  const ts_vec3 own = ts_quat_rotate(ts_quat_conjugate(orientation), w);
  const ts_vec3 moment = {body->inertia.x * own.x, body->inertia.y * own.y, body->inertia.z * own.z};
  return ts_quat_rotate(orientation, moment);
}

bool check_is_support(const check_step *s, const ts_recorded_contact *contact)
{
  return s->scene->space == TS_SPACE_2_5D && contact->normal.z != 0.0;
}

static void weigh_linkages(const campaign_scene *scene, double *masses)
{
  for (int b = 0; b < scene->body_count; ++b) {
    masses[b] = 0.0;
    for (int k = 0; k < scene->body_count; ++k)
      if (scene->bodies[k].linkage == scene->bodies[b].linkage) masses[b] += scene->bodies[k].mass;
  }
}

// History that errors of position depend on
static void add_history(const campaign_scene *scene, const ts_twist *v0, const ts_twist *v1, double *fastest,
                        double *bent)
{
  for (int b = 0; b < scene->body_count; ++b) {
    const double reach = isfinite(scene->bodies[b].reach) ? scene->bodies[b].reach : 0.0, h = scene->step_size;
    const double w = fmax(ts_length(v0[b].angular), ts_length(v1[b].angular));
    const double v = fmax(ts_length(v0[b].linear), ts_length(v1[b].linear));
    fastest[b] = fmax(fastest[b], v + w * reach);
    bent[b] += h * h * w * (w * reach + v);
  }
}

void check_run(const campaign_scene *scene, const recorded_run *run, step_findings *findings)
{
  double masses[CAMPAIGN_BODIES], fastest[CAMPAIGN_BODIES] = {0.0}, bent[CAMPAIGN_BODIES] = {0.0};
  ts_vec3 axes[CAMPAIGN_BODIES * CAMPAIGN_BODIES];
  const int n = scene->body_count;
  weigh_linkages(scene, masses);
  memset(axes, 0, sizeof axes);
  static double overlap[CAMPAIGN_BODIES * CAMPAIGN_BODIES];
  memset(overlap, 0, sizeof overlap);
  for (int k = 0; k < run->step_count; ++k) {
    const check_step s = {.scene = scene,
                          .run = run,
                          .step = k,
                          .h = scene->step_size,
                          .before = &run->poses[k * n],
                          .after = &run->poses[(k + 1) * n],
                          .v0 = &run->twists[k * n],
                          .v1 = &run->twists[(k + 1) * n],
                          .joints = &run->joints[(k + 1) * scene->joint_count],
                          .report = &run->steps[k],
                          .contacts = &run->contacts[run->first[k]],
                          .contact_count = run->first[k + 1] - run->first[k],
                          .linkage_mass = masses,
                          .kept_axes = axes,
                          .kept_overlap = overlap,
                          .fastest = fastest,
                          .bent = bent};
    add_history(scene, s.v0, s.v1, fastest, bent);
    if (!run->finite) check_note(&findings[k], CHECK_FINITE, INFINITY, 1.0, -1);
    check_balance(&s, &findings[k]);
    check_contacts(&s, &findings[k]);
    check_geometry(&s, &findings[k]);
    check_energy(&s, &findings[k]);
  }
  check_energy_course(scene, run, findings);
}

bool check_is_linked(const campaign_scene *scene, int b)
{
  bool linked = false;
  for (int k = 0; k < scene->joint_count; ++k)
    linked = linked || scene->joints[k].child == b || scene->joints[k].parent == b;
  return linked;
}

// ---- trees ---------------------------------------------------------------------------------------------------------

static bool is_in(const check_step *s, int b, int linkage)
{
  return s->scene->bodies[b].linkage == linkage && s->scene->bodies[b].kind == TS_DYNAMIC;
}

// Columns of the inertia of a body about a point that it is away from by r
static ts_mat3 inertia_about(const check_step *s, int b, ts_vec3 r)
{
  static const ts_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  ts_vec3 column[3];
  for (int k = 0; k < 3; ++k)
    column[k] = ts_add_scaled(check_spin(&s->scene->bodies[b], s->after[b].orientation, axes[k]),
                              s->scene->bodies[b].mass, ts_cross(r, ts_cross(axes[k], r)));
  return (ts_mat3){column[0], column[1], column[2]};
}

// x with A x = b, by Cramer's rule
static ts_vec3 solve(const ts_mat3 *A, ts_vec3 b)
{
  const ts_vec3 yz = ts_cross(A->y, A->z);
  const ts_vec3 x = {ts_dot(b, yz), ts_dot(A->x, ts_cross(b, A->z)), ts_dot(A->x, ts_cross(A->y, b))};
  return ts_scale(1.0 / ts_dot(A->x, yz), x);
}

typedef struct linkage_motion {
  double mass;
  ts_vec3 moment, momentum; // of mass; linear
  double turning;           // kinetic energy without that of the center of mass [J]
  double inner;             // of that, without the motion as one body
} linkage_motion;

// The motion at the end of the step
static linkage_motion motion_of(const check_step *s, int linkage)
{
  linkage_motion all = {0};
  ts_vec3 spin = {0.0, 0.0, 0.0};
  ts_mat3 inertia = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  for (int b = 0; b < s->scene->body_count; ++b) {
    const double mass = s->scene->bodies[b].mass;
    if (!is_in(s, b, linkage)) continue;
    const ts_vec3 centre = check_centre(s, s->after, b), v = check_velocity_at(s, true, b, centre);
    all.mass += mass;
    all.moment = ts_add_scaled(all.moment, mass, centre);
    all.momentum = ts_add_scaled(all.momentum, mass, v);
    all.turning += 0.5 * mass * ts_dot(v, v);
  }
  for (int b = 0; b < s->scene->body_count; ++b) {
    if (!is_in(s, b, linkage)) continue;
    const ts_vec3 centre = check_centre(s, s->after, b), w = s->v1[b].angular;
    const ts_vec3 r = ts_add_scaled(centre, -1.0 / all.mass, all.moment);
    const ts_vec3 own = check_spin(&s->scene->bodies[b], s->after[b].orientation, w);
    const ts_mat3 about = inertia_about(s, b, r);
    const ts_vec3 v = check_velocity_at(s, true, b, centre);
    all.turning += 0.5 * ts_dot(w, own);
    spin = ts_add(spin, ts_add_scaled(own, s->scene->bodies[b].mass, ts_cross(r, v)));
    inertia = (ts_mat3){ts_add(inertia.x, about.x), ts_add(inertia.y, about.y), ts_add(inertia.z, about.z)};
  }
  all.turning -= 0.5 * ts_dot(all.momentum, all.momentum) / all.mass;
  all.inner = fmax(0.0, all.turning - 0.5 * ts_dot(spin, solve(&inertia, spin)));
  return all;
}

// Motion of a free tree that is left without its momentum is scaled by a factor 1 + f such that the energy is kept, |f|
// at most a quarter, and by no more than if it had a thousandth of the energy of turning (docs/theory/minimal.md). That
// takes up the errors `missed` of all velocities. A point of a body moves with the energy E at no more than
// (2 E x its mobility)^1/2.
static double scaling_slack(const check_step *s, int b, double missed)
{
  const campaign_body *body = &s->scene->bodies[b];
  if (!(missed > 0.0) || body->kind != TS_DYNAMIC) return 0.0;
  const linkage_motion all = motion_of(s, body->linkage);
  double error = 0.0;
  for (int k = 0; k < s->scene->body_count; ++k)
    if (is_in(s, k, body->linkage))
      error += s->scene->bodies[k].mass * missed *
               (ts_length(s->v1[k].linear) + s->scene->bodies[k].reach * ts_length(s->v1[k].angular));
  const double least = fmax(all.inner, 1e-3 * all.turning);
  const double f = least > 0.0 ? fmin(0.25, 0.5 * error / least) : 0.0;
  const ts_vec3 inertia = body->inertia;
  const double thin = campaign_is_planar(s->scene) ? inertia.z : fmin(inertia.x, fmin(inertia.y, inertia.z));
  const double arm = body->reach + ts_length(body->centre);
  return f * sqrt(2.0 * all.inner * (1.0 / body->mass + arm * arm / thin));
}

double check_tree_slack(const check_step *s, int b)
{
  double sum = 0.0;
  for (int k = 0; s->scene->minimal && k < s->scene->body_count; ++k) {
    if (s->scene->bodies[k].linkage != s->scene->bodies[b].linkage || !(s->scene->bodies[k].mass > 0.0)) continue;
    const double w = fmax(ts_length(s->v0[k].angular), ts_length(s->v1[k].angular));
    const double v = fmax(ts_length(s->v0[k].linear), ts_length(s->v1[k].linear));
    const double arm = ts_distance_of(s->before[k].position, s->before[b].position);
    sum += s->h * w * (v + w * (arm + 2.0 * s->scene->bodies[k].reach));
  }
  return sum + scaling_slack(s, b, sum);
}
