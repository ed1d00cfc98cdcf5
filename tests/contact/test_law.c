// Friction cones of impulses against their definition, and impulses freed of self-stress against a projection of dense
// vectors.
#include "contact/law.h"
#include "contact/self_stress.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "gives_back.h"
#include "near.h"

static ts_vec3 random_vector(ts_random *random)
{
  return (ts_vec3){ts_random_uniform(random, -1.0, 1.0), ts_random_uniform(random, -1.0, 1.0),
                   ts_random_uniform(random, -1.0, 1.0)};
}

// ---- cones ---------------------------------------------------------------------------------------------------------

// How much of mu p_n the friction takes: its length measured by the semi-axes. One of zero takes no part.
static double friction_taken(const double *p, ts_vec3 axes)
{
  const double spin = axes.z > 0.0 ? p[3] / axes.z : 0.0;
  return sqrt(p[1] / axes.x * (p[1] / axes.x) + p[2] / axes.y * (p[2] / axes.y) + spin * spin);
}

// Semi-axes of 1 and more, and smaller ones, with spin and without, impulses that push and pull.
static void impulses_leave_their_cone_by_what_is_too_much(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 31);
  int inside = 0, outside = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    ts_contact c = {.friction = ts_random_uniform(&random, 0.0, 1.5)};
    const ts_contact_law law = {.ellipsoid = {ts_random_uniform(&random, 0.3, 2.0),
                                              ts_random_uniform(&random, 0.3, 2.0),
                                              trial % 3 == 0 ? 0.0 : ts_random_uniform(&random, 0.1, 1.0)}};
    for (int k = 0; k < 4; ++k) c.impulse[k] = ts_random_uniform(&random, k == 0 ? -0.2 : -1.0, 1.0);
    if (trial % 2 == 0) c.impulse[3] = 0.0;
    const double pull = fmax(0.0, -c.impulse[0]), most = c.friction * fmax(0.0, c.impulse[0]);
    const double wanted = fmax(pull, fmax(0.0, friction_taken(c.impulse, law.ellipsoid) - most));
    assert_near(ts_contact_cone_violation(&c, &law), wanted, 1e-14);
    inside += wanted == 0.0;
    outside += wanted > 0.0;
  }
  assert_true(inside > 400 && outside > 400);
}

static void impulses_enter_their_cone_along_their_friction(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 32);
  for (int trial = 0; trial < 2000; ++trial) {
    ts_contact c = {.friction = ts_random_uniform(&random, 0.0, 1.5)};
    const ts_contact_law law = {.ellipsoid = {ts_random_uniform(&random, 0.3, 2.0),
                                              ts_random_uniform(&random, 0.3, 2.0),
                                              ts_random_uniform(&random, 0.1, 1.0)}};
    for (int k = 0; k < 4; ++k) c.impulse[k] = ts_random_uniform(&random, k == 0 ? -0.2 : -1.0, 1.0);
    const ts_contact before = c;
    ts_contact_enter_cone(&c, &law);
    const double taken = friction_taken(before.impulse, law.ellipsoid),
                 most = c.friction * fmax(0.0, before.impulse[0]);
    assert_near(c.impulse[0], fmax(0.0, before.impulse[0]), 0.0);
    for (int k = 1; k < 4; ++k) assert_near(c.impulse[k], before.impulse[k] * fmin(1.0, most / taken), 1e-13);
  }
}

// ---- self-stress ---------------------------------------------------------------------------------------------------

enum { BODIES = 4, CONTACTS = 14, ROWS = 6 * BODIES, COLUMNS = 4 * CONTACTS };

typedef struct pile {
  ts_body bodies[BODIES];
  ts_model model;
  ts_contact contacts[CONTACTS];
  ts_contact_set set;
  double target[COLUMNS];
  double push[ROWS][COLUMNS]; // wrenches on the bodies by each impulse
} pile;

