// What is measured: scenes whose answer is known, and ways to step them. A new one is a row of suite.c.
#ifndef BENCH_ACCURACY_SUITE_H
#define BENCH_ACCURACY_SUITE_H

#include <stdbool.h>

enum { MOST_SIZES = 7, MOST_OVERRIDES = 5 };

// What a scene is a model of. Steppers that model something else would only be measured by the difference.
typedef enum suite_model { RIGID = 1, MASSLESS = 2, SPRINGS = 4, SKINS = 8 } suite_model;

// What makes variants of a stepper differ.
typedef enum suite_trait { IMPACTS = 1, MOVING_SURFACES = 2, TOUCHES = 4 } suite_trait;

// A scene file with a parameter `h` and a result `relative_error`.
typedef struct suite_scene {
  const char *name, *file; // file: in scenes/, without .yaml
  suite_model model;
  unsigned traits;
  double largest; // step [s]; the others are its halves, quarters, ...
  double floor;   // smaller errors are those of the reference, or round-off
  const char *overrides[3];
  int sizes; // how many; 0: MOST_SIZES
} suite_scene;

// A stepper with options.
typedef struct suite_stepper {
  const char *name;
  const char *overrides[MOST_OVERRIDES];
  unsigned models; // that it has
  unsigned traits; // of scenes that it is measured on; 0: all, since elsewhere it is the one above it in the list
} suite_stepper;

// What theory promises, for --quick: the order to 0.3, and error <= factor h^order at every size. Order 0: no order,
// only the bound.
typedef struct suite_promise {
  const char *scene, *stepper;
  double order, factor;
  const char *why; // the bound
} suite_promise;

const suite_scene *suite_scene_at(int i);     // NULL after the last
const suite_stepper *suite_stepper_at(int i); // likewise
const suite_promise *suite_promise_at(int i); // likewise

int suite_size_count(const suite_scene *scene);
bool suite_has_closed_form(const suite_scene *scene); // else numbers of docs/theory/reference-numbers.md
const char *suite_model_name(suite_model model);      // "rigid bodies with inertia"

#endif
