// Numbers that are legal but far from those of any usual scene: degrees for radians, millimetres for metres, y for up,
// steps that are too long, restitutions without effect. Each is a warning with its place (notes.h).
#ifndef TS_SCENE_PLAUSIBLE_H
#define TS_SCENE_PLAUSIBLE_H

#include "scene/build.h"

void ts_scene_question_numbers(ts_document_input *in, const ts_scene_plan *plan, const ts_model *model,
                               const ts_step_options *options);

#endif
