// See corners.h. More than half of the impacts on a corner have several answers. Which is given is decided by the way
// that the bodies are on: the direction that still parts them at its end or, where none does, the one whose gap closes
// last (Cyrus and Beck's entry into a convex body). Only where that does not hold, choices are tried one by one, and of
// those that hold the one with the least impulse in the metric of the masses is taken.
#include "step/corners.h"

#include "step/look_again.h"

#include "shape/directions.h"

#include <string.h>

enum {
  MOST_TOGETHER = 3, // directions that push at once: the body then ends on an edge or a corner
  MOST_GREEDY = 8,   // turns in which every corner that does not hold takes the direction that parts it most
  MOST_TRIALS = 256  // solves
};

// Directions whose contacts are in the problem; none: nothing there pushes.
typedef struct choice {
  int count, of[MOST_TOGETHER];
} choice;

// A pair of parts that may be apart along several directions.
typedef struct corner {
  int first, end; // its contacts among all
  int directions; // how many
  double *gaps;   // along each, at velocities asked for (directions)
  bool *mute;     // directions without a contact that pushes (directions)
  double flush;   // overlap that counts as none at the start of the step [m]
  double close;   // the same at its end [m]
  choice chosen, best;
  bool failed; // it did not hold with one of the choices since the last round began
  bool open;   // its choices are tried
  int option;  // that is tried
} corner;

typedef enum stage { AS_IT_GOES, ONE_BY_ONE, LAST } stage;

struct ts_corners {
  ts_contact_set all, chosen;
  int *row; // of each contact, its place among the chosen, or -1
  corner *corners;
  int count;
  stage stage;
  bool together; // several directions at once are tried, too
  int trials;
  double least; // kinetic energy of the least impulse of a choice that holds; INFINITY: none did
};

// ---- gaps ----------------------------------------------------------------------------------------------------------

// How far apart the parts of a corner are along each direction after the step; NULL: before it.
static void measure(const ts_step *step, const ts_contact_set *all, const corner *c, const ts_twist *velocity)
{
  for (int k = 0; k < c->directions; ++k) c->gaps[k] = INFINITY;
  for (int i = c->first; i < c->end; ++i) {
    double *gap = &c->gaps[ts_alternative_number(all->alternative[i])];
    const ts_contact *contact = &all->contacts[i];
    *gap = fmin(*gap, velocity ? ts_step_gap_after(step, contact, velocity) : contact->gap);
  }
}

static int widest(const corner *c)
{
  int best = 0;
  for (int k = 1; k < c->directions; ++k)
    if (c->gaps[k] > c->gaps[best]) best = k;
  return best;
}

static bool is_same_pair(const ts_contact_set *set, int i, int k)
{
  return ts_part_pair_key(set->parts[i]) == ts_part_pair_key(set->parts[k]);
}

double ts_corner_gap_at_end(const ts_step *step, const ts_contact_set *set, int i)
{
  int k = i;
  while (k > 0 && is_same_pair(set, k - 1, i)) --k;
  double phi = -INFINITY;
  while (k < set->count && is_same_pair(set, k, i)) {
    const int number = ts_alternative_number(set->alternative[k]);
    double psi = INFINITY;
    for (; k < set->count && is_same_pair(set, k, i) && ts_alternative_number(set->alternative[k]) == number; ++k)
      psi = fmin(psi, ts_step_gap_after(step, &set->contacts[k], step->sim->state.velocity));
    phi = fmax(phi, psi);
  }
  return phi;
}

// ---- choosing ------------------------------------------------------------------------------------------------------

static bool has_chosen(const choice *chosen, int number)
{
  for (int k = 0; k < chosen->count; ++k)
    if (chosen->of[k] == number) return true;
  return false;
}

static choice one(const corner *c, int number)
{
  return c->mute[number] ? (choice){0} : (choice){1, {number}};
}

// When the gap along each direction closes, as a share of the way at a velocity; that of directions that the parts are
// not apart along now, -1.
static void measure_entries(const ts_step *step, const ts_contact_set *all, const corner *c, const ts_twist *velocity)
{
  for (int k = 0; k < c->directions; ++k) c->gaps[k] = INFINITY;
  for (int i = c->first; i < c->end; ++i) {
    const double now = all->contacts[i].gap, then = ts_step_gap_after(step, &all->contacts[i], velocity);
    const double closes = now < -c->flush ? -1.0 : now <= 0.0 ? 0.0 : then < 0.0 ? now / (now - then) : 1.0;
    double *entry = &c->gaps[ts_alternative_number(all->alternative[i])];
    *entry = fmin(*entry, closes);
  }
  for (int k = 0; k < c->directions; ++k)
    if (c->mute[k]) c->gaps[k] = -2.0;
}

