// corners: exact against brute force: random corners of polygons and polyhedra that a vertex runs into, all answers
// that the disjunction has, and which of them is given; Lemke's method on the exact LCP of a corner; the law of
// friction in space; next to surfaces that are nearly flat; what is refused.
#include "corner_impact.h"
#include "linear_run.h"
#include "world.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>

#include "near.h"
#include "scene_run.h"

static const double LENGTH = 4.0; // of the solid's edges

// ---- a step --------------------------------------------------------------------------------------------------------

static void add_solid(world *w, const corner_impact *c)
{
  ts_vec3 vertices[CORNER_FACES + 1] = {{0.0, 0.0, 0.0}};
  for (int i = 0; i < c->faces; ++i) vertices[i + 1] = ts_scale(LENGTH, c->rays[i]);
  ts_shape shape = shape_polygon(vertices, c->faces + 1);
  if (!c->planar) shape.kind = TS_SHAPE_POLYTOPE;
  world_add(w, "solid", TS_FIXED, 0.0, shape, (ts_vec3){0.0, 0.0, 0.0});
}

static int add_body(world *w, const corner_impact *c)
{
  ts_error error = {0};
  ts_body_def def = ts_body_def_default();
  def.name = "body";
  def.kind = TS_DYNAMIC;
  def.mass = 1.0;
  def.centre = (ts_vec3){0.0, 0.0, 0.0};
  const ts_vec3 i = c->inverse_inertia;
  def.inertia[2] = 1.0 / i.z;
  if (!c->planar) def.inertia[0] = 1.0 / i.x, def.inertia[1] = 1.0 / i.y;
  def.pose.position = ts_sub(c->vertex, c->arm);
  def.velocity = (ts_twist){c->linear, c->angular};
  ts_part_def part = ts_part_def_default();
  part.shape = (ts_shape){.kind = TS_SHAPE_POINT};
  part.pose.position = c->arm;
  if (ts_builder_add_body(w->builder, &def, &part.body, &error) != TS_OK) fail_msg("%s", error.text);
  int number;
  if (ts_builder_add_part(w->builder, &part, &number, &error) != TS_OK) fail_msg("%s", error.text);
  return part.body;
}

// The solid and the options of the step.
static void begin_impact(world *w, const corner_impact *c, ts_cone cone)
{
  world_init(w, c->planar ? TS_SPACE_2D : TS_SPACE_3D);
  ts_builder_set_gravity(w->builder, (ts_vec3){0.0, 0.0, 0.0});
  world_friction(w, c->friction, 0.0);
  add_solid(w, c);
  w->options.size = c->h;
  w->options.corners = TS_CORNERS_EXACT;
  w->options.cone = cone;
  w->options.tolerance = 1e-13;
}

// The impulse of one step, which is certified; `cut`: it took two.
static ts_vec3 step_impulse(world *w, const corner_impact *c, ts_cone cone, bool *cut)
{
  begin_impact(w, c, cone);
  const int body = add_body(w, c);
  world_start(w);
  world_step(w);
  *cut = ts_sim_report(w->sim)->substeps > 1;
  return ts_sub(ts_sim_velocity(w->sim, body).linear, c->linear);
}

// ---- brute force ---------------------------------------------------------------------------------------------------

typedef struct tally {
  int impacts, several, entries, cut;
} tally;

// Of all answers, or of those in which the faces of `pushing` push alone (0: one face alone), the nearest to an impulse
// and the least.
typedef struct reply {
  int count;
  double distance, least;
} reply;

static reply look_up(const corner_impact *c, const corner_answer *answers, int count, int faces, unsigned pushing,
                     ts_vec3 impulse)
{
  reply r = {0, INFINITY, INFINITY};
  for (int k = 0; k < count; ++k) {
    if (faces > 0 && __builtin_popcount(answers[k].pushing) != faces) continue;
    if (pushing && answers[k].pushing != pushing) continue;
    ++r.count;
    r.distance = fmin(r.distance, ts_distance_of(answers[k].impulse, impulse));
    r.least = fmin(r.least, corner_measure(c, answers[k].impulse));
  }
  return r;
}

