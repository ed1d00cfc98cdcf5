// Contacts of two consecutive parts of a step as one set: against sums over all entries in world axes, which know
// nothing of pairs and features.
#include "contact/contact_sum.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "near.h"

enum { MOST = 24, PARTS = 5, BODIES = 5 };

typedef struct touching {
  ts_contact contacts[MOST];
  ts_part_pair parts[MOST];
  const ts_contact_law *laws[MOST];
  ts_contact_set set;
} touching;

static ts_vec3 random_vector(ts_random *random)
{
  return (ts_vec3){ts_random_uniform(random, -1.0, 1.0), ts_random_uniform(random, -1.0, 1.0),
                   ts_random_uniform(random, -1.0, 1.0)};
}

static ts_contact random_contact(ts_random *random, int a, int b, uint32_t feature)
{
  ts_contact c = {.body_1 = a, .body_2 = b, .feature = feature, .mode = TS_STICK};
  c.normal = ts_normalize(random_vector(random), (ts_vec3){0.0, 0.0, 1.0});
  c.tangent = ts_normalize(ts_cross(c.normal, random_vector(random)), (ts_vec3){1.0, 0.0, 0.0});
  c.other = ts_cross(c.normal, c.tangent);
  c.point = random_vector(random);
  c.arm_1 = random_vector(random);
  c.arm_2 = random_vector(random);
  c.gap = ts_random_uniform(random, -1.0, 1.0);
  for (int k = 0; k < 4; ++k) c.impulse[k] = ts_random_uniform(random, 0.0, 1.0);
  return c;
}

// Some of all pairs in their order, up to three points of each; part and body have the same number.
static void touch_at_random(touching *t, ts_random *random)
{
  int count = 0;
  for (int a = 0; a < PARTS; ++a)
    for (int b = a + 1; b < PARTS; ++b)
      for (uint32_t feature = 0; feature < 3; ++feature) {
        if (ts_random_below(random, 3) > 0 || count == MOST) continue;
        const bool exchanged = (a + b) % 2 == 1; // whichever part moves comes first
        t->parts[count] = exchanged ? (ts_part_pair){b, a} : (ts_part_pair){a, b};
        t->laws[count] = NULL;
        t->contacts[count++] = random_contact(random, exchanged ? b : a, exchanged ? a : b, feature);
      }
  t->set =
      (ts_contact_set){.count = count, .capacity = MOST, .contacts = t->contacts, .laws = t->laws, .parts = t->parts};
}

static ts_vec3 world_impulse(const ts_contact *c)
{
  const ts_vec3 n = ts_scale(c->impulse[0], c->normal), t = ts_scale(c->impulse[1], c->tangent);
  return ts_add(n, ts_add(t, ts_scale(c->impulse[2], c->other)));
}

static ts_vec3 given_to(const ts_contact_set *set, int body)
{
  ts_vec3 sum = {0.0, 0.0, 0.0};
  for (int i = 0; i < set->count; ++i) {
    if (set->contacts[i].body_1 == body) sum = ts_add(sum, world_impulse(&set->contacts[i]));
    if (set->contacts[i].body_2 == body) sum = ts_sub(sum, world_impulse(&set->contacts[i]));
  }
  return sum;
}

static const ts_contact *find(const ts_contact_set *set, const ts_contact *like)
{
  for (int i = 0; i < set->count; ++i) {
    const ts_contact *c = &set->contacts[i];
    if (c->body_1 == like->body_1 && c->body_2 == like->body_2 && c->feature == like->feature) return c;
  }
  return NULL;
}

static void assert_ordered(const ts_contact_set *set)
{
  for (int i = 1; i < set->count; ++i)
    assert_true(ts_part_pair_key(set->parts[i - 1]) <= ts_part_pair_key(set->parts[i]));
}

