// Rules for groups of bodies, against every pair looked up by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "near.h"

#include "base/random.h"

#include "model/model.h"

enum { BODIES = 24 };

static void must(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

// Spheres, number i of body i; every `fixed`-th of them stands still.
static ts_builder *spheres(int count, int fixed)
{
  ts_error error;
  ts_builder *builder = ts_builder_create(TS_SPACE_3D);
  for (int i = 0; i < count; ++i) {
    char name[16];
    int body;
    snprintf(name, sizeof name, "ball%d", i);
    ts_body_def def = ts_body_def_default();
    def.name = name;
    def.kind = fixed > 0 && i % fixed == 0 ? TS_FIXED : TS_DYNAMIC;
    def.pose.position.x = 3.0 * i;
    must(ts_builder_add_body(builder, &def, &body, &error), &error);
    ts_part_def part = ts_part_def_default();
    part.body = body;
    part.shape = (ts_shape){.kind = TS_SHAPE_SPHERE, .radius = 1.0};
    must(ts_builder_add_part(builder, &part, NULL, &error), &error);
  }
  return builder;
}

static ts_model *finish(ts_builder *builder)
{
  ts_error error;
  ts_model *model;
  must(ts_builder_finish(builder, &model, &error), &error);
  ts_builder_destroy(builder);
  return model;
}

static bool has(const int *list, int count, int body)
{
  for (int i = 0; i < count; ++i)
    if (list[i] == body) return true;
  return false;
}

// ---- against a list of all rules -----------------------------------------------------------------------------------

typedef struct rule {
  int group[BODIES], with[BODIES], group_count, with_count;
  bool collide, has_law;
  double friction;
} rule;

static bool concerns(const rule *r, int a, int b)
{
  if (r->with_count == 0) return has(r->group, r->group_count, a) && has(r->group, r->group_count, b);
  return (has(r->group, r->group_count, a) && has(r->with, r->with_count, b)) ||
         (has(r->group, r->group_count, b) && has(r->with, r->with_count, a));
}

static int random_list(ts_random *random, int *list)
{
  const int count = 2 + ts_random_below(random, 8);
  for (int i = 0; i < count; ++i) list[i] = ts_random_below(random, BODIES); // some twice
  return count;
}

static rule random_rule(ts_random *random, int number)
{
  rule r = {.friction = 0.01 * (number + 1)};
  r.group_count = random_list(random, r.group);
  if (ts_random_uniform(random, 0.0, 1.0) < 0.6) r.with_count = random_list(random, r.with);
  r.collide = ts_random_uniform(random, 0.0, 1.0) < 0.5;
  r.has_law = r.collide && ts_random_uniform(random, 0.0, 1.0) < 0.7;
  return r;
}

static void add_rule(ts_builder *builder, const rule *r)
{
  ts_error error;
  ts_contact_law law = ts_contact_law_default();
  law.friction = r->friction;
  ts_group_def def = ts_group_def_default();
  def.group = r->group;
  def.group_count = r->group_count;
  def.with = r->with;
  def.with_count = r->with_count;
  def.collide = r->collide;
  def.law = r->has_law ? &law : NULL;
  must(ts_builder_pair_groups(builder, &def, &error), &error);
}

static const rule *last_of(const rule *rules, int count, int a, int b)
{
  for (int k = count - 1; k >= 0; --k)
    if (concerns(&rules[k], a, b)) return &rules[k];
  return NULL;
}

static void the_last_rule_holds_for_every_pair(void **state)
{
  (void)state;
  enum { MOST = 12 };
  int decided = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    ts_random random;
    ts_random_init(&random, seed);
    rule rules[MOST];
    long long pairs[MOST] = {0};
    const int count = 1 + (int)(seed % MOST);
    ts_builder *builder = spheres(BODIES, 5);
    for (int k = 0; k < count; ++k) {
      rules[k] = random_rule(&random, k);
      add_rule(builder, &rules[k]);
    }
    ts_model *model = finish(builder);
    for (int a = 0; a < BODIES; ++a)
      for (int b = 0; b < BODIES; ++b) {
        ts_contact_law law;
        const bool collides = ts_model_contact_law(model, a, b, &law), moves = a != b && (a % 5 != 0 || b % 5 != 0);
        const rule *r = last_of(rules, count, a, b);
        assert_int_equal(collides, moves && (!r || r->collide));
        if (collides) assert_near(law.friction, r && r->has_law ? r->friction : 0.5, 0.0);
        if (moves && r && a < b) ++pairs[r - rules];
      }
    for (int k = 0; k < count; ++k) {
      assert_int_equal(ts_model_group(model, k).pairs, pairs[k]);
      decided += (int)pairs[k];
    }
    ts_model_destroy(model);
  }
  print_message("%d pairs decided by groups\n", decided);
}

