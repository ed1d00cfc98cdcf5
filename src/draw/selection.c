#include "draw/selection.h"

#include "draw/crowd.h"
#include "draw/selection_note.h"

#include <math.h>
#include <stdlib.h>

static const double NEAR = 0.5;   // what is shown around all that matters, in units of its size
static const double AROUND = 5.0; // the same for what was asked for: there the picture's edge does the rest

// ---- what is shown -------------------------------------------------------------------------------------------------

static void show_bodies(ts_selection *s, const ts_picture *picture, const ts_crowd *crowd)
{
  for (int i = 0; i < picture->placed_count; ++i) {
    const int member = crowd->member_of[i], k = s->shown.placed_count;
    if (member >= 0 && crowd->outside[member]) continue;
    s->placed[k] = picture->placed[i];
    s->dwarfing[k] = member >= 0 && !crowd->counted[member];
    ++s->shown.placed_count;
  }
}

// Links and labels are those of the last moment.
static void show_rest(ts_selection *s, const ts_picture *picture, const ts_crowd *crowd)
{
  const int last = picture->moment_count - 1;
  for (int i = 0; i < picture->link_count; ++i) {
    const int *body = picture->links[i].body;
    if (!ts_crowd_is_outside(crowd, body[0], last) && !ts_crowd_is_outside(crowd, body[1], last))
      s->links[s->shown.link_count++] = picture->links[i];
  }
  for (int i = 0; i < picture->label_count; ++i)
    if (!ts_crowd_is_outside(crowd, picture->labels[i].body, last))
      s->labels[s->shown.label_count++] = picture->labels[i];
}

// ---- the scope -----------------------------------------------------------------------------------------------------

static void add_lines(ts_scope *scope, const ts_picture *picture)
{
  for (int i = 0; i < picture->trail_count; ++i)
    for (int k = 0; k < picture->trails[i].count; ++k) ts_scope_unite_point(scope, picture->trails[i].points[k]);
  for (int i = 0; i < picture->link_count; ++i)
    for (int side = 0; side < 2 && ts_picture_link_is_finite(&picture->links[i]); ++side)
      ts_scope_unite_point(scope, picture->links[i].point[side]);
}

// Nothing at all, or one particle: show a metre around it.
static void make_visible(ts_scope *scope, bool planar)
{
  const ts_vec3 half = {0.5, 0.5, planar ? 0.0 : 0.5};
  if (ts_scope_is_empty(scope)) *scope = (ts_scope){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  if (ts_scope_size(scope) > 0.0) return;
  scope->low = ts_vector_subtract(scope->low, half);
  scope->high = ts_vector_add(scope->high, half);
}

// Ground that is no further away than the scope is large belongs to it: add the foot of the scope on it.
static void add_near_ground(ts_scope *scope, const ts_plane *plane, double size)
{
  const ts_scope before = *scope;
  double nearest = INFINITY;
  for (int i = 0; i < 8; ++i) nearest = fmin(nearest, ts_plane_height(plane, ts_scope_corner(&before, i)));
  if (!(nearest > 0.0 && nearest < size)) return;
  for (int i = 0; i < 8; ++i) {
    const ts_vec3 corner = ts_scope_corner(&before, i);
    const ts_vec3 foot = ts_vector_subtract(corner, ts_vector_scale(ts_plane_height(plane, corner), plane->normal));
    ts_scope_unite_point(scope, foot);
  }
}

static void add_near_grounds(ts_scope *scope, const ts_picture *picture)
{
  const double size = ts_scope_size(scope);
  for (int i = 0; i < picture->placed_count; ++i) {
    const ts_placed_shape *placed = &picture->placed[i];
    if (placed->shape->kind != TS_SHAPE_PLANE || !ts_placed_shape_is_finite(placed)) continue;
    const ts_plane plane = ts_plane_of_shape(placed->shape, &placed->pose);
    add_near_ground(scope, &plane, size);
  }
}

bool ts_selection_cut(const ts_selection *selection, int i, ts_scope *part)
{
  const ts_placed_shape *placed = &selection->shown.placed[i];
  *part = ts_scope_of_shape(placed->shape, &placed->pose);
  return ts_scope_intersect(part, &selection->near, NEAR * ts_scope_size(&selection->near));
}

static void add_dwarfing(ts_selection *s)
{
  ts_scope part;
  for (int i = 0; i < s->shown.placed_count; ++i) {
    s->cut = s->cut || s->dwarfing[i];
    if (s->dwarfing[i] && ts_selection_cut(s, i, &part)) ts_scope_unite(&s->scope, &part);
  }
}

// Of all that is shown, only what is around the bodies that were named.
static void narrow(ts_scope *scope, const ts_picture *picture)
{
  ts_scope named = ts_scope_empty(), around = *scope;
  for (int i = 0; i < picture->placed_count; ++i) {
    const ts_placed_shape *placed = &picture->placed[i];
    if (!picture->focus[placed->body] || !ts_placed_shape_has_place(placed)) continue;
    const ts_scope box = ts_scope_of_shape(placed->shape, &placed->pose);
    ts_scope_unite(&named, &box);
  }
  if (ts_scope_size(&named) > 0.0 && ts_scope_intersect(&around, &named, AROUND * ts_scope_size(&named)))
    *scope = around;
}

static void measure(ts_selection *s, const ts_crowd *crowd)
{
  s->near = ts_crowd_scope(crowd);
  add_lines(&s->near, &s->shown);
  make_visible(&s->near, s->shown.planar);
  add_near_grounds(&s->near, &s->shown);
  s->scope = s->near;
  add_dwarfing(s);
  if (s->shown.focus) narrow(&s->scope, &s->shown);
  s->cut = s->cut || s->shown.focus || s->shown.zoom > 1.0;
}

// ---- all of it -----------------------------------------------------------------------------------------------------

void ts_selection_init(ts_selection *selection, const ts_picture *picture, ts_heap *heap)
{
  ts_selection *s = selection;
  ts_crowd crowd;
  *s = (ts_selection){.shown = *picture};
  s->shown.placed = s->placed = ts_heap_zeros(heap, (size_t)picture->placed_count, sizeof *s->placed);
  s->dwarfing = ts_heap_zeros(heap, (size_t)picture->placed_count, sizeof *s->dwarfing);
  s->shown.links = s->links = ts_heap_zeros(heap, (size_t)picture->link_count, sizeof *s->links);
  s->shown.labels = s->labels = ts_heap_zeros(heap, (size_t)picture->label_count, sizeof *s->labels);
  s->shown.placed_count = s->shown.link_count = s->shown.label_count = 0;
  ts_crowd_init(&crowd, picture, heap);
  if (!heap->exhausted) {
    show_bodies(s, picture, &crowd);
    show_rest(s, picture, &crowd);
    measure(s, &crowd);
    ts_selection_describe(s, &crowd, s->note, sizeof s->note);
  }
  ts_crowd_destroy(&crowd);
}

void ts_selection_destroy(ts_selection *selection)
{
  free(selection->placed);
  free(selection->dwarfing);
  free(selection->links);
  free(selection->labels);
}
