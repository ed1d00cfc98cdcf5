#include "step/event/blind_step.h"

#include <math.h>

// The longest [s].
static const double LONGEST = 1e-5;

// The error above which a shorter step is tried, over 1 + |y|, by which factor shorter, and how short at least [s].
static const double LARGEST_ERROR = 1e-6, CUT = 0.1, SHORTEST = 0.9e-10;

// The error above which a step is not certified, over 1 + |y|, and how short a step may be that avoids it [s].
static const double UNCERTIFIED = 1e-3, SHORTEST_CERTIFIED = 0.9e-12;

// The longest of shorter steps whose error can be certified; 0: there is none.
static double attempt_certified(ts_smooth *smooth, double longest)
{
  ts_extrapolation *x = &smooth->extrapolation;
  const double time = smooth->sim->state.time;
  for (double h = CUT * longest; h >= SHORTEST_CERTIFIED; h *= CUT)
    if (x->tolerance * ts_extrapolation_attempt(x, time, smooth->y, h, 2) <= UNCERTIFIED) return h;
  return 0.0;
}

// Forces that change fast but do not jump take a shorter step: its error falls with the square of its length. If no
// such step has a small error, forces jump, and the step keeps its length, unless its error is large: then a step is
// taken that is as short as that takes. A large error that no step avoids is not certified. Returns the length of the
// trial; 0: numbers are not finite.
static double attempt(ts_smooth *smooth, double longest)
{
  ts_extrapolation *x = &smooth->extrapolation;
  const double time = smooth->sim->state.time;
  for (double h = longest; h >= fmin(longest, SHORTEST); h *= CUT) {
    const double error = ts_extrapolation_attempt(x, time, smooth->y, h, 2);
    if (x->tolerance * error <= LARGEST_ERROR) return h;
  }
  double error = x->tolerance * ts_extrapolation_attempt(x, time, smooth->y, longest, 2);
  if (error <= UNCERTIFIED) return longest;
  const double h = attempt_certified(smooth, longest);
  if (h > 0.0) return h;
  error = x->tolerance * ts_extrapolation_attempt(x, time, smooth->y, longest, 2);
  smooth->sim->report.certified = false;
  return isfinite(error) ? longest : 0.0;
}

// The step is taken with eyes shut, and short; where forces go on to jump, twice as long each time.
double ts_smooth_step_blindly(ts_smooth *smooth, double end)
{
  ts_sim *sim = smooth->sim;
  const double longest = fmin(smooth->blind, end - sim->state.time);
  if (ts_smooth_is_spent(smooth) || !(longest > 0.0)) return 0.0;
  smooth->is_blind = true;
  const double h = attempt(smooth, longest);
  smooth->extrapolation.step = h > 0.0 ? h : longest;
  smooth->blind = fmin(2.0 * (h > 0.0 && h < longest ? h : smooth->blind), LONGEST);
  smooth->rows = 2;
  ++sim->report.fallbacks;
  return h;
}
