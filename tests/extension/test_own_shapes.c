// Shapes that a program defines with the public headers: a ball that must do what the library's sphere does, answers
// that make no sense, and definitions and models that lack something.
#include "touchstone/touchstone.h"

#include "math/vec3.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

// ---- a ball --------------------------------------------------------------------------------------------------------

static const ts_parameter ball_parameters[] = {{"radius", 0.1, 1e-6, 1e3, "m", "of the ball"}};

static ts_shape_extent ball_extent(void *user, const double *p)
{
  (void)user;
  return (ts_shape_extent){{-p[0], -p[0], -p[0]}, {p[0], p[0], p[0]}, p[0]};
}

static ts_mass_properties ball_mass(void *user, const double *p)
{
  (void)user;
  const double volume = 4.0 / 3.0 * TS_PI * p[0] * p[0] * p[0], moment = 0.4 * volume * p[0] * p[0];
  return (ts_mass_properties){.volume = volume, .inertia = {moment, moment, moment}};
}

// Of its centre from all shapes of the library, and from its like.
static bool ball_touch(void *user, const double *p, const ts_neighbour *other, double margin, ts_touches *touches)
{
  const ts_vec3 centre = {0.0, 0.0, 0.0};
  ts_separation s;
  (void)user, (void)margin;
  if (ts_neighbour_shape(other)->kind == TS_SHAPE_OWN) {
    const ts_vec3 away = ts_negate(ts_neighbour_point(other, centre));
    const double distance = ts_length(away);
    s.normal = ts_scale(1.0 / distance, away);
    s.gap = distance - ts_neighbour_shape(other)->parameters[0];
  } else {
    ts_neighbour_distance(other, centre, &s);
  }
  ts_touches_add(touches, ts_scale(-p[0], s.normal), s.normal, s.gap - p[0], 7);
  return true;
}

static const char *const its_like[] = {"ball", NULL};
static const ts_shape_def ball_def = {.name = "ball",
                                      .summary = "a ball",
                                      .parameters = ball_parameters,
                                      .parameter_count = 1,
                                      .kinds = (1u << TS_SHAPE_COUNT) - 1u,
                                      .others = its_like,
                                      .measure = ball_extent,
                                      .mass = ball_mass,
                                      .touch = ball_touch};

static ts_status parse(const ts_extensions *extensions, const char *text, ts_scene **scene, ts_error *error)
{
  const ts_scene_request request = {.extensions = extensions};
  return ts_scene_parse_with(text, strlen(text), "balls", &request, scene, error);
}

static ts_extensions *set_with(const ts_shape_def *def)
{
  ts_extensions *extensions = ts_extensions_create();
  ts_error error = {0};
  if (ts_extensions_add_shape(extensions, def, &error) != TS_OK) fail_msg("%s", error.text);
  return extensions;
}

static ts_sim *sim_of(const ts_scene *scene)
{
  ts_sim *sim;
  ts_error error = {0};
  if (ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, &error) != TS_OK)
    fail_msg("%s", error.text);
  return sim;
}

