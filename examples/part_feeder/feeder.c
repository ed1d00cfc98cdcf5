// See feeder.h.
#include "feeder.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

// The cup: a rectangle, its cavity only moves the centre of mass [mm, kg]
static const double LENGTH = 30.0, WIDTH = 14.0, CENTRE = 10.0, MASS = 0.01; // CENTRE: from the heavy, closed end

static const double TOP = 200.0, THICK = 30.0, BACKSTOP_TOP = 80.0; // of the walls [mm]

feeder_design feeder_working_design(void)
{
#define FEEDER_VALUE(name, works, low, high, help) works,
  return (feeder_design){FEEDER_LIST(FEEDER_VALUE)};
#undef FEEDER_VALUE
}

double *feeder_number(feeder_design *design, int i)
{
#define FEEDER_PLACE(name, works, low, high, help) &design->name,
  double *const places[] = {FEEDER_LIST(FEEDER_PLACE)};
#undef FEEDER_PLACE
  return places[i];
}

const char *feeder_number_name(int i)
{
#define FEEDER_NAME(name, works, low, high, help) #name,
  static const char *const names[] = {FEEDER_LIST(FEEDER_NAME)};
#undef FEEDER_NAME
  return names[i];
}

// ---- the geometric level

static feeder_rule at_least(const char *text, double value, double least)
{
  return (feeder_rule){text, least, INFINITY, value, value >= least};
}

static feeder_rule at_most(const char *text, double value, double most)
{
  return (feeder_rule){text, -INFINITY, most, value, value <= most};
}

int feeder_rules(const feeder_design *d, feeder_rule rules[FEEDER_RULES])
{
  const double room = 1.05 * WIDTH, diagonal = hypot(LENGTH, WIDTH);
  const feeder_rule all[FEEDER_RULES] = {
      at_least("the cup fits into the chute", d->chute_width, room),
      at_most("the cup cannot turn around in the chute", d->chute_width, 0.8 * LENGTH),
      at_least("the cup fits through the chute's exit", d->exit_clearance, room / cos(d->ramp_1_angle)),
      at_least("the heavy end tips into the slot", d->slot_width, fmax(room, CENTRE + 2.0)),
      at_most("the light end does not tip into the slot", d->slot_width, fmin(LENGTH - CENTRE - 1.0, 0.8 * diagonal)),
      at_least("the cup fits between the slot's near edge and the backstop", d->backstop, LENGTH + 0.5),
      at_most("the backstop stops the cup before its centre is past the slot", d->backstop,
              d->slot_width + LENGTH - CENTRE),
      at_least("the slot is deep enough for the cup", d->slot_depth, LENGTH + 10.0),
      at_least("the cup passes over the far edge", d->ledge_drop, d->slot_width * tan(d->ramp_2_angle) + 0.3),
      at_least("ramp 2 is steep enough to slide on (tangent)", tan(d->ramp_2_angle), 0.3),
      at_most("the far ledge falls away from the slot", d->ledge_tilt, -0.05),
      at_least("ramp 2 lays the cup down", d->ramp_2_length, 0.5 * LENGTH),
  };
  int broken = 0;
  for (int i = 0; i < FEEDER_RULES; ++i) {
    rules[i] = all[i];
    broken += !all[i].holds;
  }
  return broken;
}

// ---- walls

typedef struct corner {
  double x, y; // [mm]; the origin is where the chute's left wall meets ramp 1, y is up
} corner;

typedef struct layout {
  corner bend;      // between the ramps
  corner near, far; // edges of the slot
  corner exit;      // lower end of the chute's right wall
  corner foot;      // of the backstop, on the far ledge
} layout;

static layout layout_of(const feeder_design *d)
{
  const corner bend = {d->ramp_1_length * cos(d->ramp_1_angle), -d->ramp_1_length * sin(d->ramp_1_angle)};
  const corner near = {bend.x + d->ramp_2_length * cos(d->ramp_2_angle),
                       bend.y - d->ramp_2_length * sin(d->ramp_2_angle)};
  const corner far = {near.x + d->slot_width, near.y - d->ledge_drop};
  return (layout){.bend = bend,
                  .near = near,
                  .far = far,
                  .exit = {d->chute_width, d->exit_clearance - d->chute_width * tan(d->ramp_1_angle)},
                  .foot = {near.x + d->backstop, far.y + (d->backstop - d->slot_width) * tan(d->ledge_tilt)}};
}

// ---- scenes

typedef struct writer {
  char *text;
  size_t used;
} writer;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say(writer *w, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  const int length = vsnprintf(w->text + w->used, FEEDER_TEXT - w->used, format, list);
  va_end(list);
  if (length > 0) w->used += (size_t)length;
  if (w->used >= FEEDER_TEXT) w->used = FEEDER_TEXT - 1; // no scene of twelve numbers is that long
}

static void say_wall(writer *w, const char *what, const corner *corners, int count)
{
  say(w, "      - polygon: # %s\n          vertices: [", what);
  for (int i = 0; i < count; ++i) say(w, "%s[%.9g, %.9g]", i ? ", " : "", 1e-3 * corners[i].x, 1e-3 * corners[i].y);
  say(w, "]\n");
}

