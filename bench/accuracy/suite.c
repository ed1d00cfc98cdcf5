#include "suite.h"

#include <stddef.h>

#define MINIMAL "step.coordinates=minimal"
#define A_SKIN  "ground.skin={thickness: 1, stiffness: 1000}"

// The floor of scenes with a closed form; that of others is what the numbers of their reference leave open.
#define ROUND_OFF 1e-11

const suite_scene *suite_scene_at(int i)
{
  static const suite_scene scenes[] = {
      {"sphere", "sphere", RIGID, TOUCHES, 0.02, ROUND_OFF, {NULL}, 0},
      {"slope", "slope", RIGID, TOUCHES, 0.04, ROUND_OFF, {NULL}, 0},
      {"rolls over", "rolls_over", RIGID, TOUCHES, 0.04, ROUND_OFF, {NULL}, 0},
      {"groove", "groove", RIGID, TOUCHES, 0.05, 2e-9, {NULL}, 0},
      {"tip", "tip", RIGID, IMPACTS | TOUCHES, 0.01, 4e-6, {NULL}, 0},
      {"bounce", "bounce", RIGID, IMPACTS, 0.02, ROUND_OFF, {NULL}, 0},
      {"rod slides", "rod_slides", RIGID, IMPACTS, 0.02, ROUND_OFF, {NULL}, 0},
      {"rod sticks", "rod_sticks", RIGID, IMPACTS | TOUCHES, 0.02, ROUND_OFF, {NULL}, 0},
      {"rod turns back",
       "rod_sticks",
       RIGID,
       IMPACTS | TOUCHES,
       0.02,
       ROUND_OFF,
       {"lean=0.9", "slip=0.8", "mu=0.3"},
       0},
      {"free top", "free_top", RIGID, 0, 0.05, ROUND_OFF, {NULL}, 0},
      {"heavy top", "heavy_top", RIGID, 0, 0.05, ROUND_OFF, {NULL}, 0},
      {"pendulum", "pendulum", RIGID, 0, 0.02, ROUND_OFF, {NULL}, 0},
      {"pendulum, minimal", "pendulum", RIGID, 0, 0.02, ROUND_OFF, {MINIMAL}, 0},
      {"double pendulum", "double_pendulum", RIGID, 0, 0.01, 2e-8, {NULL}, 0},
      {"double p., minimal", "double_pendulum", RIGID, 0, 0.01, 2e-8, {MINIMAL}, 0},
      {"block and pendulum", "block_pendulum", RIGID, TOUCHES, 0.01, 2e-8, {NULL}, 0},
      {"pusher", "pusher", RIGID, MOVING_SURFACES | TOUCHES, 0.01, 2e-8, {NULL}, 0},
      {"four-bar", "four_bar", RIGID, 0, 0.01, 1e-12, {NULL}, 0},
      {"four-bar, minimal", "four_bar", RIGID, 0, 0.01, 1e-12, {MINIMAL}, 0},
      {"four-bar strikes", "four_bar_strikes", RIGID, IMPACTS, 0.01, 1e-12, {NULL}, 0},
      {"slider-crank", "slider_crank", RIGID, 0, 0.02, ROUND_OFF, {NULL}, 0},
      {"stop", "stop", RIGID, IMPACTS, 0.02, ROUND_OFF, {NULL}, 0},
      {"joint friction", "joint_friction", RIGID, 0, 0.04, ROUND_OFF, {NULL}, 0},
      {"oscillator", "oscillator", RIGID, 0, 0.02, ROUND_OFF, {NULL}, 0},
      {"chain strikes", "chain", RIGID, IMPACTS, 3e-3, 2e-10, {NULL}, 0},
      {"plate", "plate", RIGID, MOVING_SURFACES, 1e-3, 5e-4, {NULL}, 4},
      {"fence slips", "fence", MASSLESS, 0, 0.02, ROUND_OFF, {NULL}, 0},
      {"fence sticks", "fence", MASSLESS, 0, 0.02, ROUND_OFF, {"mu=3", "pairs.1.friction=3"}, 0},
      {"needle", "needle", MASSLESS, 0, 0.04, 4e-6, {NULL}, 0},
      {"spring bounce", "spring_bounce", SPRINGS, 0, 0.01, ROUND_OFF, {NULL}, 0},
      {"skin bounce", "spring_bounce", SKINS, 0, 0.001, ROUND_OFF, {A_SKIN, "contact.stiffness=0"}, 6},
  };
  return i < (int)(sizeof scenes / sizeof *scenes) ? &scenes[i] : NULL;
}

