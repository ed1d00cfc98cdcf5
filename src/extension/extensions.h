// A set of extensions from inside: what they are to the library, one list a kind.
#ifndef TS_EXTENSION_EXTENSIONS_H
#define TS_EXTENSION_EXTENSIONS_H

#include "touchstone/extension.h"

#include "complementarity/solver.h"
#include "step/stepper.h"

typedef struct ts_own_solver {
  ts_solver solver; // first: a pointer to it is one to the whole
  ts_solver_def def;
  struct ts_own_solver *next;
} ts_own_solver;

typedef struct ts_own_stepper {
  ts_stepper stepper; // first
  ts_stepper_def def;
  struct ts_own_stepper *next;
} ts_own_stepper;

typedef struct ts_own_controller {
  ts_controller_def def;
  struct ts_own_controller *next;
} ts_own_controller;

typedef struct ts_own_shape {
  ts_shape_def def;
  struct ts_own_shape *next;
} ts_own_shape;

typedef struct ts_loaded_library {
  void *handle;
  struct ts_loaded_library *next;
} ts_loaded_library;

struct ts_extensions {
  ts_own_solver *solvers;
  ts_own_stepper *steppers;
  ts_own_controller *controllers;
  ts_own_shape *shapes;
  ts_loaded_library *libraries;
};

// The tables by which the library calls what was defined.
ts_solver ts_own_solver_table(const ts_solver_def *def);
ts_stepper ts_own_stepper_table(const ts_stepper_def *def);

#endif
