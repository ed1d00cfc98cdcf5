#include "chain.h"

#include "math/vec3.h"

#include <stdio.h>
#include <stdlib.h>

static const double LENGTH = 12.0, FLOOR = 0.1;

// Sphere k at the far end of its link, which begins at the sphere before.
static void add_sphere(scene *s, int k, ts_vec3 from, ts_vec3 to, ts_vec3 turning, ts_vec3 base)
{
  s->bodies[k] = (scene_body){.shape = BODY_SPHERE,
                              .radius = 3.0 / s->body_count,
                              .mass = 1.0,
                              .pose = {to, ts_quat_identity()},
                              .velocity = ts_cross(turning, ts_sub(to, base)),
                              .turning = turning,
                              .hinged = true,
                              .hinge = from,
                              .axis = {1.0, 0.0, 0.0}};
}

static void make_swinging(scene *s)
{
  const double link = LENGTH / s->body_count;
  const ts_vec3 base = {0.0, 0.0, 10.0}, turning = {1.0, 0.0, 0.0};
  s->planes[s->plane_count++] = (scene_plane){{0.0, -1.0, 0.0}, -4.0};
  for (int k = 0; k < s->body_count; ++k) {
    const ts_vec3 from = {0.0, -link * k, base.z}, to = {0.0, -link * (k + 1), base.z};
    add_sphere(s, k, from, to, turning, base);
  }
}

enum { RESTING = 4 };

static void make_resting(scene *s)
{
  const double link = LENGTH / s->body_count, radius = 3.0 / s->body_count;
  const int hanging = s->body_count - RESTING + 1; // the last of them touches the floor
  const ts_vec3 base = {0.0, 0.0, FLOOR + radius + link * hanging}, still = {0.0, 0.0, 0.0};
  ts_vec3 from = base;
  for (int k = 0; k < s->body_count; ++k) {
    const ts_vec3 to = ts_add(from, k < hanging ? ts_vec3_make(0.0, 0.0, -link) : ts_vec3_make(0.0, link, 0.0));
    add_sphere(s, k, from, to, still, base);
    from = to;
  }
}

void chain_init(scene *s, chain_kind kind, int links)
{
  static const char *const names[] = {[CHAIN_SWINGS] = "swings", [CHAIN_RESTS] = "rests"};
  static const char *const titles[] = {[CHAIN_SWINGS] = "chain of spheres in flight, h = 0.1 ms",
                                       [CHAIN_RESTS] = "chain of spheres hangs, four on the floor, h = 0.1 ms"};
  *s = (scene){.name = names[kind],
               .title = titles[kind],
               .step_size = 1e-4,
               .gravity = 9.8,
               .friction = 0.5,
               .restitution = 0.5,
               .tolerance = 1e-8,
               .accuracy = -1.0,
               .body_count = links,
               .bodies = calloc((size_t)links, sizeof *s->bodies),
               .settle = 20,
               .observed = 10,
               .observe_every = 5,
               .block = 50};
  if (!s->bodies) {
    fprintf(stderr, "bench_pendulum: out of memory\n");
    exit(EXIT_FAILURE);
  }
  s->planes[s->plane_count++] = (scene_plane){{0.0, 0.0, 1.0}, FLOOR};
  if (kind == CHAIN_SWINGS)
    make_swinging(s);
  else
    make_resting(s);
}