// The answer is among all; it is that of the face that is entered last where that is one; else the least of those with
// one face, or where there is none of the others.
static void check_impulse(const corner_impact *c, ts_vec3 impulse, tally *t)
{
  static const double CLOSE = 1e-9; // [N s], of impulses of about 1 N s and a tolerance of 1e-13
  corner_answer answers[CORNER_ANSWERS];
  const int count = corner_answers(c, answers), entry = corner_entry(c);
  assert_true(count > 0 && count < CORNER_ANSWERS);
  assert_true(look_up(c, answers, count, 0, 0, impulse).distance < CLOSE);
  if (entry < 0) {
    assert_true(ts_length(impulse) < CLOSE);
    return;
  }
  ++t->impacts;
  t->several += count > 1;
  const reply by_entry = look_up(c, answers, count, 1, 1u << entry, impulse);
  if (by_entry.count > 0) {
    ++t->entries;
    assert_true(by_entry.distance < CLOSE);
    return;
  }
  const reply by_one = look_up(c, answers, count, 1, 0, impulse);
  const reply by_any = by_one.count > 0 ? by_one : look_up(c, answers, count, 0, 0, impulse);
  assert_true(by_any.distance < CLOSE);
  assert_true(corner_measure(c, impulse) < by_any.least + CLOSE);
}

// With friction the problem of two faces has answers in which one of them pushes alone and the other is far, and a
// solver may find these. Where no other face will do, the step is cut.
static void check_cut(const corner_impact *c, tally *t)
{
  corner_answer answers[CORNER_ANSWERS];
  const int count = corner_answers(c, answers);
  const ts_vec3 none = {0.0, 0.0, 0.0};
  assert_true(c->friction > 0.0 && count > 0);
  assert_int_equal(look_up(c, answers, count, 2, 0, none).count, count);
  ++t->cut;
}

// Three of four run into the solid.
static corner_impact next_corner(ts_random *random, int k, int faces, bool rubs)
{
  corner_impact c;
  do c = corner_impact_random(random, faces, rubs ? ts_random_uniform(random, 0.05, 0.6) : 0.0);
  while (k % 4 != 0 && corner_entry(&c) < 0);
  return c;
}

static void run_corners(int seed, int faces, int runs, bool rubs, ts_cone cone, tally *t)
{
  ts_random random;
  ts_random_init(&random, (uint64_t)seed);
  for (int k = 0; k < runs; ++k) {
    const corner_impact c = next_corner(&random, k, faces, rubs);
    world w;
    bool cut;
    const ts_vec3 impulse = step_impulse(&w, &c, cone, &cut);
    if (cut)
      check_cut(&c, t);
    else
      check_impulse(&c, impulse, t);
    world_release(&w);
  }
  print_message("%d faces: %d impacts, %d with several answers, %d on the face that is entered, %d cut\n", faces,
                t->impacts, t->several, t->entries, t->cut);
}

static void corners_of_polygons(void **state)
{
  (void)state;
  tally smooth = {0}, rough = {0}, polyhedral = {0};
  run_corners(1, 2, 1000, false, TS_CONE_QUADRATIC, &smooth);
  run_corners(2, 2, 1000, true, TS_CONE_QUADRATIC, &rough);
  run_corners(2, 2, 200, true, TS_CONE_POLYHEDRAL, &polyhedral);
  assert_true(smooth.impacts > 700 && smooth.several > 100);
  assert_int_equal(smooth.cut, 0);
  assert_true(rough.cut <= 2);
  assert_true(rough.impacts > 700 && rough.several > 100);
}

static void corners_of_polyhedra(void **state)
{
  (void)state;
  for (int k = 0; k < 3; ++k) {
    tally t = {0};
    run_corners(10 + k, (int[]){3, 4, 6}[k], 100, false, TS_CONE_QUADRATIC, &t);
    assert_true(t.impacts >= 75 && t.several > 10);
  }
}

