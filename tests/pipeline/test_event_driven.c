// Event-driven stepping against the event-driven reference runs of REFERENCE II.1.2 and II.2: chains of spheres whose
// impacts are known to 1e-12 s, a four-bar linkage, and a ball that comes to rest.
#include "pendulum.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const double PI = 3.14159265358979323846;

static void step(world *w)
{
  ts_error error;
  if (ts_sim_step(w->sim, &error) != TS_OK) fail_msg("%s", error.text);
  assert_true(ts_sim_report(w->sim)->certified);
}

static void start_chain(pendulum *p, pendulum_kind kind, double size)
{
  pendulum_init(p, kind);
  p->world.options.method = ts_stepper_find("event-driven");
  p->world.options.rest_speed = 0.0;
  p->world.options.tolerance = 1e-12;
  p->world.options.size = size;
  pendulum_start(p);
}

// ---- chains --------------------------------------------------------------------------------------------------------

typedef struct impact {
  double time;
  int body[2]; // links; 0: the floor or the wall
  double impulse;
  double energy; // after it [J]
  double speed;  // normal, after it [m/s]
} impact;

static int link_of(const pendulum *p, int body)
{
  return body < p->first ? 0 : body - p->first + 1;
}

// The impacts one after the other. Steps are so short that no two fall into one.
static void assert_impacts(pendulum_kind kind, const impact *expected, int count, double size, double time_error)
{
  pendulum p;
  start_chain(&p, kind, size);
  for (int k = 0; k < count; ++k) {
    const impact *e = &expected[k];
    do step(&p.world);
    while (ts_sim_report(p.world.sim)->events == 0);
    const ts_step_report *report = ts_sim_report(p.world.sim);
    assert_int_equal(report->events, 1);
    assert_true(fabs(report->event_time - e->time) < time_error);
    int found;
    const ts_contact *contacts = ts_sim_contacts(p.world.sim, &found);
    assert_int_equal(found, 1);
    assert_int_equal(link_of(&p, contacts[0].body_1), e->body[0]);
    assert_int_equal(link_of(&p, contacts[0].body_2), e->body[1]);
    assert_true(fabs(contacts[0].impulse[0] - e->impulse) < 1e-7 * e->impulse);
    assert_true(fabs(contacts[0].velocity[0] - e->speed) < 1e-6);
    assert_true(fabs(pendulum_energy(&p) - e->energy) < 1e-6);
  }
  pendulum_release(&p);
}

static void impacts_of_twelve_links_are_those_of_the_reference(void **state)
{
  (void)state;
  static const impact expected[] = {
      {0.143344936359, {12, 0}, 158.315533446, 870.302051138, 2.988017093},
      {0.968356379215, {9, 12}, 4.772779126, 866.612058694, 1.790146992},
      {1.051354572727, {10, 12}, 3.866827294, 863.634410396, 2.124786594},
      {1.207866985376, {8, 0}, 10.395589590, 847.358782033, 2.377635988},
      {1.218432591757, {9, 12}, 2.097031473, 843.145557633, 0.624714843},
  };
  assert_impacts(pendulum_p12(), expected, 5, 5e-3, 1e-9);
}

static void first_impacts_of_table_1_are_those_of_the_reference(void **state)
{
  (void)state;
  static const impact t3 = {0.658077736125, {3, 0}, 20.376812296, 271.649438396, 1.744596282};
  static const impact t12 = {0.720414000529, {12, 0}, 19.557149113, 1373.164211110, 2.403925642};
  static const impact t30 = {0.733922628597, {30, 0}, 19.427311486, 3569.184441358, 2.484342402};
  assert_impacts(pendulum_t(3), &t3, 1, 1e-2, 1e-9);
  assert_impacts(pendulum_t(12), &t12, 1, 1e-2, 1e-9);
  assert_impacts(pendulum_t(30), &t30, 1, 1e-2, 1e-9);
}

