// Laws are worked out once: a table over pairs of materials, and a sorted list of pairs of bodies in which bodies that
// a joint connects are entered as not colliding. Groups have a table of their own (groups.h). See docs/theory/models.md
// for the rules.
#include "model/laws.h"

#include "model/groups.h"

#include "base/require.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

static double combine(ts_combination rule, double a, double b)
{
  switch (rule) {
  case TS_ARITHMETIC_MEAN:
    return 0.5 * a + 0.5 * b;
  case TS_MINIMUM:
    return fmin(a, b);
  case TS_MAXIMUM:
    return fmax(a, b);
  case TS_PRODUCT:
    return a * b;
  case TS_GEOMETRIC_MEAN:
    break;
  }
  return a == b ? a : sqrt(a) * sqrt(b); // equal laws combine to themselves exactly
}

static bool is_rule(ts_combination rule)
{
  return (unsigned)rule <= TS_PRODUCT;
}

static bool has_direction(const ts_contact_law *law)
{
  return law->direction.x != 0.0 || law->direction.y != 0.0 || law->direction.z != 0.0;
}

static double combined_by_friction(const ts_builder *builder, double a, double b)
{
  return combine(builder->friction_rule, a, b);
}

static double combined_by_restitution(const ts_builder *builder, double a, double b)
{
  return combine(builder->restitution_rule, a, b);
}

// Springs behind each other: ways add up. 0 stands for a surface that does not give way.
static double combined_by_series(const ts_builder *builder, double a, double b)
{
  (void)builder;
  if (a == 0.0 || b == 0.0) return a + b;
  return 1.0 / (1.0 / a + 1.0 / b);
}

// Two springs with their dampers behind each other bear the same force, 1/Z = 1/(k + i w c) + 1/(K + i w C), which is
// no spring and damper again. To first order in w the damper of Z is this, and it is exact where c/k = C/K.
static double damping_in_series(ts_spring_constants a, ts_spring_constants b)
{
  if (a.stiffness == 0.0 || b.stiffness == 0.0) return a.damping + b.damping;
  const double way = b.stiffness / (a.stiffness + b.stiffness); // of a, of all
  return way * way * a.damping + (1.0 - way) * (1.0 - way) * b.damping;
}

// What is left to the normal in both stays so.
static void combine_springs(const ts_builder *builder, const ts_contact_law *a, const ts_contact_law *b,
                            ts_contact_law *law)
{
  law->damping = damping_in_series(ts_law_along_normal(a), ts_law_along_normal(b));
  if (a->tangential_stiffness == 0.0 && b->tangential_stiffness == 0.0) return;
  const ts_spring_constants first = ts_law_along_surface(a), second = ts_law_along_surface(b);
  law->tangential_stiffness = combined_by_series(builder, first.stiffness, second.stiffness);
  law->tangential_damping = damping_in_series(first, second);
}

static ts_contact_law combined_law(const ts_builder *builder, const ts_contact_law *a, const ts_contact_law *b)
{
  const ts_combination rule = builder->friction_rule;
  ts_contact_law law = {.ellipsoid = {combine(rule, a->ellipsoid.x, b->ellipsoid.x),
                                      combine(rule, a->ellipsoid.y, b->ellipsoid.y),
                                      combine(rule, a->ellipsoid.z, b->ellipsoid.z)},
                        .direction = has_direction(a) ? a->direction : b->direction};
#define NUMBER(name, value, range, whose, help) law.name = combined_by_##whose(builder, a->name, b->name);
  TS_LAW_NUMBER_LIST(NUMBER)
#undef NUMBER
  combine_springs(builder, a, b, &law);
  return law;
}

