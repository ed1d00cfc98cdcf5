// What minimal coordinates cost on chains of n revolute links: kinematics, articulated inertias, forward dynamics, and
// the compliance of contacts (three rows each) on the last links.
//
//   bench_tree [N ...]                  default: 12 30 100 200 400 800; microseconds a call, and a link
//   bench_tree --once CONTACTS N        one call of each, for instruction counts, which no other job disturbs:
//
//   valgrind --tool=callgrind --toggle-collect='ts_tree_update*' build/bench/bench_tree --once 4 800
//
// With --spread the contacts are on links all along the chain.
#include "tree_rig.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CONTACTS = 256, MOST_ROWS = 3 * MOST_CONTACTS };

typedef struct chain {
  tree_rig rig;
  ts_wrench *gravity;
  double *acceleration, *W;
  ts_tree_row *rows;
  int row_count;
  bool spread;
} chain;

static void add_contacts(chain *c, int contacts)
{
  const int n = c->rig.n.nodes;
  for (int i = 0; i < contacts; ++i) {
    const int body = c->spread ? n - 1 - i * n / contacts : n - 1 - i % n;
    const ts_vec3 below = ts_sub(c->rig.l.state.pose[body].position, (ts_vec3){0.0, 0.0, 0.25});
    tree_rig_point_rows(&c->rig, body, below, c->rows + 3 * i);
  }
  c->row_count = 3 * contacts;
}

static void open_chain(chain *c, int links)
{
  ts_random random;
  ts_random_init(&random, 1);
  tree_rig_chain(&c->rig, links);
  for (int i = 0; i < links; ++i) {
    c->rig.q[i] = ts_random_uniform(&random, -0.3, 0.3);
    c->rig.v[i] = ts_random_uniform(&random, -1.0, 1.0);
  }
  ts_arena *arena = &c->rig.l.arena;
  c->gravity = ts_arena_bytes(arena, (size_t)links, sizeof *c->gravity);
  for (int i = 0; i < links; ++i) c->gravity[i] = (ts_wrench){{0.0, 0.0, -9.81}, {0.0, 0.0, 0.0}};
  c->acceleration = ts_arena_doubles(arena, (size_t)links);
  c->rows = ts_arena_bytes(arena, MOST_ROWS, sizeof *c->rows);
  c->W = ts_arena_doubles(arena, (size_t)MOST_ROWS * MOST_ROWS);
}

static void update(chain *c)
{
  tree_rig_update(&c->rig);
}

static void factor(chain *c)
{
  ts_tree_factor(c->rig.tree, NULL, NULL);
}

static void accelerate(chain *c)
{
  ts_tree_accelerate(c->rig.tree, c->gravity, NULL, NULL, c->acceleration);
}

static void compliance(chain *c)
{
  ts_tree_compliance(c->rig.tree, c->rows, c->row_count, c->W, &c->rig.l.arena);
}

static void forward(chain *c)
{
  update(c);
  factor(c);
  accelerate(c);
}

static double microseconds(chain *c, void (*call)(chain *))
{
  const int repeats = 1 + 6000 / c->rig.n.nodes;
  double best = INFINITY;
  for (int k = 0; k < 60; ++k) { // short ones: other jobs of the machine spare some of them
    const double start = ts_clock_seconds();
    for (int i = 0; i < repeats; ++i) call(c);
    best = fmin(best, (ts_clock_seconds() - start) / repeats);
  }
  return 1e6 * best;
}

static void measure(int links, bool spread)
{
  static const int contacts[] = {1, 2, 4, 64};
  chain c = {.spread = spread};
  open_chain(&c, links);
  printf("%6d %8.3f %8.3f %10.3f %8.3f %8.4f", links, microseconds(&c, update), microseconds(&c, factor),
         microseconds(&c, accelerate), microseconds(&c, forward), microseconds(&c, forward) / links);
  for (size_t k = 0; k < sizeof contacts / sizeof contacts[0]; ++k) {
    add_contacts(&c, contacts[k]);
    printf(" %9.3f", microseconds(&c, compliance));
  }
  putchar('\n');
  tree_rig_release(&c.rig);
}

static void run_once(int contacts, int links, bool spread)
{
  chain c = {.spread = spread};
  open_chain(&c, links);
  forward(&c);
  add_contacts(&c, contacts);
  compliance(&c);
  tree_rig_release(&c.rig);
}

static int refuse(void)
{
  fprintf(stderr, "usage: bench_tree [--spread] [--once CONTACTS] [N ...]   (1 <= N <= %d, CONTACTS <= %d)\n",
          LINKAGE_CAPACITY, MOST_CONTACTS);
  return 2;
}

int main(int count, char **arguments)
{
  static const int defaults[] = {12, 30, 100, 200, 400, 800};
  int next = 1, once = -1;
  const bool spread = next < count && strcmp(arguments[next], "--spread") == 0;
  next += spread;
  if (next + 1 < count && strcmp(arguments[next], "--once") == 0) {
    once = atoi(arguments[next + 1]);
    if (once < 0 || once > MOST_CONTACTS) return refuse();
    next += 2;
  }
  if (once < 0)
    printf("%6s %8s %8s %10s %8s %8s %9s %9s %9s %9s\n", "links", "update", "factor", "accelerate", "all", "a link",
           "W: 1", "2", "4", "64");
  const int defaulted = next < count ? 0 : (int)(sizeof defaults / sizeof defaults[0]);
  for (int k = 0; k < defaulted + count - next; ++k) {
    const int links = defaulted ? defaults[k] : atoi(arguments[next + k]);
    if (links < 1 || links > LINKAGE_CAPACITY) return refuse();
    if (once < 0)
      measure(links, spread);
    else
      run_once(once, links, spread);
  }
  return 0;
}
