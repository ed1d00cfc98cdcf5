// The mixed problem of the implicit step: its Jacobian beside differences, its rows at solutions that another
// formulation has found, and at points where bodies overlap, which the printed form of it takes for solutions.
#include "step/implicit/arrival.h"
#include "step/implicit/mncp_check.h"
#include "step/implicit/mncp_start.h"
#include "step/impulses.h"
#include "step/snapshot.h"
#include "step/solve.h"

#include "scene_run.h"
#include "world.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

// ---- a problem of everything that is near --------------------------------------------------------------------------

enum { PAIRS = 16, BODIES = 8, UNKNOWNS = 220 };

typedef struct fixture {
  ts_arena arena;
  jmp_buf recovery;
  ts_step step;
  ts_arrival arrival;
  ts_contact_set points;
  ts_part_pair pairs[PAIRS];
  const ts_contact_law *laws[PAIRS];
  int island[BODIES];
  ts_ecp_parts parts;
  ts_ecp_problem problem;
} fixture;

static void find_pairs(fixture *f)
{
  for (int k = 0; k < f->points.count; ++k) {
    const int last = f->parts.pair_count - 1;
    if (last >= 0 && ts_part_pair_key(f->pairs[last]) == ts_part_pair_key(f->points.parts[k])) continue;
    assert_true(f->parts.pair_count < PAIRS);
    f->pairs[f->parts.pair_count] = f->points.parts[k];
    f->laws[f->parts.pair_count++] = f->points.laws[k];
  }
}

// All dynamic bodies are one island.
static void begin(fixture *f, ts_sim *sim, double h, double speed)
{
  memset(f, 0, sizeof *f);
  ts_arena_init(&f->arena, NULL);
  f->arena.recovery = &f->recovery;
  if (setjmp(f->recovery)) fail_msg("memory ran out");
  f->step = (ts_step){.sim = sim,
                      .h = h,
                      .theta = 1.0,
                      .arena = &f->arena,
                      .from = sim->old_velocity,
                      .gaps_at_end = true,
                      .rows_at_end = true};
  ts_impulses_begin(sim, (ts_interval){sim->state.time, sim->state.time + h}, h, &f->arena);
  ts_place_kinematic_bodies(sim, sim->state.time + h);
  assert_true(ts_step_joints(&f->step));
  ts_step_free_velocity(&f->step);
  f->arrival = ts_arrival_make(&f->step);
  ts_arrival_look(&f->arrival, &f->step, f->arrival.still, &f->points);
  f->step.contacts = f->points;
  ts_step_assemble(&f->step);
  ts_step_bounded_bias(&f->step, true);
  assert_true(sim->model->body_count <= BODIES);
  for (int b = 0; b < sim->model->body_count; ++b) f->island[b] = sim->model->bodies[b].kind == TS_DYNAMIC ? 0 : -1;
  f->parts = (ts_ecp_parts){
      .step = &f->step, .end = &f->arrival.geometry, .island = f->island, .pairs = f->pairs, .laws = f->laws};
  find_pairs(f);
  ts_ecp_build(&f->parts, &f->arena, &f->problem);
  ts_ecp_measure(&f->parts, speed, &f->problem);
  assert_true(f->problem.size <= UNKNOWNS);
}

static void end(fixture *f)
{
  ts_arena_release(&f->arena);
}

static bool start_at(fixture *f, const ts_twist *velocity, const ts_ecp_guess *guesses, double *z)
{
  return ts_ecp_start(&f->problem, &(ts_ecp_start_point){velocity, guesses, velocity, NULL, NULL, 0}, z);
}

static void rows_at(fixture *f, const double *z, double *F)
{
  const ts_problem view = ts_ecp_view(&f->problem);
  assert_int_equal(view.mcp.evaluate(view.mcp.user, z, F), 0);
}

static double natural_map(fixture *f, const double *z)
{
  double F[UNKNOWNS], worst = 0.0;
  rows_at(f, z, F);
  for (int k = 0; k < f->problem.size; ++k)
    worst = fmax(worst, fabs(z[k] - fmin(fmax(z[k] - F[k], f->problem.lower[k]), f->problem.upper[k])));
  return worst;
}

// ---- Jacobian ------------------------------------------------------------------------------------------------------

