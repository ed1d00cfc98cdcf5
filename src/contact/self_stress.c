#include "contact/self_stress.h"

#include <string.h>

// Wrenches on the bodies by impulses x, 4 a contact.
static void push(const ts_contact_set *set, const ts_model *model, const double *x, ts_wrench *wrench)
{
  memset(wrench, 0, (size_t)model->body_count * sizeof *wrench);
  for (int i = 0; i < set->count; ++i) {
    const ts_contact *c = &set->contacts[i];
    const double *p = x + 4 * (size_t)i;
    const ts_vec3 force = ts_add_scaled(ts_add_scaled(ts_scale(p[0], c->normal), p[1], c->tangent), p[2], c->other);
    const ts_vec3 spin = ts_scale(p[3], c->normal);
    ts_wrench *w_1 = &wrench[c->body_1], *w_2 = &wrench[c->body_2];
    w_1->force = ts_add(w_1->force, force);
    w_1->moment = ts_add(w_1->moment, ts_add(ts_cross(c->arm_1, force), spin));
    if (model->bodies[c->body_2].kind != TS_DYNAMIC) continue;
    w_2->force = ts_sub(w_2->force, force);
    w_2->moment = ts_sub(w_2->moment, ts_add(ts_cross(c->arm_2, force), spin));
  }
}

// The transpose of it.
static void pull(const ts_contact_set *set, const ts_model *model, const ts_wrench *wrench, double *x)
{
  for (int i = 0; i < set->count; ++i) {
    const ts_contact *c = &set->contacts[i];
    const ts_wrench *w_1 = &wrench[c->body_1], *w_2 = &wrench[c->body_2];
    ts_vec3 at = ts_add(w_1->force, ts_cross(w_1->moment, c->arm_1)), turn = w_1->moment;
    if (model->bodies[c->body_2].kind == TS_DYNAMIC) {
      at = ts_sub(at, ts_add(w_2->force, ts_cross(w_2->moment, c->arm_2)));
      turn = ts_sub(turn, w_2->moment);
    }
    double *p = x + 4 * (size_t)i;
    p[0] = ts_dot(at, c->normal);
    p[1] = ts_dot(at, c->tangent);
    p[2] = ts_dot(at, c->other);
    p[3] = c->impulse[3] != 0.0 ? ts_dot(turn, c->normal) : 0.0; // most contacts have no spin
  }
}

static double norm2(const double *x, size_t count)
{
  double sum = 0.0;
  for (size_t k = 0; k < count; ++k) sum += x[k] * x[k];
  return sum;
}

// Conjugate gradients on the normal equations, from zero: they stay among the changes of least norm (CGLS).
void ts_contact_set_unstress(ts_contact_set *set, const ts_model *model, const double *target, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  const size_t n = 4 * (size_t)set->count, m = 6 * (size_t)model->body_count;
  double *change = ts_arena_zeros(arena, n), *gradient = ts_arena_doubles(arena, n), *d = ts_arena_doubles(arena, n);
  ts_wrench *missing = ts_arena_bytes(arena, (size_t)model->body_count, sizeof *missing);
  ts_wrench *image = ts_arena_bytes(arena, (size_t)model->body_count, sizeof *image);
  for (size_t k = 0; k < n; ++k) d[k] = set->contacts[k / 4].impulse[k % 4] - target[k];
  push(set, model, d, missing);
  pull(set, model, missing, gradient);
  memcpy(d, gradient, n * sizeof *d);
  const double first = norm2(gradient, n);
  double size = first;
  for (size_t turn = 0; turn < 2 * n && size > 1e-26 * first; ++turn) {
    push(set, model, d, image);
    const double bend = norm2((const double *)image, m);
    if (!(bend > 0.0)) break;
    const double step = size / bend, before = size;
    for (size_t k = 0; k < n; ++k) change[k] += step * d[k];
    for (size_t k = 0; k < m; ++k) ((double *)missing)[k] -= step * ((const double *)image)[k];
    pull(set, model, missing, gradient);
    size = norm2(gradient, n);
    for (size_t k = 0; k < n; ++k) d[k] = gradient[k] + size / before * d[k];
  }
  for (size_t k = 0; k < n; ++k) set->contacts[k / 4].impulse[k % 4] = target[k] + change[k];
  ts_arena_restore(arena, mark);
}
