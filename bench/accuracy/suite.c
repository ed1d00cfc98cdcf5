#include "suite.h"

#include <stddef.h>

#define CLOSED_FORM      "closed form"
#define REFERENCE_NUMBER "reference-numbers.md"
#define MINIMAL          "step.coordinates=minimal"

static const double ROUND_OFF = 1e-11;

#define ALL_SIZES MOST_SIZES

const suite_scene *suite_scene_at(int i)
{
  static const suite_scene scenes[] = {
      {"sphere", "sphere", {NULL}, RIGID, TOUCHES, 0.02, ALL_SIZES, ROUND_OFF, CLOSED_FORM},
      {"slope", "slope", {NULL}, RIGID, TOUCHES, 0.04, ALL_SIZES, ROUND_OFF, CLOSED_FORM},
      {"rolls over", "rolls_over", {NULL}, RIGID, TOUCHES, 0.04, ALL_SIZES, ROUND_OFF, CLOSED_FORM},
      {"groove", "groove", {NULL}, RIGID, TOUCHES, 0.05, ALL_SIZES, 2e-9, REFERENCE_NUMBER},
      {"tip", "tip", {NULL}, RIGID, IMPACTS | TOUCHES, 0.01, ALL_SIZES, 4e-6, REFERENCE_NUMBER},
      {"bounce", "bounce", {NULL}, RIGID, IMPACTS, 0.02, ALL_SIZES, ROUND_OFF, CLOSED_FORM},
      {"rod slides", "rod_slides", {NULL}, RIGID, IMPACTS, 0.02, ALL_SIZES, ROUND_OFF, CLOSED_FORM},
      {"rod sticks", "rod_sticks", {NULL}, RIGID, IMPACTS | TOUCHES, 0.02, ALL_SIZES, ROUND_OFF, CLOSED_FORM},
      {"rod turns back",
       "rod_sticks",
       {"slip=1", "mu=0.3"},
       RIGID,
       IMPACTS | TOUCHES,
       0.02,
       ALL_SIZES,
       ROUND_OFF,
       CLOSED_FORM},
      {"free top", "free_top", {NULL}, RIGID, 0, 0.05, ALL_SIZES, ROUND_OFF, CLOSED_FORM},
      {"heavy top", "heavy_top", {NULL}, RIGID, 0, 0.05, ALL_SIZES, ROUND_OFF, CLOSED_FORM},
      {"pendulum", "pendulum", {NULL}, RIGID, 0, 0.02, ALL_SIZES, ROUND_OFF, CLOSED_FORM},
      {"pendulum, minimal", "pendulum", {MINIMAL}, RIGID, 0, 0.02, ALL_SIZES, ROUND_OFF, CLOSED_FORM},
      {"double pendulum", "double_pendulum", {NULL}, RIGID, 0, 0.01, ALL_SIZES, 2e-8, REFERENCE_NUMBER},
      {"double p., minimal", "double_pendulum", {MINIMAL}, RIGID, 0, 0.01, ALL_SIZES, 2e-8, REFERENCE_NUMBER},
      {"block and pendulum", "block_pendulum", {NULL}, RIGID, TOUCHES, 0.01, ALL_SIZES, 2e-8, REFERENCE_NUMBER},
      {"pusher", "pusher", {NULL}, RIGID, MOVING_SURFACES | TOUCHES, 0.01, ALL_SIZES, 2e-8, REFERENCE_NUMBER},
      {"four-bar", "four_bar", {NULL}, RIGID, 0, 0.01, ALL_SIZES, ROUND_OFF, REFERENCE_NUMBER},
      {"four-bar, minimal", "four_bar", {MINIMAL}, RIGID, 0, 0.01, ALL_SIZES, ROUND_OFF, REFERENCE_NUMBER},
      {"four-bar strikes", "four_bar_strikes", {NULL}, RIGID, IMPACTS, 0.01, ALL_SIZES, ROUND_OFF, REFERENCE_NUMBER},
      {"slider-crank", "slider_crank", {NULL}, RIGID, 0, 0.02, ALL_SIZES, ROUND_OFF, CLOSED_FORM},
      {"stop", "stop", {NULL}, RIGID, IMPACTS, 0.02, ALL_SIZES, ROUND_OFF, CLOSED_FORM},
      {"joint friction", "joint_friction", {NULL}, RIGID, 0, 0.04, ALL_SIZES, ROUND_OFF, CLOSED_FORM},
      {"oscillator", "oscillator", {NULL}, RIGID, 0, 0.02, ALL_SIZES, ROUND_OFF, CLOSED_FORM},
      {"chain strikes", "chain", {NULL}, RIGID, IMPACTS, 3e-3, ALL_SIZES, 2e-10, REFERENCE_NUMBER},
      {"plate", "plate", {NULL}, RIGID, MOVING_SURFACES, 1e-3, 4, 5e-4, REFERENCE_NUMBER},
      {"fence slips", "fence", {NULL}, MASSLESS, 0, 0.02, ALL_SIZES, ROUND_OFF, CLOSED_FORM},
      {"fence sticks", "fence", {"mu=3", "pairs.1.friction=3"}, MASSLESS, 0, 0.02, ALL_SIZES, ROUND_OFF, CLOSED_FORM},
      {"needle", "needle", {NULL}, MASSLESS, 0, 0.04, ALL_SIZES, 4e-6, REFERENCE_NUMBER},
      {"spring bounce", "spring_bounce", {NULL}, SPRINGS, 0, 0.01, ALL_SIZES, ROUND_OFF, CLOSED_FORM},
      {"skin bounce",
       "spring_bounce",
       {"ground.skin={thickness: 1, stiffness: 1000}", "contact.stiffness=0"},
       SKINS,
       0,
       0.001,
       6,
       ROUND_OFF,
       CLOSED_FORM},
  };
  return i < (int)(sizeof scenes / sizeof *scenes) ? &scenes[i] : NULL;
}