// Balls that roll, bounce against each other, a box, a cylinder, an obstacle of two parts side by side and the floor.
static const char CROWD[] =
    "touchstone: 1\n"
    "contact: {friction: 0.4}\n"
    "bodies:\n"
    "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "- {name: walls, kind: fixed, shapes: [{box: {size: [0.2, 2, 0.6]}, position: [1, 0, 0.3]}, "
    "{box: {size: [0.2, 2, 0.6]}, position: [1.2, 0, 0.3]}]}\n"
    "- {name: first, density: 100, shape: {%s: {%s}}, position: [0, 0, 0.1], velocity: [2, 0, 0]}\n"
    "- {name: second, density: 300, shape: {%s: {%s}}, position: [0.4, 0.05, 0.1]}\n"
    "- {name: third, density: 100, shape: {%s: {%s}}, position: [0.45, 0.1, 0.35]}\n"
    "- {name: box, density: 200, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [0.7, 0.1, 0.1]}\n"
    "- {name: can, density: 200, shape: {cylinder: {radius: 0.1, length: 0.3}}, "
    "position: [-0.3, 0.05, 0.15]}\n"
    "step: {size: 1e-3, method: %s}\n";

static ts_scene *crowd(const ts_extensions *extensions, const char *method, const char *kind, const char *keys)
{
  char text[2048];
  ts_scene *scene;
  ts_error error = {0};
  snprintf(text, sizeof text, CROWD, kind, keys, kind, keys, kind, keys, method);
  if (parse(extensions, text, &scene, &error) != TS_OK) fail_msg("%d:%d: %s", error.line, error.column, error.text);
  return scene;
}

static void a_ball_does_what_a_sphere_does(void **state)
{
  (void)state;
  ts_extensions *extensions = set_with(&ball_def);
  const char *const methods[] = {"stewart-trinkle", "velocity"};
  for (int m = 0; m < 2; ++m) {
    ts_scene *scenes[2] = {crowd(extensions, methods[m], "sphere", "radius: 0.1"),
                           crowd(extensions, methods[m], "own", "type: ball, parameters: {radius: 0.1}")};
    ts_sim *sims[2] = {sim_of(scenes[0]), sim_of(scenes[1])};
    int met = 0;
    for (int k = 0; k < 600; ++k) {
      int counts[2];
      for (int i = 0; i < 2; ++i) {
        assert_int_equal(ts_sim_step(sims[i], NULL), TS_OK);
        assert_true(ts_sim_report(sims[i])->certified);
        ts_sim_contacts(sims[i], &counts[i]);
      }
      met = counts[1] > met ? counts[1] : met;
      for (int b = 2; b < 7; ++b) {
        const ts_vec3 one = ts_sim_pose(sims[0], b).position, other = ts_sim_pose(sims[1], b).position;
        if (!(ts_distance_of(one, other) < 2e-6))
          fail_msg("step %d, body %d: %g m apart", k, b, ts_distance_of(one, other));
      }
    }
    assert_true(met >= 11); // 4 + 4 corners of box and can, and balls that touch
    for (int i = 0; i < 2; ++i) {
      ts_sim_destroy(sims[i]);
      ts_scene_destroy(scenes[i]);
    }
  }
  ts_extensions_destroy(extensions);
}

static double energy_of(const ts_sim *sim)
{
  return ts_sim_report(sim)->kinetic_energy + ts_sim_report(sim)->potential_energy;
}

// A run that is resumed goes on to the last bit, warm starts included.
static void checkpoints_resume_to_the_last_bit(void **state)
{
  (void)state;
  ts_extensions *extensions = set_with(&ball_def);
  ts_scene *scene = crowd(extensions, "stewart-trinkle", "own", "type: ball");
  ts_sim *whole = sim_of(scene), *resumed = sim_of(scene);
  for (int k = 0; k < 250; ++k) assert_int_equal(ts_sim_step(whole, NULL), TS_OK);
  double saved[4096];
  const size_t size = ts_sim_state_size(whole);
  assert_true(size <= sizeof saved / sizeof saved[0]);
  assert_int_equal(ts_sim_save(whole, saved, size, NULL), TS_OK);
  assert_int_equal(ts_sim_load(resumed, saved, size, NULL), TS_OK);
  for (int k = 0; k < 250; ++k) {
    assert_int_equal(ts_sim_step(whole, NULL), TS_OK);
    assert_int_equal(ts_sim_step(resumed, NULL), TS_OK);
    assert_true(energy_of(whole) == energy_of(resumed));
  }
  ts_sim_destroy(whole);
  ts_sim_destroy(resumed);
  ts_scene_destroy(scene);
  ts_extensions_destroy(extensions);
}

static const char ONE[] =
    "touchstone: 1\nbodies:\n"
    "- {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "- {name: thing, mass: 1, inertia: [1, 1, 1], shape: {own: {type: %s}}, position: [0, 0, %s]}\n"
    "step: {size: 1e-3}\n";

static ts_scene *one(const ts_extensions *extensions, const char *type, const char *height)
{
  char text[1024];
  ts_scene *scene;
  ts_error error = {0};
  snprintf(text, sizeof text, ONE, type, height);
  if (parse(extensions, text, &scene, &error) != TS_OK) fail_msg("%d:%d: %s", error.line, error.column, error.text);
  return scene;
}

// What shoots through a wall within a step is seen, as a sphere is.
static void passages_are_seen(void **state)
{
  (void)state;
  ts_extensions *extensions = set_with(&ball_def);
  const char *const shapes[] = {"sphere: {radius: 0.01}", "own: {type: ball, parameters: {radius: 0.01}}"};
  for (int i = 0; i < 2; ++i) {
    char text[1024];
    ts_scene *scene;
    ts_error error = {0};
    snprintf(text, sizeof text,
             "touchstone: 1\ngravity: [0, 0, 0]\nbodies:\n"
             "- {name: wall, kind: fixed, shape: {box: {size: [0.02, 2, 2]}}}\n"
             "- {name: bat, mass: 100, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [-0.45, 0, 0], "
             "velocity: [900, 0, 0]}\n"
             "- {name: pea, mass: 1e-3, shape: {%s}, position: [-0.3, 0, 0]}\n"
             "pairs: [{bodies: [bat, wall], collide: false}]\n"
             "step: {size: 1e-3, max_substeps: 1}\n",
             shapes[i]);
    if (parse(extensions, text, &scene, &error) != TS_OK) fail_msg("%d:%d: %s", error.line, error.column, error.text);
    ts_sim *sim = sim_of(scene);
    assert_int_equal(ts_sim_step(sim, NULL), TS_OK);
    // either the wall holds it, or the report says that it went through
    const bool beyond = ts_sim_pose(sim, 2).position.x > 0.0;
    assert_true(!beyond || ts_sim_report(sim)->tunnelled);
    ts_sim_destroy(sim);
    ts_scene_destroy(scene);
  }
  ts_extensions_destroy(extensions);
}

// ---- answers that make no sense ------------------------------------------------------------------------------------

typedef struct answer {
  ts_vec3 point, normal;
  double gap;
  int feature, count;
  bool told;
} answer;

static bool give(void *user, const double *p, const ts_neighbour *other, double margin, ts_touches *touches)
{
  const answer *a = user;
  (void)p, (void)other, (void)margin;
  for (int i = 0; i < a->count; ++i) ts_touches_add(touches, a->point, a->normal, a->gap, a->feature);
  return a->told;
}

// At first the truth, so that the scene is taken; then `given`. The step fails and leaves all as it was.
static void refuse_answer(answer given, const char *words)
{
  answer now = {{0.0, 0.0, -0.1}, {0.0, 0.0, 1.0}, 0.0, 0, 1, true};
  ts_shape_def def = {.name = "odd",
                      .summary = "answers what it likes",
                      .parameters = ball_parameters,
                      .parameter_count = 1,
                      .kinds = 1u << TS_SHAPE_PLANE,
                      .measure = ball_extent,
                      .touch = give,
                      .user = &now};
  ts_extensions *extensions = set_with(&def);
  ts_scene *scene = one(extensions, "odd", "0.1");
  ts_sim *sim = sim_of(scene);
  ts_error error = {0};
  assert_int_equal(ts_sim_step(sim, &error), TS_OK);
  const double time = ts_sim_time(sim), height = ts_sim_pose(sim, 1).position.z;
  const answer good = now;
  now = given;
  assert_int_equal(ts_sim_step(sim, &error), TS_INVALID);
  if (!strstr(error.text, words) || !strstr(error.text, "shape 'odd', asked about a plane, ") ||
      !strstr(error.text, ", in the step at t = 0.001 s"))
    fail_msg("'%s' does not say '%s'", error.text, words);
  assert_true(ts_sim_time(sim) == time && ts_sim_pose(sim, 1).position.z == height);
  assert_int_equal(ts_sim_find_contacts(sim, &error), TS_INVALID);
  assert_non_null(strstr(error.text, words));
  const ts_shape shapes[2] = {{.kind = TS_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}}, {.kind = TS_SHAPE_OWN, .own = &def}};
  const ts_pose pose = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
  ts_separation separation;
  assert_int_equal(ts_shape_distance(&shapes[0], &pose, &shapes[1], &pose, &separation, &error), TS_INVALID);
  assert_non_null(strstr(error.text, words));
  ts_scene *never = (ts_scene *)&never;
  char text[1024];
  snprintf(text, sizeof text, ONE, "odd", "0.1");
  assert_int_equal(parse(extensions, text, &never, &error), TS_INVALID);
  assert_non_null(strstr(error.text, words));
  assert_true(never == NULL && error.line == 4);
  now = good; // and goes on
  assert_int_equal(ts_sim_step(sim, &error), TS_OK);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
  ts_extensions_destroy(extensions);
}

static void answers_that_make_no_sense_end_the_step(void **state)
{
  (void)state;
  const answer good = {{0.0, 0.0, -0.1}, {0.0, 0.0, 1.0}, 0.0, 0, 1, true};
  answer a;
#define REFUSED(words, ...)                                                                                            \
  a = good;                                                                                                            \
  __VA_ARGS__;                                                                                                         \
  refuse_answer(a, words)
  REFUSED("cannot tell where they touch", a.told = false);
  REFUSED("reported no touch, not even the nearest", a.count = 0);
  REFUSED("reported no touch, not even the nearest", a.count = -3);
  REFUSED("reported more touches than there is room for", a.count = TS_MOST_TOUCHES + 1);
  REFUSED("a number that is not finite", a.gap = NAN);
  REFUSED("a number that is not finite", a.gap = -INFINITY);
  REFUSED("a number that is not finite", a.point.x = NAN);
  REFUSED("a number that is not finite", a.normal.z = INFINITY);
  REFUSED("a normal that is not of unit length", a.normal.z = 0.0);
  REFUSED("a normal that is not of unit length", a.normal.z = 1.001);
  REFUSED("a normal that is not of unit length", a.normal.x = 0.1);
  REFUSED("a touch outside of its own box", a.point.x = 0.2);
  REFUSED("a feature that is not between 0 and 65535", a.feature = -1);
  REFUSED("a feature that is not between 0 and 65535", a.feature = 65536);
#undef REFUSED
}

typedef struct moody {
  int calls, bad_at;
} moody;

static bool touch_until(void *user, const double *p, const ts_neighbour *other, double margin, ts_touches *touches)
{
  moody *m = user;
  return m->calls++ != m->bad_at && ball_touch(NULL, p, other, margin, touches);
}

// Wherever in a step the answer is bad, the step fails: also where it is asked for passages, of a ball deep in a wall.
static void no_bad_answer_is_passed_over(void **state)
{
  (void)state;
  moody mood = {0, -1};
  ts_shape_def def = ball_def;
  def.touch = touch_until;
  def.user = &mood;
  ts_extensions *extensions = set_with(&def);
  ts_scene *scene;
  ts_error error = {0};
  const char text[] = "touchstone: 1\nallow_overlap: true\nbodies:\n"
                      "- {name: wall, kind: fixed, shape: {box: {size: [0.1, 2, 2]}}}\n"
                      "- {name: ball, density: 100, shape: {own: {type: ball}}, position: [0.1, 0, 0], velocity: "
                      "[-300, 0, 0]}\n"
                      "step: {size: 1e-3, start: as_given, max_substeps: 1}\n";
  if (parse(extensions, text, &scene, &error) != TS_OK) fail_msg("%s", error.text);
  ts_sim *sim = sim_of(scene);
  double start[1024];
  const size_t size = ts_sim_state_size(sim);
  assert_true(size <= 1024 && ts_sim_save(sim, start, size, NULL) == TS_OK);
  mood = (moody){0, -1};
  assert_int_equal(ts_sim_step(sim, &error), TS_OK);
  const int calls = mood.calls;
  if (calls < 4) fail_msg("%d questions: none of them about a passage", calls);
  for (int bad = 0; bad < calls; ++bad) {
    assert_int_equal(ts_sim_load(sim, start, size, NULL), TS_OK);
    mood = (moody){0, bad};
    assert_int_equal(ts_sim_step(sim, &error), TS_INVALID);
    assert_non_null(strstr(error.text, "shape 'ball', asked about a box, cannot tell where they touch, in the step"));
  }
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
  ts_extensions_destroy(extensions);
}

// Many touches are no trouble.
static void as_many_touches_as_there_may_be(void **state)
{
  (void)state;
  answer many = {{0.0, 0.0, -0.1}, {0.0, 0.0, 1.0}, 0.0, 65535, 300, true};
  const ts_shape_def def = {.name = "odd",
                            .summary = "many touches",
                            .parameters = ball_parameters,
                            .parameter_count = 1,
                            .kinds = 1u << TS_SHAPE_PLANE,
                            .measure = ball_extent,
                            .touch = give,
                            .user = &many};
  ts_extensions *extensions = set_with(&def);
  ts_scene *scene = one(extensions, "odd", "0.1");
  ts_sim *sim = sim_of(scene);
  int count;
  assert_int_equal(ts_sim_find_contacts(sim, NULL), TS_OK);
  ts_sim_contacts(sim, &count);
  assert_int_equal(count, 300);
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
  ts_extensions_destroy(extensions);
}

// As many as `counts` says, question by question; the last for all that follow. -1: it cannot tell.
typedef struct fickle {
  const int *counts;
  int asked;
} fickle;

static bool change_the_count(void *user, const double *p, const ts_neighbour *other, double margin, ts_touches *touches)
{
  fickle *f = user;
  (void)p, (void)other, (void)margin;
  const int count = f->counts[f->asked];
  if (f->counts[f->asked + 1] != 0) ++f->asked;
  for (int i = 0; i < count; ++i) ts_touches_add(touches, (ts_vec3){0.0, 0.0, -0.1}, (ts_vec3){0.0, 0.0, 1.0}, 0.0, i);
  return count > 0;
}

// More touches than there is room for are asked for again: the answer may be another.
static void the_second_answer_may_be_another(void **state)
{
  (void)state;
  static const int steady[] = {1, 0}, grows[] = {65, 4000, 0}, shrinks[] = {65, 3, 0}, fails[] = {65, -1, 0};
  static const struct {
    const int *counts;
    int found;
  } cases[] = {{grows, 4000}, {shrinks, 3}, {fails, -1}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
    fickle now = {steady, 0};
    const ts_shape_def def = {.name = "fickle",
                              .summary = "another answer each time",
                              .parameters = ball_parameters,
                              .parameter_count = 1,
                              .kinds = 1u << TS_SHAPE_PLANE,
                              .measure = ball_extent,
                              .touch = change_the_count,
                              .user = &now};
    ts_extensions *extensions = set_with(&def);
    ts_scene *scene = one(extensions, "fickle", "0.1");
    ts_sim *sim = sim_of(scene);
    ts_error error = {0};
    int count;
    now = (fickle){cases[k].counts, 0};
    const ts_status status = ts_sim_find_contacts(sim, &error);
    assert_int_equal(status, cases[k].found < 0 ? TS_INVALID : TS_OK);
    if (status != TS_OK) assert_non_null(strstr(error.text, "cannot tell where they touch"));
    ts_sim_contacts(sim, &count);
    assert_int_equal(count, cases[k].found < 0 ? 0 : cases[k].found);
    ts_sim_destroy(sim);
    ts_scene_destroy(scene);
    ts_extensions_destroy(extensions);
  }
}

// ---- definitions and models ----------------------------------------------------------------------------------------

static ts_shape_extent no_extent(void *user, const double *p)
{
  (void)p;
  return *(ts_shape_extent *)user;
}

static ts_mass_properties no_mass(void *user, const double *p)
{
  (void)user, (void)p;
  return (ts_mass_properties){.volume = -1.0};
}

static ts_status never(void *user, const double *p, ts_error *error)
{
  (void)user;
  return ts_fail(error, TS_INVALID, "shape 'ball': not of %g m", p[0]);
}

static void definitions_that_lack_something_are_refused(void **state)
{
  (void)state;
  ts_extensions *extensions = set_with(&ball_def);
  ts_error error = {0};
  ts_shape_def def;
#define REFUSED(words, ...)                                                                                            \
  def = ball_def;                                                                                                      \
  def.name = "mine";                                                                                                   \
  __VA_ARGS__;                                                                                                         \
  assert_int_equal(ts_extensions_add_shape(extensions, &def, &error), TS_INVALID);                                     \
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words)
  REFUSED("a name begins with", def.name = NULL);
  REFUSED("a name begins with", def.name = "My Shape");
  REFUSED("there is a shape 'ball' already", def.name = "ball");
  REFUSED("there is a shape 'sphere' already", def.name = "sphere");
  REFUSED("there is a shape 'own' already", def.name = "own");
  REFUSED("has no summary", def.summary = NULL);
  REFUSED("has no function 'measure'", def.measure = NULL);
  REFUSED("has no function 'touch'", def.touch = NULL);
  REFUSED("has 17 parameters", def.parameter_count = 17);
#undef REFUSED
  assert_null(ts_extensions_shape(extensions, "mine"));
  assert_null(ts_extensions_shape(NULL, "ball"));
  assert_int_equal(ts_extensions_add_shape(NULL, &ball_def, &error), TS_INVALID);
  assert_int_equal(ts_extensions_add_shape(extensions, NULL, &error), TS_INVALID);
  ts_extensions_destroy(extensions);
}

