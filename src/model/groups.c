#include "model/groups.h"

#include "base/require.h"
#include "base/status.h"

#include <string.h>

// ---- classes -------------------------------------------------------------------------------------------------------

// Bodies told apart by the lists that they are in: every list splits the classes that it has a part of.
typedef struct partition {
  int *class_of;     // bodies
  int *split;        // of a class that a list has a part of, the class of that part
  int *split_by;     // list that did it
  int count, listed; // classes, and lists so far
} partition;

static void split_by(partition *p, const int *bodies, int count)
{
  const int list = ++p->listed;
  for (int i = 0; i < count; ++i) {
    const int old = p->class_of[bodies[i]];
    if (p->split_by[old] != list) {
      p->split_by[old] = list;
      p->split[old] = p->count;
      p->split_by[p->count++] = 0;
    }
    p->class_of[bodies[i]] = p->split[old];
  }
}

// Classes that are empty by now have no number. Returns how many there are.
static int renumber(const partition *p, int bodies, int *body_class, ts_arena *arena)
{
  int count = 0, *number = ts_arena_ints(arena, (size_t)p->count);
  for (int c = 0; c < p->count; ++c) number[c] = -1;
  for (int b = 0; b < bodies; ++b) {
    if (number[p->class_of[b]] < 0) number[p->class_of[b]] = count++;
    body_class[b] = number[p->class_of[b]];
  }
  return count;
}

static int classify(const ts_builder *builder, int *body_class, ts_arena *arena)
{
  size_t most = 1; // every entry of a list may begin a class
  for (int g = 0; g < builder->group_count; ++g)
    most += (size_t)builder->groups[g].group_count + (size_t)builder->groups[g].with_count;
  partition p = {.class_of = ts_arena_ints(arena, (size_t)builder->body_count),
                 .split = ts_arena_ints(arena, most),
                 .split_by = ts_arena_ints(arena, most),
                 .count = 1};
  p.split_by[0] = 0;
  memset(p.class_of, 0, (size_t)builder->body_count * sizeof *p.class_of);
  for (int g = 0; g < builder->group_count; ++g) {
    split_by(&p, builder->groups[g].group, builder->groups[g].group_count);
    split_by(&p, builder->groups[g].with, builder->groups[g].with_count);
  }
  return renumber(&p, builder->body_count, body_class, arena);
}

// ---- the table -----------------------------------------------------------------------------------------------------

// Classes of bodies, each once. `mark` (class_count) is a number below `stamp` before.
static int classes_of(const ts_model *model, const int *bodies, int count, int stamp, int *mark, int *classes)
{
  int found = 0;
  for (int i = 0; i < count; ++i) {
    const int c = model->body_class[bodies[i]];
    if (mark[c] == stamp) continue;
    mark[c] = stamp;
    classes[found++] = c;
  }
  return found;
}

static void fill_table(const ts_builder *builder, ts_model *model)
{
  const size_t n = (size_t)model->class_count;
  int *mark = ts_arena_ints(&model->memory, n), *first = ts_arena_ints(&model->memory, n);
  int *second = ts_arena_ints(&model->memory, n);
  memset(mark, 0, n * sizeof *mark);
  for (int g = 0; g < builder->group_count; ++g) {
    const ts_group_def *def = &builder->groups[g];
    const bool within = def->with_count == 0;
    const int rows = classes_of(model, def->group, def->group_count, 2 * g + 1, mark, first);
    const int columns = within ? classes_of(model, def->group, def->group_count, 2 * g + 2, mark, second)
                               : classes_of(model, def->with, def->with_count, 2 * g + 2, mark, second);
    for (int i = 0; i < rows; ++i)
      for (int k = 0; k < columns; ++k) {
        const size_t row = (size_t)first[i], column = (size_t)second[k];
        model->class_group[row * n + column] = model->class_group[column * n + row] = (uint16_t)(g + 1);
      }
  }
}

// ---- what it comes to ----------------------------------------------------------------------------------------------

static long long pairs_among(long long bodies)
{
  return bodies * (bodies - 1) / 2;
}

// Pairs of bodies that a rule decides: those of its classes, less those that have a rule of their own.
static void count_pairs(ts_model *model)
{
  const size_t n = (size_t)model->class_count;
  int *all = ts_arena_ints(&model->memory, n), *still = ts_arena_ints(&model->memory, n);
  memset(all, 0, n * sizeof *all);
  memset(still, 0, n * sizeof *still);
  for (int b = 0; b < model->body_count; ++b) {
    ++all[model->body_class[b]];
    still[model->body_class[b]] += model->bodies[b].kind != TS_DYNAMIC;
  }
  for (size_t i = 0; i < n; ++i)
    for (size_t k = i; k < n; ++k) {
      const int number = model->class_group[i * n + k];
      if (number == 0) continue;
      const long long pairs = i == k ? pairs_among(all[i]) - pairs_among(still[i])
                                     : (long long)all[i] * all[k] - (long long)still[i] * still[k];
      model->groups[number - 1].info.pairs += pairs;
    }
  for (int p = 0; p < model->body_pair_count; ++p) {
    const ts_body_pair *pair = &model->body_pairs[p];
    const ts_group *group = ts_model_group_of(model, pair->first, pair->second);
    const bool moves = model->bodies[pair->first].kind == TS_DYNAMIC || model->bodies[pair->second].kind == TS_DYNAMIC;
    if (group && moves) --model->groups[group - model->groups].info.pairs;
  }
}

static ts_group group_of(const ts_group_def *def)
{
  ts_group group = {.info = {.group_count = def->group_count,
                             .with_count = def->with_count,
                             .collide = def->collide,
                             .has_law = def->law != NULL}};
  if (def->law) group.law = *def->law;
  return group;
}

ts_status ts_model_make_groups(const ts_builder *builder, ts_model *model, ts_error *error)
{
  const int count = builder->group_count;
  if (count == 0) return TS_OK;
  model->groups = ts_arena_bytes(&model->memory, (size_t)count, sizeof *model->groups);
  for (int g = 0; g < count; ++g) model->groups[g] = group_of(&builder->groups[g]);
  model->body_class = ts_arena_ints(&model->memory, (size_t)model->body_count);
  ts_arena_mark mark = ts_arena_save(&model->memory);
  model->class_count = classify(builder, model->body_class, &model->memory);
  ts_arena_restore(&model->memory, mark);
  if (model->class_count > TS_MOST_CLASSES)
    return ts_fail(error, TS_UNSUPPORTED, "groups tell bodies apart in %d ways, at most %d are possible",
                   model->class_count, TS_MOST_CLASSES);
  const size_t entries = (size_t)model->class_count * (size_t)model->class_count;
  model->class_group = ts_arena_bytes(&model->memory, entries, sizeof *model->class_group);
  memset(model->class_group, 0, entries * sizeof *model->class_group);
  model->group_count = count;
  mark = ts_arena_save(&model->memory);
  fill_table(builder, model);
  count_pairs(model);
  ts_arena_restore(&model->memory, mark);
  return TS_OK;
}

int ts_model_group_count(const ts_model *model)
{
  TS_REQUIRE(model);
  return model->group_count;
}

ts_group_info ts_model_group(const ts_model *model, int group)
{
  TS_REQUIRE(model);
  TS_REQUIRE(group >= 0 && group < model->group_count);
  return model->groups[group].info;
}