static void nothing_is_lost_and_nothing_is_new(void **state)
{
  ts_arena *arena = *state;
  jmp_buf recovery;
  arena->recovery = &recovery;
  if (setjmp(recovery)) fail_msg("memory ran out");
  ts_random random;
  ts_random_init(&random, 5);
  for (int trial = 0; trial < 500; ++trial) {
    touching earlier, later;
    ts_twist velocity[BODIES];
    touch_at_random(&earlier, &random);
    touch_at_random(&later, &random);
    for (int b = 0; b < BODIES; ++b) velocity[b] = (ts_twist){random_vector(&random), random_vector(&random)};
    const ts_contact_set sum = ts_contact_sum(&earlier.set, &later.set, velocity, arena);
    assert_ordered(&sum);
    int both = 0;
    for (int i = 0; i < later.set.count; ++i) both += find(&earlier.set, &later.contacts[i]) != NULL;
    assert_int_equal(sum.count, earlier.set.count + later.set.count - both);
    for (int b = 0; b < BODIES; ++b)
      assert_vec_near(given_to(&sum, b), ts_add(given_to(&earlier.set, b), given_to(&later.set, b)), 1e-13);
    for (int i = 0; i < sum.count; ++i) {
      const ts_contact *c = &sum.contacts[i], *last = find(&later.set, c), *first = find(&earlier.set, c);
      assert_true(last || first);
      assert_vec_near(c->normal, last ? last->normal : first->normal, 0.0);
      assert_near(c->gap, first ? first->gap : last->gap, 0.0);
      assert_int_equal(c->mode, last ? TS_STICK : TS_SEPARATE);
      const ts_vec3 apart =
          ts_sub(ts_twist_at(velocity[c->body_1], c->arm_1), ts_twist_at(velocity[c->body_2], c->arm_2));
      if (!last) assert_near(c->velocity[1], ts_dot(apart, c->tangent), 1e-14);
    }
    ts_arena_reset(arena);
  }
}

// Impulses of one direction at points that move: moments about the origin and about both bodies add up too.
static void moments_add_up_where_directions_stay(void **state)
{
  ts_arena *arena = *state;
  jmp_buf recovery;
  arena->recovery = &recovery;
  if (setjmp(recovery)) fail_msg("memory ran out");
  ts_random random;
  ts_random_init(&random, 6);
  const ts_twist velocity[2] = {{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
  for (int trial = 0; trial < 100; ++trial) {
    ts_contact before = random_contact(&random, 0, 1, 4), after = random_contact(&random, 0, 1, 4);
    after.normal = before.normal;
    after.tangent = before.tangent;
    after.other = before.other;
    for (int k = 0; k < 4; ++k) after.impulse[k] = 0.3 * (trial % 3) * before.impulse[k];
    ts_part_pair pair = {0, 1};
    const ts_contact_law *law = NULL;
    const ts_contact_set earlier = {.count = 1, .capacity = 1, .contacts = &before, .laws = &law, .parts = &pair};
    const ts_contact_set later = {.count = 1, .capacity = 1, .contacts = &after, .laws = &law, .parts = &pair};
    const ts_contact_set sum = ts_contact_sum(&earlier, &later, velocity, arena);
    assert_int_equal(sum.count, 1);
    const ts_contact *c = sum.contacts;
    const ts_vec3 f = world_impulse(&before), g = world_impulse(&after), all = world_impulse(c);
    assert_vec_near(ts_cross(c->point, all), ts_add(ts_cross(before.point, f), ts_cross(after.point, g)), 1e-13);
    assert_vec_near(ts_cross(c->arm_1, all), ts_add(ts_cross(before.arm_1, f), ts_cross(after.arm_1, g)), 1e-13);
    assert_vec_near(ts_cross(c->arm_2, all), ts_add(ts_cross(before.arm_2, f), ts_cross(after.arm_2, g)), 1e-13);
    assert_near(c->impulse[3], before.impulse[3] + after.impulse[3], 1e-15);
    ts_arena_reset(arena);
  }
}

static void empty_sets_are_no_trouble(void **state)
{
  ts_arena *arena = *state;
  jmp_buf recovery;
  arena->recovery = &recovery;
  if (setjmp(recovery)) fail_msg("memory ran out");
  const ts_contact_set none = {.count = 0};
  assert_int_equal(ts_contact_sum(&none, &none, NULL, arena).count, 0);
}

static int open_arena(void **state)
{
  static ts_arena arena;
  ts_arena_init(&arena, NULL);
  *state = &arena;
  return 0;
}

static int close_arena(void **state)
{
  ts_arena_release(*state);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_lost_and_nothing_is_new),
      cmocka_unit_test(moments_add_up_where_directions_stay),
      cmocka_unit_test(empty_sets_are_no_trouble),
  };
  return cmocka_run_group_tests(tests, open_arena, close_arena);
}