// Whatever the step, which is only when the user looks.
static void results_do_not_depend_on_the_step(void **state)
{
  (void)state;
  static const double sizes[] = {1e-3, 0.05, 0.3};
  for (int k = 0; k < 3; ++k) {
    pendulum p;
    start_chain(&p, pendulum_p12(), sizes[k]);
    for (int i = 0; i < (int)lround(0.9 / sizes[k]); ++i) step(&p.world);
    const ts_vec3 last = pendulum_last(&p);
    assert_true(fabs(last.y + 0.092517495) < 2e-9 && fabs(last.z - 3.203600735) < 2e-9);
    pendulum_release(&p);
  }
}

// ---- a ball --------------------------------------------------------------------------------------------------------

// Dropped from h with e = 1/2: impacts at t1 (1 + 2 e + 2 e^2 + ...), t1 = sqrt(2 h/g), which end at 3 t1.
static void a_ball_comes_to_rest_when_its_bounces_add_up(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_friction(&w, 0.3, 0.5);
  world_floor(&w);
  const int ball = world_add(&w, "ball", TS_DYNAMIC, 2.0, shape_sphere(0.25), (ts_vec3){0.0, 0.0, 1.25});
  w.options.method = ts_stepper_find("event-driven");
  w.options.impacts = TS_IMPACT_POISSON;
  w.options.size = 0.02;
  world_start(&w);
  const double rest = 3.0 * sqrt(2.0 / 9.81);
  double last = 0.0;
  int impacts = 0;
  for (int k = 0; k < 150; ++k) {
    step(&w);
    const ts_step_report *report = ts_sim_report(w.sim);
    impacts += report->events;
    if (report->events > 0) last = report->event_time;
  }
  assert_true(fabs(last - rest) < 1e-6);
  assert_true(impacts > 15 && impacts < 40);
  assert_true(fabs(ts_sim_pose(w.sim, ball).position.z - 0.25) < 1e-12);
  assert_true(fabs(ts_sim_velocity(w.sim, ball).linear.z) < 1e-12);
  world_release(&w);
}

// ---- a stop --------------------------------------------------------------------------------------------------------

// A ball on a rod of length 1 falls from the horizontal against a stop at the vertical, e = 1/2: it arrives with
// w^2 = 2 m g/I and leaves with half of that, and comes back as fast as it left.
static void a_pendulum_rebounds_from_its_stop(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  const double m = 1.5, r = 0.1, I = m * (1.0 + 0.4 * r * r);
  const int ball = world_add(&w, "ball", TS_DYNAMIC, m, shape_sphere(r), (ts_vec3){0.0, 1.0, 0.0});
  ts_joint_def def = ts_joint_def_default();
  def.kind = TS_JOINT_REVOLUTE;
  def.parent = TS_WORLD;
  def.child = ball;
  def.axis = (ts_vec3){1.0, 0.0, 0.0};
  def.limited = true;
  def.lower = -0.5 * PI;
  def.upper = INFINITY;
  def.restitution = 0.5;
  ts_error error;
  if (ts_builder_add_joint(w.builder, &def, NULL, &error) != TS_OK) fail_msg("%s", error.text);
  w.options.method = ts_stepper_find("event-driven");
  w.options.impacts = TS_IMPACT_POISSON;
  w.options.tolerance = 1e-12;
  w.options.size = 0.01;
  world_start(&w);
  double rate = sqrt(2.0 * m * 9.81 / I);
  int impacts = 0;
  for (int k = 0; impacts < 4 && k < 400; ++k) {
    step(&w);
    const ts_step_report *report = ts_sim_report(w.sim);
    if (report->events == 0) continue;
    assert_int_equal(report->events, 1);
    ++impacts;
    rate *= 0.5;
    const double energy = report->kinetic_energy + report->potential_energy; // at the bottom all of it is kinetic
    assert_true(fabs(energy - (0.5 * I * rate * rate - m * 9.81)) < 1e-9);
  }
  assert_int_equal(impacts, 4);
  world_release(&w);
}

