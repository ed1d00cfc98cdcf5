#include "draw/composition.h"

#include <stdlib.h>

void ts_composition_destroy(ts_composition *composition)
{
  for (int i = 0; i < composition->picture.trail_count; ++i) free((void *)composition->trails[i].points);
  free(composition->placed);
  free(composition->times);
  free(composition->forces);
  free(composition->trails);
  free(composition->labels);
  free(composition->links);
  free(composition->names);
  *composition = (ts_composition){0};
}

static bool is_hidden(const ts_composition_choice *choice, int body)
{
  return choice->hidden && body >= 0 && choice->hidden[body]; // the world cannot be
}

// ---- bodies --------------------------------------------------------------------------------------------------------

// All parts at a state; what is fixed at the last one only.
static void place_parts(ts_composition *c, const ts_model *model, const ts_composition_choice *choice,
                        const ts_pose *poses, int moment)
{
  const bool last = moment + 1 == choice->state_count;
  for (int i = 0; i < ts_model_part_count(model); ++i) {
    const int body = ts_model_part_body(model, i);
    const ts_body_kind kind = ts_model_body_kind(model, body);
    const ts_pose inner = ts_model_part_pose(model, i);
    if ((kind == TS_FIXED && !last) || is_hidden(choice, body)) continue;
    c->placed[c->picture.placed_count++] =
        (ts_placed_shape){ts_model_part_shape(model, i), ts_pose_combine(&poses[body], &inner), body, moment, kind};
  }
}

static void add_bodies(ts_composition *c, const ts_subject *subject, const ts_composition_choice *choice, ts_heap *heap)
{
  const ts_model *model = subject->model;
  const size_t parts = (size_t)ts_model_part_count(model), count = (size_t)choice->state_count;
  c->picture.placed = c->placed = ts_heap_zeros(heap, parts * count, sizeof *c->placed);
  c->picture.moments = c->times = ts_heap_zeros(heap, count, sizeof *c->times);
  ts_pose *poses = ts_heap_zeros(heap, (size_t)ts_model_body_count(model), sizeof *poses);
  for (int k = 0; poses && k < choice->state_count; ++k) {
    c->times[k] = ts_subject_time(subject, choice->states[k]);
    ts_subject_poses(subject, choice->states[k], poses);
    place_parts(c, model, choice, poses, k);
  }
  c->picture.moment_count = choice->state_count;
  free(poses);
}

// ---- trails --------------------------------------------------------------------------------------------------------

static ts_vec3 *trail_points(const ts_subject *subject, int body, int last, ts_heap *heap, int *count)
{
  ts_vec3 *points = ts_heap_zeros(heap, (size_t)last + 1, sizeof *points);
  ts_pose *poses = ts_heap_zeros(heap, (size_t)ts_model_body_count(subject->model), sizeof *poses);
  const ts_vec3 centre = ts_model_body_centre(subject->model, body);
  *count = 0;
  for (int state = 0; poses && state <= last; ++state) {
    ts_subject_poses(subject, state, poses);
    const ts_vec3 point = ts_pose_place(&poses[body], centre);
    if (ts_vector_is_finite(point)) points[(*count)++] = point;
  }
  free(poses);
  return points;
}

static void add_trails(ts_composition *c, const ts_subject *subject, const ts_composition_choice *choice, ts_heap *heap)
{
  const int last = choice->states[choice->state_count - 1];
  const int bodies = ts_model_body_count(subject->model);
  c->picture.trails = c->trails = ts_heap_zeros(heap, (size_t)bodies, sizeof *c->trails);
  for (int i = 0; c->trails && i < bodies; ++i) {
    if (!choice->trails[i] || is_hidden(choice, i)) continue;
    ts_picture_trail *trail = &c->trails[c->picture.trail_count++];
    trail->body = i;
    trail->points = trail_points(subject, i, last, heap, &trail->count);
  }
}

// ---- names ---------------------------------------------------------------------------------------------------------

// A body's name goes on its first part that has a place; a half-space has none.
static void add_labels(ts_composition *c, const ts_subject *subject, ts_heap *heap)
{
  const int bodies = ts_model_body_count(subject->model), last = c->picture.moment_count - 1;
  c->picture.labels = c->labels = ts_heap_zeros(heap, (size_t)bodies, sizeof *c->labels);
  int previous = -1;
  for (int i = 0; c->labels && i < c->picture.placed_count; ++i) {
    const ts_placed_shape *placed = &c->placed[i];
    if (placed->moment != last || placed->shape->kind == TS_SHAPE_PLANE || placed->body == previous) continue;
    previous = placed->body;
    c->labels[c->picture.label_count++] =
        (ts_picture_label){placed->body, placed->pose.position, ts_model_body_name(subject->model, placed->body)};
  }
}

static void name_bodies(ts_composition *c, const ts_model *model, ts_heap *heap)
{
  const int bodies = ts_model_body_count(model);
  c->picture.names = c->names = ts_heap_zeros(heap, (size_t)bodies, sizeof *c->names);
  for (int i = 0; c->names && i < bodies; ++i) c->names[i] = ts_model_body_name(model, i);
}

// ---- all of it -----------------------------------------------------------------------------------------------------

// Joints and springs of hidden bodies go with them.
static void add_links(ts_composition *c, const ts_subject *subject, const ts_composition_choice *choice, ts_heap *heap)
{
  int count, kept = 0;
  c->picture.links = c->links = ts_subject_links(subject, choice->states[choice->state_count - 1], &count, heap);
  for (int i = 0; i < count; ++i)
    if (!is_hidden(choice, c->links[i].body[0]) && !is_hidden(choice, c->links[i].body[1]))
      c->links[kept++] = c->links[i];
  c->picture.link_count = kept;
}

ts_status ts_composition_init(ts_composition *composition, const ts_subject *subject,
                              const ts_composition_choice *choice)
{
  ts_composition *c = composition;
  ts_heap heap = {0};
  const int last = choice->states[choice->state_count - 1];
  *c = (ts_composition){.picture = {.planar = ts_space_is_planar(ts_model_space(subject->model)),
                                    .gravity = ts_model_gravity(subject->model),
                                    .title = choice->title,
                                    .focus = choice->focus,
                                    .zoom = choice->zoom}};
  add_bodies(c, subject, choice, &heap);
  name_bodies(c, subject->model, &heap);
  add_links(c, subject, choice, &heap);
  if (choice->contacts)
    c->picture.forces = c->forces = ts_subject_forces(subject, last, choice->hidden, &c->picture.force_count, &heap);
  if (choice->names) add_labels(c, subject, &heap);
  if (choice->trails) add_trails(c, subject, choice, &heap);
  if (!heap.exhausted) return TS_OK;
  ts_composition_destroy(c);
  return TS_OUT_OF_MEMORY;
}