static double dense[UNKNOWNS][UNKNOWNS]; // [column][row]

static void fill_dense(fixture *f, const double *z)
{
  const ts_problem view = ts_ecp_view(&f->problem);
  double *values = ts_arena_doubles(&f->arena, (size_t)view.mcp.start[f->problem.size]);
  assert_int_equal(view.mcp.jacobian(view.mcp.user, z, values), 0);
  memset(dense, 0, sizeof dense);
  for (int c = 0; c < f->problem.size; ++c)
    for (int k = view.mcp.start[c]; k < view.mcp.start[c + 1]; ++k) dense[c][view.mcp.index[k]] = values[k];
}

// Central differences of sixth order: (45 (F1 - F-1) - 9 (F2 - F-2) + (F3 - F-3)) / 60 d.
static void difference(fixture *f, const double *z, int c, double d, double *column)
{
  static const double weights[] = {45.0, -9.0, 1.0};
  double at[UNKNOWNS], ahead[UNKNOWNS], behind[UNKNOWNS];
  memset(column, 0, (size_t)f->problem.size * sizeof *column);
  memcpy(at, z, (size_t)f->problem.size * sizeof *at);
  for (int k = 1; k <= 3; ++k) {
    at[c] = z[c] + k * d;
    rows_at(f, at, ahead);
    at[c] = z[c] - k * d;
    rows_at(f, at, behind);
    for (int r = 0; r < f->problem.size; ++r) column[r] += weights[k - 1] * (ahead[r] - behind[r]) / (60.0 * d);
  }
}

static void check_jacobian(fixture *f, const double *z)
{
  double column[UNKNOWNS], F[UNKNOWNS], worst = 0.0;
  fill_dense(f, z);
  rows_at(f, z, F);
  for (int c = 0; c < f->problem.size; ++c) {
    const double d = 2e-3;
    difference(f, z, c, d, column);
    for (int r = 0; r < f->problem.size; ++r) {
      double size = 1.0 + fabs(F[r]); // what rounding of the row makes of the difference
      for (int k = 0; k < f->problem.size; ++k) size = fmax(size, fabs(dense[k][r]));
      const double off = fabs(dense[c][r] - column[r]) / size;
      if (off > 1e-9) fail_msg("row %d, unknown %d: %.15g, by differences %.15g", r, c, dense[c][r], column[r]);
      worst = fmax(worst, off);
    }
  }
  print_message("%d unknowns: %.1e\n", f->problem.size, worst);
}

// A point about the start, with everything in play: bodies turn by a few tenths of a radian in the step, points lie
// beside the surfaces, all multipliers and impulses act.
static void draw_point(fixture *f, ts_random *random, double *z)
{
  ts_ecp_guess guesses[PAIRS];
  ts_twist velocity[BODIES];
  for (int b = 0; b < BODIES; ++b)
    velocity[b] = (ts_twist){{ts_random_normal(random), ts_random_normal(random), ts_random_normal(random)},
                             {ts_random_normal(random), ts_random_normal(random), ts_random_normal(random)}};
  if (ts_is_flat(f->problem.model->freedoms))
    for (int b = 0; b < BODIES; ++b) velocity[b].linear.z = velocity[b].angular.x = velocity[b].angular.y = 0.0;
  for (int k = 0; k < f->problem.contact_count; ++k)
    guesses[k] = ts_ecp_nearest(&f->problem, &f->problem.contacts[k], velocity);
  assert_true(start_at(f, velocity, guesses, z));
  for (int k = 0; k < f->problem.size; ++k) z[k] += ts_random_uniform(random, 0.02, 0.1);
}

static void check_at_random_points(ts_sim *sim, double h, uint64_t seed)
{
  ts_random random;
  double z[UNKNOWNS];
  fixture f;
  begin(&f, sim, h, 1.0);
  assert_true(f.problem.contact_count > 0);
  ts_random_init(&random, seed);
  for (int k = 0; k < 3; ++k) {
    draw_point(&f, &random, z);
    check_jacobian(&f, z);
  }
  end(&f);
}

