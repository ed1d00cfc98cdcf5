// Manifests: the number of a study is the same on every machine and in every version, so that what was begun is
// continued; lines that may change are not part of it.
#include "study/manifest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

// By a program in another language: FNV-1a of the lines and the end of splitmix64, both as published.
static void the_number_of_a_study_stays(void **state)
{
  (void)state;
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  ts_manifest manifest = {NULL, NULL};
  assert_int_equal(ts_manifest_hash(&manifest, 0), UINT64_C(0xf52a15e9a9b5e89b));
  ts_manifest_add(&manifest, &arena, "samples.seed", "7");
  ts_manifest_print(&manifest, &arena, "vary.mu", "uniform from %.1f to %.1f", 0.1, 0.2);
  assert_int_equal(ts_manifest_hash(&manifest, 7), UINT64_C(0xf7508fd443a08d39));
  ts_manifest_add(&manifest, &arena, "samples", "30")->may_change = TS_MANIFEST_EXTENDED;
  assert_int_equal(ts_manifest_hash(&manifest, 7), UINT64_C(0xf7508fd443a08d39));
  ts_arena_release(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_number_of_a_study_stays)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
