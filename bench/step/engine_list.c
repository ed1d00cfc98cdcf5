#include "engine.h"

#include <stddef.h>

// Stands for an engine that was not found when the build was configured: a name and no functions
#define ABSENT(function, text)                                                                                         \
  const engine *function(int i)                                                                                        \
  {                                                                                                                    \
    static const engine absent = {.name = text, .settings = "not installed"};                                          \
    return i == 0 ? &absent : NULL;                                                                                    \
  }

#ifndef TOUCHSTONE_HAVE_ODE
ABSENT(ode_engine, "ode")
ABSENT(ode_chain_engine, "ode")
#endif
#ifndef TOUCHSTONE_HAVE_MUJOCO
ABSENT(mujoco_engine, "mujoco")
ABSENT(mujoco_chain_engine, "mujoco")
#endif
#ifndef TOUCHSTONE_HAVE_BULLET
ABSENT(bullet_engine, "bullet")
ABSENT(bullet_chain_engine, "bullet")
#endif

const engine *engine_at(int i)
{
  static const engine *(*const sources[])(int) = {touchstone_engine, ode_engine, mujoco_engine, bullet_engine};
  for (size_t k = 0; k < sizeof sources / sizeof *sources; ++k)
    for (int j = 0; sources[k](j); ++j)
      if (i-- == 0) return sources[k](j);
  return NULL;
}

int engine_count(void)
{
  int count = 0;
  while (engine_at(count)) ++count;
  return count;
}

bool engine_runs(const engine *e, const scene *s)
{
  if (!e->create || (!e->furnishes && scene_is_furnished(s))) return false;
  return e->max_bodies == 0 || s->body_count <= e->max_bodies;
}
