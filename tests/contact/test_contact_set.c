// Contact frames, and that no contact is missed: whatever overlaps at the end of a step was a candidate in it.
#include "scene_generator.h"
#include "world.h"

#include "base/random.h"
#include "contact/contact_set.h"
#include "shape/distance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static void accept(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

static scene_recipe crowded(uint64_t seed)
{
  scene_recipe recipe = scene_recipe_random(seed);
  recipe.bodies = 6 + (int)(seed % 8);
  recipe.ground = recipe.gravity = true;
  return recipe;
}

static ts_sim *open_scene(uint64_t seed, const scene_recipe *recipe, ts_step_options options, ts_model **model)
{
  ts_error error;
  ts_sim *sim;
  *model = scene_generate(recipe, seed, (scene_variant){.turn = ts_quat_identity()});
  accept(ts_sim_create(*model, &options, NULL, &sim, &error), &error);
  return sim;
}

// ---- frames --------------------------------------------------------------------------------------------------------

static void check_frame(const ts_model *model, const ts_contact *c)
{
  const double tolerance = 1e-12;
  assert_near(ts_length(c->normal), 1.0, tolerance);
  assert_near(ts_length(c->tangent), 1.0, tolerance);
  assert_near(ts_dot(c->normal, c->tangent), 0.0, tolerance);
  assert_vec_near(c->other, ts_cross(c->normal, c->tangent), tolerance);
  assert_int_equal(ts_model_body_kind(model, c->body_1), TS_DYNAMIC);
  assert_int_not_equal(c->body_1, c->body_2);
  assert_int_equal(ts_model_part_body(model, c->part_1), c->body_1);
  assert_int_equal(ts_model_part_body(model, c->part_2), c->body_2);
  if (ts_model_space(model) == TS_SPACE_2D) {
    assert_near(c->normal.z, 0.0, 0.0);
    assert_near(c->tangent.z, 0.0, 0.0);
    assert_near(c->point.z, 0.0, 0.0);
  }
}

static void frames_are_orthonormal(void **state)
{
  (void)state;
  int seen = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    ts_error error;
    int count;
    ts_model *model;
    ts_step_options options = ts_step_options_default();
    options.margin = 0.1;
    const scene_recipe recipe = crowded(seed);
    ts_sim *sim = open_scene(seed, &recipe, options, &model);
    accept(ts_sim_find_contacts(sim, &error), &error);
    const ts_contact *contacts = ts_sim_contacts(sim, &count);
    for (int i = 0; i < count; ++i) {
      const ts_contact *c = &contacts[i];
      check_frame(model, c);
      assert_true(c->gap <= 0.1 + 1e-12);
      const ts_vec3 to_centre =
          ts_quat_rotate(ts_sim_pose(sim, c->body_1).orientation, ts_model_body_centre(model, c->body_1));
      const ts_vec3 centre = ts_add(ts_sim_pose(sim, c->body_1).position, to_centre);
      assert_vec_near(ts_add(centre, c->arm_1), c->point, 1e-12);
      ++seen;
    }
    ts_sim_destroy(sim);
    ts_model_destroy(model);
  }
  assert_true(seen > 300);
}

// The tangent follows the law's direction, projected; else it turns no faster than the normal does.
static void tangents_follow_directions(void **state)
{
  (void)state;
  const ts_vec3 directions[] = {{1.0, 1.0, 0.3}, {0.0, -2.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}};
  for (int k = 0; k < 4; ++k) {
    ts_error error;
    int count;
    world w;
    world_init(&w, TS_SPACE_3D);
    ts_contact_law law = ts_contact_law_default();
    law.direction = directions[k];
    accept(ts_builder_set_contact(w.builder, &law, &error), &error);
    world_floor(&w);
    world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.1});
    world_start(&w);
    accept(ts_sim_find_contacts(w.sim, &error), &error);
    const ts_contact *c = ts_sim_contacts(w.sim, &count);
    assert_int_equal(count, 1);
    const ts_vec3 flat = {directions[k].x, directions[k].y, 0.0};
    const ts_vec3 expected = ts_normalize(flat, (ts_vec3){1.0, 0.0, 0.0});
    assert_vec_near(c->tangent, expected, 1e-12);
    world_release(&w);
  }
}

