// Energy: the recorded one is that of the recorded state, works explain its change, and nothing is gained.
#include "checks.h"
#include "elastic.h"

#include "math/vec3.h"

#include <math.h>

typedef struct energy {
  double kinetic, potential, size; // size: sum of absolute values [J]
} energy;

static energy energy_of(const campaign_scene *scene, const ts_pose *poses, const ts_twist *twists)
{
  energy e = {0};
  for (int b = 0; b < scene->body_count; ++b) {
    const campaign_body *body = &scene->bodies[b];
    if (body->kind != TS_DYNAMIC) continue;
    const ts_vec3 arm = ts_quat_rotate(poses[b].orientation, body->centre), v = ts_twist_at(twists[b], arm);
    const ts_vec3 centre = ts_add(poses[b].position, arm), w = twists[b].angular;
    e.kinetic += 0.5 * body->mass * ts_dot(v, v) + 0.5 * ts_dot(w, check_spin(body, poses[b].orientation, w));
    e.potential -= body->mass * ts_dot(scene->gravity, centre);
    e.size += body->mass * ts_length(scene->gravity) * ts_length(centre);
  }
  for (int k = 0; k < scene->elastic_count; ++k) e.potential += elastic_energy_of(&scene->elastics[k], poses);
  e.size += e.kinetic + fabs(e.potential);
  return e;
}

static bool is_driven(const campaign_scene *scene)
{
  bool driven = false;
  for (int b = 0; b < scene->body_count; ++b) driven = driven || scene->bodies[b].kind == TS_KINEMATIC;
  for (int k = 0; k < scene->joint_count; ++k) driven = driven || scene->joints[k].motor != TS_MOTOR_NONE;
  return driven;
}

static bool stores_in_contacts(const campaign_scene *scene)
{
  return scene->stepper == CAMPAIGN_COMPLIANT || scene->stepper == CAMPAIGN_IMPLICIT_COMPLIANT;
}

// Sums of products of recorded numbers
static const double ROUND_OFF = 1e-9;

void check_energy(const check_step *s, step_findings *findings)
{
  const recorded_step *r = s->report;
  if (s->scene->stepper == CAMPAIGN_QUASISTATIC) return; // without inertia there is no kinetic energy to compare
  const energy e0 = energy_of(s->scene, s->before, s->v0), e1 = energy_of(s->scene, s->after, s->v1);
  const double size = ROUND_OFF * (e0.size + e1.size) + 1e-300;
  check_note(findings, CHECK_STATE, fabs(r->kinetic - e1.kinetic), size, -1);
  if (s->step == 0) return;
  const recorded_step *last = &s->run->steps[s->step - 1];
  const double lifted = r->potential - last->potential, own = e1.potential - e0.potential;
  if (!stores_in_contacts(s->scene)) check_note(findings, CHECK_STATE, fabs(lifted - own), size, -1);
  const double works = r->contact_work + r->damping_work + r->drive_work + r->applied_work + r->stabilization_work +
                       r->correction_work + r->stagger_work + r->integration_work;
  const double sizes = fabs(r->contact_work) + fabs(r->damping_work) + fabs(r->drive_work) + fabs(r->applied_work) +
                       fabs(r->stabilization_work) + fabs(r->correction_work) + fabs(r->integration_work);
  const double changed = r->kinetic + r->potential - last->kinetic - last->potential;
  const double slack = 100.0 * size + 100.0 * ROUND_OFF * sizes;
  check_note(findings, CHECK_WORK, fabs(changed - works), slack, -1);
  // Impulses of contacts without rebound take energy up to the tolerance of the solve, relative to the energies at
  // hand. `implicit` may give by the curvature of paths (docs/theory/implicit.md); so may moving surfaces, and Newton's
  // law.
  check_note(findings, CHECK_WORK, r->damping_work, slack + 1e-6 * (e0.kinetic + e1.kinetic), -1);
  const bool gives =
      s->scene->stepper == CAMPAIGN_IMPLICIT || stores_in_contacts(s->scene) || s->scene->restitution > 0.0;
  if (gives || is_driven(s->scene)) return;
  check_note(findings, CHECK_WORK, r->contact_work, slack + 1e-6 * (e0.kinetic + e1.kinetic), -1);
}

// ---- course of the energy ------------------------------------------------------------------------------------------

// Lifting bodies out of an overlap of the recorded length: at most their weight times three such lengths
static double lift_bound(const campaign_scene *scene, const recorded_step *r)
{
  double bound = 0.0;
  for (int b = 0; b < scene->body_count; ++b) bound += scene->bodies[b].mass * 9.81 * 3.0 * r->taken_out;
  return bound;
}

static ts_vec3 weight_of(const campaign_scene *scene, int body)
{
  return scene->bodies[body].kind == TS_DYNAMIC ? scene->gravity : (ts_vec3){0.0, 0.0, 0.0};
}

