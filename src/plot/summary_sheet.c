#include "plot/summary_sheet.h"

#include "plot/contenders.h"
#include "plot/joint_panels.h"
#include "plot/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- bodies --------------------------------------------------------------------------------------------------------

// The series of a body's quantity, or NULL.
static const double *body_series(const ts_record *record, int body, const char *quantity, int count, ts_heap *heap)
{
  const char *owner = ts_record_body_name(record, body);
  const size_t size = strlen(owner) + strlen(quantity) + 2;
  char *name = ts_heap_zeros(heap, size, 1);
  if (!name) return NULL;
  snprintf(name, size, "%s.%s", owner, quantity);
  int found = 0;
  const double *values = ts_record_series(record, name, &found);
  free(name);
  return found == count ? values : NULL;
}

static void add_positions(const ts_record *record, const double *times, int count, ts_figure *figure)
{
  static const char *const axes[] = {"x", "y", "z"};
  ts_heap *heap = &figure->heap;
  ts_contenders c = {NULL, 0};
  for (int body = 0; body < ts_record_body_count(record); ++body)
    for (int k = 0; k < (ts_record_is_planar(record) ? 2 : 3); ++k) {
      const double *values = body_series(record, body, axes[k], count, heap);
      if (!values) continue; // fixed
      char name[128];
      snprintf(name, sizeof name, "%s.%s", ts_record_body_name(record, body), axes[k]);
      ts_contenders_add(&c, name, ts_contender_copy(values, count, heap), count, heap);
    }
  ts_contenders_show(&c, "position [m]", times, count, figure);
}

// The norm of a vector quantity of each body, given by the names of its components.
static void add_norms(const ts_record *record, const char *const *components, int component_count, const char *label,
                      const double *times, int count, ts_figure *figure)
{
  ts_heap *heap = &figure->heap;
  ts_contenders c = {NULL, 0};
  for (int body = 0; body < ts_record_body_count(record); ++body) {
    double *norm = ts_heap_zeros(heap, (size_t)count, sizeof *norm);
    bool known = norm != NULL;
    for (int k = 0; k < component_count; ++k) {
      const double *values = body_series(record, body, components[k], count, heap);
      known = known && values;
      for (int i = 0; known && i < count; ++i) norm[i] = hypot(norm[i], values[i]);
    }
    if (known)
      ts_contenders_add(&c, ts_record_body_name(record, body), norm, count, heap);
    else
      free(norm);
  }
  ts_contenders_show(&c, label, times, count, figure);
}

static void add_speeds(const ts_record *record, const double *times, int count, ts_figure *figure)
{
  static const char *const linear[] = {"vx", "vy", "vz"}, *const angular[] = {"wx", "wy", "wz"},
                           *const turning[] = {"w"};
  const bool planar = ts_record_is_planar(record);
  add_norms(record, linear, planar ? 2 : 3, "speed [m/s]", times, count, figure);
  add_norms(record, planar ? turning : angular, planar ? 1 : 3, "angular speed [rad/s]", times, count, figure);
}

// ---- contacts ------------------------------------------------------------------------------------------------------

// What happened between two bodies: the largest normal force since the state before, the largest patch and the
// liveliest mode at each state.
typedef struct pair {
  int first, second;
  double *force, *patch; // NAN: no patch pushed
  signed char *mode;     // a ts_contact_mode; NONE: they did not touch
} pair;

enum { NONE = -1 };

typedef struct pairs {
  pair *list;
  int count;
  bool patches; // some touch by lines or surfaces
} pairs;