// ---- refusals ------------------------------------------------------------------------------------------------------

static void what_has_no_meaning_between_events_is_refused(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  const int ball = world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 1.0});
  ts_spring_def spring = ts_spring_def_default();
  spring.body[0] = TS_WORLD;
  spring.body[1] = ball;
  spring.at[0] = (ts_vec3){0.0, 0.0, 2.0};
  spring.stiffness = 10.0;
  spring.implicit = true;
  ts_error error;
  if (ts_builder_add_spring(w.builder, &spring, NULL, &error) != TS_OK) fail_msg("%s", error.text);
  if (ts_builder_finish(w.builder, &w.model, &error) != TS_OK) fail_msg("%s", error.text);
  w.options.method = ts_stepper_find("event-driven");
  assert_int_equal(ts_sim_create(w.model, &w.options, NULL, &w.sim, &error), TS_UNSUPPORTED);
  assert_non_null(strstr(error.text, "implicit: false"));
  w.options.impacts = TS_IMPACT_NEWTON;
  assert_int_equal(ts_step_options_check(&w.options, &error), TS_UNSUPPORTED);
  world_release(&w);
}

// ---- four-bar linkage ----------------------------------------------------------------------------------------------

// FB1 of REFERENCE II.2: crank 0.4 m, coupler 1 m, rocker 0.8 m between A = (0, 1) and D = (1, 1) of the y-z plane,
// with a massless sphere on the coupler that hits the floor z = 0.95.
typedef struct four_bar {
  world world;
  int crank, coupler, rocker;
  double start; // angle of the crank
} four_bar;

static ts_quat along(double angle) // turns y to the direction of a link
{
  return (ts_quat){cos(0.5 * angle), sin(0.5 * angle), 0.0, 0.0};
}

static int add_rod(world *w, const char *name, double mass, double length, ts_vec3 middle, double angle)
{
  ts_body_def def = ts_body_def_default();
  def.name = name;
  def.kind = TS_DYNAMIC;
  def.mass = mass;
  def.pose = (ts_pose){middle, along(angle)};
  const double moment = mass * length * length / 12.0;
  const double inertia[6] = {moment, 1e-3 * moment, moment, 0.0, 0.0, 0.0};
  memcpy(def.inertia, inertia, sizeof inertia);
  int body;
  ts_error error;
  if (ts_builder_add_body(w->builder, &def, &body, &error) != TS_OK) fail_msg("%s", error.text);
  return body;
}

static void add_pin(world *w, int parent, int child, ts_vec3 at)
{
  ts_joint_def def = ts_joint_def_default();
  def.kind = TS_JOINT_REVOLUTE;
  def.parent = parent;
  def.child = child;
  def.at = at;
  def.axis = (ts_vec3){1.0, 0.0, 0.0};
  ts_error error;
  if (ts_builder_add_joint(w->builder, &def, NULL, &error) != TS_OK) fail_msg("%s", error.text);
}

