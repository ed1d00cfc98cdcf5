// Normal forces between recorded states: against the forces of all steps, added up here pair by pair.
#include "whole_file.h"
#include "scratch_folder.h"
#include "world.h"

#include "record/contact_interval.h"

#include "touchstone/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "near.h"

enum { INTERVAL = 40, STEPS = 400, FLOOR = 0, BALL, BLOCK, PAIRS };

// A ball that bounces and a block that rests on its corners.
static void start(world *w)
{
  world_init(w, TS_SPACE_3D);
  world_friction(w, 0.3, 0.5);
  world_floor(w);
  world_add(w, "ball", TS_DYNAMIC, 2.0, shape_sphere(0.1), (ts_vec3){0.0, 0.0, 0.12});
  world_add(w, "block", TS_DYNAMIC, 3.0, shape_box(0.2, 0.2, 0.2), (ts_vec3){1.0, 0.0, 0.1});
  w->options.size = 1e-3;
  w->options.impacts = TS_IMPACT_NEWTON;
  world_start(w);
}

static void accept(ts_status status, const ts_error *error)
{
  if (status != TS_OK) fail_msg("%s", error->text);
}

// Steps first + 1 to last into the file, and the force of each on both bodies.
static void record_steps(ts_recorder *recorder, world *w, int first, int last, double force[STEPS + 1][PAIRS])
{
  ts_error error = {0};
  for (int k = first + 1; k <= last; ++k) {
    world_step(w);
    accept(ts_recorder_add(recorder, w->sim, k % INTERVAL == 0, &error), &error);
    int count;
    const ts_contact *contacts = ts_sim_contacts(w->sim, &count);
    for (int b = 0; b < PAIRS; ++b) force[k][b] = 0.0;
    for (int i = 0; i < count; ++i) force[k][contacts[i].body_1] += contacts[i].impulse[0] / w->options.size;
  }
}

static ts_recorder *begin(const char *path, world *w)
{
  ts_error error = {0};
  ts_recorder *recorder;
  start(w);
  accept(ts_recorder_create(path, w->sim, "scene", &recorder, &error), &error);
  accept(ts_recorder_add(recorder, w->sim, true, &error), &error);
  return recorder;
}

// Numbers of bodies in a file may be others.
static int body_of(const ts_record *record, const ts_recorded_contact *c)
{
  return strcmp(ts_record_body_name(record, c->body_1), "ball") == 0 ? BALL : BLOCK;
}

static void check_record(const char *path, double force[STEPS + 1][PAIRS])
{
  ts_error error = {0};
  ts_record *record;
  int parted = 0;
  accept(ts_record_open(path, &record, &error), &error);
  for (int state = 1; state <= STEPS / INTERVAL; ++state) {
    double mean[PAIRS] = {0.0}, max[PAIRS] = {0.0}, seen_mean[PAIRS] = {0.0}, seen_max[PAIRS] = {0.0};
    for (int k = (state - 1) * INTERVAL + 1; k <= state * INTERVAL; ++k)
      for (int b = 0; b < PAIRS; ++b) {
        mean[b] += force[k][b] / INTERVAL;
        max[b] = fmax(max[b], force[k][b]);
      }
    for (int i = 0; i < ts_record_contact_count(record); ++i) {
      const ts_recorded_contact c = ts_record_contact(record, i);
      if (fabs(c.t - state * INTERVAL * 1e-3) > 1e-9) continue;
      seen_mean[body_of(record, &c)] += c.fn_mean;
      seen_max[body_of(record, &c)] += c.fn_max;
      parted += c.summed == 0;
      if (c.summed == 0) assert_true(c.pn == 0.0 && c.mode == TS_SEPARATE && c.fn_max > 0.0);
    }
    for (int b = BALL; b < PAIRS; ++b) {
      assert_near(seen_mean[b], mean[b], 1e-12 * max[b]);
      assert_near(seen_max[b], max[b], 1e-12 * max[b]);
    }
  }
  assert_true(parted > 0); // the ball bounces between states
  ts_record_close(record);
}

static void rows_have_what_happened_between_states(void **state)
{
  static const char *const names[] = {"run.h5", "run.csv"};
  for (int k = 0; k < 2; ++k) {
    static double force[STEPS + 1][PAIRS];
    world w;
    ts_error error = {0};
    const char *path = scratch_path(*state, names[k]);
    ts_recorder *recorder = begin(path, &w);
    record_steps(recorder, &w, 0, STEPS, force);
    accept(ts_recorder_close(recorder, w.sim, &error), &error);
    check_record(path, force);
    world_release(&w);
  }
}