static void shapes_that_make_no_sense_are_refused(void **state)
{
  (void)state;
  ts_shape_extent extent = {{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}, 0.5};
  ts_shape_def def;
  ts_error error = {0};
#define REFUSED(words, ...)                                                                                            \
  def = ball_def;                                                                                                      \
  def.user = &extent;                                                                                                  \
  extent = (ts_shape_extent){{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}, 0.5};                                                \
  __VA_ARGS__;                                                                                                         \
  assert_int_equal(ts_shape_check(&(ts_shape){.kind = TS_SHAPE_OWN, .own = &def}, &error), TS_INVALID);                \
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words)
  REFUSED("its box from [1, -1, -1] to [1, 1, 1] is none", (def.measure = no_extent, extent.low.x = 1.0));
  REFUSED("its box from [-1, -1, -1] to [1, nan, 1] is none", (def.measure = no_extent, extent.high.y = NAN));
  REFUSED("its box from [-1, -1, -1] to [1, 1, inf] is none", (def.measure = no_extent, extent.high.z = INFINITY));
  REFUSED("an inner radius of -1 m does not fit", (def.measure = no_extent, extent.inner_radius = -1.0));
  REFUSED("an inner radius of 2 m does not fit", (def.measure = no_extent, extent.inner_radius = 2.0));
  REFUSED("its volume, centre and inertia are impossible", def.mass = no_mass);
  REFUSED("shape 'ball': not of 0.1 m", def.check = never);
