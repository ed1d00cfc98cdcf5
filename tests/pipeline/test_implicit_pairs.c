// Every pair of kinds of convex shapes, dropped on a floor and on each other in random poses with the implicit stepper:
// steps are certified or reported, and bodies do not overlap. Distances are those of the public query, which the
// stepper's own points and patches have no part in.
#include "touchstone/shape.h"

#include "effort.h"
#include "world.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

enum { KINDS = 8, CORNERS = 10, STARTS = 2, STEPS = 160 };
static const double SIZE = 0.2, DEEPEST = 1e-8; // of a body, at least; of that, at most

typedef struct drop {
  world w;
  ts_shape shapes[3]; // floor, low, high
  ts_vec3 corners[2][CORNERS];
} drop;

typedef struct tally {
  int steps, reported, cut;
  int touching, fell; // steps with contact, and those of them that a fall-back solved
  double deepest;     // of steps that were not cut, over the size
} tally;

static ts_shape draw_shape(int kind, ts_random *random, ts_vec3 corners[CORNERS])
{
  const double a = ts_random_uniform(random, 0.1, 0.3), b = ts_random_uniform(random, 0.1, 0.3);
  const double c = ts_random_uniform(random, 0.1, 0.3);
  for (int k = 0; k < CORNERS; ++k)
    corners[k] = (ts_vec3){ts_random_uniform(random, -0.3, 0.3), ts_random_uniform(random, -0.3, 0.3),
                           ts_random_uniform(random, -0.3, 0.3)};
  switch (kind) {
  case 0:
    return shape_sphere(a);
  case 1:
    return (ts_shape){.kind = TS_SHAPE_ELLIPSOID, .size = {a, b, c}};
  case 2:
    return shape_box(2.0 * a, 2.0 * b, 2.0 * c);
  case 3:
    return shape_cylinder(a, 2.0 * b);
  case 4:
    return (ts_shape){.kind = TS_SHAPE_CONE, .radius = a, .top_radius = c < 0.2 ? 0.0 : 0.5 * a, .length = 2.0 * b};
  case 5:
    return shape_capsule(a, 2.0 * b);
  case 6:
    return (ts_shape){.kind = TS_SHAPE_SUPERELLIPSOID,
                      .size = {a, b, c},
                      .exponents = {2.0 + 10.0 * a, 2.0 + 10.0 * b, 2.0 + 10.0 * c}};
  default:
    return (ts_shape){.kind = TS_SHAPE_POLYTOPE, .vertices = corners, .vertex_count = CORNERS};
  }
}

static ts_vec3 draw_vector(ts_random *random, double size)
{
  return (ts_vec3){size * ts_random_normal(random), size * ts_random_normal(random), size * ts_random_normal(random)};
}

static void add_body(drop *d, int number, int kind, double height, ts_random *random)
{
  static const char *const names[] = {"floor", "low", "high"};
  ts_body_def def = ts_body_def_default();
  d->shapes[number] = draw_shape(kind, random, d->corners[number - 1]);
  def.name = names[number];
  def.kind = TS_DYNAMIC;
  def.density = 1000.0;
  def.pose.position = (ts_vec3){ts_random_uniform(random, -0.1, 0.1), ts_random_uniform(random, -0.1, 0.1), height};
  const ts_vec3 turn = draw_vector(random, 1.0);
  def.pose.orientation = ts_quat_normalize((ts_quat){ts_random_normal(random), turn.x, turn.y, turn.z});
  def.velocity.linear = draw_vector(random, 0.5);
  def.velocity.angular = draw_vector(random, 2.0);
  world_add_def(&d->w, &def, d->shapes[number]);
}

