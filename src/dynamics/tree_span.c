#include "dynamics/tree_span.h"

#include <string.h>

// Bodies are numbered from 1 here: 0 is the world.
typedef struct joint_lists {
  int *start; // body_count + 2
  int *joint; // of a body, in the order of joints
} joint_lists;

bool ts_body_is_particle(const ts_model *model, int body)
{
  const ts_body *b = &model->bodies[body];
  const ts_mat3 *I = &b->inverse_inertia;
  return b->kind == TS_DYNAMIC && b->mass > 0.0 && I->x.x == 0.0 && I->y.y == 0.0 && I->z.z == 0.0;
}

// Moves with nothing: trees begin there.
static bool is_root(const ts_model *model, int body)
{
  return body < 0 || model->bodies[body].kind != TS_DYNAMIC || ts_body_is_particle(model, body);
}

static joint_lists list_joints(const ts_model *model, ts_arena *arena)
{
  const size_t bodies = (size_t)model->body_count;
  joint_lists lists = {ts_arena_ints(arena, bodies + 2), ts_arena_ints(arena, 2 * (size_t)model->joint_count)};
  int *next = ts_arena_ints(arena, bodies + 2);
  memset(next, 0, (bodies + 2) * sizeof *next);
  for (int i = 0; i < model->joint_count; ++i) {
    ++next[model->joints[i].parent + 1];
    ++next[model->joints[i].child + 1];
  }
  lists.start[0] = 0;
  for (size_t b = 0; b <= bodies; ++b) {
    lists.start[b + 1] = lists.start[b] + next[b];
    next[b] = lists.start[b];
  }
  for (int i = 0; i < model->joint_count; ++i) {
    lists.joint[next[model->joints[i].parent + 1]++] = i;
    lists.joint[next[model->joints[i].child + 1]++] = i;
  }
  return lists;
}

// Breadth first through joints that are not stated to close loops; marks those that it takes.
typedef struct walk {
  const ts_model *model;
  const joint_lists *lists;
  int *queue, head, tail; // of bodies, -1 the world
  bool *reached;          // by body
  ts_span *span;
} walk;

static void reach(walk *w, int body, int joint)
{
  w->queue[w->tail++] = body;
  if (body < 0) return;
  w->reached[body] = true;
  w->span->joint[body] = joint;
  if (w->model->bodies[body].kind == TS_DYNAMIC) w->span->body[w->span->count++] = body;
}

static void follow_joints(walk *w)
{
  while (w->head < w->tail) {
    const int body = w->queue[w->head++];
    for (int k = w->lists->start[body + 1]; k < w->lists->start[body + 2]; ++k) {
      const int i = w->lists->joint[k];
      const ts_joint *joint = &w->model->joints[i];
      const int other = joint->parent == body ? joint->child : joint->parent;
      if (joint->closes_loop || other < 0 || w->reached[other]) continue;
      w->span->taken[i] = true;
      reach(w, other, i);
    }
  }
}

static bool has_joints(const joint_lists *lists, int body)
{
  return lists->start[body + 1] < lists->start[body + 2];
}

static void span_through(const ts_model *model, const joint_lists *lists, bool jointed_only, ts_span *span,
                         ts_arena *arena)
{
  const size_t bodies = (size_t)model->body_count;
  walk w = {.model = model, .lists = lists, .span = span};
  w.queue = ts_arena_ints(arena, bodies + 1);
  w.reached = ts_arena_bytes(arena, bodies, sizeof *w.reached);
  memset(w.reached, 0, bodies * sizeof *w.reached);
  memset(span->taken, 0, (size_t)model->joint_count * sizeof *span->taken);
  span->count = 0;
  for (int body = -1; body < model->body_count; ++body)
    if (is_root(model, body) && !(body >= 0 && jointed_only && !has_joints(lists, body))) reach(&w, body, -1);
  follow_joints(&w);
  for (int body = 0; body < model->body_count; ++body)
    if (!w.reached[body] && !is_root(model, body) && !(jointed_only && !has_joints(lists, body))) {
      reach(&w, body, -1);
      follow_joints(&w);
    }
}

ts_span ts_span_find(const ts_model *model, bool jointed_only, ts_arena *arena)
{
  const size_t bodies = (size_t)model->body_count, joints = (size_t)model->joint_count;
  ts_span span = {.body = ts_arena_ints(arena, bodies), .joint = ts_arena_ints(arena, bodies)};
  span.taken = ts_arena_bytes(arena, joints, sizeof *span.taken);
  const ts_arena_mark mark = ts_arena_save(arena);
  const joint_lists lists = list_joints(model, arena);
  span_through(model, &lists, jointed_only, &span, arena);
  ts_arena_restore(arena, mark);
  return span;
}
