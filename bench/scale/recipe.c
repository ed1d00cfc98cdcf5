#include "recipe.h"

#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
  const char *name;
  void (*make)(scene *s, const recipe *r);
} kinds[RECIPE_KIND_COUNT] = {
    [RECIPE_SPHERES] = {"spheres", make_pile}, [RECIPE_BOXES] = {"boxes", make_pile},
    [RECIPE_MIXED] = {"mixed", make_pile},     [RECIPE_WALL] = {"wall", make_wall},
    [RECIPE_HOPPER] = {"hopper", make_hopper}, [RECIPE_TUMBLER] = {"tumbler", make_tumbler},
    [RECIPE_ROPES] = {"ropes", make_ropes},
};

const char *recipe_kind_name(recipe_kind kind)
{
  return kinds[kind].name;
}

void recipe_init(scene *s, const recipe *r)
{
  *s = (scene){.name = recipe_kind_name(r->kind),
               .step_size = 5e-3,
               .gravity = 9.81,
               .friction = r->friction,
               .tolerance = 1e-6,
               .accuracy = -1.0,
               .body_count = r->bodies,
               .bodies = calloc((size_t)r->bodies, sizeof *s->bodies)};
  if (!s->bodies) {
    fprintf(stderr, "bench_scale: out of memory\n");
    exit(EXIT_FAILURE);
  }
  kinds[r->kind].make(s, r);
}
