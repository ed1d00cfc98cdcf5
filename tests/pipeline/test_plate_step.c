// Single steps of a particle on a plate in any pose and motion, and polyhedral cones on it through 6 s. A step has a
// closed form (reference-numbers.md 10.1), with the quadratic cone and with a polygon that is fixed to the plate: the
// mass of a particle couples no rows. It is written here in matrices of its own.
#include "effort.h"
#include "plate.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

static const double G = 9.81, FREQUENCY = 66.0 * TS_PI;

// ---- closed form ---------------------------------------------------------------------------------------------------

typedef struct plate_state {
  double origin[3], axes[3][3], velocity[3], turning[3]; // columns of `axes`: x, y and z of the plate
} plate_state;

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

// Rodrigues' formula, and the left Jacobian times the rate of phi; angles here are above 0.01 and below 3.
static void rotate(const double phi[3], const double rate[3], double axes[3][3], double turning[3])
{
  const double a = sqrt(dot(phi, phi));
  double once[3], twice[3];
  for (int j = 0; j < 3; ++j) {
    const double unit[3] = {j == 0, j == 1, j == 2};
    cross(phi, unit, once);
    cross(phi, once, twice);
    for (int i = 0; i < 3; ++i) axes[i][j] = unit[i] + sin(a) / a * once[i] + (1.0 - cos(a)) / (a * a) * twice[i];
  }
  cross(phi, rate, once);
  cross(phi, once, twice);
  for (int i = 0; i < 3; ++i)
    turning[i] = rate[i] + (1.0 - cos(a)) / (a * a) * once[i] + (a - sin(a)) / (a * a * a) * twice[i];
}

static plate_state plate_at(const plate_field *field, double t)
{
  plate_state plate;
  double value[6], rate[6];
  for (int k = 0; k < 6; ++k) {
    value[k] = -field->amplitude[k] * sin(FREQUENCY * t + field->phase[k]) / (FREQUENCY * FREQUENCY);
    rate[k] = -field->amplitude[k] * cos(FREQUENCY * t + field->phase[k]) / FREQUENCY;
  }
  memcpy(plate.origin, value, sizeof plate.origin);
  memcpy(plate.velocity, rate, sizeof plate.velocity);
  rotate(value + 3, rate + 3, plate.axes, plate.turning);
  return plate;
}

static void column(const plate_state *plate, int j, double axis[3])
{
  for (int i = 0; i < 3; ++i) axis[i] = plate->axes[i][j];
}

// How a step is taken.
typedef struct plate_rule {
  double h, mu;
  int directions; // 0: the quadratic cone
  double angle;   // of the first of them from the plate's x
  bool secant, at_foot;
} plate_rule;

// Velocity of the plate at the arm r from its origin at the end of the step, or the way of what is at q at its start.
static void surface_velocity(const plate_rule *rule, const plate_state *before, const plate_state *after,
                             const double r[3], const double q[3], double u[3])
{
  cross(after->turning, r, u);
  for (int i = 0; i < 3; ++i) u[i] += after->velocity[i];
  if (!rule->secant) return;
  double off[3], material[3], axis[3];
  for (int i = 0; i < 3; ++i) off[i] = q[i] - before->origin[i];
  for (int j = 0; j < 3; ++j) {
    column(before, j, axis);
    material[j] = dot(axis, off);
  }
  for (int i = 0; i < 3; ++i) u[i] = (after->origin[i] + dot(after->axes[i], material) - q[i]) / rule->h;
}

// The point of a polygon with corners at `radius` that is nearest to f.
static void project(const plate_rule *rule, double radius, double f[2])
{
  double best[2] = {0.0, 0.0}, least = INFINITY;
  bool inside = true;
  for (int j = 0; j < rule->directions; ++j) {
    const double from = rule->angle + 2.0 * TS_PI * j / rule->directions, to = from + 2.0 * TS_PI / rule->directions;
    const double a[2] = {radius * cos(from), radius * sin(from)};
    const double edge[2] = {radius * cos(to) - a[0], radius * sin(to) - a[1]}, off[2] = {f[0] - a[0], f[1] - a[1]};
    inside = inside && edge[0] * off[1] - edge[1] * off[0] >= 0.0;
    const double s = (edge[0] * off[0] + edge[1] * off[1]) / (edge[0] * edge[0] + edge[1] * edge[1]);
    const double share = fmax(0.0, fmin(1.0, s)), x = a[0] + share * edge[0], y = a[1] + share * edge[1];
    const double distance = hypot(f[0] - x, f[1] - y);
    if (distance >= least) continue;
    least = distance;
    best[0] = x;
    best[1] = y;
  }
  if (!inside) memcpy(f, best, sizeof best);
}