// By the way that bodies are on, without the forces of this step: what rests on a face would else fall below it first,
// and then be stopped by the face beside it.
static void choose_as_it_goes(const ts_step *step, const ts_contact_set *all, corner *c)
{
  const ts_twist *heading = step->sim->old_velocity;
  measure(step, all, c, heading);
  if (c->gaps[widest(c)] < -c->flush) measure_entries(step, all, c, heading);
  c->chosen = one(c, widest(c));
}

// Contact i of those to choose from; of a conjunction all that the parts are apart along now.
static bool is_chosen(const ts_contact_set *all, const corner *c, int i, bool conjunction)
{
  const int number = ts_alternative_number(all->alternative[i]);
  if (ts_alternative_is_mute(all->alternative[i])) return false;
  return conjunction ? c->gaps[number] >= -c->flush : has_chosen(&c->chosen, number);
}

static void copy_contact(ts_corners *corners, int i)
{
  ts_contact_set *to = &corners->chosen;
  const ts_contact_set *from = &corners->all;
  to->contacts[to->count] = from->contacts[i];
  to->laws[to->count] = from->laws[i];
  to->parts[to->count] = from->parts[i];
  to->alternative[to->count] = from->alternative[i];
  corners->row[i] = to->count++;
}

// The contacts of what is chosen become those of the step, with all that were never a question.
static void take_chosen(ts_step *step, bool conjunction)
{
  ts_corners *corners = step->corners;
  const ts_contact_set *all = &corners->all;
  corners->chosen.count = 0;
  for (int i = 0, k = 0; i < all->count; ++i) {
    while (k < corners->count && i >= corners->corners[k].end) ++k;
    const corner *c = &corners->corners[k];
    const bool asked = k < corners->count && i >= c->first;
    corners->row[i] = -1;
    if (!asked || is_chosen(all, c, i, conjunction)) copy_contact(corners, i);
  }
  step->contacts = corners->chosen;
}

// ---- making --------------------------------------------------------------------------------------------------------

static int count_corners(const ts_contact_set *all)
{
  int count = 0;
  for (int i = 0; all->alternative && i < all->count; ++i)
    count += all->alternative[i] >= 0 && (i == 0 || !is_same_pair(all, i, i - 1));
  return count;
}

// Of solves that are content with the tolerance: what is left of the way that contacts make.
static double way_of(const ts_step *step, const ts_contact_set *all, const corner *c)
{
  double way = 0.0;
  for (int i = c->first; i < c->end; ++i) {
    const ts_contact *contact = &all->contacts[i];
    way = fmax(way, fabs(ts_step_gap_after(step, contact, step->sim->free_velocity) - contact->gap));
  }
  return way;
}

static void make_corner(const ts_step *step, const ts_contact_set *all, int first, corner *c)
{
  static const double CLOSE = 1e-9; // of the size
  const ts_model *model = step->sim->model;
  const ts_part_pair pair = all->parts[first];
  const double size = ts_faceted_size(&model->parts[pair.first].convex, &model->parts[pair.second].convex);
  *c = (corner){.first = first, .end = first, .flush = TS_FLUSH * size};
  for (; c->end < all->count && is_same_pair(all, c->end, first); ++c->end)
    c->directions = ts_alternative_number(all->alternative[c->end]) + 1;
  c->gaps = ts_arena_doubles(step->arena, (size_t)c->directions);
  c->mute = ts_arena_bytes(step->arena, (size_t)c->directions, sizeof *c->mute);
  for (int k = 0; k < c->directions; ++k) c->mute[k] = true;
  for (int i = c->first; i < c->end; ++i)
    if (!ts_alternative_is_mute(all->alternative[i])) c->mute[ts_alternative_number(all->alternative[i])] = false;
  c->close = CLOSE * size + 10.0 * step->sim->options.tolerance * way_of(step, all, c);
}