#undef REFUSED
  const double small[] = {1e-9}, none[] = {NAN};
  ts_shape shape = {.kind = TS_SHAPE_OWN, .own = &ball_def, .parameters = small};
  assert_int_equal(ts_shape_check(&shape, &error), TS_INVALID);
  assert_non_null(strstr(error.text, "shape 'ball': 'radius' must lie between 1e-06 and 1000 m, not be 1e-09"));
  shape.parameters = none;
  assert_int_equal(ts_shape_check(&shape, &error), TS_INVALID);
}

// Scenes, with the place.
static void scenes_that_do_not_fit_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *bodies, *words;
    int line, column;
  } cases[] = {
      {"- {name: a, mass: 1, shape: {own: {type: bell}}}", "there is no shape 'bell' in the plug-ins", 3, 42},
      {"- {name: a, mass: 1, shape: {own: {}}}", "'type'", 3, 35},
      {"- {name: a, mass: 1, shape: {own: {type: ''}}}", "'type'", 3, 42},
      {"- {name: a, mass: 1, shape: {own: {type: ball, parameters: {radios: 1}}}}",
       "shape 'ball' has no parameter 'radios'; did you mean 'radius'?", 3, 61},
      {"- {name: a, mass: 1, shape: {own: {type: ball, parameters: {radius: -1}}}}",
       "'radius' must lie between 1e-06 and 1000 m, not be -1", 3, 61},
      {"- {name: a, mass: 1, shape: {own: {type: ball, parameters: {radius: big}}}}", "must be a number, not 'big'", 3,
       69},
      {"- {name: a, mass: 1, shape: {own: {type: ball, size: 3}}}", "'size'", 3, 48},
      {"- {name: a, mass: 1, shape: {own: {type: ball}, sphere: {radius: 1}}}", "'sphere' and 'own' exclude each other",
       3, 30},
      {"- {name: a, shape: {own: {type: shell}}, density: 5}", "no mass is given and it has no shape with a volume", 3,
       13},
      {"- {name: a, shape: {own: {type: shell}}, mass: 5}", "no inertia is given and its shapes have none", 3, 3},
      {"- {name: a, mass: 1, shape: {own: {type: ball}}}\n- {name: b, mass: 1, inertia: [1, 1, 1], position: [9, 9, "
       "9], "
       "shape: {own: {type: shell}}}",
       "body 'a': its shape 'ball' does not know where it touches a shell, which body 'b' has; a pair with 'collide: "
       "false' lets them pass",
       3, 22},
      {"- {name: a, mass: 1, inertia: [1, 1, 1], shape: {own: {type: shell}}}\n- {name: b, kind: fixed, shape: {box: "
       "{size: [1, 1, 1]}}}",
       "body 'a': its shape 'shell' does not know where it touches a box, which body 'b' has", 3, 42},
      {"- {name: a, mass: 1, shape: {own: {type: ball}}}\n- {name: b, kind: fixed, shape: {box: {size: [1, 1, 1]}}}",
       "overlaps body 'a' by 0.6 m", 4, 3},
  };
  ts_extensions *extensions = set_with(&ball_def);
  ts_shape_def shell = ball_def;
  shell.name = "shell";
  shell.mass = NULL;
  shell.kinds = 1u << TS_SHAPE_PLANE;
  shell.others = NULL;
  assert_int_equal(ts_extensions_add_shape(extensions, &shell, NULL), TS_OK);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[1024];
    ts_scene *scene = (ts_scene *)&scene;
    ts_error error = {0};
    snprintf(text, sizeof text, "touchstone: 1\nbodies:\n%s\n", cases[i].bodies);
    assert_int_not_equal(parse(extensions, text, &scene, &error), TS_OK);
    assert_null(scene);
    if (!strstr(error.text, cases[i].words)) fail_msg("'%s' does not say '%s'", error.text, cases[i].words);
    if (error.line != cases[i].line || error.column != cases[i].column)
      fail_msg("%d:%d, not %d:%d: %s", error.line, error.column, cases[i].line, cases[i].column, error.text);
  }
  ts_scene *scene;
  ts_error error = {0};
  const char apart[] = "touchstone: 1\nbodies:\n- {name: a, mass: 1, shape: {own: {type: ball}}}\n"
                       "- {name: b, mass: 1, inertia: [1, 1, 1], shape: {own: {type: shell}}}\n"
                       "pairs: [{bodies: [a, b], collide: false}]\n";
  if (parse(extensions, apart, &scene, &error) != TS_OK) fail_msg("%s", error.text);
  ts_scene_destroy(scene);
  const char flat[] = "touchstone: 1\nspace: 2d\nbodies:\n- {name: a, mass: 1, shape: {own: {type: ball}}}\n";
  assert_int_not_equal(parse(extensions, flat, &scene, &error), TS_OK);
  assert_non_null(strstr(error.text, "'own' does not exist in 2d scenes"));
  ts_extensions_destroy(extensions);
}