const suite_stepper *suite_stepper_at(int i)
{
  static const suite_stepper steppers[] = {
      {"stewart-trinkle", {"step.method=stewart-trinkle"}, RIGID, 0},
      {"  closing: impact", {"step.method=stewart-trinkle", "step.closing=impact"}, RIGID, IMPACTS},
      {"  surfaces: secant", {"step.method=stewart-trinkle", "step.surfaces=secant"}, RIGID, MOVING_SURFACES},
      {"velocity", {"step.method=velocity"}, RIGID, 0},
      {"  moreau-jean",
       {"step.method=velocity", "step.theta=0.5", "step.activate=midpoint", "step.impacts=newton"},
       RIGID,
       0},
      {"event-driven", {"step.method=event-driven"}, RIGID, 0},
      {"implicit", {"step.method=implicit"}, RIGID, 0},
      {"implicit-compliant", {"step.method=implicit-compliant"}, RIGID | SKINS, 0},
      {"quasistatic", {"step.method=quasistatic"}, MASSLESS, 0},
      {"compliant", {"step.method=compliant"}, RIGID | SPRINGS, 0},
      {"  of 1e6 N/m", {"step.method=compliant", "contact.stiffness=1e6", "contact.damping=1e3"}, RIGID, TOUCHES},
  };
  return i < (int)(sizeof steppers / sizeof *steppers) ? &steppers[i] : NULL;
}

const char *suite_model_name(suite_model model)
{
  switch (model) {
  case RIGID:
    return "rigid bodies with inertia";
  case MASSLESS:
    return "rigid bodies without inertia";
  case SPRINGS:
    return "contacts that are springs";
  case SKINS:
    return "bodies with soft skins";
  }
  return "";
}

const suite_promise *suite_promise_at(int i)
{
  static const suite_promise promises[] = {
      {"sphere", "stewart-trinkle", 1.0, 1.0},
  };
  return i < (int)(sizeof promises / sizeof *promises) ? &promises[i] : NULL;
}