static void rub(const plate_rule *rule, double p_n, double f[2])
{
  if (rule->directions > 0) {
    project(rule, rule->mu * p_n, f);
    return;
  }
  const double size = hypot(f[0], f[1]), share = size > rule->mu * p_n ? rule->mu * p_n / size : 1.0;
  f[0] *= share;
  f[1] *= share;
}

// The velocity that a particle at q reaches. Returns what became of it: 0 apart, 1 sticks, 2 slips.
static int step_in_closed_form(const plate_rule *rule, const plate_field *field, const double q[3], double v[3])
{
  const plate_state before = plate_at(field, 0.0), after = plate_at(field, rule->h);
  double n[3], t[3], o[3], arm[3], u[3], slip[3];
  column(&after, 0, t);
  column(&after, 1, o);
  column(&after, 2, n);
  v[2] -= G * rule->h;
  for (int i = 0; i < 3; ++i) arm[i] = q[i] - after.origin[i];
  const double psi = dot(n, arm), p_n = -psi / rule->h - dot(n, v);
  if (p_n <= 0.0) return 0;
  if (rule->at_foot)
    for (int i = 0; i < 3; ++i) arm[i] -= psi * n[i];
  surface_velocity(rule, &before, &after, arm, q, u);
  for (int i = 0; i < 3; ++i) slip[i] = v[i] - u[i];
  const double wanted[2] = {-dot(t, slip), -dot(o, slip)};
  double f[2] = {wanted[0], wanted[1]};
  rub(rule, p_n, f);
  for (int i = 0; i < 3; ++i) v[i] += p_n * n[i] + f[0] * t[i] + f[1] * o[i];
  return f[0] == wanted[0] && f[1] == wanted[1] ? 1 : 2;
}

// ---- steps ---------------------------------------------------------------------------------------------------------

// Some field whose plate is tilted by up to 1 rad about each axis and moves by up to 1 m/s.
static plate_field random_field(ts_random *random)
{
  plate_field field = {.name = "random"};
  for (int k = 0; k < 6; ++k) {
    field.amplitude[k] =
        FREQUENCY * (k < 3 ? ts_random_uniform(random, 0.2, 1.0) : ts_random_uniform(random, 50.0, FREQUENCY));
    field.phase[k] = ts_random_uniform(random, 0.0, 2.0 * TS_PI);
  }
  return field;
}

static plate_rule random_rule(ts_random *random)
{
  const int directions = ts_random_below(random, 6); // 0, or 4 to 12
  return (plate_rule){.h = ts_random_uniform(random, 1e-4, 2e-3),
                      .mu = ts_random_uniform(random, 0.05, 1.0),
                      .directions = directions == 0 ? 0 : 2 * (directions + 1),
                      .angle = ts_random_uniform(random, -1.0, 1.0),
                      .secant = ts_random_below(random, 2) == 1,
                      .at_foot = ts_random_below(random, 2) == 1};
}

static void set_rule(world *w, const plate_rule *rule)
{
  world_friction(w, rule->mu, 0.0);
  w->options.size = rule->h;
  w->options.tolerance = 1e-13;
  w->options.start = TS_START_AS_GIVEN;
  w->options.stabilization = TS_STABILIZATION_FULL;
  w->options.margin = 1.0; // the plate moves fast enough to come from afar
  w->options.cone = rule->directions > 0 ? TS_CONE_POLYHEDRAL : TS_CONE_QUADRATIC;
  if (rule->directions > 0) w->options.directions = rule->directions;
  w->options.align = TS_ALIGN_BODY;
  w->options.direction_angle = rule->angle;
  w->options.surfaces = rule->secant ? TS_SURFACES_SECANT : TS_SURFACES_END;
  w->options.arms = rule->at_foot ? TS_ARMS_SURFACE : TS_ARMS_COMMON;
}

