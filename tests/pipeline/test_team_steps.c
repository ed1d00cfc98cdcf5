// A step that several threads share has the bits of a step that one has taken: states, contacts and reports, whatever
// the shapes, joints, coordinates and stepper. Piles are just large enough that every loop is shared.
#include "effort.h"
#include "counting_allocator.h"
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

// ---- piles ---------------------------------------------------------------------------------------------------------

typedef enum pile_kind { SPHERES, MIXED, COMPOUNDS, LINKED, FLAT, PILE_KINDS } pile_kind;
static const char *const kind_names[] = {"spheres", "mixed", "compounds", "linked", "flat"};

static const double WIDTH = 0.2; // of the bodies [m]
#define FLUSH 0.9999             // of it, between their centres

typedef struct pile {
  pile_kind kind;
  int columns, rows, layers;
  double spread; // of the width, between centres
  double lift;   // above the floor [m]
} pile;

static ts_shape shape_of(pile_kind kind, int number)
{
  const double r = 0.5 * WIDTH;
  if (kind == FLAT) return shape_disc(r);
  if (kind == SPHERES) return shape_sphere(r);
  if (kind == COMPOUNDS) return shape_box(WIDTH, WIDTH, 0.5 * WIDTH);
  if (kind == LINKED) return shape_box(WIDTH, 0.9 * WIDTH, WIDTH);
  switch (number % 4) {
  case 0:
    return shape_sphere(r);
  case 1:
    return shape_box(WIDTH, WIDTH, WIDTH);
  case 2:
    return shape_capsule(0.5 * r, WIDTH);
  default:
    return shape_cylinder(r, WIDTH);
  }
}

// Not straight above each other, so that they topple; flush with their neighbours, or `spread` apart.
static ts_vec3 position_of(const pile *p, int column, int row, int layer)
{
  const double shift = 0.03 * WIDTH * (double)((7 * column + 5 * row + 3 * layer) % 8);
  const double height = p->lift + FLUSH * WIDTH * (layer + 0.5), pitch = p->spread * WIDTH;
  if (p->kind == FLAT) return ts_vec3_make(pitch * column + shift, height, 0.0);
  return ts_vec3_make(pitch * column + (layer % 2 ? shift : 0.0), pitch * row + 0.5 * shift * (layer % 3), height);
}

static void add_upper_half(world *w, int body)
{
  ts_error error;
  ts_part_def part = ts_part_def_default();
  part.body = body;
  part.shape = shape_box(WIDTH, 0.5 * WIDTH, 0.5 * WIDTH);
  part.pose.position = ts_vec3_make(0.0, 0.25 * WIDTH, 0.5 * WIDTH);
  assert_int_equal(ts_builder_add_part(w->builder, &part, NULL, &error), TS_OK);
}

static void link_bodies(world *w, int parent, int child, double distance)
{
  ts_error error;
  ts_joint_def joint = ts_joint_def_default();
  joint.kind = TS_JOINT_REVOLUTE;
  joint.parent = parent;
  joint.child = child;
  joint.at = ts_vec3_make(0.5 * distance, 0.0, 0.0);
  joint.axis = ts_vec3_make(0.0, 1.0, 0.0);
  assert_int_equal(ts_builder_add_joint(w->builder, &joint, NULL, &error), TS_OK);
}

static void build(world *w, const pile *p)
{
  world_init(w, p->kind == FLAT ? TS_SPACE_2D : TS_SPACE_3D);
  world_friction(w, 0.4, 0.0);
  world_floor(w);
  int number = 0, last = -1;
  for (int layer = 0; layer < p->layers; ++layer)
    for (int row = 0; row < p->rows; ++row)
      for (int column = 0; column < p->columns; ++column, ++number) {
        char name[24];
        snprintf(name, sizeof name, "body %d", number);
        const int body = world_add(w, name, TS_DYNAMIC, 1.0 + 0.1 * (number % 3), shape_of(p->kind, number),
                                   position_of(p, column, row, layer));
        if (p->kind == COMPOUNDS) add_upper_half(w, body);
        if (p->kind == LINKED && column % 2) link_bodies(w, last, body, p->spread * WIDTH);
        last = body;
      }
  w->options.size = 4e-3;
  w->options.start = TS_START_AS_GIVEN;
}

// ---- what a run leaves ---------------------------------------------------------------------------------------------

enum { MOST_STEPS = 16 };

typedef struct trace {
  uint64_t states[MOST_STEPS], contacts[MOST_STEPS], reports[MOST_STEPS];
  int most_contacts;
} trace;

