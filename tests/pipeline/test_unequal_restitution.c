// Poisson's law with unequal restitutions gains energy in the example of corrections.md 4, a problem of two contacts.
// Here it is a mechanism: three bodies in a plane with two hinges, whose masses and shape were fitted so that its
// contacts have this W.
#include "mechanism.h"

#include "math/dense.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static const double W[4][4] = {{7.3468, -3.4817, 0.7622, 6.3848},
                               {-3.4817, 7.0269, -1.5215, -3.7241},
                               {0.7622, -1.5215, 1.5352, 1.3039},
                               {6.3848, -3.7241, 1.3039, 6.2573}}; // rows n1, t1, n2, t2
static const double approach[4] = {-0.9566, 1.2686, -0.5747, 0.1407}, friction[2] = {0.054, 0.919};
static const double restitution[2] = {0.95, 0.0};

// ---- the law, as linear complementarity problems in p_n, two directions of friction, and the slip of each contact
// ----

// Impulses F with v = W F + v0, friction bounded by mu (F_n + extra).
static void solve_contacts(const double *v0, const double *extra, double *F)
{
  double M[8 * 8] = {0.0}, q[8], z[8];
  static const double D[4] = {1.0, 1.0, -1.0, 0.0}; // p_n; +t, -t; slip
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      const int a = i % 4, b = j % 4, row = 2 * (i / 4) + (a > 0), column = 2 * (j / 4) + (b > 0);
      if (a < 3 && b < 3) M[8 * j + i] = D[a] * W[row][column] * D[b];
      if (i / 4 == j / 4 && a > 0 && a < 3 && b == 3) M[8 * j + i] = 1.0;
      if (i / 4 == j / 4 && a == 3 && b < 3) M[8 * j + i] = b == 0 ? friction[i / 4] : -1.0;
    }
  for (int c = 0; c < 2; ++c) {
    q[4 * c] = v0[2 * c];
    q[4 * c + 1] = v0[2 * c + 1];
    q[4 * c + 2] = -v0[2 * c + 1];
    q[4 * c + 3] = friction[c] * extra[c];
  }
  const ts_problem problem = ts_problem_lcp((ts_lcp){.size = 8, .M = {.rows = 8, .columns = 8, .value = M}, .q = q});
  const ts_solve_options options = ts_solve_options_default();
  ts_workspace *workspace = ts_workspace_create(NULL);
  ts_report report = {0};
  ts_error error;
  assert_int_equal(ts_solve(ts_solver_find("lemke"), &problem, &options, workspace, z, &report, &error), TS_OK);
  assert_int_equal(report.outcome, TS_SOLVED);
  ts_workspace_destroy(workspace);
  for (int c = 0; c < 2; ++c) {
    F[2 * c] = z[4 * c];
    F[2 * c + 1] = z[4 * c + 1] - z[4 * c + 2];
  }
}

static void add_response(const double *F, double *v)
{
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) v[i] += W[i][j] * F[j];
}

// Energy of the motion that the contacts see: v W^-1 v / 2.
static double energy(const double *v)
{
  double A[16], x[4], sum = 0.0;
  for (int k = 0; k < 16; ++k) A[k] = W[k / 4][k % 4];
  memcpy(x, v, sizeof x);
  assert_true(ts_cholesky_factor(4, A));
  ts_cholesky_solve(4, A, x);
  for (int k = 0; k < 4; ++k) sum += 0.5 * v[k] * x[k];
  return sum;
}

// After compression and decompression with `factor` times what Poisson's law gives back (corrections.md 4).
static double energy_after(double factor)
{
  double v[4], F[4];
  memcpy(v, approach, sizeof v);
  solve_contacts(v, (double[]){0.0, 0.0}, F);
  const double back[4] = {factor * restitution[0] * F[0], 0.0, factor * restitution[1] * F[2], 0.0};
  add_response(F, v);
  add_response(back, v);
  solve_contacts(v, (double[]){back[0], back[2]}, F);
  add_response(F, v);
  return energy(v);
}

// ---- the mechanism ----

typedef struct link_data {
  double mass, inertia;
  ts_vec3 centre; // of mass, in the world
  ts_twist velocity;
} link_data;

static const link_data links[3] = {
    {0.07133005728472394,
     0.5276367328999936,
     {0.0, 0.0, 0.0},
     {{-0.9637928915794616, 0.33600047271206646, 0.0}, {0.0, 0.0, 1.3834058137110201}}},
    {0.05349451559257858,
     5.319914146499975,
     {1.6764681269195632, -2.452078988667692, 0.0},
     {{-0.45355083923585643, 0.368143824299299, 0.0}, {0.0, 0.0, -0.5984541001398654}}},
    {0.7222594290245657,
     0.10814999942308545,
     {2.7893337095997923, 0.4398279888591101, 0.0},
     {{-1.006290775731951, -0.13686380794485545, 0.0}, {0.0, 0.0, 0.35555744409441303}}}};