// Every body but the last moves; two of the contacts have no spin.
static void pile_up(pile *p, ts_random *random)
{
  memset(p, 0, sizeof *p);
  for (int b = 0; b < BODIES; ++b) p->bodies[b].kind = b < BODIES - 1 ? TS_DYNAMIC : TS_FIXED;
  p->model = (ts_model){.body_count = BODIES, .bodies = p->bodies};
  for (int i = 0; i < CONTACTS; ++i) {
    ts_contact *c = &p->contacts[i];
    c->body_1 = i % (BODIES - 1);
    c->body_2 = c->body_1 + 1 + ts_random_below(random, BODIES - 1 - c->body_1);
    c->normal = ts_normalize(random_vector(random), (ts_vec3){0.0, 0.0, 1.0});
    c->tangent = ts_normalize(ts_cross(c->normal, random_vector(random)), (ts_vec3){1.0, 0.0, 0.0});
    c->other = ts_cross(c->normal, c->tangent);
    c->arm_1 = random_vector(random);
    c->arm_2 = random_vector(random);
    for (int k = 0; k < 4; ++k) {
      const bool has = k < 3 || i > 1;
      c->impulse[k] = has ? ts_random_uniform(random, 0.5, 1.0) : 0.0;
      p->target[4 * i + k] = has ? ts_random_uniform(random, 0.5, 1.0) : 0.0;
    }
  }
  p->set = (ts_contact_set){.count = CONTACTS, .capacity = CONTACTS, .contacts = p->contacts};
}

static void add_wrench(pile *p, int body, int column, double sign, ts_vec3 arm, ts_vec3 force, ts_vec3 moment)
{
  if (p->bodies[body].kind != TS_DYNAMIC) return;
  const ts_vec3 turn = ts_add(ts_cross(arm, force), moment);
  const double all[6] = {force.x, force.y, force.z, turn.x, turn.y, turn.z};
  for (int r = 0; r < 6; ++r) p->push[6 * body + r][column] += sign * all[r];
}

static void fill_pushes(pile *p)
{
  const ts_vec3 none = {0.0, 0.0, 0.0};
  for (int i = 0; i < CONTACTS; ++i) {
    const ts_contact *c = &p->contacts[i];
    const ts_vec3 along[3] = {c->normal, c->tangent, c->other};
    for (int k = 0; k < 4; ++k) {
      if (k == 3 && c->impulse[3] == 0.0) continue;
      const ts_vec3 force = k < 3 ? along[k] : none, moment = k < 3 ? none : c->normal;
      add_wrench(p, c->body_1, 4 * i + k, 1.0, c->arm_1, force, moment);
      add_wrench(p, c->body_2, 4 * i + k, -1.0, c->arm_2, force, moment);
    }
  }
}

static double dot(const double *a, const double *b)
{
  double sum = 0.0;
  for (int k = 0; k < COLUMNS; ++k) sum += a[k] * b[k];
  return sum;
}

// Take off `x` what lies in the space that the rows of `push` span; their orthonormal base takes their place.
static void take_off_rows(double push[ROWS][COLUMNS], double *x)
{
  for (int r = 0; r < ROWS; ++r) {
    double *row = push[r], size = sqrt(dot(row, row));
    for (int pass = 0; pass < 2; ++pass)
      for (int other = 0; other < r; ++other) {
        const double share = dot(push[other], row);
        for (int k = 0; k < COLUMNS; ++k) row[k] -= share * push[other][k];
      }
    const double left = sqrt(dot(row, row));
    for (int k = 0; k < COLUMNS; ++k) row[k] = left > 1e-9 * size ? row[k] / left : 0.0;
    const double share = dot(row, x);
    for (int k = 0; k < COLUMNS; ++k) x[k] -= share * row[k];
  }
}

// The wrenches are as before, and nothing of the change does without wrenches: so it is the least one.
static void the_least_change_brings_the_same_wrenches(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 33);
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  for (int trial = 0; trial < 20; ++trial) {
    static pile p;
    pile_up(&p, &random);
    fill_pushes(&p);
    double before[ROWS], change[COLUMNS], impulse[COLUMNS];
    for (int k = 0; k < COLUMNS; ++k) impulse[k] = p.contacts[k / 4].impulse[k % 4];
    for (int r = 0; r < ROWS; ++r) before[r] = dot(p.push[r], impulse);
    assert_gives_back(&arena, ts_contact_set_unstress(&p.set, &p.model, p.target, &arena));
    for (int k = 0; k < COLUMNS; ++k) impulse[k] = p.contacts[k / 4].impulse[k % 4];
    for (int r = 0; r < ROWS; ++r) assert_near(dot(p.push[r], impulse), before[r], 1e-9);
    for (int k = 0; k < COLUMNS; ++k) change[k] = impulse[k] - p.target[k];
    assert_true(dot(change, change) > 1e-2);
    take_off_rows(p.push, change);
    assert_near(sqrt(dot(change, change)), 0.0, 1e-9);
  }
  ts_arena_release(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(impulses_leave_their_cone_by_what_is_too_much),
      cmocka_unit_test(impulses_enter_their_cone_along_their_friction),
      cmocka_unit_test(the_least_change_brings_the_same_wrenches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
