#include "dynamics/loops.h"

#include "dynamics/articulation.h"
#include "dynamics/gear_rows.h"

#include <string.h>

enum { MOST_JOINT_ROWS = 6 };

typedef struct loop_rows {
  int count;
  ts_bilateral_row *rows;
} loop_rows;

bool ts_loops_are_there(const ts_tree *tree, const ts_model *model)
{
  return ts_tree_sizes(tree).closures > 0 || model->gear_count > 0;
}

static loop_rows rows_of_loops(const ts_tree *tree, const ts_model *model, const ts_state *state,
                               const ts_kinematics *kinematics, ts_arena *arena)
{
  loop_rows loops = {.rows = ts_arena_bytes(arena, (size_t)ts_bilateral_row_limit(model), sizeof *loops.rows)};
  const int *closures = ts_tree_closures(tree);
  for (int i = 0; i < ts_tree_sizes(tree).closures; ++i)
    loops.count += ts_write_joint_rows(model, state, kinematics, closures[i], 1.0, loops.rows + loops.count);
  loops.count += ts_gear_rows(model, state, kinematics, 1.0, loops.rows + loops.count, arena);
  return loops;
}

double ts_loops_error(const ts_tree *tree, const ts_model *model, const ts_state *state,
                      const ts_kinematics *kinematics)
{
  const int *closures = ts_tree_closures(tree);
  double worst = 0.0;
  for (int i = 0; i < ts_tree_sizes(tree).closures; ++i) {
    ts_bilateral_row rows[MOST_JOINT_ROWS];
    const int count = ts_write_joint_rows(model, state, kinematics, closures[i], 1.0, rows);
    for (int k = 0; k < count; ++k) worst = fmax(worst, fabs(rows[k].error));
  }
  for (int g = 0; g < model->gear_count; ++g) worst = fmax(worst, fabs(ts_gear_error(model, state, kinematics, g)));
  return worst;
}

// What the rows want of the accelerations of dynamic bodies: their own change by motion, and that by moving bases.
static void write_biases(const ts_tree *tree, const ts_model *model, const ts_state *state,
                         const ts_kinematics *kinematics, const ts_twist *base_acceleration, const loop_rows *loops,
                         ts_arena *arena)
{
  double *bias = ts_arena_doubles(arena, (size_t)loops->count);
  const int *closures = ts_tree_closures(tree);
  int count = 0;
  for (int i = 0; i < ts_tree_sizes(tree).closures; ++i)
    count += ts_write_joint_bias(model, kinematics, state->velocity, closures[i], bias + count);
  for (int i = 0; i < count; ++i) {
    ts_bilateral_row *row = &loops->rows[i];
    const ts_joint *joint = &model->joints[row->source];
    const ts_sides sides = ts_sides_of(model, joint->parent, joint->child);
    row->bias = bias[i] + ts_row_drift(&row->row, &sides, base_acceleration);
  }
  for (int g = 0; g < model->gear_count; ++g)
    loops->rows[count + g].bias = ts_gear_bias(model, kinematics, state->velocity, base_acceleration, g);
}

void ts_loops_hold(ts_tree *tree, const ts_model *model, const ts_state *state, const ts_kinematics *kinematics,
                   const ts_twist *base_acceleration, double *acceleration, ts_loop_forces *forces, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  const loop_rows loops = rows_of_loops(tree, model, state, kinematics, arena);
  if (forces) *forces = (ts_loop_forces){0};
  const size_t bodies = (size_t)model->body_count, rates = (size_t)ts_tree_sizes(tree).v;
  if (loops.count > 0) {
    write_biases(tree, model, state, kinematics, base_acceleration, &loops, arena);
    ts_articulation articulation;
    ts_articulation_factor(model, kinematics, tree, state->on_tree, loops.rows, loops.count, arena, &articulation);
    ts_twist *bodies_before = ts_arena_bytes(arena, bodies, sizeof *bodies_before);
    ts_twist *change = ts_arena_bytes(arena, bodies, sizeof *change);
    double *force = ts_arena_doubles(arena, (size_t)loops.count), *rate_change = ts_arena_doubles(arena, rates);
    memset(bodies_before, 0, bodies * sizeof *bodies_before);
    ts_tree_body_accelerations(tree, base_acceleration, acceleration, bodies_before);
    memcpy(change, bodies_before, bodies * sizeof *change);
    ts_articulation_project(&articulation, change, force, arena);
    for (size_t b = 0; b < bodies; ++b) change[b] = ts_twist_add_scaled(change[b], -1.0, bodies_before[b]);
    ts_tree_rates(tree, change, rate_change);
    for (size_t k = 0; k < rates; ++k) acceleration[k] += rate_change[k];
    if (forces) *forces = (ts_loop_forces){loops.count, loops.rows, force};
  }
  if (!forces) ts_arena_restore(arena, mark);
}