static const ts_vec3 hinge_on_first = {0.5224549770947838, -0.9979003879925031, 0.0};
static const ts_vec3 hinge_on_second = {0.944113601020942, 0.49842071604469523, 0.0};
static const double radius = 0.01;

// A disc on the body and one in the world touch at `point` of the body (from its centre), the normal at `angle`.
static void add_contact(world *w, int body, ts_vec3 point, double angle, const char *name, int number)
{
  const ts_vec3 n = {cos(angle), sin(angle), 0.0}, at = ts_add(links[body].centre, point);
  ts_error error;
  ts_part_def part = ts_part_def_default();
  part.body = body;
  part.shape = shape_disc(radius);
  part.pose.position = ts_add_scaled(point, radius, n);
  part.massless = true;
  if (ts_builder_add_part(w->builder, &part, NULL, &error) != TS_OK) fail_msg("%s", error.text);
  const int obstacle = world_add(w, name, TS_FIXED, 0.0, shape_disc(radius), ts_add_scaled(at, -radius, n));
  ts_contact_law law = ts_contact_law_default();
  law.friction = friction[number];
  law.restitution = restitution[number];
  if (ts_builder_pair_bodies(w->builder, body, obstacle, &law, &error) != TS_OK) fail_msg("%s", error.text);
}

static void build(world *w, ts_coordinates coordinates)
{
  static const char *const names[] = {"first", "second", "third"};
  world_init(w, TS_SPACE_2D);
  ts_builder_set_gravity(w->builder, (ts_vec3){0.0, 0.0, 0.0});
  for (int b = 0; b < 3; ++b) {
    ts_body_def def = ts_body_def_default();
    def.name = names[b];
    def.kind = TS_DYNAMIC;
    def.mass = links[b].mass;
    def.inertia[0] = 0.0;
    def.inertia[2] = links[b].inertia;
    def.centre = (ts_vec3){0.0, 0.0, 0.0};
    def.pose.position = links[b].centre;
    def.velocity = links[b].velocity;
    int body;
    ts_error error;
    if (ts_builder_add_body(w->builder, &def, &body, &error) != TS_OK) fail_msg("%s", error.text);
  }
  const ts_vec3 axis = {0.0, 0.0, 1.0};
  mechanism_hinge(w, 0, 1, hinge_on_first, axis);
  mechanism_hinge(w, 1, 2, hinge_on_second, axis);
  add_contact(w, 0, (ts_vec3){-0.9279151821833235, -1.6185186433015892, 0.0}, 3.42721130523372, "near the first", 0);
  add_contact(w, 2, (ts_vec3){-1.0446958184279322, -1.9785273528448004, 0.0}, 1.2736329242629172, "near the third", 1);
  w->options.method = ts_stepper_find("velocity");
  w->options.impacts = TS_IMPACT_POISSON;
  w->options.tolerance = 1e-11;
  w->options.coordinates = coordinates;
  w->options.size = 1e-9;
  world_start(w);
}

// The law as it stands gains 3.1 %; the simulation gives back less by the largest factor that gains nothing, and says
// so.
static void gain_is_scaled_back(void **state)
{
  static const ts_coordinates sorts[] = {TS_COORDINATES_MINIMAL, TS_COORDINATES_REDUNDANT};
  (void)state;
  const double before = energy(approach);
  print_message("Poisson's law: %+.2f %% of %.6f J\n", 100.0 * (energy_after(1.0) / before - 1.0), before);
  assert_near(energy_after(1.0) / before, 1.031, 2e-3); // W is given with four decimals
  for (int i = 0; i < 2; ++i) {
    world w;
    build(&w, sorts[i]);
    assert_near(world_kinetic(&w), before, 1e-9);
    world_step(&w);
    const double factor = ts_sim_report(w.sim)->energy_scaled_back;
    print_message("scaled back by %.6f: %.9f J\n", factor, world_kinetic(&w));
    assert_int_equal(ts_sim_report(w.sim)->contacts, 2);
    assert_true(factor < 1.0);
    assert_near(world_kinetic(&w), before, 1e-5 * before);
    assert_near(energy_after(factor), before, 1e-5 * before);
    world_release(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gain_is_scaled_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