// NULL: memory ran out.
static pair *add_pair(pairs *all, int first, int second, int state_count, ts_heap *heap)
{
  pair *grown = ts_heap_grow(heap, all->list, (size_t)all->count + 1, sizeof *grown);
  if (!grown) return NULL;
  all->list = grown;
  pair *added = &all->list[all->count++];
  *added =
      (pair){first, second, ts_heap_zeros(heap, (size_t)state_count, sizeof(double)),
             ts_heap_zeros(heap, (size_t)state_count, sizeof(double)), ts_heap_zeros(heap, (size_t)state_count, 1)};
  if (heap->exhausted) return NULL;
  for (int i = 0; i < state_count; ++i) added->patch[i] = NAN;
  memset(added->mode, NONE, (size_t)state_count);
  return added;
}

static pair *find_pair(pairs *all, const ts_recorded_contact *contact, int state_count, ts_heap *heap)
{
  const int first = contact->body_1 < contact->body_2 ? contact->body_1 : contact->body_2;
  const int second = contact->body_1 < contact->body_2 ? contact->body_2 : contact->body_1;
  for (int i = all->count - 1; i >= 0; --i)
    if (all->list[i].first == first && all->list[i].second == second) return &all->list[i];
  return add_pair(all, first, second, state_count, heap);
}

// Slipping says more than rolling, that more than sticking, that more than parting.
static int liveliness(int mode)
{
  static const int rank[] = {[TS_SEPARATE] = 1, [TS_STICK] = 2, [TS_ROLL] = 3, [TS_SLIP] = 4};
  return mode == NONE ? 0 : rank[mode];
}

// Contacts and states are both in the order of time.
static pairs collect_pairs(const ts_record *record, const double *times, int count, ts_heap *heap)
{
  pairs all = {NULL, 0, false};
  const int bodies = ts_record_body_count(record);
  int state = 0;
  for (int i = 0; i < ts_record_contact_count(record) && count > 0; ++i) {
    const ts_recorded_contact contact = ts_record_contact(record, i);
    while (state + 1 < count && fabs(times[state + 1] - contact.t) <= fabs(times[state] - contact.t)) ++state;
    if (contact.body_1 < 0 || contact.body_1 >= bodies || contact.body_2 < 0 || contact.body_2 >= bodies) continue;
    pair *p = find_pair(&all, &contact, count, heap);
    if (!p) break;
    p->force[state] += contact.fn_max; // once a pair
    all.patches = all.patches || contact.patch > 0;
    if (contact.pn > 0.0 && !(p->patch[state] >= contact.patch)) p->patch[state] = contact.patch;
    if (liveliness((int)contact.mode) > liveliness(p->mode[state])) p->mode[state] = (signed char)contact.mode;
  }
  return all;
}

static void free_pairs(pairs *all)
{
  for (int i = 0; i < all->count; ++i) {
    free(all->list[i].force);
    free(all->list[i].patch);
    free(all->list[i].mode);
  }
  free(all->list);
}

static void name_pair(const ts_record *record, const pair *p, char *name, size_t size)
{
  snprintf(name, size, "%s - %s", ts_record_body_name(record, p->first), ts_record_body_name(record, p->second));
}

static void add_forces(const ts_record *record, const pairs *all, const double *times, int count, ts_figure *figure)
{
  ts_contenders c = {NULL, 0};
  for (int i = 0; i < all->count; ++i) {
    char name[256];
    name_pair(record, &all->list[i], name, sizeof name);
    double *copy = ts_contender_copy(all->list[i].force, count, &figure->heap);
    if (copy && count > 0 && all->list[i].mode[0] == NONE) copy[0] = NAN; // no step led to the first state
    ts_contenders_add(&c, name, copy, count, &figure->heap);
  }
  ts_contenders_show(&c, "normal force [N]", times, count, figure);
}

// By what bodies touch, where that is more than points.
static void add_patches(const ts_record *record, const pairs *all, const double *times, int count, ts_figure *figure)
{
  ts_contenders c = {NULL, 0};
  for (int i = 0; all->patches && i < all->count; ++i) {
    char name[256];
    name_pair(record, &all->list[i], name, sizeof name);
    ts_contenders_add(&c, name, ts_contender_copy(all->list[i].patch, count, &figure->heap), count, &figure->heap);
  }
  ts_contenders_show(&c, "contact: 0 point, 1 line, 2 surface", times, count, figure);
}