static int add_turned(world *w, const char *name, ts_shape shape, double height)
{
  ts_body_def def = ts_body_def_default();
  def.name = name;
  def.kind = TS_DYNAMIC;
  def.density = 500.0;
  def.pose.position = (ts_vec3){0.02, -0.03, height};
  def.pose.orientation = ts_quat_normalize((ts_quat){0.8, 0.3, -0.2, 0.4});
  return world_add_def(w, &def, shape);
}

// Pairs of bodies that both move, one above the other, and a floor.
static void jacobian_is_that_of_the_rows(void **state)
{
  (void)state;
  static const ts_vec3 corners[] = {
      {0.3, 0.0, 0.0}, {-0.2, 0.2, 0.0}, {-0.2, -0.2, 0.0}, {0.0, 0.05, 0.3}, {0.1, 0.0, -0.3}};
  const ts_shape shapes[] = {
      shape_sphere(0.25),
      {.kind = TS_SHAPE_ELLIPSOID, .size = {0.2, 0.3, 0.25}},
      {.kind = TS_SHAPE_SUPERELLIPSOID, .size = {0.2, 0.3, 0.25}, .exponents = {3.0, 4.0, 2.0}},
      shape_box(0.4, 0.5, 0.3),
      shape_cylinder(0.2, 0.5),
      {.kind = TS_SHAPE_CONE, .radius = 0.3, .top_radius = 0.1, .length = 0.5},
      shape_capsule(0.2, 0.3),
      {.kind = TS_SHAPE_POLYTOPE, .vertices = corners, .vertex_count = 5},
  };
  enum { COUNT = sizeof shapes / sizeof *shapes };
  for (int k = 0; k < COUNT; ++k) {
    world w;
    ts_error error;
    ts_contact_law law = ts_contact_law_default();
    world_init(&w, TS_SPACE_3D);
    law.friction = 0.6;
    law.ellipsoid = (ts_vec3){1.3, 0.8, 0.1};
    law.direction = (ts_vec3){0.6, 0.8, 0.1};
    assert_int_equal(ts_builder_set_contact(w.builder, &law, &error), TS_OK);
    w.options.margin = 2.0;
    world_floor(&w);
    add_turned(&w, "low", shapes[k], 0.5);
    add_turned(&w, "high", shapes[(k + 1) % COUNT], 1.2);
    world_start(&w);
    check_at_random_points(w.sim, 0.3, (uint64_t)k + 1);
    world_release(&w);
  }
}

static void jacobian_in_the_plane(void **state)
{
  (void)state;
  static const ts_vec3 corners[] = {{0.3, -0.1, 0.0}, {0.0, 0.3, 0.0}, {-0.3, -0.1, 0.0}};
  world w;
  world_init(&w, TS_SPACE_2D);
  world_friction(&w, 0.5, 0.0);
  w.options.margin = 2.0;
  world_floor(&w);
  world_add(&w, "disc", TS_DYNAMIC, 1.0, shape_disc(0.3), (ts_vec3){0.0, 0.4, 0.0});
  world_add(&w, "triangle", TS_DYNAMIC, 2.0, shape_polygon(corners, 3), (ts_vec3){0.1, 1.1, 0.0});
  ts_body_def def = ts_body_def_default();
  def.name = "particle";
  def.kind = TS_DYNAMIC;
  def.mass = 0.5;
  def.rotates = false;
  def.pose.position = (ts_vec3){0.6, 0.3, 0.0};
  world_add_def(&w, &def, (ts_shape){.kind = TS_SHAPE_POINT});
  world_start(&w);
  check_at_random_points(w.sim, 0.3, 77);
  world_release(&w);
}