// By the scene, at the method, and by the model.
static void check_stepper_refuses(const char *method, ts_formulation formulation, const char *words)
{
  ts_extensions *extensions = set_with(&ball_def);
  char chosen[80], text[2048];
  ts_scene *scene = NULL;
  ts_sim *sim = (ts_sim *)&sim;
  ts_error error = {0};
  snprintf(chosen, sizeof chosen, "%s%s", method, formulation == TS_FORMULATION_MNCP ? ", formulation: mncp" : "");
  snprintf(text, sizeof text, CROWD, "own", "type: ball", "own", "type: ball", "own", "type: ball", chosen);
  assert_int_equal(parse(extensions, text, &scene, &error), TS_UNSUPPORTED);
  assert_non_null(strstr(error.text, words));
  assert_int_equal(error.line, 11);
  assert_int_equal(error.column, 28);
  scene = crowd(extensions, "stewart-trinkle", "own", "type: ball");
  ts_step_options options = ts_step_options_default();
  assert_int_equal(ts_step_options_set(&options, "method", method, &error), TS_OK);
  options.formulation = formulation;
  assert_int_equal(ts_sim_create(ts_scene_model(scene), &options, NULL, &sim, &error), TS_UNSUPPORTED);
  assert_null(sim);
  assert_non_null(strstr(error.text, words));
  ts_scene_destroy(scene);
  ts_extensions_destroy(extensions);
}