static void start_four_bar(four_bar *f)
{
  world *w = &f->world;
  const double a = 0.4, b = 1.0, c = 0.8, theta = 2.0;
  world_init(w, TS_SPACE_3D);
  world_friction(w, 0.0, 0.5);
  const double by = a * cos(theta), bz = 1.0 + a * sin(theta), dy = 1.0 - by, dz = 1.0 - bz, d = hypot(dy, dz);
  // C to the left of B -> D at distance b from B and c from D.
  const double along_d = (b * b - c * c + d * d) / (2.0 * d), off = sqrt(b * b - along_d * along_d);
  const double cy = by + (along_d * dy - off * dz) / d, cz = bz + (along_d * dz + off * dy) / d;
  const double coupler = atan2(cz - bz, cy - by), rocker = atan2(cz - 1.0, cy - 1.0);
  world_add(w, "floor", TS_FIXED, 0.0, shape_plane((ts_vec3){0.0, 0.0, 1.0}, 0.95), (ts_vec3){0.0, 0.0, 0.0});
  f->crank = add_rod(w, "crank", 1.0, a, (ts_vec3){0.0, 0.5 * by, 0.5 * (1.0 + bz)}, theta);
  f->coupler = add_rod(w, "coupler", 2.0, b, (ts_vec3){0.0, 0.5 * (by + cy), 0.5 * (bz + cz)}, coupler);
  f->rocker = add_rod(w, "rocker", 1.5, c, (ts_vec3){0.0, 0.5 * (1.0 + cy), 0.5 * (1.0 + cz)}, rocker);
  ts_part_def part = ts_part_def_default();
  part.body = f->coupler;
  part.shape = shape_sphere(0.05);
  part.pose.position = (ts_vec3){0.0, 0.0, -0.3}; // the middle of BC is the origin
  part.massless = true;
  ts_error error;
  if (ts_builder_add_part(w->builder, &part, NULL, &error) != TS_OK) fail_msg("%s", error.text);
  add_pin(w, TS_WORLD, f->crank, (ts_vec3){0.0, 0.0, 1.0});
  add_pin(w, f->crank, f->coupler, (ts_vec3){0.0, 0.5 * a, 0.0});
  add_pin(w, TS_WORLD, f->rocker, (ts_vec3){0.0, 1.0, 1.0});
  add_pin(w, f->coupler, f->rocker, (ts_vec3){0.0, 0.5 * b, 0.0});
  w->options.method = ts_stepper_find("event-driven");
  w->options.impacts = TS_IMPACT_POISSON;
  w->options.tolerance = 1e-12;
  w->options.size = 0.005;
  world_start(w);
}

static void a_four_bar_hits_the_floor_when_it_should(void **state)
{
  (void)state;
  static const double times[] = {0.418469380598, 0.686361626848, 0.817603276640,
                                 0.883171130486, 0.915958662119, 0.932353214355};
  static const double impulses[] = {15.255905711272, 7.627952855636};
  four_bar f;
  start_four_bar(&f);
  int seen = 0;
  for (int k = 1; seen < 6 && k < 200; ++k) {
    step(&f.world);
    const ts_step_report *report = ts_sim_report(f.world.sim);
    if (k == 80) { // t = 0.40
      const ts_quat q = ts_sim_pose(f.world.sim, f.crank).orientation;
      double angle = 2.0 * atan2(q.x, q.w);
      if (angle < 0.0) angle += 2.0 * PI;
      assert_true(fabs(angle - 3.122928718360) < 1e-9);
      assert_true(fabs(ts_sim_velocity(f.world.sim, f.crank).angular.x - 8.021116696885) < 1e-8);
    }
    if (report->events == 0) continue;
    assert_int_equal(report->events, 1);
    assert_true(fabs(report->event_time - times[seen]) < 1e-9);
    int count;
    const ts_contact *contacts = ts_sim_contacts(f.world.sim, &count);
    assert_int_equal(count, 1);
    if (seen < 2) assert_true(fabs(contacts[0].impulse[0] - impulses[seen]) < 1e-7);
    ++seen;
  }
  assert_int_equal(seen, 6);
  world_release(&f.world);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(impacts_of_twelve_links_are_those_of_the_reference),
      cmocka_unit_test(first_impacts_of_table_1_are_those_of_the_reference),
      cmocka_unit_test(results_do_not_depend_on_the_step),
      cmocka_unit_test(a_ball_comes_to_rest_when_its_bounces_add_up),
      cmocka_unit_test(a_pendulum_rebounds_from_its_stop),
      cmocka_unit_test(what_has_no_meaning_between_events_is_refused),
      cmocka_unit_test(a_four_bar_hits_the_floor_when_it_should),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