// Rows of joints, of a limit, a motor and a moving floor.
static void jacobian_with_joints(void **state)
{
  (void)state;
  scene_run r;
  ts_error error;
  static const char text[] =
      "touchstone: 1\ngravity: [0, 0, -9.81]\ncontact: {friction: 0.3, ellipsoid: [1, 1, 0.05]}\nbodies:\n"
      "- {name: floor, kind: kinematic, shape: {plane: {normal: [0, 0, 1]}}, motion: {displacement: [{sine: "
      "{amplitude: "
      "0.1, frequency: 1}}, 0, 0]}}\n"
      "- {name: box, mass: 2, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [0.3, 0, 0.1]}\n"
      "- {name: pusher, mass: 1, shape: {box: {size: [0.1, 0.2, 0.1]}}, position: [0, 0, 0.1], joint: {name: slide,\n"
      "   type: prismatic, axis: [1, 0, 0], limits: {upper: 0.01}, motor: {velocity: {target: 0.5, max_force: 50}}}}\n"
      "- {name: arm, mass: 1, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.5], joint: {name: hinge,\n"
      "   type: revolute, parent: pusher, at: [0, 0, 0.3], axis: [0, 1, 0]}}\n"
      "step: {method: implicit, size: 0.1, margin: 1}\n";
  if (ts_scene_parse(text, strlen(text), "scene", NULL, 0, &r.scene, &error) != TS_OK)
    fail_msg("%d:%d: %s", error.line, error.column, error.text);
  assert_int_equal(ts_sim_create(ts_scene_model(r.scene), ts_scene_options(r.scene), NULL, &r.sim, &error), TS_OK);
  check_at_random_points(r.sim, 0.1, 5);
  scene_run_end(&r);
}

// ---- solutions of the other formulation ----------------------------------------------------------------------------

enum { STATE = 4096 };

typedef struct saved_state {
  double numbers[STATE];
  size_t size;
} saved_state;

static void save(const ts_sim *sim, saved_state *saved)
{
  ts_error error;
  saved->size = ts_sim_state_size(sim);
  assert_true(saved->size <= STATE);
  assert_int_equal(ts_sim_save(sim, saved->numbers, saved->size, &error), TS_OK);
}

static void load(ts_sim *sim, const saved_state *saved)
{
  ts_error error;
  ts_sim_forget_pushes(sim);
  assert_int_equal(ts_sim_load(sim, saved->numbers, saved->size, &error), TS_OK);
  memcpy(sim->old_velocity, sim->state.velocity, (size_t)sim->model->body_count * sizeof *sim->old_velocity);
}

// The contact of a pair at its equivalent contact point, or the nearest points where nothing pushes.
static ts_ecp_guess guess_of(const fixture *f, int k, const ts_twist *velocity, const ts_contact *contacts, int count)
{
  const ts_ecp_contact *contact = &f->problem.contacts[k];
  const ts_part *first = &f->problem.model->parts[contact->parts.first];
  const ts_part *second = &f->problem.model->parts[contact->parts.second];
  for (int i = 0; i < count; ++i) {
    const ts_contact *c = &contacts[i];
    if (c->body_1 != first->body || c->body_2 != second->body || !(c->impulse[0] > 0.0)) continue;
    ts_ecp_guess guess = {.at = {c->point, ts_add_scaled(c->point, -c->gap, c->normal)},
                          .normal = c->normal,
                          .gap = c->gap,
                          .spin = c->impulse[3]};
    guess.force = ts_add_scaled(ts_scale(c->impulse[0], c->normal), c->impulse[1], c->tangent);
    guess.force = ts_add_scaled(guess.force, c->impulse[2], c->other);
    return guess;
  }
  return ts_ecp_nearest(&f->problem, contact, velocity);
}

// Step with the reduced formulation, and look at the rows of the problem of that step at what it found.
static double map_of_next_step(ts_sim *sim, double h)
{
  static saved_state before, after;
  ts_error error;
  ts_contact contacts[PAIRS];
  ts_twist velocity[BODIES];
  ts_ecp_guess guesses[PAIRS];
  double z[UNKNOWNS];
  int count;
  fixture f;
  save(sim, &before);
  assert_int_equal(ts_sim_step(sim, &error), TS_OK);
  assert_true(ts_sim_report(sim)->certified);
  save(sim, &after);
  const ts_contact *found = ts_sim_contacts(sim, &count);
  assert_true(count <= PAIRS);
  if (count > 0) memcpy(contacts, found, (size_t)count * sizeof *contacts);
  for (int b = 0; b < ts_model_body_count(sim->model); ++b) velocity[b] = ts_sim_velocity(sim, b);
  load(sim, &before);
  begin(&f, sim, h, 9.81 * h);
  for (int k = 0; k < f.problem.contact_count; ++k) guesses[k] = guess_of(&f, k, velocity, contacts, count);
  assert_true(start_at(&f, velocity, guesses, z));
  const double map = natural_map(&f, z);
  end(&f);
  load(sim, &after);
  return map;
}