static uint64_t mixed_in(uint64_t hash, const void *bytes, size_t size)
{
  for (size_t k = 0; k < size; ++k) hash = (hash ^ ((const unsigned char *)bytes)[k]) * 0x100000001b3u;
  return hash;
}

#define MIX(hash, value) ((hash) = mixed_in((hash), &(value), sizeof(value)))

static uint64_t hash_of_state(const ts_sim *sim)
{
  double *state;
  size_t size;
  ts_error error;
  assert_int_equal(ts_sim_snapshot(sim, &state, &size, &error), TS_OK);
  const uint64_t hash = mixed_in(0, state, size * sizeof *state);
  free(state);
  return hash;
}

static uint64_t hash_of_contacts(const ts_sim *sim)
{
  int count;
  uint64_t hash = 0;
  const ts_contact *contacts = ts_sim_contacts(sim, &count);
  MIX(hash, count);
  for (int i = 0; i < count; ++i) { // member by member: what lies between them is anything
    const ts_contact *c = &contacts[i];
    const int numbers[] = {c->body_1, c->body_2, c->part_1, c->part_2, (int)c->feature, (int)c->mode};
    const ts_vec3 vectors[] = {c->point, c->arm_1, c->arm_2, c->normal, c->tangent, c->other};
    const double values[] = {c->gap, c->friction, c->restitution, c->jam};
    MIX(hash, numbers);
    MIX(hash, vectors);
    MIX(hash, values);
    MIX(hash, c->impulse);
    MIX(hash, c->velocity);
  }
  return hash;
}

static uint64_t hash_of_report(const ts_step_report *r)
{
  uint64_t hash = 0;
  const int counts[] = {r->certified,  r->jammed,         r->tunnelled,    r->gained,       r->impulses_unique,
                        r->iterations, r->factorizations, r->fallbacks,    r->events,       r->problems,
                        r->substeps,   r->contacts,       r->problem_size, r->within_length};
  MIX(hash, counts);
  hash = mixed_in(hash, r->solver, strlen(r->solver));
  const double values[] = {r->event_time,      r->residual,        r->velocity_error,   r->length_error,
                           r->penetration,     r->taken_out,       r->cone_violation,   r->joint_error,
                           r->joint_residual,  r->kinetic_energy,  r->potential_energy, r->contact_work,
                           r->damping_work,    r->drive_work,      r->applied_work,     r->stabilization_work,
                           r->correction_work, r->stagger_work,    r->integration_work, r->energy_scaled_back,
                           r->regularized,     r->regularized_size};
  MIX(hash, values);
  return hash;
}

static void run(const ts_model *model, const ts_step_options *options, int threads, int steps, trace *t)
{
  ts_step_options shared = *options;
  shared.threads = threads;
  ts_sim *sim;
  ts_error error;
  if (ts_sim_create(model, &shared, NULL, &sim, &error) != TS_OK) fail_msg("%s", error.text);
  t->most_contacts = 0;
  for (int k = 0; k < steps; ++k) {
    if (ts_sim_step(sim, &error) != TS_OK) fail_msg("%s", error.text);
    const ts_step_report *report = ts_sim_report(sim);
    if (report->contacts > t->most_contacts) t->most_contacts = report->contacts;
    t->states[k] = hash_of_state(sim);
    t->contacts[k] = hash_of_contacts(sim);
    t->reports[k] = hash_of_report(report);
  }
  ts_sim_destroy(sim);
}

static void assert_same(const trace *alone, const trace *together, int steps, const char *what, int threads)
{
  for (int k = 0; k < steps; ++k) {
    if (together->contacts[k] != alone->contacts[k]) fail_msg("%s, %d threads, step %d: contacts", what, threads, k);
    if (together->states[k] != alone->states[k]) fail_msg("%s, %d threads, step %d: state", what, threads, k);
    if (together->reports[k] != alone->reports[k]) fail_msg("%s, %d threads, step %d: report", what, threads, k);
  }
}

static const int team_sizes[] = {2, 3, 4};

// Returns the most contacts of a step.
static int assert_teams_step_alike(const ts_model *model, const ts_step_options *options, int steps, const char *what)
{
  trace alone, together;
  run(model, options, 1, steps, &alone);
  for (size_t k = 0; k < sizeof team_sizes / sizeof *team_sizes; ++k) {
    run(model, options, team_sizes[k], steps, &together);
    assert_same(&alone, &together, steps, what, team_sizes[k]);
  }
  return alone.most_contacts;
}