static void frames_turn_with_their_normals(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 5);
  ts_error error;
  int count;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_add(&w, "still", TS_FIXED, 0.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.0});
  const int ball = world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.2, 0.0, 0.0});
  w.options.margin = 0.01;
  world_start(&w);
  for (int k = 0; k < 200; ++k) {
    ts_vec3 normal[2], tangent[2];
    const ts_vec3 n =
        ts_normalize((ts_vec3){ts_random_normal(&random), ts_random_normal(&random), ts_random_normal(&random)},
                     (ts_vec3){0.0, 0.0, 1.0});
    if (fabs(fabs(n.x) - 0.9) < 1e-3) continue; // there the axis that t follows changes
    const ts_vec3 near_n = ts_normalize(ts_add(n, (ts_vec3){1e-6, -1e-6, 1e-6}), n);
    for (int side = 0; side < 2; ++side) {
      const ts_pose pose = {ts_scale(0.2, side == 0 ? n : near_n), ts_quat_identity()};
      accept(ts_sim_set_pose(w.sim, ball, &pose, &error), &error);
      accept(ts_sim_find_contacts(w.sim, &error), &error);
      const ts_contact *c = ts_sim_contacts(w.sim, &count);
      assert_int_equal(count, 1);
      normal[side] = c->normal;
      tangent[side] = c->tangent;
    }
    assert_true(ts_distance_of(tangent[0], tangent[1]) <= 4.0 * ts_distance_of(normal[0], normal[1]) + 1e-12);
  }
  world_release(&w);
}

// What a ball reaches within a step is found, and so it is by the step itself; not what is ten steps away, nor without
// speed.
static void what_is_reached_within_a_step_is_found(void **state)
{
  (void)state;
  const double h = 1e-2, gaps[] = {0.9e-2, 10e-2, 0.9e-2}, speeds[] = {1.0, 1.0, 0.0};
  for (int k = 0; k < 3; ++k) {
    ts_error error;
    int found, stepped;
    world w;
    world_init(&w, TS_SPACE_3D);
    w.options.size = h;
    world_floor(&w);
    const int ball = world_add(&w, "ball", TS_DYNAMIC, 1.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.1 + gaps[k]});
    world_start(&w);
    world_move(&w, ball, (ts_vec3){0.0, 0.0, -speeds[k]}, (ts_vec3){0.0, 0.0, 0.0});
    accept(ts_sim_find_contacts(w.sim, &error), &error);
    const ts_contact *c = ts_sim_contacts(w.sim, &found);
    assert_int_equal(found, k == 0);
    if (found) assert_near(c->gap, gaps[k], 1e-12);
    world_step(&w);
    ts_sim_contacts(w.sim, &stepped);
    assert_int_equal(stepped, found);
    world_release(&w);
  }
}

// ---- corners that parts share --------------------------------------------------------------------------------------

static int contacts_found(world *w)
{
  ts_error error;
  int count;
  accept(ts_sim_find_contacts(w->sim, &error), &error);
  ts_sim_contacts(w->sim, &count);
  return count;
}

// The points where a contact is, by their x, each as often as there are contacts.
static void assert_contacts_at(world *w, const double *x, int expected)
{
  int count = contacts_found(w);
  const ts_contact *contacts = ts_sim_contacts(w->sim, &count);
  assert_int_equal(count, expected);
  for (int k = 0; k < expected; ++k) {
    int here = 0;
    for (int i = 0; i < count; ++i) here += fabs(contacts[i].point.x - x[k]) < 1e-9;
    assert_int_equal(here, 1);
  }
}