// In the middle of an interval, with an impact behind it.
static void a_resumed_run_has_the_same_rows(void **state)
{
  static double force[STEPS + 1][PAIRS];
  static const int ends[] = {27, 69, 161};
  for (int k = 0; k < 3; ++k) {
    world w;
    ts_error error = {0};
    const char *whole = scratch_path(*state, "whole.h5"), *path = scratch_path(*state, "run.h5");
    ts_recorder *recorder = begin(whole, &w);
    record_steps(recorder, &w, 0, STEPS, force);
    accept(ts_recorder_close(recorder, w.sim, &error), &error);
    world_release(&w);
    recorder = begin(path, &w);
    record_steps(recorder, &w, 0, ends[k], force);
    accept(ts_recorder_close(recorder, w.sim, &error), &error);
    ts_record *part;
    accept(ts_record_open(path, &part, &error), &error);
    accept(ts_recorder_resume(path, part, w.sim, "scene", &recorder, &error), &error);
    ts_record_close(part);
    record_steps(recorder, &w, ends[k], STEPS, force);
    accept(ts_recorder_close(recorder, w.sim, &error), &error);
    world_release(&w);
    assert_same_files(whole, path);
  }
}

// Pairs of 40 bodies with each other, and of every third also with the world; of each a contact and a support.
static void make_contacts(ts_contact *contacts, int count, int bodies)
{
  for (int i = 0; i < count; ++i) {
    const int pair = i / 2, other = pair / bodies;
    contacts[i] = (ts_contact){.body_1 = pair % bodies,
                               .body_2 = other == 0 ? TS_WORLD : other,
                               .support = i % 2 == 1,
                               .point = {i, 1.0, -i},
                               .normal = {0.0, i, 2.0},
                               .tangent = {3.0, 0.5, i},
                               .impulse = {1.0 + i},
                               .gap = -i};
  }
}

// What the pair was when it was last seen; nothing presses.
static void check_parted(const ts_touching_pair *pair, const ts_contact *last)
{
  const ts_contact parted = ts_parted_contact(pair);
  assert_int_equal(parted.body_1, last->body_1);
  assert_int_equal(parted.body_2, last->body_2);
  assert_int_equal(parted.support, last->support);
  assert_vec_near(parted.point, last->point, 0.0);
  assert_vec_near(parted.normal, last->normal, 0.0);
  assert_vec_near(parted.tangent, last->tangent, 0.0);
  assert_true(parted.gap == last->gap && parted.impulse[0] == 0.0 && parted.mode == TS_SEPARATE);
}

// Many pairs, and numbers that no run has saved.
static void pairs_are_saved_and_loaded(void **state)
{
  (void)state;
  enum { MANY = 500, BODIES = 40 };
  ts_contact contacts[MANY];
  make_contacts(contacts, MANY, BODIES);
  ts_contact_interval a = {0}, b = {0};
  assert_true(ts_contact_interval_size(&a) == 0);
  assert_true(ts_contact_interval_add(&a, 0.5, contacts, MANY));
  assert_true(ts_contact_interval_add(&a, 0.5, contacts, MANY / 2));
  const size_t size = ts_contact_interval_size(&a);
  double *numbers = malloc(size * sizeof *numbers);
  ts_contact_interval_save(&a, numbers);
  assert_true(ts_contact_interval_load(&b, numbers, size, BODIES));
  assert_int_equal(a.count, MANY);
  assert_int_equal(b.count, MANY);
  for (int i = 0; i < MANY; ++i) {
    const ts_touching_pair *one = ts_contact_interval_pair(&a, &contacts[i]);
    const ts_touching_pair *other = ts_contact_interval_pair(&b, &contacts[i]);
    assert_true(one->sum == other->sum && one->max == other->max);
    assert_true(one->max == 2.0 * (1.0 + i) && one->sum == (i < MANY / 2 ? 2.0 : 1.0) * one->max);
    check_parted(one, &contacts[i]);
    check_parted(other, &contacts[i]);
  }
  assert_false(ts_contact_interval_load(&b, numbers, size - 1, BODIES));
  numbers[1] = BODIES;
  assert_false(ts_contact_interval_load(&b, numbers, size, BODIES));
  numbers[1] = 0.0;
  numbers[0] = NAN;
  assert_false(ts_contact_interval_load(&b, numbers, size, BODIES));
  assert_true(ts_contact_interval_load(&b, NULL, 0, BODIES));
  assert_int_equal(b.count, 0);
  free(numbers);
  ts_contact_interval_release(&a);
  ts_contact_interval_release(&b);
}

#define scratch_test(test) cmocka_unit_test_setup_teardown(test, scratch_folder_set_up, scratch_folder_tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {scratch_test(rows_have_what_happened_between_states),
                                     scratch_test(a_resumed_run_has_the_same_rows),
                                     cmocka_unit_test(pairs_are_saved_and_loaded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