// With much friction one side alone may have no answer: the vertex jams, and both push. Where the step finds that, it
// is one of the answers; that of other corners is cut, or not certified.
static void both_sides_push_where_one_will_not(void **state)
{
  (void)state;
  int found = 0, drawn = 0;
  ts_random random;
  ts_random_init(&random, 50);
  while (drawn < 40) {
    const corner_impact c = corner_impact_random(&random, 2, 0.9);
    corner_answer answers[CORNER_ANSWERS];
    const int count = corner_answers(&c, answers);
    if (count == 0 || look_up(&c, answers, count, 2, 0, c.linear).count < count) continue;
    ++drawn;
    world w;
    ts_error error;
    begin_impact(&w, &c, TS_CONE_QUADRATIC);
    const int body = add_body(&w, &c);
    world_start(&w);
    assert_int_equal(ts_sim_step(w.sim, &error), TS_OK);
    if (ts_sim_report(w.sim)->certified && ts_sim_report(w.sim)->substeps == 1) {
      const ts_vec3 impulse = ts_sub(ts_sim_velocity(w.sim, body).linear, c.linear);
      assert_true(look_up(&c, answers, count, 2, 0, impulse).distance < 1e-9);
      ++found;
    }
    world_release(&w);
  }
  print_message("both sides push: found for %d corners of %d\n", found, drawn);
  assert_true(found >= 5);
}

// ---- friction in space ---------------------------------------------------------------------------------------------

// Contacts as the step reports them: only what is touched pushes, within its cone, against the slip.
static void check_laws(const world *w, const corner_impact *c, ts_vec3 impulse)
{
  int count;
  const ts_contact *contacts = ts_sim_contacts(w->sim, &count);
  assert_true(corner_phi(c, impulse) > -1e-11);
  for (int k = 0; k < count; ++k) {
    const ts_contact *contact = &contacts[k];
    const double *p = contact->impulse, push = hypot(p[1], p[2]);
    if (p[0] < 1e-10) continue;
    const ts_vec3 u = corner_vertex_velocity(c, impulse);
    const double slip[2] = {ts_dot(contact->tangent, u), ts_dot(contact->other, u)}, speed = hypot(slip[0], slip[1]);
    assert_true(fabs(ts_dot(contact->normal, ts_add_scaled(c->vertex, c->h, u))) < 1e-11);
    assert_true(fabs(corner_phi(c, impulse)) < 1e-11);
    assert_true(push <= c->friction * p[0] + 1e-10);
    assert_true(fabs(slip[0] * p[1] + slip[1] * p[2] + c->friction * p[0] * speed) < 1e-9); // most dissipation
  }
}

static void rough_corners_of_polyhedra(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 20);
  for (int k = 0; k < 300; ++k) {
    const corner_impact c = next_corner(&random, k, (int[]){3, 4, 6}[k % 3], true);
    world w;
    bool cut;
    const ts_vec3 impulse = step_impulse(&w, &c, TS_CONE_QUADRATIC, &cut);
    assert_false(cut);
    check_laws(&w, &c, impulse);
    world_release(&w);
  }
}

// ---- pushes of rounding size ---------------------------------------------------------------------------------------

// A vertex at rest on the top of a second solid, 1 mm beside its edge, that is pulled beyond it in the step. Where it
// lies 1e-17 m too deep, its contact gives it the impulse 1e-15 N s that takes this out.
static void add_rest(world *w, double height, double h)
{
  ts_vec3 room[4];
  ts_body_def def = ts_body_def_default();
  world_add(w, "table", TS_FIXED, 0.0, shape_rectangle(room, 16.0, -4.0, 20.0, 0.0), (ts_vec3){0.0, 0.0, 0.0});
  def.name = "rest";
  def.kind = TS_DYNAMIC;
  def.mass = 1.0;
  def.inertia[2] = 1.0;
  def.pose.position = (ts_vec3){20.0 - 1e-3, height, 0.0};
  const int body = world_add_def(w, &def, (ts_shape){.kind = TS_SHAPE_POINT});
  world_force(w, body, (ts_vec3){2e-3 / (h * h), 0.0, 0.0}, (ts_vec3){0.0, 0.0, 0.0});
}