// Polygons that are cut into convex pieces: a comb on three teeth; a trough on its flat bottom, of which every piece
// has a share; and a flower on the one corner that all its pieces have in common.
static void cut_polygons_report_a_corner_once(void **state)
{
  (void)state;
  static const ts_vec3 slab[] = {{-9, -1, 0}, {9, -1, 0}, {9, 0, 0}, {-9, 0, 0}};
  static const struct {
    int count;
    ts_vec3 corners[8];
    int touching;
    double x[3];
  } cases[] = {{7, {{0, 0, 0}, {1, 1, 0}, {2, 0, 0}, {3, 1, 0}, {4, 0, 0}, {4, 2, 0}, {0, 2, 0}}, 3, {0.3, 2.3, 4.3}},
               {6, {{0, 0, 0}, {2, 0, 0}, {4, 0, 0}, {4, 2, 0}, {2, 1, 0}, {0, 2, 0}}, 2, {0.3, 4.3}},
               {6, {{0, 0, 0}, {2, 1, 0}, {1, 3, 0}, {0, 1, 0}, {-1, 3, 0}, {-2, 1, 0}}, 1, {0.3}}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
    for (int moving_floor = 0; moving_floor < 2; ++moving_floor) {
      world w;
      world_init(&w, TS_SPACE_2D);
      if (moving_floor)
        world_add(&w, "floor", TS_DYNAMIC, 1.0, shape_polygon(slab, 4), (ts_vec3){0.0, 0.0, 0.0});
      else
        world_floor(&w);
      world_add(&w, "body", TS_DYNAMIC, 1.0, shape_polygon(cases[k].corners, cases[k].count), (ts_vec3){0.3, 0.0, 0.0});
      world_start(&w);
      assert_true(w.model->part_count > 2); // it was cut
      assert_contacts_at(&w, cases[k].x, cases[k].touching);
      for (int step = 0; step < 20; ++step) world_step(&w);
      assert_true(ts_sim_report(w.sim)->certified && ts_sim_report(w.sim)->penetration < 1e-9);
      world_release(&w);
    }
}

static void add_box(world *w, int body, double x, int material)
{
  ts_error error;
  int number;
  ts_part_def part = ts_part_def_default();
  part.body = body;
  part.shape = shape_box(1.0, 1.0, 1.0);
  part.pose.position.x = x;
  part.material = material;
  accept(ts_builder_add_part(w->builder, &part, &number, &error), &error);
}

// Three cubes in a row are a bar with eight feet, not twelve; on a plane, on a box, and on a row of boxes that share
// corners themselves. Where the laws differ both contacts stay.
static void compounds_report_a_corner_once(void **state)
{
  (void)state;
  for (int floor = 0; floor < 3; ++floor)
    for (int laws = 1; laws <= 2; ++laws) {
      ts_error error;
      world w;
      world_init(&w, TS_SPACE_3D);
      int rubber;
      const ts_contact_law grip = {.friction = 0.9, .ellipsoid = {1.0, 1.0, 0.0}};
      accept(ts_builder_add_material(w.builder, "rubber", &grip, &rubber, &error), &error);
      if (floor == 0) world_floor(&w);
      if (floor > 0) {
        const int base =
            world_add(&w, "base", TS_DYNAMIC, 100.0, shape_box(20.0, 20.0, 1.0), (ts_vec3){0.0, 0.0, -1.0});
        if (floor == 2) // its own parts share corners below the bar
          for (int k = 0; k < 2; ++k) add_box(&w, base, 50.0 + k, -1);
      }
      const int bar =
          world_add(&w, "bar", TS_DYNAMIC, 1.0, shape_box(1.0, 1.0, 1.0), (ts_vec3){0.2, 0.0, floor == 0 ? 0.5 : 0.0});
      for (int k = 1; k < 3; ++k) add_box(&w, bar, k, laws == 2 && k == 2 ? rubber : -1);
      world_start(&w);
      assert_int_equal(contacts_found(&w), laws == 2 ? 10 : 8);
      assert_int_equal(contacts_found(&w), laws == 2 ? 10 : 8); // what the last search left does not matter
      world_release(&w);
    }
}

// Points have no size that could measure how near they are to each other.
static void points_keep_their_contacts(void **state)
{
  (void)state;
  ts_error error;
  int body, number;
  world w;
  world_init(&w, TS_SPACE_3D);
  world_floor(&w);
  ts_body_def def = ts_body_def_default();
  def.name = "table";
  def.mass = 1.0;
  const double inertia[6] = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
  memcpy(def.inertia, inertia, sizeof inertia);
  def.centre = (ts_vec3){0.0, 0.0, 0.0};
  def.pose.position.z = 0.3;
  accept(ts_builder_add_body(w.builder, &def, &body, &error), &error);
  for (int k = 0; k < 4; ++k) {
    ts_part_def part = ts_part_def_default();
    part.body = body;
    part.shape = (ts_shape){.kind = TS_SHAPE_POINT};
    part.pose.position = (ts_vec3){k & 1 ? 0.2 : -0.2, k & 2 ? 0.2 : -0.2, -0.3};
    accept(ts_builder_add_part(w.builder, &part, &number, &error), &error);
  }
  world_start(&w);
  assert_int_equal(contacts_found(&w), 4);
  world_release(&w);
}

// Many bodies on a compound, in an order that mixes their pairs: each keeps its own contacts.
static void neighbours_keep_their_contacts(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  const int base = world_add(&w, "base", TS_FIXED, 0.0, shape_box(1.0, 1.0, 1.0), (ts_vec3){0.0, 0.0, -0.5});
  for (int k = 1; k < 6; ++k) add_box(&w, base, k, -1);
  for (int k = 0; k < 5; ++k) { // each across the seam of two boxes of the base
    char name[16];
    snprintf(name, sizeof name, "b%d", k);
    world_add(&w, name, TS_DYNAMIC, 1.0, shape_box(0.5, 0.5, 0.5), (ts_vec3){k + 0.5, 0.0, 0.25});
  }
  world_start(&w);
  assert_int_equal(contacts_found(&w), 5 * 6); // four corners, and the two where the seam leaves the face
  world_release(&w);
}

// ---- nothing is missed ---------------------------------------------------------------------------------------------

static ts_pose part_pose(const ts_sim *sim, int part)
{
  const ts_model *model = ts_sim_model(sim);
  const ts_pose body = ts_sim_pose(sim, ts_model_part_body(model, part)), own = ts_model_part_pose(model, part);
  return ts_pose_compose(&body, &own);
}

static bool was_candidate(const ts_sim *sim, int part_1, int part_2)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(sim, &count);
  for (int i = 0; i < count; ++i)
    if ((contacts[i].part_1 == part_1 && contacts[i].part_2 == part_2) ||
        (contacts[i].part_1 == part_2 && contacts[i].part_2 == part_1))
      return true;
  return false;
}