static void reduced_solutions_solve_it(void **state)
{
  (void)state;
  static const struct {
    const char *scene;
    double until;
  } cases[] = {{"cube_slides", 0.5},
               {"cylinder_rolls", 0.6},
               {"cube_tips", 2.0},
               {"disc_rolls", 0.5},
               {"sphere_on_spheres", 4.0}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    char path[300];
    snprintf(path, sizeof path, "%s/line_and_surface_contact/%s.yaml", EXAMPLES, cases[k].scene);
    scene_run r = scene_run_start(path, NULL, 0);
    double worst = 0.0;
    while (ts_sim_time(r.sim) < cases[k].until) worst = fmax(worst, map_of_next_step(r.sim, 0.01));
    print_message("%s: %.1e\n", cases[k].scene, worst);
    assert_true(worst <= 1e-8);
    scene_run_end(&r);
  }
}

// ---- bodies that overlap -------------------------------------------------------------------------------------------

// 003 eqs. 13 to 17 as printed ask f_k(a1) <= 0 _|_ l >= 0. A cube on its edge, sunk into the floor: with k one face at
// the edge, any point of the other one at the height of the floor meets them. Here f_k(a1) is not 0.
static void sunk_cube_is_no_solution(void **state)
{
  (void)state;
  static const double SUNK = 0.1;
  world w;
  fixture f;
  ts_body_def def = ts_body_def_default();
  world_init(&w, TS_SPACE_3D);
  w.options.start = TS_START_AS_GIVEN;
  world_floor(&w);
  def.name = "cube";
  def.kind = TS_DYNAMIC;
  def.mass = 1.0;
  def.pose.position.z = sqrt(0.5) - SUNK;
  def.pose.orientation = (ts_quat){cos(0.125 * TS_PI), sin(0.125 * TS_PI), 0.0, 0.0};
  world_add_def(&w, &def, shape_box(1.0, 1.0, 1.0));
  world_start(&w);
  begin(&f, w.sim, 0.01, 0.0981);
  ts_twist velocity[BODIES];
  memset(velocity, 0, sizeof velocity);
  const ts_vec3 point = {0.0, SUNK, 0.0}; // on the face towards +y
  ts_ecp_guess guess = {.at = {point, point}, .normal = {0.0, 0.0, 1.0}};
  double z[UNKNOWNS], F[UNKNOWNS];
  // Faces at 45 degrees on both sides of the edge: take the one that the point is not on for k, the other with 1.
  assert_true(start_at(&f, velocity, &guess, z));
  ts_ecp_contact *contact = &f.problem.contacts[0];
  const ts_ecp_places at = ts_ecp_places_of(&f.problem, contact);
  ts_ecp_touch touch;
  int face_a = -1, face_b = -1;
  double own[UNKNOWNS];
  for (int k = 0; k < f.problem.size; ++k) own[k] = f.problem.origin[k] + f.problem.unit[k] * z[k];
  ts_ecp_look(&f.problem, contact, own, &touch);
  for (int i = 0; i < contact->side[0].count; ++i) {
    const ts_vec3 outward = ts_mul(&touch.axes[0], touch.gradient[i]);
    if (outward.z < -0.5 && outward.y < 0.0) face_a = i;
    if (outward.z < -0.5 && outward.y > 0.0) face_b = i;
  }
  assert_true(face_a >= 0 && face_b >= 0);
  contact->face = face_a;
  for (int i = 0; i < contact->side[0].count - 1; ++i) own[contact->first + at.faces_1 + i] = 0.0;
  own[contact->first + at.faces_1 + face_b - (face_b > face_a)] = 1.0;
  own[contact->first + at.faces_2] = sqrt(2.0);
  own[contact->first + at.depth] = 0.0;
  for (int k = 0; k < f.problem.size; ++k) z[k] = (own[k] - f.problem.origin[k]) / f.problem.unit[k];
  rows_at(&f, z, F);
  for (int k = 0; k < at.depth; ++k) assert_near(F[contact->first + k], 0.0, 1e-9); // 003 eqs. 13 and 14
  const double row = F[contact->first + at.depth] / f.problem.weight[contact->first + at.depth];
  assert_near(row, -SUNK * sqrt(2.0), 1e-12); // as printed: <= 0, so all is well
  assert_near(F[contact->first + at.faces_1 + face_b - (face_b > face_a)], 0.0, 1e-9);
  assert_true(natural_map(&f, z) > 10.0);
  assert_false(ts_ecp_touches_hold(&f.problem, own));
  end(&f);
  world_release(&w);
}