// Beyond the edge the top is not what keeps the two apart. Its push is no reason to try other directions: the impact is
// the same, after as many problems, as beside a vertex as far above the top, which nothing pushes.
static void pushes_of_rounding_size_choose_nothing(void **state)
{
  (void)state;
  static const double heights[] = {1e-17, -1e-17};
  int impacts = 0;
  ts_random random;
  ts_random_init(&random, 40);
  for (int k = 0; k < 20; ++k) {
    const corner_impact c = next_corner(&random, 1, 2, false);
    ts_vec3 impulse[2];
    int problems[2];
    for (int deep = 0; deep < 2; ++deep) {
      world w;
      begin_impact(&w, &c, TS_CONE_QUADRATIC);
      const int body = add_body(&w, &c);
      add_rest(&w, heights[deep], c.h);
      world_start(&w);
      world_step(&w);
      problems[deep] = ts_sim_report(w.sim)->problems;
      impulse[deep] = ts_sub(ts_sim_velocity(w.sim, body).linear, c.linear);
      world_release(&w);
    }
    impacts += ts_length(impulse[0]) > 0.1;
    assert_vec_near(impulse[1], impulse[0], 1e-12);
    assert_int_equal(problems[1], problems[0]);
  }
  assert_true(impacts > 10);
}

// ---- the exact LCP -------------------------------------------------------------------------------------------------

enum { MOST_PAIRS = 2 * CORNER_FACES - 1 };

// psi/h = K p + b with phi_1 = psi_1, 0 <= u_j _|_ u_j + phi_(j-1) - psi_j >= 0, phi_j = phi_(j-1) + u_j, and
// 0 <= p_i _|_ phi + kappa (phi - psi_i) >= 0: rows in terms of z = (u_2 .. u_k, p_1 .. p_k).
static void corner_lcp(const corner_impact *c, double *M, double *q)
{
  static const double KAPPA = 0.1;
  const int k = c->faces, n = 2 * k - 1;
  const ts_vec3 none = {0.0, 0.0, 0.0};
  double psi[CORNER_FACES][MOST_PAIRS + 1] = {{0.0}}; // row of psi_i in z, and its constant
  for (int i = 0; i < k; ++i) {
    psi[i][n] = corner_gap(c, i, none) / c->h;
    for (int j = 0; j < k; ++j) psi[i][k - 1 + j] = corner_gap(c, i, c->normals[j]) / c->h - psi[i][n];
  }
  double phi[MOST_PAIRS + 1];
  memcpy(phi, psi[0], sizeof phi);
  for (int row = 0; row < k - 1; ++row) {
    for (int j = 0; j <= n; ++j) *(j < n ? &M[j * n + row] : &q[row]) = phi[j] - psi[row + 1][j];
    M[row * n + row] += 1.0;
    phi[row] += 1.0;
  }
  for (int i = 0; i < k; ++i)
    for (int j = 0; j <= n; ++j)
      *(j < n ? &M[j * n + k - 1 + i] : &q[k - 1 + i]) = (1.0 + KAPPA) * phi[j] - KAPPA * psi[i][j];
}