// Pairs of parts that overlap by more than a step's rounding at the end of a step but were no contact in it.
static int count_missed(const ts_sim *sim, uint64_t seed, int *pairs)
{
  const ts_model *model = ts_sim_model(sim);
  int missed = 0;
  for (int a = 0; a < ts_model_part_count(model); ++a)
    for (int b = 0; b < a; ++b) {
      ts_contact_law law;
      ts_separation found;
      if (!ts_model_contact_law(model, a, b, &law)) continue;
      const ts_pose pose_a = part_pose(sim, a), pose_b = part_pose(sim, b);
      if (ts_shape_distance(ts_model_part_shape(model, a), &pose_a, ts_model_part_shape(model, b), &pose_b, &found,
                            NULL) != TS_OK)
        continue; // not convex
      ++*pairs;
      if (found.gap > -1e-9 || was_candidate(sim, a, b)) continue;
      ++missed;
      print_message("seed %llu: parts %d (%s) and %d (%s) overlap by %.3g at t = %g and were no contact\n",
                    (unsigned long long)seed, a, ts_shape_name(ts_model_part_shape(model, a)->kind), b,
                    ts_shape_name(ts_model_part_shape(model, b)->kind), -found.gap, ts_sim_time(sim));
    }
  return missed;
}

static void no_contact_is_missed(void **state)
{
  (void)state;
  int pairs = 0, missed = 0, steps = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    ts_error error;
    ts_model *model;
    ts_step_options options = ts_step_options_default();
    options.size = 5e-3;
    options.max_substeps = 1;
    options.gyroscopic = TS_GYROSCOPIC_IMPLICIT;
    scene_recipe recipe = crowded(seed);
    recipe.joints = recipe.springs = recipe.forces = recipe.obstacles = false;
    ts_sim *sim = open_scene(seed, &recipe, options, &model);
    for (int k = 0; k < 10; ++k) {
      accept(ts_sim_step(sim, &error), &error);
      missed += count_missed(sim, seed, &pairs);
      ++steps;
    }
    ts_sim_destroy(sim);
    ts_model_destroy(model);
  }
  print_message("%d pairs of parts after %d steps, %d missed\n", pairs, steps, missed);
  assert_true(pairs > 10000);
  assert_int_equal(missed, 0);
}