static void make_table(const ts_builder *builder, ts_model *model)
{
  const int n = builder->material_count;
  model->laws = ts_arena_bytes(&model->memory, (size_t)(n + 1) * (size_t)(n + 1), sizeof *model->laws);
  for (int i = 0; i < n; ++i)
    for (int j = i; j <= n; ++j) {
      const ts_contact_law *other = j < n ? &builder->materials[j] : &builder->default_law;
      const ts_contact_law law = combined_law(builder, &builder->materials[i], other);
      model->laws[i * (n + 1) + j] = model->laws[j * (n + 1) + i] = law;
    }
  model->laws[n * (n + 1) + n] = builder->default_law;
  for (int p = 0; p < builder->material_pair_count; ++p) {
    const ts_material_pair *pair = &builder->material_pairs[p];
    model->laws[pair->first * (n + 1) + pair->second] = pair->law;
    model->laws[pair->second * (n + 1) + pair->first] = pair->law;
  }
}

// By bodies; of equal pairs the one that a joint made comes last.
typedef struct ranked_pair {
  ts_body_pair pair;
  bool from_joint;
} ranked_pair;

static int compare_pairs(const void *a, const void *b)
{
  const ranked_pair *first = a, *second = b;
  if (first->pair.first != second->pair.first) return first->pair.first < second->pair.first ? -1 : 1;
  if (first->pair.second != second->pair.second) return first->pair.second < second->pair.second ? -1 : 1;
  return (int)first->from_joint - (int)second->from_joint;
}

static int collect_pairs(const ts_builder *builder, ranked_pair *pairs)
{
  int count = 0;
  for (int i = 0; i < builder->body_pair_count; ++i) pairs[count++] = (ranked_pair){.pair = builder->body_pairs[i]};
  for (int i = 0; i < builder->joint_count; ++i) {
    const int parent = builder->joints[i].parent, child = builder->joints[i].child;
    if (parent == TS_WORLD) continue;
    const ts_body_pair pair = {.first = parent < child ? parent : child, .second = parent < child ? child : parent};
    pairs[count++] = (ranked_pair){pair, true};
  }
  return count;
}

static bool is_same_pair(const ts_body_pair *a, const ts_body_pair *b)
{
  return a->first == b->first && a->second == b->second;
}

static void make_body_pairs(const ts_builder *builder, ts_model *model)
{
  const size_t limit = (size_t)builder->body_pair_count + (size_t)builder->joint_count;
  model->body_pairs = ts_arena_bytes(&model->memory, limit, sizeof *model->body_pairs);
  model->pair_start = ts_arena_ints(&model->memory, (size_t)model->body_count + 1);
  const ts_arena_mark mark = ts_arena_save(&model->memory);
  ranked_pair *sorted = ts_arena_bytes(&model->memory, limit, sizeof *sorted);
  const int count = collect_pairs(builder, sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, compare_pairs);
  model->body_pair_count = 0;
  for (int i = 0; i < count; ++i)
    if (i == 0 || !is_same_pair(&sorted[i].pair, &sorted[i - 1].pair))
      model->body_pairs[model->body_pair_count++] = sorted[i].pair;
  ts_arena_restore(&model->memory, mark);
  for (int body = 0, next = 0; body <= model->body_count; ++body) {
    while (next < model->body_pair_count && model->body_pairs[next].first < body) ++next;
    model->pair_start[body] = next;
  }
}

static bool some_law_is_torsional(const ts_model *model)
{
  const int n = model->material_count + 1;
  for (int i = 0; i < n * n; ++i)
    if (model->laws[i].ellipsoid.z > 0.0) return true;
  for (int i = 0; i < model->body_pair_count; ++i)
    if (model->body_pairs[i].collide && model->body_pairs[i].law.ellipsoid.z > 0.0) return true;
  for (int i = 0; i < model->group_count; ++i)
    if (model->groups[i].law.ellipsoid.z > 0.0) return true;
  return false;
}