static void lemke_on_the_exact_lcp(void **state)
{
  linear_run *run = *state;
  for (int faces = 2; faces <= 6; faces += faces == 4 ? 2 : 1) {
    ts_random random;
    ts_random_init(&random, (uint64_t)(30 + faces));
    int solved = 0, impacts = 0;
    for (int k = 0; k < 100; ++k) {
      const corner_impact c = next_corner(&random, k, faces, false);
      double M[MOST_PAIRS * MOST_PAIRS], q[MOST_PAIRS];
      corner_lcp(&c, M, q);
      const ts_problem problem = dense_lcp(2 * faces - 1, M, q);
      impacts += corner_entry(&c) >= 0;
      if (linear_run_solve(run, "lemke", &problem) != TS_SOLVED) continue;
      ++solved;
      ts_vec3 impulse = {0.0, 0.0, 0.0};
      for (int i = 0; i < faces; ++i) impulse = ts_add_scaled(impulse, run->z[faces - 1 + i], c.normals[i]);
      corner_answer answers[CORNER_ANSWERS];
      const int count = corner_answers(&c, answers);
      assert_true(look_up(&c, answers, count, 0, 0, impulse).distance < 1e-9);
    }
    print_message("%d faces: Lemke's method solves %d of 100, %d of them impacts\n", faces, solved, impacts);
    assert_int_equal(solved, 100);
  }
}

// ---- next to surfaces that are nearly flat -------------------------------------------------------------------------

// A rounded square rolls onto its side while a box falls past the corner of another one: contacts that are added for
// the one stay in step with the choice for the others.
static void choices_and_rolling_sides_go_together(void **state)
{
  (void)state;
  scene_run r =
      scene_run_text("{touchstone: 1, space: 2d, contact: {friction: 0.5}, bodies: ["
                     "{name: floor, kind: fixed, position: [0, -0.1], shape: {box: {size: [4, 0.2]}}},"
                     "{name: low, mass: 1, position: [-0.5, 0.1], shape: {box: {size: [0.2, 0.2]}}},"
                     "{name: high, mass: 1, position: [-0.301, 0.301], velocity: [0, -0.3], angular_velocity: 1,"
                     " shape: {box: {size: [0.2, 0.2]}}},"
                     "{name: round, mass: 1, position: [0.5, 0.16], angle: 0.6, angular_velocity: -3,"
                     " shape: {superellipse: {semi_axes: [0.1, 0.1], exponents: [100, 100]}}}],"
                     " step: {method: stewart-trinkle, corners: exact, size: 0.005}}");
  for (int k = 0; k < 200; ++k) {
    ts_error error;
    assert_int_equal(ts_sim_step(r.sim, &error), TS_OK);
    assert_true(ts_sim_report(r.sim)->certified);
    assert_true(ts_sim_report(r.sim)->penetration < 1e-5);
  }
  scene_run_end(&r);
}

// ---- what is refused -----------------------------------------------------------------------------------------------

static void refuse(const char *method, ts_corners_rule rule, ts_closing closing, const char *sentence)
{
  ts_error error = {0};
  ts_step_options options = ts_step_options_default();
  assert_int_equal(ts_step_options_set(&options, "method", method, &error), TS_OK);
  options.corners = rule;
  options.closing = closing;
  assert_int_equal(ts_step_options_check(&options, &error), TS_UNSUPPORTED);
  assert_non_null(strstr(error.text, sentence));
}

static void refusals(void **state)
{
  (void)state;
  refuse("velocity", TS_CORNERS_EXACT, TS_CLOSING_DEFAULT, "corners: exact goes with method: stewart-trinkle");
  refuse("implicit", TS_CORNERS_CONJUNCTION, TS_CLOSING_DEFAULT, "corners: conjunction goes with");
  refuse("event-driven", TS_CORNERS_EXACT, TS_CLOSING_DEFAULT, "not with event-driven");
  refuse("stewart-trinkle", TS_CORNERS_EXACT, TS_CLOSING_IMPACT, "do not end where these lead");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corners_of_polygons),
      cmocka_unit_test(corners_of_polyhedra),
      cmocka_unit_test(both_sides_push_where_one_will_not),
      cmocka_unit_test(rough_corners_of_polyhedra),
      cmocka_unit_test(pushes_of_rounding_size_choose_nothing),
      cmocka_unit_test_setup_teardown(lemke_on_the_exact_lcp, linear_run_setup, linear_run_teardown),
      cmocka_unit_test(choices_and_rolling_sides_go_together),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