static void begin_drop(drop *d, int low, int high, uint64_t seed, ts_formulation formulation)
{
  ts_random random;
  ts_error error;
  ts_random_init(&random, seed);
  world_init(&d->w, TS_SPACE_3D);
  d->w.options.method = ts_stepper_find("implicit");
  d->w.options.formulation = formulation;
  d->w.options.size = 0.005;
  d->w.options.tolerance = 1e-8;
  ts_contact_law law = ts_contact_law_default();
  law.friction = ts_random_uniform(&random, 0.1, 0.9);
  law.ellipsoid.z = 0.03;
  assert_int_equal(ts_builder_set_contact(d->w.builder, &law, &error), TS_OK);
  d->shapes[0] = shape_plane((ts_vec3){0.0, 0.0, 1.0}, 0.0);
  world_floor(&d->w);
  add_body(d, 1, low, 0.6, &random);
  add_body(d, 2, high, 1.4, &random);
  world_start(&d->w);
}

static double depth_of(const drop *d, int a, int b)
{
  const ts_pose first = ts_sim_pose(d->w.sim, a), second = ts_sim_pose(d->w.sim, b);
  ts_separation separation;
  ts_error error;
  assert_int_equal(ts_shape_distance(&d->shapes[a], &first, &d->shapes[b], &second, &separation, &error), TS_OK);
  return fmax(0.0, -separation.gap);
}

static void step(drop *d, int low, int high, int start, tally *all)
{
  ts_error error;
  assert_int_equal(ts_sim_step(d->w.sim, &error), TS_OK);
  const ts_step_report *report = ts_sim_report(d->w.sim);
  ++all->steps;
  all->reported += !report->certified;
  all->cut += report->substeps > 1;
  all->touching += report->contacts > 0;
  all->fell += report->contacts > 0 && report->fallbacks > 0;
  if (!report->certified)
    print_message("kinds %d and %d, start %d: the step to %g s is not certified (%g)\n", low, high, start,
                  ts_sim_time(d->w.sim), report->residual);
  if (report->substeps > 1 || !report->certified) return;
  const double deepest = fmax(depth_of(d, 1, 0), fmax(depth_of(d, 2, 0), depth_of(d, 1, 2))) / SIZE;
  if (deepest > DEEPEST)
    print_message("kinds %d and %d, start %d: %g of the size deep at %g s\n", low, high, start, deepest,
                  ts_sim_time(d->w.sim));
  all->deepest = fmax(all->deepest, deepest);
}

static tally drop_all_pairs(ts_formulation formulation, int starts)
{
  const int steps = effort_share(STEPS, 2);
  tally all = {0};
  for (int low = 0; low < KINDS; ++low)
    for (int high = 0; high < KINDS; ++high)
      for (int start = 0; start < starts; ++start) {
        drop d;
        begin_drop(&d, low, high, (uint64_t)(1 + (low * KINDS + high) * STARTS + start), formulation);
        for (int k = 0; k < steps; ++k) step(&d, low, high, start, &all);
        world_release(&d.w);
      }
  print_message("%d steps, %d not certified, %d cut, deepest %g of the size; %d with contact, %d fell back\n",
                all.steps, all.reported, all.cut, all.deepest, all.touching, all.fell);
  return all;
}

static void pairs_are_certified_and_do_not_overlap(void **state)
{
  (void)state;
  const tally all = drop_all_pairs(TS_FORMULATION_REDUCED, effort_share(STARTS, STARTS));
  assert_true(1000 * all.reported <= all.steps);
  assert_true(100 * all.cut <= all.steps);
  assert_true(all.deepest <= DEEPEST);
}

// By the mixed problem: at the tips of cones it does not say what touches, elsewhere it is solved almost always.
static void pairs_in_the_mixed_form(void **state)
{
  (void)state;
  const tally all = drop_all_pairs(TS_FORMULATION_MNCP, 1);
  assert_true(1000 * all.reported <= all.steps);
  assert_true(100 * all.cut <= all.steps);
  assert_true(100 * all.fell <= all.touching);
  assert_true(all.deepest <= DEEPEST);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_are_certified_and_do_not_overlap),
                                     cmocka_unit_test(pairs_in_the_mixed_form)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
