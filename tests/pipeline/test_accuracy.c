// Steps that are certified within a length. Everything is worked out anew from what a simulation shows: the velocity
// error of each contact from impulses, velocities, gaps and masses; overlap from positions; momentum from velocities.
#include "world.h"

#include "base/random.h"
#include "step/sim.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 4, BALLS = SIDE * SIDE * SIDE, PLANES = 5, MANY = 60 };
static const double RADIUS = 0.1, MASS = 4.0, G = 9.81, FRICTION = 0.3;

static void add(world *w, int number, ts_body_kind kind, double mass, ts_shape shape, ts_vec3 position)
{
  char name[16];
  snprintf(name, sizeof name, "body%d", number);
  world_add(w, name, kind, mass, shape, position);
}

// Balls above each other in a box of planes. Their numbers begin with PLANES.
static void start_pile(world *w, double accuracy, double tolerance)
{
  const double spacing = 2.2 * RADIUS, half = 0.5 * spacing * SIDE;
  const ts_vec3 normals[PLANES] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
  world_init(w, TS_SPACE_3D);
  world_friction(w, FRICTION, 0.0);
  for (int k = 0; k < PLANES; ++k)
    add(w, k, TS_FIXED, 0.0, shape_plane(normals[k], k == 0 ? 0.0 : -half), (ts_vec3){0, 0, 0});
  ts_random random;
  ts_random_init(&random, 4);
  for (int i = 0; i < BALLS; ++i) {
    double at[3];
    const int cell[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
    for (int k = 0; k < 3; ++k)
      at[k] = (cell[k] + 0.5) * spacing - (k < 2 ? half : 0.0) + ts_random_uniform(&random, -0.009, 0.009);
    add(w, PLANES + i, TS_DYNAMIC, MASS, shape_sphere(RADIUS), (ts_vec3){at[0], at[1], at[2]});
  }
  w->options.size = 5e-3;
  w->options.tolerance = tolerance;
  w->options.accuracy = accuracy;
  world_start(w);
}

static double length_of(double x, double y)
{
  return sqrt(x * x + y * y);
}

// a^2 = 3 / trace W_ii.
static double compliance_scale(const ts_contact *c)
{
  const double inertia = 0.4 * MASS * RADIUS * RADIUS;
  const double arms = ts_dot(c->arm_1, c->arm_1) + (c->body_2 >= PLANES ? ts_dot(c->arm_2, c->arm_2) : 0.0);
  return 3.0 / ((c->body_2 >= PLANES ? 2.0 : 1.0) * 3.0 / MASS + 2.0 * arms / inertia);
}

// |r/a - P(r/a - a v)| / a with v = u + mu |u_t| n, the normal velocity above `asked`.
static double velocity_error(const ts_contact *c, double asked)
{
  const double a = sqrt(compliance_scale(c));
  const double u[3] = {c->velocity[0] - asked, c->velocity[1], c->velocity[2]}, slip = length_of(u[1], u[2]);
  double x[3], p[3];
  for (int k = 0; k < 3; ++k) x[k] = c->impulse[k] / a - a * (u[k] + (k == 0 ? FRICTION * slip : 0.0));
  const double tangent = length_of(x[1], x[2]);
  double normal = x[0], shrink = 1.0;
  if (FRICTION * tangent <= -x[0]) {
    normal = shrink = 0.0;
  } else if (tangent > FRICTION * x[0]) {
    normal = (x[0] + FRICTION * tangent) / (1.0 + FRICTION * FRICTION);
    shrink = FRICTION * normal / tangent;
  }
  p[0] = normal;
  p[1] = shrink * x[1];
  p[2] = shrink * x[2];
  double sum = 0.0;
  for (int k = 0; k < 3; ++k) sum += (c->impulse[k] / a - p[k]) * (c->impulse[k] / a - p[k]);
  return sqrt(sum) / a;
}

// P has its values in the cone: r is out of it by a^2 times the velocity error at most, and |r_t| - mu r_n by
// sqrt(1 + mu^2) times that. Sweeps leave impulses in their cones; Newton's method, which solves small groups, does
// not.
static void check_cone(const ts_contact *c, double error)
{
  const double out = compliance_scale(c) * error;
  const double beyond = length_of(c->impulse[1], c->impulse[2]) - FRICTION * c->impulse[0];
  assert_true(beyond <= sqrt(1.0 + FRICTION * FRICTION) * out + 1e-12 && c->impulse[0] >= -out);
}

// What it was certified within follows from impulses, velocities and gaps.
static void check_errors(const world *w)
{
  const ts_step_report *report = ts_sim_report(w->sim);
  int count;
  const ts_contact *contacts = ts_sim_contacts(w->sim, &count);
  double worst = 0.0;
  bool overlap = false; // more than is nothing: then less than gap/h may be asked for, down to nothing
  for (int i = 0; i < count; ++i) {
    const double whole = -contacts[i].gap / w->options.size;
    const bool overlaps = whole > 1e-6;
    double error = velocity_error(&contacts[i], whole);
    for (int k = 0; overlaps && k < 1000; ++k) error = fmin(error, velocity_error(&contacts[i], 1e-3 * k * whole));
    overlap = overlap || overlaps;
    worst = fmax(worst, error);
    check_cone(&contacts[i], error);
  }
  if (report->substeps > 1) return; // contacts are sums over the parts
  const double round_off = 1e-9 + 1e-6 * worst;
  if (worst > report->velocity_error + round_off || (!overlap && worst < report->velocity_error - round_off))
    fail_msg("velocity error %g, reported %g", worst, report->velocity_error);
  assert_true(fabs(report->length_error - w->options.size * report->velocity_error) < 1e-18);
}

// Momentum changes by weight and by what the walls do.
static void check_momentum(const world *w, ts_vec3 before)
{
  ts_vec3 after = {0, 0, -0.0}, given = {0, 0, -MASS * BALLS * G * w->options.size};
  int count;
  const ts_contact *contacts = ts_sim_contacts(w->sim, &count);
  for (int i = 0; i < count; ++i)
    if (contacts[i].body_2 < PLANES) given = ts_add(given, ts_sim_contact_wrench(w->sim, i).force);
  for (int b = PLANES; b < PLANES + BALLS; ++b)
    after = ts_add(after, ts_scale(MASS, ts_sim_velocity(w->sim, b).linear));
  assert_true(ts_length(ts_sub(after, ts_add(before, given))) < 1e-9 * MASS * BALLS);
}

static ts_vec3 momentum_of(const world *w)
{
  ts_vec3 sum = {0, 0, 0};
  for (int b = PLANES; b < PLANES + BALLS; ++b) sum = ts_add(sum, ts_scale(MASS, ts_sim_velocity(w->sim, b).linear));
  return sum;
}

static double deepest_overlap(const world *w)
{
  double deepest = 0.0;
  for (int a = PLANES; a < PLANES + BALLS; ++a) {
    const ts_vec3 at = ts_sim_pose(w->sim, a).position;
    deepest = fmax(deepest, RADIUS - at.z);
    for (int b = PLANES; b < a; ++b)
      deepest = fmax(deepest, 2.0 * RADIUS - ts_length(ts_sub(at, ts_sim_pose(w->sim, b).position)));
  }
  return deepest;
}

// Works make the change of energy, worked out from velocities and heights; contacts give none beyond the errors that
// are allowed: the velocity error times all impulses.
static void check_energy(const world *w, double *energy)
{
  const ts_step_report *r = ts_sim_report(w->sim);
  double now = world_kinetic(w), pushes = 0.0;
  int count;
  const ts_contact *contacts = ts_sim_contacts(w->sim, &count);
  for (int b = PLANES; b < PLANES + BALLS; ++b) now += MASS * G * ts_sim_pose(w->sim, b).position.z;
  for (int i = 0; i < count; ++i) pushes += contacts[i].impulse[0];
  const double works = r->contact_work + r->stabilization_work + r->correction_work + r->stagger_work +
                       r->integration_work + r->damping_work + r->drive_work + r->applied_work;
  if (!(fabs(now - *energy - works) <= 1e-9 * fabs(now))) fail_msg("%g J changed, works make %g", now - *energy, works);
  if (!(r->contact_work <= (1.0 + FRICTION) * r->velocity_error * pushes + 1e-9))
    fail_msg("contacts gave %g J, velocity error %g m/s, impulses %g N s", r->contact_work, r->velocity_error, pushes);
  *energy = now;
}

static void piles_are_certified_within_a_length(void **state)
{
  (void)state;
  world w;
  start_pile(&w, -1.0, 1e-6);
  const double length = 1e-5 * RADIUS;
  int within = 0;
  double energy = ts_sim_report(w.sim)->kinetic_energy + ts_sim_report(w.sim)->potential_energy;
  for (int step = 0; step < 240; ++step) {
    const ts_vec3 before = momentum_of(&w);
    world_step(&w);
    const ts_step_report *report = ts_sim_report(w.sim);
    check_errors(&w);
    check_momentum(&w, before);
    check_energy(&w, &energy);
    within += report->within_length > 0;
    assert_true(report->contacts > MANY || report->within_length == 0);
    assert_int_equal(report->within_length > 0, report->residual > w.options.tolerance);
    // A thousandth of the speed of the fall in the first steps, of the height of the box at most.
    const double speed = sqrt(2.0 * G * 2.2 * RADIUS * SIDE);
    assert_true(report->length_error <= fmax(length, 1e-3 * speed * w.options.size));
    assert_true(deepest_overlap(&w) <= 1e-4 * RADIUS);
  }
  assert_true(within > 50);
  world_release(&w);
}

static void accuracy_0_means_the_tolerance(void **state)
{
  (void)state;
  world w;
  start_pile(&w, 0.0, 1e-6);
  for (int step = 0; step < 120; ++step) {
    world_step(&w);
    const ts_step_report *report = ts_sim_report(w.sim);
    assert_true(report->within_length == 0 && report->residual <= 1e-6);
  }
  world_release(&w);
}

// The length is a promise that can be tightened.
static void smaller_lengths_are_kept(void **state)
{
  (void)state;
  const double lengths[] = {1e-5, 1e-8};
  for (int k = 0; k < 2; ++k) {
    world w;
    start_pile(&w, lengths[k], 1e-9);
    for (int step = 0; step < 60; ++step) {
      world_step(&w);
      check_errors(&w);
    }
    world_release(&w);
  }
}

static bool interrupt_now(void *user)
{
  const ts_sim *sim = user;
  return sim->solve_options.velocity_error > 0.0; // in the midst of a solve that may be content
}

// A step that is given up leaves nothing of what its solve was content with.
static void an_interrupted_step_leaves_nothing(void **state)
{
  (void)state;
  world w, other;
  start_pile(&w, -1.0, 1e-6);
  start_pile(&other, -1.0, 1e-6);
  world_steps(&w, 80);
  world_steps(&other, 80);
  ts_error error;
  ts_sim_set_interrupt(w.sim, interrupt_now, w.sim);
  assert_int_equal(ts_sim_step(w.sim, &error), TS_INTERRUPTED);
  assert_true(w.sim->solve_options.velocity_error == 0.0);
  ts_sim_set_interrupt(w.sim, NULL, NULL);
  world_steps(&w, 3);
  world_steps(&other, 3);
  for (int b = PLANES; b < PLANES + BALLS; ++b) {
    const ts_pose a = ts_sim_pose(w.sim, b), c = ts_sim_pose(other.sim, b);
    assert_memory_equal(&a, &c, sizeof a);
  }
  world_release(&w);
  world_release(&other);
}

// Saved in the middle of a fall and taken up again, all is the same to the last bit.
static void a_pile_continues_to_the_last_bit(void **state)
{
  (void)state;
  world first, second;
  start_pile(&first, -1.0, 1e-6);
  start_pile(&second, -1.0, 1e-6);
  world_steps(&first, 80);
  double *saved;
  size_t size;
  ts_error error;
  assert_int_equal(ts_sim_snapshot(first.sim, &saved, &size, &error), TS_OK);
  assert_int_equal(ts_sim_load(second.sim, saved, size, &error), TS_OK);
  world_steps(&first, 20);
  world_steps(&second, 20);
  for (int b = PLANES; b < PLANES + BALLS; ++b) {
    const ts_pose a = ts_sim_pose(first.sim, b), c = ts_sim_pose(second.sim, b);
    assert_memory_equal(&a, &c, sizeof a);
  }
  free(saved);
  world_release(&first);
  world_release(&second);
}

// What is poured lies after 3 s, but for balls that roll: every step is then solved to the tolerance. From the end of
// the impacts on nothing overlaps by more than the length.
static void piles_come_to_rest_to_the_tolerance(void **state)
{
  (void)state;
  enum { POURED = 600, WATCHED = 40 };
  world w;
  start_pile(&w, -1.0, 1e-6);
  for (int k = 0; k < POURED; ++k) {
    world_step(&w);
    if (k > POURED / 3) assert_true(deepest_overlap(&w) <= 1e-5 * RADIUS);
  }
  for (int k = 0; k < WATCHED; ++k) {
    world_step(&w);
    assert_true(ts_sim_report(w.sim)->within_length == 0 && ts_sim_report(w.sim)->residual <= w.options.tolerance);
  }
  world_release(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(piles_are_certified_within_a_length),
      cmocka_unit_test(accuracy_0_means_the_tolerance),
      cmocka_unit_test(smaller_lengths_are_kept),
      cmocka_unit_test(an_interrupted_step_leaves_nothing),
      cmocka_unit_test(a_pile_continues_to_the_last_bit),
      cmocka_unit_test(piles_come_to_rest_to_the_tolerance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