// Solids behind the walls. A solid ends where its walls do, so that the edges of the slot and the end of the chute are
// corners; where walls meet in a hollow they are sides of one polygon, so that there is no seam.
static void say_walls(writer *w, const feeder_design *d)
{
  const layout at = layout_of(d);
  const double bottom_near = at.near.y - d->slot_depth, bottom_far = at.far.y - d->slot_depth;
  const double right = at.foot.x + THICK;
  const corner ramps[] = {{0.0, TOP},   {0.0, 0.0}, at.bend, at.near, {at.near.x, bottom_near}, {-THICK, bottom_near},
                          {-THICK, TOP}};
  const corner ledge[] = {
      {at.far.x, bottom_far}, at.far, at.foot, {at.foot.x, at.far.y + BACKSTOP_TOP}, {right, at.far.y + BACKSTOP_TOP},
      {right, bottom_far}};
  const corner chute[] = {at.exit, {at.exit.x, TOP}, {at.exit.x + THICK, TOP}}; // a wedge: nothing below its corner
  say_wall(w, "the chute's left wall, both ramps, and the slot's near wall", ramps, 7);
  say_wall(w, "the slot's far wall, the far ledge and the backstop", ledge, 6);
  say_wall(w, "the chute's right wall", chute, 3);
}

static void say_cup(writer *w, const feeder_design *d, const feeder_start *start)
{
  const double inertia =
      MASS * ((LENGTH * LENGTH + WIDTH * WIDTH) / 12.0 + (0.5 * LENGTH - CENTRE) * (0.5 * LENGTH - CENTRE));
  const double below = start->heavy_end_down ? CENTRE : LENGTH - CENTRE; // of its centre of mass
  const double y = -0.5 * d->chute_width * tan(d->ramp_1_angle) + d->drop + 0.5 * WIDTH + below;
  say(w, "  - name: cup # its origin is the centre of mass, and its heavy end lies towards -x\n");
  say(w, "    mass: %g\n    inertia: %.9g\n    centre: [0, 0]\n", MASS, 1e-6 * inertia);
  say(w, "    shapes:\n      - {box: {size: [%g, %g]}, position: [%g, 0]}\n", 1e-3 * LENGTH, 1e-3 * WIDTH,
      1e-3 * (0.5 * LENGTH - CENTRE));
  say(w, "    position: [%.9g, %.9g]\n", 1e-3 * (0.5 * d->chute_width + start->offset), 1e-3 * y);
  say(w, "    angle: %.9g\n", (start->heavy_end_down ? 0.5 : -0.5) * TS_PI + start->tilt);
}

void feeder_scene(const feeder_design *design, const feeder_start *start, char text[FEEDER_TEXT])
{
  writer w = {text, 0};
  say(&w,
      "# A cup falls through the part feeder of thesis 4.3.1, its %s end down. Written by the program part_feeder.\n",
      start->heavy_end_down ? "heavy" : "light");
  say(&w, "touchstone: 1\nname: part feeder, %s end down\nspace: 2d\ncontact: {friction: 0.2}\nbodies:\n",
      start->heavy_end_down ? "heavy" : "light");
  say(&w, "  - name: feeder\n    kind: fixed\n    shapes:\n");
  say_walls(&w, design);
  say_cup(&w, design, start);
  say(&w, "step: {method: stewart-trinkle, size: 5e-4}\nduration: 0.6\n");
}

// ---- how a drop ends

static const double SLOW = 5e-3, PATIENCE = 0.05; // [m/s], [s]

// The cup's fastest point is slow, and has been for a while.
static bool is_stuck(const ts_sim *sim, int cup, feeder_watch *watch)
{
  const ts_twist v = ts_sim_velocity(sim, cup);
  const double speed = hypot(v.linear.x, v.linear.y) + fabs(v.angular.z) * 1e-3 * (LENGTH - CENTRE);
  if (speed > SLOW) watch->slow_since = ts_sim_time(sim);
  return ts_sim_time(sim) - watch->slow_since > PATIENCE;
}

feeder_end feeder_look(const feeder_design *design, const ts_sim *sim, feeder_watch *watch)
{
  const int cup = ts_model_find_body(ts_sim_model(sim), "cup");
  const layout at = layout_of(design);
  const ts_vec3 centre = ts_sim_pose(sim, cup).position;
  const double x = 1e3 * centre.x, y = 1e3 * centre.y, bottom = at.near.y - design->slot_depth;
  if (y < bottom + 5.0 && x > at.near.x && x < at.far.x)
    return sin(ts_sim_angle(sim, cup)) > 0.7 ? FEEDER_ORIENTED : FEEDER_WRONG;
  if (y < bottom - 50.0 || x > at.far.x + 150.0 || x < -80.0) return FEEDER_LEFT;
  return is_stuck(sim, cup, watch) ? FEEDER_STUCK : FEEDER_FALLING;
}