// Acceleration of the points of a body by velocity products: w (v + w r) of all links, for joints pass it on. 0 without
// joints.
static double swing_of(const check_step *s, int body)
{
  const campaign_scene *scene = s->scene;
  double sum = 0.0;
  if (!check_is_linked(scene, body)) return 0.0;
  for (int b = 0; b < scene->body_count; ++b) {
    if (scene->bodies[b].kind != TS_DYNAMIC || scene->bodies[b].linkage != scene->bodies[body].linkage) continue;
    const double w = ts_length(s->v0[b].angular), arm = ts_distance_of(s->before[b].position, s->before[body].position);
    sum += w * (ts_length(s->v0[b].linear) + w * (arm + 2.0 * scene->bodies[b].reach));
  }
  return sum;
}

// `velocity` finds contacts once they overlap. An impulse p at a contact that closes at u and is d deep takes what the
// acceleration a of free motion has made of the speed since it was passed, p a d/|u|, and no more than p |u|/2 in all.
// Restitution gives a share of it back at once. As much may come back where bodies come out of overlap
// (docs/theory/stepping.md, "Works").
static double belated_work(const check_step *s)
{
  const campaign_scene *scene = s->scene;
  double work = 0.0;
  if (scene->stepper != CAMPAIGN_VELOCITY) return 0.0;
  for (int i = 0; i < s->contact_count; ++i) {
    const ts_recorded_contact *c = &s->contacts[i];
    const double u = ts_dot(c->normal, ts_sub(check_velocity_at(s, false, c->body_1, c->point),
                                              check_velocity_at(s, false, c->body_2, c->point)));
    const double a = -ts_dot(c->normal, ts_sub(weight_of(scene, c->body_1), weight_of(scene, c->body_2))) +
                     swing_of(s, c->body_1) + swing_of(s, c->body_2);
    if (!(c->pn > 0.0) || !(c->gap < 0.0) || !(u < 0.0)) continue;
    const double forced = fmax(0.0, a) * fmin(s->h, c->gap / u);
    work += (1.0 - scene->restitution) * c->pn * fmin(forced, -0.5 * u);
  }
  return work;
}

// Kinetic energy of all bodies after a fall of ten steps
static double fall_of(const campaign_scene *scene)
{
  double sum = 0.0;
  const double speed = 10.0 * scene->step_size * ts_length(scene->gravity);
  for (int b = 0; b < scene->body_count; ++b) sum += 0.5 * scene->bodies[b].mass * speed * speed;
  return sum;
}

// Excess: energy beyond the start and the works of forces and drives. Fixed steps stagger velocities; that work adds up
// to nothing. Promised is at most 9e-4 of the largest kinetic energy and that of a fall of ten steps, 1e-5 a second,
// and 1e-3 of the energy taken by contacts and dampers; 2 % of losses may come back (docs/theory/stepping.md, "Works"),
// those to overlap included. Driven scenes may rise by a tenth.
void check_energy_course(const campaign_scene *scene, const recorded_run *run, step_findings *findings)
{
  const int n = scene->body_count;
  const bool driven = is_driven(scene);
  double excess = 0.0, least = 0.0, largest = 0.0, fall = fall_of(scene), taken = 0.0, forgiven = 0.0, belated = 0.0,
         drives = 0.0;
  if (scene->stepper == CAMPAIGN_QUASISTATIC || stores_in_contacts(scene)) return;
  energy last = energy_of(scene, run->poses, run->twists);
  for (int k = 0; k < run->step_count; ++k) {
    const recorded_step *r = &run->steps[k];
    const check_step s = {.scene = scene,
                          .h = scene->step_size,
                          .before = &run->poses[k * n],
                          .v0 = &run->twists[k * n],
                          .contacts = &run->contacts[run->first[k]],
                          .contact_count = run->first[k + 1] - run->first[k]};
    const energy now = energy_of(scene, &run->poses[(k + 1) * n], &run->twists[(k + 1) * n]);
    const double lift = fmin(r->correction_work, lift_bound(scene, r));
    const double change = now.kinetic + now.potential - last.kinetic - last.potential - r->drive_work -
                          r->applied_work - r->stagger_work - r->contact_work - r->damping_work - fmax(lift, 0.0);
    largest = fmax(largest, fmax(now.kinetic, last.kinetic));
    taken -= fmin(r->contact_work, 0.0) + fmin(r->damping_work, 0.0);
    drives += fabs(r->drive_work);
    belated = fmin(belated + belated_work(&s), 0.02 * largest);
    excess += change;
    least = fmin(least, excess);
    if (!r->certified) forgiven = excess > forgiven ? excess : forgiven; // flagged: counted from here
    const double share = driven ? 0.1 : 1e-3 + 1e-5 * r->t;
    const double allowed = share * (largest + fall + (driven ? taken + drives : 0.0)) + 1e-3 * taken + belated +
                           (driven ? 0.1 * fabs(last.potential) : 0.0) + fmin(-least, 0.02 * largest) +
                           1e-9 * now.size + 1e-12;
    if (r->certified && change > 0.0) check_note(&findings[k], CHECK_ENERGY, excess - forgiven, allowed, -1);
    last = now;
  }
}
