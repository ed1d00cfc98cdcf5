#include "complementarity/friction/friction_view.h"

bool ts_friction_view_init(ts_friction_view *view, const ts_problem *problem, bool sparing, ts_arena *arena)
{
  view->problem = problem;
  view->local = &problem->friction;
  if (problem->type == TS_GLOBAL_FRICTION) {
    if (ts_condense_into(&problem->global, sparing, arena, &view->condensation, NULL) != TS_OK) return false;
    view->local = &view->condensation.local;
  }
  if (view->local->bilaterals > 0) {
    ts_eliminate_bilaterals(&view->elimination, view->local, arena);
    view->local = &view->elimination.reduced;
  }
  ts_cone_problem_init(&view->cone, view->local, arena);
  if (problem->type == TS_GLOBAL_FRICTION && view->condensation.diagonal_only) {
    const size_t rows = (size_t)view->condensation.mass.n;
    view->compliance = (ts_compliance){&view->condensation.mass, &view->condensation.bodies.H,
                                       ts_arena_doubles(arena, rows), ts_arena_doubles(arena, rows)};
    view->cone.compliance = &view->compliance;
  }
  return true;
}

void ts_friction_view_import(const ts_friction_view *view, const double *z, double *scaled)
{
  ts_cone_import(&view->cone, z, scaled);
}

void ts_friction_view_export(const ts_friction_view *view, const double *scaled, double *z)
{
  ts_cone_export(&view->cone, scaled, z);
  const size_t impulses = (size_t)view->cone.d * (size_t)view->cone.contacts;
  const ts_friction *whole =
      view->problem->type == TS_GLOBAL_FRICTION ? &view->condensation.local : &view->problem->friction;
  if (whole->bilaterals > 0) ts_elimination_recover(&view->elimination, z, z + impulses);
  if (view->problem->type == TS_GLOBAL_FRICTION)
    ts_condensation_velocity(&view->condensation, z, z + impulses + (size_t)whole->bilaterals);
}