// ---- other rules ---------------------------------------------------------------------------------------------------

static const int all[] = {0, 1, 2, 3, 4};

static void a_rule_for_two_bodies_wins(void **state)
{
  (void)state;
  ts_error error;
  ts_contact_law law = ts_contact_law_default(), found;
  law.friction = 0.125;
  for (int late = 0; late < 2; ++late) {
    ts_builder *builder = spheres(5, 0);
    const rule r = {.group = {0, 1, 2, 3, 4}, .group_count = 5};
    if (late) add_rule(builder, &r);
    must(ts_builder_pair_bodies(builder, 3, 1, &law, &error), &error);
    if (!late) add_rule(builder, &r);
    ts_model *model = finish(builder);
    assert_true(ts_model_contact_law(model, 1, 3, &found));
    assert_near(found.friction, 0.125, 0.0);
    assert_false(ts_model_contact_law(model, 1, 2, &found));
    assert_int_equal(ts_model_group(model, 0).pairs, 9);
    ts_model_destroy(model);
  }
}

// A robot's links are told to collide among themselves: those that a joint joins do not.
static void joined_bodies_need_a_rule_of_their_own(void **state)
{
  (void)state;
  ts_error error;
  ts_contact_law found;
  ts_builder *builder = spheres(5, 0);
  const rule r = {.group = {0, 1, 2, 3, 4}, .group_count = 5, .collide = true, .has_law = true, .friction = 0.25};
  add_rule(builder, &r);
  ts_joint_def joint = ts_joint_def_default();
  joint.parent = 0;
  joint.child = 1;
  must(ts_builder_add_joint(builder, &joint, NULL, &error), &error);
  ts_model *model = finish(builder);
  assert_false(ts_model_contact_law(model, 0, 1, &found));
  assert_true(ts_model_contact_law(model, 0, 2, &found));
  assert_near(found.friction, 0.25, 0.0);
  ts_model_destroy(model);
}

// Without a law of its own a rule that lets bodies collide takes back one before it, and materials say how.
static void materials_say_how_a_group_touches(void **state)
{
  (void)state;
  ts_error error;
  ts_contact_law ice = ts_contact_law_default(), found;
  ice.friction = 0.02;
  ice.ellipsoid.z = 0.1;
  ice.restitution = 0.5;
  ts_builder *builder = spheres(5, 0);
  int material;
  must(ts_builder_add_material(builder, "ice", &ice, &material, &error), &error);
  for (int i = 0; i < 2; ++i) {
    ts_part_def part = ts_part_def_default();
    part.body = i;
    part.shape = (ts_shape){.kind = TS_SHAPE_SPHERE, .radius = 0.5};
    part.material = material;
    must(ts_builder_add_part(builder, &part, NULL, &error), &error);
  }
  const rule apart = {.group = {0, 1, 2}, .group_count = 3},
             together = {.group = {0, 1}, .group_count = 2, .collide = true};
  add_rule(builder, &apart);
  add_rule(builder, &together);
  ts_model *model = finish(builder);
  assert_true(ts_model_contact_law(model, 5, 6, &found));
  assert_near(found.friction, 0.02, 0.0);
  assert_false(ts_model_contact_law(model, 5, 2, &found));
  assert_true(ts_model_contact_law(model, 5, 3, &found));
  assert_true(model->spins);
  ts_model_destroy(model);
}

// The law of a group counts where laws are asked for as a whole.
static void laws_of_groups_are_known_to_the_model(void **state)
{
  (void)state;
  ts_error error;
  ts_contact_law law = ts_contact_law_default();
  law.restitution = 0.5;
  law.ellipsoid.z = 0.01;
  for (int pairs = 0; pairs < 2; ++pairs) {
    ts_builder *builder = spheres(5, 0);
    ts_group_def def = ts_group_def_default();
    def.group = all;
    def.group_count = 5;
    def.collide = true;
    def.law = &law;
    must(ts_builder_pair_groups(builder, &def, &error), &error);
    const rule later = {.group = {0, 1, 2, 3, 4}, .group_count = 5, .collide = true};
    if (pairs == 0) add_rule(builder, &later);
    ts_model *model = finish(builder);
    assert_true(model->spins);
    assert_int_equal(ts_model_rebounds(model), pairs > 0);
    assert_int_equal(ts_model_group(model, 0).pairs, pairs > 0 ? 10 : 0);
    assert_true(ts_model_group(model, 0).has_law && ts_model_group(model, 0).collide);
    ts_model_destroy(model);
  }
}

// ---- sizes ---------------------------------------------------------------------------------------------------------

