// Sweeps: solutions do not move, separate contacts are solved by one sweep, and a sweep is what it says: every contact
// in turn solved exactly with the others fixed.
#include "complementarity/friction/sweep.h"

#include "friction_generator.h"

#include "base/random.h"
#include "math/matrix.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { CONTACTS = 12 };

typedef struct pile {
  ts_arena arena;
  friction_sample *sample;
  ts_friction friction;
  ts_cone_problem p;
  ts_one_contact *contacts;
  double *r;
} pile;

static void init_pile(pile *s, int d, uint64_t seed)
{
  const friction_recipe recipe = {.dimension = d, .contacts = CONTACTS, .bodies = 6, .most_mu = 1.0};
  ts_arena_init(&s->arena, NULL);
  s->sample = friction_sample_create(&recipe, seed);
  s->friction = s->sample->local.friction;
}

static void prepare(pile *s)
{
  ts_cone_problem_init(&s->p, &s->friction, &s->arena);
  s->contacts = ts_one_contact_prepare(&s->p, &s->arena);
  s->r = ts_arena_zeros(&s->arena, s->p.length);
}

static void release_pile(pile *s)
{
  friction_sample_destroy(s->sample);
  ts_arena_release(&s->arena);
}

// Impulses and velocities that the law allows: open, sticking and slipping contacts in turn.
static void draw_solution(const ts_friction *p, uint64_t seed, double *r, double *u)
{
  const int d = p->dimension;
  ts_random random;
  ts_random_init(&random, seed);
  for (int i = 0; i < CONTACTS; ++i) {
    const bool open = i % 3 == 0, sticks = i % 3 == 1;
    double t[4] = {0}, length = 0.0;
    for (int k = 1; k < d; ++k) {
      t[k] = ts_random_normal(&random);
      length += t[k] * t[k];
    }
    r[i * d] = open ? 0.0 : 1.0;
    u[i * d] = open ? 0.7 : 0.0;
    for (int k = 1; k < d; ++k) {
      r[i * d + k] = -(sticks ? 0.5 : 1.0) * p->mu[i] * r[i * d] * t[k] / sqrt(length);
      u[i * d + k] = sticks && p->mu[i] > 0.0 ? 0.0 : t[k];
    }
  }
}

// A problem built backwards: q = u - W r.
static void solutions_do_not_move(void **state)
{
  (void)state;
  for (int d = 2; d <= 4; ++d)
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      pile s;
      double r[4 * CONTACTS], q[4 * CONTACTS], image[4 * CONTACTS] = {0};
      init_pile(&s, d, seed);
      draw_solution(&s.friction, seed, r, q);
      ts_block_multiply_add(&s.friction.W, r, image);
      for (int k = 0; k < d * CONTACTS; ++k) q[k] -= image[k];
      s.friction.q = q;
      prepare(&s);
      ts_cone_import(&s.p, r, s.r);
      double *before = ts_arena_doubles(&s.arena, s.p.length);
      memcpy(before, s.r, s.p.length * sizeof *before);
      ts_sweep(&s.p, s.contacts, 4, TS_ALTERNATING, seed % 2 ? 1.0 : 1.3, s.r);
      // W has no inverse here: a last digit of the data moves an impulse by the condition of its block.
      for (size_t k = 0; k < s.p.length; ++k) assert_true(fabs(s.r[k] - before[k]) <= 1e-10);
      release_pile(&s);
    }
}

// Without coupling one sweep solves everything.
static void separate_contacts_take_one_sweep(void **state)
{
  (void)state;
  int start[CONTACTS + 1], index[CONTACTS];
  double W[16 * CONTACTS];
  for (int d = 2; d <= 4; ++d) {
    pile s;
    init_pile(&s, d, 3);
    for (int i = 0; i < CONTACTS; ++i) {
      int b = s.friction.W.start[i];
      while (s.friction.W.index[b] != i) ++b;
      memcpy(W + i * d * d, s.friction.W.value + b * d * d, (size_t)(d * d) * sizeof *W);
      start[i] = index[i] = i;
    }
    start[CONTACTS] = CONTACTS;
    s.friction.W = (ts_block_matrix){CONTACTS, d, start, index, W};
    s.friction.bodies = NULL;
    prepare(&s);
    double *u = ts_arena_zeros(&s.arena, s.p.length);
    ts_sweep(&s.p, s.contacts, 1, TS_FORWARD, 1.0, s.r);
    ts_cone_velocity(&s.p, s.r, u);
    assert_true(ts_cone_residual(&s.p, s.r, u) <= 1e-12);
    release_pile(&s);
  }
}

// The plain loop: velocity of all others first, then the contact alone.
static void plain_sweep(const pile *s, bool backwards, ts_one_contact *contacts, double relaxation, double *r)
{
  const int d = s->p.d, stride = s->p.stride;
  for (int n = 0; n < CONTACTS; ++n) {
    const int i = backwards ? CONTACTS - 1 - n : n;
    double q[4] = {0}, fresh[4] = {0};
    for (int k = 0; k < d; ++k) q[k] = s->p.q[i * stride + k];
    for (int b = s->p.start[i]; b < s->p.start[i + 1]; ++b)
      for (int c = 0; c < d && s->p.index[b] != i; ++c)
        for (int k = 0; k < d; ++k) q[k] += s->p.W[(b * d + c) * stride + k] * r[s->p.index[b] * stride + c];
    memcpy(fresh, r + i * stride, (size_t)d * sizeof *fresh);
    ts_one_contact_solve(d, s->p.mu[i], &contacts[i], s->p.W + s->p.diagonal[i] * stride * d, stride, q, fresh);
    if (fresh[0] > 0.0 && relaxation != 1.0) {
      for (int k = 0; k < d; ++k) fresh[k] = (1.0 - relaxation) * r[i * stride + k] + relaxation * fresh[k];
      ts_cone_project(d, s->p.mu[i], fresh);
    }
    memcpy(r + i * stride, fresh, (size_t)d * sizeof *fresh);
  }
}

static void a_sweep_visits_every_contact_in_turn(void **state)
{
  (void)state;
  static const double relaxations[] = {1.0, 0.7, 1.4};
  for (int d = 2; d <= 4; ++d)
    for (int k = 0; k < 3; ++k)
      for (int order = 0; order < 2; ++order) {
        pile s;
        init_pile(&s, d, 5);
        prepare(&s);
        ts_one_contact *others = ts_one_contact_prepare(&s.p, &s.arena);
        double *expected = ts_arena_zeros(&s.arena, s.p.length);
        for (int sweep = 0; sweep < 4; ++sweep)
          plain_sweep(&s, order == TS_ALTERNATING && sweep % 2 == 1, others, relaxations[k], expected);
        ts_sweep(&s.p, s.contacts, 4, (ts_sweep_order)order, relaxations[k], s.r);
        for (size_t j = 0; j < s.p.length; ++j) assert_true(fabs(s.r[j] - expected[j]) <= 1e-11);
        release_pile(&s);
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_do_not_move),
      cmocka_unit_test(separate_contacts_take_one_sweep),
      cmocka_unit_test(a_sweep_visits_every_contact_in_turn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