// ---- a finder that remembers fat boxes -----------------------------------------------------------------------------

enum { DRIFTERS = 9 };

// Balls about centres of mass, one beside its own, a box, a capsule, on a floor and under a moving plate.
static void add_drifters(world *w)
{
  world_floor(w);
  for (int k = 0; k < DRIFTERS; ++k) {
    char name[16];
    snprintf(name, sizeof name, "drifter %d", k);
    const ts_shape shape = k == 7 ? shape_box(0.3, 0.2, 0.4) : k == 8 ? shape_capsule(0.1, 0.3) : shape_sphere(0.15);
    world_add(w, name, TS_DYNAMIC, 1.0, shape, (ts_vec3){0.5 * k - 2.0, 0.0, 0.5});
  }
  world_add(w, "plate", TS_KINEMATIC, 0.0, shape_box(4.0, 4.0, 0.1), (ts_vec3){0.0, 0.0, 1.0});
}

static void drift(ts_model *model, double h, ts_pose *pose, ts_twist *velocity, ts_random *random)
{
  for (int b = 0; b < model->body_count; ++b) {
    if (model->bodies[b].kind == TS_FIXED) continue;
    for (int k = 0; k < 3; ++k) {
      double *v = k == 0 ? &velocity[b].linear.x : k == 1 ? &velocity[b].linear.y : &velocity[b].linear.z;
      double *w = k == 0 ? &velocity[b].angular.x : k == 1 ? &velocity[b].angular.y : &velocity[b].angular.z;
      *v += ts_random_uniform(random, -0.2, 0.2);
      *w += ts_random_uniform(random, -0.5, 0.5);
    }
    pose[b].position = ts_add_scaled(pose[b].position, h, velocity[b].linear);
    const ts_vec3 middle = {0.0, 0.0, 0.5}; // nobody gets far
    velocity[b].linear = ts_add_scaled(velocity[b].linear, -0.1, ts_sub(pose[b].position, middle));
    pose[b].orientation =
        ts_quat_normalize(ts_quat_product(ts_quat_exp(ts_scale(h, velocity[b].angular)), pose[b].orientation));
  }
}

static int assert_as_from_scratch(ts_finder *kept, const ts_model *model, const ts_kinematics *kinematics,
                                  const ts_twist *velocity, double h, double margin)
{
  ts_arena arena;
  jmp_buf recovery;
  ts_arena_init(&arena, NULL);
  arena.recovery = &recovery;
  assert_int_equal(setjmp(recovery), 0);
  ts_finder fresh;
  ts_contact_set found, expected;
  assert_true(ts_finder_init(&fresh, model, NULL, &arena));
  assert_true(ts_find_contacts(kept, kinematics, velocity, h, margin, &arena, &found));
  assert_true(ts_find_contacts(&fresh, kinematics, velocity, h, margin, &arena, &expected));
  assert_int_equal(found.count, expected.count);
  for (int i = 0; i < found.count; ++i) {
    assert_memory_equal(&found.parts[i], &expected.parts[i], sizeof found.parts[i]);
    assert_true(found.contacts[i].gap == expected.contacts[i].gap);
    assert_vec_near(found.contacts[i].point, expected.contacts[i].point, 0.0);
  }
  const int count = found.count;
  ts_finder_release(&fresh);
  ts_arena_release(&arena);
  return count;
}