static void make_corners(const ts_step *step, ts_corners *corners)
{
  const ts_contact_set *all = &corners->all;
  ts_arena *arena = step->arena;
  const size_t n = (size_t)all->count;
  corners->corners = ts_arena_bytes(arena, (size_t)corners->count, sizeof *corners->corners);
  corners->row = ts_arena_ints(arena, n);
  corners->chosen = (ts_contact_set){.capacity = all->count,
                                     .companions = all->companions,
                                     .contacts = ts_arena_bytes(arena, n, sizeof *all->contacts),
                                     .laws = ts_arena_bytes(arena, n, sizeof *all->laws),
                                     .parts = ts_arena_bytes(arena, n, sizeof *all->parts),
                                     .alternative = ts_arena_ints(arena, n)};
  for (int i = 0, k = 0; i < all->count; ++i)
    if (all->alternative[i] >= 0 && (i == 0 || !is_same_pair(all, i, i - 1)))
      make_corner(step, all, i, &corners->corners[k++]);
}

void ts_corners_begin(ts_step *step)
{
  const int count = count_corners(&step->contacts);
  const bool conjunction = step->sim->options.corners == TS_CORNERS_CONJUNCTION;
  step->corners = NULL;
  if (count == 0) return;
  ts_corners *corners = ts_arena_bytes(step->arena, 1, sizeof *corners);
  *corners = (ts_corners){.all = step->contacts, .count = count, .least = INFINITY};
  make_corners(step, corners);
  step->corners = corners;
  for (int k = 0; k < count; ++k) {
    corner *c = &corners->corners[k];
    if (conjunction)
      measure(step, &corners->all, c, NULL);
    else
      choose_as_it_goes(step, &corners->all, c);
  }
  take_chosen(step, conjunction);
}

void ts_corners_show_all(ts_step *step)
{
  if (step->corners) step->contacts = step->corners->all;
}

void ts_corners_show_chosen(ts_step *step)
{
  if (step->corners) step->contacts = step->corners->chosen;
}

// ---- holding what was chosen against all ---------------------------------------------------------------------------

static double largest_push(const ts_step *step)
{
  double largest = 0.0;
  for (int i = 0; i < step->contacts.count; ++i)
    largest = fmax(largest, step->r[(size_t)i * (size_t)step->system.dimension]);
  return largest;
}

// Whether contact i pushes, and is not what keeps the parts apart at the end of the step. What rebounds has left what
// it touched.
static bool pushes_from_afar(const ts_step *step, const corner *c, int i, double phi, double little)
{
  const ts_corners *corners = step->corners;
  const int row = corners->row[i];
  if (row < 0) return false;
  const ts_contact *contact = &corners->all.contacts[i];
  const size_t normal = (size_t)row * (size_t)step->system.dimension;
  const bool rebounds = contact->gap - step->h * step->bias[normal] > c->close;
  return step->r[normal] > little && !rebounds &&
         ts_step_gap_after(step, contact, step->sim->state.velocity) < phi - c->close;
}

// phi >= 0, and impulses from what is touched alone.
static bool holds(const ts_step *step, const corner *c)
{
  measure(step, &step->corners->all, c, step->sim->state.velocity);
  const double phi = c->gaps[widest(c)], little = step->sim->options.tolerance * largest_push(step);
  if (!(phi >= -c->close)) return false;
  for (int i = c->first; i < c->end; ++i)
    if (pushes_from_afar(step, c, i, phi, little)) return false;
  return true;
}

static bool all_hold(const ts_step *step)
{
  bool hold = true;
  for (int k = 0; k < step->corners->count; ++k) {
    corner *c = &step->corners->corners[k];
    if (holds(step, c)) continue;
    hold = false;
    c->failed = true;
  }
  return hold && step->sim->report.certified;
}

// ---- trying --------------------------------------------------------------------------------------------------------

static int option_count(const ts_step *step, const corner *c)
{
  const int n = c->directions, pairs = n * (n - 1) / 2;
  if (!step->corners->together) return n + 1;
  return n + 1 + pairs + (step->system.dimension > 2 ? pairs * (n - 2) / 3 : 0);
}

// Each direction alone, none, two of them, three of them.
static choice option_at(const corner *c, int option)
{
  const int n = c->directions;
  if (option <= n) return option < n ? one(c, option) : (choice){0};
  option -= n + 1;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      if (option-- == 0) return (choice){2, {i, j}};
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      for (int k = j + 1; k < n; ++k)
        if (option-- == 0) return (choice){3, {i, j, k}};
  return (choice){0};
}