static void event_driven_steps_refuse_them(void **state)
{
  (void)state;
  check_stepper_refuses("event-driven", TS_FORMULATION_REDUCED,
                        "cannot tell when shape 'ball' of body 'first' meets another");
}

// They have no implicit functions.
static void the_mixed_form_of_implicit_steps_refuses_them(void **state)
{
  (void)state;
  check_stepper_refuses("implicit", TS_FORMULATION_MNCP, "which the one of body 'first' does not have");
}

// Wherever such a shape stands among the parts.
static void the_mixed_form_refuses_the_first_part(void **state)
{
  (void)state;
  static const char text[] = "touchstone: 1\nbodies:\n"
                             "- {name: only, density: 100, shape: {own: {type: ball}}}\n"
                             "- {name: box, density: 200, shape: {box: {size: [0.2, 0.2, 0.2]}}, position: [1, 0, 0]}\n"
                             "- {name: can, density: 200, shape: {sphere: {radius: 0.1}}, position: [2, 0, 0]}\n"
                             "step: {method: implicit, formulation: mncp}\n";
  ts_extensions *extensions = set_with(&ball_def);
  ts_scene *scene = NULL;
  ts_error error = {0};
  assert_int_equal(parse(extensions, text, &scene, &error), TS_UNSUPPORTED);
  assert_non_null(strstr(error.text, "which the one of body 'only' does not have"));
  ts_extensions_destroy(extensions);
}

