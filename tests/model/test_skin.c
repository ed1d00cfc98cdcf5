// Soft skins in models: which are refused, and what becomes of matrices that hold nothing in some direction.
#include "model/builder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "near.h"
#include "world.h"

static void check(const ts_skin *skin, bool planar, const char *sentence)
{
  ts_error error;
  const ts_status status = ts_skin_check(skin, planar, "pad", &error);
  assert_int_equal(status, sentence ? TS_INVALID : TS_OK);
  if (sentence) assert_string_equal(error.text, sentence);
}

static void skins_that_cannot_be_are_refused(void **state)
{
  (void)state;
  static const char *const stiff = "body 'pad': the stiffness of its skin is not positive semidefinite";
  static const char *const damp = "body 'pad': the damping of its skin is not positive semidefinite";
  static const char *const thin = "body 'pad': the thickness of a skin must be positive and finite";
  check(&(ts_skin){0}, false, NULL); // none
  check(&(ts_skin){.thickness = 0.1, .stiffness = {100.0}}, false, NULL);
  check(&(ts_skin){.stiffness = {100.0}}, false, thin);
  check(&(ts_skin){.thickness = -0.1, .stiffness = {100.0}}, false, thin);
  check(&(ts_skin){.thickness = INFINITY, .stiffness = {100.0}}, false, thin);
  check(&(ts_skin){.thickness = 0.1}, false, "body 'pad': a skin needs stiffness along its normal");
  check(&(ts_skin){.thickness = 0.1, .stiffness = {NAN}}, false, stiff);
  check(&(ts_skin){.thickness = 0.1, .stiffness = {100.0, -1.0, 0.0}}, false, stiff);
  check(&(ts_skin){.thickness = 0.1, .stiffness = {100.0, 0.0, 0.0, 1.0, 0.0, 0.0}}, false, stiff);
  check(&(ts_skin){.thickness = 0.1, .stiffness = {4.0, 9.0, 0.0, 6.0}}, false, NULL); // just so: 4 * 9 = 6 * 6
  check(&(ts_skin){.thickness = 0.1, .stiffness = {4.0, 9.0, 0.0, 6.001}}, false, stiff);
  check(&(ts_skin){.thickness = 0.1, .stiffness = {3.0, 3.0, 3.0, -1.6, -1.6, -1.6}}, false, stiff); // 3 - 2 * 1.6 < 0
  check(&(ts_skin){.thickness = 0.1, .stiffness = {3.0, 3.0, 3.0, -1.4, -1.4, -1.4}}, false, NULL);
  check(&(ts_skin){.thickness = 0.1, .stiffness = {4.0, 9.0, -5.0}}, true, NULL); // the plane has no o
  check(&(ts_skin){.thickness = 0.1, .stiffness = {4.0, 9.0}, .damping = {1.0, 1.0, 1.0, 0.0, 0.0, -1.1}}, false, damp);
  check(&(ts_skin){.thickness = 0.1, .stiffness = {4.0}, .direction = {NAN, 0.0, 0.0}}, false,
        "body 'pad': the direction of its skin must be finite");
}

static double product(const double A[9], const double x[3])
{
  double sum = 0.0;
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) sum += x[r] * A[3 * c + r] * x[c];
  return sum;
}

// K = k v v^T holds along v alone. Across, a millionth is added; along v nothing changes.
static void what_holds_nothing_gets_a_millionth(void **state)
{
  (void)state;
  ts_arena arena;
  jmp_buf recovery;
  ts_arena_init(&arena, NULL);
  arena.recovery = &recovery;
  assert_int_equal(setjmp(recovery), 0);
  const double v[3] = {2.0 / 3.0, 2.0 / 3.0, 1.0 / 3.0}, across[3] = {1.0 / sqrt(2.0), -1.0 / sqrt(2.0), 0.0};
  const double k = 900.0;
  const ts_skin one = {.thickness = 0.1,
                       .stiffness = {k * v[0] * v[0], k * v[1] * v[1], k * v[2] * v[2], k * v[0] * v[1],
                                     k * v[0] * v[2], k * v[1] * v[2]}};
  const ts_soft_skin *made = ts_skin_make(&one, false, &arena);
  assert_near(product(made->K, v), k, 1e-12 * k);
  assert_near(product(made->K, across), 1e-6 * k, 1e-12 * k);
  assert_false(made->slick || made->round);
  const ts_skin normal = {.thickness = 0.1, .stiffness = {k}};
  made = ts_skin_make(&normal, false, &arena);
  assert_true(made->slick && made->round);
  assert_true(made->K[0] == k);
  const ts_skin round = {.thickness = 0.1, .stiffness = {k, 500.0, 500.0}, .damping = {1.0, 2.0, 3.0}};
  made = ts_skin_make(&round, false, &arena);
  assert_false(made->round || made->slick); // dampers are not the same along all tangents
  assert_null(ts_skin_make(&(ts_skin){0}, false, &arena));
  ts_arena_release(&arena);
}

// A skin as thick as its body is deep leaves no core; a half-space is deep enough for any.
static void skins_leave_a_core(void **state)
{
  (void)state;
  static const struct {
    double thickness;
    const char *sentence;
  } cases[] = {{0.19, NULL}, {0.2, "body 'ball': a skin of 0.2 m leaves no core, the shape is 0.2 m deep"}};
  for (int k = 0; k < 2; ++k) {
    world w;
    ts_error error;
    world_init(&w, TS_SPACE_3D);
    ts_part_def part = ts_part_def_default();
    part.skin = (ts_skin){.thickness = 50.0, .stiffness = {100.0}};
    part.shape = shape_plane((ts_vec3){0.0, 0.0, 1.0}, 0.0);
    ts_body_def body = ts_body_def_default();
    body.name = "floor";
    body.kind = TS_FIXED;
    assert_int_equal(ts_builder_add_body(w.builder, &body, &part.body, &error), TS_OK);
    assert_int_equal(ts_builder_add_part(w.builder, &part, NULL, &error), TS_OK);
    body.name = "ball";
    body.kind = TS_DYNAMIC;
    body.pose.position.z = 1.0;
    part.shape = shape_sphere(0.2);
    part.skin.thickness = cases[k].thickness;
    assert_int_equal(ts_builder_add_body(w.builder, &body, &part.body, &error), TS_OK);
    assert_int_equal(ts_builder_add_part(w.builder, &part, NULL, &error), TS_OK);
    const ts_status status = ts_builder_finish(w.builder, &w.model, &error);
    assert_int_equal(status, cases[k].sentence ? TS_INVALID : TS_OK);
    if (cases[k].sentence) assert_string_equal(error.text, cases[k].sentence);
    if (status == TS_OK) assert_int_equal(w.model->skin_count, 2);
    world_release(&w);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(skins_that_cannot_be_are_refused),
      cmocka_unit_test(what_holds_nothing_gets_a_millionth),
      cmocka_unit_test(skins_leave_a_core),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