// A particle near the plate of the end of the step, about as fast as that.
static void place_particle(const plate_rule *rule, const plate_field *field, ts_random *random, double q[3],
                           double v[3])
{
  const plate_state after = plate_at(field, rule->h);
  const double place[3] = {ts_random_uniform(random, -0.1, 0.1), ts_random_uniform(random, -0.1, 0.1),
                           ts_random_uniform(random, -1e-4, 1e-4)};
  double arm[3];
  for (int i = 0; i < 3; ++i) arm[i] = dot(after.axes[i], place);
  for (int i = 0; i < 3; ++i) q[i] = after.origin[i] + arm[i];
  cross(after.turning, arm, v);
  for (int i = 0; i < 3; ++i) v[i] += after.velocity[i] + ts_random_uniform(random, -0.1, 0.1);
}

static int check_step(ts_random *random)
{
  const plate_field field = random_field(random);
  const plate_rule rule = random_rule(random);
  double q[3], v[3];
  place_particle(&rule, &field, random, q, v);
  world w;
  plate_init(&w);
  set_rule(&w, &rule);
  plate_start(&w, &field, TS_ORIENTATION_EXPONENTIAL, 0.0, 0.0);
  const ts_pose pose = {{q[0], q[1], q[2]}, ts_quat_identity()};
  ts_error error;
  assert_int_equal(ts_sim_set_pose(w.sim, PLATE_PARTICLE, &pose, &error), TS_OK);
  world_move(&w, PLATE_PARTICLE, (ts_vec3){v[0], v[1], v[2]}, (ts_vec3){0.0, 0.0, 0.0});
  world_step(&w);
  const int outcome = step_in_closed_form(&rule, &field, q, v);
  assert_vec_near(ts_sim_velocity(w.sim, PLATE_PARTICLE).linear, (ts_vec3){v[0], v[1], v[2]}, 1e-12);
  assert_vec_near(ts_sim_pose(w.sim, PLATE_PARTICLE).position,
                  (ts_vec3){q[0] + rule.h * v[0], q[1] + rule.h * v[1], q[2] + rule.h * v[2]}, 1e-14);
  world_release(&w);
  return outcome;
}

static void steps_have_a_closed_form(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 20);
  int outcomes[3] = {0};
  for (int k = 0; k < 3000; ++k) ++outcomes[check_step(&random)];
  for (int k = 0; k < 3; ++k) assert_true(outcomes[k] > 200);
}

// ---- directions through 6 s ----------------------------------------------------------------------------------------

typedef struct direction_case {
  const char *field;
  double x;        // where it starts [cm]
  double error[3]; // with 4, 8 and 16 directions, the first along the plate's x [cm]
} direction_case;

static const direction_case direction_cases[] = {
    {"centrifuge", 1.0, {0.983, 0.252, 0.109}},
    {"scaled circle", 4.0, {0.935, 0.408, 0.225}},
    {"circle", 6.0, {0.893, 0.240, 0.0390}},
};

static ts_vec3 end_with(const direction_case *c, int directions)
{
  world w;
  plate_init(&w);
  w.options.align = TS_ALIGN_BODY;
  if (directions > 0) {
    w.options.cone = TS_CONE_POLYHEDRAL;
    w.options.directions = directions;
  }
  plate_start(&w, plate_field_find(c->field), TS_ORIENTATION_EXPONENTIAL, c->x, 0.0);
  world_steps(&w, 60000);
  const ts_vec3 place = plate_particle(&w);
  world_release(&w);
  return place;
}

// As exact as they were printed.
static void directions_err_as_the_reference_says(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof direction_cases / sizeof *direction_cases; k += (size_t)effort_one_in(3)) {
    const direction_case *c = &direction_cases[k];
    const ts_vec3 exact = end_with(c, 0);
    for (int i = 0; i < 3; ++i) {
      const ts_vec3 place = end_with(c, 4 << i);
      assert_near(hypot(place.x - exact.x, place.y - exact.y), c->error[i], c->error[i] < 0.1 ? 6e-5 : 6e-4);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_have_a_closed_form),
      cmocka_unit_test(directions_err_as_the_reference_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
