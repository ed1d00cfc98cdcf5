// Colours of contacts: contacts of one colour push different bodies, every contact has one lane, and the order of
// bodies follows the contacts.
#include "complementarity/friction/contact_colours.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

typedef struct graph {
  int contacts, bodies;
  int *body; // two a contact
} graph;

static graph create_graph(int contacts, int bodies)
{
  graph g = {contacts, bodies, calloc(2 * (size_t)contacts, sizeof *g.body)};
  assert_non_null(g.body);
  return g;
}

// No body twice in a batch, nor in a colour. `last` is the colour that a body was seen in.
static void look_at_colour(const graph *g, const ts_contact_colours *c, int first, int end, int colour, int *last)
{
  for (int lane = TS_LANES * first; lane < TS_LANES * end; ++lane) {
    const int i = c->contact[lane];
    for (int side = 0; i >= 0 && side < 2; ++side) {
      const int b = g->body[2 * i + side];
      if (b == g->bodies) continue;
      assert_int_not_equal(last[b], colour);
      last[b] = colour;
    }
  }
}

static void look_at_lanes(const graph *g, const ts_contact_colours *c)
{
  int *seen = calloc((size_t)g->contacts, sizeof *seen), lanes = 0;
  assert_non_null(seen);
  for (int lane = 0; lane < TS_LANES * c->batches; ++lane) {
    if (c->contact[lane] < 0) continue;
    assert_in_range(c->contact[lane], 0, g->contacts - 1);
    assert_int_equal(seen[c->contact[lane]]++, 0);
    ++lanes;
  }
  assert_int_equal(lanes, g->contacts);
  for (int k = c->alone; k < c->batches; ++k) {
    assert_true(c->contact[TS_LANES * k + 1] < 0);
    assert_true((c->contact[TS_LANES * k] >= 0) == ((k - c->alone) % 2 == 0));
  }
  free(seen);
}

// Numbers are those of bodies, each once; and places rise in every colour.
static void look_at_order(const graph *g, const ts_contact_colours *c)
{
  int *seen = calloc((size_t)g->bodies + 1, sizeof *seen);
  assert_non_null(seen);
  for (int b = 0; b < g->bodies; ++b) {
    assert_in_range(c->number[b], 0, g->bodies - 1);
    assert_int_equal(seen[c->number[b]]++, 0);
  }
  for (int colour = 0; colour < c->colours; ++colour)
    for (int k = c->start[colour] + 1; k < c->start[colour + 1]; ++k) {
      const bool empty = c->contact[TS_LANES * k] < 0;
      assert_true(empty ? c->place[k] == c->place[k - 1] : c->place[k] > c->place[k - 1]);
    }
  free(seen);
}

static void look_at(const graph *g, ts_contact_colours *c, ts_arena *arena)
{
  int *last = malloc(((size_t)g->bodies + 1) * sizeof *last);
  assert_non_null(last);
  for (int b = 0; b < g->bodies; ++b) last[b] = -1;
  ts_colour_contacts(g->contacts, g->bodies, g->body, arena, c);
  assert_int_equal(c->start[0], 0);
  assert_int_equal(c->start[c->colours], c->alone);
  for (int colour = 0; colour <= c->colours; ++colour) assert_int_equal(c->start[colour] % 2, 0);
  for (int colour = 0; colour < c->colours; ++colour)
    look_at_colour(g, c, c->start[colour], c->start[colour + 1], colour, last);
  look_at_lanes(g, c);
  look_at_order(g, c);
  free(last);
}

static void random_graphs(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 5);
  for (int trial = 0; trial < 200; ++trial) {
    const int bodies = 1 + (int)ts_random_uniform(&random, 0.0, 60.0);
    graph g = create_graph(1 + (int)ts_random_uniform(&random, 0.0, 200.0), bodies);
    for (int i = 0; i < g.contacts; ++i) { // one in four with what does not move, and none with itself
      const int a = (int)ts_random_uniform(&random, 0.0, bodies), b = (int)ts_random_uniform(&random, 0.0, bodies);
      g.body[2 * i] = a;
      g.body[2 * i + 1] = b == a || ts_random_uniform(&random, 0.0, 1.0) < 0.25 ? bodies : b;
    }
    ts_arena arena;
    ts_arena_init(&arena, NULL);
    ts_contact_colours c;
    look_at(&g, &c, &arena);
    ts_arena_release(&arena);
    free(g.body);
  }
}

// A tray with a hundred things on it has more contacts than there are colours.
static void crowded_body(void **state)
{
  (void)state;
  graph g = create_graph(100, 101);
  for (int i = 0; i < 100; ++i) {
    g.body[2 * i] = i + 1;
    g.body[2 * i + 1] = 0;
  }
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_contact_colours c;
  look_at(&g, &c, &arena);
  assert_int_equal(c.colours, 64);
  assert_int_equal(c.batches - c.alone, 2 * 36);
  ts_arena_release(&arena);
  free(g.body);
}

// Bodies in a row, named in any order: neighbours in the row have neighbouring numbers.
static void row_of_bodies(void **state)
{
  (void)state;
  enum { BODIES = 101 };
  graph g = create_graph(BODIES - 1, BODIES);
  for (int i = 0; i < BODIES - 1; ++i) {
    g.body[2 * i] = i * 37 % BODIES;
    g.body[2 * i + 1] = (i + 1) * 37 % BODIES;
  }
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_contact_colours c;
  look_at(&g, &c, &arena);
  assert_int_equal(c.colours, 2);
  for (int i = 0; i < BODIES - 1; ++i) assert_true(abs(c.number[g.body[2 * i]] - c.number[g.body[2 * i + 1]]) <= 2);
  ts_arena_release(&arena);
  free(g.body);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_graphs),
      cmocka_unit_test(crowded_body),
      cmocka_unit_test(row_of_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