// Choices of all corners that have failed so far. Where none has, a solve did, and all are asked.
static void try_from_the_first(ts_corners *corners)
{
  bool any = false;
  for (int k = 0; k < corners->count; ++k) any = any || corners->corners[k].open || corners->corners[k].failed;
  corners->stage = ONE_BY_ONE;
  for (int k = 0; k < corners->count; ++k) {
    corner *c = &corners->corners[k];
    c->open = c->open || c->failed || !any;
    c->failed = false;
    c->option = 0;
    if (c->open) c->chosen = option_at(c, 0);
  }
}

// The next options of all open corners together; false: there are no more.
static bool try_next(const ts_step *step)
{
  ts_corners *corners = step->corners;
  for (int k = 0; k < corners->count; ++k) {
    corner *c = &corners->corners[k];
    if (!c->open) continue;
    const bool more = ++c->option < option_count(step, c);
    if (!more) c->option = 0;
    c->chosen = option_at(c, c->option);
    if (more) return true;
  }
  return false;
}

static void turn_to_the_widest(const ts_step *step)
{
  ts_corners *corners = step->corners;
  for (int k = 0; k < corners->count; ++k) {
    corner *c = &corners->corners[k];
    if (!c->failed) continue;
    measure(step, &corners->all, c, step->sim->state.velocity);
    c->chosen = one(c, widest(c));
    c->failed = false;
  }
}

// Kinetic energy of what impulses have changed.
static double impulse_measure(const ts_step *step)
{
  const ts_sim *sim = step->sim;
  const size_t bodies = (size_t)sim->model->body_count;
  const ts_arena_mark mark = ts_arena_save(step->arena);
  ts_twist *change = ts_arena_bytes(step->arena, bodies, sizeof *change);
  for (size_t b = 0; b < bodies; ++b)
    change[b] = ts_twist_add_scaled(sim->state.velocity[b], -1.0, sim->free_velocity[b]);
  const double measure = ts_kinetic_energy(sim->model, &sim->kinematics, change);
  ts_arena_restore(step->arena, mark);
  return measure;
}

static void keep_if_least(const ts_step *step)
{
  static const double LESS = 1.0 - 1e-9; // as little is not less: then the first counts
  ts_corners *corners = step->corners;
  const double measure = impulse_measure(step);
  if (!(measure < LESS * corners->least)) return;
  corners->least = measure;
  for (int k = 0; k < corners->count; ++k) corners->corners[k].best = corners->corners[k].chosen;
}

// After all choices were tried: the best of them, or else more choices. False: there are no more.
static bool conclude(ts_corners *corners)
{
  bool opened = false;
  for (int k = 0; k < corners->count; ++k) opened = opened || (corners->corners[k].failed && !corners->corners[k].open);
  if (corners->least < INFINITY) {
    corners->stage = LAST;
    for (int k = 0; k < corners->count; ++k) corners->corners[k].chosen = corners->corners[k].best;
    return true;
  }
  if (!opened && corners->together) return false;
  corners->together = !opened;
  try_from_the_first(corners);
  return true;
}

// `hold`: all do with the present choice, which is one of several that are tried.
static bool choose_another(const ts_step *step, bool hold)
{
  ts_corners *corners = step->corners;
  if (corners->stage == LAST) return false;
  if (++corners->trials >= MOST_TRIALS) return corners->least < INFINITY && conclude(corners);
  if (corners->stage == ONE_BY_ONE) {
    if (hold) keep_if_least(step);
    return try_next(step) || conclude(corners);
  }
  if (corners->count > 1 && corners->trials <= MOST_GREEDY)
    turn_to_the_widest(step);
  else
    try_from_the_first(corners);
  return true;
}

// Overlap of what was in question, as it was before the step.
static void report_overlap(const ts_step *step)
{
  ts_step_report *report = &step->sim->report;
  for (int k = 0; k < step->corners->count; ++k) {
    const corner *c = &step->corners->corners[k];
    measure(step, &step->corners->all, c, NULL);
    report->penetration = fmax(report->penetration, -c->gaps[widest(c)]);
  }
}

bool ts_corners_turn(ts_step *step)
{
  ts_corners *corners = step->corners;
  if (!corners) return false;
  const bool exact = step->sim->options.corners == TS_CORNERS_EXACT, hold = !exact || all_hold(step);
  const bool done = hold && corners->stage != ONE_BY_ONE;
  if (!done && choose_another(step, hold)) {
    take_chosen(step, false);
    return true;
  }
  if (!done) step->sim->report.certified = false;
  report_overlap(step);
  return false;
}