// ---- fixed steps ---------------------------------------------------------------------------------------------------

static void piles_step_alike(void **state)
{
  (void)state;
  static const pile piles[] = {{SPHERES, 5, 5, 4, FLUSH, 0.0},
                               {MIXED, 5, 5, 3, FLUSH, 0.0},
                               {COMPOUNDS, 4, 4, 2, FLUSH, 0.0},
                               {LINKED, 8, 5, 1, 1.05, 0.0},
                               {FLAT, 20, 1, 8, FLUSH, 0.0}};
  for (size_t i = 0; i < sizeof piles / sizeof *piles; ++i)
    for (int method = 0; method < 2; ++method) {
      world w;
      char what[64];
      build(&w, &piles[i]);
      w.options.method = fixed_stepper(method);
      world_start(&w);
      snprintf(what, sizeof what, "%s, %s", kind_names[piles[i].kind], ts_stepper_name(w.options.method));
      const int contacts = assert_teams_step_alike(w.model, &w.options, 6, what);
      if (contacts < 140) fail_msg("%s: %d contacts are too few", what, contacts);
      world_release(&w);
    }
}

static void coordinates_and_cones_step_alike(void **state)
{
  (void)state;
  static const struct {
    pile pile;
    ts_coordinates coordinates;
    ts_cone cone;
    ts_impact_law impacts;
    const char *what;
  } cases[] = {
      {{LINKED, 8, 5, 1, 1.05, 0.0},
       TS_COORDINATES_MINIMAL,
       TS_CONE_QUADRATIC,
       TS_IMPACT_DEFAULT,
       "minimal coordinates"},
      {{SPHERES, 8, 8, 1, FLUSH, 0.0},
       TS_COORDINATES_REDUNDANT,
       TS_CONE_POLYHEDRAL,
       TS_IMPACT_DEFAULT,
       "polyhedral cones"},
      {{SPHERES, 5, 5, 4, FLUSH, 0.0}, TS_COORDINATES_REDUNDANT, TS_CONE_QUADRATIC, TS_IMPACT_POISSON, "Poisson's law"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    world w;
    build(&w, &cases[i].pile);
    world_friction(&w, 0.4, cases[i].impacts == TS_IMPACT_POISSON ? 0.5 : 0.0);
    w.options.coordinates = cases[i].coordinates;
    w.options.cone = cases[i].cone;
    w.options.impacts = cases[i].impacts;
    if (cases[i].impacts == TS_IMPACT_POISSON) w.options.method = ts_stepper_find("velocity");
    world_start(&w);
    const int contacts = assert_teams_step_alike(w.model, &w.options, 2, cases[i].what);
    if (contacts < 128) fail_msg("%s: %d contacts are too few", cases[i].what, contacts);
    world_release(&w);
  }
}

// ---- events --------------------------------------------------------------------------------------------------------

// Bodies fall side by side, so near that they are candidates: what is shared there, at little cost.
static void event_driven_steps_are_alike(void **state)
{
  (void)state;
  world w;
  const pile p = {SPHERES, 12, 12, 1, 1.0005, WIDTH};
  build(&w, &p);
  w.options.method = ts_stepper_find("event-driven");
  w.options.size = 2e-3;
  world_start(&w);
  assert_true(assert_teams_step_alike(w.model, &w.options, 2, "event-driven") >= 0);
  world_release(&w);
}

// ---- resuming ------------------------------------------------------------------------------------------------------

static void a_run_goes_on_with_another_team(void **state)
{
  (void)state;
  enum { STEPS = 10, FIRST = 4 };
  world w;
  const pile p = {MIXED, 5, 5, 3, FLUSH, 0.0};
  trace alone;
  ts_error error;
  build(&w, &p);
  world_start(&w);
  run(w.model, &w.options, 1, STEPS, &alone);
  double *saved = NULL;
  size_t size = 0;
  for (int part = 0; part < 2; ++part) {
    ts_step_options options = w.options;
    ts_sim *sim;
    options.threads = part == 0 ? 3 : 2;
    assert_int_equal(ts_sim_create(w.model, &options, NULL, &sim, &error), TS_OK);
    if (part == 1) assert_int_equal(ts_sim_load(sim, saved, size, &error), TS_OK);
    for (int k = part == 0 ? 0 : FIRST; k < (part == 0 ? FIRST : STEPS); ++k) {
      assert_int_equal(ts_sim_step(sim, &error), TS_OK);
      assert_true(hash_of_state(sim) == alone.states[k]);
    }
    if (part == 0) assert_int_equal(ts_sim_snapshot(sim, &saved, &size, &error), TS_OK);
    ts_sim_destroy(sim);
  }
  free(saved);
  world_release(&w);
}

// ---- memory --------------------------------------------------------------------------------------------------------

// Steps that fail for want of memory are repeated with memory at hand, and reach the same state.
static bool is_survived(const ts_model *model, const ts_step_options *options, int budget, const trace *expected)
{
  enum { STEPS = 3 };
  allocation_count l = {.budget = budget};
  const ts_allocator allocator = counting_allocator(&l);
  ts_error error = {.status = TS_OK};
  ts_sim *sim;
  if (ts_sim_create(model, options, &allocator, &sim, &error) != TS_OK) {
    assert_int_equal(error.status, TS_OUT_OF_MEMORY);
    assert_non_null(strstr(error.text, "memory ran out"));
    assert_int_equal(l.held, 0);
    return true;
  }
  bool failed = false;
  for (int k = 0; k < STEPS; ++k) {
    if (ts_sim_step(sim, &error) != TS_OK) {
      failed = true;
      assert_int_equal(error.status, TS_OUT_OF_MEMORY);
      assert_non_null(strstr(error.text, "memory ran out"));
      l.budget = 1 << 30;
      assert_int_equal(ts_sim_step(sim, &error), TS_OK);
    }
    assert_true(hash_of_state(sim) == expected->states[k]);
  }
  ts_sim_destroy(sim);
  assert_int_equal(l.held, 0);
  return failed;
}

static void every_failed_allocation_is_survived(void **state)
{
  (void)state;
  enum { MOST = 400 };
  world w;
  const pile p = {SPHERES, 5, 5, 4, FLUSH, 0.0};
  trace alone;
  int budget = 0;
  build(&w, &p);
  world_start(&w);
  run(w.model, &w.options, 1, 3, &alone);
  w.options.threads = 3;
  while (budget < MOST && is_survived(w.model, &w.options, budget, &alone)) budget += effort_one_in(3);
  assert_true(budget > 20 && budget < MOST);
  world_release(&w);
}

static void a_warm_team_allocates_nothing(void **state)
{
  (void)state;
  world w;
  ts_error error;
  ts_sim *sim;
  const pile p = {MIXED, 5, 5, 3, FLUSH, 0.0};
  build(&w, &p);
  world_start(&w);
  w.options.threads = 3;
  allocation_count l = UNLIMITED_ALLOCATIONS;
  const ts_allocator allocator = counting_allocator(&l);
  assert_int_equal(ts_sim_create(w.model, &w.options, &allocator, &sim, &error), TS_OK);
  const size_t size = ts_sim_state_size(sim);
  double *start = calloc(size, sizeof *start);
  assert_non_null(start);
  assert_int_equal(ts_sim_save(sim, start, size, NULL), TS_OK);
  for (int round = 0; round < 6; ++round) { // in turns with either arena of the steps
    assert_int_equal(ts_sim_load(sim, start, size, &error), TS_OK);
    const int before = l.calls;
    for (int k = 0; k < 6; ++k) assert_int_equal(ts_sim_step(sim, &error), TS_OK);
    if (round >= 3) assert_int_equal(l.calls, before);
  }
  free(start);
  ts_sim_destroy(sim);
  assert_int_equal(l.held, 0);
  world_release(&w);
}

// ---- limits --------------------------------------------------------------------------------------------------------

static void numbers_of_threads_have_bounds(void **state)
{
  (void)state;
  world w;
  const pile p = {SPHERES, 1, 1, 1, FLUSH, 0.0};
  ts_error error;
  build(&w, &p);
  world_start(&w);
  const int wrong[] = {0, -1, 257};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    ts_sim *sim;
    w.options.threads = wrong[k];
    assert_int_equal(ts_sim_create(w.model, &w.options, NULL, &sim, &error), TS_INVALID);
    assert_non_null(strstr(error.text, "'threads' must be 1 to 256"));
    assert_null(sim);
  }
  world_release(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(piles_step_alike),
      cmocka_unit_test(coordinates_and_cones_step_alike),
      cmocka_unit_test(event_driven_steps_are_alike),
      cmocka_unit_test(a_run_goes_on_with_another_team),
      cmocka_unit_test(every_failed_allocation_is_survived),
      cmocka_unit_test(a_warm_team_allocates_nothing),
      cmocka_unit_test(numbers_of_threads_have_bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
