#include "scene/overlap.h"

#include "model/model.h"
#include "shape/broad_phase.h"
#include "shape/distance.h"

#include <math.h>

static const double TOLERATED = 0.1; // of the width

static ts_frame frame_at_start(const ts_model *model, const ts_part *part)
{
  ts_pose pose = model->bodies[part->body].pose;
  if (model->bodies[part->body].motion >= 0) {
    ts_twist unused;
    ts_motion_evaluate(model, part->body, 0.0, &pose, &unused);
  }
  pose = ts_pose_compose(&pose, &part->pose);
  return ts_pose_frame(&pose);
}

// Least extent along the part's own axes; infinite for planes.
static double width_of(const ts_convex *convex, bool planar)
{
  if (convex->kind == TS_SHAPE_PLANE || convex->kind == TS_SHAPE_POINT) return INFINITY;
  const ts_frame own = {{0.0, 0.0, 0.0}, ts_mat3_identity()};
  const ts_bounds box = ts_convex_bounds(convex, &own);
  const double width = fmin(box.high.x - box.low.x, box.high.y - box.low.y);
  return planar ? width : fmin(width, box.high.z - box.low.z);
}

static ts_status refuse_answer(ts_document_input *in, ts_query_fault fault, const ts_part *first, const ts_part *second,
                               const ts_node *const *body_nodes)
{
  char text[TS_FAULT_SIZE];
  ts_query_fault_text(fault, &first->convex, &second->convex, text);
  const int own = first->convex.kind == TS_SHAPE_OWN ? first->body : second->body;
  return ts_document_fail(in, body_nodes[own]->place, "%s, at the start", text);
}

static ts_status check_pair(ts_document_input *in, const ts_model *model, const ts_frame *frames, int i, int k,
                            const ts_node *const *body_nodes)
{
  const ts_part *first = &model->parts[i], *second = &model->parts[k];
  const bool planar = ts_is_flat(model->freedoms);
  if (!ts_model_law(model, i, k)) return TS_OK;
  if (first->convex.kind == TS_SHAPE_PLANE && second->convex.kind == TS_SHAPE_PLANE) return TS_OK;
  ts_separation separation;
  const ts_query_fault fault = ts_convex_distance(&first->convex, &frames[i], &second->convex, &frames[k], &separation);
  if (fault != TS_QUERY_FINE) return refuse_answer(in, fault, first, second, body_nodes);
  const double width = fmin(width_of(&first->convex, planar), width_of(&second->convex, planar));
  if (!(-separation.gap - ts_model_skins_between(model, i, k) > TOLERATED * width)) return TS_OK;
  const int later = first->body > second->body ? first->body : second->body;
  const int earlier = first->body + second->body - later;
  return ts_document_fail(in, body_nodes[later]->place,
                          "body '%.60s' overlaps body '%.60s' by %.3g m at the start ('allow_overlap: true' lets it)",
                          model->bodies[later].name, model->bodies[earlier].name, -separation.gap);
}

static ts_status check_pairs(ts_document_input *in, const ts_model *model, ts_broad_phase *broad_phase,
                             const ts_node *const *body_nodes)
{
  const size_t count = (size_t)model->part_count;
  ts_frame *frames = ts_arena_bytes(&in->arena, count, sizeof *frames);
  ts_bounds *boxes = ts_arena_bytes(&in->arena, count, sizeof *boxes);
  bool *moves = ts_arena_bytes(&in->arena, count, sizeof *moves);
  for (int i = 0; i < model->part_count; ++i) {
    frames[i] = frame_at_start(model, &model->parts[i]);
    boxes[i] = ts_convex_bounds(&model->parts[i].convex, &frames[i]);
    moves[i] = model->bodies[model->parts[i].body].kind == TS_DYNAMIC;
  }
  const ts_box_pair *pairs;
  int pair_count;
  if (!ts_broad_phase_find(broad_phase, boxes, moves, model->part_count, &pairs, &pair_count))
    return ts_fail(in->error, TS_OUT_OF_MEMORY, "memory ran out");
  for (int p = 0; p < pair_count; ++p)
    TS_TRY(check_pair(in, model, frames, pairs[p].first, pairs[p].second, body_nodes));
  return TS_OK;
}

static void release_broad_phase(void *broad_phase)
{
  ts_broad_phase_destroy(broad_phase);
}

ts_status ts_scene_check_overlap(ts_document_input *in, const ts_model *model, const ts_node *const *body_nodes)
{
  void **broad_phase = ts_document_hold(in, release_broad_phase);
  *broad_phase = ts_broad_phase_create(model->part_count, NULL);
  if (!*broad_phase) return ts_fail(in->error, TS_OUT_OF_MEMORY, "memory ran out");
  return check_pairs(in, model, *broad_phase, body_nodes);
}