// Two hundred and fifty hands of four fingers: a million pairs of bodies, a table of a few classes.
static void a_thousand_bodies_take_a_small_table(void **state)
{
  (void)state;
  enum { MANY = 1000 };
  static int half[MANY / 2], whole[MANY];
  ts_error error;
  ts_contact_law found;
  ts_builder *builder = spheres(MANY, 0);
  for (int i = 0; i < MANY; ++i) whole[i] = i;
  for (int i = 0; i < MANY / 2; ++i) half[i] = 2 * i;
  ts_group_def def = ts_group_def_default();
  def.group = whole;
  def.group_count = MANY;
  must(ts_builder_pair_groups(builder, &def, &error), &error);
  def.group = half;
  def.group_count = MANY / 2;
  def.collide = true;
  must(ts_builder_pair_groups(builder, &def, &error), &error);
  ts_model *model = finish(builder);
  assert_int_equal(model->class_count, 2);
  assert_int_equal(model->body_pair_count, 0);
  assert_int_equal(ts_model_group(model, 0).pairs, 499500 - 124750);
  assert_int_equal(ts_model_group(model, 1).pairs, 124750);
  assert_true(ts_model_contact_law(model, 0, 998, &found));
  assert_false(ts_model_contact_law(model, 0, 999, &found));
  ts_model_destroy(model);
}

// Every body told apart: as many classes as bodies, up to the limit, and one sentence beyond it.
static void too_many_classes_are_refused(void **state)
{
  (void)state;
  static const int counts[] = {TS_MOST_CLASSES, TS_MOST_CLASSES + 2};
  for (int k = 0; k < 2; ++k) {
    ts_error error;
    ts_model *model;
    ts_builder *builder = spheres(counts[k], 0);
    ts_group_def def = ts_group_def_default();
    def.group_count = def.with_count = 1;
    for (int i = 0; i + 1 < counts[k]; i += 2) {
      const int a = i, b = i + 1;
      def.group = &a;
      def.with = &b;
      must(ts_builder_pair_groups(builder, &def, &error), &error);
    }
    const ts_status status = ts_builder_finish(builder, &model, &error);
    assert_int_equal(status, k ? TS_UNSUPPORTED : TS_OK);
    if (k == 0) assert_int_equal(model->class_count, counts[0]);
    if (k == 1) assert_string_equal(error.text, "groups tell bodies apart in 4002 ways, at most 4000 are possible");
    ts_model_destroy(model);
    ts_builder_destroy(builder);
  }
}

// ---- what is refused -----------------------------------------------------------------------------------------------

static void bad_groups_are_refused(void **state)
{
  (void)state;
  static const int beyond[] = {0, 5}, below[] = {-1, 2};
  ts_contact_law law = ts_contact_law_default(), bad = law;
  bad.friction = NAN;
  ts_group_def good = ts_group_def_default();
  good.group = good.with = all;
  good.group_count = good.with_count = 2;
  ts_group_def cases[10];
  for (int i = 0; i < 10; ++i) cases[i] = good;
  cases[0].cookie = 0;
  cases[1].group_count = 0;
  cases[2].group = beyond;
  cases[3].with = below;
  cases[4].group_count = -1;
  cases[5].group = NULL;
  cases[6].with = NULL;
  cases[7].law = &law;
  cases[8].collide = true;
  cases[8].law = &bad;
  cases[9].group_count = 1;
  cases[9].with_count = 0;
  static const char *const words[] = {"ts_group_def_default",      "a group has no bodies",
                                      "there is no body number 5", "there is no body number -1",
                                      "a group has -1 bodies",     "a group has 2 bodies",
                                      "a group has 2 bodies",      "does not collide has no contact law",
                                      "a group: friction is nan",  "a group of 'ball0' alone has no pairs"};
  ts_builder *builder = spheres(5, 0);
  for (int i = 0; i < 10; ++i) {
    ts_error error;
    assert_int_equal(ts_builder_pair_groups(builder, &cases[i], &error), TS_INVALID);
    if (!strstr(error.text, words[i])) fail_msg("%s", error.text);
  }
  ts_model *model = finish(builder);
  assert_int_equal(ts_model_group_count(model), 0);
  ts_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_rule_holds_for_every_pair),     cmocka_unit_test(a_rule_for_two_bodies_wins),
      cmocka_unit_test(joined_bodies_need_a_rule_of_their_own), cmocka_unit_test(materials_say_how_a_group_touches),
      cmocka_unit_test(laws_of_groups_are_known_to_the_model),  cmocka_unit_test(a_thousand_bodies_take_a_small_table),
      cmocka_unit_test(too_many_classes_are_refused),           cmocka_unit_test(bad_groups_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
