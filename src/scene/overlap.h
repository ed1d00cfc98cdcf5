// Bodies that overlap at the start. A little is repaired by the first steps; a lot is a mistake in the scene, and would
// throw the bodies apart.
#ifndef TS_SCENE_OVERLAP_H
#define TS_SCENE_OVERLAP_H

#include "document/node.h"

// Refuse two parts that can collide and overlap at time 0 by more than a tenth of the smaller one's least width. Points
// have no width: the other part's counts; against a plane they are let through. The place is that of the body with the
// higher number.
ts_status ts_scene_check_overlap(ts_document_input *in, const ts_model *model, const ts_node *const *body_nodes);

#endif