// A body is thrown far away, and back, now and then.
static int drift_and_find(double h, double margin, ts_random *random)
{
  world w;
  world_init(&w, TS_SPACE_3D);
  add_drifters(&w);
  world_start(&w);
  const size_t bodies = (size_t)w.model->body_count;
  ts_arena arena;
  jmp_buf recovery;
  ts_arena_init(&arena, NULL);
  arena.recovery = &recovery;
  assert_int_equal(setjmp(recovery), 0);
  ts_state moved = ts_state_allocate(w.model, 0, 0, &arena);
  ts_state_init(w.model, &moved);
  ts_kinematics kinematics = {ts_arena_bytes(&arena, bodies, sizeof(ts_frame)),
                              ts_arena_bytes(&arena, bodies, sizeof(ts_mat3))};
  ts_finder kept;
  int found = 0;
  assert_true(ts_finder_init(&kept, w.model, NULL, &arena));
  for (int k = 0; k < 300; ++k) {
    ts_kinematics_update(w.model, &moved, &kinematics);
    found += assert_as_from_scratch(&kept, w.model, &kinematics, moved.velocity, h, margin);
    drift(w.model, h, moved.pose, moved.velocity, random);
    if (k % 100 == 50) moved.pose[1].position.x += 1e6;
    if (k % 100 == 55) moved.pose[1].position.x -= 1e6;
  }
  ts_finder_release(&kept);
  ts_arena_release(&arena);
  world_release(&w);
  return found;
}

// What was kept of earlier calls changes nothing: to the bit what a finder finds that sees all for the first time.
// Steps from tiny ones, in which everything stays in its fat box, to wild ones; margins from speeds and stated.
static void kept_rooms_change_nothing(void **state)
{
  (void)state;
  static const double steps[] = {1e-5, 1e-4, 1e-3, 1e-2, 0.1}, margins[] = {0.0, 1e-3, 0.2};
  ts_random random;
  ts_random_init(&random, 21);
  int found = 0;
  for (size_t s = 0; s < sizeof steps / sizeof *steps; ++s)
    for (size_t m = 0; m < sizeof margins / sizeof *margins; ++m)
      found += drift_and_find(steps[s], margins[m], &random);
  print_message("%d contacts\n", found);
  assert_true(found > 1000);
}

// Balls that hang still in the air: gravity alone brings them to the floor, in one step if it is long enough. What was
// kept from short steps must not hide that.
static void gravity_counts_for_balls_at_rest(void **state)
{
  (void)state;
  world w;
  world_init(&w, TS_SPACE_3D);
  ts_builder_set_gravity(w.builder, (ts_vec3){0.0, 0.0, -9.81});
  add_drifters(&w);
  world_start(&w);
  const size_t bodies = (size_t)w.model->body_count;
  ts_arena arena;
  jmp_buf recovery;
  ts_arena_init(&arena, NULL);
  arena.recovery = &recovery;
  assert_int_equal(setjmp(recovery), 0);
  ts_state still = ts_state_allocate(w.model, 0, 0, &arena);
  ts_state_init(w.model, &still);
  ts_kinematics kinematics = {ts_arena_bytes(&arena, bodies, sizeof(ts_frame)),
                              ts_arena_bytes(&arena, bodies, sizeof(ts_mat3))};
  ts_kinematics_update(w.model, &still, &kinematics);
  ts_finder kept;
  assert_true(ts_finder_init(&kept, w.model, NULL, &arena));
  const int none = assert_as_from_scratch(&kept, w.model, &kinematics, still.velocity, 1e-5, 0.0);
  const int all = assert_as_from_scratch(&kept, w.model, &kinematics, still.velocity, 0.15, 0.0);
  assert_int_equal(none, 0);
  assert_true(all >= DRIFTERS - 2); // 2 g h^2 = 0.44 m is more than the gaps of 0.35 m
  ts_finder_release(&kept);
  ts_arena_release(&arena);
  world_release(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_are_orthonormal),
      cmocka_unit_test(tangents_follow_directions),
      cmocka_unit_test(frames_turn_with_their_normals),
      cmocka_unit_test(what_is_reached_within_a_step_is_found),
      cmocka_unit_test(cut_polygons_report_a_corner_once),
      cmocka_unit_test(compounds_report_a_corner_once),
      cmocka_unit_test(neighbours_keep_their_contacts),
      cmocka_unit_test(points_keep_their_contacts),
      cmocka_unit_test(no_contact_is_missed),
      cmocka_unit_test(kept_rooms_change_nothing),
      cmocka_unit_test(gravity_counts_for_balls_at_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