// A state's contacts are those of the step that led to it, so that a mode fills the time before its state.
static void add_spans(const pair *p, int lane, const double *times, int count, ts_panel *panel)
{
  for (int i = 1; i < count;) {
    const int mode = p->mode[i], begin = i;
    while (i < count && p->mode[i] == mode) ++i;
    if (mode != NONE)
      ts_panel_add_span(panel, (ts_mode_span){times[begin - 1], times[i - 1], lane, (ts_contact_mode)mode});
  }
}

static void add_modes(const ts_record *record, const pairs *all, const double *times, int count, ts_figure *figure)
{
  if (all->count == 0) return;
  ts_panel *panel = ts_figure_add_panel(figure, TS_TIME_LABEL, "contact modes");
  for (int i = 0; panel && i < all->count; ++i) {
    char name[256];
    name_pair(record, &all->list[i], name, sizeof name);
    ts_panel_add_lane(panel, name);
    if (i < TS_MOST_LANES) add_spans(&all->list[i], i, times, count, panel);
  }
}

// ---- steps ---------------------------------------------------------------------------------------------------------

static void add_step_panel(const ts_record *record, const char *const *names, int count, const char *label,
                           ts_figure *figure)
{
  ts_panel *panel = NULL;
  for (int i = 0; i < count; ++i) {
    ts_series series;
    if (!ts_series_find(record, names[i], &series)) continue;
    if (!panel) panel = ts_figure_add_panel(figure, TS_TIME_LABEL, label);
    if (!panel) return;
    ts_panel_add_curve(panel, names[i] + strlen("steps."), series.times, series.values, series.count, false);
  }
}

// On a logarithmic axis; a residual of zero is drawn at the bottom rather than left out.
static void add_residual(const ts_record *record, ts_figure *figure)
{
  static const double LEAST = 1e-17;
  ts_series series;
  if (!ts_series_find(record, "steps.residual", &series)) return;
  double *values = ts_contender_copy(series.values, series.count, &figure->heap);
  ts_panel *panel = ts_figure_add_panel(figure, TS_TIME_LABEL, "residual (at least 1e-17) [1]");
  if (values && panel) {
    for (int i = 0; i < series.count; ++i) values[i] = values[i] < LEAST ? LEAST : values[i];
    panel->log_scale = true;
    ts_panel_add_curve(panel, "residual", series.times, values, series.count, false);
  }
  free(values);
}

static void mark_impacts(const ts_record *record, ts_figure *figure)
{
  int count = 0;
  const double *times = ts_record_series(record, "impacts.t", &count);
  for (int i = 0; i < count; ++i)
    if (i == 0 || times[i] != times[i - 1]) ts_figure_add_mark(figure, times[i]);
}

void ts_summary_sheet(const ts_record *record, ts_figure *figure)
{
  static const char *const energies[] = {"steps.kinetic", "steps.potential", "steps.energy"};
  static const char *const penetration[] = {"steps.penetration"};
  int count = 0;
  const double *times = ts_record_series(record, "t", &count);
  figure->columns = 2;
  ts_figure_span(figure, times, count);
  mark_impacts(record, figure);
  if (times) {
    add_positions(record, times, count, figure);
    add_speeds(record, times, count, figure);
    ts_joint_panels(record, times, count, figure);
  }
  add_step_panel(record, energies, 3, "energy [J]", figure);
  if (times) {
    pairs all = collect_pairs(record, times, count, &figure->heap);
    if (!figure->heap.exhausted) {
      add_forces(record, &all, times, count, figure);
      add_patches(record, &all, times, count, figure);
      add_modes(record, &all, times, count, figure);
    }
    free_pairs(&all);
  }
  add_residual(record, figure);
  add_step_panel(record, penetration, 1, "penetration [m]", figure);
}