// At a contact that pushes, the parts lie on opposite sides of the plane across its normal. A cube that stands on its
// edge is pushed upwards; with the normal of one of its faces, the floor is on both sides of the plane.
static void pushes_part_the_bodies(void **state)
{
  (void)state;
  world w;
  fixture f;
  ts_body_def def = ts_body_def_default();
  world_init(&w, TS_SPACE_3D);
  w.options.start = TS_START_AS_GIVEN;
  world_floor(&w);
  def.name = "cube";
  def.kind = TS_DYNAMIC;
  def.mass = 1.0;
  def.pose.position.z = sqrt(0.5);
  def.pose.orientation = (ts_quat){cos(0.125 * TS_PI), sin(0.125 * TS_PI), 0.0, 0.0};
  world_add_def(&w, &def, shape_box(1.0, 1.0, 1.0));
  world_start(&w);
  begin(&f, w.sim, 0.01, 0.0981);
  ts_twist velocity[BODIES];
  memset(velocity, 0, sizeof velocity);
  const ts_ecp_guess guess = {.normal = {0.0, 0.0, 1.0}, .force = {0.0, 0.0, 1.0}};
  double z[UNKNOWNS], own[UNKNOWNS];
  assert_true(start_at(&f, velocity, &guess, z));
  const ts_ecp_contact *contact = &f.problem.contacts[0];
  const ts_ecp_places at = ts_ecp_places_of(&f.problem, contact);
  ts_ecp_touch touch;
  for (int k = 0; k < f.problem.size; ++k) own[k] = f.problem.origin[k] + f.problem.unit[k] * z[k];
  ts_ecp_look(&f.problem, contact, own, &touch);
  assert_true(touch.push[0] > 0.0);
  assert_near(touch.n.z, 1.0, 1e-12);
  assert_true(ts_ecp_touches_hold(&f.problem, own));
  for (int i = 0; i < contact->side[0].count - 1; ++i) own[contact->first + at.faces_1 + i] = 0.0;
  ts_ecp_look(&f.problem, contact, own, &touch);
  assert_near(touch.n.z, sqrt(0.5), 1e-12);
  assert_false(ts_ecp_touches_hold(&f.problem, own));
  own[contact->first + at.normal] = 0.0;
  assert_true(ts_ecp_touches_hold(&f.problem, own));
  end(&f);
  world_release(&w);
}

// Fall-backs pose friction problems, which solvers of mixed problems do not take: `auto` does.
static void friction_problems_beside_it_are_solved(void **state)
{
  (void)state;
  world w;
  fixture f;
  world_init(&w, TS_SPACE_3D);
  w.options.solver = ts_solver_find("fb-rlm");
  world_floor(&w);
  world_add(&w, "box", TS_DYNAMIC, 1.0, shape_box(0.4, 0.4, 0.4), (ts_vec3){0.0, 0.0, 0.2});
  world_start(&w);
  begin(&f, w.sim, 0.01, 0.0981);
  ts_system_velocity(&f.step.system, w.sim->free_velocity, f.step.system.q);
  const ts_problem problem = ts_problem_friction(f.step.system.problem);
  double *r = ts_arena_zeros(&f.arena, ts_problem_size(&problem)), load = 0.0;
  ts_report report = {0};
  assert_true(ts_sim_solve(w.sim, &problem, false, r, &report));
  for (int k = 0; k < f.step.system.count; ++k) load += r[k * f.step.system.dimension];
  assert_near(load, 0.0981, 1e-9);
  assert_int_equal(w.sim->report.fallbacks, 1);
  end(&f);
  world_release(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jacobian_is_that_of_the_rows),
      cmocka_unit_test(jacobian_in_the_plane),
      cmocka_unit_test(jacobian_with_joints),
      cmocka_unit_test(reduced_solutions_solve_it),
      cmocka_unit_test(sunk_cube_is_no_solution),
      cmocka_unit_test(pushes_part_the_bodies),
      cmocka_unit_test(friction_problems_beside_it_are_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
