// The row of a gear, with q the coordinate of the joint that follows, q_k those of the joints that it follows, r_k the
// ratios and c the offset:
//   Phi = q - sum of r_k q_k - c,   Phi' = q' - sum of r_k q_k'.
// Each rate is a row between the two bodies of its joint (ts_joint_coordinate_row()). Bodies that several of the joints
// have in common get the sum: then all bodies of the row differ, and elimination may take them one by one.
#include "dynamics/gear_rows.h"

// Gears come behind joints, springs and bushings.
static int first_source(const ts_model *model)
{
  return model->joint_count + model->spring_count + model->bushing_count;
}

ts_geared_joint ts_gear_joint_at(const ts_gear *gear, int k)
{
  if (k == gear->term_count) return (ts_geared_joint){gear->joint, 1.0};
  return (ts_geared_joint){gear->terms[k].joint, -gear->terms[k].ratio};
}

// ---- row -----------------------------------------------------------------------------------------------------------

// Sides of a row as they come together.
typedef struct side_list {
  int count, body[2 * (TS_MOST_GEAR_TERMS + 1)];
  ts_twist jacobian[2 * (TS_MOST_GEAR_TERMS + 1)];
} side_list;

static void add_side(side_list *list, int body, double weight, ts_twist jacobian)
{
  int k = 0;
  while (k < list->count && list->body[k] != body) ++k;
  if (k == list->count) {
    list->body[list->count] = body;
    list->jacobian[list->count++] = (ts_twist){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  }
  list->jacobian[k] = ts_twist_add_scaled(list->jacobian[k], weight, jacobian);
}

static ts_row part_at(const side_list *list, int first)
{
  ts_row part = {.body = {-1, -1}};
  for (int side = 0; side < 2 && first + side < list->count; ++side) {
    part.body[side] = list->body[first + side];
    part.jacobian[side] = list->jacobian[first + side];
  }
  return part;
}

static void take_sides(const side_list *list, ts_bilateral_row *row, ts_arena *arena)
{
  row->row = part_at(list, 0);
  if (list->count <= 2) return;
  row->further_count = (list->count - 1) / 2;
  ts_row *further = ts_arena_bytes(arena, (size_t)row->further_count, sizeof *further);
  for (int k = 0; k < row->further_count; ++k) further[k] = part_at(list, 2 + 2 * k);
  row->further = further;
}

static ts_bilateral_row gear_row(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics,
                                 const ts_gear *gear, ts_arena *arena)
{
  side_list list = {.count = 0};
  ts_bilateral_row row = {.error = -gear->offset, .of_joint = true, .is_gear = true};
  for (int k = gear->term_count; k >= 0; --k) { // the joint that follows comes first
    const ts_geared_joint own = ts_gear_joint_at(gear, k);
    const ts_joint_coordinate c = ts_joint_coordinate_at(model, state, kinematics, own.joint);
    row.error += own.weight * c.position;
    row.drift += own.weight * c.drift;
    for (int side = 0; side < 2; ++side)
      if (c.row.body[side] >= 0) add_side(&list, c.row.body[side], own.weight, c.row.jacobian[side]);
  }
  take_sides(&list, &row, arena);
  return row;
}

int ts_gear_rows(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, double h,
                 ts_bilateral_row *rows, ts_arena *arena)
{
  for (int g = 0; g < model->gear_count; ++g) {
    rows[g] = gear_row(model, state, kinematics, &model->gears[g], arena);
    rows[g].bias = rows[g].error / h;
    rows[g].source = first_source(model) + g;
  }
  return model->gear_count;
}

const ts_gear *ts_row_gear(const ts_model *model, const ts_bilateral_row *row)
{
  return &model->gears[row->source - first_source(model)];
}

int ts_row_joint(const ts_model *model, const ts_bilateral_row *row)
{
  if (row->is_gear) return ts_row_gear(model, row)->joint;
  return row->source < model->joint_count ? row->source : -1;
}

// ---- error and bias ------------------------------------------------------------------------------------------------

double ts_gear_error(const ts_model *model, const ts_state *state, const ts_kinematics *kinematics, int gear)
{
  const ts_gear *g = &model->gears[gear];
  double error = -g->offset;
  for (int k = 0; k <= g->term_count; ++k) {
    const ts_geared_joint own = ts_gear_joint_at(g, k);
    error += own.weight * ts_joint_position(model, state, kinematics, own.joint, NULL);
  }
  return error;
}

double ts_gear_bias(const ts_model *model, const ts_kinematics *kinematics, const ts_twist *velocity,
                    const ts_twist *base_acceleration, int gear)
{
  const ts_gear *g = &model->gears[gear];
  double bias = 0.0;
  for (int k = 0; k <= g->term_count; ++k) {
    const ts_geared_joint own = ts_gear_joint_at(g, k);
    const ts_joint_frames at = ts_joint_frames_at(model, kinematics, own.joint);
    const ts_row row = ts_joint_coordinate_row(model, own.joint, &at);
    bias += own.weight * (ts_joint_coordinate_bias(model, kinematics, velocity, own.joint) +
                          ts_row_drift(&row, &at.sides, base_acceleration));
  }
  return bias;
}