ts_status ts_model_make_laws(const ts_builder *builder, ts_model *model, ts_error *error)
{
  if (!is_rule(builder->friction_rule) || !is_rule(builder->restitution_rule))
    return ts_fail(error, TS_INVALID, "the combination rule of friction or restitution is unknown");
  make_table(builder, model);
  make_body_pairs(builder, model);
  TS_TRY(ts_model_make_groups(builder, model, error));
  model->spins = some_law_is_torsional(model);
  return TS_OK;
}

// Whether parts of these materials (material_count: none) are on two bodies that can meet.
static bool materials_meet(const ts_model *model, int row, int column)
{
  for (int p = 0; p < model->part_count; ++p) {
    const ts_part *first = &model->parts[p];
    if ((first->material < 0 ? model->material_count : first->material) != row) continue;
    for (int q = 0; q < model->part_count; ++q) {
      const ts_part *second = &model->parts[q];
      const bool moves =
          model->bodies[first->body].kind == TS_DYNAMIC || model->bodies[second->body].kind == TS_DYNAMIC;
      if ((second->material < 0 ? model->material_count : second->material) != column) continue;
      if (moves && first->body != second->body) return true;
    }
  }
  return false;
}

bool ts_model_rebounds(const ts_model *model)
{
  const int n = model->material_count + 1;
  for (int j = 0; j < model->joint_count; ++j)
    if (model->joints[j].limited && model->joints[j].restitution > 0.0) return true;
  for (int i = 0; i < model->body_pair_count; ++i)
    if (model->body_pairs[i].collide && model->body_pairs[i].law.restitution > 0.0) return true;
  for (int i = 0; i < model->group_count; ++i)
    if (model->groups[i].info.pairs > 0 && model->groups[i].law.restitution > 0.0) return true;
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j)
      if (model->laws[i * n + j].restitution > 0.0 && materials_meet(model, i, j)) return true;
  return false;
}

static const ts_body_pair *find_pair(const ts_model *model, int first, int second)
{
  int low = model->pair_start[first], high = model->pair_start[first + 1];
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (model->body_pairs[middle].second < second)
      low = middle + 1;
    else
      high = middle;
  }
  const bool found = low < model->pair_start[first + 1] && model->body_pairs[low].second == second;
  return found ? &model->body_pairs[low] : NULL;
}

static const ts_contact_law *law_between(const ts_model *model, int body_1, int material_1, int body_2, int material_2)
{
  if (body_1 == body_2) return NULL;
  if (model->bodies[body_1].kind != TS_DYNAMIC && model->bodies[body_2].kind != TS_DYNAMIC) return NULL;
  const ts_body_pair *pair = body_1 < body_2 ? find_pair(model, body_1, body_2) : find_pair(model, body_2, body_1);
  if (pair) return pair->collide ? &pair->law : NULL;
  const ts_group *group = ts_model_group_of(model, body_1, body_2);
  if (group && !group->info.collide) return NULL;
  if (group && group->info.has_law) return &group->law;
  const int n = model->material_count;
  const int row = material_1 < 0 ? n : material_1, column = material_2 < 0 ? n : material_2;
  return &model->laws[row * (n + 1) + column];
}

const ts_contact_law *ts_model_law(const ts_model *model, int part_1, int part_2)
{
  const ts_part *first = &model->parts[part_1], *second = &model->parts[part_2];
  return law_between(model, first->body, first->material, second->body, second->material);
}

bool ts_model_contact_law(const ts_model *model, int part_1, int part_2, ts_contact_law *law)
{
  TS_REQUIRE(model);
  TS_REQUIRE(part_1 >= 0 && part_1 < ts_model_part_count(model));
  TS_REQUIRE(part_2 >= 0 && part_2 < ts_model_part_count(model));
  TS_REQUIRE(law);
  const ts_contact_law *found = law_between(model, model->shape_bodies[part_1], model->shape_materials[part_1],
                                            model->shape_bodies[part_2], model->shape_materials[part_2]);
  if (found) *law = *found;
  return found != NULL;
}
