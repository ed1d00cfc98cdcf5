// What a design is, as lines of text that people can read when one of them has changed.
#include "study/design.h"

#include "study/bytes.h"

#include "base/hash.h"

#include <stdio.h>
#include <string.h>

enum { FEW = 8 }; // values that are listed; of more, how many there are and their checksum tell

static uint64_t checksum(const double *numbers, int count)
{
  uint64_t hash = TS_HASH_BEGIN;
  for (int i = 0; i < count; ++i) {
    unsigned char bytes[8];
    ts_bytes_put_double(bytes, numbers[i]);
    hash = ts_hash_bytes(hash, bytes, sizeof bytes);
  }
  return hash;
}

static size_t list_numbers(const double *numbers, int count, char *text, size_t size)
{
  size_t used = 0;
  if (count > FEW)
    return (size_t)snprintf(text, size, "%d from %.17g to %.17g, checksum %016llx", count, numbers[0],
                            numbers[count - 1], (unsigned long long)checksum(numbers, count));
  for (int i = 0; i < count; ++i)
    used += (size_t)snprintf(text + used, size - used, "%s%.17g", i ? ", " : "", numbers[i]);
  return used;
}

// "values 1, 2, 3", "uniform from 0 to 1".
static void describe_numbers(const ts_variation *from, char *text, size_t size)
{
  size_t used = 0;
  switch (from->kind) {
  case TS_VARY_UNIFORM:
  case TS_VARY_LOG_UNIFORM:
    snprintf(text, size, "%suniform from %.17g to %.17g", from->kind == TS_VARY_LOG_UNIFORM ? "log-" : "", from->low,
             from->high);
    break;
  case TS_VARY_NORMAL:
    used = (size_t)snprintf(text, size, "normal with mean %.17g and deviation %.17g", from->mean, from->deviation);
    if (from->low != from->high) snprintf(text + used, size - used, " from %.17g to %.17g", from->low, from->high);
    break;
  case TS_VARY_TRIANGULAR:
    snprintf(text, size, "triangular from %.17g over %.17g to %.17g", from->low, from->mode, from->high);
    break;
  default:
    used = (size_t)snprintf(text, size, from->kind == TS_VARY_DISCRETE ? "one of " : "values ");
    used += list_numbers(from->values, from->count, text + used, size - used);
    if (from->axis > 0) used += (size_t)snprintf(text + used, size - used, "; of table %d", from->axis);
    if (!from->weights) break;
    used += (size_t)snprintf(text + used, size - used, "; weights ");
    list_numbers(from->weights, from->count, text + used, size - used);
  }
}

static void describe_variation(const ts_variation *from, const char *prefix, ts_manifest *manifest, ts_arena *arena)
{
  char key[320], text[512];
  snprintf(key, sizeof key, "%s%s", prefix, from->name);
  if (from->kind == TS_VARY_EXPRESSION) {
    ts_manifest_add(manifest, arena, key, from->expression);
    return;
  }
  describe_numbers(from, text, sizeof text);
  ts_manifest_add(manifest, arena, key, text);
}

ts_manifest_line *ts_design_describe(const ts_study_def *def, const char *prefix, ts_manifest *manifest,
                                     ts_arena *arena)
{
  char key[64];
  snprintf(key, sizeof key, "%svary.", prefix);
  for (int i = 0; i < def->variation_count; ++i) describe_variation(&def->variations[i], key, manifest, arena);
  snprintf(key, sizeof key, "%ssampling", prefix);
  ts_manifest_add(manifest, arena, key, ts_sampling_names[def->sampling]);
  snprintf(key, sizeof key, "%sseed", prefix);
  ts_manifest_print(manifest, arena, key, "%llu", (unsigned long long)def->seed);
  snprintf(key, sizeof key, "%ssamples", prefix);
  return ts_manifest_print(manifest, arena, key, "%llu", (unsigned long long)def->samples);
}
