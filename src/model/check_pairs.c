// What a builder refuses of contact laws, and of pairs and groups that have them.
#include "model/check_inside.h"

#include "base/status.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { MOST_MATERIALS = 1000 }; // every pair of them has an entry in a table

ts_status ts_check_material(const ts_builder *builder, const char *name, const ts_contact_law *law, ts_error *error)
{
  TS_TRY(ts_check_name(&builder->material_names, name, "material", error));
  if (builder->material_count >= MOST_MATERIALS)
    return ts_fail(error, TS_UNSUPPORTED, "material '%s': a model has at most %d materials", name, MOST_MATERIALS);
  char whose[TS_LONGEST_NAME + 32];
  snprintf(whose, sizeof whose, "material '%s'", name);
  return ts_check_law(builder, law, whose, error);
}

ts_status ts_check_material_pair(const ts_builder *builder, int first, int second, const ts_contact_law *law,
                                 ts_error *error)
{
  TS_TRY(ts_check_index(first, builder->material_count, "material", error));
  TS_TRY(ts_check_index(second, builder->material_count, "material", error));
  const char *name_1 = builder->material_names.names[first], *name_2 = builder->material_names.names[second];
  for (int i = 0; i < builder->material_pair_count; ++i) {
    const ts_material_pair *other = &builder->material_pairs[i];
    if ((other->first == first && other->second == second) || (other->first == second && other->second == first))
      return ts_fail(error, TS_INVALID, "the pair of materials '%s' and '%s' is given twice", name_1, name_2);
  }
  char whose[2 * TS_LONGEST_NAME + 64];
  snprintf(whose, sizeof whose, "materials '%s' and '%s'", name_1, name_2);
  return ts_check_law(builder, law, whose, error);
}

ts_status ts_check_body_pair(const ts_builder *builder, int first, int second, const ts_contact_law *law,
                             ts_error *error)
{
  TS_TRY(ts_check_index(first, builder->body_count, "body", error));
  TS_TRY(ts_check_index(second, builder->body_count, "body", error));
  const char *name_1 = ts_checked_name(builder, first), *name_2 = ts_checked_name(builder, second);
  if (first == second) return ts_fail(error, TS_INVALID, "body '%s': a pair has two different bodies", name_1);
  const int low = first < second ? first : second, high = first < second ? second : first;
  for (int i = 0; i < builder->body_pair_count; ++i)
    if (builder->body_pairs[i].first == low && builder->body_pairs[i].second == high)
      return ts_fail(error, TS_INVALID, "the pair of bodies '%s' and '%s' is given twice", name_1, name_2);
  if (!law) return TS_OK;
  char whose[2 * TS_LONGEST_NAME + 64];
  snprintf(whose, sizeof whose, "bodies '%s' and '%s'", name_1, name_2);
  return ts_check_law(builder, law, whose, error);
}

static ts_status check_members(const ts_builder *builder, const int *bodies, int count, ts_error *error)
{
  if (count < 0 || (count > 0 && !bodies)) return ts_fail(error, TS_INVALID, "a group has %d bodies", count);
  for (int i = 0; i < count; ++i) TS_TRY(ts_check_index(bodies[i], builder->body_count, "body", error));
  return TS_OK;
}

ts_status ts_check_group(const ts_builder *builder, const ts_group_def *def, ts_error *error)
{
  TS_TRY(ts_check_cookie(def->cookie, TS_GROUP_COOKIE, "ts_group_def_default", error));
  if (builder->group_count >= TS_MOST_GROUPS)
    return ts_fail(error, TS_UNSUPPORTED, "a model has at most %d groups", TS_MOST_GROUPS);
  TS_TRY(check_members(builder, def->group, def->group_count, error));
  TS_TRY(check_members(builder, def->with, def->with_count, error));
  if (def->group_count == 0) return ts_fail(error, TS_INVALID, "a group has no bodies");
  if (def->group_count == 1 && def->with_count == 0)
    return ts_fail(error, TS_INVALID, "a group of '%s' alone has no pairs", ts_checked_name(builder, def->group[0]));
  if (def->law && !def->collide) return ts_fail(error, TS_INVALID, "a group that does not collide has no contact law");
  return def->law ? ts_check_law(builder, def->law, "a group", error) : TS_OK;
}