int suite_size_count(const suite_scene *scene)
{
  return scene->sizes > 0 ? scene->sizes : MOST_SIZES;
}

bool suite_has_closed_form(const suite_scene *scene)
{
  return scene->floor == ROUND_OFF;
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

// Steps of first order that take the velocity of the end, x+ = x + h v+, are late or early by a t h/2 under a constant
// acceleration a.
const suite_promise *suite_promise_at(int i)
{
  static const suite_promise promises[] = {
      {"sphere", "stewart-trinkle", 1.0, 0.32, "mu g t h/2 up to the end of sliding, over the way: 0.304 h"},
      {"sphere", "velocity", 1.0, 0.32, "the same"},
      {"sphere", "implicit", 1.0, 0.32, "the same"},
      {"sphere", "  moreau-jean", 2.0, 0.27,
       "a trapezoid over the step in which sliding ends: mu g h^2/8 over the way"},
      {"sphere", "event-driven", 0.0, 1e-10, "round-off"},
      {"slope", "stewart-trinkle", 1.0, 1.15, "v0 h/2 over the way, 1.08 h, and the step in which it stops"},
      {"slope", "implicit-compliant", 1.0, 1.15, "the same"},
      {"slope", "  moreau-jean", 2.0, 0.3, "a h^2/8 over the way"},
      {"slope", "event-driven", 0.0, 1e-10, "round-off"},
      {"rolls over", "stewart-trinkle", 1.0, 0.6,
       "a start that is h phi''/2 too fast, which grows by sinh(w t)/w: 0.52 h"},
      {"rolls over", "implicit", 1.0, 2.0, "that, and w^2 t h/2 of the angle by backward Euler: 1.5 h"},
      {"bounce", "stewart-trinkle", 1.0, 22.0, "g t h/2 of the fall, and (1 + e) v h of each impact"},
      {"bounce", "velocity", 1.0, 22.0, "the same"},
      {"bounce", "event-driven", 0.0, 1e-10, "round-off"},
      {"rod sticks", "  closing: impact", 1.0, 6.0, "h times the change of velocities, over the turn"},
      {"rod turns back", "  closing: impact", 1.0, 6.0, "the same"},
      {"rod turns back", "event-driven", 0.0, 1e-10, "round-off"},
      {"tip", "  closing: impact", 1.0, 2.0, "h times the change of velocity, 1 m/s, over the way"},
      {"free top", "  moreau-jean", 2.0, 21.0, "the rule of the midpoint turns by rate^3 h^2 t/12 too little"},
      {"free top", "compliant", 2.0, 21.0, "the same"},
      {"heavy top", "event-driven", 0.0, 1e-10, "round-off"},
      {"pendulum, minimal", "stewart-trinkle", 1.0, 1.05,
       "a start that is h theta''/2 too slow, which grows by sinh(w t)/w"},
      {"slider-crank", "stewart-trinkle", 2.0, 10.0,
       "the rise of an arc over its tangent, r w^2 h^2/2, over the stroke: 6.25 h^2"},
      {"joint friction", "stewart-trinkle", 1.0, 1.02, "v0 h/2: h"},
      {"oscillator", "stewart-trinkle", 1.0, 50.0, "springs at the end of the step damp by w^2 h/2"},
      {"oscillator", "event-driven", 0.0, 1e-9, "round-off"},
      {"chain strikes", "event-driven", 0.0, 2e-10, "what the reference errs by"},
      {"fence slips", "quasistatic", 2.0, 0.26, "where the fence turns back within a step: 0.4 (h/2)^2/2 over the way"},
      {"fence sticks", "quasistatic", 1.0, 1.6, "sticks for up to a step too long: h over the way"},
      {"spring bounce", "compliant", 0.0, 1e-2, "contact_error"},
  };
  return i < (int)(sizeof promises / sizeof *promises) ? &promises[i] : NULL;
}
