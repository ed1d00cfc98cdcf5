// Random scenes: bodies of every shape laid against each other one by one, with joints, drives, springs and moving
// bodies. The same seed and recipe give the same scene, also turned as a whole, or with nothing that collides.
#ifndef TEST_SUPPORT_SCENE_GENERATOR_H
#define TEST_SUPPORT_SCENE_GENERATOR_H

#include "touchstone/model.h"

#include <stddef.h>
#include <stdint.h>

typedef struct scene_recipe {
  ts_space space;
  int bodies; // besides the ground
  bool ground;
  bool gravity;
  bool obstacles; // some bodies are fixed or kinematic
  bool joints;    // tree of joints between bodies
  bool anchors;   // some joints and springs hold to the world
  bool drives;    // limits, motors and servos
  bool springs;
  bool forces;
  bool couplings;      // gears between joints, bushings, impulses; false in recipes at random
  bool spin;           // some materials have torsional friction
  double friction;     // largest
  double restitution;  // of everything
  bool uneven;         // restitutions of materials differ, up to that
  double penetration;  // deepest overlap, relative to size
  double speed, omega; // of the start, typical
} scene_recipe;

// Everything at random. No restitution.
scene_recipe scene_recipe_random(uint64_t seed);

typedef struct scene_variant {
  ts_quat turn; // of the whole world; about z in the plane
  bool ghosts;  // nothing collides
} scene_variant;

// One line about a recipe for messages; `text` holds at least 160 characters.
void scene_recipe_describe(const scene_recipe *recipe, char *text, size_t size);

// Release with ts_model_destroy(). Fails the test when something is refused.
ts_model *scene_generate(const scene_recipe *recipe, uint64_t seed, scene_variant variant);

#endif
