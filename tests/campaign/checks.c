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
  return sum;
}