// ---- pictures ------------------------------------------------------------------------------------------------------

typedef struct faces {
  int count;
  double area;
} faces;

static void take_face(void *user, const ts_vec3 *corners, int count, ts_vec3 outward, bool curved)
{
  faces *all = user;
  assert_true(count >= 3 && !curved && ts_dot(outward, corners[0]) > 0.0);
  const ts_vec3 across = ts_cross(ts_sub(corners[2], corners[0]), ts_sub(corners[3], corners[1]));
  all->area += 0.5 * ts_length(across);
  ++all->count;
}

static void draw_badly(void *user, const double *p, ts_shape_face *face, void *drawing)
{
  (void)user, (void)p;
  const ts_vec3 good[4] = {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}, bad[3] = {{0, 0, 1}, {NAN, 0, 1}, {1, 1, 1}};
  const ts_vec3 up = {0, 0, 1};
  face(drawing, good, 4, up, false);
  face(drawing, bad, 3, up, false);
  face(drawing, good, 2, up, false);
  face(drawing, good, -1, up, false);
  face(drawing, NULL, 3, up, false);
  face(drawing, good, 4, (ts_vec3){NAN, 0, 0}, false);
}

static void faces_are_its_own_or_those_of_its_box(void **state)
{
  (void)state;
  const ts_shape ball = {.kind = TS_SHAPE_OWN, .own = &ball_def};
  faces box = {0}, own = {0};
  assert_int_equal(ts_shape_draw(&ball, take_face, &box, NULL), TS_OK);
  assert_true(box.count == 6 && fabs(box.area - 6.0 * 0.04) < 1e-15);
  assert_true(ts_shape_reach(&ball, (ts_vec3){0.0, 1.0, 0.0}) == 0.1);
  ts_shape_def def = ball_def;
  def.draw = draw_badly;
  assert_int_equal(ts_shape_draw(&(ts_shape){.kind = TS_SHAPE_OWN, .own = &def}, take_face, &own, NULL), TS_OK);
  assert_true(own.count == 1 && fabs(own.area - 1.0) < 1e-15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_does_what_a_sphere_does),
      cmocka_unit_test(checkpoints_resume_to_the_last_bit),
      cmocka_unit_test(passages_are_seen),
      cmocka_unit_test(answers_that_make_no_sense_end_the_step),
      cmocka_unit_test(no_bad_answer_is_passed_over),
      cmocka_unit_test(as_many_touches_as_there_may_be),
      cmocka_unit_test(the_second_answer_may_be_another),
      cmocka_unit_test(definitions_that_lack_something_are_refused),
      cmocka_unit_test(shapes_that_make_no_sense_are_refused),
      cmocka_unit_test(scenes_that_do_not_fit_are_refused),
      cmocka_unit_test(event_driven_steps_refuse_them),
      cmocka_unit_test(the_mixed_form_of_implicit_steps_refuses_them),
      cmocka_unit_test(the_mixed_form_refuses_the_first_part),
      cmocka_unit_test(faces_are_its_own_or_those_of_its_box),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
