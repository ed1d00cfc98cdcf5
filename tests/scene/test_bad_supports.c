// What is refused of planar scenes: one sentence, with line and column.
#include "touchstone/scene.h"
#include "touchstone/sim.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#define WORLD "touchstone: 1\nspace: 2.5d\n"
#define PART  "bodies:\n  - name: part\n    mass: 1\n    shape: {disc: {radius: 0.1}}\n"
#define STAND PART "    support: "

typedef struct mistake {
  const char *text, *words; // the scene, and what its refusal has to say
  int line;
} mistake;

static const mistake mistakes[] = {
    {WORLD STAND "{points: [[0, 0], [0.1, 0], [-0.1, 0]]}\n", "its points lie on one line", 7},
    {WORLD STAND "{points: [[0.1, 0], [0.2, 0], [0.1, 0.1]]}\n", "do not enclose the centre of mass, point", 7},
    {WORLD STAND "{points: [[0.1, 0], [-0.1, 0]]}\n", "two points cannot hold it upright", 7},
    {WORLD STAND "{points: [[0.1, 0]]}\n", "its only point is not below the centre of mass", 7},
    {WORLD STAND "{points: [[0.1, 0], [-0.1, 0.1], [-0.1, -0.1]], loads: [1, -1, 1]}\n", "'loads' must be > 0", 7},
    {WORLD STAND "{points: [[0.1, 0], [-0.1, 0.1], [-0.1, -0.1]], loads: [1, 1]}\n", "as many", 7},
    {WORLD STAND "{points: [[0.1, 0], [0, 0.1], [-0.1, 0], [0, -0.1]]}\n", "do not follow from statics", 7},
    {WORLD STAND "{loads: [1, 1, 1]}\n", "'points'", 7},
    {WORLD STAND "{friction: -0.1}\n", "'friction'", 7},
    {WORLD STAND "{height: -1}\n", "'height'", 7},
    {WORLD STAND "{ellipsoid: [1, 1, 0.1], update: statics}\n", "one point takes no moments", 7},
    {WORLD STAND "{on: tabel}\n", "there is no body 'tabel'", 7},
    {WORLD STAND "{pionts: [[0, 0]]}\n", "did you mean 'points'", 7},
    {WORLD "gravity: [0, -9.81, 0]\n" PART, "gravity lies in the plane", 3},
    {WORLD "gravity: [0, 0, 9.81]\n" PART, "gravity lifts bodies off the plane", 3},
    {WORLD "gravity: [0, -9.81]\n" PART, "'gravity'", 3},
    {WORLD PART "    gravity_scale: [1, 1, -1]\n", "lifts it off the plane", 7},
    {WORLD PART "    kind: fixed\n    support: {friction: 0.1}\n", "is not dynamic", 8},
    {"touchstone: 1\nspace: 2d\n" STAND "{friction: 0.1}\n", "'support'", 7},
    {WORLD PART "step: {method: event-driven}\n", "supports begin and cease to slide", 7},
    {WORLD PART "step: {method: implicit, formulation: mncp}\n", "no rows for supports", 7},
    {WORLD PART "step: {method: quasistatic, coordinates: minimal}\n", "coordinates must be redundant", 7},
    {WORLD PART "step: {method: quasistatic, impacts: newton}\n", "has no impacts", 7},
    {"touchstone: 1\nspace: 2d\n" PART "step: {method: quasistatic}\n", "no equilibrium", 7},
    {"touchstone: 1\nspace: 2d\ngravity: [0, 0]\n" PART "    force: [1, 0]\nstep: {method: quasistatic}\n",
     "no equilibrium", 9},
    {WORLD "contact: {stiffness: -1}\n" PART, "'stiffness'", 3},
    {WORLD "contact: {stiffness: 1, damping: -1}\n" PART, "'damping'", 3},
};

// Read, and where that goes well simulate; places of what a simulation refuses come from the scene.
static ts_status try_scene(const char *text, ts_error *error)
{
  ts_scene *scene = NULL;
  ts_sim *sim = NULL;
  ts_status status = ts_scene_parse(text, strlen(text), "scene.yaml", NULL, 0, &scene, error);
  if (status == TS_OK) {
    status = ts_sim_create(ts_scene_model(scene), ts_scene_options(scene), NULL, &sim, error);
    if (status != TS_OK) ts_scene_place_error(scene, error);
  }
  ts_sim_destroy(sim);
  ts_scene_destroy(scene);
  return status;
}

static void mistakes_are_told_with_their_place(void **state)
{
  (void)state;
  int wrong = 0;
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; ++i) {
    ts_error error = {0};
    const ts_status status = try_scene(mistakes[i].text, &error);
    if (status == TS_OK || !strstr(error.text, mistakes[i].words) || error.line != mistakes[i].line || error.column < 1)
      print_error("%d: %s-> %d:%d: '%s' does not say '%s' in line %d\n", ++wrong, mistakes[i].text, error.line,
                  error.column, error.text, mistakes[i].words, mistakes[i].line);
  }
  assert_int_equal(wrong, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mistakes_are_told_with_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
